"""`Follower`: a rule that follows what a guest does, and says what is wrong with it.

What is not here: the rules, and in which order they are asked (`evidence.py`).
"""

from __future__ import annotations

from collections.abc import Iterable

from ..interpreter.runtime.observe import HostEvent
from ..nn.operation import NNEvent

Said = tuple[str, str]
"""The name of a rule, and its hint."""


class Follower:
    """A rule that is told of all that the guest does. A subclass does what it needs of this."""

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""

    def nn_event(self, event: NNEvent) -> Iterable[Said] | None:
        """An operation ended. Returns hints, if there are any already."""
        return None

    def finish(self) -> Iterable[Said]:
        """The guest has ended. Returns hints."""
        return ()

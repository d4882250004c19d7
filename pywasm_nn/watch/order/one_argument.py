"""One file that is read as often as the arguments name files, in place of all of these.

What is here: `OneArgument`. What is not: arguments for several inputs of one model (`assigned.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any
from zlib import crc32

from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ..follower import Follower
from ..surroundings import is_file

FEWEST = 3
"""Two openings of a file may be on purpose."""


class OneArgument(Follower):
    """Gives a hint at the end."""

    def __init__(self, arguments: Sequence[str], directories: Sequence[Path]) -> None:
        """`arguments` are those of the guest, `directories` its ones, where the host has them."""
        self._arguments, self._directories = [*arguments], directories
        self._opened: Counter[str] = Counter()
        self._sent: Counter[Any] = Counter()
        """By checksum, how often an input was set."""

    def host_call(self, event: HostEvent) -> None:
        if event.name == "path_open" and event.error is None and not event.result:
            self._opened[PurePosixPath(str(dict(event.arguments).get("path"))).name] += 1

    def nn_event(self, event: NNEvent) -> None:
        if event.error is None and event.operation.startswith("set_input") and event.tensors:
            self._sent[event.index, crc32(event.tensors[0].view())] += 1

    def finish(self) -> Iterator[tuple[str, str]]:
        """The hint, if one of the files was opened and sent for each of them, and no other one ever was."""
        if len(self._sent) != 1:
            return
        files = [PurePosixPath(one).name for one in self._arguments if is_file(one, self._directories)]
        named = {*files} & {*self._opened}
        count = self._sent.total()
        if not FEWEST <= len(files) == len({*files}) or len(named) != 1:
            return
        (name,) = named
        if self._opened[name] == count and count in (len(files), len(files) - 1):
            other = next(one for one in files if one != name)
            yield (
                "stale",
                f"{name} was opened {count} times and sent each time, and {len(files)} files are named by "
                f"the arguments, of which {other} and the others were never opened: is it the same argument "
                "in each round?",
            )

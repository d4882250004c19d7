"""A guest that computes and never asks for an answer.

What is here: `Unfetched`. What is not: answers that are fetched and not used (`probes`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ..follower import Follower
from ..spoken import Heard

SPEED = re.compile(
    r"\d\s*(?:[mµun]?s\b|sec|min|fps|hz|x\b|/s)|\b(?:time|took|elapsed|latency|bench\w*|warm\w*|ready|loaded"
    r"|runs?|iterations?|loops?|tests?|ok|done|status|returned|errno)\b",
    re.IGNORECASE,
)
"""What a guest writes that only measures inference, or says that it works."""
ANSWER = re.compile(
    r"\d\.\d|\b(?:class|label|index|digit|category|best|top|predict\w*|answer|result|score|prob\w*)\b[^\n\d]{0,12}\d",
    re.IGNORECASE,
)
"""What looks like an answer."""


class Unfetched(Follower):
    """Gives a hint at the end."""

    def __init__(self) -> None:
        self._computes = 0
        self._asked = False
        self._heard = Heard()

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.operation == "compute" and event.error is None:
            self._computes += 1
            self._asked = self._asked or event.delivered
        elif event.operation.startswith("get_output"):
            self._asked = True

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._computes:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        text = self._heard.text
        if self._computes and not self._asked and ANSWER.search(text) and not SPEED.search(text):
            times = "once" if self._computes == 1 else f"{self._computes} times"
            yield (
                "answer",
                f"compute succeeded {times}, and no output was ever asked for (get_output): what the guest "
                "writes is not the answer",
            )

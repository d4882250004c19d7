"""The text of an answer, of which a guest writes as many bytes as the question had.

What is here: `OldLength`. What is not: parts of texts that were read (`broken.py`), and bytes behind an
answer (`probes/counted.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ..follower import Follower, inputs_of
from ..spoken import Heard
from ..values import text_or_blob

SHORTEST, LONGEST, MOST_ANSWERS = 8, 1 << 12, 8
"""The fewest and the most bytes of a question or an answer, and the most answers that are kept."""
MARKS = (b"...", "\u2026".encode(), b"[", b"(")
"""Signs that guests write behind a text that they cut on purpose."""


class OldLength(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self) -> None:
        self._questions: dict[Any, set[int]] = {}
        """By context, the lengths of texts that were sent."""
        self._answers: list[tuple[bytes, set[int]]] = []
        """Answers, each with the lengths of the questions until then."""
        self._heard = Heard()

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None or len(self._answers) == MOST_ANSWERS:
            return
        for _, _, tensor in inputs_of(event):
            if is_text(tensor.nbytes, tensor.view()):
                self._questions.setdefault(event.context_id, set()).add(tensor.nbytes)
        if not event.operation.startswith("get_output") or not event.tensors or not self._questions:
            return
        tensor, lengths = event.tensors[0], self._questions.get(event.context_id, set())
        if is_text(tensor.nbytes, tensor.view()):
            self._answers.append((bytes(tensor.view()), {*lengths}))

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._answers:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        said = bytes(self._heard.data)
        for answer, lengths in self._answers:
            for length in lengths if answer.strip() not in said else ():
                if length < len(answer) and ends_at(answer, length, said):
                    yield (
                        "answer",
                        f"the guest writes {length} bytes of an answer of {len(answer)}, as many as it "
                        "sent: is the length of the question taken for that which get_output gives?",
                    )
                    return


def is_text(length: int, data: Any) -> bool:
    """Whether bytes are those of a text."""
    return SHORTEST <= length <= LONGEST and isinstance(text_or_blob(bytes(data)), str)


def ends_at(answer: bytes, length: int, said: bytes) -> bool:
    """Whether just so many bytes of an answer are written, and nothing behind them says that it goes on."""
    at = said.find(answer[:length])
    if at < 0 or answer[: length + 1] in said:
        return False
    return not said[at + length :].lstrip(b" ").startswith(MARKS)

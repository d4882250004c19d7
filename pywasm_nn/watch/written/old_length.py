"""The text of an answer, of which a guest writes as many bytes as the question had, or behind which it writes
what its buffer held before.

What is here: `OldLength`. What is not: parts of texts that were read (`broken.py`), and bytes behind an
answer (`probes/counted.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...interpreter.module import Module
from ...interpreter.runtime.observe import HostEvent
from ...namespaces import is_inference
from ...nn.operation import NNEvent
from ..follower import Follower, inputs_of
from ..spoken import Heard
from ..values import text_or_blob

SHORTEST, LONGEST, MOST_ANSWERS = 8, 1 << 12, 8
"""The fewest and the most bytes of a question or an answer, and the most answers that are kept."""
BUFFER, FEWEST_BEHIND = "buffer", 3
"""The argument that is the room for an answer, and the fewest bytes behind one."""
MARKS = (b"...", "\u2026".encode(), b"[", b"(")
"""Signs that guests write behind a text that they cut on purpose."""


WIDTHS = frozenset(
    {16, 20, 24, 25, 32, 40, 48, 50, 60, 64, 72, 75, 76, 78, 79, 80, 96, 100, 120, 128, 160, 200}
    | {255, 256, 500, 511, 512, 1000, 1023, 1024}
)
"""People cut texts at these lengths, and a question may be as long by chance."""


class OldLength(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self) -> None:
        self._questions: dict[Any, set[int]] = {}
        """By context, the lengths of texts that were sent."""
        self._answers: list[tuple[bytes, set[int]]] = []
        """Answers, each with the lengths of the questions until then."""
        self._fetched = b""
        """The answer of the call that returns next."""
        self._behind: list[tuple[bytes, bytes]] = []
        """Answers, each with what its buffer holds behind it, up to the first byte 0."""
        self._heard = Heard()
        self._module: Module | None = None

    def attach(self, module: Module) -> None:
        """A guest begins."""
        self._module = module

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        self._fetched = b""
        if event.error is not None or len(self._answers) == MOST_ANSWERS:
            return
        for _, _, tensor in inputs_of(event):
            if is_text(tensor.nbytes, tensor.view()):
                self._questions.setdefault(event.context_id, set()).add(tensor.nbytes)
        if not event.operation.startswith("get_output") or not event.tensors or not self._questions:
            return
        tensor, lengths = event.tensors[0], self._questions.get(event.context_id, set())
        if is_text(tensor.nbytes, tensor.view(), shortest=1):
            self._fetched = bytes(tensor.view())
        if is_text(tensor.nbytes, tensor.view()):
            self._answers.append((bytes(tensor.view()), {*lengths}))

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._fetched and is_inference(event.module):
            room = dict(event.arguments).get(BUFFER)
            if isinstance(room, memoryview):
                behind = bytes(room[len(self._fetched) : LONGEST]).partition(b"\0")[0]
                self._behind.append((self._fetched, behind))
            self._fetched = b""
        if self._answers or self._behind:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        said = bytes(self._heard.data)
        cut = [
            (length, answer)
            for answer, lengths in self._answers
            for length in (lengths if answer.strip() not in said else ())
            if length < len(answer) and ends_at(answer, length, said)
        ]
        is_chance = len({length for length, _ in cut}) == 1 and self._may_be_width(cut[0][0])
        if cut and not is_chance:
            yield (
                "answer",
                f"the guest writes {cut[0][0]} bytes of an answer of {len(cut[0][1])}, as many as it sent: "
                "is the length of the question taken for that which get_output gives?",
            )
            return
        yield from self._with_more(said)

    def _may_be_width(self, length: int) -> bool:
        """Returns whether a guest may cut any text at this length: it is a usual one, or a format of its own
        says so (`%.30s`)."""
        said = f".{length}".encode()
        datas = self._module.datas if self._module is not None else ()
        return length in WIDTHS or any(said + end in one.init for one in datas for end in (b"s", b"}"))

    def _with_more(self, said: bytes) -> Iterator[tuple[str, str]]:
        """A hint about an answer that is written with what its buffer held behind it."""
        for at, (answer, behind) in enumerate(self._behind):
            all_of_it, before = answer + behind, [one + more for one, more in self._behind[:at]]
            if len(behind) < FEWEST_BEHIND or all_of_it in before or all_of_it not in said:
                continue
            old = next((one for one in before if one.endswith(behind)), b"")
            what = f"the end of the answer before, of {len(old)} bytes" if old else "of something else"
            yield (
                "answer",
                f"the guest writes {len(behind)} bytes more than an answer of {len(answer)} has, which are "
                f"what its buffer held there, {what}: get_output writes no 0 behind a text and says how "
                "long it is",
            )
            return


def is_text(length: int, data: Any, shortest: int = SHORTEST) -> bool:
    """Whether bytes are those of a text."""
    return shortest <= length <= LONGEST and isinstance(text_or_blob(bytes(data)), str)


def ends_at(answer: bytes, length: int, said: bytes) -> bool:
    """Whether just so many bytes of an answer are written, and nothing behind them says that it goes on."""
    at = said.find(answer[:length])
    if at < 0 or answer[: length + 1] in said:
        return False
    return not said[at + length :].lstrip(b" ").startswith(MARKS)

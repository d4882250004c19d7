"""Scores of one byte each that a guest reads with a sign, or without: so the best one is another than the
model's.

What is here: `AsSigned`, by which lines of what the guest writes are alike. What is not: elements that are
written themselves (`misread.py`).

Nobody knows how a guest calls a class. But it writes the same text for the same class, and another one for
each other. The guest reads bytes with the other sign if its texts follow the largest byte by that reading in
all rounds, and don't follow the model's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ...nn.tensor import DType
from ..follower import Follower
from ..regex import regex
from ..spoken import Heard, filled_lines

FEWEST, KINDS, MOST_ROUNDS, LONGEST = 6, 3, 256, 1024
"""Rounds, different answers among them, rounds that are kept, and classes of a model."""
ODD = 2
"""In so many rounds at least the best one is another."""
READ: dict[DType, tuple[str, str]] = {DType.U8: ("u1", "i1"), DType.I8: ("i1", "u1")}
"""For each type the name of numpy for it, and for the same bytes read with the other sign."""
LETTERS = regex(r"[^\W\d_]+")


class AsSigned(Follower):
    """Gives a hint when the guest has ended, as a pair of a rule's name and a sentence."""

    def __init__(self) -> None:
        self._rounds: dict[tuple[str, DType], list[bytes]] = {}
        """By an output's name and type, the bytes of each."""
        self._heard = Heard()

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None or not event.operation.startswith("get_output") or not event.tensors:
            return
        tensor = event.tensors[0]
        if tensor.dtype in READ and KINDS <= tensor.size <= LONGEST:
            what = f'output {event.index or 0} "{event.specs[0].name}"'
            kept = self._rounds.setdefault((what, tensor.dtype), [])
            if len(kept) < MOST_ROUNDS:
                kept.append(bytes(tensor.view()))

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._rounds:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """The hint."""
        lines = [tuple(LETTERS.findall(line)) for line in filled_lines(self._heard.text)]
        for (what, dtype), rounds in self._rounds.items():
            if not FEWEST <= len(rounds) <= len(lines) or len({*map(len, rounds)}) > 1:
                continue
            own, other = (best_of(rounds, kind) for kind in READ[dtype])
            odd = [at for at in range(len(rounds)) if own[at] != other[at]]
            for said in (lines[: len(rounds)], lines[-len(rounds) :]):
                if len(odd) >= ODD and are_alike(other, said) and not is_told_by(own, said):
                    first, kinds = odd[0], READ[dtype]
                    bytes_ = numpy.frombuffer(rounds[first], kinds[0])
                    yield (
                        "answer",
                        f"{what}: what the guest writes goes by the largest of the bytes as "
                        f"{name(kinds[1])}, in round {first + 1} element {other[first]}; the model's are "
                        f"{name(kinds[0])}, of which it is element {own[first]} ({bytes_[own[first]]}): are "
                        "they read as another type?",
                    )
                    return


def name(kind: str) -> str:
    """The name of a type as programs have it."""
    return f"{kind[0]}8"


def best_of(rounds: Sequence[bytes], kind: str) -> list[int]:
    """The place of the largest byte of each round."""
    return [int(numpy.frombuffer(one, kind).argmax()) for one in rounds]


def is_told_by(places: Sequence[int], said: Sequence[Any]) -> bool:
    """Whether rounds in which the same element is the best one are written the same."""
    return len({*zip(places, said, strict=True)}) == len({*places})


def are_alike(places: Sequence[int], said: Sequence[Any]) -> bool:
    """Whether rounds are written the same just if they have the same best element, of enough different
    ones."""
    return is_told_by(places, said) and len({*places}) == len({*said}) >= KINDS

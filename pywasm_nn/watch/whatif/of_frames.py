"""Asks a model about the frames of a sound that are in one input, made by hand: at another distance, with
Hann's window, or by another law.

What is here: `Frames`, which keeps the first inputs, each of a file of its own, and `framed_otherwise`. What
is not: one frame an input (`of_spectra.py`), and usual recipes (`origin/spectral.py`).

Two things speak together: the frames are exactly these spectra of a file; and the model doubts several inputs
as sent, and is sure of all in the other way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ...records import Frozen, changed
from ..budget import Left, always
from ..origin.block_spectra import Way, all_numbers, block_at, is_made, spectra_in
from ..origin.spectra import NONE
from ..surroundings import Files
from .asking import LEAST as LEAST_TIME
from .asking import MOST, RUNS, Runs
from .of_spectra import NARROWEST, WIDEST, others
from .sureness import MOST_SURE, Answer, mean

FEWEST_FRAMES, MOST_ELEMENTS, FEWEST, MOST_KEPT, LOOKS = 4, 1 << 16, 3, 4, 6
"""Frames of an input, elements of one, inputs that are asked about, and that are looked at."""
HOPS = (80, 100, 128, 160, 200, 256, 320, 400, 512)
"""Usual distances of frames, beside parts of their length."""
DOUBTED, LEAST, SURE, TIMES = 0.85, 0.75, 0.9, 3.0
"""How sure answers as sent are on average at most; how sure each is in the other way, and all are on average,
and how many times as large the doubt as sent is."""


class Framed(Frozen):
    """An input whose frames lie so far apart among numbers, in a way, and the answer to it."""

    way: Way
    numbers: Any
    hop: int
    count: int
    given: Tensor
    sent: Answer

    def made(self, change: Change) -> Any:
        """The elements by another way and distance, or None if the numbers don't suffice."""
        hop = round(self.hop * change.by)
        blocks = [block_at(self.numbers, at * hop, self.way) for at in range(self.count)]
        if any(one is None for one in blocks):
            return None
        way = changed(change.way, blocks=numpy.stack(blocks))
        array = self.given.numpy()
        return way.made(array.shape[-1]).astype(array.dtype).reshape(array.shape)


class Change(Frozen):
    """How many times as far apart frames are, in which way."""

    by: float
    way: Way
    said: str
    why: str


class Frames:
    """By graph, the first inputs of frames."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._kept: dict[Any, list[Framed]] = {}
        self._looked: dict[Any, int] = {}

    def are_likely(self, graph: Any) -> bool:
        """Whether inputs of a graph are kept."""
        return bool(self._kept.get(graph))

    def take(self, graph: Any, given: Tensor, sent: Answer | None, left: Left = always) -> list[Framed]:
        """An input was computed. Returns the first ones if they are enough to ask about, and are doubted;
        else []."""
        looked = self._looked[graph] = self._looked.get(graph, 0) + 1
        lengths = [one for one in given.shape if one != 1]
        numbers = given.numbers() if looked <= LOOKS and sent is not None and len(lengths) == 2 else None
        if numbers is None or sent is None or numbers.dtype.kind != "f" or numbers.size > MOST_ELEMENTS:
            return []
        if not (lengths[0] >= FEWEST_FRAMES and NARROWEST <= lengths[1] <= WIDEST):
            return []
        kept = self._kept.setdefault(graph, [])
        if looked > 1 and not kept:  # the first input had no such frames
            return []
        with numpy.errstate(all="ignore"):  # logarithms of nothing
            found = self._found(numbers.reshape(lengths).astype("f8"), given, sent, left)
        kept.extend([found] if found is not None and len(kept) < MOST_KEPT else [])
        if len(kept) < FEWEST or mean([one.sent for one in kept]) > DOUBTED:
            return []
        self._looked[graph] = LOOKS
        return self._kept.pop(graph)

    def _found(self, rows: Any, given: Tensor, sent: Answer, left: Left) -> Framed | None:
        """The frames of an input in those of a file that was read, the last one first."""
        for name, numbers in all_numbers(self._files()):
            way = spectra_in(rows[:1], name, numbers, (), left) if left() else None
            if way is None or way.hop:
                continue
            length = way.length
            for hop in dict.fromkeys((length, length // 2, length // 4, 3 * length // 4, 2 * length, *HOPS)):
                blocks = [block_at(numbers, at * hop, way) for at in range(1, len(rows))]
                if all(
                    one is None or not one.any() or is_made(row, changed(way, blocks=one[None]))
                    for row, one in zip(rows[1:], blocks, strict=True)
                ) and any(one is not None for one in blocks):
                    return Framed(way, numbers, hop, len(rows), given, sent)
        return None


def changes(way: Way, hop: int) -> Iterator[Change]:
    """What may be otherwise."""
    for by in (0.5, 2.0):
        said = f"with frames every {hop * by:.0f} numbers"
        yield Change(
            by, way, said, f"is the distance of frames to be {'half' if by < 1 else 'twice'} as long?"
        )
    for other in others(way):
        if other.window != way.window:
            said = f"with {other.window}'s window"
            yield Change(1.0, other, said, f"is {other.window}'s window forgotten?")
        else:
            yield Change(1.0, other, f"with {other.law}", "by which law was the model trained?")


def framed_otherwise(graph: Graph, kept: Sequence[Framed], seconds: float, most: float = MOST) -> str:
    """A sentence if a model of one input is sure of all inputs in another way, or "". Raises NNError."""
    first = kept[0]
    sent = [one.sent for one in kept]
    if seconds * RUNS > most:
        return ""
    with Runs(graph, [first.given], max(most, LEAST_TIME), seconds=seconds) as runs:
        for change in changes(first.way, first.hop):
            found = answers(runs, kept, change)
            if is_meant(sent, found):
                under = "without a window" if first.way.window == NONE else "under a window"
                return (
                    f'input 0 "{graph.inputs[0].name}": it has {first.count} spectra ({first.way.law}) of '
                    f"blocks of {first.way.length} numbers of {first.way.file}, every {first.hop} {under}; "
                    f"{len(sent)} inputs as sent get answers that are {mean(sent):.2f} sure on average, and "
                    f"{change.said} {mean(found):.2f}: {change.why}"
                )
    return ""


def answers(runs: Runs, kept: Sequence[Framed], change: Change) -> list[Answer]:
    """The answers to inputs in another way, until one is doubted."""
    found: list[Answer] = []
    for one in kept:
        made = one.made(change) if runs.count < RUNS else None
        answer = None if made is None else runs.changed(0, made)
        if answer is None or answer.sure < LEAST:
            break
        found.append(answer)
    return found


def is_meant(sent: Sequence[Answer], found: Sequence[Answer]) -> bool:
    """Whether all answers are sure, other ones than as sent, and no fewer different ones."""
    if len(found) < len(sent) or mean(found) < SURE or any(one.margin > MOST_SURE for one in found):
        return False
    others_ = sum(one.place != other.place for one, other in zip(sent, found, strict=True))
    are_as_many = len({one.place for one in found}) >= len({one.place for one in sent})
    return others_ > 0 and are_as_many and 1 - mean(sent) >= TIMES * (1 - mean(found))

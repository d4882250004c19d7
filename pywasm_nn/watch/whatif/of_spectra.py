"""Asks a model about spectra of a file's raw numbers with Hann's window, and by another law.

What is here: `spectra_in`, which says exactly how rows are spectra of blocks of a file, `Spectra`, which
keeps them, and `asked_otherwise`. What is not: spectra of sounds (`origin/spectral.py`).

Two things speak together: the rows are just these spectra, of blocks without a window or by a law such as
decibels; and the model is sure of more different answers in the other way, while it doubts some as sent or is
far too sure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ...records import Frozen, changed
from ..origin.raw_places import numbers_in
from ..origin.spectra import BLACKMAN, HAMMING, HANN, NONE, window_of
from ..surroundings import Files
from .asking import MOST, Runs
from .sureness import MOST_SURE, Answer, mean

NARROWEST, WIDEST, FEWEST, ROWS, MOST_ROWS, LOOKS = 16, 2048, 3, 4, 64, 8
"""Frequencies of a row; the fewest rows that are asked about, how many one after the other at most, and the
most of a batch; inputs that are looked at."""
TYPES = ("<i2", "<f4", ">i2", "<u2")
TINY, EXACT, LOUD, LOWEST = 1e-9, 2e-3, 0.02, 2
"""What programs add before a logarithm; how far magnitudes may be from those of the file, as a part, where
they are at least so large a part of the largest one, from which frequency on."""
Law = Callable[[Any], Any]
LAWS: dict[str, tuple[Law, Law]] = {
    "ln(1 + magnitude)": (numpy.log1p, numpy.expm1),
    "the magnitude": (lambda size: size, lambda row: row),
    "20 log10 of the magnitude, decibels": (
        lambda size: 20 * numpy.log10(size + TINY),
        lambda row: 10 ** (row / 20),
    ),
    "ln of the magnitude": (lambda size: numpy.log(size + TINY), numpy.exp),
    "log10 of the magnitude": (lambda size: numpy.log10(size + TINY), lambda row: 10**row),
    "the power": (numpy.square, lambda row: numpy.sqrt(abs(row))),
    "ln(1 + power)": (lambda size: numpy.log1p(size**2), lambda row: numpy.sqrt(abs(numpy.expm1(row)))),
}
"""By what is said of a row, how it is made of magnitudes, and these of it."""
DOUBTED, LEAST, SURE, DIFFERENT, TIMES = 0.75, 0.8, 0.9, 3, 3.0
"""How sure an answer is that is doubted; how sure each answer in the right way is, and all are on average,
how many different ones there are, and how many times as large the doubt about those as sent is."""


class Way(Frozen):
    """How rows are spectra: of which file's numbers, of blocks of which length and how far apart, under which
    window, by which law, and by what the numbers were multiplied."""

    file: str
    numbers: Any
    length: int
    hop: int
    window: str
    law: str
    factor: float

    def made(self, count: int, width: int) -> Any:
        """The first rows of the file in this way."""
        starts = numpy.arange(count) * self.hop
        blocks = self.numbers[starts[:, None] + numpy.arange(self.length)]
        return LAWS[self.law][0](self.factor * magnitudes(blocks, self.window)[:, :width])


class Spectra:
    """By graph, the first rows that may be spectra."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._kept: dict[Any, list[tuple[Any, Answer]]] = {}
        self._looked: dict[Any, int] = {}

    def take(self, graph: Any, tensor: Tensor, answers: Sequence[Answer]) -> list[tuple[Any, Answer]]:
        """An input was computed. Returns the first rows with the answers to them, if they are enough to ask
        about and their answers are odd; else []."""
        looked = self._looked[graph] = self._looked.get(graph, 0) + 1
        numbers = tensor.numbers() if looked <= LOOKS and answers else None
        width = tensor.shape[-1] if tensor.shape else 0
        is_row = NARROWEST <= width <= WIDEST and len(answers) <= MOST_ROWS
        if numbers is None or numbers.dtype.kind != "f" or not is_row or numbers.size != width * len(answers):
            return []
        kept = self._kept.setdefault(graph, [])
        if len(kept) >= ROWS or any(len(row) != width for row, _ in kept):
            return []
        kept.extend(zip(numbers.reshape(-1, width).astype("f8"), answers, strict=True))
        are_enough = len(kept) >= FEWEST and len(answers) in (1, len(kept))
        return kept if are_enough and is_odd([answer for _, answer in kept]) else []

    def ways(self, kept: Sequence[tuple[Any, Answer]]) -> Iterator[Way]:
        """How rows are spectra of a file's numbers, and then other ways in which they may have been meant."""
        rows = numpy.stack([row for row, _ in kept])
        for name, numbers in numbers_in(self._files(), TYPES):
            with numpy.errstate(all="ignore"):  # logarithms of nothing
                found = spectra_in(rows, name, numbers)
            if found is not None:
                yield found
                yield from others(found)
                return


def magnitudes(blocks: Any, window: str) -> Any:
    return abs(numpy.fft.rfft(blocks * window_of(window, blocks.shape[-1]), axis=-1))


def spectra_in(rows: Any, name: str, numbers: Any) -> Way | None:
    """Returns how rows are spectra of blocks of numbers that follow one another from the first one on, or
    None if they aren't."""
    count, width = rows.shape
    for length in (2 * width, 2 * (width - 1)):
        if len(numbers) < length or not numbers[:length].any():
            continue
        for window in (HANN, NONE, HAMMING, BLACKMAN):
            there = magnitudes(numbers[:length], window)[:width]
            for law, factor in laws_of(rows[0], there):
                for hop in (length, length // 2):
                    way = Way(name, numbers, length, hop, window, law, factor)
                    if (count - 1) * hop + length <= len(numbers) and is_made(rows, way):
                        return way
    return None


def laws_of(row: Any, there: Any) -> Iterator[tuple[str, float]]:
    """The laws by which a row has these magnitudes, times a factor."""
    loud = numpy.flatnonzero(there >= LOUD * there[LOWEST:].max())
    loud = loud[loud >= LOWEST]
    if len(loud) < DIFFERENT:
        return
    for law, (_, back) in LAWS.items():
        factors = back(row[loud]) / there[loud]
        middle = float(numpy.median(factors))
        if numpy.isfinite(factors).all() and middle > 0 and abs(factors / middle - 1).max() < EXACT:
            yield law, middle


def is_made(rows: Any, way: Way) -> bool:
    """Whether all rows are made in a way."""
    made = way.made(*rows.shape)[:, LOWEST:]
    return bool(abs(made - rows[:, LOWEST:]).max() <= EXACT * max(1.0, float(abs(rows).max())))


def others(found: Way) -> Iterator[Way]:
    """The same rows with Hann's window, if they have none, and by other laws."""
    if found.window == NONE:
        yield changed(found, window=HANN)
    yield from (changed(found, law=law) for law in LAWS if law != found.law)


def asked_otherwise(
    graph: Graph,
    inputs: Sequence[Tensor],
    sent: Sequence[Answer],
    ways: Sequence[Way],
    seconds: float,
    most: float = MOST,
) -> str:
    """A sentence if a model of one input wants its rows in another way than the first one, or "". Raises
    NNError."""
    own = ways[0]
    meant: list[tuple[Way, list[Answer]]] = []
    with Runs(graph, inputs, most, seconds=seconds) as runs:
        for way in ways[1:]:
            found = answers(runs, inputs[0], way, len(sent))
            meant += [(way, found)] if is_meant(found, sent) else []
            if meant and way.window != own.window:
                break
    if len({tuple(one.place for one in found) for _, found in meant}) != 1:
        return ""  # two laws that say different things say nothing
    way, found = meant[0]
    few, many = (len({one.place for one in each}) for each in (sent, found))
    is_window = way.window != own.window
    said = f"with {way.window}'s window" if is_window else f"with {way.law}"
    under = "without a window" if own.window == NONE else f"under {own.window}'s window"
    return (
        f'input 0 "{graph.inputs[0].name}": its rows are spectra ({own.law}) of blocks of {own.length} '
        f"numbers of {own.file} {under}; {len(sent)} rows as sent get {few} answer{'s' if few > 1 else ''}, "
        f"at {mean(sent):.2f} on average, and {said} {many}, at {mean(found):.2f}: "
        + (f"is {way.window}'s window forgotten?" if is_window else "by which law was the model trained?")
    )


def answers(runs: Runs, given: Tensor, way: Way, count: int) -> list[Answer]:
    """The answers to rows in another way: to a batch, or to one row after the other."""
    numbers = given.numpy()
    if given.shape[-1] * count == numbers.size:
        made = way.made(count, given.shape[-1]).astype(numbers.dtype).reshape(given.shape)
        return runs.rows(0, made) if runs.left() else []
    found: list[Answer] = []
    for row in way.made(count, given.shape[-1]):
        answer = runs.changed(0, row.astype(numbers.dtype).reshape(given.shape)) if runs.left() else None
        if answer is None or answer.sure < LEAST:
            break
        found.append(answer)
    return found


def is_odd(sent: Sequence[Answer]) -> bool:
    """Whether a model doubts one of its answers, or is surer of one than training makes it."""
    return min(one.sure for one in sent) <= DOUBTED or max(one.margin for one in sent) > MOST_SURE


def is_meant(found: Sequence[Answer], sent: Sequence[Answer]) -> bool:
    """Whether a model is sure of more different answers, as training makes it, than as sent."""
    many, few = (len({one.place for one in each}) for each in (found, sent))
    if len(found) != len(sent) or many < DIFFERENT or many <= few:
        return False
    is_sane = all(one.sure >= LEAST and one.margin <= MOST_SURE for one in found)
    is_surer = 1 - mean(sent) >= TIMES * (1 - mean(found)) or max(one.margin for one in sent) > MOST_SURE
    return is_sane and is_surer and mean(found) >= SURE

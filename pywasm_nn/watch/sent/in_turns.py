"""Features of a sound's pieces, of any kind, that are those of the samples of its channels as they lie in
turns, as if they were one signal.

What is here: `InTurns`, which keeps rows of few numbers, and makes again what programs measure by hand: how
loud, how rough, how strong each frequency is. What is not: samples that are sent (`origin/sequences.py`) and
usual spectra and bands (`origin/spectral.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.deadline import paused
from ...nn.operation import NNEvent
from ...records import Frozen
from ..budget import Budget, Left
from ..follower import Follower, inputs_of
from ..origin.decoding import Source

FEWEST, MOST_ROWS, MOST_WIDTH = 6, 64, 128
"""Rows that show how a feature follows the sound, and the most that are kept, of so many numbers each."""
SHORTEST, LONGEST = 32, 1 << 14
"""Samples of a piece."""
LIKE, NEARLY, PART, WIDE = 0.99995, 0.95, 0.5, 2
"""The correlation of a feature with what was made again, the one with a frequency beside its own, and the
part of all features that must be so, of so many at least."""
LEAST_ROWS_OF_ONE = 12
"""Rows of a single feature, which fits by chance where these are few."""
GRID, NEAR = 8192, 21
"""Frequencies that are tried at first, and around the best of them."""
TINY = 1e-12
STEPS = (100, 64, 50, 10)
"""Pieces are mostly as long as multiples of these."""


class Pieces(Frozen):
    """Pieces of a signal, [pieces, samples], and the rate at which frequencies are counted."""

    samples: Any
    rate: int


class InTurns(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence. `last` gives the sound that was
    read last."""

    def __init__(self, last: Callable[[], Source | None], budget: Budget) -> None:
        self._last, self._budget = last, budget
        self._rows: dict[Any, list[Any]] = {}
        self._names: dict[Any, str] = {}

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended: keep its inputs of few numbers."""
        for index, spec, tensor in inputs_of(event) if event.error is None else ():
            width = tensor.shape[-1] if tensor.shape else 0
            if not 0 < width <= MOST_WIDTH or tensor.size > MOST_ROWS * MOST_WIDTH:
                continue
            numbers = tensor.numbers()
            kept = self._rows.setdefault((event.graph_id, event.model, index), [])
            if numbers is None or numbers.dtype.kind != "f" or len(kept) >= MOST_ROWS:
                continue
            self._names[event.graph_id, event.model, index] = f'input {index} "{spec.name}"'
            kept += [row.copy() for row in numbers.reshape(-1, width)[: MOST_ROWS - len(kept)]]

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        sound = self._last() if any(len(rows) >= FEWEST for rows in self._rows.values()) else None
        if sound is None or not sound.rate or sound.array.ndim != 2 or len(sound.array) < SHORTEST:
            return
        with paused(), numpy.errstate(all="ignore"), self._budget.comparing() as left:
            for key, rows in self._rows.items():
                if len(rows) < FEWEST or len({len(row) for row in rows}) > 1 or not left():
                    continue
                if said := in_turns(numpy.stack(rows).astype("f8"), sound, left):
                    yield "origin", f"{self._names[key]}: compared with {sound.name}, {said}"
                    return


def in_turns(rows: Any, sound: Source, left: Left) -> str:
    """Returns what is wrong with features of a sound of several channels, or "" if nothing is known to be."""
    rows = rows[:, rows.std(axis=0) > TINY] if numpy.isfinite(rows).all() else rows[:0]
    if rows.size == 0 or (rows.shape[1] < WIDE and len(rows) < LEAST_ROWS_OF_ONE):
        return ""
    samples = sound.array.astype("f8")
    channels = samples.shape[1]
    if any(numpy.array_equal(samples[:, 0], samples[:, one]) for one in range(1, channels)):
        return ""
    for step in steps(len(samples), len(rows)):
        for count in (step, channels * step):
            turns = Pieces(cut(samples.reshape(-1), channels * step, count, len(rows)), sound.rate)
            if not left() or not SHORTEST <= count <= LONGEST:
                continue
            found = fitting(rows, turns)
            if found.sum() < max(PART * len(found), min(WIDE, len(found))):
                continue
            rightly = [samples.mean(axis=1), *samples.T]
            pieces = (Pieces(cut(one, step, step, len(rows)), sound.rate) for one in rightly)
            if any(fitting(rows, one).sum() >= found.sum() for one in pieces):
                return ""
            return (
                f"{found.sum()} of {len(found)} features are those of the samples of its {channels} channels "
                f"as they lie in turns, {count} of them a piece, taken for one signal: is one channel to be "
                "taken (every other sample), or their mean?"
            )
    return ""


def steps(count: int, rows: int) -> list[int]:
    """Returns how many samples of each channel `rows` pieces of a sound may be apart."""
    least, most = count // (rows + 1) + 1, count // rows
    usual = [most // one * one for one in STEPS]
    return [*dict.fromkeys(one for one in (most, *usual) if max(least, SHORTEST // 2) <= one)]


def cut(signal: Any, step: int, length: int, rows: int) -> Any:
    """The pieces of a signal: so many samples from each step on."""
    ends = (rows - 1) * step + length
    whole = numpy.zeros(max(ends, len(signal)))
    whole[: len(signal)] = signal
    return numpy.stack([whole[at * step : at * step + length] for at in range(rows)])


def fitting(rows: Any, pieces: Pieces) -> Any:
    """Tells for each feature of rows, [pieces, features], whether pieces of a signal have it."""
    plain = correlations(rows, measured(pieces.samples))
    found = plain.max(axis=1) >= LIKE
    rest = numpy.flatnonzero(~found)
    if not len(rest):
        return found
    grid = numpy.arange(1, GRID // 2) * (pieces.rate / GRID)
    likes = correlations(rows[:, rest], shown(strength(pieces, GRID)[:, 1 : GRID // 2]))
    best = likes.argmax(axis=1) % len(grid)
    for number, feature in enumerate(rest.tolist()):
        if likes[number].max() < NEARLY:
            continue
        apart = pieces.rate / GRID
        around = numpy.linspace(grid[best[number]] - apart, grid[best[number]] + apart, NEAR)
        usual = numpy.round(around)
        near = at_frequencies(pieces, numpy.unique([*around, *usual]))
        found[feature] = correlations(rows[:, [feature]], shown(near)).max() >= LIKE
    return found


def measured(pieces: Any) -> Any:
    """Measures how loud and how rough pieces are, in usual ways: [pieces, ways]."""
    moves = numpy.diff(pieces, axis=1)
    signs = numpy.diff((pieces >= 0).astype("i1"), axis=1) != 0
    spectrum = abs(numpy.fft.rfft(pieces, axis=1))
    places = numpy.arange(spectrum.shape[1])
    total = spectrum.sum(axis=1) + TINY
    power = spectrum**2
    ways = (
        (pieces**2).mean(axis=1),
        abs(pieces).mean(axis=1),
        abs(pieces).max(axis=1),
        pieces.max(axis=1),
        pieces.min(axis=1),
        pieces.mean(axis=1),
        pieces.std(axis=1),
        numpy.ptp(pieces, axis=1),
        signs.mean(axis=1),
        abs(moves).mean(axis=1),
        (moves**2).mean(axis=1),
        spectrum @ places / total,
        power @ places / (power.sum(axis=1) + TINY),
        spectrum.argmax(axis=1),
    )
    return shown(numpy.stack(ways, axis=1))


def shown(values: Any) -> Any:
    """Numbers as they are, their roots and their logarithms, side by side."""
    sizes = abs(values)
    return numpy.concatenate([values, numpy.sqrt(sizes), numpy.log(sizes + TINY)], axis=1)


def strength(pieces: Pieces, size: int) -> Any:
    """The power of each of the frequencies of a transform of so many samples, or more."""
    length = pieces.samples.shape[1]
    if length <= size:
        return abs(numpy.fft.fft(pieces.samples, size, axis=1)) ** 2
    folded = numpy.zeros((len(pieces.samples), -(-length // size) * size))
    folded[:, :length] = pieces.samples
    return abs(numpy.fft.fft(folded.reshape(len(folded), -1, size).sum(axis=1), axis=1)) ** 2


def at_frequencies(pieces: Pieces, frequencies: Any) -> Any:
    """The power of some frequencies."""
    times = numpy.arange(pieces.samples.shape[1])
    turns = numpy.exp(-2j * numpy.pi / pieces.rate * times[:, None] * frequencies[None])
    return abs(pieces.samples @ turns) ** 2


def correlations(rows: Any, made: Any) -> Any:
    """The size of the correlation of each feature, [pieces, features], with each thing that was made."""
    return abs(around(rows).T @ around(made))


def around(columns: Any) -> Any:
    """Columns around 0 and of length 1; those that hardly change are 0."""
    columns = numpy.nan_to_num(columns - columns.mean(axis=0))
    length = numpy.sqrt((columns * columns).sum(axis=0))
    return columns * (length > TINY) / numpy.maximum(length, TINY)

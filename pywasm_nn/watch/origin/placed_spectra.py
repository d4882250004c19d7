"""How rows of numbers are the lowest frequencies of blocks of a sound that lie an equal step apart, from any
sample on, also of a sound that was misread: channels in turns taken as one, bytes of 8 bits taken as signed.

What is here: `readings_of`, `placed_in`, and `Placed`, which makes such rows of other numbers. What is not:
blocks that follow one another from the first number on, and groups of frequencies (`block_spectra.py`), and
what a model says of such rows (`whatif/of_blocks.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...records import Frozen, changed
from ..budget import Left, always
from .block_spectra import FEWEST, LENGTHS, LOUD, LOWEST, powers_of
from .decoding import Source, decoded
from .kinds import SOUNDS
from .spectra import HAMMING, HANN, NONE

MOST_FILES, MOST_START, MOST_NUMBERS = 2, 1024, 1 << 18
"""Sounds that are looked through, and where in one, or behind the block before, a block begins at most."""
MOST_TIMES = 8
"""A block is at most so many times as long as there are frequencies."""
MOST_PLACES = 4
"""So many places of the second block are tried, the likeliest first."""
EXACT, HIGH, FEWEST_HIGH = 4e-3, 1e-3, 3
"""How far elements may be from those of a block, as a part of their range; the part of the largest power
beside which what was added before a logarithm is nothing, and how many are above that."""
BYTE, MIDDLE = 256, 128
IN_TURNS = "its channels, which lie in turns, taken as one"
TURNS_WHY = "is one channel to be taken, or the mean of all?"
SIGNED_WHY = "silence is 128 in samples of 8 bits: are they unsigned bytes, of which 128 is to be taken away?"
SIGNED = "its bytes, which have no sign, taken as signed"


class Reading(Frozen):
    """The numbers of a sound as they were read, what is wrong with that, or "", the right ones, and a
    question."""

    file: str
    rate: int
    numbers: Any
    wrong: str = ""
    right: Any = None
    why: str = ""


class Placed(Frozen):
    """Rows of the powers of blocks from a place on: under which window, from which frequency on; `log` says
    by what the logarithm of powers was multiplied and what was added to it, and before that to powers, or
    None if elements are powers, or magnitudes (`power` is 1), times `factor`."""

    reading: Reading
    start: int
    step: int
    length: int
    window: str
    first: int
    width: int
    power: int = 2
    factor: float = 1.0
    log: tuple[float, float, float] | None = None

    def blocks(self, numbers: Any, count: int) -> Any:
        """As many blocks of numbers as there are, [blocks, length]."""
        starts = range(self.start, len(numbers) - self.length + 1, self.step)[:count]
        return numpy.stack([numbers[at : at + self.length] for at in starts]) if starts else None

    def powers(self, blocks: Any, window: str = "") -> Any:
        """The powers of blocks of which rows are made, under another window if it is given."""
        return powers_of(blocks, window or self.window)[:, self.first : self.first + self.width]

    def rows(self, blocks: Any, window: str = "") -> Any:
        """The rows of blocks in this way, or under another window."""
        powers = self.powers(blocks, window)
        if self.log is None:
            return self.factor * powers ** (self.power / 2)
        by, added, floor = self.log
        return by * numpy.log(powers + floor) + added


def readings_of(files: Sequence[tuple[str, bytes]]) -> Iterator[Reading]:
    """The last sounds as they are to be read, and as mistakes read them."""
    sounds = [(name, data) for name, data in reversed(files) if data[:4] in SOUNDS]
    for name, data in sounds[:MOST_FILES]:
        source = decoded(name, data)
        if source is None or not source.rate or source.array.size > MOST_NUMBERS:
            continue
        yield from of_sound(source)


def of_sound(source: Source) -> Iterator[Reading]:
    samples, rate = source.array.astype("f8"), source.rate
    if samples.ndim > 1:
        one = samples[:, 0]
        yield Reading(source.name, rate, samples.reshape(-1), IN_TURNS, one, TURNS_WHY)
        yield Reading(source.name, rate, one)
        yield Reading(source.name, rate, samples.mean(axis=1))
        return
    if source.width == 1 and not source.law:
        octets = numpy.rint(samples * MIDDLE) + MIDDLE
        signed = numpy.where(octets < MIDDLE, octets, octets - BYTE) / MIDDLE
        yield Reading(source.name, rate, signed, SIGNED, samples, SIGNED_WHY)
    yield Reading(source.name, rate, samples)


def placed_in(rows: Any, reading: Reading, left: Left = always) -> Placed | None:
    """Returns how rows are made of a reading's blocks an equal step apart, or None if they aren't. Of the
    first two it is searched where they are."""
    if len(rows) < 2:
        return None
    width = rows.shape[1]
    lengths = [2 * width, *(one for one in LENGTHS if 2 * width < one <= MOST_TIMES * width), 2 * (width - 1)]
    for length in lengths:
        if not left():
            return None
        for found in begun(rows[0], reading, length):
            after = reading.numbers[found.start + 1 :]
            for at in places(rows[1], after, found) if left() else ():
                whole = changed(found, step=at + 1)
                if are_made(rows, whole):
                    return whole
    return None


def begun(row: Any, reading: Reading, length: int) -> Iterator[Placed]:
    """The ways in which a row is made of a block near the beginning of the numbers."""
    near = reading.numbers[: MOST_START + length]
    if len(near) < length:
        return
    plain = numpy.fft.rfft(numpy.lib.stride_tricks.sliding_window_view(near, length), axis=-1)
    for window in (HANN, NONE, HAMMING):
        powers = abs(windowed(plain, window)) ** 2
        for first in (0, 1):
            own = powers[:, first : first + len(row)]
            for at in alike(row, own) if own.shape[1] == len(row) else ():
                if (law := law_of(row, own[at])) is not None:
                    power, factor, log = law
                    yield Placed(reading, int(at), 0, length, window, first, len(row), power, factor, log)


def windowed(plain: Any, window: str) -> Any:
    """The frequencies under a window, which is a mean of those beside one another."""
    if window == NONE:
        return plain
    mid, side = (0.5, -0.25) if window == HANN else (0.54, -0.23)
    made = mid * plain
    made[:, 1:-1] += side * (plain[:, :-2] + plain[:, 2:])
    made[:, 0] += 2 * side * plain[:, 1].real
    made[:, -1] += 2 * side * plain[:, -2].real
    return made


def alike(row: Any, powers: Any) -> Any:
    """Which rows of powers go up and down as a row does, where they are loud."""
    order = row.argsort()[::-1]
    order = order[order >= LOWEST]
    sorted_ = powers[:, order]
    loud = sorted_[:, 1:] >= LOUD * sorted_[:, :1]
    falls = sorted_[:, 1:] <= (1 + EXACT) * sorted_[:, :-1]
    return numpy.flatnonzero((falls | ~loud).all(axis=1) & (loud.sum(axis=1) >= FEWEST))


def law_of(row: Any, powers: Any) -> tuple[int, float, tuple[float, float, float] | None] | None:
    """Returns by which law a row is made of powers: a power, a factor, and what logarithms are multiplied by
    and moved by, or None if it is none of these."""
    loud = numpy.flatnonzero(powers >= LOUD * powers[LOWEST:].max())
    loud = loud[loud >= LOWEST]
    own, there = row[loud], powers[loud]
    reach = EXACT * float(own.max() - own.min())
    if len(loud) < FEWEST or not reach:
        return None
    for power in (2, 1):
        plain = there ** (power / 2)
        factor = float(own @ plain / (plain @ plain))
        if factor > 0 and (abs(own - factor * plain) <= reach).all():
            return power, factor, None
    high = there >= HIGH * there.max()  # beside which a floor is nothing
    if high.sum() < FEWEST_HIGH:
        return None
    by, added = numpy.polyfit(numpy.log(there[high]), own[high], 1)
    if by <= 0:
        return None
    low = int(own.argmin())
    floor = max(0.0, float(numpy.exp((own[low] - added) / by) - there[low]))
    made = by * numpy.log(there + floor) + added
    return (2, 1.0, (float(by), float(added), floor)) if (abs(made - own) <= 2 * reach).all() else None


def places(row: Any, numbers: Any, way: Placed) -> Any:
    """Where among the next numbers blocks begin that may be those of a row."""
    near = numbers[: MOST_START + way.length]
    if len(near) < way.length:
        return ()
    blocks = numpy.lib.stride_tricks.sliding_window_view(near, way.length)
    made = way.rows(blocks)
    off = abs(made - row)[:, LOWEST:].max(axis=1)
    reach = 2 * EXACT * float(row[LOWEST:].max() - row[LOWEST:].min())
    return sorted(numpy.flatnonzero(off <= reach).tolist(), key=off.__getitem__)[:MOST_PLACES]


def are_made(rows: Any, way: Placed) -> bool:
    """Whether all rows are made in a way."""
    blocks = way.blocks(way.reading.numbers, len(rows))
    if blocks is None or len(blocks) < len(rows):
        return False
    off = abs(way.rows(blocks) - rows)[:, LOWEST:].max(axis=1)
    return bool((off <= 2 * EXACT * numpy.ptp(rows[:, LOWEST:], axis=1)).all())

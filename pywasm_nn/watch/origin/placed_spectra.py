"""How rows of numbers are the lowest frequencies of blocks of a sound that lie an equal step apart, from any
sample on, also of a sound that was misread: channels in turns taken as one, bytes of 8 bits taken as signed,
samples of another width, without their sign, or in the other byte order.

What is here: `readings_of`, `of_raw` of numbers without a header, `placed_in`, and `Placed`, which makes such
rows of other numbers. What is not: blocks that follow one another from the first number on, and groups of
frequencies (`block_spectra.py`), and how else a sound may be misread (`sequences.py`), and what a model says
of such rows (`whatif/of_blocks.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from ...arrays import numpy
from ...records import Frozen, changed
from ..budget import Left, always
from .block_spectra import FEWEST, LENGTHS, LOUD, LOWEST, TYPES, alike, powers_of
from .decoding import Source, decoded
from .kinds import SOUNDS
from .raw_places import is_raw, numbers_in
from .sequences import misread
from .spectra import HAMMING, HANN, NONE

MOST_FILES, MOST_START, MOST_NUMBERS = 2, 1024, 1 << 18
"""The last `MOST_FILES` sounds are looked through, if they have no more than `MOST_NUMBERS` numbers. The
first block begins within the first `MOST_START` samples, and the second within as many behind the first."""
MOST_TIMES = 8
"""A block has at most so many samples for each frequency of a row."""
MOST_PLACES = 4
"""The search tries so many places of the second block, the likeliest first."""
EXACT, HIGH, FEWEST_HIGH = 4e-3, 1e-3, 3
"""Elements may be off those of a block by the part `EXACT` of their range. Beside powers above the part
`HIGH` of the largest one, a number that was added before the logarithm is nothing: `FEWEST_HIGH` have to be
there."""
APART = 1.2
"""The largest of those powers is more than so many times the smallest: a single click has equal
ones, which say nothing of how a row was made."""
FARTHEST, GOES_ON, LEAPS = 9, 0.3, 0.15
"""How far numbers are compared with those before them, how like these they are at least if they are rightly
read, and at most if they aren't."""
BYTE, MIDDLE = 256, 128
"""A byte has so many values, and this one is silence."""
IN_TURNS = "its channels, which lie in turns, taken as one"
TURNS_WHY = "is one channel to be taken, or the mean of all?"
SIGNED_WHY = "silence is 128 in samples of 8 bits: are they unsigned bytes, of which 128 is to be taken away?"
SIGNED = "its bytes, which have no sign, taken as signed"
MISREAD_WHY = "are its samples read as its header says?"
LONG_HEADER = "the end of its header, which has more than 44 bytes, taken for samples"
OTHER_ORDER = "its numbers of 16 bits read in the other byte order, in which none is like the ones before"
ORDER_WHY = "are they big-endian, or little-endian?"
LONG_WHY = "is the chunk data looked for, or does the program skip 44 bytes, as of the shortest header?"


class Reading(Frozen):
    """A reading has the numbers of a sound as a guest may read them, and what is `wrong` with that, or "". If
    something is, it has the `right` numbers, too, and a question to the reader (`why`)."""

    file: str
    rate: int
    numbers: Any
    wrong: str = ""
    right: Any = None
    why: str = ""


class Placed(Frozen):
    """Says how rows are made of blocks of `length` numbers. The first block begins at `start`, and each one
    begins `step` behind the one before. A row has `width` powers, under a `window`, from the frequency
    `first` on. If `log` is None, elements are the powers (or magnitudes, if `power` is 1), times `factor`.
    Otherwise they are logarithms of these, and `log` has three numbers: the logarithm was multiplied by the
    first, the second was added to that, and the third was added to the power (or magnitude) before."""

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

    @property
    def per_power(self) -> float:
        """By what the natural logarithm of powers was multiplied, or 0 if elements are no logarithms."""
        return 0.0 if self.log is None else self.log[0] * self.power / 2

    def blocks(self, numbers: Any, count: int) -> Any:
        """Returns the first `count` blocks of numbers, [blocks, length], or as many as there are; None for
        none."""
        starts = range(self.start, len(numbers) - self.length + 1, self.step)[:count]
        return numpy.stack([numbers[at : at + self.length] for at in starts]) if starts else None

    def powers(self, blocks: Any, window: str = "") -> Any:
        """Returns the powers of blocks of which rows are made, under another window if one is given."""
        return powers_of(blocks, window or self.window)[:, self.first : self.first + self.width]

    def rows(self, blocks: Any, window: str = "") -> Any:
        """Returns the rows that are made of blocks in this way, or under another window if one is given."""
        sizes = self.powers(blocks, window) ** (self.power / 2)
        if self.log is None:
            return self.factor * sizes
        by, added, floor = self.log
        return by * numpy.log(sizes + floor) + added


def readings_of(files: Sequence[tuple[str, bytes]]) -> Iterator[Reading]:
    """Yields the last sounds as they are to be read, and as mistakes read them, the rare ones at the end."""
    sounds = [(name, data) for name, data in reversed(files) if data[:4] in SOUNDS]
    sources = [source for one in sounds[:MOST_FILES] if (source := decoded(*one)) is not None]
    known = [one for one in sources if one.rate and one.array.size <= MOST_NUMBERS]
    yield from chain.from_iterable(map(of_sound, known))
    yield from chain.from_iterable(map(of_misread, known))


def of_misread(source: Source) -> Iterator[Reading]:
    """Yields a sound of one channel as rarer mistakes read it: its bytes from another one on, or in another
    order or type."""
    right = source.array.astype("f8")
    for one in misread(source) if right.ndim == 1 else ():
        is_long = one.end is not None  # from there on it is the sound itself
        wrong, why = (LONG_HEADER, LONG_WHY) if is_long else (one.wrong, MISREAD_WHY)
        yield Reading(source.name, source.rate, one.samples, wrong, right, why)


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


def of_raw(files: Sequence[tuple[str, bytes]]) -> Iterator[Reading]:
    """Yields what files may hold as raw numbers, and how these are misread if they are numbers of 16 bits
    that go on from those before only in the other byte order."""
    raw = {name for name, data in files if is_raw(data)}
    for name, numbers in numbers_in(files, TYPES):
        turned = in_other_order(numbers) if name in raw else None
        if turned is not None and goes_on(turned) >= GOES_ON and goes_on(numbers) <= LEAPS:
            yield Reading(name, 0, numbers, OTHER_ORDER, turned, ORDER_WHY)
        else:
            yield Reading(name, 0, numbers)


def in_other_order(numbers: Any) -> Any:
    """Returns whole numbers of 16 bits in the other byte order, or None for others."""
    with numpy.errstate(all="ignore"):  # numbers that don't fit
        own = numbers.astype("<i2")
    return own.byteswap().astype("f8") if (own == numbers).all() else None


def goes_on(numbers: Any) -> float:
    """How like numbers are to those a few before, as those of a vibration, slow or fast, are: a correlation
    without its sign."""
    around = numbers - numbers.mean()
    size = float(around @ around)
    lags = range(1, min(FARTHEST, len(around) // 2))
    return max((abs(float(around[by:] @ around[:-by])) / size for by in lags), default=0.0) if size else 0.0


def placed_in(rows: Any, reading: Reading, left: Left = always) -> Placed | None:
    """Returns how rows are made of a reading's blocks an equal step apart, or None if they aren't. The
    places of the first two blocks are searched for, and say those of the others."""
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
    """Yields the ways in which a row is made of a block near the beginning of the numbers."""
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
    """Returns frequencies under a window: each is a weighted mean of the plain one and the two beside it."""
    if window == NONE:
        return plain
    mid, side = (0.5, -0.25) if window == HANN else (0.54, -0.23)
    made = mid * plain
    made[:, 1:-1] += side * (plain[:, :-2] + plain[:, 2:])
    made[:, 0] += 2 * side * plain[:, 1].real
    made[:, -1] += 2 * side * plain[:, -2].real
    return made


def law_of(row: Any, powers: Any) -> tuple[int, float, tuple[float, float, float] | None] | None:
    """Returns the law by which a row is made of powers, as `power`, `factor` and `log` of `Placed`, or None
    if there is none."""
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
    return log_of(own, there, 2 * reach)


def log_of(own: Any, powers: Any, reach: float) -> tuple[int, float, tuple[float, float, float]] | None:
    """Returns the law by which loud elements are logarithms of powers or magnitudes, whichever fits better,
    or None if they are off by more than `reach`."""
    high = powers >= HIGH * powers.max()  # beside which a floor is nothing
    if high.sum() < FEWEST_HIGH or powers.max() <= APART * powers[high].min():
        return None
    low, found = int(own.argmin()), []
    for power in (2, 1):
        sizes = powers ** (power / 2)
        by, added = numpy.polyfit(numpy.log(sizes[high]), own[high], 1)
        if by <= 0:
            return None
        floor = max(0.0, float(numpy.exp((own[low] - added) / by) - sizes[low]))
        off = float(abs(by * numpy.log(sizes + floor) + added - own).max())
        found.append((off, power, (float(by), float(added), floor)))
    off, power, log = min(found)
    return (power, 1.0, log) if off <= reach else None


def places(row: Any, numbers: Any, way: Placed) -> Any:
    """Returns where among the next numbers a block begins that may be that of a row."""
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

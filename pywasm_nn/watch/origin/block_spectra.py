"""How rows of numbers are spectra of blocks of files: under which window, of which groups of frequencies, and
by which law, exactly.

What is here: `spectra_in`, also of sounds and for rows of which each has a file of its own. What is not:
spectra of many frames in one input (`spectral.py`), and what a model says of them (`whatif/of_spectra.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

from ...arrays import numpy
from ...records import Frozen, changed
from ..budget import Left, always
from .decoding import Source, decoded
from .kinds import SOUNDS
from .raw_places import numbers_in
from .spectra import BLACKMAN, HAMMING, HANN, NONE, window_of

TYPES = ("<i2", "<f4", ">i2", "<u2")
LENGTHS = 64, 128, 256, 400, 512, 640, 800, 1000, 1024, 2048, 4096
"""Usual lengths of blocks whose frequencies are taken in groups."""
EVEN = "Hann (both ends 0)"
WINDOWS = (HANN, NONE, EVEN, HAMMING, BLACKMAN)
MOST_FIRST, MOST_WIDE, MOST_SHARED = 2, 32, 24
"""From which frequency on groups begin at most, how many are in one, and how many others a row is looked for
in."""
TINY, EXACT, LOUD, LOWEST = 1e-18, 4e-3, 1e-8, 2
"""What programs add before a logarithm; how far powers may be from those of the file, as a part, where they
are at least so large a part of the largest one, from which frequency on."""
MOST_NUMBERS = 1 << 15
"""So many numbers are one spectrum at most."""
FEWEST = 8
"""So many powers are not like others by chance."""
FLOORS = 1e-3
"""A floor below this part of the least power isn't known."""
COUNTS = (0, 2, 3, 4, 5, 8, 10, 16)
MOST_BLOCKS = 64
"""The mean of logarithms is taken of so many blocks, of all (0) first, if these are no more than the most;
and that of powers of all, or of any number up to the most."""
CLEAR, FLOOR_RANGE, FLOOR_STEPS = 1e-3, (1e-12, 1.0), 2400
"""Magnitudes above this part of the largest tell by which law a row is made; and which floors, as parts of
the largest number, are tried."""
FALLS = 0.02
"""How far a row falls where powers rise, as a part of its range: `EXACT` is less by any law."""
Law = Callable[[Any], Any]
LAWS: dict[str, tuple[int, Law, Law]] = {
    "ln(1 + magnitude)": (1, numpy.log1p, numpy.expm1),
    "the magnitude": (1, lambda size: size, lambda row: row),
    "20 log10 of the magnitude, decibels": (
        2,
        lambda power: 10 * numpy.log10(power + TINY),
        lambda row: 10 ** (row / 10),
    ),
    "log10 of the power": (2, lambda power: numpy.log10(power + TINY), lambda row: 10**row),
    "ln(1 + power)": (2, numpy.log1p, numpy.expm1),
    "ln of the power": (2, lambda power: numpy.log(power + TINY), numpy.exp),
    "ln of the magnitude": (1, lambda size: numpy.log(size + TINY), numpy.exp),
    "log10 of the magnitude": (1, lambda size: numpy.log10(size + TINY), lambda row: 10**row),
    "the power": (2, lambda power: power, lambda row: row),
}
"""By what is said of a row, whether it is made of magnitudes (1) or powers (2), how, and these of it."""
PLAIN = frozenset({"the magnitude", "the power"})
"""Laws without a logarithm."""


class Way(Frozen):
    """How rows are spectra: of blocks [rows, length] of which file's numbers, or [rows, blocks, length], of
    which the mean is taken, under which window, of groups of how many frequencies from which one on (0: each
    for itself), by which law, by what powers were multiplied, and what was added to them then."""

    file: str
    blocks: Any
    window: str
    law: str
    first: int = 0
    wide: int = 0
    factor: float = 1.0
    floor: float = 0.0
    hop: int = 0
    """How far apart the blocks of a row are of which the mean is taken, if there is more than one."""
    misread: str = ""
    why: str = ""
    """How the numbers of a sound were misread, if they were, and a question about that, or the rate."""
    rate: int = 0
    """To how many samples a second the numbers of a sound were brought, if they were."""
    count: int = 0
    """Of how many blocks of a row the mean is taken (0: of all)."""
    is_of_logs: bool = False
    """Whether it is the mean of what the law gives of each block, and not of their powers."""

    @property
    def length(self) -> int:
        return int(self.blocks.shape[-1])

    def made(self, width: int) -> Any:
        """The rows in this way."""
        power, law, _ = LAWS[self.law]
        if self.is_of_logs:
            each = grouped(
                powers_of(self.blocks[..., None, :], self.window, power), self.first, self.wide, width
            )
            return law(self.factor * each + self.floor).mean(axis=-2)
        there = grouped(powers_of(self.blocks, self.window, power), self.first, self.wide, width)
        return law(self.factor * there + self.floor)


class Grouping(Frozen):
    """From which frequency on how many are in a group (0: each for itself)."""

    first: int
    wide: int


def powers_of(blocks: Any, window: str, power: int = 2) -> Any:
    """The powers (or magnitudes: 1) of blocks [rows, length], or the mean ones of [rows, blocks, length]."""
    length = blocks.shape[-1]
    turn = 2 * numpy.pi * numpy.arange(length) / max(1, length - 1)
    own = 0.5 - 0.5 * numpy.cos(turn) if window == EVEN else window_of(window, length)
    powers = abs(numpy.fft.rfft(blocks * own, axis=-1)) ** power
    return powers.mean(axis=-2) if blocks.ndim > 2 else powers


def sizes_of(block: Any, window: str) -> tuple[Any, Any]:
    """The magnitudes and the powers of a block, or the mean ones of several."""
    each = powers_of(block.reshape(-1, block.shape[-1]), window, 1)
    return each.mean(axis=0), (each**2).mean(axis=0)


def grouped(powers: Any, first: int, wide: int, width: int) -> Any:
    """The sums of groups of powers, or the first ones."""
    if not wide:
        return powers[..., :width]
    taken = powers[..., first : first + wide * width]
    return taken.reshape(*taken.shape[:-1], width, wide).sum(axis=-1)


def sounds_of(files: Sequence[tuple[str, bytes]]) -> Iterator[Source]:
    """The sounds of files, the last one first."""
    for name, data in list(reversed(files))[:MOST_SHARED]:
        source = decoded(name, data) if data[:4] in SOUNDS else None
        if source is not None and source.rate:
            yield source


def all_numbers(files: Sequence[tuple[str, bytes]]) -> list[tuple[str, Any]]:
    """The numbers of files, and the samples of sounds, the last file first."""
    sounds = [(one.name, one.array.astype("f8")) for one in sounds_of(files)]
    alone = [(name, own if own.ndim == 1 else own.mean(axis=1)) for name, own in sounds]
    return [*alone, *numbers_in(files, TYPES)]


def spectra_in(
    rows: Any, name: str, numbers: Any, others: Sequence[Any] = (), left: Left = always
) -> Way | None:
    """Returns how rows are spectra of blocks of numbers that follow one another from the first one on, or of
    those with which the others begin, or None if they aren't."""
    for length, groupings in shapes(rows.shape[1], len(numbers)):
        for hop in (0, length, length // 2) if left() else ():
            start = block_at(numbers, 0, Way(name, numbers[None, :length], NONE, "", hop=hop))
            if start is None:
                continue
            for window in WINDOWS:
                sizes = sizes_of(start, window)
                for one in groupings:
                    there = [grouped(each, one.first, one.wide, rows.shape[1]) for each in sizes]
                    if rows[0][LOWEST:].argmax() not in [each[LOWEST:].argmax() for each in there]:
                        continue
                    for law, factor, floor in laws_of(rows[0], there):
                        way = Way(name, start[None], window, law, one.first, one.wide, factor, floor, hop)
                        if (found := located(rows, way, numbers, others)) is not None:
                            return found
            if hop:
                whole = Way(name, start[None], NONE, "", hop=hop)
                for search in (of_first_in, of_logs_in):
                    if (found := search(rows, whole, numbers, others, groupings)) is not None:
                        return found
    return None


def of_first_in(
    rows: Any, whole: Way, numbers: Any, others: Sequence[Any], groupings: Sequence[Grouping]
) -> Way | None:
    """Returns how rows are made of the mean powers of the first few blocks, as of a program with a fixed
    number of them, or None if they aren't."""
    few = whole.blocks[0][:MOST_BLOCKS]
    for window in (HANN, NONE):
        plain = powers_of(few, window, 1)
        counts = numpy.arange(1, len(few) + 1)[:, None]
        for one in groupings:
            each = [grouped(size, one.first, one.wide, rows.shape[1]) for size in (plain, plain**2)]
            means = [sizes.cumsum(axis=0) / counts for sizes in each]
            is_whole = means[0].shape[1] == rows.shape[1]
            likely = {at for mean in means for at in alike(rows[0], mean).tolist()} if is_whole else set()
            for at in sorted(likely - {0}):
                for law, factor, floor in laws_of(rows[0], [mean[at] for mean in means]):
                    way = changed(whole, blocks=few[None, : at + 1], window=window, law=law, count=at + 1)
                    way = changed(way, first=one.first, wide=one.wide, factor=factor, floor=floor)
                    if (found := located(rows, way, numbers, others)) is not None:
                        return found
    return None


def alike(row: Any, powers: Any) -> Any:
    """Returns the places of those rows of powers that go up and down as a row does, where they are loud."""
    order = row.argsort()[::-1]
    order = order[order >= LOWEST]
    sorted_ = powers[:, order]
    loud = sorted_[:, 1:] >= LOUD * sorted_[:, :1]
    falls = sorted_[:, 1:] <= (1 + EXACT) * sorted_[:, :-1]
    are_sound = sorted_[:, 0] > 0
    return numpy.flatnonzero((falls | ~loud).all(axis=1) & (loud.sum(axis=1) >= FEWEST) & are_sound)


def of_logs_in(
    rows: Any, whole: Way, numbers: Any, others: Sequence[Any], groupings: Sequence[Grouping]
) -> Way | None:
    """Returns how rows are means of logarithms of several blocks, of the first ones or of all, or None if
    they aren't."""
    start = whole.blocks[0]
    few, highest = start[:MOST_BLOCKS], int(rows[0][LOWEST:].argmax())
    counts = [one for one in COUNTS if one <= len(few) and (one or len(few) == len(start))]
    for window in (HANN, NONE):
        plain = powers_of(few, window, 1)
        for power, one in product((2, 1), groupings):
            sizes = grouped(plain**power, one.first, one.wide, rows.shape[1])
            sums = numpy.log(sizes + TINY).cumsum(axis=0)[:, LOWEST:]
            for count in (one for one in counts if sums[one - 1].argmax() == highest):
                for law, factor, floor in mean_laws_of(rows[0], sizes[: count or None], power):
                    way = changed(
                        whole, blocks=few[None, : count or None], window=window, law=law, count=count
                    )
                    way = changed(way, first=one.first, wide=one.wide, factor=factor, floor=floor)
                    way = changed(way, is_of_logs=True)
                    if (found := located(rows, way, numbers, others)) is not None:
                        return found
    return None


def mean_laws_of(row: Any, sizes: Any, power: int) -> Iterator[tuple[str, float, float]]:
    """The laws by which a row is the mean of logarithms of magnitudes, or powers [blocks, width], times a
    factor and with a floor."""
    least, means = sizes.min(axis=0), numpy.log(sizes + TINY).mean(axis=0)
    loud = numpy.flatnonzero(least >= CLEAR**power * least[LOWEST:].max())
    loud = loud[loud >= LOWEST]
    if len(loud) < FEWEST or not goes_up(row[loud], means[loud]):
        return
    high, low = loud[least[loud].argmax()], loud[least[loud].argmin()]
    steps = (row[high] - row[low]) / (means[high] - means[low])
    for law, (of, made, _) in LAWS.items():
        by = float(made(numpy.e) - made(1.0))  # of each logarithm
        if of != power or law in PLAIN or made(0.0) == 0 or not 0 < steps <= (1 + FALLS) * by:
            continue
        factor = float(numpy.exp(row[high] / by - means[high]))
        quiet = LOWEST + int(means[LOWEST:].argmin())
        floors = numpy.concatenate([[0.0], numpy.geomspace(*FLOOR_RANGE, FLOOR_STEPS) * factor * sizes.max()])
        off = abs(made(factor * sizes[:, quiet] + floors[:, None]).mean(axis=1) - row[quiet])
        yield law, factor, float(floors[off.argmin()])


def shapes(width: int, most: int) -> Iterator[tuple[int, list[Grouping]]]:
    """Lengths of blocks with so many frequencies, each for itself or in groups, and the groups."""
    whole = {2 * width, 2 * (width - 1)}
    for length in (*sorted(whole, reverse=True), *(one for one in LENGTHS if one not in whole)):
        found = [Grouping(0, 0)] if length in whole else []
        for first in range(MOST_FIRST + 1) if length in LENGTHS else ():
            wide = min(MOST_WIDE, (length // 2 + 1 - first) // width)
            found += [Grouping(first, one) for one in range(wide, 0 if length not in whole else 1, -1)]
        if found and length <= most:
            yield length, found


def laws_of(row: Any, sizes: Sequence[Any]) -> list[tuple[str, float, float]]:
    """The laws by which a row has these magnitudes, or powers, times a factor, those without a floor first:
    near to one number any law is a straight line."""
    loud = numpy.flatnonzero(sizes[1] >= LOUD * sizes[1][LOWEST:].max())
    loud = loud[loud >= LOWEST]
    if len(loud) < FEWEST:
        return []
    found = []
    are_likely = [goes_up(row[loud], one[loud]) for one in sizes]
    for law, (power, _, back) in LAWS.items():
        if not are_likely[power - 1]:
            continue
        made, own = back(row[loud]), sizes[power - 1][loud]
        high, low = own.argmax(), own.argmin()
        factor = float((made[high] - made[low]) / (own[high] - own[low]))
        floor = float(made[low] - factor * own[low])
        floor = floor if floor > FLOORS * made[low] and law not in PLAIN else 0.0
        if not (numpy.isfinite(made).all() and factor > 0 and floor < factor * own[high]):
            continue
        if made.min() > 0 and (abs(factor * own + floor - made) <= EXACT * made).all():
            found.append((law, factor, floor))
    return sorted(found, key=lambda one: one[2] > 0)


def goes_up(row: Any, sizes: Any) -> bool:
    """Whether elements go up where magnitudes, or powers, do, as by every law: that is quickly seen."""
    own = row[sizes.argsort()]
    return bool((numpy.maximum.accumulate(own) - own).max() <= FALLS * numpy.ptp(own))


def located(rows: Any, way: Way, numbers: Any, others: Sequence[Any]) -> Way | None:
    """The same way for all rows, each of the block behind the one before, or of one with which other numbers
    begin; or None if one is none of these."""
    blocks, own, at, length = [way.blocks[0]], numbers, 0, way.length
    if not is_made(rows[0], way):
        return None
    for row in rows[1:]:
        behind = () if way.hop else ((own, at + length), (own, at + length // 2))
        for one, start in (*behind, *((other, 0) for other in others)):
            block = block_at(one, start, way)
            if block is not None and is_made(row, changed(way, blocks=block[None])):
                own, at = one, start
                blocks.append(block)
                break
        else:
            return None
    return changed(way, blocks=numpy.stack(blocks)) if len({one.shape for one in blocks}) == 1 else None


def block_at(numbers: Any, start: int, way: Way) -> Any:
    """Returns the block, or all of them, of numbers in the way of the first row, or None if there is none."""
    if not way.hop:
        block = numbers[start : start + way.length]
        return block if len(block) == way.length and block.any() else None
    if not way.length + way.hop <= len(numbers) <= MOST_NUMBERS:
        return None
    blocks = numpy.lib.stride_tricks.sliding_window_view(numbers, way.length)[:: way.hop]
    return blocks[: way.count or None] if way.count <= len(blocks) else None


def is_made(row: Any, way: Way) -> bool:
    """Whether a row is made in a way, but for frequencies that are hardly there."""
    powers = grouped(powers_of(way.blocks, way.window)[0], way.first, way.wide, len(row))
    made = way.made(len(row))[0]
    loud = powers >= LOUD * powers[LOWEST:].max()
    loud[:LOWEST] = False
    return bool(loud.sum() >= FEWEST and (abs(made - row)[loud] <= EXACT * max(1.0, abs(row).max())).all())

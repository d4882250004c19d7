"""Windows that are the beginning of a longer ring, sent as it lies in memory: newer samples, and behind them
older ones.

What is here: `Torn`, also of several files that are read one after the other, and of samples of several
channels in turns. What is not: rings of just the samples of a window, in one table (`rings.py`). Two windows
that are cut at different places must say the same of the ring: a window that is made of two parts of a series
on purpose, such as today and last week, is cut at one place. One that is whole says it, too, if the ring has
just its samples: it begins where the torn ones do, some rounds earlier or later. One that was whole by chance
may do so, and so two torn ones are needed then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..origin.raw_places import is_raw, places
from ..origin.straight import line_through
from .lines import columns_of
from .raw_windows import MOST_BYTES
from .rings import laid_out

FEWEST, FEWEST_OLDER, DIFFERENT = 16, 4, 4
"""The fewest samples of a window's newer and older part, and different ones in each."""
NEAR = 1e-4
"""How far samples may be from those of the file, as a part of their range."""
KINDS = ("<i2", ">i2", "<i4", "<f4", "u1")
MOST_FILES, MOST_SAMPLES, MOST_KEPT, LOOKS = 3, 1 << 12, 8, 12
"""The last files that are searched, the most samples of a window, the tears that are kept, and the windows
after which there is none if none of them was torn."""
MOST_JOINED = 16
"""Files that are taken for one series."""


class Tear(Frozen):
    """A window's newer samples, which are so many from number `newer` of a series on, and its older ones from
    number `older` on; the first is number 0."""

    cut: int
    newer: int
    older: int

    @property
    def ring(self) -> int:
        """The samples of the ring that has both where they are."""
        return self.newer + self.cut - self.older

    @property
    def is_whole(self) -> bool:
        """Whether the samples are in their order: none of them is behind an older one."""
        return not self.cut

    def agreeing(self, others: Sequence[Tear]) -> Tear | None:
        """A window that was cut elsewhere and comes from the same ring, or None if there is none, or if
        that one is whole and just this one was torn."""
        beside = [one for one in others if one.ring == self.ring and not (one.newer - self.newer) % self.ring]
        torn = {(one.newer, one.cut) for one in (self, *beside) if not one.is_whole}
        if self.is_whole or len(torn) < 2:
            return None
        return next((one for one in beside if one.cut != self.cut), None)


class Torn:
    """Gives a sentence after inputs."""

    def __init__(self) -> None:
        self._kept: dict[Any, list[Tear]] = {}
        """By input, samples, file and how that is read, the tears of windows."""
        self._ways: dict[Any, set[tuple[str, int]]] = {}
        """By input and samples, how files are read that have some of its windows."""
        self._whole: Counter[Any] = Counter()
        """By input, the windows before the first one that was torn."""

    def set(self, key: Any, array: Any, files: Sequence[tuple[str, bytes]]) -> tuple[str, str]:
        """Returns a file and what is wrong with windows of it, each "" if nothing is."""
        shown = next((one.astype("f8") for one in laid_out(array)), None)
        if shown is None or not FEWEST + FEWEST_OLDER <= len(shown) <= MOST_SAMPLES:
            return "", ""
        if self._whole[key] >= LOOKS or not numpy.isfinite(shown).all():
            return "", ""
        self._whole[key] += 1
        own, count = shown[:, 0], len(shown)
        if len(numpy.unique(own[:FEWEST])) < DIFFERENT:
            return "", ""
        ways = self._ways.setdefault((key, count), set())
        for name, way, numbers in in_turns([*series_in(files), *joined(files)], shown.shape[1]):
            found = tear_of(own, numbers) if not ways or way in ways else None
            if found is None:
                continue
            if not found.is_whole:
                self._whole[key] = 0
            kept = self._kept.setdefault((key, count, name, way), [])
            before = found.agreeing(kept)
            kept.append(found)
            del kept[:-MOST_KEPT]
            if before is not None:
                return name, told(found, before, count)
        ways.update(way for one, length, _, way in self._kept if (one, length) == (key, count))
        return "", ""


def told(found: Tear, before: Tear, count: int) -> str:
    there = "was whole, from its first place on" if before.is_whole else f"was cut so at sample {before.cut}"
    return (
        f"its first {found.cut} samples are numbers {found.newer + 1} to {found.newer + found.cut} of the "
        f"series, and the {count - found.cut} behind them numbers {found.older + 1} to "
        f"{found.older + count - found.cut}, older ones; another window {there}: a "
        f"ring of {found.ring} was sent from its first place in memory; a window has to begin with its "
        "oldest sample"
    )


def series_in(files: Sequence[tuple[str, bytes]]) -> Iterator[tuple[str, str, Any]]:
    """The numbers that files hold: their names, of which kind they are, and the numbers."""
    for name, data in [*reversed(files)][:MOST_FILES]:
        for kind in KINDS if is_raw(data) else ():
            width = numpy.dtype(kind).itemsize
            for start in range(min(width, 2)):
                body = data[start:MOST_BYTES]
                yield name, f"{kind} {start}", numpy.frombuffer(body[: len(body) // width * width], kind)
        for columns in columns_of([(name, data)]):
            yield from ((name, one.named, one.numbers) for one in columns)


def joined(files: Sequence[tuple[str, bytes]]) -> Iterator[tuple[str, str, Any]]:
    """The numbers of all files behind one another, in the order in which they were read: what they are called
    together, of which kind they are, and the numbers."""
    raw = [(name, data) for name, data in files if is_raw(data)]
    if 1 < len(raw) <= MOST_JOINED and sum(len(data) for _, data in raw) <= MOST_BYTES:
        body = b"".join(data for _, data in raw)
        for kind in KINDS:
            width = numpy.dtype(kind).itemsize
            numbers = numpy.frombuffer(body[: len(body) // width * width], kind)
            yield f"{raw[0][0]} and the files behind it", f"{kind} 0", numbers
    tables = [*columns_of([one for one in files if not is_raw(one[1])])]
    if 1 < len(tables) <= MOST_JOINED and len({len(one) for one in tables}) == 1:
        for columns in zip(*tables, strict=True):
            if len({one.heading for one in columns}) == 1:
                numbers = numpy.concatenate([one.numbers for one in columns])
                yield f"{columns[0].file} and the files behind it", columns[0].named, numbers


def in_turns(
    series: Sequence[tuple[str, str, Any]], channels: int
) -> Iterator[tuple[str, tuple[str, int], Any]]:
    """Series of numbers, and those of one channel of each where there are several: names of files, how they
    are read, and the numbers."""
    for name, kind, numbers in series:
        yield name, (kind, -1), numbers
        for first in range(channels) if channels > 1 else ():
            yield name, (kind, first), numbers[first::channels]


def tear_of(own: Any, numbers: Any) -> Tear | None:
    """Returns how a window is made of two parts of a series, perhaps scaled, of which the first is the newer
    one, or where it is whole, or None if neither is so."""
    if len(numbers) < FEWEST:
        return None
    with numpy.errstate(all="ignore"):
        numbers = numbers.astype("f8")
        found = [tear_at(newer, own, numbers) for newer, _ in places(own[:FEWEST], numbers, 1)]
    known = [one for one in found if one is not None]
    return next((one for one in known if one.is_whole), next(iter(known), None))


def tear_at(newer: int, own: Any, numbers: Any) -> Tear | None:
    """How a window that begins at a place of a series goes on with older numbers, or None if it doesn't. One
    that is whole there is what lies in its ring when the next sample comes to the first place."""
    there = numbers[newer : newer + len(own)]
    slope, height = line_through(there[:FEWEST], own[:FEWEST])
    room = NEAR * numpy.ptp(own)
    off = ~(abs(slope * there + height - own[: len(there)]) <= room)
    cut = int(off.argmax()) if off.any() else len(there)
    rest, before = own[cut:], slope * numbers[:newer] + height
    if not len(rest):
        return Tear(0, newer + len(own), newer)
    if len(rest) < FEWEST_OLDER or len(numpy.unique(rest)) < DIFFERENT:
        return None
    for older in numpy.flatnonzero(abs(before - rest[0]) <= room)[::-1].tolist():
        is_older = older + len(rest) <= newer and newer + cut - older >= len(own)
        if is_older and (abs(before[older : older + len(rest)] - rest) <= room).all():
            return Tear(cut, newer, older)
    return None

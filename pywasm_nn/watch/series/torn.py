"""Windows that are the beginning of a longer ring, sent as it lies in memory: newer samples, and behind them
older ones.

What is here: `Torn`. What is not: rings of just the samples of a window, in tables (`rings.py`). Two windows
that are cut at different places must say the same of the ring: a window that is made of two parts of a series
on purpose, such as today and last week, is cut at one place.
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

    def agrees(self, other: Tear) -> bool:
        """Whether another window was cut elsewhere and comes from the same ring."""
        is_same = self.ring == other.ring and not (self.newer - other.newer) % self.ring
        return is_same and self.cut != other.cut


class Torn:
    """Gives a sentence after inputs."""

    def __init__(self) -> None:
        self._kept: dict[Any, list[Tear]] = {}
        """By input, file and kind of numbers, the tears of windows."""
        self._whole: Counter[Any] = Counter()
        """By input, the windows before the first one that was torn."""

    def set(self, key: Any, array: Any, files: Sequence[tuple[str, bytes]]) -> tuple[str, str]:
        """Returns a file and what is wrong with windows of it, each "" if nothing is."""
        own = next((one[:, 0].astype("f8") for one in laid_out(array)), None)
        if own is None or not FEWEST + FEWEST_OLDER <= len(own) <= MOST_SAMPLES:
            return "", ""
        if self._whole[key] >= LOOKS or not numpy.isfinite(own).all():
            return "", ""
        self._whole[key] += 1
        for name, kind, numbers in series_in(files):
            found = tear_of(own, numbers)
            if found is None:
                continue
            self._whole[key] = 0
            kept = self._kept.setdefault((key, len(own), name, kind), [])
            kept.append(found)
            del kept[:-MOST_KEPT]
            if before := next((one for one in kept if one.agrees(found)), None):
                return name, told(found, before, len(own))
        return "", ""


def told(found: Tear, before: Tear, count: int) -> str:
    return (
        f"its first {found.cut} samples are numbers {found.newer + 1} to {found.newer + found.cut} of the "
        f"file, and the {count - found.cut} behind them numbers {found.older + 1} to "
        f"{found.older + count - found.cut}, older ones; another window was cut so at sample {before.cut}: a "
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


def tear_of(own: Any, numbers: Any) -> Tear | None:
    """Returns how a window is made of two parts of a series, perhaps scaled, of which the first is the newer
    one, or None if it isn't."""
    head = own[:FEWEST]
    if len(numbers) < FEWEST or len(numpy.unique(head)) < DIFFERENT:
        return None
    with numpy.errstate(all="ignore"):
        numbers = numbers.astype("f8")
        found = [tear_at(newer, own, numbers) for newer, _ in places(head, numbers, 1)]
    return next(filter(None, found), None) if all(one is None or one.older >= 0 for one in found) else None


def tear_at(newer: int, own: Any, numbers: Any) -> Tear | None:
    """How a window that begins at a place of a series goes on with older numbers; None if it doesn't, and
    with `older` below 0 if it is whole there."""
    there = numbers[newer : newer + len(own)]
    slope, height = line_through(there[:FEWEST], own[:FEWEST])
    room = NEAR * numpy.ptp(own)
    off = ~(abs(slope * there + height - own[: len(there)]) <= room)
    cut = int(off.argmax()) if off.any() else len(there)
    rest, before = own[cut:], slope * numbers[:newer] + height
    if not len(rest):
        return Tear(cut, newer, -1)
    if len(rest) < FEWEST_OLDER or len(numpy.unique(rest)) < DIFFERENT:
        return None
    for older in numpy.flatnonzero(abs(before - rest[0]) <= room)[::-1].tolist():
        is_older = older + len(rest) <= newer and newer + cut - older >= len(own)
        if is_older and (abs(before[older : older + len(rest)] - rest) <= room).all():
            return Tear(cut, newer, older)
    return None

"""Windows of whole numbers from a file of records behind a header that nobody knows: numbers of 16, 24 and 32
bits, in any byte order, that were read without their sign or in the other byte order, and windows whose
starts were counted in bytes.

What is here: `RawWindows`, which finds where a window's first column lies in the bytes of a file. What is
not: records that fill a file from its beginning on (`packed.py`), and tables (`rings.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from ...records import Frozen
from .rings import laid_out

FEWEST, DIFFERENT = 16, 8
"""The fewest elements of a window, and different ones among them."""
MOST_BYTES, MOST_APART, MOST_PLACES = 1 << 16, 24, 64
"""The most bytes of a file that are searched, the most from record to record, and the most places at which
two elements fit."""
LOOKS, FEWEST_WINDOWS = 64, 3
"""The most windows that are looked for, and the fewest that show how far apart they begin."""
STRAIGHT = 1e-5
"""How far elements may be from one factor, as a part of the largest one."""
NARROWER = 8.0
"""Numbers with their sign have a range at least so many times smaller than without it."""
SMOOTHER = 0.35
"""In the right byte order numbers differ from record to record by less than this part of what they do in the
other one."""
ORDERS = {"little": "<", "big": ">"}
OTHER = {"little": "big", "big": "little"}


class Kind(Frozen):
    """How a number lies in bytes."""

    width: int
    order: str
    signed: bool

    def read(self, octets: Any) -> Any:
        """The numbers that begin at each byte, as f64."""
        import numpy

        count = len(octets) - self.width + 1
        total = numpy.zeros(max(0, count))
        for place in range(self.width if count > 0 else 0):
            power = place if self.order == "little" else self.width - 1 - place
            total += octets[place : place + count].astype("f8") * 256.0**power
        top = 256.0**self.width
        return total - top * (total >= top / 2) if self.signed else total


KINDS = tuple(
    Kind(width, order, signed) for width in (2, 3, 4) for order in ORDERS for signed in (True, False)
)


class Place(Frozen):
    """Where the first element of a window lies in a file, how far apart its elements are, what they are, and
    by which factor they were multiplied."""

    file: str
    begins: int
    apart: int
    kind: Kind
    factor: float

    def of(self, octets: Any, order: str, *, is_signed: bool) -> Any:
        """The numbers of the file from this place on, in another order or with another sign."""
        return Kind(self.kind.width, order, is_signed).read(octets)[self.begins :: self.apart]


class RawWindows:
    """Gives sentences."""

    def __init__(self) -> None:
        self._places: dict[Any, list[Place]] = {}
        """By input, where each of its windows lies; nothing once one is nowhere."""
        self._done: set[Any] = set()
        self._numbers: dict[tuple[str, int, Kind], Any] = {}

    def set(self, key: Any, array: Any, files: Sequence[tuple[str, bytes]]) -> Iterator[str]:
        """An input was set; what its elements say of how the numbers of a file were read."""
        if key in self._done:
            return
        kept = self._places.setdefault((key, array.shape), [])
        files = [(name, data) for name, data in files if b"\0" in data[:MOST_BYTES]]
        column = next((one[:, 0] for one in laid_out(array)), None)
        if column is None or len(column) < FEWEST or len(kept) >= LOOKS or not files:
            return
        if not kept and not is_telling(column):
            return
        for name, data in reversed(files):
            found = [*self._found(column.astype("f8"), name, data, kept[:1])]
            if found:
                kept.append(found[0])
                if len(kept) == 1 and (said := misread(found, data)):
                    yield f"compared with {name}, {said}"
                return
        self._done.add(key)

    def _found(self, column: Any, name: str, data: bytes, like: Sequence[Place]) -> Iterator[Place]:
        """Where a column lies in a file; if a window before is known, only as that one does."""
        import numpy

        octets = numpy.frombuffer(data[:MOST_BYTES], "u1")
        for kind in KINDS if not like else [one.kind for one in like]:
            kept = name, len(data), kind
            if kept not in self._numbers:
                self._numbers[kept] = kind.read(octets)
            steps = [one.apart for one in like] or range(kind.width, MOST_APART + 1)
            for apart in steps:
                for begins, factor in places(column, self._numbers[kept], apart):
                    yield Place(name, begins, apart, kind, factor)

    def finish(self, files: Sequence[tuple[str, bytes]]) -> Iterator[str]:
        """What is wrong with where windows began, when the guest has ended."""
        lengths = {name: len(data) for name, data in files}
        for (key, shape), found in self._places.items():
            count = max(shape, default=0)
            if key in self._done or len({one.file for one in found}) != 1:
                continue
            if said := in_bytes(found, count, lengths.get(found[0].file, 0)):
                yield f"compared with {found[0].file}, {said}"


def is_telling(column: Any) -> bool:
    """Whether elements are nowhere by chance."""
    import numpy

    return bool(numpy.isfinite(column).all()) and len(numpy.unique(column)) >= DIFFERENT


def places(column: Any, numbers: Any, apart: int) -> Iterator[tuple[int, float]]:
    """The bytes at which a column begins whose elements are so many bytes apart, and its factor there."""
    import numpy

    last = len(numbers) - (len(column) - 1) * apart
    if last <= 0:
        return
    high, low = int(numpy.abs(column).argmax()), int(numpy.abs(column).argmin())
    one, other = numbers[high * apart :][:last], numbers[low * apart :][:last]
    room = STRAIGHT * numpy.abs(one * column[high])
    fits = (one != 0) & (numpy.abs(other * column[high] - one * column[low]) <= room)
    for begins in numpy.flatnonzero(fits)[:MOST_PLACES].tolist():
        there = numbers[begins : begins + len(column) * apart : apart]
        factor = float(column[high] / there[high])
        if factor > 0 and numpy.abs(column - factor * there).max() <= STRAIGHT * abs(column[high]):
            yield begins, factor


def misread(found: Sequence[Place], data: bytes) -> str:
    """What is wrong with the type as which numbers were read; "" if nothing is known to be. If they may lie
    in several places, it must be wrong of all."""
    import numpy

    octets = numpy.frombuffer(data[:MOST_BYTES], "u1")
    for wrong in (without_sign, in_other_order):
        said = [wrong(one, octets) for one in found]
        if all(said):
            return said[0]
    return ""


def without_sign(found: Place, octets: Any) -> str:
    """Signed numbers that were taken as unsigned."""
    import numpy

    if found.kind.signed:
        return ""
    own, turned = (found.of(octets, found.kind.order, is_signed=one) for one in (False, True))
    if len(numpy.unique(turned[turned < 0])) < DIFFERENT or numpy.ptp(own) < NARROWER * numpy.ptp(turned):
        return ""  # the largest number of all may stand for none, as in maps of distances
    at = int((turned < 0).argmax())
    return (
        f"its numbers of {8 * found.kind.width} bits are signed, from {turned.min():.0f} to "
        f"{turned.max():.0f}, and were read without their sign: {turned[at]:.0f} became {own[at]:.0f}"
    )


def in_other_order(found: Place, octets: Any) -> str:
    """Numbers whose bytes are in the opposite order."""
    other = OTHER[found.kind.order]
    own, turned = (
        min(rough(found.of(octets, order, is_signed=one)) for one in (False, True))
        for order in (found.kind.order, other)
    )
    if turned >= SMOOTHER * own:
        return ""
    return (
        f"its numbers of {8 * found.kind.width} bits were read as {found.kind.order}-endian; as "
        f"{other}-endian they go on smoothly from one to the next: are the bytes of each in the opposite "
        "order?"
    )


def rough(numbers: Any) -> float:
    """By how much numbers differ from those before."""
    import numpy

    return float(numpy.abs(numpy.diff(numbers)).mean()) if len(numbers) > 1 else 0.0


def in_bytes(found: Sequence[Place], count: int, length: int) -> str:
    """Windows that begin as many bytes apart as they have numbers, where that many records were meant."""
    if len(found) < FEWEST_WINDOWS or not count:
        return ""
    first = found[0]
    steps = {after.begins - before.begins for before, after in pairwise(found)}
    step = steps.pop() if len(steps) == 1 else 0
    records = -(-(length - first.begins) // first.apart)  # of the last one this may be its last field
    if step <= 0 or step % count or step >= count * first.apart or first.apart % (step // count):
        return ""
    if len(found) != records // count:
        return ""
    return (
        f"windows of {count} numbers, which lie {first.apart} bytes apart, begin only {step} bytes apart "
        f"({count * first.apart} are one window), so that all {len(found)} lie in its first "
        f"{len(found) * step} bytes: was the start counted in bytes in place of records?"
    )

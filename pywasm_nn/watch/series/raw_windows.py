"""Windows of whole numbers from a file of records behind a header that nobody knows: numbers of 16, 24 and 32
bits, in any byte order, that were read without their sign or in the other byte order, or are floats, and
windows whose starts were counted in bytes.

What is here: `RawWindows`, which finds where a window's first column lies in the bytes of a file. What is
not: records that fill a file from its beginning on (`packed.py`), and tables (`rings.py`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from ...arrays import numpy
from ...nn.formats import KNOWN
from ...records import Frozen, changed
from ..origin.raw_places import DIFFERENT, MOST_PLACES, is_raw, is_telling, places
from .as_floats import of_floats
from .edf import signals_in
from .packed import jumps_around, rough
from .rings import laid_out

FEWEST = 16
"""The fewest elements of a window."""
MOST_FILES, MOST_BYTES, MOST_APART = 4, 1 << 16, 24
"""The last files that are searched, the most bytes of each, and the most from record to record."""
LOOKS, FEWEST_WINDOWS = 64, 3
"""Of more windows nothing is said, and the fewest that show how far apart they begin."""
NARROWER = 8.0
"""Numbers with their sign have a range at least so many times smaller than without it."""
SMOOTHER = 0.35
"""In the right byte order numbers differ from record to record by less than this part of what they do in the
other one."""
NOISE, FAR_SMOOTHER = 0.5, 0.2
"""Numbers of noise differ by more than this part of their deviation, and those at the right distance by less
than this part of that."""
UNSIGNED = r"(?:[._-]|\b)u(?:int)?{}(?:[lb]e)?(?![a-z0-9])"
"""What names of files with unsigned numbers have."""
ORDERS = {"little": "<", "big": ">"}
OTHER = {"little": "big", "big": "little"}


class Kind(Frozen):
    """How a number lies in bytes."""

    width: int
    order: str
    signed: bool

    def read(self, octets: Any) -> Any:
        """The numbers that begin at each byte, as f64."""
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
    whether something was taken away from them."""

    file: str
    begins: int
    apart: int
    kind: Kind
    is_moved: bool

    def of(self, octets: Any, order: str, *, is_signed: bool) -> Any:
        """The numbers of the file from this place on, in another order or with another sign."""
        return Kind(self.kind.width, order, is_signed).read(octets)[self.begins :: self.apart]


class RawWindows:
    """Gives sentences."""

    def __init__(self) -> None:
        self._chains: dict[Any, list[list[Place]]] = {}
        """By input and shape, where each of its windows lies: in each way in which all of them do."""
        self._done: set[Any] = set()
        self._sent: Counter[Any] = Counter()
        """How many inputs of each shape were sent, also when there was no time to look at one."""
        self._numbers: dict[tuple[str, int, Kind], Any] = {}

    def sent(self, shape: Sequence[int]) -> None:
        """An input of a shape was sent."""
        self._sent[(*shape,)] += 1

    def set(self, key: Any, array: Any, files: Sequence[tuple[str, bytes]]) -> Iterator[str]:
        """An input was set; what its elements say of how the numbers of a file were read."""
        if key in self._done:
            return
        chains = self._chains.get((key, array.shape))
        files = [(name, data) for name, data in files if is_raw(data) and KNOWN.of_file(name) is None]
        column = next((one[:, 0] for one in laid_out(array)), None)
        if chains is None and column is not None and not column[0]:
            column = numpy.trim_zeros(column, "f")  # samples before the first ones
        if column is None or len(column) < FEWEST or not files:
            return
        if chains is not None:
            self._go_on(key, array.shape, column.astype("f8"), chains, dict(files))
            return
        for name, data in files[: -MOST_FILES - 1 : -1] if is_telling(column) else ():
            found = [*self._found(column.astype("f8"), name, data)]
            if found := [one for one in found if not one.is_moved] or found:
                self._chains[key, array.shape] = [[one] for one in found[:MOST_PLACES]]
                is_whole = len(column) == max(array.shape)
                if said := misread(found, data) or (is_whole and over_signals(found, len(column), data)):
                    yield f"compared with {name}, {said}"
                return
        self._done.add(key)

    def _go_on(
        self, key: Any, shape: Any, column: Any, chains: Sequence[list[Place]], files: Mapping[str, bytes]
    ) -> None:
        """Find the next window as those before it lie."""
        kept = []
        for chain in chains if len(chains[0]) < LOOKS else ():
            first = chain[0]
            numbers = self._read(first.file, files.get(first.file, b""), first.kind)
            begins = next((at for at, _ in places(column, numbers, first.apart)), -1)
            if begins >= 0:
                kept.append([*chain, changed(first, begins=begins)])
        if kept:
            self._chains[key, shape] = kept
        else:
            self._done.add(key)

    def _read(self, name: str, data: bytes, kind: Kind) -> Any:
        kept = name, len(data), kind
        if kept not in self._numbers:
            self._numbers[kept] = kind.read(numpy.frombuffer(data[:MOST_BYTES], "u1"))
        return self._numbers[kept]

    def _found(self, column: Any, name: str, data: bytes) -> Iterator[Place]:
        """Where a column lies in a file."""
        for kind in KINDS:
            numbers = self._read(name, data, kind)
            for apart in range(kind.width, MOST_APART + 1):
                for begins, is_moved in places(column, numbers, apart):
                    yield Place(name, begins, apart, kind, is_moved)

    def finish(self, files: Sequence[tuple[str, bytes]]) -> Iterator[str]:
        """Yields what is wrong with where windows began, when the guest has ended."""
        lengths = {name: len(data) for name, data in files}
        for (key, shape), chains in self._chains.items():
            said = [in_bytes(one, max(shape, default=0), lengths.get(one[0].file, 0)) for one in chains]
            are_all = self._sent.get(shape, len(chains[0])) == len(chains[0])
            if key not in self._done and are_all and all(said):
                yield f"compared with {chains[0][0].file}, {said[0]}"


def misread(found: Sequence[Place], data: bytes) -> str:
    """Returns what is wrong with the type as which numbers were read, or "" if nothing is. If they may lie in
    several places, it must be wrong of all."""
    octets = numpy.frombuffer(data[:MOST_BYTES], "u1")
    for wrong in (read_from_floats, without_sign, with_sign, in_other_order, at_another_distance):
        said = [wrong(one, octets) for one in found]
        if all(said):
            return said[0]
    return ""


def read_from_floats(found: Place, octets: Any) -> str:
    """Floats whose bytes were taken as whole numbers."""
    if (floats := of_floats(octets.tobytes(), found.begins)) is None:
        return ""
    return (
        f"its bytes are floats of {floats.bits} bits, from {floats.low:.3g} to {floats.high:.3g}, and were "
        "read as whole numbers"
    )


def without_sign(found: Place, octets: Any) -> str:
    """Signed numbers that were taken as unsigned."""
    if found.kind.signed:
        return ""
    own, turned = (found.of(octets, found.kind.order, is_signed=one) for one in (False, True))
    is_narrower = numpy.ptp(own) >= NARROWER * numpy.ptp(turned)
    is_wrong = is_narrower or jumps_around(own, turned, 256.0**found.kind.width)
    if len(numpy.unique(turned[turned < 0])) < DIFFERENT or not is_wrong:
        return ""  # the largest number of all may stand for none, as in maps of distances
    at = int((turned < 0).argmax())
    return (
        f"its numbers of {8 * found.kind.width} bits are signed, from {turned.min():.0f} to "
        f"{turned.max():.0f}, and were read without their sign: {turned[at]:.0f} became {own[at]:.0f}"
    )


def with_sign(found: Place, octets: Any) -> str:
    """Numbers that the file's name calls unsigned, and that were taken as signed."""
    bits = 8 * found.kind.width
    if not found.kind.signed or not re.search(UNSIGNED.format(bits), found.file, re.IGNORECASE):
        return ""
    own, turned = (found.of(octets, found.kind.order, is_signed=one) for one in (True, False))
    at = int((own < 0).argmax())
    return (
        f"its numbers of {bits} bits are unsigned by the file's name, up to {turned.max():.0f}, and were "
        f"read as signed: {turned[at]:.0f} became {own[at]:.0f}"
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


def at_another_distance(found: Place, octets: Any) -> str:
    """Numbers that are like noise, and at another distance go on smoothly."""
    numbers, apart = found.kind.read(octets), found.apart
    own = numbers[found.begins :: apart]
    if apart == found.kind.width or rough(own) < NOISE * own.std():
        return ""
    for other in range(found.kind.width + 1, MOST_APART + 1):
        there = numbers[found.begins :: other]
        if not other % apart or not apart % other or len(numpy.unique(there)) < DIFFERENT:
            continue
        if rough(there) < FAR_SMOOTHER * rough(own):
            return (
                f"numbers were read {apart} bytes apart from byte {found.begins} on, and are like noise; "
                f"{other} bytes apart they go on smoothly: has a record other fields, or has a struct in "
                "memory padding that the file lacks?"
            )
    return ""


def over_signals(found: Sequence[Place], count: int, data: bytes) -> str:
    """A window that goes on from a signal of a record into the next one (EDF)."""
    record = signals_in(data)
    place = found[0]
    if record is None or len(found) > 1 or place.apart != place.kind.width:
        return ""
    end = place.begins + (count - 1) * place.apart
    names = [record.signal_at(at) for at in range(place.begins, end + 1, place.apart)]
    others = [one for one in names if one and one != names[0]]
    if not names[0] or not others:
        return ""
    return (
        f"its records hold the samples of {len(record.names)} signals, one signal after the other, and the "
        f'window runs on from "{names[0]}" into "{others[0]}": the next samples of "{names[0]}" stand in the '
        "next record"
    )


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

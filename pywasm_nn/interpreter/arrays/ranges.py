"""How many rounds of a loop can be done at once: as many as the loop has, as are inside memory, and so that
no round reads what an earlier one of them stores. All of it is exact, with Python's integers."""

from __future__ import annotations

from math import gcd

from ...tuples import NamedTuple

ENDLESS = 1 << 64
SHORT = 16
"""So many rounds of a loop inside are looked at one by one."""


class Place(NamedTuple):
    """An access in all rounds: the first address, by how much each round changes it (of the outer loop, of
    the one inside), and the bytes of an access."""

    memory: int
    start: int
    strides: tuple[int, ...]
    width: int
    least: int
    """The address of a lower one would wrap."""

    def extent(self, rounds: tuple[int, ...]) -> tuple[int, int]:
        """The first byte, and the one behind the last."""
        low = high = self.start
        for stride, count in zip(self.strides, rounds, strict=True):
            if stride > 0:
                high += stride * (count - 1)
            else:
                low += stride * (count - 1)
        return low, high + self.width

    def around(self) -> Place:
        """The same in the outer loop alone."""
        return self._replace(strides=self.strides[:1])

    def moved(self, rounds: int) -> Place:
        """The same from a later round of the outer loop on."""
        return self._replace(start=self.start + rounds * self.strides[0])


def signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def lasting(symbol: str, is_signed: bool, bits: int, x: tuple[int, int], y: tuple[int, int]) -> int:
    """How many rounds a comparison of two values certainly holds, from the first one on. A value is what it
    is in the first round, and by how much each round changes it."""
    if symbol in (">", ">="):
        return lasting("<" if symbol == ">" else "<=", is_signed, bits, y, x)
    if symbol == "!=":
        apart, step = (x[0] - y[0]) & (1 << bits) - 1, signed(x[1] - y[1], bits)
        if not apart or not step:
            return ENDLESS if apart else 0
        way = apart if step < 0 else (1 << bits) - apart
        return -(-way // abs(step))
    low = -(1 << bits - 1) if is_signed else 0
    high = low + (1 << bits) - 1
    ends = []
    for start, step in (x, y):
        start = signed(start, bits) if is_signed else start & (1 << bits) - 1
        ends.append((start, signed(step, bits)))
    (a, a_step), (b, b_step) = ends
    gap = b - a + (symbol == "<=")
    if gap <= 0:
        return 0
    count = -(-gap // (a_step - b_step)) if a_step > b_step else ENDLESS
    for start, step in ends:
        if step:
            count = min(count, ((high - start) // step if step > 0 else (start - low) // -step) + 1)
    return count


def inside(place: Place, size: int, rounds: tuple[int, ...]) -> int:
    """How many rounds of the outer loop are inside a memory of this size."""
    low, high = place.extent((1, *rounds[1:]))
    if low < place.least or high > size:
        return 0
    stride = place.strides[0]
    if not stride:
        return rounds[0]
    return min(rounds[0], ((size - high) // stride if stride > 0 else (low - place.least) // -stride) + 1)


def clash(first: Place, second: Place, rounds: tuple[int, ...], least: int) -> int:
    """After how many rounds the second access may first share a byte with what the first one accessed, if
    that is at least `least`, which is 0 or 1; ENDLESS if never. Of two loops, 0 if ever."""
    if first.memory != second.memory:
        return ENDLESS
    same, way = first.strides == second.strides, first.start - second.start
    if same and apart(way, gcd(*first.strides), first.width, second.width):
        return ENDLESS
    low, high = first.extent(rounds)
    other_low, other_high = second.extent(rounds)
    if high <= other_low or other_high <= low:
        return ENDLESS
    if len(rounds) == 1:
        stride = first.strides[0] if rounds[0] > 1 else 0
        return clash_in_one(way, stride, first.width, second.width, rounds[0], least) if same else 0
    return ENDLESS if first.strides[0] == second.strides[0] and never(first, second, rounds, least) else 0


def apart(way: int, stride: int, width: int, other: int) -> bool:
    """Whether two accesses of these widths never meet that are `way` apart, but for multiples of a stride."""
    return bool(stride) and way % stride >= other and stride - way % stride >= width


def never(first: Place, second: Place, rounds: tuple[int, ...], least: int) -> bool:
    """Whether two accesses don't clash that each round of the outer of two loops moves alike."""
    outer, inside = first.strides[0], rounds[1:]
    rows = [Place(place.memory, place.start, place.strides[1:], place.width, 0) for place in (first, second)]
    (low, high), (other_low, other_high) = [row.extent(inside) for row in rows]
    if apart(low - other_low, abs(outer), high - low, other_high - other_low):
        return True
    if (rows[0].strides != rows[1].strides and rounds[1] > 1) or not outer:
        return False
    way, inner = first.start - second.start, first.strides[1]
    if rounds[1] <= SHORT:
        return all(
            clash_in_one(way - gap * inner, outer, first.width, second.width, rounds[0], int(gap < least))
            == ENDLESS
            for gap in range(1 - rounds[1], rounds[1])
        )
    if outer == inner * rounds[1]:
        met = clash_in_one(way, inner, first.width, second.width, rounds[0] * rounds[1], least)
        return met == ENDLESS
    width = max(first.width, second.width)
    small, large, count = (inner, outer, rounds[1]) if abs(inner) < abs(outer) else (outer, inner, rounds[0])
    once = abs(small) >= width and abs(large) >= abs(small) * (count - 1) + width
    return once and not way and bool(least)


def clash_in_one(way: int, stride: int, width: int, other: int, rounds: int, least: int) -> int:
    """The same for one loop: the accesses are `way` apart, of these widths, and each round moves both."""
    if not stride:
        return least if least < rounds else ENDLESS
    one, two = (way - other, way + width) if stride > 0 else (way + width, way - other)
    first = max(one // stride + 1, least)
    last = -(-two // stride) - 1
    return first if first <= min(last, rounds - 1) else ENDLESS

"""The laws of intervals: all intervals of small numbers, and every member of each."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.interpreter.compile.analysis.comparisons import MIRRORED, OPPOSITE, SYMBOLS
from pywasm_nn.interpreter.compile.forms.intervals import Interval, signed_interval

from ..conftest import examples

BITS = 4
HALF, ALL = 1 << BITS - 1, 1 << BITS
ANY = [Interval(lo, hi) for lo in range(-5, 6) for hi in range(lo, 6)]
NATURAL = [each for each in ANY if each.lo >= 0]
POSITIVE = [each for each in ANY if each.lo > 0]

Operation = Callable[[int, int], int]
Bound = Callable[[Interval, Interval], Interval]
OPERATIONS: dict[str, tuple[Operation, Bound, list[Interval], list[Interval]]] = {
    "plus": (operator.add, Interval.plus, ANY, ANY),
    "minus": (operator.sub, Interval.minus, ANY, ANY),
    "times": (operator.mul, Interval.times, ANY, ANY),
    "divided": (operator.floordiv, Interval.divided, NATURAL, POSITIVE),
    "modulo": (operator.mod, Interval.modulo, NATURAL, POSITIVE),
    "shifted left": (operator.lshift, Interval.shifted_left, ANY, NATURAL),
    "shifted right": (operator.rshift, Interval.shifted_right, ANY, NATURAL),
    "and, the first natural": (operator.and_, Interval.and_, NATURAL, ANY),
    "and, the second natural": (operator.and_, Interval.and_, ANY, NATURAL),
    "or": (operator.or_, Interval.or_, ANY, ANY),
    "xor": (operator.xor, Interval.or_, ANY, ANY),
}
EXACT = {"plus", "minus", "times"}
COMPARE = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq,
    "!=": operator.ne,
}  # fmt: skip


def members(interval: Interval) -> range:
    return range(interval.lo, interval.hi + 1)


def hull(values: Iterable[int]) -> Interval | None:
    found = list(values)
    return Interval(min(found), max(found)) if found else None


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_result_is_a_member(name: str) -> None:
    operation, bound, firsts, seconds = OPERATIONS[name]
    for x, y in product(firsts, seconds):
        made, real = bound(x, y), hull(operation(a, b) for a in members(x) for b in members(y))
        assert real is not None
        assert made.lo <= real.lo
        assert real.hi <= made.hi
        if name in EXACT or (x.lo == x.hi and y.lo == y.hi and name.startswith("shifted")):
            assert made == real


@examples(300)
@given(
    st.sampled_from(sorted(OPERATIONS)),
    st.tuples(st.integers(-(1 << 64), 1 << 64), st.integers(0, 3)),
    st.tuples(st.integers(0, 1 << 64), st.integers(0, 3)),
)
def test_large_results_are_members(name: str, first: tuple[int, int], second: tuple[int, int]) -> None:
    operation, bound, firsts, seconds = OPERATIONS[name]
    start, other = first[0], second[0]
    if firsts is NATURAL:
        start = abs(start)
    if "shifted" in name:
        other %= 64
    if seconds is POSITIVE:
        other += 1
    x, y = Interval(start, start + first[1]), Interval(other, other + second[1])
    made = bound(x, y)
    assert all(made.lo <= operation(a, b) <= made.hi for a in members(x) for b in members(y))


def test_join_is_the_least_that_has_both() -> None:
    for x, y in product(ANY, ANY):
        assert x.join(y) == y.join(x) == hull([*members(x), *members(y)])
        assert x.join(x) == x


@pytest.mark.parametrize("symbol", COMPARE)
def test_comparison_keeps_exactly_what_may_compare_so(symbol: str) -> None:
    for x, y in product(ANY, ANY):
        made = x.if_compared(symbol, y)
        real = hull(a for a in members(x) if any(COMPARE[symbol](a, b) for b in members(y)))
        assert made.is_empty if real is None else made == real


def test_mirrored_and_opposite_comparisons() -> None:
    assert set(COMPARE) == set(SYMBOLS.values()) == set(MIRRORED) == set(OPPOSITE)
    for symbol, a, b in product(COMPARE, range(3), range(3)):
        assert (
            COMPARE[symbol](a, b) == COMPARE[MIRRORED[symbol]](b, a) == (not COMPARE[OPPOSITE[symbol]](a, b))
        )


NUMBERS = [Interval(lo, hi) for lo in range(-HALF, ALL) for hi in range(lo, ALL)]


@pytest.mark.parametrize("signed", [False, True])
def test_kept_numbers_are_the_same_modulo_the_width(signed: bool) -> None:
    """Of numbers that are all signed or all unsigned, as comparisons have them."""
    found = 0
    for numbers in NUMBERS:
        if numbers.lo < 0 and numbers.hi >= HALF:
            continue
        kept = numbers.kept(BITS, signed)
        real = hull(held(value, signed) for value in members(numbers))
        found += kept is not None
        assert kept is None or kept == real
    assert found > len(NUMBERS) // 3


def held(value: int, signed: bool) -> int:
    """A number as a local holds it."""
    value %= ALL
    return value - ALL if signed and value >= HALF else value


def test_signed_interval_has_every_signed_value() -> None:
    for numbers in NUMBERS:
        made = signed_interval(numbers, BITS)
        assert all(made.lo <= held(value, True) <= made.hi for value in members(numbers))
        assert -HALF <= made.lo <= made.hi < HALF
        if numbers.hi < HALF or numbers.lo >= HALF:
            assert made == hull(held(value, True) for value in members(numbers))

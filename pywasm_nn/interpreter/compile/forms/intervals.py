"""Intervals: ranges of integers whose values aren't known yet.

What is here: `Interval` and its operations. The result of an operation contains the results for all members,
and is exact if possible (`tests/interpreter/test_compile_intervals.py` tries all intervals of small numbers).
There is no widening, because no analysis is repeated until a fixed point. What is not: operands, which also
have such bounds (`operands.py`), and the analyses (`lowering/known.py`, `analysis/`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, Protocol


class Bounded(Protocol):
    """An interval or an operand, which have the same bounds."""

    @property
    def lo(self) -> int: ...
    @property
    def hi(self) -> int: ...


class Interval(NamedTuple):
    """The integers from `lo` to `hi`, both included; empty if `lo` is greater."""

    lo: int
    hi: int

    @property
    def is_empty(self) -> bool:
        return self.lo > self.hi

    def join(self: Bounded, other: Bounded) -> Interval:
        """The smallest interval that contains both."""
        return interval((min(self.lo, other.lo), max(self.hi, other.hi)))

    # Operations of Python

    def plus(self: Bounded, other: Bounded) -> Interval:
        return interval((self.lo + other.lo, self.hi + other.hi))

    def minus(self: Bounded, other: Bounded) -> Interval:
        return interval((self.lo - other.hi, self.hi - other.lo))

    def times(self: Bounded, other: Bounded) -> Interval:
        ends = [x * y for x in (self.lo, self.hi) for y in (other.lo, other.hi)]
        return interval((min(ends), max(ends)))

    def divided(self: Bounded, other: Bounded) -> Interval:
        """Quotients; neither has negative numbers."""
        return interval((0, self.hi // max(other.lo, 1)))

    def modulo(self: Bounded, other: Bounded) -> Interval:
        """Remainders; neither has negative numbers."""
        return interval((0, min(max(other.hi - 1, 0), self.hi)))

    def shifted_left(self: Bounded, by: Bounded) -> Interval:
        """`by` has no negative numbers."""
        if by.lo == by.hi:
            return interval((self.lo << by.lo, self.hi << by.lo))
        return interval((min(self.lo << by.hi, 0), max(self.hi << by.hi, 0)))

    def shifted_right(self: Bounded, by: Bounded) -> Interval:
        """`by` has no negative numbers."""
        if by.lo == by.hi:
            return interval((self.lo >> by.lo, self.hi >> by.lo))
        return interval((min(self.lo, 0), max(self.hi, 0)))

    def and_(self: Bounded, other: Bounded) -> Interval:
        """At least one of the two has no negative numbers."""
        if self.lo >= 0 and other.lo >= 0:
            return interval((0, min(self.hi, other.hi)))
        return interval((0, self.hi if self.lo >= 0 else other.hi))

    def or_(self: Bounded, other: Bounded) -> Interval:
        """For `|` and `^`."""
        size = max(self.hi, other.hi, ~self.lo, ~other.lo).bit_length()
        return interval((-(1 << size) if self.lo < 0 or other.lo < 0 else 0, (1 << size) - 1))

    # Conclusions from comparisons

    def if_compared(self, symbol: str, other: Bounded) -> Interval:
        """The members for which the comparison with a member of the other may be true; empty if there are
        none."""
        lo, hi = other.lo, other.hi
        match symbol:
            case "<":
                return interval((self.lo, min(self.hi, hi - 1)))
            case "<=":
                return interval((self.lo, min(self.hi, hi)))
            case ">":
                return interval((max(self.lo, lo + 1), self.hi))
            case ">=":
                return interval((max(self.lo, lo), self.hi))
            case "==":
                return interval((max(self.lo, lo), min(self.hi, hi)))
        if lo == hi:  # the excluded number is removed if it is at an end
            return interval((self.lo + (self.lo == lo), self.hi - (self.hi == lo)))
        return self

    # Integers of a width

    def kept(self, bits: int, signed: bool) -> Interval | None:
        """The interval of these numbers in a local that is kept signed or unsigned; None if they form no
        interval there."""
        lo, hi = self
        half = 1 << bits - 1
        if (lo >= 0 and hi < half) or (signed and lo >= -half and hi < half) or (not signed and lo >= 0):
            return self
        if signed and lo >= half:
            return interval((lo - 2 * half, hi - 2 * half))
        if not signed and hi < 0:
            return interval((lo + 2 * half, hi + 2 * half))
        return None


interval: Callable[[tuple[int, int]], Interval] = partial(tuple.__new__, Interval)
"""Creates an interval in a third of the time of `Interval(...)`, which calls a function of Python."""


def signed_interval(held: Bounded, bits: int) -> Interval:
    """The signed values of integers that may be held signed or unsigned."""
    half = 1 << bits - 1
    if -half <= held.lo and held.hi < half:
        return interval((held.lo, held.hi))
    if held.lo >= half and held.hi < 2 * half:
        return interval((held.lo - 2 * half, held.hi - 2 * half))
    return interval((-half, half - 1))

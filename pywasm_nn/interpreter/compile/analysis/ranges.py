"""What a comparison tells about what is compared, once its result is known.

What is here: ranges of integers and nothing of instructions. What is not: when something is learned
(`lowering/control.py`, `forecast.py`).
"""

from __future__ import annotations

from ..forms.integers import MASK
from ..forms.operands import Facts, Operand
from .comparisons import MIRRORED, OPPOSITE

Range = tuple[int, int]


def implied(symbol: str, lo: int, hi: int, least: int, most: int) -> tuple[int, int]:
    """The range of x in `least .. most` if it compares so with something in `lo .. hi`; empty if it can't."""
    match symbol:
        case "<":
            return least, min(most, hi - 1)
        case "<=":
            return least, min(most, hi)
        case ">":
            return max(least, lo + 1), most
        case ">=":
            return max(least, lo), most
        case "==":
            return max(least, lo), min(most, hi)
    if lo == hi:  # not equal to one that is at an end
        return least + (least == lo), most - (most == lo)
    return least, most


def as_kept(range_: tuple[int, int], bits: int, signed: bool) -> tuple[int, int] | None:
    """A range of numbers as that of a local that is kept signed or not; None if it isn't one there."""
    lo, hi = range_
    half = 1 << bits - 1
    if (lo >= 0 and hi < half) or (signed and lo >= -half and hi < half) or (not signed and lo >= 0):
        return range_
    if signed and lo >= half:
        return lo - 2 * half, hi - 2 * half
    if not signed and hi < 0:
        return lo + 2 * half, hi + 2 * half
    return None


def facts_of(
    symbol: str, x: Operand, y: Operand, x_range: Range, y_range: Range, bits: int
) -> tuple[Facts, Facts]:
    """What is known of the locals that two operands are if they compare so, and if they don't. The ranges are
    those of the numbers that are compared."""
    if_true: Facts = ()
    if_false: Facts = ()
    if x.local >= 0 and not x.known:
        if_true = fact_of(symbol, x, x_range, y_range, bits)
        if_false = fact_of(OPPOSITE[symbol], x, x_range, y_range, bits)
    if y.local >= 0 and not y.known:
        symbol = MIRRORED[symbol]
        if_true += fact_of(symbol, y, y_range, x_range, bits)
        if_false += fact_of(OPPOSITE[symbol], y, y_range, x_range, bits)
    return if_true, if_false


def fact_of(symbol: str, operand: Operand, own: Range, other: Range, bits: int) -> Facts:
    """What is known of the local that an operand is if it compares so with something in a range."""
    range_ = implied(symbol, *other, *own)
    if range_ == own or range_[0] > range_[1]:
        return ()
    kept = as_kept(range_, bits, operand.lo < 0)
    return () if kept is None else ((operand.local, *kept),)


def signed_range(operand: Operand, bits: int) -> tuple[int, int]:
    """The range of an operand's signed value."""
    half = 1 << bits - 1
    if -half <= operand.lo and operand.hi < half:
        return operand.lo, operand.hi
    if operand.lo >= half and operand.hi <= MASK[bits]:
        return operand.lo - 2 * half, operand.hi - 2 * half
    return -half, half - 1


def meanings(operand: Operand) -> tuple[Facts, Facts]:
    """What is known if a condition is true, and if it isn't."""
    if operand.local < 0 or operand.lo < 0:
        return operand.facts
    return ((operand.local, max(operand.lo, 1), operand.hi),), ((operand.local, 0, 0),)

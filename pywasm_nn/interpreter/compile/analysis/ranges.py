"""Conclusions from the result of a comparison about its operands.

What is here: ranges of integers, independent of instructions. What is not: when the conclusions are drawn
(`lowering/control.py`, `forecast.py`).
"""

from __future__ import annotations

from ..forms.intervals import Interval
from ..forms.operands import Facts, Operand
from .comparisons import MIRRORED, OPPOSITE


def facts_of(
    symbol: str, x: Operand, y: Operand, x_range: Interval, y_range: Interval, bits: int
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


def fact_of(symbol: str, operand: Operand, own: Interval, other: Interval, bits: int) -> Facts:
    """Facts about the local in an operand if its comparison with a value in a range is true."""
    range_ = own.if_compared(symbol, other)
    if range_ == own or range_.is_empty:
        return ()
    kept = range_.kept(bits, operand.lo < 0)
    return () if kept is None else ((operand.local, *kept),)


def meanings(operand: Operand) -> tuple[Facts, Facts]:
    """Facts if a condition is true, and if it is false."""
    if operand.local < 0 or operand.lo < 0:
        return operand.facts
    return ((operand.local, max(operand.lo, 1), operand.hi),), ((operand.local, 0, 0),)

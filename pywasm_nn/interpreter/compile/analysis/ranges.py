"""Conclusions from the result of a comparison about its operands.

What is here: ranges of integers, independent of instructions. What is not: when the conclusions are drawn
(`lowering/control.py`, `forecast.py`).
"""

from __future__ import annotations

from functools import lru_cache

from ..forms.intervals import Interval, interval, signed_interval
from ..forms.operands import NO_FACTS, Facts, Operand
from .comparisons import MIRRORED, OPPOSITE


def facts_of(symbol: str, x: Operand, y: Operand, bits: int, signed: bool) -> tuple[Facts, Facts]:
    """Facts about the locals in two operands if the comparison is true, and if it is false. `signed`: their
    signed values are compared."""
    if x.local < 0 and y.local < 0:
        return NO_FACTS
    if signed:
        x_range, y_range = signed_interval(x, bits), signed_interval(y, bits)
    else:
        x_range, y_range = interval((x.lo, x.hi)), interval((y.lo, y.hi))
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
    kept = learned(symbol, own, other, bits, operand.lo < 0)
    return () if kept is None else ((operand.local, *kept),)


@lru_cache(1024)  # most comparisons of a program have the same few ranges
def learned(symbol: str, own: Interval, other: Interval, bits: int, signed: bool) -> Interval | None:
    """The range of a local, kept signed or unsigned, if its comparison with a value in a range is true; None
    if that says nothing new."""
    range_ = own.if_compared(symbol, other)
    return None if range_ == own or range_.is_empty else range_.kept(bits, signed)


def meanings(operand: Operand) -> tuple[Facts, Facts]:
    """Facts if a condition is true, and if it is false."""
    if operand.local < 0 or operand.lo < 0:
        return operand.facts
    return ((operand.local, max(operand.lo, 1), operand.hi),), ((operand.local, 0, 0),)

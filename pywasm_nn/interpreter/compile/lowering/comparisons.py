"""Comparisons of integers (https://webassembly.github.io/spec/core/exec/numerics.html#integer-operations),
and what they tell about the locals they compare."""

from __future__ import annotations

from typing import Any

from ...instructions import Op
from ..analysis.comparisons import INTEGER, MIRRORED
from ..analysis.ranges import facts_of, meanings, signed_range
from ..forms.operands import (
    BOOL,
    IN_CHOICE,
    IN_TEST,
    MASK,
    SMALL,
    SUM,
    TEST,
    Facts,
    Operand,
    canonical,
    fits_signed,
    signed,
)
from .emitter import Emitter, translates
from .integers import bits_of, combined, derived


@translates("i32.eqz", "i64.eqz")
def eqz(e: Emitter, op: Op, imm: Any) -> None:
    bits = bits_of(op)
    x = e.stack.pop()
    if x.lo < -MASK[bits] or x.hi > MASK[bits]:
        x = canonical(x, bits)
    opposite = derived(f"not {x.within(IN_CHOICE)}", 0, 1, x, BOOL)
    if_true, if_false = meanings(x)
    opposite.facts = if_false, if_true
    e.push(opposite)


@translates("i32.eq", "i64.eq", "i32.ne", "i64.ne")
def eq(e: Emitter, op: Op, imm: Any) -> None:
    bits = bits_of(op)
    y, x = e.stack.pop(), e.stack.pop()
    if min(x.lo, y.lo) < 0 and can_be_signed(x, bits) and can_be_signed(y, bits):
        x, y = signed(x, bits), signed(y, bits)
    else:
        x, y = canonical(x, bits), canonical(y, bits)
    compared(e, INTEGER[op.name][0], x, y, bits)


def can_be_signed(operand: Operand, bits: int) -> bool:
    """Whether the signed value is at hand."""
    return operand.known or fits_signed(operand, bits)


def compared(e: Emitter, symbol: str, x: Operand, y: Operand, bits: int) -> None:
    """Push a comparison of the numbers that two operands are."""
    text = f"{x.within(IN_TEST)} {symbol} {y.within(IN_TEST)}"
    push_test(e, text, x, y, facts_of(symbol, x, y, (x.lo, x.hi), (y.lo, y.hi), bits), TEST)


def push_test(
    e: Emitter, text: str, x: Operand, y: Operand, facts: tuple[Facts, Facts], flags: int = 0
) -> None:
    test = combined(text, 0, 1, x, y, flags | BOOL)
    test.facts = facts
    e.push(test)


@translates(*(name for name in INTEGER if name.endswith("_u")))
def compare_unsigned(e: Emitter, op: Op, imm: Any) -> None:
    bits = bits_of(op)
    y, x = canonical(e.stack.pop(), bits), canonical(e.stack.pop(), bits)
    compared(e, INTEGER[op.name][0], x, y, bits)


@translates(*(name for name, (_, is_signed) in INTEGER.items() if is_signed))
def compare_signed(e: Emitter, op: Op, imm: Any) -> None:
    """Signed comparison of unsigned values: the halves of the range change places."""
    bits = bits_of(op)
    symbol, half = INTEGER[op.name][0], 1 << bits - 1
    y, x, flags = e.stack[-1], e.stack[-2], 0
    facts = facts_of(symbol, x, y, signed_range(x, bits), signed_range(y, bits), bits)
    one_is = signed_is_nearer(x, bits) or signed_is_nearer(y, bits)
    if y.known or one_is:
        y = signed(y, bits)
    if x.known or one_is:
        x = signed(x, bits)
    if fits_signed(x, bits) and fits_signed(y, bits):
        text, flags = f"{x.within(IN_TEST)} {symbol} {y.within(IN_TEST)}", TEST
    elif y.known:
        x = canonical(x, bits)
        text = against_constant(x.within(IN_TEST), symbol, y.lo, half)
    elif x.known:
        y = canonical(y, bits)
        text = against_constant(y.within(IN_TEST), MIRRORED[symbol], x.lo, half)
    elif x.lo >= 0 and x.hi < half:
        y = canonical(y, bits)
        text = against_nonnegative(y.within(IN_TEST), MIRRORED[symbol], x.within(IN_TEST), half)
    elif y.lo >= 0 and y.hi < half:
        x = canonical(x, bits)
        text = against_nonnegative(x.within(IN_TEST), symbol, y.within(IN_TEST), half)
    else:
        top = len(e.stack) - 1
        x, y = e.bind_canonical(top - 1, bits), e.bind_canonical(top, bits)
        x = e.stack[top - 1]
        either = f"({x.text} {symbol} {y.text}) is (({x.text} < {half}) is ({y.text} < {half}))"
        text = f"{x.text} {symbol} {y.text} if {x.text} <= {SMALL} and {y.text} <= {SMALL} else {either}"
    e.stack.pop()
    e.stack.pop()
    push_test(e, text, x, y, facts, flags)


def signed_is_nearer(operand: Operand, bits: int) -> bool:
    """Whether making a text signed takes no more than making it unsigned."""
    return operand.lo < 0 and (fits_signed(operand, bits) or bool(operand.flags & SUM))


def against_constant(x: str, symbol: str, value: int, half: int) -> str:
    """Compare a canonical term, used once, with a signed constant."""
    if symbol in ("<", ">="):  # as <= and > of the value before
        if value == -half:
            return f"{x} < 0" if symbol == "<" else f"{x} >= 0"
        symbol, value = ("<=", value - 1) if symbol == "<" else (">", value - 1)
    if value == -1:
        return f"{x} >= {half}" if symbol == "<=" else f"{x} < {half}"
    if value >= 0:  # greater: above it and not in the negative half
        text = f"{value} < {x} < {half}"
        return text if symbol == ">" else f"not {text}"
    text = f"{half} <= {x} <= {value + 2 * half}"  # less or equal: in the negative half and not above it
    return text if symbol == "<=" else f"not {text}"


def against_nonnegative(x: str, symbol: str, value: str, half: int) -> str:
    """Compare a canonical term, used once, with one that is in the positive half."""
    if symbol in (">", ">="):
        return f"{value} {MIRRORED[symbol]} {x} < {half}"
    return f"not {value} {'<=' if symbol == '<' else '<'} {x} < {half}"

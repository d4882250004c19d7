"""Comparisons of integers (https://webassembly.github.io/spec/core/exec/numerics.html#integer-operations),
and the facts about locals that follow from them."""

from __future__ import annotations

from typing import Any

from ...instructions import OPS, Op
from ..analysis.comparisons import INTEGER, MIRRORED
from ..analysis.ranges import facts_of, meanings
from ..forms.integers import MASK, SMALL, canonical, fits_signed, signed
from ..forms.operands import BOOL, NEAR, ZERO, Operand, chain, chosen, compared, joined, number, unary
from .emitter import Emitter, translates
from .integers import bits_of


@translates("i32.eqz", "i64.eqz")
def eqz(e: Emitter, op: Op, imm: Any) -> None:
    bits = bits_of(op)
    x = e.stack.pop()
    if x.lo < -MASK[bits] or x.hi > MASK[bits]:
        x = canonical(x, bits)
    opposite = unary("not", x)
    if_true, if_false = meanings(x)
    opposite.facts = if_false, if_true
    e.stack.push(opposite)


@translates("i32.eq", "i64.eq", "i32.ne", "i64.ne")
def eq(e: Emitter, op: Op, imm: Any) -> None:
    bits = bits_of(op)
    y, x = e.stack.pop(), e.stack.pop()
    if min(x.lo, y.lo) < 0 and can_be_signed(x, bits) and can_be_signed(y, bits):
        x, y = signed(x, bits), signed(y, bits)
    else:
        x, y = canonical(x, bits), canonical(y, bits)
    push_comparison(e, INTEGER[op.name][0], x, y, bits)


def can_be_signed(operand: Operand, bits: int) -> bool:
    """Whether the signed value is available without conversion."""
    return operand.known or fits_signed(operand, bits)


def push_comparison(e: Emitter, symbol: str, x: Operand, y: Operand, bits: int) -> None:
    """Push a comparison of two operands' numbers."""
    test = compared(symbol, x, y)
    test.facts = facts_of(symbol, x, y, bits, signed=False)
    e.stack.push(test)


@translates(*(name for name in INTEGER if OPS[name].sign == "u"))
def compare_unsigned(e: Emitter, op: Op, imm: Any) -> None:
    bits = bits_of(op)
    y, x = canonical(e.stack.pop(), bits), canonical(e.stack.pop(), bits)
    push_comparison(e, INTEGER[op.name][0], x, y, bits)


@translates(*(name for name, (_, is_signed) in INTEGER.items() if is_signed))
def compare_signed(e: Emitter, op: Op, imm: Any) -> None:
    """Signed comparison of unsigned values: the two halves of the range are exchanged."""
    bits = bits_of(op)
    symbol = INTEGER[op.name][0]
    y, x = e.stack[-1], e.stack[-2]
    facts = facts_of(symbol, x, y, bits, signed=True)
    one_is = signed_is_nearer(x, bits) or signed_is_nearer(y, bits)
    if y.known or one_is:
        y = signed(y, bits)
    if x.known or one_is:
        x = signed(x, bits)
    if fits_signed(x, bits) and fits_signed(y, bits):
        test = compared(symbol, x, y)
    else:
        test = mixed(e, symbol, x, y, bits)
    e.stack.pop()
    e.stack.pop()
    test.facts = facts
    e.stack.push(test)


def mixed(e: Emitter, symbol: str, x: Operand, y: Operand, bits: int) -> Operand:
    """A signed comparison of the two top operands, which aren't both signed numbers."""
    half = 1 << bits - 1
    if y.known:
        return against_constant(canonical(x, bits), symbol, y.lo, half)
    if x.known:
        return against_constant(canonical(y, bits), MIRRORED[symbol], x.lo, half)
    if x.lo >= 0 and x.hi < half:
        return against_nonnegative(canonical(y, bits), MIRRORED[symbol], x, half)
    if y.lo >= 0 and y.hi < half:
        return against_nonnegative(canonical(x, bits), symbol, y, half)
    return of_any(e, symbol, bits)


def of_any(e: Emitter, symbol: str, bits: int) -> Operand:
    """A signed comparison of the two top operands without facts about them: usually both are small."""
    top, half, small = len(e.stack) - 1, number(1 << bits - 1), number(SMALL)
    e.stack.bind_canonical(top - 1, bits)
    y = e.stack.bind_canonical(top, bits)
    x = e.stack[top - 1]
    same_half = compared("is", compared("<", x, half), compared("<", y, half))
    both_small = joined("and", [compared("<=", x, small), compared("<=", y, small)])
    return chosen(
        both_small, compared(symbol, x, y), compared("is", compared(symbol, x, y), same_half), 0, 1, BOOL
    )


def signed_is_nearer(operand: Operand, bits: int) -> bool:
    """Whether converting an operand to signed costs no more than converting it to unsigned."""
    return operand.lo < 0 and (fits_signed(operand, bits) or bool(operand.flags & NEAR))


def against_constant(x: Operand, symbol: str, value: int, half: int) -> Operand:
    """Compare a canonical operand, used once, with a signed constant."""
    if symbol in ("<", ">="):  # the same as <= and > with the value before
        if value == -half:
            return compared("<" if symbol == "<" else ">=", x, ZERO)
        symbol, value = ("<=", value - 1) if symbol == "<" else (">", value - 1)
    if value == -1:
        return compared(">=" if symbol == "<=" else "<", x, number(half))
    if value >= 0:  # greater: above it and not in the negative half
        test = chain(number(value), ("<", x), ("<", number(half)))
        return test if symbol == ">" else unary("not", test)
    # less or equal: in the negative half and not above it
    test = chain(number(half), ("<=", x), ("<=", number(value + 2 * half)))
    return test if symbol == "<=" else unary("not", test)


def against_nonnegative(x: Operand, symbol: str, value: Operand, half: int) -> Operand:
    """Compare a canonical operand, used once, with one that is in the positive half."""
    if symbol in (">", ">="):
        return chain(value, (MIRRORED[symbol], x), ("<", number(half)))
    return unary("not", chain(value, ("<=" if symbol == "<" else "<", x), ("<", number(half))))

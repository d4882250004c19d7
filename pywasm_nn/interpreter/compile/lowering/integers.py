"""Integer instructions whose cell can be bettered by knowing ranges
(https://webassembly.github.io/spec/core/exec/numerics.html#integer-operations)."""

from __future__ import annotations

from typing import Any

from ...instructions import Op
from ...types import I64
from ..forms.operands import (
    AND,
    ATOM,
    BOOL,
    EFFECTS,
    IN_AND,
    IN_OR,
    IN_PRODUCT,
    IN_SHIFT,
    IN_SUM,
    IN_TEST,
    IN_XOR,
    LARGE_FACTOR,
    LOW,
    MASK,
    OR,
    PRODUCT,
    SHIFT,
    SMALL,
    SMALL_STEP,
    SUM,
    XOR,
    Operand,
    canonical,
    constant,
    fits_signed,
    signed,
)
from .emitter import Emitter, paste_cell, translates

WIDE = {32: 1 << 60, 64: 1 << 90}
"""Lazy sums and products beyond this are masked: larger ints are slower than a mask."""
SMALL_SHIFT = 15
"""Multiplying by a power of two is faster than shifting up to here."""


def bits_of(op: Op) -> int:
    """Width of a row's first operand."""
    return 64 if op.params and op.params[0] is I64 else 32


def combined(text: str, lo: int, hi: int, x: Operand, y: Operand, flags: int = 0) -> Operand:
    """An operand whose text contains those of two others."""
    flags |= (x.flags | y.flags) & EFFECTS
    depth = x.depth if x.depth > y.depth else y.depth
    return Operand(text, lo, hi, flags, x.reads | y.reads, depth + 1)


def derived(text: str, lo: int, hi: int, x: Operand, flags: int = 0) -> Operand:
    """An operand whose text contains that of another."""
    return Operand(text, lo, hi, flags | x.flags & EFFECTS, x.reads, x.depth + 1)


@translates("i32.const", "i64.const")
def const(e: Emitter, op: Op, imm: Any) -> None:
    e.push_atom(constant(imm))


@translates("i32.add", "i64.add", "i32.sub", "i64.sub")
def add(e: Emitter, op: Op, imm: Any) -> None:
    bits = bits_of(op)
    mask, wide = MASK[bits], WIDE[bits]
    y, x = e.stack.pop(), e.stack.pop()
    minus = op.name.endswith("sub")
    if y.lo > mask >> 1 and y.known:
        y, minus = constant((mask + 1 - y.lo) & mask), not minus
    if x.lo == x.hi and not minus and x.known:
        x, y = y, x
    by_constant = y.lo == y.hi and y.known
    if by_constant and x.base is not None:
        total = x.plus - y.lo if minus else x.plus + y.lo
        x, y, minus = x.base, constant(abs(total)), total < 0
    if by_constant and y.lo == 0:
        e.push(x)
        return
    lo, hi = (x.lo - y.hi, x.hi - y.lo) if minus else (x.lo + y.lo, x.hi + y.hi)
    if by_constant and x.known:
        e.push_atom(constant(lo & mask))
        return
    low = (y.lo <= SMALL_STEP if by_constant else is_low(e, y)) and is_low(e, x)
    flags = SUM | LOW if low else SUM
    text = f"{x.within(IN_SHIFT)} {'-' if minus else '+'} {y.within(IN_SUM)}"
    sum_ = combined(text, lo, hi, x, y, flags)
    if by_constant:
        sum_.base, sum_.plus = x, -y.lo if minus else y.lo
    e.push(sum_ if -wide <= lo and hi <= wide else canonical(sum_, bits))


@translates("i32.mul", "i64.mul")
def mul(e: Emitter, op: Op, imm: Any) -> None:
    bits = bits_of(op)
    y, x = narrow(e.stack.pop(), bits), narrow(e.stack.pop(), bits)
    if x.known:
        x, y = y, x
    if x.known and y.known:
        e.push(constant(x.lo * y.lo & MASK[bits]))
    elif y.known and y.lo == 1:
        e.push(x)
    else:
        ends = [a * b for a in (x.lo, x.hi) for b in (y.lo, y.hi)]
        low = LOW if y.known and y.lo % 4 == 0 and y.lo <= LARGE_FACTOR and is_low(e, x) else 0
        text = f"{x.within(IN_SUM)} * {y.within(IN_PRODUCT)}"
        product = combined(text, min(ends), max(ends), x, y, low | PRODUCT)
        fits = -WIDE[bits] <= product.lo and product.hi <= WIDE[bits]
        e.push(product if fits else canonical(product, bits))


def is_low(e: Emitter, operand: Operand) -> bool:
    """Whether an operand of a sum is likely to count or to be an address, or a part of one."""
    if e.forecast.mixes:
        return False
    return operand.flags & (LOW | ATOM) != 0 or fits_signed(operand, 32)


def narrow(operand: Operand, bits: int) -> Operand:
    """The operand with a text in the canonical or the signed range."""
    return operand if fits_signed(operand, bits) else canonical(operand, bits)


@translates("i32.and", "i64.and")
def and_(e: Emitter, op: Op, imm: Any) -> None:
    bits = bits_of(op)
    mask = MASK[bits]
    y, x = e.stack.pop(), e.stack.pop()
    if x.known:
        x, y = y, x
    if y.known:
        y = canonical(y, bits)
        low_bits = y.lo & y.lo + 1 == 0
        if low_bits and x.lo >= 0 and x.hi <= y.lo:
            e.push(x)
            return
    x_fits, y_fits = x.lo >= 0 and x.hi <= mask, y.lo >= 0 and y.hi <= mask
    if not x_fits and not y_fits:
        x, x_fits = canonical(x, bits), True
    hi = min(x.hi if x_fits else mask, y.hi if y_fits else mask)
    flags = x.flags & y.flags & BOOL | AND
    both = combined(f"{x.within(IN_XOR)} & {y.within(IN_AND)}", 0, hi, x, y, flags)
    if both.flags & BOOL:
        both.facts = x.facts[0] + y.facts[0], ()
    e.push(both)


@translates("i32.or", "i64.or", "i32.xor", "i64.xor")
def or_(e: Emitter, op: Op, imm: Any) -> None:
    bits = bits_of(op)
    y, x = e.stack.pop(), e.stack.pop()
    lo = 0
    if fits_signed(x, bits) and fits_signed(y, bits):
        lo = min(x.lo, y.lo, 0)
    elif x.lo < 0 or y.lo < 0:
        x, y = canonical(x, bits), canonical(y, bits)
    if x.known and y.known:
        value = x.lo | y.lo if op.name.endswith("or") and not op.name.endswith("xor") else x.lo ^ y.lo
        e.push(constant(value & MASK[bits]))
        return
    if y.known and y.lo == 0:
        e.push(x)
        return
    xors = op.name.endswith("xor")
    size = max(x.hi, y.hi, ~x.lo, ~y.lo).bit_length()
    lo, hi, flags = -(1 << size) if lo else 0, (1 << size) - 1, x.flags & y.flags & BOOL
    if xors:
        e.push(combined(f"{x.within(IN_OR)} ^ {y.within(IN_XOR)}", lo, hi, x, y, flags | XOR))
        return
    either = combined(f"{x.within(IN_TEST)} | {y.within(IN_OR)}", lo, hi, x, y, flags | OR)
    if flags & BOOL:
        either.facts = (), x.facts[1] + y.facts[1]
    e.push(either)


@translates("i32.shl", "i64.shl")
def shl(e: Emitter, op: Op, imm: Any) -> None:
    bits = bits_of(op)
    y, x = e.stack.pop(), e.stack.pop()
    if not y.known:
        x = canonical(x, bits)
        most = y.hi if 0 <= y.lo <= y.hi < bits else bits - 1
        shifted = combined(f"{x.within(IN_AND)} << {count(y, bits)}", 0, x.hi << most, x, y, SHIFT)
        e.push(canonical(shifted, bits))
        return
    by = y.lo & bits - 1
    if x.known or x.lo << by < -WIDE[bits] or x.hi << by > WIDE[bits]:
        x = canonical(x, bits)
    if x.known:
        e.push(constant(x.lo << by & MASK[bits]))
    elif by == 0:
        e.push(x)
    else:
        if by <= SMALL_SHIFT:
            text, flags = f"{x.within(IN_SUM)} * {1 << by}", PRODUCT
        else:
            text, flags = f"{x.within(IN_AND)} << {by}", SHIFT
        if 1 << by <= LARGE_FACTOR and is_low(e, x):
            flags |= LOW
        shifted = derived(text, x.lo << by, x.hi << by, x, flags)
        fits = -WIDE[bits] <= shifted.lo and shifted.hi <= WIDE[bits]
        e.push(shifted if fits else canonical(shifted, bits))


def count(y: Operand, bits: int) -> str:
    """A shift count as a term, modulo the width."""
    if y.lo >= 0 and y.hi < bits:
        return y.within(IN_SHIFT)
    return f"({y.within(IN_XOR)} & {bits - 1})"


@translates("i32.shr_u", "i64.shr_u", "i32.shr_s", "i64.shr_s")
def shr(e: Emitter, op: Op, imm: Any) -> None:
    bits = bits_of(op)
    y, x = e.stack.pop(), e.stack.pop()
    if op.name.endswith("u"):
        x = canonical(x, bits)
    elif not (y.known and y.lo & bits - 1 == 0):
        x = signed(x, bits)
    if y.known:
        by = y.lo & bits - 1
        flags = SHIFT | LOW if x.lo < 0 else SHIFT
        e.push(derived(f"{x.within(IN_AND)} >> {by}", x.lo >> by, x.hi >> by, x, flags) if by else x)
    else:
        text = f"{x.within(IN_AND)} >> {count(y, bits)}"
        e.push(combined(text, min(x.lo, 0), max(x.hi, 0), x, y, SHIFT))


@translates("i32.rotl", "i64.rotl", "i32.rotr", "i64.rotr")
def rot(e: Emitter, op: Op, imm: Any) -> None:
    bits = bits_of(op)
    if not e.stack[-1].known:
        e.push(paste_cell(e, op))
        return
    by = e.stack.pop().lo & bits - 1
    if op.name.endswith("r"):
        by = -by % bits
    if not by:
        return
    x = e.bind_canonical(len(e.stack) - 1, bits)
    e.stack.pop()
    e.push(derived(f"{x.text} << {by} | {x.text} >> {bits - by}", 0, (MASK[bits] << by) | MASK[bits], x))


@translates(
    "i32.div_u", "i64.div_u", "i32.rem_u", "i64.rem_u", "i32.div_s", "i64.div_s", "i32.rem_s", "i64.rem_s"
)
def div(e: Emitter, op: Op, imm: Any) -> None:
    bits = bits_of(op)
    y, x = e.stack[-1], e.stack[-2]
    unsigned = op.name.endswith("u")
    nonnegative = x.lo >= 0 and x.hi < 1 << bits - 1 and y.lo >= 0 and y.hi < 1 << bits - 1
    if not unsigned and not (nonnegative and y.lo > 0):
        div_signed(e, op, bits)
        return
    y = e.stack[-1] = canonical(y, bits)
    if y.lo == 0:
        e.settle()
    y, x = e.stack.pop(), canonical(e.stack.pop(), bits)
    divides = op.name[4:7] == "div"
    hi = x.hi // max(y.lo, 1) if divides else min(max(y.hi - 1, 0), x.hi)
    text = f"{x.within(IN_SUM)} {'//' if divides else '%'} {y.within(IN_PRODUCT)}"
    result = combined(text, 0, hi, x, y, PRODUCT)
    if y.lo == 0:
        e.push_trapping(result)
    else:
        e.push(result)


def div_signed(e: Emitter, op: Op, bits: int) -> None:
    """Signed division, which Python's is only of numbers that aren't negative: usually neither is."""
    symbol = "//" if op.name[4:7] == "div" else "%"
    y, top = e.stack[-1], len(e.stack) - 1
    if y.known and 0 < y.lo < 1 << bits - 1:
        e.stack.pop()
        x = e.stack[-1]
        if x.lo < 0 and fits_signed(x, bits):
            x = e.bind(top - 1)
            text = f"{x.text} {symbol} {y.text} if {x.text} >= 0 else -(-{x.text} {symbol} {y.text})"
            most = y.lo - 1 if symbol == "%" else (1 << bits - 1) // y.lo
            lo, hi = -most, most
        else:
            x = e.bind_canonical(top - 1, bits)
            rest = f"{op.name[4:]}({x.text}, {y.text}, {bits})"
            text = f"{x.text} {symbol} {y.text} if {x.text} <= {SMALL} else {rest}"
            lo, hi = 0, MASK[bits]
        e.stack.pop()
        e.push(derived(text, lo, hi, x))
        return
    e.settle()
    if y.known:
        e.push_trapping(paste_cell(e, op))
        return
    e.bind_canonical(top - 1, bits)
    y = e.bind_canonical(top, bits)
    x = e.stack[top - 1]
    both = f"{x.text} <= {SMALL} and 0 < {y.text} <= {SMALL}"
    text = f"{x.text} {symbol} {y.text} if {both} else {op.name[4:]}({x.text}, {y.text}, {bits})"
    e.stack.pop()
    e.stack.pop()
    e.push_trapping(combined(text, 0, MASK[bits], x, y))


@translates("i32.clz", "i64.clz", "i32.ctz", "i64.ctz", "i32.popcnt", "i64.popcnt")
def count_bits(e: Emitter, op: Op, imm: Any) -> None:
    e.push(paste_cell(e, op, 0, bits_of(op)))


@translates("i32.wrap_i64")
def wrap(e: Emitter, op: Op, imm: Any) -> None:
    x = e.stack.pop()
    if x.known:
        x = constant(x.lo & MASK[32])
    elif x.lo < -WIDE[32] or x.hi > WIDE[32]:
        x = canonical(x, 32)
    e.push(x)


@translates("i64.extend_i32_u")
def extend_u(e: Emitter, op: Op, imm: Any) -> None:
    e.push(e.pop_int(32))


@translates("i64.extend_i32_s")
def extend_s(e: Emitter, op: Op, imm: Any) -> None:
    e.push(signed(e.stack.pop(), 32))


@translates("i32.extend8_s", "i64.extend8_s", "i32.extend16_s", "i64.extend16_s", "i64.extend32_s")
def extend_narrow(e: Emitter, op: Op, imm: Any) -> None:
    narrow = int(op.name[10:-2])
    half = 1 << narrow - 1
    x = e.stack.pop()
    if -half <= x.lo and x.hi < half:
        e.push(x)
        return
    if x.lo < 0 or x.hi >= 2 * half:
        x = derived(f"{x.within(IN_XOR)} & {2 * half - 1}", 0, 2 * half - 1, x, AND)
    if x.known:
        e.push(constant((x.lo ^ half) - half & MASK[bits_of(op)]))
    else:
        e.push(derived(f"({x.within(IN_OR)} ^ {half}) - {half}", -half, half - 1, x, LOW))

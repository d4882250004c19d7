"""Integer instructions for which known ranges allow better code than the table's expression
(https://webassembly.github.io/spec/core/exec/numerics.html#integer-operations)."""

from __future__ import annotations

from functools import cache
from typing import Any

from ...instructions import OPS, Op
from ...types import I64
from ..forms.integers import MASK, SMALL, canonical, fits_signed, masked, signed
from ..forms.operands import (
    ATOM,
    BOOL,
    LOW,
    NEAR,
    TRAP,
    ZERO,
    Operand,
    added,
    binary,
    bounded,
    call,
    chain,
    chosen,
    compared,
    constant,
    joined,
    minus,
    number,
    variable,
)
from .cells import paste_cell
from .emitter import Emitter, translates

WIDE = {32: 1 << 60, 64: 1 << 90}
"""Unmasked sums and products beyond this are masked, because operations on larger ints are slower than a
mask."""
SMALL_SHIFT = 15
"""Up to this shift count, multiplying by a power of two is faster than shifting."""
SMALL_STEP = 0xFFFFF
LARGE_FACTOR = 4096
"""A sum with a constant up to SMALL_STEP, or a product with a multiple of 4 up to LARGE_FACTOR, is probably a
counter or an address."""
NEAR_LOW = NEAR | LOW
SUBTRACTIONS = frozenset({OPS["i32.sub"], OPS["i64.sub"]})


@cache
def bits_of(op: Op) -> int:
    """The width of a row's first operand."""
    return 64 if op.params and op.params[0] is I64 else 32


def push_lazy(e: Emitter, operand: Operand, bits: int) -> None:
    """Push an integer without masking, unless its range is too large for that."""
    wide = WIDE[bits]
    e.stack.push(operand if -wide <= operand.lo and operand.hi <= wide else canonical(operand, bits))


@translates("i32.const", "i64.const")
def const(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.push_atom(constant(imm))


@translates("i32.add", "i64.add", "i32.sub", "i64.sub")
def add(e: Emitter, op: Op, imm: Any) -> None:
    stack, bits = e.stack, bits_of(op)
    mask = MASK[bits]
    y, x = stack.pop(), stack.pop()
    subtracts = op in SUBTRACTIONS
    by_constant = y.lo == y.hi and not y.flags & TRAP
    if by_constant and y.lo > mask >> 1:
        y, subtracts = constant((mask + 1 - y.lo) & mask), not subtracts
    if x.lo == x.hi and not subtracts and x.known:
        x, y, by_constant = y, x, True
    if by_constant and x.base is not None:
        whole = x.plus - y.lo if subtracts else x.plus + y.lo
        x, y, subtracts = x.base, constant(abs(whole)), whole < 0
    if by_constant and y.lo == 0:
        stack.push(x)
        return
    if by_constant and x.lo == x.hi and not x.flags & TRAP:
        stack.push_atom(constant((x.lo - y.lo if subtracts else x.lo + y.lo) & mask))
        return
    low = (y.lo <= SMALL_STEP if by_constant else is_low(e, y)) and is_low(e, x)
    flags = NEAR_LOW if low else NEAR
    sum_ = binary("-", x, y, flags) if subtracts else added(x, y, flags)
    if by_constant:
        sum_.base, sum_.plus = x, -y.lo if subtracts else y.lo
    wide = WIDE[bits]
    stack.push(sum_ if sum_.lo >= -wide and sum_.hi <= wide else canonical(sum_, bits))


@translates("i32.mul", "i64.mul")
def mul(e: Emitter, op: Op, imm: Any) -> None:
    bits = bits_of(op)
    y, x = narrow(e.stack.pop(), bits), narrow(e.stack.pop(), bits)
    if x.lo == x.hi and x.known:
        x, y = y, x
    by_constant = y.lo == y.hi and y.known
    if by_constant and x.lo == x.hi and x.known:
        e.stack.push(constant(x.lo * y.lo & MASK[bits]))
    elif by_constant and y.lo == 1:
        e.stack.push(x)
    else:
        low = LOW if by_constant and y.lo % 4 == 0 and y.lo <= LARGE_FACTOR and is_low(e, x) else 0
        push_lazy(e, binary("*", x, y, low), bits)


def is_low(e: Emitter, operand: Operand) -> bool:
    """Whether an operand of a sum is probably a counter, an address, or a part of one."""
    if e.forecast.mixes:
        return False
    return operand.level == ATOM or operand.flags & LOW != 0 or fits_signed(operand, 32)


def narrow(operand: Operand, bits: int) -> Operand:
    """The operand in the canonical or signed range."""
    return operand if fits_signed(operand, bits) else canonical(operand, bits)


def fits(operand: Operand, bits: int) -> bool:
    """Whether an operand is canonical."""
    return operand.lo >= 0 and operand.hi <= MASK[bits]


@translates("i32.and", "i64.and")
def and_(e: Emitter, op: Op, imm: Any) -> None:
    bits = bits_of(op)
    y, x = e.stack.pop(), e.stack.pop()
    if x.known:
        x, y = y, x
    if y.known:
        y = canonical(y, bits)
        low_bits = y.lo & y.lo + 1 == 0
        if low_bits and x.lo >= 0 and x.hi <= y.lo:
            e.stack.push(x)
            return
    if not fits(x, bits) and not fits(y, bits):
        x = canonical(x, bits)
    both = binary("&", x, y, x.flags & y.flags & BOOL)
    if both.flags & BOOL:
        both.facts = x.facts[0] + y.facts[0], ()
    e.stack.push(both)


@translates("i32.or", "i64.or", "i32.xor", "i64.xor")
def or_(e: Emitter, op: Op, imm: Any) -> None:
    bits = bits_of(op)
    y, x = e.stack.pop(), e.stack.pop()
    xors = op.verb == "xor"
    if (x.lo < 0 or y.lo < 0) and not (fits_signed(x, bits) and fits_signed(y, bits)):
        x, y = canonical(x, bits), canonical(y, bits)
    if x.known and y.known:
        e.stack.push(constant((x.lo ^ y.lo if xors else x.lo | y.lo) & MASK[bits]))
        return
    if y.known and y.lo == 0:
        e.stack.push(x)
        return
    flags = x.flags & y.flags & BOOL
    either = binary("^" if xors else "|", x, y, flags)
    if flags and not xors:
        either.facts = (), x.facts[1] + y.facts[1]
    e.stack.push(either)


@translates("i32.shl", "i64.shl")
def shl(e: Emitter, op: Op, imm: Any) -> None:
    bits = bits_of(op)
    y, x = e.stack.pop(), e.stack.pop()
    if not y.known:
        e.stack.push(canonical(binary("<<", canonical(x, bits), count(y, bits)), bits))
        return
    by = y.lo & bits - 1
    if x.known or x.lo << by < -WIDE[bits] or x.hi << by > WIDE[bits]:
        x = canonical(x, bits)
    if x.known:
        e.stack.push(constant(x.lo << by & MASK[bits]))
    elif by == 0:
        e.stack.push(x)
    else:
        low = LOW if 1 << by <= LARGE_FACTOR and is_low(e, x) else 0
        if by <= SMALL_SHIFT:
            push_lazy(e, binary("*", x, number(1 << by), low), bits)
        else:
            push_lazy(e, binary("<<", x, number(by), low), bits)


def count(y: Operand, bits: int) -> Operand:
    """A shift count, modulo the width."""
    return y if y.lo >= 0 and y.hi < bits else masked(y, bits - 1)


@translates("i32.shr_u", "i64.shr_u", "i32.shr_s", "i64.shr_s")
def shr(e: Emitter, op: Op, imm: Any) -> None:
    bits = bits_of(op)
    y, x = e.stack.pop(), e.stack.pop()
    if op.sign == "u":
        x = canonical(x, bits)
    elif not (y.known and y.lo & bits - 1 == 0):
        x = signed(x, bits)
    if not y.known:
        e.stack.push(binary(">>", x, count(y, bits)))
        return
    by = y.lo & bits - 1
    e.stack.push(binary(">>", x, number(by), LOW if x.lo < 0 else 0) if by else x)


@translates("i32.rotl", "i64.rotl", "i32.rotr", "i64.rotr")
def rot(e: Emitter, op: Op, imm: Any) -> None:
    bits = bits_of(op)
    if not e.stack[-1].known:
        e.stack.push(paste_cell(e.stack, op))
        return
    by = e.stack.pop().lo & bits - 1
    if op.verb == "rotr":
        by = -by % bits
    if not by:
        return
    x = e.stack.bind_canonical(len(e.stack) - 1, bits)
    e.stack.pop()
    rotated = binary("|", binary("<<", x, number(by)), binary(">>", x, number(bits - by)))
    e.stack.push(bounded(rotated, 0, (MASK[bits] << by) | MASK[bits]))


@translates(
    "i32.div_u", "i64.div_u", "i32.rem_u", "i64.rem_u", "i32.div_s", "i64.div_s", "i32.rem_s", "i64.rem_s"
)
def div(e: Emitter, op: Op, imm: Any) -> None:
    bits = bits_of(op)
    y, x = e.stack[-1], e.stack[-2]
    unsigned = op.sign == "u"
    half = 1 << bits - 1
    nonnegative = x.lo >= 0 and x.hi < half and y.lo >= 0 and y.hi < half
    if not unsigned and not (nonnegative and y.lo > 0):
        div_signed(e, op, bits)
        return
    y = canonical(y, bits)
    e.stack.put(len(e.stack) - 1, y)
    if y.lo == 0:
        e.stack.settle()
    y, x = e.stack.pop(), canonical(e.stack.pop(), bits)
    result = binary(symbol_of(op), x, y)
    if y.lo == 0:
        e.push_trapping(result)
    else:
        e.stack.push(result)


def symbol_of(op: Op) -> str:
    """Python's division operator, which is right for non-negative numbers."""
    return "//" if op.verb == "div" else "%"


def div_signed(e: Emitter, op: Op, bits: int) -> None:
    """Signed division. Python's division is right only for non-negative numbers; usually both are."""
    stack, symbol = e.stack, symbol_of(op)
    y, top = stack[-1], len(stack) - 1
    if y.known and 0 < y.lo < 1 << bits - 1:
        stack.pop()
        by_positive(e, op, y, bits)
        return
    stack.settle()
    if y.known:
        e.push_trapping(paste_cell(stack, op))
        return
    stack.bind_canonical(top - 1, bits)
    y = stack.bind_canonical(top, bits)
    x = stack[top - 1]
    small = number(SMALL)
    both = joined("and", [compared("<=", x, small), chain(ZERO, ("<", y), ("<=", small))])
    rest = call(f"{op.verb}_s", (x, y, number(bits)))
    stack.pop()
    stack.pop()
    e.push_trapping(chosen(both, binary(symbol, x, y), rest, 0, MASK[bits]))


def by_positive(e: Emitter, op: Op, y: Operand, bits: int) -> None:
    """Push the top operand divided by a positive constant."""
    stack, symbol = e.stack, symbol_of(op)
    top = len(stack) - 1
    x = stack[top]
    if x.lo < 0 and fits_signed(x, bits):
        x = stack.bind(top)
        opposite = minus(binary(symbol, minus(x), y))
        most = y.lo - 1 if symbol == "%" else (1 << bits - 1) // y.lo
        result = chosen(compared(">=", x, ZERO), binary(symbol, x, y), opposite, -most, most)
    else:
        x = stack.bind_canonical(top, bits)
        rest = call(f"{op.verb}_s", (x, y, number(bits)))
        result = chosen(compared("<=", x, number(SMALL)), binary(symbol, x, y), rest, 0, MASK[bits])
    stack.pop()
    stack.push(result)


@translates("i32.clz", "i64.clz", "i32.ctz", "i64.ctz", "i32.popcnt", "i64.popcnt")
def count_bits(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.push(paste_cell(e.stack, op, 0, bits_of(op)))


@translates("i32.wrap_i64")
def wrap(e: Emitter, op: Op, imm: Any) -> None:
    x = e.stack.pop()
    if x.known:
        x = constant(x.lo & MASK[32])
    elif x.lo < -WIDE[32] or x.hi > WIDE[32]:
        x = canonical(x, 32)
    elif x.local >= 0 and x.hi > MASK[32]:  # a range of the low half is none of the local
        x = variable(x.text, x.lo, x.hi, x.reads, x.flags)
    e.stack.push(x)


@translates("i64.extend_i32_u")
def extend_u(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.push(e.stack.pop_int(32))


@translates("i64.extend_i32_s")
def extend_s(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.push(signed(e.stack.pop(), 32))


@translates("i32.extend8_s", "i64.extend8_s", "i32.extend16_s", "i64.extend16_s", "i64.extend32_s")
def extend_narrow(e: Emitter, op: Op, imm: Any) -> None:
    half = 1 << op.part - 1
    x = e.stack.pop()
    if -half <= x.lo and x.hi < half:
        e.stack.push(x)
        return
    if x.lo < 0 or x.hi >= 2 * half:
        x = masked(x, 2 * half - 1)
    if x.known:
        e.stack.push(constant((x.lo ^ half) - half & MASK[bits_of(op)]))
    else:
        e.stack.push(sign_extended(x, half, LOW))


def sign_extended(x: Operand, half: int, flags: int) -> Operand:
    """The signed value of a number with few bits; `half` is its highest bit."""
    extended = binary("-", binary("^", x, number(half)), number(half), flags)
    return bounded(extended, -half, half - 1)

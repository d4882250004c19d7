"""Floating-point instructions
(https://webassembly.github.io/spec/core/exec/numerics.html#floating-point-operations).

f32 arithmetic is done in double precision and rounded when the value is used. The result equals
single-precision arithmetic, because a double has more than twice the bits. A store into memory rounds anyway.
"""

from __future__ import annotations

from typing import Any

from ...instructions import OPS, Op
from ...numerics import bits64, float32, float64
from ...types import F32, F64, I32, I64
from ..analysis.comparisons import FLOAT
from ..forms.integers import canonical, plain, raw_bits, signed
from ..forms.operands import (
    EFFECTS,
    FORM_CONSTANT,
    QUIET,
    RAW,
    ROUND,
    SUM,
    VAR,
    WHOLE,
    ZERO,
    Operand,
    arithmetic,
    bounded,
    call,
    chain,
    chosen,
    compared,
    float_test,
    hexadecimal,
    literal,
    number,
    variable,
)
from .emitter import Emitter, pasted, translates
from .memory import LOOK_A_LITTLE, consumer

EXACT = {True: 1 << 24, False: 1 << 53}
"""Integers up to this are exact as f32 (True) or f64 (False)."""
CANONICAL_NAN = 0x7FF8000000000000


@translates("f32.const", "f64.const")
def const(e: Emitter, op: Op, imm: Any) -> None:
    value = float32(imm) if op.name == "f32.const" else float64(imm)
    e.stack.push(constant_of(value))


def constant_of(value: float) -> Operand:
    """An operand with this value."""
    if value == value:
        return literal(value, QUIET)
    bits = bits64(value)
    quiet = QUIET if bits >> 51 & 1 else 0
    if bits == CANONICAL_NAN:
        return variable("nan", flags=VAR | quiet)
    made = call("float64", (hexadecimal(bits),))
    made.flags, made.depth = VAR | quiet, 0
    return made


@translates("f32.add", "f64.add", "f32.sub", "f64.sub", "f32.mul", "f64.mul")
def binary_arithmetic(e: Emitter, op: Op, imm: Any) -> None:
    y, x = two(e)
    symbol = {"add": "+", "sub": "-", "mul": "*"}[op.verb]
    e.stack.push(arithmetic(symbol, x, y, QUIET | rounds(op)))


@translates("f32.div", "f64.div")
def div(e: Emitter, op: Op, imm: Any) -> None:
    stack = e.stack
    top = len(stack) - 1
    stack.arithmetic(top - 1)
    stack.arithmetic(top)
    divisor = stack[top]
    flags = QUIET | rounds(op)
    if divisor.flags & VAR and not divisor.reads:
        y, x = stack.pop(), stack.pop()
        stack.push(call("fdiv", (x, y), flags=flags) if is_zero(y) else arithmetic("/", x, y, flags))
        return
    stack.bind(top - 1)
    stack.bind(top)
    y, x = stack.pop(), stack.pop()
    stack.push(chosen(y, arithmetic("/", x, y), call("fdiv", (x, y)), flags=flags))


def is_zero(operand: Operand) -> bool:
    """Whether a literal is 0 or -0."""
    return operand.form == FORM_CONSTANT and not operand.value


def two(e: Emitter) -> tuple[Operand, Operand]:
    """Pop the second and the first operand, prepared for arithmetic."""
    stack = e.stack
    top = len(stack) - 1
    stack.arithmetic(top - 1)
    stack.arithmetic(top)
    if stack[top].flags & stack[top - 1].flags & WHOLE:
        stack.put(top, plain(stack[top]))
    return stack.pop(), stack.pop()


def rounds(op: Op) -> int:
    return ROUND if op.results[0] is F32 else 0


@translates(*FLOAT)
def compare(e: Emitter, op: Op, imm: Any) -> None:
    y, x = two(e)
    e.stack.push(float_test(FLOAT[op.name], x, y))


@translates("f32.convert_i32_s", "f32.convert_i32_u", "f64.convert_i32_s", "f64.convert_i32_u")
@translates("f32.convert_i64_s", "f32.convert_i64_u", "f64.convert_i64_s", "f64.convert_i64_u")
def convert(e: Emitter, op: Op, imm: Any) -> None:
    bits = 64 if op.params and op.params[0] is I64 else 32
    single = op.results[0] is F32
    x = e.stack.pop()
    x = signed(x, bits) if op.sign == "s" else canonical(x, bits)
    greatest = max(-x.lo, x.hi)
    if single and greatest > EXACT[False]:
        e.stack.push(call("i64_to_f32", (x,), flags=QUIET))
    elif greatest <= EXACT[single] and meets_float(e):
        e.stack.push(relabelled(x, x.flags & EFFECTS | QUIET | WHOLE))
    elif greatest <= EXACT[single] or not single:
        e.stack.push(call("float", (x,), flags=QUIET))
    else:
        e.stack.push(call("float", (x,), flags=QUIET | ROUND))


def relabelled(x: Operand, flags: int) -> Operand:
    """The same expression as a float with these flags."""
    made = bounded(x, 0, -1, flags)
    made.local = -1
    return made


def meets_float(e: Emitter) -> bool:
    """Whether the value that is pushed here is an operand of float arithmetic. Then it may stay an int, as
    Python converts it itself in `int * float`."""
    index = consumer(e, LOOK_A_LITTLE)
    return index >= 0 and e.body.ops[index].verb in ("add", "sub", "mul", "div")


@translates(
    *(
        op.name
        for op in OPS.values()
        if op.params in ((F32,), (F64,)) and op.results[0] in (I32, I64) and op.sign
    )
)
def truncate(e: Emitter, op: Op, imm: Any) -> None:
    """Translate by `int`, which is right for all numbers that have a result."""
    bits, is_signed = 64 if op.results[0] is I64 else 32, op.sign == "s"
    stack = e.stack
    top = len(stack) - 1
    stack.arithmetic(top)
    raw = stack[top]
    if raw.flags & RAW:  # all NaNs have the same effect
        stack.put(top, relabelled(raw, raw.flags & ~RAW | QUIET))
    if op.traps:
        stack.settle()
    x = stack.pop_bound()
    lo, hi = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
    least = (float(lo), "<=") if (bits, is_signed) == (64, True) else (float(lo - 1), "<")
    fits = chain(bare(least[0]), (least[1], x), ("<", bare(float(hi + 1))))
    whole = call("int", (x,))
    if op.traps:
        rest = call(f"trunc_{op.sign}", (x, number(bits)))
        e.push_trapping(chosen(fits, whole, rest, lo, hi))
        return
    rest = chosen(compared(">", x, ZERO), number(hi), ZERO)
    if is_signed:
        rest = chosen(compared("<", x, ZERO), number(lo), rest)
    stack.push(chosen(fits, whole, rest, lo, hi))


def bare(value: float) -> Operand:
    """A number that needs no parentheses in a comparison, although it may be negative."""
    made = literal(value)
    made.level = SUM
    return made


@translates("f64.promote_f32")
def promote(e: Emitter, op: Op, imm: Any) -> None:
    top = len(e.stack) - 1
    e.stack.arithmetic(top)
    x = e.stack[top]
    if x.flags & QUIET:
        return
    x = e.stack.pop()
    if x.flags & RAW:  # the load already made a signalling NaN quiet
        e.stack.push(relabelled(x, x.flags & EFFECTS | QUIET))
    elif x.flags & VAR:
        e.stack.push(chosen(compared("==", x, x), x, call("promote", (x,)), flags=QUIET))
    else:
        e.stack.push(call("promote", (x,), flags=QUIET))


@translates("f32.demote_f64")
def demote(e: Emitter, op: Op, imm: Any) -> None:
    if not e.views:
        pasted(e, op, imm)
        return
    x = e.stack.pop()  # rounding through the one-cell view makes a NaN quiet and keeps its upper payload
    e.stack.push(relabelled(x, x.flags & (EFFECTS | VAR) | QUIET | ROUND))


@translates("i32.reinterpret_f32")
def reinterpret(e: Emitter, op: Op, imm: Any) -> None:
    x = e.stack[-1]
    if x.flags & RAW and e.views:
        e.stack.pop()
        e.stack.push(raw_bits(x))
    else:
        pasted(e, op, imm)

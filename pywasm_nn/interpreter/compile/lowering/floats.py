"""Floating-point instructions
(https://webassembly.github.io/spec/core/exec/numerics.html#floating-point-operations).

f32 arithmetic is done in double precision and rounded when the value is used, which is as good as doing it in
single precision: a double has more than twice the bits. A store rounds by itself.
"""

from __future__ import annotations

from math import copysign, inf
from typing import Any

from ...instructions import Op
from ...numerics import bits64, float32, float64
from ...types import F32, I64
from ..analysis.comparisons import FLOAT
from ..forms.operands import (
    ATOM,
    BOOL,
    EFFECTS,
    QUIET,
    RAW,
    ROUND,
    VAR,
    WHOLE,
    Operand,
    canonical,
    plain,
    signed,
)
from .emitter import Emitter, pasted, translates
from .integers import combined, derived
from .memory import LOOK_A_LITTLE, consumer

EXACT = {True: 1 << 24, False: 1 << 53}
"""Integers up to here are exact, in f32 or not."""
CANONICAL_NAN = 0x7FF8000000000000


@translates("f32.const", "f64.const")
def const(e: Emitter, op: Op, imm: Any) -> None:
    value = float32(imm) if op.name == "f32.const" else float64(imm)
    e.push(literal(value))


def literal(value: float) -> Operand:
    """An operand that is this number."""
    if value != value:
        bits = bits64(value)
        quiet = QUIET if bits >> 51 & 1 else 0
        text = "nan" if bits == CANONICAL_NAN else f"float64({bits:#x})"
        return Operand(text, 0, -1, ATOM | VAR | quiet)
    text = repr(value)
    return Operand(text, 0, -1, VAR | QUIET | (ATOM if copysign(1.0, value) > 0 else 0))


@translates("f32.add", "f64.add", "f32.sub", "f64.sub", "f32.mul", "f64.mul")
def arithmetic(e: Emitter, op: Op, imm: Any) -> None:
    y, x = two(e)
    symbol = {"add": "+", "sub": "-", "mul": "*"}[op.name[4:]]
    e.push(combined(f"{x.term} {symbol} {y.term}", 0, -1, x, y, QUIET | rounds(op)))


@translates("f32.div", "f64.div")
def div(e: Emitter, op: Op, imm: Any) -> None:
    top = len(e.stack) - 1
    e.arithmetic(top - 1)
    e.arithmetic(top)
    divisor = e.stack[top]
    if divisor.flags & VAR and not divisor.reads:
        y, x = e.stack.pop(), e.stack.pop()
        text = f"{x.term} / {y.term}" if not is_zero(y.text) else f"fdiv({x.text}, {y.text})"
    else:
        e.bind(top - 1)
        e.bind(top)
        y, x = e.stack.pop(), e.stack.pop()
        text = f"{x.term} / {y.term} if {y.text} else fdiv({x.text}, {y.text})"
    e.push(combined(text, 0, -1, x, y, QUIET | rounds(op)))


def is_zero(literal_text: str) -> bool:
    return literal_text in ("0.0", "-0.0")


def two(e: Emitter) -> tuple[Operand, Operand]:
    """Pop the second and the first operand, fit for arithmetic."""
    top = len(e.stack) - 1
    e.arithmetic(top - 1)
    e.arithmetic(top)
    if e.stack[top].flags & e.stack[top - 1].flags & WHOLE:
        e.stack[top] = plain(e.stack[top])
    return e.stack.pop(), e.stack.pop()


def rounds(op: Op) -> int:
    return ROUND if op.results[0] is F32 else 0


@translates(*FLOAT)
def compare(e: Emitter, op: Op, imm: Any) -> None:
    y, x = two(e)
    e.push(combined(f"{x.term} {FLOAT[op.name]} {y.term}", 0, 1, x, y, BOOL))


@translates("f32.convert_i32_s", "f32.convert_i32_u", "f64.convert_i32_s", "f64.convert_i32_u")
@translates("f32.convert_i64_s", "f32.convert_i64_u", "f64.convert_i64_s", "f64.convert_i64_u")
def convert(e: Emitter, op: Op, imm: Any) -> None:
    bits = 64 if op.params and op.params[0] is I64 else 32
    single = op.results[0] is F32
    x = signed(e.stack.pop(), bits) if op.name.endswith("s") else canonical(e.stack.pop(), bits)
    if single and max(-x.lo, x.hi) > EXACT[False]:
        e.push(derived(f"i64_to_f32({x.text})", 0, -1, x, ATOM | QUIET))
    elif max(-x.lo, x.hi) <= EXACT[single] and meets_float(e):
        e.push(derived(x.text, 0, -1, x, x.flags & ATOM | QUIET | WHOLE))
    elif max(-x.lo, x.hi) <= EXACT[single] or not single:
        e.push(derived(f"float({x.text})", 0, -1, x, ATOM | QUIET))
    else:
        e.push(derived(f"float({x.text})", 0, -1, x, ATOM | QUIET | ROUND))


def meets_float(e: Emitter) -> bool:
    """Whether what is pushed here is an operand of arithmetic: `int * float` makes no float of the int."""
    index = consumer(e, LOOK_A_LITTLE)
    return index >= 0 and e.body.ops[index].name[4:] in ("add", "sub", "mul", "div")


@translates(
    *(
        f"{target}.trunc_{sat}{source}_{sign}"
        for target in ("i32", "i64")
        for sat in ("", "sat_")
        for source in ("f32", "f64")
        for sign in "su"
    )
)
def truncate(e: Emitter, op: Op, imm: Any) -> None:
    """`int` does it for all numbers that have a result."""
    bits, is_signed = 64 if op.results[0] is I64 else 32, op.name.endswith("s")
    top = len(e.stack) - 1
    e.arithmetic(top)
    raw = e.stack[top]
    if raw.flags & RAW:  # which NaN it is makes no difference
        e.stack[top] = Operand(raw.text, 0, -1, raw.flags & ~RAW | QUIET, raw.reads, raw.depth)
    if op.traps:
        e.settle()
    x = e.bind(top)
    e.stack.pop()
    lo, hi = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
    least = f"{float(lo)} <=" if (bits, is_signed) == (64, True) else f"{float(lo - 1)} <"
    text = f"int({x.text}) if {least} {x.text} < {float(hi + 1)} else "
    if op.traps:
        call = f"trunc_{op.name[-1]}({x.text}, {bits})"
        e.push_trapping(Operand(text + call, lo, hi, 0, x.reads, x.depth + 1))
        return
    below = f"{lo} if {x.text} < 0 else " if is_signed else ""
    e.push(derived(f"{text}{below}{hi} if {x.text} > 0 else 0", lo, hi, x))


@translates("f64.promote_f32")
def promote(e: Emitter, op: Op, imm: Any) -> None:
    top = len(e.stack) - 1
    e.arithmetic(top)
    x = e.stack[top]
    if x.flags & QUIET:
        return
    x = e.stack.pop()
    if x.flags & RAW:  # reading it made a signalling NaN quiet
        e.push(Operand(x.text, 0, -1, x.flags & (EFFECTS | ATOM) | QUIET, x.reads, x.depth))
    elif x.flags & VAR:
        e.push(derived(f"{x.text} if {x.text} == {x.text} else promote({x.text})", 0, -1, x, QUIET))
    else:
        e.push(derived(f"promote({x.text})", 0, -1, x, ATOM | QUIET))


@translates("f32.demote_f64")
def demote(e: Emitter, op: Op, imm: Any) -> None:
    if not e.view:
        pasted(e, op, imm)
        return
    x = e.stack.pop()  # rounding through the one-cell view makes a NaN quiet and keeps its upper payload
    e.push(Operand(x.text, 0, -1, x.flags & (EFFECTS | ATOM | VAR) | QUIET | ROUND, x.reads, x.depth))


@translates("i32.reinterpret_f32")
def reinterpret(e: Emitter, op: Op, imm: Any) -> None:
    x = e.stack[-1]
    if x.flags & RAW and e.view:
        e.stack.pop()
        e.push(Operand("u32" + x.address, 0, 0xFFFFFFFF, x.flags & EFFECTS | ATOM, x.reads, x.depth))
    else:
        pasted(e, op, imm)


__all__ = ["inf"]

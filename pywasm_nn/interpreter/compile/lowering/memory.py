"""Variables, memory, tables and references (https://webassembly.github.io/spec/core/exec/instructions.html)."""

from __future__ import annotations

from typing import Any

from ...instructions import Op
from ...memory import REACH
from ...types import I32, NumType
from ..analysis.comparisons import SYMBOLS
from ..analysis.forecast import SIGNED_USES
from ..forms.operands import (
    AND,
    ATOM,
    EFFECTS,
    IN_SHIFT,
    IN_XOR,
    MASK,
    QUIET,
    RAW,
    SMALL,
    SUM,
    VAR,
    Operand,
    bounded,
    canonical,
    constant,
    fits_signed,
)
from .emitter import Emitter, translates

RANGES = {
    "u8": (0, 0xFF), "u16": (0, 0xFFFF), "u32": (0, MASK[32]), "u64": (0, MASK[64]),
    "s8": (-0x80, 0x7F), "s16": (-0x8000, 0x7FFF), "s32": (-0x80000000, 0x7FFFFFFF),
}  # fmt: skip

WIDTHS = {"u8": 1, "s8": 1, "u16": 2, "s16": 2, "u32": 4, "s32": 4, "f32": 4, "u64": 8, "f64": 8}
"""Bytes of an access."""
ARITHMETIC = {f"f32.{name}" for name in ("add", "sub", "mul", "div", *SYMBOLS)}
LOOK_AHEAD = 40
LOOK_A_LITTLE = 6


def consumer(e: Emitter, reach: int) -> int:
    """Index of the instruction that takes what the one at hand pushes, if it is not far; else -1."""
    above, index = 0, e.pc
    for op in e.body.ops[index + 1 : index + reach]:
        index += 1
        params = op.params
        if params is not None:
            if len(params) > above:
                return index
            above += len(op.results) - len(params)
        elif op.name == "local.get":
            above += 1
        else:
            return index if not above and op.name in ("local.set", "local.tee") else -1
    return -1


def feeds_arithmetic(e: Emitter) -> bool:
    """Whether what is loaded here is only calculated with, which makes a signalling NaN quiet anyway."""
    index = consumer(e, LOOK_AHEAD)
    return index >= 0 and e.body.ops[index].name in ARITHMETIC


def wants_signed(e: Emitter) -> bool:
    """Whether what is loaded here is wanted as a signed number."""
    index = consumer(e, LOOK_A_LITTLE)
    if index < 0:
        return False
    if e.body.ops[index].params is None:
        return e.body.imms[index] in e.forecast.signed
    return e.body.ops[index].name in SIGNED_USES


def memory_addrtype(e: Emitter, memidx: int) -> NumType:
    return e.mem_types[memidx].addrtype


def suffix(memidx: int) -> str:
    return f"_{memidx}" if memidx else ""


def address(e: Emitter, base: Operand, memidx: int, offset: int) -> Operand:
    """The effective address, which doesn't wrap: in a 64-bit memory it may be what no machine word holds."""
    bits = e.mem_types[memidx].addrtype.bits
    if base.lo < 0 or base.hi > MASK[bits]:
        base = canonical(base, bits, small=True)
    if base.lo == base.hi and base.known:
        return constant(base.lo + offset)
    plus = offset
    if base.base is not None and base.base.lo >= 0 and base.plus + offset >= 0:
        base, plus = base.base, base.plus + offset
    if not plus:
        return base
    where = Operand(
        f"{base.within(IN_SHIFT)} + {plus}", base.lo + plus, base.hi + plus, 0, base.reads, base.depth + 1
    )
    where.base, where.plus = base, plus
    return where


def accessed(e: Emitter, base: Operand, memidx: int, offset: int, access: str) -> Operand:
    """The effective address of an access. Where it is a local and an offset, what follows knows from the
    access not having trapped how large the local is at most."""
    where = address(e, base, memidx, offset)
    e.places[e.pc] = where.text
    local = base.local
    if local >= 0 and base.lo >= 0:
        last = REACH - offset - WIDTHS[access]
        known = e.known.get(local, base)
        if 0 <= last < known.hi and memory_addrtype(e, memidx) is I32:
            e.known[local] = bounded(known, known.lo, last)
    return where


@translates("i32.load", "i32.load8_s", "i32.load8_u", "i32.load16_s", "i32.load16_u", "f64.load")
@translates("i64.load", "i64.load8_s", "i64.load8_u", "i64.load16_s", "i64.load16_u")
@translates("i64.load32_s", "i64.load32_u")
def load(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    offset, memidx = imm.offset, imm.memidx
    base, access = e.stack.pop(), op.access or ""
    if access == "u32" and e.forecast.signs and op.name == "i32.load" and wants_signed(e):
        access = "s32"
    text = "" if base.base is None else wrapping(e, access, base, memidx, offset)
    where = accessed(e, base, memidx, offset, access)
    lo, hi = RANGES.get(access, (0, -1))
    flags = 0
    if not text:
        text = element(e, access, memidx, where) if e.view else reading(e, access, memidx, where)
        flags = ATOM | SUM if lo < 0 else ATOM
    e.push_trapping(Operand(text, lo, hi, flags, where.reads, where.depth + 1))


@translates("f32.load")
def load_f32(e: Emitter, op: Op, imm: Any) -> None:
    """Reading makes a signalling NaN quiet. Where that may make a difference the bits are read."""
    e.settle()
    where = accessed(e, e.stack.pop(), imm.memidx, imm.offset, "f32")
    loaded = Operand(reading(e, "f32", imm.memidx, where), 0, -1, ATOM, where.reads, where.depth + 1)
    if feeds_arithmetic(e):
        loaded.flags |= QUIET
    else:
        loaded.flags |= RAW
        loaded.address = f"{suffix(imm.memidx)}[{where.text}]"
        if e.view:  # the same view of its bits
            loaded.address = element(e, "u32", imm.memidx, where).removeprefix("u32")
    e.push_trapping(loaded)


@translates(
    "i32.store",
    "i64.store",
    "f64.store",
    "i32.store8",
    "i32.store16",
    "i64.store8",
    "i64.store16",
    "i64.store32",
)
def store(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    value, access, memidx = e.stack.pop(), op.access or "", imm.memidx
    where = accessed(e, e.stack.pop(), memidx, imm.offset, access)
    if access == "u32" and value.lo < 0 and fits_signed(value, 32):
        access = "s32"
    elif access in RANGES:
        value = narrowed(value, RANGES[access][1])
    write(e, access, memidx, where, value.text)


def element(e: Emitter, access: str, memidx: int, where: Operand) -> str:
    """An element of a view: of one that begins at the offset, if there is any."""
    start, tail = where.base, suffix(memidx) if memidx else ""
    if start is not None and start.lo >= 0 and where.plus > 0 and e.shifted(access, memidx, where.plus):
        return f"{access}at{where.plus}{tail}[{start.text}]"
    return f"{access}{tail}[{where.text}]"


def reading(e: Emitter, access: str, memidx: int, where: Operand) -> str:
    """An expression that reads memory."""
    if e.view:
        return element(e, access, memidx, where)
    tail = suffix(memidx)
    if access == "u8":
        return f"mem{tail}[{where.text}]"
    return f"load_{access}{tail}(mem{tail}, {where.text})[0]"


def wrapping(e: Emitter, access: str, base: Operand, memidx: int, offset: int) -> str:
    """A load where an address may wrap that is a small variable and a constant: a choice between the view
    that begins at the constant, and the sum. Empty if it isn't such a load."""
    i = base.base
    if i is None or not i.flags & VAR or i.lo < 0 or memory_addrtype(e, memidx) is not I32:
        return ""
    if not 0 < base.plus <= MASK[32] - SMALL:  # even a small variable wraps beyond
        return ""
    if base.hi <= MASK[32] or i.hi > MASK[32] or not e.shifted(access, memidx, base.plus + offset):
        return ""
    view = f"{access}at{base.plus + offset}{suffix(memidx)}"
    wrapped = f"{base.text} & {MASK[32]}"
    where = f"({wrapped}) + {offset}" if offset else wrapped
    return f"{view}[{i.text}] if {i.text} <= {SMALL} else {access}{suffix(memidx)}[{where}]"


def narrowed(value: Operand, mask: int) -> Operand:
    """The low bits of an integer."""
    if value.lo == value.hi and value.known:
        return constant(value.lo & mask)
    if value.lo >= 0 and value.hi <= mask:
        return value
    if mask in MASK.values():
        return canonical(value, mask.bit_length())
    text = f"{value.within(IN_XOR)} & {mask}"
    return Operand(text, 0, mask, value.flags & EFFECTS | AND, value.reads, value.depth + 1)


def write(e: Emitter, access: str, memidx: int, where: Operand, value: str) -> None:
    if e.view:
        e.line(f"{element(e, access, memidx, where)} = {value}", e.pc)
        return
    tail = suffix(memidx)
    if access == "u8":
        e.line(f"mem{tail}[{where.text}] = {value}", e.pc)
    else:
        e.line(f"store_{access}{tail}(mem{tail}, {where.text}, {value})", e.pc)


@translates("f32.store")
def store_f32(e: Emitter, op: Op, imm: Any) -> None:
    """A store rounds, but would make a signalling NaN quiet: what may be one is stored as bits."""
    raw = e.stack[-1]
    if raw.flags & RAW:
        bits = f"u32{raw.address}" if e.view else raw_bits(raw)
        e.stack[-1] = Operand(bits, 0, MASK[32], raw.flags & EFFECTS | ATOM, raw.reads, raw.depth)
    e.settle()
    if not e.view:
        e.finish(len(e.stack) - 1)
    value = e.stack.pop()
    where = accessed(e, e.stack.pop(), imm.memidx, imm.offset, "f32")
    if raw.flags & RAW:
        write(e, "u32", imm.memidx, where, value.text)
    elif value.flags & QUIET:
        write(e, "f32", imm.memidx, where, value.text)
    else:
        write(e, "u32", imm.memidx, where, f"bits32({value.text})")


def raw_bits(raw: Operand) -> str:
    """The bits that a RAW operand of the struct flavour was read from."""
    return raw.text.replace("load_f32", "load_u32", 1)

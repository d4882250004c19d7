"""Loads and stores (https://webassembly.github.io/spec/core/exec/instructions.html#memory-instructions).

What is not here: instructions on whole memories (`bulk.py`), vectors, and atomic accesses.
"""

from __future__ import annotations

from typing import Any

from ...instructions import Op
from ...namespace import Namespace
from ...runtime.memory import REACH
from ...types import I32, NumType
from ..analysis.comparisons import SYMBOLS
from ..analysis.forecast import SIGNED_USES, SIGNING, SIGNING_OR_SETTING
from ..forms.integers import MASK, SMALL, canonical, fits_signed, masked, narrowed, raw_bits, raw_load
from ..forms.operands import (
    NEAR,
    QUIET,
    RAW,
    TRAP,
    VAR,
    Address,
    Operand,
    binary,
    call,
    chosen,
    compared,
    constant,
    item,
    loaded,
    number,
    text_of,
    viewed,
    whole,
    word,
)
from ..forms.tree import Assign
from .emitter import Emitter, translates

RANGES = {
    "u8": (0, 0xFF), "u16": (0, 0xFFFF), "u32": (0, MASK[32]), "u64": (0, MASK[64]),
    "s8": (-0x80, 0x7F), "s16": (-0x8000, 0x7FFF), "s32": (-0x80000000, 0x7FFFFFFF),
    "f32": (0, -1), "f64": (0, -1), "v128": (0, -1),
}  # fmt: skip
"""The range of the values of each access."""
INTEGERS = RANGES.keys() - {"f32", "f64", "v128"}

WIDTHS = {"u8": 1, "s8": 1, "u16": 2, "s16": 2, "u32": 4, "s32": 4, "f32": 4, "u64": 8, "f64": 8}
"""Bytes of an access."""
ARITHMETIC = frozenset({"add", "sub", "mul", "div", *SYMBOLS})
LOOK_AHEAD = 40
LOOK_A_LITTLE = 6


def memory_addrtype(e: Emitter, memidx: int) -> NumType:
    return e.mem_types[memidx].addrtype


def address(e: Emitter, base: Operand, memidx: int, offset: int) -> Address:
    """The effective address, without wrapping: in a 64-bit memory it may exceed 64 bits."""
    bits = e.mem_types[memidx].addrtype.bits
    if base.lo < 0 or base.hi > MASK[bits]:
        base = canonical(base, bits, small=True)
    if base.lo == base.hi and base.known:
        return constant(base.lo + offset), 0
    if base.base is not None and base.base.lo >= 0 and base.plus + offset >= 0:
        return base.base, base.plus + offset
    return base, offset


def accessed(e: Emitter, base: Operand, memidx: int, offset: int, access: str) -> Address:
    """The effective address of an access. For the sum of a local and an offset, it also records an upper
    bound of the local, which holds after the access because otherwise it would have trapped."""
    if base.local >= 0 and base.lo >= 0 and e.mem_types[memidx].addrtype is I32:
        most = REACH - offset - WIDTHS[access]
        if most < base.hi:
            e.locals.limit(base.local, base, most)
        where = (base, offset) if base.lo < base.hi else address(e, base, memidx, offset)
    else:
        where = address(e, base, memidx, offset)
    e.needs.places[e.pc] = text_of(where)
    return where


def consumer(e: Emitter, reach: int) -> int:
    """The index of the instruction that pops the value pushed by the current one, if it is near; else -1."""
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
    """Whether the loaded value is only an operand of arithmetic, which makes a signalling NaN quiet
    anyway."""
    index = consumer(e, LOOK_AHEAD)
    return index >= 0 and e.body.ops[index].verb in ARITHMETIC


def wants_signed(e: Emitter) -> bool:
    """Whether the loaded value is used as a signed number."""
    near = e.body.ops[e.pc + 1 : e.pc + LOOK_A_LITTLE]
    if (SIGNING_OR_SETTING if e.forecast.signed else SIGNING).isdisjoint(near):  # as most are
        return False
    index = consumer(e, LOOK_A_LITTLE)
    if index < 0:
        return False
    if e.body.ops[index].params is None:
        return e.body.imms[index] in e.forecast.signed
    return e.body.ops[index].name in SIGNED_USES


@translates("i32.load", "i32.load8_s", "i32.load8_u", "i32.load16_s", "i32.load16_u", "f64.load")
@translates("i64.load", "i64.load8_s", "i64.load8_u", "i64.load16_s", "i64.load16_u")
@translates("i64.load32_s", "i64.load32_u")
def load(e: Emitter, op: Op, imm: Any) -> None:
    stack, memidx, offset, access, keeper = e.stack, imm.memidx, imm.offset, op.access or "", e.keeper
    if keeper is not None and keeper.recalls(e.pc, op, offset, RANGES[access], WIDTHS[access]):
        return
    if stack.armed:
        stack.settle()
    base = stack.pop()
    if access == "u32" and e.forecast.signs and op.name == "i32.load" and wants_signed(e):
        access = "s32"
    made = None if base.base is None else wrapping(e, access, base, memidx, offset)
    where = accessed(e, base, memidx, offset, access)
    made = made or (seen if e.views else reading)(e, access, memidx, where)
    if keeper is None or not keeper.keeps(e.pc, where, made, WIDTHS[access]):
        stack.push_trapping(made, e.pc)


@translates("f32.load")
def load_f32(e: Emitter, op: Op, imm: Any) -> None:
    """Reading makes a signalling NaN quiet. If that may be observed, the bits are read instead."""
    e.stack.settle()
    where = accessed(e, e.stack.pop(), imm.memidx, imm.offset, "f32")
    if feeds_arithmetic(e):
        made = reading(e, "f32", imm.memidx, where)
        made.flags |= QUIET
    else:
        at, index = 0, whole(where)
        if e.views:
            at, index = start_of(e, "f32", imm.memidx, where)
            start_of(e, "u32", imm.memidx, where)
        made = raw_load(imm.memidx, at, index, e.views)
        made.depth = where[0].depth + (2 if where[1] else 1)
    e.push_trapping(made)


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
    stack, access, memidx, keeper = e.stack, op.access or "", imm.memidx, e.keeper
    is_asked = keeper is not None and keeper.binds(e.pc, access, imm.offset, RANGES[access][1])
    if stack.armed:
        stack.settle()
    value = stack.pop()
    where = accessed(e, stack.pop(), memidx, imm.offset, access)
    if access == "u32" and value.lo < 0 and fits_signed(value, 32):
        access = "s32"
    elif access in INTEGERS:
        value = narrowed(value, RANGES[access][1])
    write(e, access, memidx, where, value)
    if keeper is not None and is_asked:
        keeper.hold(where, value, WIDTHS[access])


def start_of(e: Emitter, access: str, memidx: int, where: Address) -> tuple[int, Operand]:
    """Where the view for an access begins, and the index in it. It begins at the offset, if possible."""
    start, plus = where
    if not plus:
        return 0, start
    return (plus, start) if e.needs.shift(access, memidx, plus) else (0, whole(where))


def seen(e: Emitter, access: str, memidx: int, where: Address) -> Operand:
    """The item of a view at an access's address, which may trap. For the same local and offset it is the same
    operand again, as many accesses repeat one."""
    local, plus = where[0].local, where[1]
    if local < 0:
        return reading(e, access, memidx, where)
    key = access, memidx, local, plus
    made = e.needs.seen.get(key)
    if made is None:
        made = e.needs.seen[key] = reading(e, access, memidx, where)
        made.flags |= TRAP
    return made


def reading(e: Emitter, access: str, memidx: int, where: Address) -> Operand:
    """The operand for an access's value."""
    lo, hi = RANGES[access]
    flags = NEAR if lo < 0 else 0
    if e.views:
        at, index = start_of(e, access, memidx, where)
        made = viewed(access, memidx, at, index, lo, hi, flags)
        if at:  # as deep as the sum
            made.depth += 1
        return made
    if access == "u8":
        return item(Namespace.buffer(memidx), whole(where), lo, hi, flags)
    return loaded(access, memidx, 0, whole(where), False, lo, hi, flags)


def wrapping(e: Emitter, access: str, base: Operand, memidx: int, offset: int) -> Operand | None:
    """A load from an address that may wrap and is the sum of a small variable and a constant: a choice
    between the view that begins at the constant, and the wrapped sum. None for other loads."""
    i = base.base
    if i is None or not e.views or not i.flags & VAR or i.lo < 0 or memory_addrtype(e, memidx) is not I32:
        return None
    if not 0 < base.plus <= MASK[32] - SMALL:  # beyond this even a small variable wraps
        return None
    if base.hi <= MASK[32] or i.hi > MASK[32] or not e.needs.shift(access, memidx, base.plus + offset):
        return None
    near = viewed(access, memidx, base.plus + offset, i)
    wrapped = masked(base, MASK[32])
    far = viewed(access, memidx, 0, binary("+", wrapped, number(offset)) if offset else wrapped)
    lo, hi = RANGES[access]
    return chosen(compared("<=", i, number(SMALL)), near, far, lo, hi)


def write(e: Emitter, access: str, memidx: int, where: Address, value: Operand) -> None:
    """Store a value that fits the access."""
    if e.keeper is not None:
        e.keeper.overwrite(where, WIDTHS[access])
    if e.views:
        e.code.append(Assign(seen(e, access, memidx, where), value, e.pc))
        return
    buffer = Namespace.buffer(memidx)
    if access == "u8":
        e.code.append(Assign(item(buffer, whole(where)), value, e.pc))
    else:
        e.do(call(Namespace.store(access, memidx), (word(buffer), whole(where), value)))


@translates("f32.store")
def store_f32(e: Emitter, op: Op, imm: Any) -> None:
    """A store rounds, but makes a signalling NaN quiet: a possible one is stored as its bits."""
    stack = e.stack
    raw = stack[-1]
    if raw.flags & RAW:
        stack.put(len(stack) - 1, raw_bits(raw))
    stack.settle()
    if not e.views:
        stack.finish(len(stack) - 1)
    value = stack.pop()
    where = accessed(e, stack.pop(), imm.memidx, imm.offset, "f32")
    if raw.flags & RAW:
        write(e, "u32", imm.memidx, where, value)
    elif value.flags & QUIET:
        write(e, "f32", imm.memidx, where, value)
    else:
        write(e, "u32", imm.memidx, where, call("bits32", (value,)))

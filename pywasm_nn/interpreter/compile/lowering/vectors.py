"""Vectors in memory, and constants
(https://webassembly.github.io/spec/core/exec/instructions.html#vector-instructions).

All other vector instructions are their cells, pasted. A v128 lies in memory as two 64-bit integers; the upper
one is written first, so that a store that doesn't fit traps before it writes.
"""

from __future__ import annotations

from typing import Any

from ...instructions import OPS, Imm, Op
from ...module import MemArg
from ...types import I64, V128
from ..forms.operands import ATOM, TRAP, VAR, Operand
from .emitter import Emitter, paste_operands, translates
from .memory import RANGES, address, memory_addrtype, reading, write

UPPER = 8
"""Bytes before the upper one of the two integers."""
PARTIAL = [op for op in OPS.values() if op.name.startswith("v128.") and op.access in RANGES]
"""Loads and stores of less than a vector."""


@translates("v128.const")
def const(e: Emitter, op: Op, imm: Any) -> None:
    e.push(Operand(hex(imm), 0, -1, ATOM | VAR))


def halves(e: Emitter, memarg: MemArg) -> tuple[Operand, Operand]:
    """Pop an address; where the lower and the upper half are."""
    base = e.bind_canonical(len(e.stack) - 1, memory_addrtype(e, memarg.memidx).bits)
    e.stack.pop()
    return effective(e, base, memarg), address(e, base, memarg.memidx, memarg.offset + UPPER)


@translates("v128.load")
def load(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    lower, upper = halves(e, imm)
    text = f"{reading(e, 'u64', imm.memidx, lower)} | {reading(e, 'u64', imm.memidx, upper)} << 64"
    e.push_trapping(Operand(text, 0, -1, 0, lower.reads, lower.depth + 1))


@translates("v128.store")
def store(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    value = e.bind(len(e.stack) - 1)
    e.stack.pop()
    lower, upper = halves(e, imm)
    write(e, "u64", imm.memidx, upper, f"{value.text} >> 64")
    write(e, "u64", imm.memidx, lower, f"{value.text} & HALF")


@translates(*(op.name for op in PARTIAL if op.imms == (Imm.MEMARG,)))
def load_part(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    push_read(e, op, imm)
    push_pasted(e, paste_operands(e, op, (I64,), None))


@translates(*(op.name for op in PARTIAL if op.imms != (Imm.MEMARG,) and not op.stores))
def load_lane(e: Emitter, op: Op, imm: Any) -> None:
    memarg, lane = imm
    e.settle()
    vector = e.stack.pop()
    push_read(e, op, memarg)
    e.push(vector)
    push_pasted(e, paste_operands(e, op, (I64, V128), lane))


@translates(*(op.name for op in PARTIAL if op.stores))
def store_lane(e: Emitter, op: Op, imm: Any) -> None:
    memarg, lane = imm
    e.settle()
    value = paste_operands(e, op, (V128,), lane)
    write(e, op.access or "", memarg.memidx, effective(e, e.stack.pop(), memarg), value.text)


def effective(e: Emitter, base: Operand, memarg: MemArg) -> Operand:
    """The effective address, which a trap tells."""
    where = address(e, base, memarg.memidx, memarg.offset)
    e.places[e.pc] = where.text
    return where


def push_read(e: Emitter, op: Op, memarg: MemArg) -> None:
    """Pop an address and push the integer that is there."""
    where = effective(e, e.stack.pop(), memarg)
    access = op.access or ""
    text = reading(e, access, memarg.memidx, where)
    e.push_trapping(Operand(text, *RANGES[access], ATOM, where.reads, where.depth + 1))


def push_pasted(e: Emitter, operand: Operand) -> None:
    """Push an operand in which reading memory may still wait."""
    if operand.flags & TRAP:
        e.push_trapping(operand)
    else:
        e.push(operand)

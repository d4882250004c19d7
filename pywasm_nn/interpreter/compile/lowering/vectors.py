"""Vectors in memory, and constants
(https://webassembly.github.io/spec/core/exec/instructions.html#vector-instructions).

Other vector instructions are translated by their expressions. In memory a v128 is two 64-bit integers; the
upper one is written first, so that a store out of bounds traps before it writes anything.
"""

from __future__ import annotations

from typing import Any

from ...instructions import OPS, Imm, Op
from ...module import MemArg
from ...types import I64, V128
from ..forms.operands import LOOSE, VAR, Address, Operand, binary, bounded, number, text_of, word, written
from .cells import paste_operands
from .emitter import Emitter, translates
from .memory import INTEGERS, address, memory_addrtype, reading, write

UPPER = 8
"""The offset in bytes of the upper of the two integers."""
PARTIAL = [op for op in OPS.values() if op.access in INTEGERS and op.kind == "v128"]
"""Loads and stores of less than a vector."""
HALF = word("HALF")


@translates("v128.const")
def const(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.push(written(hex(imm), imm, 0, -1, VAR))


def halves(e: Emitter, memarg: MemArg) -> tuple[Address, Address]:
    """Pop an address; returns the addresses of the lower and the upper half."""
    base = e.stack.bind_canonical(len(e.stack) - 1, memory_addrtype(e, memarg.memidx).bits)
    e.stack.pop()
    return effective(e, base, memarg), address(e, base, memarg.memidx, memarg.offset + UPPER)


@translates("v128.load")
def load(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    lower, upper = halves(e, imm)
    low, high = reading(e, "u64", imm.memidx, lower), reading(e, "u64", imm.memidx, upper)
    made = bounded(binary("|", low, binary("<<", high, number(64))), 0, -1)
    made.level = LOOSE
    e.push_trapping(made)


@translates("v128.store")
def store(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    value = e.stack.pop_bound()
    lower, upper = halves(e, imm)
    write(e, "u64", imm.memidx, upper, binary(">>", value, number(64)))
    write(e, "u64", imm.memidx, lower, binary("&", value, HALF))


@translates(*(op.name for op in PARTIAL if op.imms == (Imm.MEMARG,)))
def load_part(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    push_read(e, op, imm)
    e.stack.push_pasted(paste_operands(e.stack, op, (I64,)), e.pc)


@translates(*(op.name for op in PARTIAL if op.imms != (Imm.MEMARG,) and not op.stores))
def load_lane(e: Emitter, op: Op, imm: Any) -> None:
    memarg, lane = imm
    e.stack.settle()
    vector = e.stack.pop()
    push_read(e, op, memarg)
    e.stack.push(vector)
    e.stack.push_pasted(paste_operands(e.stack, op, (I64, V128), lane), e.pc)


@translates(*(op.name for op in PARTIAL if op.stores))
def store_lane(e: Emitter, op: Op, imm: Any) -> None:
    memarg, lane = imm
    e.stack.settle()
    value = paste_operands(e.stack, op, (V128,), lane)
    write(e, op.access or "", memarg.memidx, effective(e, e.stack.pop(), memarg), value)


def effective(e: Emitter, base: Operand, memarg: MemArg) -> Address:
    """The effective address, which is also recorded for the message of a trap."""
    where = address(e, base, memarg.memidx, memarg.offset)
    e.needs.places[e.pc] = text_of(where)
    return where


def push_read(e: Emitter, op: Op, memarg: MemArg) -> None:
    """Pop an address and push the integer there."""
    where = effective(e, e.stack.pop(), memarg)
    e.push_trapping(reading(e, op.access or "", memarg.memidx, where))

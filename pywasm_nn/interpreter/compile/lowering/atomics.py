"""Atomic instructions (https://github.com/WebAssembly/threads): calls of the memory, which says what they
do."""

from __future__ import annotations

from typing import Any

from ...instructions import OPS, Op
from ..forms.operands import ATOM, Operand
from .bulk import call_statement
from .emitter import Emitter, translates
from .memory import RANGES, address, memory_addrtype, narrowed

ACCESSES = [op for op in OPS.values() if op.atomic]


def taken(e: Emitter, op: Op, imm: Any) -> tuple[Operand, list[Operand]]:
    """The effective address, and the operands behind it."""
    types = (memory_addrtype(e, imm.memidx), *(op.params or ())[1:])
    base, *operands = e.take(types)
    return address(e, base, imm.memidx, imm.offset), operands


def push_call(e: Emitter, text: str, access: str, operands: list[Operand]) -> None:
    """Push what a call gives that may trap, and change what others can see."""
    e.settle_state()
    lo, hi = RANGES[access]
    reads = depth = 0
    for operand in operands:
        reads, depth = reads | operand.reads, max(depth, operand.depth)
    e.push_trapping(Operand(text, lo, hi, ATOM, reads, depth + 1))


@translates(*(op.name for op in ACCESSES if not op.stores and not op.name.startswith("memory.")))
def load(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    where, _ = taken(e, op, imm)
    push_call(e, f"m{imm.memidx}.load_atomic({op.access!r}, {where.text})", op.access or "", [where])


@translates(*(op.name for op in ACCESSES if op.stores and not op.results))
def store(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    where, (value,) = taken(e, op, imm)
    value = narrowed(value, RANGES[op.access or ""][1])
    call_statement(e, f"m{imm.memidx}.store_atomic({op.access!r}, {where.text}, {value.text})")


@translates(*(op.name for op in ACCESSES if op.stores and op.results))
def update(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    where, operands = taken(e, op, imm)
    arguments = ", ".join([repr(op.name), where.text, *(operand.text for operand in operands)])
    push_call(e, f"m{imm.memidx}.update({arguments})", op.access or "", [where, *operands])


@translates("memory.atomic.notify")
def memory_atomic_notify(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    where, _ = taken(e, op, imm)
    push_call(e, f"m{imm.memidx}.notify({where.text})", "u32", [where])


@translates("memory.atomic.wait32", "memory.atomic.wait64")
def memory_atomic_wait(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    where, _ = taken(e, op, imm)
    push_call(e, f"m{imm.memidx}.wait({op.access!r}, {where.text})", "u32", [where])


@translates("atomic.fence")
def atomic_fence(e: Emitter, op: Op, imm: Any) -> None:
    pass

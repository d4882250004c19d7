"""Atomic instructions (https://github.com/WebAssembly/threads): they become calls of the memory."""

from __future__ import annotations

from typing import Any

from ...instructions import OPS, Op
from ...namespace import Namespace
from ..forms.integers import narrowed
from ..forms.operands import Operand, call, literal, whole
from .emitter import PATIENCE, Emitter, translates
from .memory import RANGES, address, memory_addrtype

ACCESSES = [op for op in OPS.values() if op.atomic]


def taken(e: Emitter, op: Op, imm: Any) -> tuple[Operand, list[Operand]]:
    """The effective address, and the operands after it."""
    types = (memory_addrtype(e, imm.memidx), *(op.params or ())[1:])
    base, *operands = e.stack.take(types)
    return whole(address(e, base, imm.memidx, imm.offset)), operands


def push_call(e: Emitter, name: str, access: str, *parts: Operand) -> None:
    """Push a call that may trap, and changes state that others can observe."""
    e.disturb()
    e.push_trapping(call(name, parts, *RANGES[access]))


@translates(*(op.name for op in ACCESSES if not op.stores and op.kind != "memory"))
def load(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    where, _ = taken(e, op, imm)
    push_call(e, f"{Namespace.memory(imm.memidx)}.load_atomic", op.access or "", literal(op.access), where)


@translates(*(op.name for op in ACCESSES if op.stores and not op.results))
def store(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    where, (value,) = taken(e, op, imm)
    value = narrowed(value, RANGES[op.access or ""][1])
    e.change(call(f"{Namespace.memory(imm.memidx)}.store_atomic", (literal(op.access), where, value)))


@translates(*(op.name for op in ACCESSES if op.stores and op.results))
def update(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    where, operands = taken(e, op, imm)
    push_call(
        e, f"{Namespace.memory(imm.memidx)}.update", op.access or "", literal(op.name), where, *operands
    )


@translates("memory.atomic.notify")
def memory_atomic_notify(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    where, (count,) = taken(e, op, imm)
    push_call(e, f"{Namespace.memory(imm.memidx)}.notify", "u32", where, count)


@translates("memory.atomic.wait32", "memory.atomic.wait64")
def memory_atomic_wait(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    where, operands = taken(e, op, imm)
    push_call(
        e, f"{Namespace.memory(imm.memidx)}.wait", "u32", literal(op.access), where, *operands, PATIENCE
    )


@translates("atomic.fence")
def atomic_fence(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    if e.mem_types:
        e.change(call(f"{Namespace.memory(0)}.fence", ()))

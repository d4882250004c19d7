"""Bulk instructions and other instructions on whole memories: they become calls of the memory
(https://webassembly.github.io/spec/core/exec/instructions.html#memory-instructions)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...instructions import Op
from ...namespace import Namespace
from ...types import I32, NumType, narrower
from ..forms.operands import NEAR, STATE, Operand, attribute, binary, call, number, word
from .emitter import Emitter, translates
from .memory import memory_addrtype


def amounts(e: Emitter, *types: NumType) -> tuple[Operand, ...]:
    """Pop canonical integer operands of these types, in order, as arguments of a bulk instruction."""
    *operands, count = e.stack.take(types)
    return *operands, *e.amount(count)


AddrType = Callable[[Emitter, int], NumType]
"""Returns the address type of the memory or table with an index."""


def copy_between(e: Emitter, letter: str, addrtype: AddrType, imm: Any) -> None:
    """Copy between memories (`m0` and so on) or between tables (`t0`)."""
    e.stack.settle()
    target_index, source_index = imm
    types = addrtype(e, target_index), addrtype(e, source_index)
    target, source, count = e.stack.take((*types, narrower(*types)))
    parts = target, word(f"{letter}{source_index}"), source, *e.amount(count)
    e.change(call(f"{letter}{target_index}.copy", parts))


def copy_segment(e: Emitter, function: str, addrtype: AddrType, imm: Any) -> None:
    """Copy from a segment to a memory or a table, by a method of the instance."""
    e.stack.settle()
    segment, index = imm
    arguments = amounts(e, addrtype(e, index), I32, I32)
    e.change(call(function, (number(index), number(segment), *arguments)))


def drop_segment(e: Emitter, function: str, imm: Any) -> None:
    e.stack.settle()
    e.change(call(function, (number(imm),)))


@translates("memory.size")
def memory_size(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    type_ = e.mem_types[imm]
    size = attribute(word(Namespace.memory(imm)), "size", 0, type_.most_pages * type_.page)
    shift = type_.page.bit_length() - 1
    e.stack.push(binary(">>", size, number(shift), STATE) if shift else size)


@translates("memory.grow")
def memory_grow(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    type_ = e.mem_types[imm]
    (delta,) = e.stack.take((type_.addrtype,))
    e.stack.settle_state()
    e.push_trapping(call(f"{Namespace.memory(imm)}.grow", (delta, *e.patience), -1, type_.most_pages, NEAR))


@translates("memory.copy")
def memory_copy(e: Emitter, op: Op, imm: Any) -> None:
    copy_between(e, "m", memory_addrtype, imm)


@translates("memory.fill")
def memory_fill(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    addrtype = memory_addrtype(e, imm)
    e.change(call(f"{Namespace.memory(imm)}.fill", amounts(e, addrtype, I32, addrtype)))


@translates("memory.init")
def memory_init(e: Emitter, op: Op, imm: Any) -> None:
    copy_segment(e, "memory_init", memory_addrtype, imm)


@translates("data.drop")
def data_drop(e: Emitter, op: Op, imm: Any) -> None:
    drop_segment(e, "data_drop", imm)

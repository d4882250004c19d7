"""Memories as wholes, and bulk instructions: calls of the memory
(https://webassembly.github.io/spec/core/exec/instructions.html#memory-instructions)."""

from __future__ import annotations

from typing import Any

from ...instructions import Op
from ...types import I32, MAX_PAGES, NumType, narrower
from ..forms.operands import ATOM, STATE, SUM, Operand
from .emitter import Emitter, translates
from .memory import memory_addrtype


def call_statement(e: Emitter, text: str) -> None:
    """Emit a call that changes what others can see."""
    e.settle_state()
    e.line(text, e.pc)


def ints(e: Emitter, *types: NumType) -> str:
    """Pop canonical integer operands of these types, in order, as arguments of a bulk instruction."""
    *operands, count = e.take(types)
    return ", ".join([*(operand.text for operand in operands), e.amount(count)])


@translates("memory.size")
def memory_size(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    e.push(Operand(f"m{imm}.size >> 16", 0, MAX_PAGES[memory_addrtype(e, imm)], STATE, 0, 1))


@translates("memory.grow")
def memory_grow(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    addrtype = memory_addrtype(e, imm)
    (delta,) = e.take((addrtype,))
    e.settle_state()
    text = f"m{imm}.grow({delta.text}{', patience' if e.pays else ''})"
    e.push_trapping(Operand(text, -1, MAX_PAGES[addrtype], ATOM | SUM, delta.reads, delta.depth + 1))


@translates("memory.copy")
def memory_copy(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    target_index, source_index = imm
    types = memory_addrtype(e, target_index), memory_addrtype(e, source_index)
    target, source, count = e.take((*types, narrower(*types)))
    call_statement(
        e, f"m{target_index}.copy({target.text}, m{source_index}, {source.text}, {e.amount(count)})"
    )


@translates("memory.fill")
def memory_fill(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    addrtype = memory_addrtype(e, imm)
    call_statement(e, f"m{imm}.fill({ints(e, addrtype, I32, addrtype)})")


@translates("memory.init")
def memory_init(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    dataidx, memidx = imm
    arguments = ints(e, memory_addrtype(e, memidx), I32, I32)
    call_statement(e, f"memory_init({memidx}, {dataidx}, {arguments})")


@translates("data.drop")
def data_drop(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    call_statement(e, f"data_drop({imm})")

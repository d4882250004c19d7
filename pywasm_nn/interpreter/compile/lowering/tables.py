"""Tables (https://webassembly.github.io/spec/core/exec/instructions.html#table-instructions)."""

from __future__ import annotations

from typing import Any

from ...instructions import Op
from ...types import I32, NumType, narrower
from ..forms.operands import ATOM, MASK, STATE, SUM, Operand
from .bulk import call_statement, ints
from .emitter import Emitter, translates


def table_addrtype(e: Emitter, tableidx: int) -> NumType:
    return e.module.table_types[tableidx].addrtype


@translates("table.get")
def table_get(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    (index,) = e.take((table_addrtype(e, imm),))
    e.push_trapping(Operand(f"t{imm}.get({index.text})", 0, -1, ATOM, index.reads, index.depth + 1))


@translates("table.set")
def table_set(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    value, index = e.stack.pop(), e.pop_int(table_addrtype(e, imm).bits)
    call_statement(e, f"t{imm}.set({index.text}, {value.text})")


@translates("table.size")
def table_size(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    e.push(Operand(f"len(t{imm}.elements)", 0, MASK[32], ATOM | STATE))


@translates("table.grow")
def table_grow(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    (delta,), value = e.take((table_addrtype(e, imm),)), e.stack.pop()
    e.settle_state()
    text = f"t{imm}.grow({delta.text}, {value.text}{', patience' if e.pays else ''})"
    e.push_trapping(
        Operand(text, -1, MASK[32], ATOM | SUM, delta.reads | value.reads, max(delta.depth, value.depth) + 1)
    )


@translates("table.fill")
def table_fill(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    addrtype = table_addrtype(e, imm)
    (count,) = e.take((addrtype,))
    value = e.stack.pop()
    (index,) = e.take((addrtype,))
    call_statement(e, f"t{imm}.fill({index.text}, {value.text}, {e.amount(count)})")


@translates("table.copy")
def table_copy(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    target_index, source_index = imm
    types = table_addrtype(e, target_index), table_addrtype(e, source_index)
    target, source, count = e.take((*types, narrower(*types)))
    call_statement(
        e, f"t{target_index}.copy({target.text}, t{source_index}, {source.text}, {e.amount(count)})"
    )


@translates("table.init")
def table_init(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    elemidx, tableidx = imm
    arguments = ints(e, table_addrtype(e, tableidx), I32, I32)
    call_statement(e, f"table_init({tableidx}, {elemidx}, {arguments})")


@translates("elem.drop")
def elem_drop(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    call_statement(e, f"elem_drop({imm})")

"""Tables (https://webassembly.github.io/spec/core/exec/instructions.html#table-instructions)."""

from __future__ import annotations

from typing import Any

from ...instructions import Op
from ...namespace import Namespace
from ...types import NumType
from ..forms.integers import MASK
from ..forms.operands import NEAR, STATE, call, word
from .bulk import copy_between, copy_segment, drop_segment
from .emitter import Emitter, translates


def table_addrtype(e: Emitter, tableidx: int) -> NumType:
    return e.module.table_types[tableidx].addrtype


@translates("table.get")
def table_get(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    e.push_trapping(call(f"{Namespace.table(imm)}.get", e.stack.take((table_addrtype(e, imm),))))


@translates("table.set")
def table_set(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    value, index = e.stack.pop(), e.stack.pop_int(table_addrtype(e, imm).bits)
    e.change(call(f"{Namespace.table(imm)}.set", (index, value)))


@translates("table.size")
def table_size(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    e.stack.push(call("len", (word(f"{Namespace.table(imm)}.elements"),), 0, MASK[32], STATE))


@translates("table.grow")
def table_grow(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    (delta,), value = e.stack.take((table_addrtype(e, imm),)), e.stack.pop()
    e.stack.settle_state()
    e.push_trapping(call(f"{Namespace.table(imm)}.grow", (delta, value, *e.patience), -1, MASK[32], NEAR))


@translates("table.fill")
def table_fill(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    addrtype = table_addrtype(e, imm)
    (count,) = e.stack.take((addrtype,))
    value = e.stack.pop()
    (index,) = e.stack.take((addrtype,))
    e.change(call(f"{Namespace.table(imm)}.fill", (index, value, *e.amount(count))))


@translates("table.copy")
def table_copy(e: Emitter, op: Op, imm: Any) -> None:
    copy_between(e, "t", table_addrtype, imm)


@translates("table.init")
def table_init(e: Emitter, op: Op, imm: Any) -> None:
    copy_segment(e, "table_init", table_addrtype, imm)


@translates("elem.drop")
def elem_drop(e: Emitter, op: Op, imm: Any) -> None:
    drop_segment(e, "elem_drop", imm)

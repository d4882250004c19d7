"""Validation of control instructions (https://webassembly.github.io/spec/core/valid/instructions.html#control-instructions)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import InvalidError
from ..matching import matches_values
from ..module import BlockType
from ..types import FUNCREF, I32, FuncType
from .facts import Label
from .stack import all_match, matches, type_mismatch

if TYPE_CHECKING:
    from .body import BodyValidator


def block(v: BodyValidator, imm: BlockType) -> None:
    v.open("block", imm)


def loop(v: BodyValidator, imm: BlockType) -> None:
    v.open("loop", imm)


def if_(v: BodyValidator, imm: BlockType) -> None:
    v.open("if", imm, (I32,))


def else_(v: BodyValidator, imm: None) -> None:
    if v.frames[-1].op_name != "if":
        raise InvalidError("else without if")
    frame = v.close()
    v.elses[frame.start] = v.pc
    v.enter("else", frame.type, frame.start)
    v.frames[-1].branches = frame.branches


def end(v: BodyValidator, imm: None) -> None:
    frame = v.close()
    if frame.op_name == "if" and not matches_values(frame.type.params, frame.type.results):
        raise InvalidError(type_mismatch(frame.type.results, list(frame.type.params)))
    target = Label(v.pc + 1, len(frame.type.results), frame.height)
    if frame.start >= 0:
        v.ends[frame.start] = v.pc
    for pc, position in frame.branches:
        v.labels[pc][position] = target
    v.push_all(frame.type.results)


def br(v: BodyValidator, imm: int) -> None:
    frame = v.label(imm)
    v.note_branch(frame)
    v.pop_all(frame.label_types)
    v.unreachable_from_here()


def br_if(v: BodyValidator, imm: int) -> None:
    frame = v.label(imm)
    v.note_branch(frame)
    v.pop(I32)
    v.pop_all(frame.label_types)
    v.push_all(frame.label_types)


def br_table(v: BodyValidator, imm: tuple[int, ...]) -> None:
    v.pop(I32)
    arity = len(v.label(imm[-1]).label_types)
    v.lists.add(v.pc)
    checked: set[int] = set()
    for depth in imm:
        frame = v.label(depth)
        v.note_branch(frame)
        if depth in checked:
            continue
        checked.add(depth)
        types = frame.label_types
        if len(types) != arity:
            raise InvalidError(type_mismatch(types, list(v.label(imm[-1]).label_types)))
        # Taken and put back as they were: an unknown operand must stay unknown for the next label.
        popped = [v.pop(type_) for type_ in reversed(types)]
        v.stack.extend(reversed(popped))
    v.pop_all(v.label(imm[-1]).label_types)
    v.unreachable_from_here()


def return_(v: BodyValidator, imm: None) -> None:
    v.pop_all(v.type.results)
    v.unreachable_from_here()


def unreachable(v: BodyValidator, imm: None) -> None:
    v.unreachable_from_here()


def call(v: BodyValidator, imm: int) -> None:
    v.apply(v.module.func_types[imm])


def call_indirect(v: BodyValidator, imm: tuple[int, int]) -> None:
    v.apply(indirect_callee(v, imm))


def indirect_callee(v: BodyValidator, through: tuple[int, int]) -> FuncType:
    """Take the index of a call through a table, given with the type; what is called."""
    typeidx, tableidx = through
    table = v.module.table_types[tableidx]
    if not matches(table.element, FUNCREF):
        raise InvalidError(type_mismatch([FUNCREF], [table.element]))
    v.pop(table.addrtype)
    return v.module.func_type(typeidx)


def return_call(v: BodyValidator, imm: int) -> None:
    tail_call(v, v.module.func_types[imm])


def return_call_indirect(v: BodyValidator, imm: tuple[int, int]) -> None:
    tail_call(v, indirect_callee(v, imm))


def tail_call(v: BodyValidator, type_: FuncType) -> None:
    """The callee answers for the function that calls it."""
    if not all_match(type_.results, v.type.results):
        raise InvalidError(type_mismatch(v.type.results, list(type_.results)))
    v.pop_all(type_.params)
    v.unreachable_from_here()

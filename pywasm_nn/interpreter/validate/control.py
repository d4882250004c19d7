"""Validation of control instructions
(https://webassembly.github.io/spec/core/valid/instructions.html#control-instructions)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import InvalidError
from ..matching import matches_values
from ..module import BlockType
from ..types import FUNCREF, I32, FuncType
from .facts import Label
from .stack import SLOW, all_match, matches, type_mismatch

if TYPE_CHECKING:
    from .body import BodyValidator

CONDITION = (I32,)


def block(v: BodyValidator, imm: BlockType) -> None:
    v.open("block", imm)


def loop(v: BodyValidator, imm: BlockType) -> None:
    v.open("loop", imm)


def if_(v: BodyValidator, imm: BlockType) -> None:
    v.open("if", imm, CONDITION)


def else_(v: BodyValidator, imm: None) -> None:
    if v.frames[-1].op_name != "if":
        raise InvalidError("else without if")
    frame = v.close()
    v.elses[frame.start] = v.pc
    frame.op_name, frame.unreachable = "else", False
    v.frames.append(frame)
    v.push_all(frame.type.params)


def end(v: BodyValidator, imm: None) -> None:
    frame = v.close()
    type_ = frame.type
    if frame.op_name == "if" and not matches_values(type_.params, type_.results):
        raise InvalidError(type_mismatch(type_.results, list(type_.params)))
    if frame.op_name != "loop":
        frame.label = Label(v.pc + 1, len(type_.results), frame.height)
    if frame.start >= 0:
        v.ends[frame.start] = v.pc
    if type_.results:
        v.push_all(type_.results)


def br(v: BodyValidator, imm: int) -> None:
    types = v.branch(imm).label_types
    if types:
        v.pop_all(types)
    v.unreachable_from_here()


def br_if(v: BodyValidator, imm: int) -> None:
    types = v.branch(imm).label_types
    v.pop_all(CONDITION)
    if types:
        v.pop_all(types)
        v.push_all(types)


def br_table(v: BodyValidator, imm: tuple[int, ...]) -> None:
    v.pop(I32)
    arity = len(v.label(imm[-1]).label_types)
    v.lists[v.pc] = frames = []
    checked: set[int] = set()
    for depth in imm:
        frame = v.label(depth)
        frames.append(frame)
        if depth in checked:
            continue
        checked.add(depth)
        types = frame.label_types
        v.spend(types, SLOW)
        if len(types) != arity:
            raise InvalidError(type_mismatch(types, list(v.label(imm[-1]).label_types)))
        # Push the operands back as they were popped: an unknown operand must stay unknown for the next label.
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
    """Pop the index of an indirect call; returns the type of the callee."""
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
    """A tail call: the callee's results are the results of the caller."""
    v.spend(type_.results, SLOW)
    if not all_match(type_.results, v.type.results):
        raise InvalidError(type_mismatch(v.type.results, list(type_.results)))
    v.pop_all(type_.params)
    v.unreachable_from_here()

"""Validation of exception instructions
(https://webassembly.github.io/spec/core/valid/instructions.html#valid-throw), and of those from before 3.0
(https://webassembly.github.io/exception-handling/legacy/core/valid/instructions.html)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import InvalidError
from ..module import BlockType, Catch
from ..types import EXN, FuncType, RefType, ValType
from .control import end
from .facts import Label, LegacyTry
from .stack import SLOW, all_match, index_in, type_mismatch

if TYPE_CHECKING:
    from .body import BodyValidator, ControlFrame

CAUGHT = RefType(EXN, nullable=False)
CLAUSES = ("catch", "catch_all")


def throw(v: BodyValidator, imm: int) -> None:
    v.pop_all(v.module.tag_types[imm].params)
    v.unreachable_from_here()


def throw_ref(v: BodyValidator, imm: None) -> None:
    v.pop(RefType(EXN))
    v.unreachable_from_here()


def try_table(v: BodyValidator, imm: tuple[BlockType, tuple[Catch, ...]]) -> None:
    blocktype, catches = imm
    v.lists[v.pc] = frames = []
    for clause in catches:
        frame = v.label(clause.label)
        frames.append(frame)
        carried = values_of(v, clause)
        v.spend(carried, SLOW)
        if not all_match(carried, frame.label_types):
            raise InvalidError(type_mismatch(frame.label_types, list(carried)))
    v.open("try_table", blocktype)


def values_of(v: BodyValidator, clause: Catch) -> tuple[ValType, ...]:
    """The types of the values that a clause's branch carries."""
    type_ = FuncType()
    if clause.tagidx is not None:
        type_ = index_in(v.module.tag_types, clause.tagidx, "tag")
    return (*type_.params, CAUGHT) if clause.ref else type_.params


# From before 3.0


def try_(v: BodyValidator, imm: BlockType) -> None:
    v.open("try", imm)
    v.tries[v.pc] = LegacyTry()


def catch(v: BodyValidator, imm: int) -> None:
    begin_clause(v, "catch", v.module.tag_types[imm].params)


def catch_all(v: BodyValidator, imm: None) -> None:
    begin_clause(v, "catch_all", ())


def begin_clause(v: BodyValidator, name: str, carried: tuple[ValType, ...]) -> None:
    """End the body of a `try`, or a clause of it, and begin another clause."""
    if v.frames[-1].op_name not in ("try", "catch"):
        raise InvalidError(f"{name} without try")
    frame = v.close()
    v.frames.append(frame)
    if frame.op_name == "try":
        frame.place = place_of(v)
    frame.op_name, frame.unreachable = name, False
    v.tries[frame.start].clauses.append(Label(v.pc + 1, len(carried), frame.height))
    v.push_all(carried)


def place_of(v: BodyValidator) -> int:
    """The number of blocks with an open clause around the innermost block, which gets one."""
    frames, catching = v.frames, v.catching
    while catching and (catching[-1] >= len(frames) - 1 or frames[catching[-1]].op_name not in CLAUSES):
        catching.pop()
    catching.append(len(frames) - 1)
    return len(catching) - 1


def rethrow(v: BodyValidator, imm: int) -> None:
    frame = v.label(imm)
    if frame.op_name not in CLAUSES:
        raise InvalidError("invalid rethrow label")
    v.rethrows[v.pc] = v.tries[frame.start].kept = keep(v, frame)
    v.unreachable_from_here()


def keep(v: BodyValidator, frame: ControlFrame) -> int:
    """The local that keeps the exception of a block with an open clause: one behind those of the function."""
    v.kept = max(v.kept, frame.place + 1)
    return len(v.locals) + frame.place


def delegate(v: BodyValidator, imm: int) -> None:
    frame = v.frames[-1]
    if frame.op_name != "try":
        raise InvalidError("delegate without try")
    end(v, None)
    v.tries[frame.start].target = v.label(imm).start

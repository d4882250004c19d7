"""Validation of exception instructions
(https://webassembly.github.io/spec/core/valid/instructions.html#valid-throw)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import InvalidError
from ..module import BlockType, Catch
from ..types import EXN, FuncType, RefType, ValType
from .stack import SLOW, all_match, index_in, type_mismatch

if TYPE_CHECKING:
    from .body import BodyValidator

CAUGHT = RefType(EXN, nullable=False)


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

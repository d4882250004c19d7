"""Validation of reference and table instructions (valid/instructions.html#reference-instructions)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import InvalidError
from ..types import FUNCREF, I32, RefType
from .stack import Unknown, matches, type_mismatch

if TYPE_CHECKING:
    from .body import BodyValidator


def ref_null(v: BodyValidator, imm: Any) -> None:
    v.stack.append(RefType(imm))


def ref_is_null(v: BodyValidator, imm: None) -> None:
    operand = v.pop()
    if operand is not Unknown and not isinstance(operand, RefType):
        raise InvalidError(type_mismatch(["ref"], [operand]))
    v.stack.append(I32)


def ref_func(v: BodyValidator, imm: int) -> None:
    if imm not in v.refs:
        raise InvalidError("undeclared function reference")
    v.stack.append(FUNCREF)


def table_get(v: BodyValidator, imm: int) -> None:
    v.pop(I32)
    v.stack.append(v.module.table_types[imm].element)


def table_set(v: BodyValidator, imm: int) -> None:
    v.pop_all((I32, v.module.table_types[imm].element))


def table_size(v: BodyValidator, imm: int) -> None:
    v.stack.append(I32)


def table_grow(v: BodyValidator, imm: int) -> None:
    v.pop_all((v.module.table_types[imm].element, I32))
    v.stack.append(I32)


def table_fill(v: BodyValidator, imm: int) -> None:
    v.pop_all((I32, v.module.table_types[imm].element, I32))


def table_copy(v: BodyValidator, imm: tuple[int, int]) -> None:
    target, source = (v.module.table_types[tableidx].element for tableidx in imm)
    if not matches(source, target):
        raise InvalidError(type_mismatch([target], [source]))
    v.pop_all((I32, I32, I32))


def table_init(v: BodyValidator, imm: tuple[int, int]) -> None:
    elemidx, tableidx = imm
    source, target = v.module.elems[elemidx].type, v.module.table_types[tableidx].element
    if not matches(source, target):
        raise InvalidError(type_mismatch([target], [source]))
    v.pop_all((I32, I32, I32))

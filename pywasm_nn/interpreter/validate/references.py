"""Validation of reference and table instructions (valid/instructions.html#reference-instructions)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import InvalidError
from ..types import I32, Exact, RefType, narrower
from .control import tail_call
from .stack import Unknown, matches, type_mismatch

if TYPE_CHECKING:
    from .body import BodyValidator


def ref_null(v: BodyValidator, imm: Any) -> None:
    v.stack.append(RefType(v.module.close_heap(imm)))


def ref_is_null(v: BodyValidator, imm: None) -> None:
    operand = v.pop()
    if operand is not Unknown and not isinstance(operand, RefType):
        raise InvalidError(type_mismatch(["ref"], [operand]))
    v.stack.append(I32)


def ref_func(v: BodyValidator, imm: int) -> None:
    if imm not in v.refs:
        raise InvalidError("undeclared function reference")
    deftype = v.module.deftype(v.module.func_typeidxs[imm])
    exact = v.exact and v.module.is_exact(imm)
    v.stack.append(RefType(Exact(deftype) if exact else deftype, nullable=False))


def ref_as_non_null(v: BodyValidator, imm: None) -> None:
    v.stack.append(RefType(v.pop_ref().heap, nullable=False))


def br_on_null(v: BodyValidator, imm: int) -> None:
    operand, frame = v.pop_ref(), v.branch(imm)
    v.pop_all(frame.label_types)
    v.push_all((*frame.label_types, RefType(operand.heap, nullable=False)))


def br_on_non_null(v: BodyValidator, imm: int) -> None:
    operand, frame = v.pop_ref(), v.branch(imm)
    v.push_all((RefType(operand.heap, nullable=False),))
    v.pop_all(frame.label_types)
    v.push_all(frame.label_types[:-1])
    if not frame.label_types:
        raise InvalidError(type_mismatch(["ref"], []))


def call_ref(v: BodyValidator, imm: int) -> None:
    v.pop_all((RefType(v.module.deftype(imm)),))
    v.apply(v.module.func_type(imm))


def return_call_ref(v: BodyValidator, imm: int) -> None:
    v.pop_all((RefType(v.module.deftype(imm)),))
    tail_call(v, v.module.func_type(imm))


def table_get(v: BodyValidator, imm: int) -> None:
    table = v.module.table_types[imm]
    v.pop_all((table.addrtype,))
    v.stack.append(table.element)


def table_set(v: BodyValidator, imm: int) -> None:
    table = v.module.table_types[imm]
    v.pop_all((table.addrtype, table.element))


def table_size(v: BodyValidator, imm: int) -> None:
    v.stack.append(v.module.table_types[imm].addrtype)


def table_grow(v: BodyValidator, imm: int) -> None:
    table = v.module.table_types[imm]
    v.pop_all((table.element, table.addrtype))
    v.stack.append(table.addrtype)


def table_fill(v: BodyValidator, imm: int) -> None:
    table = v.module.table_types[imm]
    v.pop_all((table.addrtype, table.element, table.addrtype))


def table_copy(v: BodyValidator, imm: tuple[int, int]) -> None:
    target, source = (v.module.table_types[tableidx] for tableidx in imm)
    if not matches(source.element, target.element):
        raise InvalidError(type_mismatch([target.element], [source.element]))
    v.pop_all((target.addrtype, source.addrtype, narrower(target.addrtype, source.addrtype)))


def table_init(v: BodyValidator, imm: tuple[int, int]) -> None:
    elemidx, tableidx = imm
    source, target = v.module.closed(v.module.elems[elemidx].type), v.module.table_types[tableidx]
    if not matches(source, target.element):
        raise InvalidError(type_mismatch([target.element], [source]))
    v.pop_all((target.addrtype, I32, I32))

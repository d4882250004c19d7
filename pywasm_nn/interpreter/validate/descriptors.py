"""Validation of instructions on structures that are described by structures
(https://github.com/WebAssembly/custom-descriptors)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import InvalidError
from ..matching import top_of
from ..module import CastArg
from ..types import DefType, Exact, HeapType, RefType, ValType
from .gc import branch_with, cast_types, check_defaults, made, operands_of
from .stack import matches, type_mismatch

if TYPE_CHECKING:
    from .body import BodyValidator


def own_descriptor(v: BodyValidator, typeidx: int) -> ValType:
    """The operand that describes a new structure."""
    descriptor = v.module.deftype(typeidx).subtype.descriptor
    if descriptor is None:
        raise InvalidError("type without descriptor requires non-descriptor allocation")
    return RefType(Exact(descriptor))


def struct_new_desc(v: BodyValidator, imm: int) -> None:
    operands = operands_of(v, imm)
    descriptor = own_descriptor(v, imm)
    v.pop_all((*operands, descriptor))
    v.stack.append(made(v, imm))


def struct_new_default_desc(v: BodyValidator, imm: int) -> None:
    check_defaults(v, imm)
    v.pop_all((own_descriptor(v, imm),))
    v.stack.append(made(v, imm))


def ref_get_desc(v: BodyValidator, imm: int) -> None:
    """An exact operand has an exact descriptor."""
    described = v.module.deftype(imm)
    descriptor = described.subtype.descriptor
    if descriptor is None:
        raise InvalidError("type without descriptor")
    operand = v.pop_ref()
    if matches(operand, RefType(Exact(described))):
        descriptor = Exact(descriptor)
    elif not matches(operand, RefType(described)):
        raise InvalidError(type_mismatch([RefType(described)], [operand]))
    v.stack.append(RefType(descriptor, nullable=False))


def describing(v: BodyValidator, target: HeapType) -> RefType:
    """The operand that describes what is cast to a type, which is as written: an exact one if the type is
    exact."""
    exact = isinstance(target, Exact)
    named = target.type if isinstance(target, Exact) else target
    closed = v.module.close_heap(named)
    descriptor = closed.subtype.descriptor if isinstance(closed, DefType) else None
    if descriptor is None:
        raise InvalidError(f"type {named} does not have a descriptor")
    return RefType(Exact(descriptor) if exact else descriptor)


def cast(v: BodyValidator, target: HeapType, *, nullable: bool) -> None:
    descriptor, closed = describing(v, target), v.module.close_heap(target)
    v.pop_all((RefType(top_of(closed)), descriptor))
    v.stack.append(RefType(closed, nullable))


def ref_cast_desc_eq(v: BodyValidator, imm: HeapType) -> None:
    cast(v, imm, nullable=False)


def ref_cast_null_desc_eq(v: BodyValidator, imm: HeapType) -> None:
    cast(v, imm, nullable=True)


def br_on_cast_desc_eq(v: BodyValidator, imm: CastArg) -> None:
    v.label(imm.label)
    v.pop_all((describing(v, imm.target.heap),))
    target, rest = cast_types(v, imm)
    branch_with(v, imm.label, target, rest)


def br_on_cast_desc_eq_fail(v: BodyValidator, imm: CastArg) -> None:
    v.label(imm.label)
    v.pop_all((describing(v, imm.target.heap),))
    target, rest = cast_types(v, imm)
    branch_with(v, imm.label, rest, target)

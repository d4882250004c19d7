"""Validation of instructions on structures, arrays, i31 and casts
(valid/instructions.html#aggregate-reference-instructions)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import InvalidError
from ..matching import matches_storage, top_of
from ..module import CastArg, FieldArg
from ..types import (
    ANY,
    ARRAY,
    EQ,
    EXTERN,
    I31,
    I32,
    ArrayType,
    Exact,
    FieldType,
    HeapType,
    PackedType,
    RefType,
    StructType,
    ValType,
)
from .stack import SLOW, matches, type_mismatch

if TYPE_CHECKING:
    from .body import BodyValidator


MOST_FIXED = 10_000
"""The maximum of elements of `array.new_fixed`: a limit of the JavaScript API."""


def reference(v: BodyValidator, typeidx: int) -> RefType:
    """The type of a structure or array as an operand."""
    return RefType(v.module.deftype(typeidx))


def made(v: BodyValidator, typeidx: int) -> RefType:
    """The type of a new structure or array."""
    deftype = v.module.deftype(typeidx)
    return RefType(Exact(deftype) if v.exact else deftype, nullable=False)


def fields(v: BodyValidator, typeidx: int) -> tuple[FieldType, ...]:
    """The fields of a type, which must be a structure type."""
    composite = v.module.deftype(typeidx).composite
    if not isinstance(composite, StructType):
        raise InvalidError(f"type mismatch: type {typeidx} is no structure type")
    return composite.fields


def element(v: BodyValidator, typeidx: int) -> FieldType:
    """The element type of a type, which must be an array type."""
    composite = v.module.deftype(typeidx).composite
    if not isinstance(composite, ArrayType):
        raise InvalidError(f"type mismatch: type {typeidx} is no array type")
    return composite.field


def mutable_element(v: BodyValidator, typeidx: int) -> FieldType:
    field = element(v, typeidx)
    if not field.mutable:
        raise InvalidError("immutable array")
    return field


def default_of(field: FieldType) -> None:
    if not field.storage.defaultable:
        raise InvalidError(f"type mismatch: {field.storage} has no default")


def check_packing(field: FieldType, packed: bool) -> None:
    if isinstance(field.storage, PackedType) != packed:
        raise InvalidError(f"type mismatch: field {field} is{' not' * packed} packed")


def operands_of(v: BodyValidator, typeidx: int) -> tuple[ValType, ...]:
    """The operands for the fields of a structure."""
    all_fields = fields(v, typeidx)
    if typeidx not in v.unpacked:
        v.spend(all_fields, SLOW)
        v.unpacked[typeidx] = tuple([field.storage.unpacked for field in all_fields])
    return v.unpacked[typeidx]


def struct_new(v: BodyValidator, imm: int) -> None:
    operands = operands_of(v, imm)
    undescribed(v, imm)
    v.pop_all(operands)
    v.stack.append(made(v, imm))


def undescribed(v: BodyValidator, typeidx: int) -> None:
    if v.module.deftype(typeidx).subtype.descriptor is not None:
        raise InvalidError("type with descriptor requires descriptor allocation")


def check_defaults(v: BodyValidator, typeidx: int) -> None:
    """Check that all fields of a structure have defaults."""
    all_fields = fields(v, typeidx)
    v.defaults += len(all_fields)
    if typeidx not in v.defaulted:
        v.spend(all_fields, SLOW)
        for field in all_fields:
            default_of(field)
        v.defaulted.add(typeidx)


def struct_new_default(v: BodyValidator, imm: int) -> None:
    check_defaults(v, imm)
    undescribed(v, imm)
    v.stack.append(made(v, imm))


def field_of(v: BodyValidator, arg: FieldArg) -> FieldType:
    all_fields = fields(v, arg.typeidx)
    if arg.fieldidx >= len(all_fields):
        raise InvalidError(f"unknown field {arg.fieldidx}")
    return all_fields[arg.fieldidx]


def get_field(v: BodyValidator, arg: FieldArg, packed: bool) -> None:
    field = field_of(v, arg)
    check_packing(field, packed)
    v.pop_all((reference(v, arg.typeidx),))
    v.stack.append(field.storage.unpacked)


def struct_get(v: BodyValidator, imm: FieldArg) -> None:
    get_field(v, imm, packed=False)


def struct_get_s(v: BodyValidator, imm: FieldArg) -> None:
    get_field(v, imm, packed=True)


struct_get_u = struct_get_s


def struct_set(v: BodyValidator, imm: FieldArg) -> None:
    field = field_of(v, imm)
    if not field.mutable:
        raise InvalidError("immutable field")
    v.pop_all((reference(v, imm.typeidx), field.storage.unpacked))


def array_new(v: BodyValidator, imm: int) -> None:
    v.pop_all((element(v, imm).storage.unpacked, I32))
    v.stack.append(made(v, imm))


def array_new_default(v: BodyValidator, imm: int) -> None:
    default_of(element(v, imm))
    v.pop_all((I32,))
    v.stack.append(made(v, imm))


def array_new_fixed(v: BodyValidator, imm: tuple[int, int]) -> None:
    typeidx, count = imm
    operand = element(v, typeidx).storage.unpacked
    if count > MOST_FIXED:
        raise InvalidError(f"too many elements: array.new_fixed may have {MOST_FIXED}")
    for _ in range(count):
        v.pop(operand)
        if v.frames[-1].unreachable and len(v.stack) == v.frames[-1].height:
            break  # the rest is unknown: don't loop over a huge count
    v.stack.append(made(v, typeidx))


def numeric(field: FieldType) -> None:
    if isinstance(field.storage, RefType):
        raise InvalidError("array type is not numeric or vector")


def elem_matches(v: BodyValidator, field: FieldType, elemidx: int) -> None:
    segment = v.module.closed(v.module.elems[elemidx].type)
    if not matches_storage(segment, field.storage):
        raise InvalidError(type_mismatch([field.storage], [segment]))


def array_new_data(v: BodyValidator, imm: tuple[int, int]) -> None:
    numeric(element(v, imm[0]))
    v.pop_all((I32, I32))
    v.stack.append(made(v, imm[0]))


def array_new_elem(v: BodyValidator, imm: tuple[int, int]) -> None:
    elem_matches(v, element(v, imm[0]), imm[1])
    v.pop_all((I32, I32))
    v.stack.append(made(v, imm[0]))


def get_element(v: BodyValidator, typeidx: int, packed: bool) -> None:
    field = element(v, typeidx)
    check_packing(field, packed)
    v.pop_all((reference(v, typeidx), I32))
    v.stack.append(field.storage.unpacked)


def array_get(v: BodyValidator, imm: int) -> None:
    get_element(v, imm, packed=False)


def array_get_s(v: BodyValidator, imm: int) -> None:
    get_element(v, imm, packed=True)


array_get_u = array_get_s


def array_set(v: BodyValidator, imm: int) -> None:
    field = mutable_element(v, imm)
    v.pop_all((reference(v, imm), I32, field.storage.unpacked))


def array_len(v: BodyValidator, imm: None) -> None:
    v.pop_all((RefType(ARRAY),))
    v.stack.append(I32)


def array_fill(v: BodyValidator, imm: int) -> None:
    field = mutable_element(v, imm)
    v.pop_all((reference(v, imm), I32, field.storage.unpacked, I32))


def array_copy(v: BodyValidator, imm: tuple[int, int]) -> None:
    target, source = imm
    if not matches_storage(element(v, source).storage, mutable_element(v, target).storage):
        raise InvalidError("array types do not match")
    v.pop_all((reference(v, target), I32, reference(v, source), I32, I32))


def array_init_data(v: BodyValidator, imm: tuple[int, int]) -> None:
    numeric(mutable_element(v, imm[0]))
    v.pop_all((reference(v, imm[0]), I32, I32, I32))


def array_init_elem(v: BodyValidator, imm: tuple[int, int]) -> None:
    elem_matches(v, mutable_element(v, imm[0]), imm[1])
    v.pop_all((reference(v, imm[0]), I32, I32, I32))


def ref_eq(v: BodyValidator, imm: None) -> None:
    v.pop_all((RefType(EQ), RefType(EQ)))
    v.stack.append(I32)


def cast_target(v: BodyValidator, heap: HeapType, *, nullable: bool) -> RefType:
    """The target type of a cast; pops the operand, which must be in the same hierarchy."""
    closed = v.module.close_heap(heap)
    v.pop_all((RefType(top_of(closed)),))
    return RefType(closed, nullable)


def ref_test(v: BodyValidator, imm: HeapType) -> None:
    cast_target(v, imm, nullable=False)
    v.stack.append(I32)


ref_test_null = ref_test


def ref_cast(v: BodyValidator, imm: HeapType) -> None:
    v.stack.append(cast_target(v, imm, nullable=False))


def ref_cast_null(v: BodyValidator, imm: HeapType) -> None:
    v.stack.append(cast_target(v, imm, nullable=True))


def cast_types(v: BodyValidator, cast: CastArg) -> tuple[RefType, RefType]:
    """The target type of a branch on a cast, and the operand's type if the cast fails."""
    source, target = v.module.closed(cast.source), v.module.closed(cast.target)
    related = top_of(target.heap) is top_of(source.heap) if v.exact else matches(target, source)
    if not related:
        raise InvalidError(type_mismatch([source], [target]))
    v.pop_all((source,))
    return target, RefType(source.heap, source.nullable and not target.nullable)


def branch_with(v: BodyValidator, label: int, carried: ValType, kept: ValType) -> None:
    """A branch that carries one type and leaves another on the stack."""
    frame = v.branch(label)
    if not frame.label_types:
        raise InvalidError(type_mismatch([carried], []))
    v.stack.append(carried)
    v.pop_all(frame.label_types)
    v.push_all((*frame.label_types[:-1], kept))


def br_on_cast(v: BodyValidator, imm: CastArg) -> None:
    v.label(imm.label)
    target, rest = cast_types(v, imm)
    branch_with(v, imm.label, target, rest)


def br_on_cast_fail(v: BodyValidator, imm: CastArg) -> None:
    v.label(imm.label)
    target, rest = cast_types(v, imm)
    branch_with(v, imm.label, rest, target)


def any_convert_extern(v: BodyValidator, imm: None) -> None:
    convert(v, EXTERN, ANY)


def extern_convert_any(v: BodyValidator, imm: None) -> None:
    convert(v, ANY, EXTERN)


def convert(v: BodyValidator, source: HeapType, target: HeapType) -> None:
    operand = v.pop_ref()
    if not matches(operand, RefType(source)):
        raise InvalidError(type_mismatch([RefType(source)], [operand]))
    v.stack.append(RefType(target, operand.nullable))


def ref_i31(v: BodyValidator, imm: None) -> None:
    v.pop_all((I32,))
    v.stack.append(RefType(I31, nullable=False))


def i31_get_s(v: BodyValidator, imm: None) -> None:
    v.pop_all((RefType(I31),))
    v.stack.append(I32)


i31_get_u = i31_get_s

"""Structures, arrays, i31 and conversions
(https://webassembly.github.io/spec/core/exec/instructions.html#aggregate-reference-instructions).

A field is an item of a list. So a null reference raises AttributeError and an index out of bounds IndexError;
`installing.functions.kind_of` says which trap that is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...instructions import Op
from ...runtime.heap import cost, element_of, fields_of
from ...types import ANY, ARRAY, I31, I32, STRUCT, NumType, PackedType, RefType, StorageType, ValType
from ..forms.integers import MASK, narrowed
from ..forms.operands import (
    NEAR,
    ZERO,
    Operand,
    attribute,
    binary,
    bounded,
    call,
    hexadecimal,
    item,
    item_of,
    listed,
    literal,
    number,
)
from ..forms.tree import Assign
from .emitter import Emitter, translates
from .integers import sign_extended

SIGN_OF_I31 = hexadecimal(0x40000000)


def operands(e: Emitter, *types: ValType) -> list[Operand]:
    """Pop operands, in order, after evaluating any waiting operand that may trap."""
    e.stack.settle()
    return e.stack.take(types)


def made(e: Emitter, name: str, *parts: Operand) -> None:
    """Push a call that creates an object, which is evaluated exactly once because the object has an
    identity."""
    e.push_trapping(call(name, parts))


def deftype(index: int) -> Operand:
    """A type defined in the module."""
    return item("deftypes", number(index))


def stored(storage: StorageType, value: Operand) -> Operand:
    """A value as it is stored in a field."""
    return narrowed(value, (1 << storage.bits) - 1) if isinstance(storage, PackedType) else value


def loaded(e: Emitter, values: Operand, index: Operand, storage: StorageType, signed: bool) -> None:
    """Push an item of the list of fields or elements."""
    match storage:
        case PackedType(bits=bits) | NumType(name="i32" | "i64", bits=bits):
            pass
        case _:
            bits = 0
    held = item_of(values, index, 0, (1 << bits) - 1 if bits else -1)
    e.push_trapping(sign_extended(held, 1 << bits - 1, NEAR) if signed else held)


@translates("struct.new")
def struct_new(e: Emitter, op: Op, imm: Any) -> None:
    fields = fields_of(e.module.deftype(imm))
    values = operands(e, *(field.storage.unpacked for field in fields))
    held = [stored(field.storage, value) for field, value in zip(fields, values, strict=True)]
    made(e, "heap.struct", deftype(imm), listed(held), number(cost(field.storage for field in fields)))


@translates("struct.new_default")
def struct_new_default(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    fields = fields_of(e.module.deftype(imm))
    defaults = literal([field.storage.default for field in fields])
    made(e, "heap.struct", deftype(imm), defaults, number(cost(field.storage for field in fields)))


@translates("struct.get", "struct.get_s", "struct.get_u")
def struct_get(e: Emitter, op: Op, imm: Any) -> None:
    (reference,) = operands(e, RefType(STRUCT))
    storage = fields_of(e.module.deftype(imm.typeidx))[imm.fieldidx].storage
    index = number(imm.fieldidx)
    loaded(e, attribute(reference, "fields"), index, storage, op.sign == "s")


@translates("struct.set")
def struct_set(e: Emitter, op: Op, imm: Any) -> None:
    storage = fields_of(e.module.deftype(imm.typeidx))[imm.fieldidx].storage
    reference, value = operands(e, RefType(STRUCT), storage.unpacked)
    put(e, attribute(reference, "fields"), number(imm.fieldidx), stored(storage, value))


def put(e: Emitter, values: Operand, index: Operand, value: Operand) -> None:
    """Set an item of the list of fields or elements."""
    e.stack.settle_state()
    e.code.append(Assign(item_of(values, index), value, e.pc))


@translates("array.new")
def array_new(e: Emitter, op: Op, imm: Any) -> None:
    storage = element_of(e.module.deftype(imm)).storage
    value, count = operands(e, storage.unpacked, I32)
    made(e, "heap.new", deftype(imm), stored(storage, value), *e.amount(count))


@translates("array.new_default")
def array_new_default(e: Emitter, op: Op, imm: Any) -> None:
    (count,) = operands(e, I32)
    default = literal(element_of(e.module.deftype(imm)).storage.default)
    made(e, "heap.new", deftype(imm), default, *e.amount(count))


@translates("array.new_fixed")
def array_new_fixed(e: Emitter, op: Op, imm: Any) -> None:
    typeidx, count = imm
    storage = element_of(e.module.deftype(typeidx)).storage
    values = operands(e, *(storage.unpacked,) * count)
    held = listed([stored(storage, value) for value in values])
    made(e, "heap.fixed", deftype(typeidx), held, number(cost((storage,), count)))


@translates("array.new_data", "array.new_elem")
def array_new_segment(e: Emitter, op: Op, imm: Any) -> None:
    typeidx, index = imm
    at, count = operands(e, I32, I32)
    made(e, f"heap.{op.verb}", deftype(typeidx), number(index), at, *e.amount(count))


@translates("array.get", "array.get_s", "array.get_u")
def array_get(e: Emitter, op: Op, imm: Any) -> None:
    reference, index = operands(e, RefType(ARRAY), I32)
    storage = element_of(e.module.deftype(imm)).storage
    loaded(e, attribute(reference, "elements"), index, storage, op.sign == "s")


@translates("array.set")
def array_set(e: Emitter, op: Op, imm: Any) -> None:
    storage = element_of(e.module.deftype(imm)).storage
    reference, index, value = operands(e, RefType(ARRAY), I32, storage.unpacked)
    put(e, attribute(reference, "elements"), index, stored(storage, value))


@translates("array.len")
def array_len(e: Emitter, op: Op, imm: Any) -> None:
    (reference,) = operands(e, RefType(ARRAY))
    e.push_trapping(call("len", (attribute(reference, "elements"),), 0, MASK[32]))


@translates("array.fill")
def array_fill(e: Emitter, op: Op, imm: Any) -> None:
    storage = element_of(e.module.deftype(imm)).storage
    reference, index, value, count = operands(e, RefType(ARRAY), I32, storage.unpacked, I32)
    e.change(call("array_fill", (reference, index, stored(storage, value), *e.amount(count))))


@translates("array.copy")
def array_copy(e: Emitter, op: Op, imm: Any) -> None:
    *values, count = operands(e, RefType(ARRAY), I32, RefType(ARRAY), I32, I32)
    e.change(call("array_copy", (*values, *e.amount(count))))


@translates("array.init_data", "array.init_elem")
def array_init(e: Emitter, op: Op, imm: Any) -> None:
    reference, index, at, count = operands(e, RefType(ARRAY), I32, I32, I32)
    parts: Sequence[Operand] = (reference, number(imm[1]), index, at, *e.amount(count))
    e.change(call(f"heap.{op.verb}", parts))


@translates("any.convert_extern", "extern.convert_any")
def convert(e: Emitter, op: Op, imm: Any) -> None:
    values = operands(e, RefType(ANY))
    made(e, "internalize" if op.name == "any.convert_extern" else "externalize", *values)


@translates("i31.get_s", "i31.get_u")
def i31_get(e: Emitter, op: Op, imm: Any) -> None:
    """Null is no number, so it raises TypeError."""
    (value,) = operands(e, RefType(I31))
    number_ = bounded(value, 0, 0x7FFFFFFF)
    if op.name == "i31.get_s":
        extended = binary("-", binary("^", number_, SIGN_OF_I31), SIGN_OF_I31, NEAR)
        e.push_trapping(bounded(extended, -1 << 30, (1 << 30) - 1))
    else:
        e.push_trapping(binary("+", number_, ZERO, NEAR))

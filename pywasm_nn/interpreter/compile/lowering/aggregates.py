"""Structures, arrays, i31 and casts
(https://webassembly.github.io/spec/core/exec/instructions.html#aggregate-reference-instructions).

A field is an item of a list, so a null reference is an AttributeError and an index out of bounds an
IndexError; `installing.functions.kind_of` says which trap that is.
"""

from __future__ import annotations

from typing import Any

from ...heap import cost, element_of, fields_of
from ...instructions import Op
from ...types import (
    ANY,
    ARRAY,
    I31,
    I32,
    I64,
    STRUCT,
    PackedType,
    RefType,
    StorageType,
    ValType,
)
from ..forms.operands import ATOM, EFFECTS, MASK, SUM, Operand
from .bulk import call_statement
from .emitter import Emitter, translates
from .memory import narrowed


def operands(e: Emitter, *types: ValType) -> list[Operand]:
    """Pop operands, in order, with nothing left waiting that may trap."""
    e.settle()
    return e.take(types)


def reads_of(values: list[Operand]) -> int:
    reads = 0
    for value in values:
        reads |= value.reads
    return reads


def made(e: Emitter, text: str, values: list[Operand]) -> None:
    """Push a value that is computed once: of things that are made, each has its own identity."""
    flags = ATOM
    for value in values:
        flags |= value.flags & EFFECTS
    depth = max((value.depth for value in values), default=0) + 1
    e.push_trapping(Operand(text, 0, -1, flags, reads_of(values), depth))


def stored(storage: StorageType, value: Operand) -> str:
    """A value as a field holds it."""
    return narrowed(value, (1 << storage.bits) - 1).text if isinstance(storage, PackedType) else value.text


def loaded(e: Emitter, text: str, storage: StorageType, values: list[Operand], signed: bool) -> None:
    """Push what a field holds."""
    reads, depth = reads_of(values), max(value.depth for value in values) + 1
    if signed:
        assert isinstance(storage, PackedType)
        half = 1 << storage.bits - 1
        e.push_trapping(Operand(f"({text} ^ {half}) - {half}", -half, half - 1, SUM, reads, depth + 1))
        return
    bits = storage.bits if isinstance(storage, PackedType) or storage in (I32, I64) else 0
    e.push_trapping(Operand(text, 0, (1 << bits) - 1 if bits else -1, ATOM, reads, depth))


@translates("struct.new")
def struct_new(e: Emitter, op: Op, imm: Any) -> None:
    fields = fields_of(e.module.deftype(imm))
    values = operands(e, *(field.storage.unpacked for field in fields))
    texts = ", ".join(stored(field.storage, value) for field, value in zip(fields, values, strict=True))
    made(e, f"heap.struct(deftypes[{imm}], [{texts}], {cost(field.storage for field in fields)})", values)


@translates("struct.new_default")
def struct_new_default(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    fields = fields_of(e.module.deftype(imm))
    defaults = [field.storage.default for field in fields]
    made(e, f"heap.struct(deftypes[{imm}], {defaults}, {cost(field.storage for field in fields)})", [])


@translates("struct.get", "struct.get_s", "struct.get_u")
def struct_get(e: Emitter, op: Op, imm: Any) -> None:
    values = operands(e, RefType(STRUCT))
    storage = fields_of(e.module.deftype(imm.typeidx))[imm.fieldidx].storage
    loaded(e, f"{values[0].term}.fields[{imm.fieldidx}]", storage, values, op.name.endswith("_s"))


@translates("struct.set")
def struct_set(e: Emitter, op: Op, imm: Any) -> None:
    storage = fields_of(e.module.deftype(imm.typeidx))[imm.fieldidx].storage
    reference, value = operands(e, RefType(STRUCT), storage.unpacked)
    call_statement(e, f"{reference.term}.fields[{imm.fieldidx}] = {stored(storage, value)}")


@translates("array.new")
def array_new(e: Emitter, op: Op, imm: Any) -> None:
    storage = element_of(e.module.deftype(imm)).storage
    value, count = operands(e, storage.unpacked, I32)
    made(e, f"heap.new(deftypes[{imm}], {stored(storage, value)}, {e.amount(count)})", [value, count])


@translates("array.new_default")
def array_new_default(e: Emitter, op: Op, imm: Any) -> None:
    (count,) = operands(e, I32)
    default = element_of(e.module.deftype(imm)).storage.default
    made(e, f"heap.new(deftypes[{imm}], {default}, {e.amount(count)})", [count])


@translates("array.new_fixed")
def array_new_fixed(e: Emitter, op: Op, imm: Any) -> None:
    typeidx, count = imm
    storage = element_of(e.module.deftype(typeidx)).storage
    values = operands(e, *(storage.unpacked,) * count)
    texts = ", ".join(stored(storage, value) for value in values)
    made(e, f"heap.fixed(deftypes[{typeidx}], [{texts}], {cost((storage,), count)})", values)


@translates("array.new_data", "array.new_elem")
def array_new_segment(e: Emitter, op: Op, imm: Any) -> None:
    typeidx, index = imm
    at, count = operands(e, I32, I32)
    function = op.name.removeprefix("array.")
    text = f"heap.{function}(deftypes[{typeidx}], {index}, {at.text}, {e.amount(count)})"
    made(e, text, [at, count])


@translates("array.get", "array.get_s", "array.get_u")
def array_get(e: Emitter, op: Op, imm: Any) -> None:
    values = operands(e, RefType(ARRAY), I32)
    storage = element_of(e.module.deftype(imm)).storage
    loaded(e, f"{values[0].term}.elements[{values[1].text}]", storage, values, op.name.endswith("_s"))


@translates("array.set")
def array_set(e: Emitter, op: Op, imm: Any) -> None:
    storage = element_of(e.module.deftype(imm)).storage
    reference, index, value = operands(e, RefType(ARRAY), I32, storage.unpacked)
    call_statement(e, f"{reference.term}.elements[{index.text}] = {stored(storage, value)}")


@translates("array.len")
def array_len(e: Emitter, op: Op, imm: Any) -> None:
    (reference,) = operands(e, RefType(ARRAY))
    text = f"len({reference.term}.elements)"
    e.push_trapping(Operand(text, 0, MASK[32], ATOM, reference.reads, reference.depth + 1))


@translates("array.fill")
def array_fill(e: Emitter, op: Op, imm: Any) -> None:
    storage = element_of(e.module.deftype(imm)).storage
    reference, index, value, count = operands(e, RefType(ARRAY), I32, storage.unpacked, I32)
    text = f"array_fill({reference.text}, {index.text}, {stored(storage, value)}, {e.amount(count)})"
    call_statement(e, text)


@translates("array.copy")
def array_copy(e: Emitter, op: Op, imm: Any) -> None:
    *values, count = operands(e, RefType(ARRAY), I32, RefType(ARRAY), I32, I32)
    call_statement(e, f"array_copy({', '.join(value.text for value in values)}, {e.amount(count)})")


@translates("array.init_data", "array.init_elem")
def array_init(e: Emitter, op: Op, imm: Any) -> None:
    reference, index, at, count = operands(e, RefType(ARRAY), I32, I32, I32)
    texts = f"{reference.text}, {imm[1]}, {index.text}, {at.text}, {e.amount(count)}"
    call_statement(e, f"heap.{op.name.removeprefix('array.')}({texts})")


@translates("any.convert_extern", "extern.convert_any")
def convert(e: Emitter, op: Op, imm: Any) -> None:
    values = operands(e, RefType(ANY))
    function = "internalize" if op.name == "any.convert_extern" else "externalize"
    made(e, f"{function}({values[0].text})", values)


@translates("i31.get_s", "i31.get_u")
def i31_get(e: Emitter, op: Op, imm: Any) -> None:
    (value,) = operands(e, RefType(I31))
    if op.name == "i31.get_s":
        text, lo, hi = f"({value.term} ^ 0x40000000) - 0x40000000", -1 << 30, (1 << 30) - 1
    else:
        text, lo, hi = f"{value.term} + 0", 0, 0x7FFFFFFF
    e.push_trapping(Operand(text, lo, hi, SUM, value.reads, value.depth + 2))

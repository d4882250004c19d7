"""Instructions on structures, arrays, i31 and casts
(exec/instructions.html#aggregate-reference-instructions).

`imm` is resolved as in `code.resolve`: types are closed, and fields include their storage type.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from ...errors import Trap, TrapKind
from ..runtime import heap
from ..runtime.heap import (
    Array,
    I31Value,
    Struct,
    cast_failure,
    element_of,
    elements,
    extended,
    externalize,
    fields_of,
    has_type,
    internalize,
    packed,
)
from ..types import DefType, RefType, StorageType
from ..validate import Label
from .control import br
from .operands import take

if TYPE_CHECKING:
    from .machine import Frame, Machine

Field = tuple[int, StorageType]


def struct_new(machine: Machine, frame: Frame, imm: DefType) -> None:
    fields = fields_of(imm)
    values = take(frame, len(fields)) if fields else []
    stored = [packed(field.storage, value) for field, value in zip(fields, values, strict=True)]
    frame.stack.append(frame.instance.heap.struct(imm, stored, cost_of(imm)))


def struct_new_default(machine: Machine, frame: Frame, imm: DefType) -> None:
    stored = [field.storage.default for field in fields_of(imm)]
    frame.stack.append(frame.instance.heap.struct(imm, stored, cost_of(imm)))


@cache
def cost_of(deftype: DefType) -> int:
    """The cost of a structure of this type."""
    return heap.cost(field.storage for field in fields_of(deftype))


def structure(reference: Struct | None) -> Struct:
    if reference is None:
        raise Trap(TrapKind.NULL_STRUCTURE)
    return reference


def struct_get(machine: Machine, frame: Frame, imm: Field) -> None:
    frame.stack[-1] = structure(frame.stack[-1]).fields[imm[0]]


struct_get_u = struct_get


def struct_get_s(machine: Machine, frame: Frame, imm: Field) -> None:
    fieldidx, storage = imm
    frame.stack[-1] = extended(storage, structure(frame.stack[-1]).fields[fieldidx])


def struct_set(machine: Machine, frame: Frame, imm: Field) -> None:
    fieldidx, storage = imm
    reference, value = take(frame, 2)
    structure(reference).fields[fieldidx] = packed(storage, value)


def array_new(machine: Machine, frame: Frame, imm: DefType) -> None:
    value, count = take(frame, 2)
    element, patience = packed(element_of(imm).storage, value), frame.instance.meter.patience
    frame.stack.append(frame.instance.heap.new(imm, element, count, patience))


def array_new_default(machine: Machine, frame: Frame, imm: DefType) -> None:
    element, patience = element_of(imm).storage.default, frame.instance.meter.patience
    frame.stack[-1] = frame.instance.heap.new(imm, element, frame.stack[-1], patience)


def array_new_fixed(machine: Machine, frame: Frame, imm: tuple[DefType, int]) -> None:
    deftype, count = imm
    storage = element_of(deftype).storage
    values = take(frame, count) if count else []
    stored = [packed(storage, value) for value in values]
    frame.stack.append(frame.instance.heap.fixed(deftype, stored, heap.cost((storage,), count)))


def array_new_data(machine: Machine, frame: Frame, imm: tuple[DefType, int]) -> None:
    at, count = take(frame, 2)
    made = frame.instance.heap.new_data(*imm, at, count, frame.instance.meter.patience)
    frame.stack.append(made)


def array_new_elem(machine: Machine, frame: Frame, imm: tuple[DefType, int]) -> None:
    at, count = take(frame, 2)
    made = frame.instance.heap.new_elem(*imm, at, count, frame.instance.meter.patience)
    frame.stack.append(made)


def place(reference: Array | None, index: int) -> list[Any]:
    """The elements of an array; traps if the index is out of bounds."""
    found = elements(reference)
    if index >= len(found):
        raise Trap(TrapKind.OUT_OF_BOUNDS_ARRAY)
    return found


def array_get(machine: Machine, frame: Frame, imm: DefType) -> None:
    reference, index = take(frame, 2)
    frame.stack.append(place(reference, index)[index])


array_get_u = array_get


def array_get_s(machine: Machine, frame: Frame, imm: DefType) -> None:
    array_get(machine, frame, imm)
    frame.stack[-1] = extended(element_of(imm).storage, frame.stack[-1])


def array_set(machine: Machine, frame: Frame, imm: DefType) -> None:
    reference, index, value = take(frame, 3)
    place(reference, index)[index] = packed(element_of(imm).storage, value)


def array_len(machine: Machine, frame: Frame, imm: None) -> None:
    frame.stack[-1] = len(elements(frame.stack[-1]))


def array_fill(machine: Machine, frame: Frame, imm: DefType) -> None:
    reference, index, value, count = take(frame, 4)
    element, patience = packed(element_of(imm).storage, value), frame.instance.meter.patience
    heap.array_fill(reference, index, element, count, patience)


def array_copy(machine: Machine, frame: Frame, imm: Any) -> None:
    target, index, source, at, count = take(frame, 5)
    heap.array_copy(target, index, source, at, count, frame.instance.meter.patience)


def array_init_data(machine: Machine, frame: Frame, imm: tuple[DefType, int]) -> None:
    reference, index, at, count = take(frame, 4)
    frame.instance.heap.init_data(reference, imm[1], index, at, count, frame.instance.meter.patience)


def array_init_elem(machine: Machine, frame: Frame, imm: tuple[DefType, int]) -> None:
    reference, index, at, count = take(frame, 4)
    frame.instance.heap.init_elem(reference, imm[1], index, at, count, frame.instance.meter.patience)


def ref_eq(machine: Machine, frame: Frame, imm: None) -> None:
    second = frame.stack.pop()
    frame.stack[-1] = 1 if frame.stack[-1] == second else 0


def ref_test(machine: Machine, frame: Frame, imm: RefType) -> None:
    frame.stack[-1] = 1 if has_type(frame.stack[-1], imm) else 0


ref_test_null = ref_test


def ref_cast(machine: Machine, frame: Frame, imm: RefType) -> None:
    if not has_type(frame.stack[-1], imm):
        cast_failure()


ref_cast_null = ref_cast


def br_on_cast(machine: Machine, frame: Frame, imm: tuple[Label, RefType]) -> None:
    label, target = imm
    if has_type(frame.stack[-1], target):
        br(machine, frame, label)


def br_on_cast_fail(machine: Machine, frame: Frame, imm: tuple[Label, RefType]) -> None:
    label, target = imm
    if not has_type(frame.stack[-1], target):
        br(machine, frame, label)


def any_convert_extern(machine: Machine, frame: Frame, imm: None) -> None:
    frame.stack[-1] = internalize(frame.stack[-1])


def extern_convert_any(machine: Machine, frame: Frame, imm: None) -> None:
    frame.stack[-1] = externalize(frame.stack[-1])


def ref_i31(machine: Machine, frame: Frame, imm: None) -> None:
    frame.stack[-1] = I31Value(frame.stack[-1] & 0x7FFFFFFF)


def i31_get_s(machine: Machine, frame: Frame, imm: None) -> None:
    i31_get_u(machine, frame, imm)
    frame.stack[-1] = ((frame.stack[-1] ^ 0x40000000) - 0x40000000) & 0xFFFFFFFF


def i31_get_u(machine: Machine, frame: Frame, imm: None) -> None:
    if frame.stack[-1] is None:
        raise Trap(TrapKind.NULL_I31)
    frame.stack[-1] = int(frame.stack[-1])

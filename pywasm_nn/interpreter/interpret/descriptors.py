"""Instructions on structures that are described by structures
(https://github.com/WebAssembly/custom-descriptors).

`imm` is resolved as in `code.resolve`: types are closed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..runtime.heap import (
    described_cost,
    describing,
    descriptor_cast_failure,
    fields_of,
    get_descriptor,
    has_descriptor,
    packed,
)
from ..types import DefType, RefType
from ..validate import Label
from .control import br
from .operands import take

if TYPE_CHECKING:
    from .machine import Frame, Machine


def struct_new_desc(machine: Machine, frame: Frame, imm: DefType) -> None:
    fields = fields_of(imm)
    *values, descriptor = take(frame, len(fields) + 1)
    describing(descriptor)
    stored = [packed(field.storage, value) for field, value in zip(fields, values, strict=True)]
    push(frame, imm, [*stored, descriptor])


def struct_new_default_desc(machine: Machine, frame: Frame, imm: DefType) -> None:
    descriptor = describing(frame.stack.pop())
    push(frame, imm, [*(field.storage.default for field in fields_of(imm)), descriptor])


def push(frame: Frame, deftype: DefType, stored: list[Any]) -> None:
    """Push a structure, given its fields and its descriptor."""
    frame.stack.append(frame.instance.heap.struct(deftype, stored, described_cost(deftype)))


def ref_get_desc(machine: Machine, frame: Frame, imm: DefType) -> None:
    frame.stack[-1] = get_descriptor(frame.stack[-1])


def described(frame: Frame, target: RefType) -> bool:
    """Pop a descriptor; whether the reference below it has the descriptor."""
    descriptor = frame.stack.pop()
    return has_descriptor(frame.stack[-1], descriptor, target.nullable)


def ref_cast_desc_eq(machine: Machine, frame: Frame, imm: RefType) -> None:
    if not described(frame, imm):
        descriptor_cast_failure()


ref_cast_null_desc_eq = ref_cast_desc_eq


def br_on_cast_desc_eq(machine: Machine, frame: Frame, imm: tuple[Label, RefType]) -> None:
    label, target = imm
    if described(frame, target):
        br(machine, frame, label)


def br_on_cast_desc_eq_fail(machine: Machine, frame: Frame, imm: tuple[Label, RefType]) -> None:
    label, target = imm
    if not described(frame, target):
        br(machine, frame, label)

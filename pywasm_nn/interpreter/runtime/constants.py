"""Evaluates constant expressions (https://webassembly.github.io/spec/core/exec/modules.html#instantiation):
initialisers and offsets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..instructions.cells import evaluator
from ..module import Body
from ..numerics import float32, float64
from .heap import (
    Array,
    I31Value,
    Struct,
    cost,
    described_cost,
    describing,
    element_of,
    externalize,
    fields_of,
    internalize,
    packed,
)
from .instance import Instance

MANY = 100
"""A structure of more fields takes longer than a check of the time."""


def evaluate(instance: Instance, body: Body) -> Any:
    """The value of a constant expression."""
    stack: list[Any] = []
    if len(body.ops) == 2 and body.ops[0].name in CONSTANTS:  # nearly all are, and there can be thousands
        return CONSTANTS[body.ops[0].name](instance, body.imms[0], stack)
    for op, imm in body:
        if op.name in CONSTANTS:
            stack.append(CONSTANTS[op.name](instance, imm, stack))
        elif op.params:
            stack.append(evaluator(op)(*taken(stack, len(op.params))))
    return stack.pop()


def taken(stack: list[Any], count: int) -> list[Any]:
    """Operands taken off the stack, the last one on top."""
    start = len(stack) - count
    operands = stack[start:]
    del stack[start:]
    return operands


def look(instance: Instance, count: int) -> None:
    """Check the time of the waiting call before so many fields or elements are set, if they are many: each
    global may have a structure of 10,000. Raises DeadlineError."""
    if count > MANY:
        instance.meter.patience()


def struct_new(instance: Instance, imm: int, stack: list[Any]) -> Struct:
    deftype = instance.module.deftype(imm)
    fields = fields_of(deftype)
    look(instance, len(fields))
    values = taken(stack, len(fields))
    stored = [packed(field.storage, value) for field, value in zip(fields, values, strict=True)]
    return instance.heap.struct(deftype, stored, cost(field.storage for field in fields))


def struct_new_default(instance: Instance, imm: int, stack: list[Any]) -> Struct:
    deftype = instance.module.deftype(imm)
    fields = fields_of(deftype)
    look(instance, len(fields))
    stored = [field.storage.default for field in fields]
    return instance.heap.struct(deftype, stored, cost(field.storage for field in fields))


def struct_new_desc(instance: Instance, imm: int, stack: list[Any]) -> Struct:
    descriptor = describing(stack.pop())
    deftype = instance.module.deftype(imm)
    fields = fields_of(deftype)
    look(instance, len(fields))
    values = taken(stack, len(fields))
    stored = [packed(field.storage, value) for field, value in zip(fields, values, strict=True)]
    return instance.heap.struct(deftype, [*stored, descriptor], described_cost(deftype))


def struct_new_default_desc(instance: Instance, imm: int, stack: list[Any]) -> Struct:
    descriptor = describing(stack.pop())
    deftype = instance.module.deftype(imm)
    fields = fields_of(deftype)
    look(instance, len(fields))
    stored = [field.storage.default for field in fields]
    return instance.heap.struct(deftype, [*stored, descriptor], described_cost(deftype))


def array_new(instance: Instance, imm: int, stack: list[Any]) -> Array:
    deftype = instance.module.deftype(imm)
    value, count = taken(stack, 2)
    value = packed(element_of(deftype).storage, value)
    return instance.heap.new(deftype, value, count, instance.meter.patience)


def array_new_default(instance: Instance, imm: int, stack: list[Any]) -> Array:
    deftype = instance.module.deftype(imm)
    default = element_of(deftype).storage.default
    return instance.heap.new(deftype, default, stack.pop(), instance.meter.patience)


def array_new_fixed(instance: Instance, imm: tuple[int, int], stack: list[Any]) -> Array:
    deftype = instance.module.deftype(imm[0])
    storage = element_of(deftype).storage
    look(instance, imm[1])
    stored = [packed(storage, value) for value in taken(stack, imm[1])]
    return instance.heap.fixed(deftype, stored, cost((storage,), len(stored)))


CONSTANTS: dict[str, Callable[[Instance, Any, list[Any]], Any]] = {
    "i32.const": lambda instance, imm, stack: imm,
    "i64.const": lambda instance, imm, stack: imm,
    "f32.const": lambda instance, imm, stack: float32(imm),
    "f64.const": lambda instance, imm, stack: float64(imm),
    "v128.const": lambda instance, imm, stack: imm,
    "global.get": lambda instance, imm, stack: instance.globals[imm].raw,
    "ref.null": lambda instance, imm, stack: None,
    "ref.func": lambda instance, imm, stack: instance.funcs[imm],
    "ref.i31": lambda instance, imm, stack: I31Value(stack.pop() & 0x7FFFFFFF),
    "struct.new": struct_new,
    "struct.new_default": struct_new_default,
    "struct.new_desc": struct_new_desc,
    "struct.new_default_desc": struct_new_default_desc,
    "array.new": array_new,
    "array.new_default": array_new_default,
    "array.new_fixed": array_new_fixed,
    "any.convert_extern": lambda instance, imm, stack: internalize(stack.pop()),
    "extern.convert_any": lambda instance, imm, stack: externalize(stack.pop()),
}
"""Instructions without an expression in the table; each takes its operands off the stack."""

"""Structures that are described by structures (https://github.com/WebAssembly/custom-descriptors)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...instructions import Op
from ...runtime.heap import described_cost, fields_of
from ...types import STRUCT, RefType
from ..forms.operands import BOOL, Operand, call, listed, literal, number, unary
from ..forms.tree import Do, When
from .aggregates import deftype, made, operands, stored
from .emitter import Emitter, translates
from .references import branch


@translates("struct.new_desc")
def struct_new_desc(e: Emitter, op: Op, imm: Any) -> None:
    fields = fields_of(e.module.deftype(imm))
    *values, descriptor = operands(e, *(field.storage.unpacked for field in fields), RefType(STRUCT))
    held = [stored(field.storage, value) for field, value in zip(fields, values, strict=True)]
    new(e, imm, held, descriptor)


@translates("struct.new_default_desc")
def struct_new_default_desc(e: Emitter, op: Op, imm: Any) -> None:
    (descriptor,) = operands(e, RefType(STRUCT))
    new(e, imm, [literal(field.storage.default) for field in fields_of(e.module.deftype(imm))], descriptor)


def new(e: Emitter, typeidx: int, held: Sequence[Operand], descriptor: Operand) -> None:
    """Push a structure, given its fields and its descriptor."""
    contents = listed([*held, call("describing", (descriptor,))])
    cost = number(described_cost(e.module.deftype(typeidx)))
    made(e, "heap.struct", deftype(typeidx), contents, cost)


@translates("ref.get_desc")
def ref_get_desc(e: Emitter, op: Op, imm: Any) -> None:
    (reference,) = operands(e, RefType(STRUCT))
    e.push_trapping(call("get_descriptor", (reference,)))


def described(e: Emitter, nullable: bool) -> Operand:
    """Pop a descriptor, which must not be null. A condition, which can't trap: whether the reference below it
    has the descriptor."""
    e.stack.settle()
    reference = e.stack.bind(len(e.stack) - 2)
    descriptor = e.stack.pop_bound()
    e.code.append(Do(call("describing", (descriptor,)), e.pc))
    return call("has_descriptor", (reference, descriptor, literal(nullable)), 0, 1, BOOL)


@translates("ref.cast_desc_eq", "ref.cast_null_desc_eq")
def ref_cast_desc_eq(e: Emitter, op: Op, imm: Any) -> None:
    test = described(e, op.takes_null)
    e.code.append(When(unary("not", test), (Do(call("descriptor_cast_failure", ())),), e.pc))


@translates("br_on_cast_desc_eq")
def br_on_cast_desc_eq(e: Emitter, op: Op, imm: Any) -> None:
    branch(e, described(e, imm.target.nullable), imm.label)


@translates("br_on_cast_desc_eq_fail")
def br_on_cast_desc_eq_fail(e: Emitter, op: Op, imm: Any) -> None:
    branch(e, unary("not", described(e, imm.target.nullable)), imm.label)

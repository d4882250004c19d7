"""References: null, equality, casts, i31, and branches on them
(https://webassembly.github.io/spec/core/exec/instructions.html#reference-instructions)."""

from __future__ import annotations

from typing import Any

from ...instructions import Op
from ...types import (
    ANY,
    ARRAY,
    EQ,
    EXN,
    EXTERN,
    FUNC,
    I31,
    I32,
    STRUCT,
    AbsHeapType,
    FuncType,
    HeapType,
    RefType,
    StructType,
    TypeIdx,
)
from ..forms.operands import ATOM, BOOL, EFFECTS, VAR, Operand
from ..forms.tree import If
from .aggregates import made, operands
from .control import arm
from .emitter import Emitter, translates
from .memory import narrowed

TOPS = frozenset({ANY, FUNC, EXTERN, EXN})
TESTS = {STRUCT: "type({}) is Struct", ARRAY: "type({}) is Array", I31: "type({}) is I31Value"}
"""How a reference that may be null is seen to be of an abstract type."""


@translates("ref.null")
def ref_null(e: Emitter, op: Op, imm: Any) -> None:
    e.push(Operand("None", 0, -1, ATOM | VAR))


@translates("ref.is_null")
def ref_is_null(e: Emitter, op: Op, imm: Any) -> None:
    reference = e.stack.pop()
    e.push(
        Operand(
            f"{reference.term} is None",
            0,
            1,
            reference.flags & EFFECTS | BOOL,
            reference.reads,
            reference.depth + 1,
        )
    )


@translates("ref.func")
def ref_func(e: Emitter, op: Op, imm: Any) -> None:
    e.push(Operand(f"ref_func({imm})", 0, -1, ATOM))


@translates("ref.eq")
def ref_eq(e: Emitter, op: Op, imm: Any) -> None:
    second, first = e.stack.pop(), e.stack.pop()
    flags = (first.flags | second.flags) & EFFECTS | BOOL
    depth = max(first.depth, second.depth) + 1
    e.push(Operand(f"{first.term} == {second.term}", 0, 1, flags, first.reads | second.reads, depth))


@translates("ref.i31")
def ref_i31(e: Emitter, op: Op, imm: Any) -> None:
    values = operands(e, I32)
    text = narrowed(values[0], 0x7FFFFFFF).text
    made(e, f"I31Value({text})", values)


@translates("ref.as_non_null")
def ref_as_non_null(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    reference = e.stack.pop()
    e.push_trapping(Operand(f"non_null({reference.text})", 0, -1, ATOM, reference.reads, reference.depth + 1))


@translates("br_on_null")
def br_on_null(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    reference = e.bind(len(e.stack) - 1)
    e.stack.pop()
    branch(e, f"{reference.text} is None", imm)
    e.stack.append(reference)


@translates("br_on_non_null")
def br_on_non_null(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    reference = e.bind(len(e.stack) - 1)
    branch(e, f"{reference.text} is not None", imm)
    e.stack.pop()


def branch(e: Emitter, condition: str, depth: int) -> None:
    """Branch if a condition that can't trap is true; the label's values are on the stack."""
    node = If(condition, -1)
    e.seq.append(node)
    arm(e, node.then, depth)
    e.seq = node.orelse


def is_type(e: Emitter, name: str, target: RefType) -> str:
    """A text that is true exactly if the variable `name` holds a reference of the type."""
    heap = target.heap
    if isinstance(heap, AbsHeapType) and heap in TOPS:
        return "1" if target.nullable else f"{name} is not None"
    test = test_of(e, name, heap)
    if not test:
        return f"{name} is None" if target.nullable else "0"
    return f"{name} is None or {test}" if target.nullable else test


def test_of(e: Emitter, name: str, heap: HeapType) -> str:
    """The same for references that aren't null; nothing where there are none of the type."""
    if isinstance(heap, TypeIdx):
        deftype = e.module.deftype(heap.index)
        known = f"deftypes[{heap.index}]"
        exact = f"{name}.deftype is {known}"
        if not deftype.subtype.final:
            exact = f"({exact} or {known} in {name}.deftype.supers)"
        if isinstance(deftype.composite, FuncType):
            return f"{name} is not None and {exact}"
        kind = "Struct" if isinstance(deftype.composite, StructType) else "Array"
        return f"type({name}) is {kind} and {exact}"
    if heap is EQ:
        return f"isinstance({name}, equatable)"
    assert isinstance(heap, AbsHeapType)  # as modules write types
    return TESTS[heap].format(name) if heap in TESTS else ""


@translates("ref.test", "ref.test_null")
def ref_test(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    reference = e.bind(len(e.stack) - 1)
    e.stack.pop()
    text = is_type(e, reference.text, RefType(imm, op.name.endswith("_null")))
    e.push(Operand(text, 0, 1, BOOL, reference.reads, reference.depth + 2))


@translates("ref.cast", "ref.cast_null")
def ref_cast(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    reference = e.bind(len(e.stack) - 1)
    text = is_type(e, reference.text, RefType(imm, op.name.endswith("_null")))
    e.line(f"if not ({text}): cast_failure()", e.pc)


@translates("br_on_cast")
def br_on_cast(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    reference = e.bind(len(e.stack) - 1)
    branch(e, is_type(e, reference.text, imm.target), imm.label)


@translates("br_on_cast_fail")
def br_on_cast_fail(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    reference = e.bind(len(e.stack) - 1)
    branch(e, f"not ({is_type(e, reference.text, imm.target)})", imm.label)

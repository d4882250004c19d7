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
    Exact,
    FuncType,
    HeapType,
    RefType,
    StructType,
    TypeIdx,
)
from ..forms.integers import narrowed
from ..forms.operands import (
    BOOL,
    NONE,
    Operand,
    attribute,
    call,
    compared,
    float_test,
    joined,
    number,
    unary,
    word,
)
from ..forms.tree import Do, When
from .aggregates import deftype, made, operands
from .control import arm
from .emitter import Emitter, translates

TOPS = frozenset({ANY, FUNC, EXTERN, EXN})
CLASSES = {STRUCT: "Struct", ARRAY: "Array", I31: "I31Value"}
"""Python classes of non-null references, by abstract type."""


@translates("ref.null")
def ref_null(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.push(NONE)


@translates("ref.is_null")
def ref_is_null(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.push(is_null(e.stack.pop()))


def is_null(reference: Operand) -> Operand:
    return float_test("is", reference, NONE)


@translates("ref.func")
def ref_func(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.push(call("ref_func", (number(imm),)))


@translates("ref.eq")
def ref_eq(e: Emitter, op: Op, imm: Any) -> None:
    second, first = e.stack.pop(), e.stack.pop()
    e.stack.push(float_test("==", first, second))


@translates("ref.i31")
def ref_i31(e: Emitter, op: Op, imm: Any) -> None:
    (value,) = operands(e, I32)
    made(e, "I31Value", narrowed(value, 0x7FFFFFFF))


@translates("ref.as_non_null")
def ref_as_non_null(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    e.push_trapping(call("non_null", (e.stack.pop(),)))


@translates("br_on_null")
def br_on_null(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    reference = e.stack.pop_bound()
    branch(e, compared("is", reference, NONE), imm)
    e.stack.append(reference)


@translates("br_on_non_null")
def br_on_non_null(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    reference = e.stack.bind(len(e.stack) - 1)
    branch(e, compared("is not", reference, NONE), imm)
    e.stack.pop()


def branch(e: Emitter, condition: Operand, depth: int) -> None:
    """Branch if a condition is true; it can't trap, and the label's values are on the stack."""
    node = e.code.begin_choice(condition)
    arm(e, node.then, e.code.target(depth))
    e.code.go_on(node.orelse)


def is_type(e: Emitter, reference: Operand, target: RefType) -> Operand:
    """A condition that is true if a repeatable reference has the type."""
    heap = target.heap
    if isinstance(heap, AbsHeapType) and heap in TOPS:
        return number(1) if target.nullable else compared("is not", reference, NONE)
    test = test_of(e, reference, heap)
    null = compared("is", reference, NONE)
    if test is None:
        return null if target.nullable else number(0)
    return joined("or", [null, test]) if target.nullable else test


def test_of(e: Emitter, reference: Operand, heap: HeapType) -> Operand | None:
    """The same for non-null references; None if no non-null reference has the type."""
    if isinstance(heap, Exact):
        assert isinstance(heap.type, TypeIdx)  # as modules write types
        return test_of_defined(e, reference, heap.type.index, exactly=True)
    if isinstance(heap, TypeIdx):
        return test_of_defined(e, reference, heap.index)
    if heap is EQ:
        return call("isinstance", (reference, word("equatable")), 0, 1, BOOL)
    assert isinstance(heap, AbsHeapType)  # as modules write types
    return is_instance(reference, CLASSES[heap]) if heap in CLASSES else None


def test_of_defined(e: Emitter, reference: Operand, index: int, exactly: bool = False) -> Operand:
    """The same for a type that the module defines, or for that without its subtypes."""
    defined, known, own = e.module.deftype(index), deftype(index), attribute(reference, "deftype")
    exact = compared("is", own, known)
    if not (exactly or defined.subtype.final):
        exact = joined("or", [exact, compared("in", known, attribute(own, "supers"))])
    if isinstance(defined.composite, FuncType):
        return joined("and", [compared("is not", reference, NONE), exact])
    kind = "Struct" if isinstance(defined.composite, StructType) else "Array"
    return joined("and", [is_instance(reference, kind), exact])


def is_instance(reference: Operand, name: str) -> Operand:
    return compared("is", call("type", (reference,)), word(name))


@translates("ref.test", "ref.test_null")
def ref_test(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    reference = e.stack.pop_bound()
    test = is_type(e, reference, RefType(imm, op.takes_null))
    e.stack.push(test)


@translates("ref.cast", "ref.cast_null")
def ref_cast(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    reference = e.stack.bind(len(e.stack) - 1)
    test = is_type(e, reference, RefType(imm, op.takes_null))
    e.code.append(When(unary("not", test), (Do(call("cast_failure", ())),), e.pc))


@translates("br_on_cast")
def br_on_cast(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    reference = e.stack.bind(len(e.stack) - 1)
    branch(e, is_type(e, reference, imm.target), imm.label)


@translates("br_on_cast_fail")
def br_on_cast_fail(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    reference = e.stack.bind(len(e.stack) - 1)
    branch(e, unary("not", is_type(e, reference, imm.target)), imm.label)

"""Defined types: the same object for equal definitions, whatever module they are in; which matches which."""

from __future__ import annotations

import gc
from itertools import product
from weakref import ref

import pytest

from pywasm_nn.errors import InvalidError
from pywasm_nn.interpreter.binary import decode
from pywasm_nn.interpreter.defining import define_func
from pywasm_nn.interpreter.encode import encode
from pywasm_nn.interpreter.matching import SUPERS, matches_heap, matches_value, top_of
from pywasm_nn.interpreter.module import Module
from pywasm_nn.interpreter.text import parse
from pywasm_nn.interpreter.types import (
    HEAP_TYPES,
    I32,
    FieldType,
    FuncType,
    HeapType,
    RecType,
    RefType,
    StructType,
    SubType,
    TypeIdx,
)
from pywasm_nn.interpreter.validate import validate_all


def types(text: str) -> tuple[object, ...]:
    return parse(f"(module {text})").deftypes


LIST = "(rec (type $a (struct (field (ref null $b)))) (type $b (sub (array (mut (ref $a))))))"


def test_equal_groups_are_one_object_in_all_modules() -> None:
    assert types(LIST) == types(f"(type (func)) {LIST}")[1:]
    assert types("(type (func (param i32)))") == (define_func(FuncType((I32,))),)
    # Written with indices of their own, and all the same.
    first, second = types("(type $a (struct (field (ref null $a)))) (type $b (struct (field (ref null $b))))")
    assert first is second


@pytest.mark.parametrize(
    "other",
    [
        "(rec (type $a (struct (field (ref null $b)))) (type $b (array (mut (ref $a)))))",
        "(rec (type $b (sub (array (mut (ref $a))))) (type $a (struct (field (ref null $b)))))",
        "(rec (type $a (struct (field (ref $b)))) (type $b (sub (array (mut (ref $a))))))",
        f"{LIST[:-1]} (type (func)))",
    ],
)
def test_groups_that_differ_have_no_type_in_common(other: str) -> None:
    assert not set(types(LIST)) & set(types(other))


def test_types_go_with_those_who_use_them() -> None:
    made = define_func(FuncType((I32,) * 77))
    group = ref(made.group)
    del made
    gc.collect()
    assert group() is None


def closed() -> list[HeapType]:
    module = parse("""(module
        (type $s (sub (struct))) (type $t (sub $s (struct (field i32))))
        (type $u (sub $t (struct (field i32))))
        (type $a (array i8)) (type $f (sub (func))) (type $g (sub final $f (func))))""")
    return [*HEAP_TYPES, *module.deftypes]


def test_matching_is_an_order_with_one_top_each() -> None:
    all_types = closed()
    below = {(a, b) for a, b in product(all_types, all_types) if matches_heap(a, b)}
    assert {(a, a) for a in all_types} <= below
    assert not [(a, b) for a, b in below if a is not b and (b, a) in below]
    assert all((a, c) in below for a, b in below for c in all_types if (b, c) in below)
    assert all((a, top_of(a)) in below for a in all_types)
    assert {(str(a), str(b)) for a, b in below if a in SUPERS and b in SUPERS and a is not b} == {
        *(("none", b) for b in ("i31", "struct", "array", "eq", "any")),
        *((a, b) for a in ("i31", "struct", "array") for b in ("eq", "any")),
        ("eq", "any"), ("nofunc", "func"), ("noextern", "extern"), ("noexn", "exn"),
    }  # fmt: skip


def test_a_reference_that_is_never_null_matches_one_that_may_be() -> None:
    for heap in closed():
        assert matches_value(RefType(heap, nullable=False), RefType(heap))
        assert not matches_value(RefType(heap), RefType(heap, nullable=False))
        assert not matches_value(RefType(heap), I32)


def struct(*heaps: int) -> StructType:
    return StructType(tuple(FieldType(RefType(TypeIdx(heap))) for heap in heaps))


COUNT = 3000
HOSTILE = {
    "its own super type": ((SubType(struct(), (TypeIdx(0),), False),),),
    "super types in a circle, looked at before they come": (
        (
            SubType(struct(3), (), False),
            SubType(struct(3), (TypeIdx(0),), False),
            SubType(struct(), (TypeIdx(3),), False),
            SubType(struct(), (TypeIdx(2),), False),
        ),
    ),
    "super types without end": (
        tuple(
            SubType(struct(COUNT - 1), (TypeIdx(index - 1),) if index else (), False)
            for index in range(COUNT)
        ),
    ),
    "a type of a later group": ((SubType(struct(1)),), (SubType(struct()),)),
}


@pytest.mark.parametrize("groups", HOSTILE.values(), ids=HOSTILE)
def test_hostile_definitions_are_invalid(groups: tuple[tuple[SubType, ...], ...]) -> None:
    module = decode(encode(Module(types=tuple(map(RecType, groups)))))
    with pytest.raises(InvalidError, match=r"unknown type|sub type"):
        validate_all(module)


def test_long_chains_of_types_take_no_stack() -> None:
    chain = (RecType.of(struct(*[index - 1] * bool(index))) for index in range(COUNT))
    module = decode(encode(Module(types=tuple(chain))))
    validate_all(module)
    assert len(str(module.deftypes[-1])) < 200
    assert (
        module.deftypes
        == parse(
            "(module "
            + "".join(
                f"(type (struct{f' (field (ref null {index - 1}))' if index else ''}))"
                for index in range(COUNT)
            )
            + ")"
        ).deftypes
    )

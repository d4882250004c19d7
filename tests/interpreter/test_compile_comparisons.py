"""Comparisons whose operands are in ranges that the compiler knows: at the edges of these ranges, as numbers,
and as operands of `select`. What is not here: random programs (`test_compile_random.py` and others)."""

from __future__ import annotations

import ast
import operator
from collections.abc import Sequence
from itertools import product

import pytest

from pywasm_nn import Module
from pywasm_nn.interpreter.compile import Variant
from pywasm_nn.interpreter.compile.translate import translate
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.runtime.observe import Observer
from pywasm_nn.interpreter.validate import validate_func

SYMBOLS = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "gt": operator.gt, "le": operator.le,
    "ge": operator.ge,
}  # fmt: skip
TESTS = ("eq", "ne", *(f"{name}_{sign}" for name, sign in product(("lt", "gt", "le", "ge"), "us")))


def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> bits - 1 else value


def edges(bits: int) -> list[int]:
    half, whole = 1 << bits - 1, 1 << bits
    return [0, 1, 2, half - 2, half - 1, half, half + 1, whole - 2, whole - 1]


@pytest.mark.parametrize(("bits", "test"), [*product((32, 64), TESTS)])
def test_ranges_that_end_at_an_edge(bits: int, test: str) -> None:
    """A parameter with the other one masked, or with a constant, in both orders: as a number and as a
    condition."""
    numbers = edges(bits)
    operands = [f"(i{bits}.and (local.get 1) (i{bits}.const {mask}))" for mask in numbers]
    operands += [f"(i{bits}.const {number})" for number in numbers]
    functions = []
    for operand in operands:
        for first, second in (("(local.get 0)", operand), (operand, "(local.get 0)")):
            compared = f"(i{bits}.{test} {first} {second})"
            functions.append(
                f"""(func (export "f{len(functions)}") (param i{bits} i{bits}) (result i32 i32) {compared}
                (if (result i32) {compared} (then (i32.const 1)) (else (i32.const 0))))"""
            )
    compare = SYMBOLS[test[:2]]
    with Module.from_text(f"(module {' '.join(functions)})").instantiate() as instance:
        called = [instance.exports[f"f{number}"] for number in range(len(functions))]
        for x, y in product(numbers, numbers):
            others = [y & mask for mask in numbers] + numbers
            expected = []
            for other in others:
                pair = [signed(value, bits) if test.endswith("_s") else value for value in (x, other)]
                for a, b in (pair, reversed(pair)):
                    expected.append((int(compare(a, b)),) * 2)
            assert [function(x, y) for function in called] == expected, (x, y)


KINDS = {"number": "(local.get {})", "truth": "(i32.eqz (local.get {}))"}


class Seen(Observer):
    """Notes the arguments of function 0."""

    wants = frozenset({"calls"})

    def __init__(self) -> None:
        self.values: list[object] = []

    def enter(self, funcidx: int, arguments: Sequence[object], depth: int) -> None:
        if funcidx == 0:
            self.values += arguments


@pytest.mark.parametrize("kinds", [*product(KINDS, repeat=4)], ids=" ".join)
def test_what_is_selected_is_a_number(kinds: tuple[str, ...], engine: str) -> None:
    """Whichever of the operands, and of what waits below them, are comparisons: an observer sees no truth
    values."""
    below, first, second, condition = (KINDS[kind].format(place) for place, kind in enumerate(kinds))
    select = f"(select {first} {second} {condition})"
    params = "(param i32 i32 i32 i32)"
    module = Module.from_text(f"""(module
      (func $see (param i32))
      (func $see_both (param i32 i32) (call $see (local.get 0)) (call $see (local.get 1)))
      (func (export "alone") {params} (call $see {select}))
      (func (export "above") {params} (call $see_both {below} {select})))""")
    seen = Seen()
    with module.instantiate(engine=engine, observer=seen) as instance:
        for arguments in product((0, 1), (0, 1, 7), (0, 1, 7), (0, 1)):
            values = [
                value if kind == "number" else int(not value)
                for kind, value in zip(kinds, arguments, strict=True)
            ]
            selected = values[1] if values[3] else values[2]
            seen.values.clear()
            instance.exports["alone"](*arguments)
            instance.exports["above"](*arguments)
            assert seen.values == [selected, values[0], selected]
            assert {type(value) for value in seen.values} == {int}


@pytest.mark.parametrize("test", ["lt_s", "le_s", "gt_s", "ge_s"])
def test_a_sign_is_tested_by_one_comparison(test: str) -> None:
    """Of an i64, which no local keeps signed."""
    against = -1 if test in ("le_s", "gt_s") else 0
    module = Module.from_text(f"""(module (func (param i64) (result i32)
      (i64.{test} (local.get 0) (i64.const {against}))))""")
    source = translate(module, 0, validate_func(module, 0), Variant(Flavour.default())).source
    (comparison,) = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Compare))
    assert len(comparison.ops) == 1

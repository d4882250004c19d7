"""Counted loops: whatever they count, from where and over what edge, they do what wasmtime does."""

from __future__ import annotations

from functools import cache

import pytest
import wasmtime
from hypothesis import assume, given
from hypothesis import strategies as st

from pywasm_nn.interpreter.binary import decode
from pywasm_nn.interpreter.compile import Variant
from pywasm_nn.interpreter.compile.translate import translate
from pywasm_nn.interpreter.engine import ENGINES
from pywasm_nn.interpreter.module import Module
from pywasm_nn.interpreter.runtime.link import instantiate
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.validate import validate_func

from ..conftest import examples

ROUNDS = 200
TESTS = ("ne", "lt_u", "lt_s", "gt_u", "gt_s", "le_u", "le_s", "ge_u", "ge_s")
STEPS = (1, 2, 3, 8, -1, -2, -4)


def signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value


def goes_on(test: str, a: int, b: int) -> bool:
    if test.endswith("s"):
        a, b = signed(a), signed(b)
    return {"ne": a != b, "lt": a < b, "gt": a > b, "le": a <= b, "ge": a >= b}[test[:2]]


INSIDE = """(local.set 8 (local.get 0))
        (loop
         (local.set 7 (i32.rotl (i32.xor (local.get 7) (local.get 8)) (i32.const 3)))
         (br_if 0 (i32.ne (local.tee 8 (i32.sub (local.get 8) (i32.const -2)))
          (i32.add (local.get 0) (i32.const 6)))))"""


def text_of(
    step: int, test: str, early: bool, tee: bool, swapped: bool, by_local: bool = False, nested: bool = False
) -> str:
    """A loop that counts with parameter 0 up to parameter 1, perhaps by 6, and is left where it gets
    to parameter 5. Others are added to meanwhile: 2 a constant, 3 a negative one, 4 the unchanging parameter
    6. It may have a loop inside."""
    add = f"(i32.add (local.get 0) {'(local.get 6)' if by_local else f'(i32.const {step})'})"
    counter = f"(local.tee 0 {add})" if tee else "(local.get 0)"
    operands = f"(local.get 1) {counter}" if swapped else f"{counter} (local.get 1)"
    leave = "(br_if 1 (i32.eq (local.get 0) (local.get 5)))" if early else ""
    return f"""(module (func (export "f") (param i32 i32 i32 i32 i32 i32 i32) (result i32 i32 i32 i32 i32)
      (local i32 i32)
      (block (loop
        {INSIDE if nested else ""}
        (local.set 7 (i32.add (i32.mul (local.get 7) (i32.const 31)) (local.get 0)))
        {leave}
        (local.set 2 (i32.add (local.get 2) (i32.const 12)))
        (local.set 3 (i32.sub (local.get 3) (i32.const 4)))
        (local.set 4 (i32.add (local.get 6) (local.get 4)))
        (local.set 7 (i32.xor (local.get 7) (i32.shr_u (local.get 2) (i32.const 3))))
        (local.set 7 (i32.add (local.get 7) (i32.lt_s (local.get 3) (local.get 4))))
        {"" if tee else f"(local.set 0 {add})"}
        (local.set 7 (i32.add (local.get 7) (local.get 0)))
        (br_if 0 (i32.{test} {operands}))))
      (local.get 0) (local.get 2) (local.get 3) (local.get 4) (local.get 7)))"""


@cache
def module_of(*shape: object) -> tuple[Module, bytes]:
    data = bytes(wasmtime.wat2wasm(text_of(*shape)))  # type: ignore[arg-type] # a shape is what text_of takes
    return decode(data), data


EDGES = st.one_of(
    st.integers(0, 40),
    st.integers(-40, 40).map(lambda n: (1 << 31) + n),
    st.integers(-40, 40).map(lambda n: 0x7FFF0000 + n),
    st.integers(1, 40).map(lambda n: (1 << 32) - n),
    st.integers(0, (1 << 32) - 1),
)


@pytest.mark.parametrize("flavour", Flavour)
@examples(400)
@given(
    step=st.sampled_from(STEPS), test=st.sampled_from(TESTS), early=st.booleans(), tee=st.booleans(),
    swapped=st.booleans(), by_local=st.booleans(), nested=st.booleans(), start=EDGES,
    rounds=st.integers(0, 12), off=st.integers(-2, 2), others=st.tuples(EDGES, EDGES, EDGES, EDGES, EDGES),
)  # fmt: skip
def test_against_wasmtime(
    flavour: Flavour, step: int, test: str, early: bool, tee: bool, swapped: bool, by_local: bool,
    nested: bool, start: int, rounds: int, off: int, others: tuple[int, int, int, int, int],
) -> None:  # fmt: skip
    bound = start + step * rounds + off & 0xFFFFFFFF
    at, count = start, 0
    while count < ROUNDS:
        at, count = at + step & 0xFFFFFFFF, count + 1
        if not (goes_on(test, bound, at) if swapped else goes_on(test, at, bound)):
            break
    assume(count < ROUNDS)
    module, data = module_of(step, test, early, tee, swapped, by_local, nested)
    arguments = [start, bound, *others]
    if by_local:
        arguments[6] = step & 0xFFFFFFFF
    arguments[5] = start + step * 3 & 0xFFFFFFFF
    engine = wasmtime.Engine()
    store = wasmtime.Store(engine)
    native = wasmtime.Instance(store, wasmtime.Module(engine, data), []).exports(store)["f"]
    assert isinstance(native, wasmtime.Func)
    with instantiate(module, lambda *_: None, ENGINES["compile"](), flavour=flavour) as instance:
        assert instance.exports.f(*arguments) == tuple(native(store, *map(signed, arguments)))


def source(text: str) -> list[str]:
    module = decode(bytes(wasmtime.wat2wasm(text)))
    return translate(module, 0, validate_func(module, 0), Variant(Flavour.VIEW)).source.splitlines()


@pytest.mark.parametrize(
    ("step", "test", "swapped"),
    [(1, "ne", False), (8, "ne", True), (1, "lt_u", False), (3, "gt_s", True), (2, "le_u", False),
     (-1, "ne", False), (-4, "ne", True), (-1, "gt_u", False)],
)  # fmt: skip
def test_these_count(step: int, test: str, swapped: bool) -> None:
    for tee in (True, False):
        for by_local in (False, step > 0 and test != "ne"):
            text = "\n".join(source(text_of(step, test, False, tee, swapped, by_local)))
            assert "for l0 in range(" in text and "while 1:" in text


@pytest.mark.parametrize(("body", "counts"), [
    ("(loop (br_if 0 (local.get 1)))", True), ("(loop (br_if 2 (local.get 1)))", True),
    ("(block (loop (br_if 1 (local.get 1))))", True), ("(loop (loop (br_if 1 (local.get 1))))", True),
    ("(loop (br_if 1 (local.get 1)))", False),  # to the next round
    ("(loop (br 0))", False),  # for ever
    ("(loop (local.set 0 (i32.const 3)) (br_if 0 (local.get 1)))", False),
    ("(loop (local.set 1 (i32.const 3)) (br_if 0 (local.get 1)))", False),
])  # fmt: skip
@pytest.mark.parametrize("test", ["ne", "lt_u"])
def test_a_loop_with_others_inside_has_one_form(body: str, counts: bool, test: str) -> None:
    """If it ends at a number that it must meet."""
    text = f"""(module (func (param i32 i32) (result i32) (block (loop {body}
      (br_if 0 (i32.{test} (local.tee 0 (i32.add (local.get 0) (i32.const 4))) (local.get 1)))))
      (local.get 0)))"""
    head = " for l0 in range(l0, l1, 4) if l0 < l1 and not (l1 - l0) % 4 else wrapped(l0, l1, 4):"
    assert [line for line in source(text) if " for " in line] == [head] * (counts and test == "ne")


def test_a_loop_of_constants_has_one_form() -> None:
    assert source("""(module (memory 1) (func (local i32)
      (loop
        (i32.store (local.get 0) (local.get 0))
        (br_if 0 (i32.lt_u (local.tee 0 (i32.add (local.get 0) (i32.const 4))) (i32.const 64))))))""") == [
        "def func0():",
        " l0 = 0",
        " for l0 in range(l0, 64, 4):",
        '  "$u32"[l0] = l0',
        " else: l0 = l0 + 4",
        " return",
    ]


@pytest.mark.parametrize(("length", "twice"), [(200, True), (400, False)])
def test_a_long_loop_is_not_translated_twice(length: int, twice: bool) -> None:
    """The code of a function grows no further than that."""
    body = "(global.set 0 (i32.mul (global.get 0) (local.get 0)))" * (length // 4)
    lines = source(f"""(module (global (mut i32) (i32.const 1)) (func (param i32 i32)
      (loop {body}
        (br_if 0 (i32.ne (local.tee 0 (i32.add (local.get 0) (i32.const 1))) (local.get 1))))))""")
    assert any("for l0 in range(" in line for line in lines) == twice
    assert len([line for line in lines if " = " in line and "g0" in line]) == (length // 4) * (1 + twice)


def test_a_loop_that_never_gets_to_its_end() -> None:
    """It leaves in its first round, whether it would count or not."""
    text = """(module (func (export "f") (param i32 i32) (result i32) (local i32)
      (block (loop
        (block (local.set 2 (i32.add (local.get 0) (i32.const 5))) (br 2))
        (br_if 0 (i32.lt_s (local.tee 0 (i32.add (local.get 0) (i32.const 1))) (local.get 1)))))
      (local.get 2)))"""
    module = decode(bytes(wasmtime.wat2wasm(text)))
    with instantiate(module, lambda *_: None, ENGINES["compile"]()) as instance:
        assert [instance.exports.f(3, bound) for bound in (1, 9)] == [8, 8]


WAYS = {
    "straight on": ("", True),
    "out of a block": ("(block (br 0))", True),
    "out of two": ("(block (block (br 1)))", True),
    "by a condition": ("(block (br_if 0 (local.get 1)) (unreachable))", True),
    "past an arm": ("(if (local.get 1) (then (unreachable)))", True),
    "through an arm": ("(if (local.get 1) (then) (else (return (local.get 0))))", True),
    "through the other arm": ("(if (local.get 1) (then (unreachable)) (else))", True),
    "from an arm": ("(if (local.get 1) (then (br 0)) (else (unreachable)))", True),
    "by a table": ("(block (block (br_table 0 1 (local.get 1))) (unreachable))", True),
    "behind what nobody gets to": ("(block (block (br 1) (block (br 2))) (unreachable))", True),
    "not at all": ("(unreachable)", False),
    "not out of a block": ("(block (return (local.get 0)))", False),
    "not out of two": ("(block (block (br 3)) (nop))", False),
    "not by a branch that isn't reached": ("(block (unreachable) (br 0))", False),
    "not by an arm that isn't reached": (
        "(block (unreachable) (if (local.get 1) (then (br 1)) (else (br 0))))",
        False,
    ),
    "not through either arm": ("(if (local.get 1) (then (br 2)) (else (unreachable)))", False),
    "not by a table": ("(block (br_table 2 2 (local.get 1)))", False),
}


@pytest.mark.parametrize("body, gets_there", WAYS.values(), ids=WAYS)
def test_a_loop_counts_if_control_gets_to_its_end(body: str, gets_there: bool) -> None:
    """That is asked before the loop is translated; other loops of the function count either way."""
    count = "(br_if 0 (i32.lt_s (local.tee 0 (i32.add (local.get 0) (i32.const 1))) (local.get 1)))"
    lines = source(f"""(module (func (param i32 i32) (result i32)
      (loop (nop) {count}) (block (loop {body} {count})) (local.get 0)))""")
    assert sum("for l0 in range(" in line for line in lines) == 1 + gets_there

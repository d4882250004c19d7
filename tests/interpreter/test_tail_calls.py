"""Tail calls: any number of them in the same memory and on the same stack, between all kinds of functions."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable

import pytest
import wasmtime
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.api import Module
from pywasm_nn.errors import ExhaustionError, Trap, TrapKind
from pywasm_nn.interpreter.compile import Variant
from pywasm_nn.interpreter.compile.translate import translate
from pywasm_nn.interpreter.runtime.instance import Instance
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.runtime.observe import Observer
from pywasm_nn.interpreter.validate import validate_func
from pywasm_nn.limits import Limits

from ..conftest import examples

Start = Callable[..., Instance]

PARITY = """
(module
  (import "host" "arrived" (func $arrived (param i32) (result i32)))
  (type $step (func (param i32) (result i32)))
  (table funcref (elem $even $odd))
  (func $even (export "even") (type $step)
    (if (result i32) (i32.eqz (local.get 0))
      (then (return_call $arrived (i32.const 1)))
      (else (return_call $odd (i32.sub (local.get 0) (i32.const 1))))))
  (func $odd (type $step)
    (if (result i32) (i32.eqz (local.get 0))
      (then (return_call $arrived (i32.const 0)))
      (else (return_call_indirect (type $step) (i32.sub (local.get 0) (i32.const 1)) (i32.const 0)))))
  (func $itself (export "itself") (param $n i32) (param $sum i32) (result i32) (local $fresh i32)
    (local.set $fresh (i32.add (local.get $fresh) (local.get $n)))
    (if (i32.eqz (local.get $n)) (then (return (call $arrived (local.get $sum)))))
    (return_call $itself
      (i32.sub (local.get $n) (i32.const 1)) (i32.add (local.get $sum) (local.get $fresh)))))
"""


def python_depth(ignored: int) -> int:
    frame, depth = sys._getframe(), 0
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    return depth


@pytest.fixture
def flavour() -> Flavour:
    """One is enough: memory isn't the subject here."""
    return Flavour.default()


@pytest.mark.parametrize("name", ["even", "itself"])
def test_the_stack_does_not_grow(start: Start, name: str) -> None:
    exports = start(PARITY, imports={"host": {"arrived": python_depth}}, limits=Limits(call_depth=50)).exports
    more = (0,) if name == "itself" else ()
    exports[name](10, *more)  # compiled by now
    assert exports[name](10, *more) == exports[name](20_000, *more)


@pytest.mark.parametrize("name", ["even", "itself"])
def test_memory_does_not_grow(start: Start, name: str) -> None:
    def same(value: int) -> int:
        return value

    call = start(PARITY, imports={"host": {"arrived": same}}).exports[name]
    more = (0,) if name == "itself" else ()
    call(10, *more)
    peaks = []
    for count in (10, 5_000):
        tracemalloc.start()
        call(count, *more)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] - peaks[0] < 5_000  # less than a byte a call


def test_locals_begin_anew_where_a_function_calls_itself(start: Start) -> None:
    def same(value: int) -> int:
        return value

    exports = start(PARITY, imports={"host": {"arrived": same}}).exports
    assert exports.itself(100, 0) == sum(range(101))


def test_functions_without_tail_calls_to_others_pay_nothing() -> None:
    module = Module.from_text(PARITY)
    sources = [
        translate(module, index, validate_func(module, index), Variant(Flavour.default())).source
        for index in range(3)
    ]
    assert [source.split("(")[0] for source in sources] == ["def tail1", "def tail2", "def func3"]


def test_parameters_change_all_at_once(start: Start) -> None:
    text = """(module (func $swap (export "swap") (param i32 i32 i32) (result i32)
      (if (i32.eqz (local.get 2)) (then (return (local.get 0))))
      (return_call $swap (local.get 1) (local.get 0) (i32.sub (local.get 2) (i32.const 1)))))"""
    swap = start(text).exports.swap
    assert [swap(1, 2, count) for count in range(3)] == [1, 2, 1]


def test_calls_between_tail_calls_count_and_are_bounded(start: Start) -> None:
    """Each level is a call to a function that lets another take its place: up to three Python frames."""
    text = """(module
      (func $down (export "down") (param i32) (result i32) (return_call $further (local.get 0)))
      (func $further (param i32) (result i32)
        (if (result i32) (i32.eqz (local.get 0)) (then (i32.const 0))
          (else (i32.add (i32.const 1) (call $down (i32.sub (local.get 0) (i32.const 1))))))))"""
    down = start(text).exports.down
    assert down(16_000) == 16_000
    with pytest.raises(ExhaustionError):
        down(50_000)


def test_tail_calls_cross_instances_of_both_engines() -> None:
    """Two modules that call each other through a table. If one of them is interpreted, that takes stack."""
    first = """(module
      (type $step (func (param i32 i64) (result i64 i32)))
      (table (export "table") 2 funcref)
      (elem (i32.const 0) $here)
      (func $here (export "here") (type $step)
        (if (i32.eqz (local.get 0)) (then (return (local.get 1) (i32.const 1))))
        (return_call_indirect (type $step)
          (i32.sub (local.get 0) (i32.const 1)) (i64.mul (local.get 1) (i64.const 3)) (i32.const 1))))"""
    second = """(module
      (type $step (func (param i32 i64) (result i64 i32)))
      (import "first" "table" (table 2 funcref))
      (import "first" "here" (func $here (type $step)))
      (elem (i32.const 1) $there)
      (func $there (export "there") (type $step)
        (if (i32.eqz (local.get 0)) (then (return (local.get 1) (i32.const 2))))
        (return_call $here (i32.sub (local.get 0) (i32.const 1)) (i64.sub (local.get 1) (i64.const 1)))))"""
    outcomes = set()
    for engines in (("compile", "compile"), ("interpret", "interpret"), ("compile", "interpret"),
                    ("interpret", "compile")):  # fmt: skip
        a = Module.from_text(first).instantiate(engine=engines[0])
        b = Module.from_text(second).instantiate(imports={"first": a}, engine=engines[1])
        outcomes.add((a.exports.here(20, 1), b.exports.there(21, 1)))
        if len(set(engines)) == 1:
            assert a.exports.here(20_000, 0)[1] == 1
    assert len(outcomes) == 1


@pytest.mark.parametrize(
    ("index", "kind"),
    [
        (0, TrapKind.INDIRECT_CALL_TYPE),
        (1, TrapKind.UNINITIALIZED_ELEMENT),
        (2, TrapKind.UNDEFINED_ELEMENT),
        (-1, TrapKind.UNDEFINED_ELEMENT),
    ],
)
def test_what_an_index_traps_with(start: Start, index: int, kind: TrapKind) -> None:
    text = """(module (table 2 funcref) (elem (i32.const 0) $main) (type $t (func (param i32)))
      (func $main (export "main") (param i32) (result i32) (return_call $other (local.get 0)))
      (func $other (param i32) (result i32) (return_call_indirect (result i32) (local.get 0))))"""
    with pytest.raises(Trap) as caught:
        start(text).exports.main(index)
    assert caught.value.kind is kind
    assert [frame.funcidx for frame in caught.value.frames] == [1]
    assert ("element 1" in str(caught.value)) == (kind is TrapKind.UNINITIALIZED_ELEMENT)


def test_a_trap_names_the_function_that_took_the_place(start: Start) -> None:
    text = """(module
      (func $main (export "main") (param i32) (return_call $broken (local.get 0)))
      (func $broken (param i32) (if (local.get 0) (then (return_call $main (i32.const 0)))) unreachable))"""
    with pytest.raises(Trap) as caught:
        start(text).exports.main(1)
    assert [frame.name for frame in caught.value.frames] == ["broken"]


def test_an_invalid_body_is_reported_from_tail_position(start: Start) -> None:
    text = '(module (func (export "main") (return_call $bad)) (func $bad (drop (i32.add (i64.const 0)))))'
    with pytest.raises(Trap) as caught:
        start(text).exports.main()
    assert caught.value.kind is TrapKind.INVALID_BODY


class Calls(Observer):
    """Notes what is entered and left."""

    wants = frozenset({"calls"})

    def __init__(self) -> None:
        self.seen: list[tuple[str, int, int]] = []

    def enter(self, funcidx: int, arguments: object, depth: int) -> None:
        self.seen.append(("enter", funcidx, depth))

    def leave(self, funcidx: int, results: object, depth: int) -> None:
        self.seen.append(("leave", funcidx, depth))


def test_observers_see_functions_leave_before_others_take_their_place() -> None:
    text = '(module (func (export "main") (call 1)) (func (return_call 2)) (func))'
    calls = Calls()
    Module.from_text(text).instantiate(engine="interpret", observer=calls).exports.main()
    assert calls.seen == [
        ("enter", 0, 1), ("enter", 1, 2), ("leave", 1, 2), ("enter", 2, 2), ("leave", 2, 2), ("leave", 0, 1),
    ]  # fmt: skip


CALLS = ("call", "return_call", "return_call_indirect")


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Functions that count down and go on, each in a way of its own, with another number of arguments."""
    count = draw(st.integers(1, 4))
    extras = [draw(st.integers(0, 2)) for _ in range(count)]
    params = [f"(param i32 i64{' f64' * extra}) (result i64)" for extra in extras]
    funcs = []
    for index in range(count):
        arms = ""
        for _ in range(draw(st.integers(1, 3))):
            target = draw(st.integers(0, count - 1))
            how = draw(st.sampled_from(CALLS))
            factor, term, bit = draw(st.integers(1, 9)), draw(st.integers(0, 99)), draw(st.integers(0, 3))
            value = f"(i64.add (i64.mul (local.get 1) (i64.const {factor})) (i64.const {term}))"
            if draw(st.booleans()) and how != "call":  # a call whose result is an argument
                again = draw(st.integers(0, count - 1))
                rest = "(f64.const 1.5)" * extras[again]
                value = f"(call $f{again} (i32.shr_u (local.get 0) (i32.const 2)) {value} {rest})"
            arguments = f"(i32.sub (local.get 0) (i32.const 1)) {value}" + "(f64.const 2)" * extras[target]
            goal = f"$f{target} {arguments}"
            if how == "return_call_indirect":
                goal = f"(type $t{target}) {arguments} (i32.const {target})"
            taken = f"({how} {goal})" + ("(return)" if how == "call" else "")
            arms += f"(if (i32.and (local.get 0) (i32.const {1 << bit})) (then {taken}))"
        target = draw(st.integers(0, count - 1))
        rest = f"(i32.sub (local.get 0) (i32.const 1)) (i64.xor (local.get 1) (i64.const {index}))"
        last = f"(return_call $f{target} {rest} {'(f64.const 3)' * extras[target]})"
        stop = "(if (i32.le_s (local.get 0) (i32.const 0)) (then (return (local.get 1))))"
        funcs.append(f"(func $f{index} (type $t{index}) {stop} {arms} {last})")
    types = "".join(f"(type $t{index} (func {param}))" for index, param in enumerate(params))
    names = " ".join(f"$f{index}" for index in range(count))
    start = f"(call $f0 (local.get 0) (local.get 1) {'(f64.const 0)' * extras[0]})"
    main = f'(func (export "main") (param i32 i64) (result i64) {start})'
    return f"(module {types} (table funcref (elem {names})) {''.join(funcs)} {main})"


@examples(40)
@given(programs(), st.integers(0, 40), st.integers(0, 1 << 62))
def test_what_wasmtime_gives(text: str, count: int, value: int) -> None:
    store = wasmtime.Store()
    instance = wasmtime.Instance(store, wasmtime.Module(store.engine, text), [])
    expected = instance.exports(store)["main"](store, count, value)  # type: ignore[operator] # it is a function
    module = Module.from_text(text)
    for engine in ("interpret", "compile"):
        assert module.instantiate(engine=engine).exports.main(count, value) == expected

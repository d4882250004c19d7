"""Calls of components from Python and back: values, errors that name the part, imports, limits."""

from __future__ import annotations

import pickle
from types import SimpleNamespace
from typing import Any

import pytest

from pywasm_nn import Component, Limits, LinkError, Trap
from pywasm_nn.errors import ExhaustionError, HostError, InvalidError, LimitError, MalformedError
from tests.component.components import LIBC, component

ENGINES = ("compile", "interpret")

GREETER = f"""
  {LIBC}
  (import "host" (instance $host
    (export "name" (func (param "id" u32) (result string)))
    (export "log" (func (param "text" string)))))
  (core func $name (canon lower (func $host "name") (memory $memory) (realloc $realloc)))
  (core func $log (canon lower (func $host "log") (memory $memory)))
  (core module $Main
    (import "libc" "memory" (memory 1))
    (import "libc" "realloc" (func $realloc (param i32 i32 i32 i32) (result i32)))
    (import "host" "name" (func $name (param i32 i32)))
    (import "host" "log" (func $log (param i32 i32)))
    (func (export "greet") (param i32) (result i32)
      (call $name (local.get 0) (i32.const 16))
      (call $log (i32.load (i32.const 16)) (i32.load (i32.const 20)))
      (i32.const 16))
    (func (export "sum") (param $at i32) (param $n i32) (result i32) (local $sum i32)
      (block (loop (br_if 1 (i32.eqz (local.get $n)))
        (local.set $sum (i32.add (local.get $sum) (i32.load8_u (local.get $at))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (local.set $n (i32.sub (local.get $n) (i32.const 1))) (br 0)))
      (local.get $sum))
    (func (export "trap") unreachable)
    (func (export "repeated") (result i32)
      (local $i i32)
      (memory.fill (i32.const 4096) (i32.const 97) (i32.const 1000))
      (loop
        (i32.store (i32.add (i32.const 8192) (i32.mul (local.get $i) (i32.const 8))) (i32.const 4096))
        (i32.store (i32.add (i32.const 8196) (i32.mul (local.get $i) (i32.const 8))) (i32.const 1000))
        (br_if 0 (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 1000))))
      (i32.store (i32.const 32) (i32.const 8192)) (i32.store (i32.const 36) (i32.const 1000))
      (i32.const 32)))
  (core instance $main (instantiate $Main
    (with "libc" (instance $libc))
    (with "host" (instance (export "name" (func $name)) (export "log" (func $log))))))
  (func (export "greet") (param "id" u32) (result string)
    (canon lift (core func $main "greet") (memory $memory) (realloc $realloc)))
  (func (export "sum") (param "bytes" (list u8)) (result u32)
    (canon lift (core func $main "sum") (memory $memory) (realloc $realloc)))
  (func (export "trap") (canon lift (core func $main "trap")))
  (func (export "repeated") (result (list string)) (canon lift (core func $main "repeated") (memory $memory)))
"""


class Host:
    def __init__(self) -> None:
        self.logged: list[str] = []

    def name(self, id: int) -> str:
        return f"Zoë {id}"

    def log(self, text: str) -> None:
        self.logged.append(text)


@pytest.fixture(scope="module")
def greeter() -> Component:
    return component(GREETER)


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_strings_go_to_the_host_and_back(greeter: Component, engine: str) -> None:
    host = Host()
    with greeter.instantiate({"host": host}, engine=engine) as instance:
        assert instance.exports.greet(7) == "Zoë 7"
        assert host.logged == ["Zoë 7"]


@pytest.mark.parametrize("given", [b"\x01\x02\xff", bytearray(b"ab"), memoryview(b"ab"), [1, 2, 3]])
def test_bytes_may_be_any_buffer(greeter: Component, given: Any) -> None:
    with greeter.instantiate({"host": Host()}) as instance:
        assert instance.exports.sum(given) == sum(given)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ((-1,), OverflowError, "id: -1 is no u32"),
        ((1 << 32,), OverflowError, "id: 4294967296 is no u32"),
        (("7",), TypeError, "id: '7' is no u32"),
        ((1.0,), TypeError, "id: 1.0 is no u32"),
        ((), TypeError, r"greet\(\) missing 1 required positional argument: 'id'"),
    ],
)
def test_what_does_not_fit_is_named_and_nothing_has_run(
    greeter: Component, arguments: tuple[Any, ...], error: type[Exception], text: str
) -> None:
    host = Host()
    with greeter.instantiate({"host": host}) as instance:
        with pytest.raises(error, match=text):
            instance.exports.greet(*arguments)
        assert not host.logged
        assert instance.exports.greet(1) == "Zoë 1"


def test_part_of_a_list_that_does_not_fit_is_named(greeter: Component) -> None:
    with greeter.instantiate({"host": Host()}) as instance:
        with pytest.raises(OverflowError, match=r"bytes\[2\]: 300 is no u8"):
            instance.exports.sum([1, 2, 300])
        assert instance.exports.sum([1]) == 1


def test_host_that_fails_is_no_trap(greeter: Component) -> None:
    def fail(id: int) -> str:
        raise KeyError(id)

    with greeter.instantiate({"host": {"name": fail, "log": print}}) as instance:
        with pytest.raises(HostError, match="host name: KeyError"):
            instance.exports.greet(1)
        with pytest.raises(Trap):
            instance.exports.greet(1)


def test_host_result_that_does_not_fit_is_the_hosts_error(greeter: Component) -> None:
    host = SimpleNamespace(name=lambda id: 5, log=print)
    with (
        greeter.instantiate({"host": host}) as instance,
        pytest.raises(HostError, match="the result: 5 is no string"),
    ):
        instance.exports.greet(1)


def test_trap_ends_the_instance(greeter: Component, engine: str) -> None:
    with greeter.instantiate({"host": Host()}, engine=engine) as instance:
        with pytest.raises(Trap, match="unreachable"):
            instance.exports.trap()
        with pytest.raises(Trap, match="cannot enter component instance"):
            instance.exports.greet(1)


def test_missing_imports_are_all_listed(greeter: Component) -> None:
    with pytest.raises(LinkError) as caught:
        greeter.instantiate()
    assert "host name (func(id: u32) -> string)" in str(caught.value)
    assert "host log (func(text: string))" in str(caught.value)


def test_component_is_pickled(greeter: Component) -> None:
    copy = pickle.loads(pickle.dumps(greeter))
    with copy.instantiate({"host": Host()}) as instance:
        assert instance.exports.greet(2) == "Zoë 2"
    assert "exports greet, sum" in repr(greeter)


def test_closed_instance_refuses(greeter: Component) -> None:
    instance = greeter.instantiate({"host": Host()})
    instance.close()
    instance.close()
    with pytest.raises(Trap, match="closed"):
        instance.exports.greet(1)


@pytest.mark.parametrize("engine", ENGINES)
def test_closed_instance_gives_its_memory_back_at_once(greeter: Component, engine: str) -> None:
    """Not when Python looks for garbage: a process has room for few of them."""
    instance = greeter.instantiate({"host": Host()}, engine=engine)
    assert instance.exports.greet(1)
    (memory,) = {id(memory): memory for core in instance._tree.cores for memory in core.mems}.values()
    assert memory.size
    instance.close()
    assert memory.size == 0


def test_values_of_one_call_are_limited(greeter: Component) -> None:
    with greeter.instantiate({"host": Host()}, limits=Limits(lifted=2_000_000)) as instance:
        assert instance.exports.repeated() == ["a" * 1000] * 1000
    with (
        greeter.instantiate({"host": Host()}, limits=Limits(lifted=500_000)) as instance,
        pytest.raises(LimitError) as caught,
    ):
        instance.exports.repeated()
    assert caught.value.limit == "lifted"


def test_core_instances_are_limited() -> None:
    many = component("(core module $M)" + "(core instance (instantiate $M))" * 50)
    many.instantiate(limits=Limits(instances=50)).close()
    with pytest.raises(LimitError) as caught:
        many.instantiate(limits=Limits(instances=49))
    assert caught.value.limit == "instances"


def test_bytes_that_are_no_component() -> None:
    with pytest.raises(MalformedError):
        Component(b"\0asm\1\0\0\0")
    with pytest.raises(InvalidError):
        component('(import "NotKebab" (func))')
    with pytest.raises(TypeError, match="data"):
        Component("text")  # type: ignore[arg-type] # the mistake that is tested


DOWN = """
  (import "begin" (func $begin (result u32)))
  (core func $low (canon lower (func $begin)))
  (core module $M (import "" "begin" (func $begin (result i32)))
    (func $down (export "down") (param i32) (result i32)
      (if (result i32) (local.get 0) (then (call $down (i32.sub (local.get 0) (i32.const 1))))
        (else (call $begin)))))
  (core instance $m (instantiate $M (with "" (instance (export "begin" (func $low))))))
  (func (export "down") (param "n" u32) (result u32) (canon lift (core func $m "down")))"""


@pytest.mark.parametrize("engine", ENGINES)
def test_a_host_function_begins_only_if_there_is_room_for_it(engine: str) -> None:
    """It calls twenty deep; whoever is stopped within leaves files open."""
    begun, ended = [], []

    def deep(left: int) -> int:
        return left and deep(left - 1)

    def begin() -> int:
        begun.append(1)
        deep(20)
        ended.append(1)
        return 7

    made, exhausted = component(DOWN), 0
    for depth in range(100, 204, 2):
        with made.instantiate({"begin": begin}, engine=engine, limits=Limits(call_depth=200)) as instance:
            try:
                assert instance.exports.down(depth) == 7
            except ExhaustionError:
                exhausted += 1
    assert len(begun) == len(ended) > 5
    assert exhausted


@pytest.mark.parametrize(
    ("type_", "fits"),
    [
        ("(param i32 i32 i32 i32) (result i32)", True),
        ("(param i32 i32 i32) (result i32)", False),
        ("(param i32 i32 i32 i32)", False),
        ("(param i32 i32 i32 i64) (result i32)", False),
        ("(param i32 i32 i32 i32) (result i64)", False),
        ("", False),
    ],
)
def test_an_allocator_has_the_type_of_one(type_: str, fits: bool) -> None:
    text = f"""
      (core module $M (memory (export "memory") 1) (func (export "realloc") {type_} unreachable)
        (func (export "f") (param i32 i32)))
      (core instance $m (instantiate $M))
      (alias core export $m "memory" (core memory $memory))
      (alias core export $m "realloc" (core func $realloc))
      (func (export "f") (param "text" string)
        (canon lift (core func $m "f") (memory $memory) (realloc $realloc)))"""
    if fits:
        component(text)
        return
    with pytest.raises(InvalidError, match="`realloc` uses a core function with an incorrect signature"):
        component(text)

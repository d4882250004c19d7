"""The core instances of a component are one unit of running: what they may take, they take together, and what
ends one of them ends all."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from pywasm_nn import BusyError, Component, Limits, Trap
from pywasm_nn.errors import (
    DeadlineError,
    FuelError,
    HeapLimitError,
    HostCallsError,
    LimitError,
    MemoryLimitError,
    TableLimitError,
    TrapKind,
)
from tests.component.components import LIBC, component

PARTS = """
  (import "host" (func $host))
  (core func $host (canon lower (func $host)))
  (core module $A
    (import "host" "f" (func $host))
    (type $all (array (mut i32))) (global $kept (mut (ref null $all)) (ref.null $all))
    (func (export "spin") (loop (br 0)))
    (func (export "work") (param $n i32)
      (loop (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))
    (func (export "ask") (param $n i32)
      (loop (call $host) (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))
    (func (export "keep") (param $n i32) (global.set $kept (array.new_default $all (local.get $n)))))
"""
EXPORTED = """
  (core instance $one (instantiate $A (with "host" (instance (export "f" (func $host))))))
  (core instance $two (instantiate $A (with "host" (instance (export "f" (func $host))))))
""" + "".join(
    f'(func (export "{name}-{which}") {params} (canon lift (core func ${which} "{name}")))'
    for which in ("one", "two")
    for name, params in (
        ("spin", ""),
        ("work", '(param "n" u32)'),
        ("ask", '(param "n" u32)'),
        ("keep", '(param "n" u32)'),
    )
)
INNER = """
  (component $C (core module $M
      (func (export "spin") (loop (br 0))) (func (export "two") (result i32) (i32.const 2)))
    (core instance $m (instantiate $M))
    (func (export "spin") (canon lift (core func $m "spin")))
    (func (export "two") (result u32) (canon lift (core func $m "two"))))
"""
"""A component of its own, whose functions end nothing but themselves by the rules of the canonical ABI."""


@pytest.fixture(params=["compile", "interpret"])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def parts() -> Component:
    return component(PARTS + EXPORTED)


def instance_of(parts: Component, engine: str, **limits: Any) -> Any:
    return parts.instantiate({"host": lambda: None}, engine=engine, limits=Limits(**limits))


def test_fuel_is_one_purse(parts: Component, engine: str) -> None:
    with instance_of(parts, engine, fuel=10_000) as instance:
        instance.exports.work_one(100)
        spent = 10_000 - instance.fuel
        assert spent > 400
        instance.exports.work_two(100)
        instance.exports.work_one(100)
        assert instance.fuel == 10_000 - 3 * spent
        with pytest.raises(FuelError):
            instance.exports.work_two(10_000)
        assert instance.fuel == 0


def test_fuel_is_the_same_on_both_engines_wherever_it_is_spent(parts: Component) -> None:
    left = []
    for engine in ("compile", "interpret"):
        with instance_of(parts, engine, fuel=5_000_000) as instance:
            for n in (1, 7, 1000, 100_000):
                instance.exports.work_one(n)
                instance.exports.work_two(n)
            left.append(instance.fuel)
    assert left[0] == left[1] > 0


def test_fuel_may_be_given(parts: Component, engine: str) -> None:
    with instance_of(parts, engine, fuel=1000) as instance:
        instance.exports.work_one(10)
        instance.exports.work_two(10)
        instance.fuel = 100_000
        instance.exports.work_one(1000)
        instance.exports.work_two(1000)
        assert 100_000 - 12_000 < instance.fuel < 100_000
    with instance_of(parts, engine) as instance:
        assert instance.fuel is None
        with pytest.raises(ValueError, match="without a limit"):
            instance.fuel = 7


def test_start_functions_pay_from_the_purse(engine: str) -> None:
    start = """(core module $S (func $f (local $n i32) (local.set $n (i32.const 1000))
        (loop (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))) (start $f))"""
    many = component(start + "(core instance (instantiate $S))" * 50)
    many.instantiate(engine=engine, limits=Limits(fuel=400_000)).close()
    with pytest.raises(FuelError):
        many.instantiate(engine=engine, limits=Limits(fuel=100_000))


def test_host_calls_are_counted_together(parts: Component, engine: str) -> None:
    with instance_of(parts, engine, host_calls=10) as instance:
        instance.exports.ask_one(5)
        instance.exports.ask_two(5)
        with pytest.raises(HostCallsError):
            instance.exports.ask_one(1)


def test_the_heap_is_one(parts: Component, engine: str) -> None:
    with instance_of(parts, engine, heap=1 << 20) as instance:
        instance.exports.keep_one(10_000)
        with pytest.raises(HeapLimitError):
            instance.exports.keep_two(10_000)


@pytest.mark.parametrize(
    ("defined", "limits", "error"),
    [
        ("(memory 1)", {"memory_total": 3 << 16}, MemoryLimitError),
        ("(table 10 funcref)", {"table_total": 35}, TableLimitError),
    ],
)
def test_memories_and_tables_are_counted_together(
    engine: str, defined: str, limits: dict[str, int], error: type[LimitError]
) -> None:
    def made(count: int) -> Component:
        nested = f"(component $C (core module $M {defined}) (core instance (instantiate $M)))"
        return component(
            f"(core module $M {defined})"
            + "(core instance (instantiate $M))" * (count - 1)
            + nested
            + "(instance (instantiate $C))"
        )

    made(3).instantiate(engine=engine, limits=Limits(**limits)).close()
    with pytest.raises(error):
        made(4).instantiate(engine=engine, limits=Limits(**limits))


def test_what_ends_one_component_in_it_ends_all(engine: str) -> None:
    """By the rules of the canonical ABI alone the other ones could be called."""
    text = f"""{INNER} (instance $one (instantiate $C)) (instance $two (instantiate $C))
      (export "one" (instance $one)) (export "two" (instance $two))"""
    with component(text).instantiate(engine=engine, limits=Limits(seconds=0.1)) as instance:
        assert instance.exports.two.two() == 2
        with pytest.raises(DeadlineError):
            instance.exports.one.spin()
        with pytest.raises(Trap) as caught:
            instance.exports.two.two()
        assert caught.value.kind is TrapKind.POISONED


def test_a_deadline_holds_in_what_a_start_function_reaches(engine: str) -> None:
    text = f"""{INNER} (instance $c (instantiate $C))
      (component $D (import "spin" (func $spin)) (core func $spin_ (canon lower (func $spin)))
        (core module $S (import "c" "spin" (func $f)) (start $f))
        (core instance (instantiate $S (with "c" (instance (export "spin" (func $spin_)))))))
      (instance (instantiate $D (with "spin" (func $c "spin"))))"""
    with pytest.raises(DeadlineError):
        component(text).instantiate(engine=engine, limits=Limits(seconds=0.2))


def test_instantiation_is_under_one_deadline(engine: str) -> None:
    """However little time each of its core instances takes."""
    start = """(core module $S (func $f (local $n i32) (local.set $n (i32.const 10000))
        (loop (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))) (start $f))"""
    many = component(start + "(core instance (instantiate $S))" * 2000)
    with pytest.raises(DeadlineError):
        many.instantiate(engine=engine, limits=Limits(seconds=0.1))


def test_one_thread_at_a_time_runs_any_of_them(parts: Component, engine: str) -> None:
    inside, done = threading.Event(), threading.Event()

    def host() -> None:
        inside.set()
        assert done.wait(30)

    with parts.instantiate({"host": host}, engine=engine) as instance:
        thread = threading.Thread(target=instance.exports.ask_one, args=(1,))
        thread.start()
        try:
            assert inside.wait(30)
            with pytest.raises(BusyError):
                instance.exports.work_two(1)
            with pytest.raises(BusyError):
                instance.close()
        finally:
            done.set()
            thread.join()
        instance.exports.work_two(1)


STRINGS = f"""{LIBC}
  (core module $M (import "libc" "memory" (memory 1))
    (func (export "repeated") (param $n i32) (param $length i32) (result i32) (local $i i32)
      (drop (memory.grow (i32.const 200)))
      (loop
        (i32.store (i32.add (i32.const 65536) (i32.mul (local.get $i) (i32.const 8))) (i32.const 1024))
        (i32.store (i32.add (i32.const 65540) (i32.mul (local.get $i) (i32.const 8))) (local.get $length))
        (br_if 0 (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))
      (i32.store (i32.const 32) (i32.const 65536)) (i32.store (i32.const 36) (local.get $n))
      (i32.const 32)))
  (core instance $m (instantiate $M (with "libc" (instance $libc))))
  (func (export "strings") (param "n" u32) (param "length" u32) (result (list string))
    (canon lift (core func $m "repeated") (memory $memory)))
  (func (export "pairs") (param "n" u32) (param "length" u32) (result (list (tuple u32 u32)))
    (canon lift (core func $m "repeated") (memory $memory)))
  (func (export "numbers") (param "n" u32) (param "length" u32) (result (list u64))
    (canon lift (core func $m "repeated") (memory $memory)))"""


def test_bytes_that_cross_are_paid_for_as_by_a_bulk_instruction(engine: str) -> None:
    with component(STRINGS).instantiate(engine=engine, limits=Limits(fuel=10**7)) as instance:
        instance.exports.strings(10, 1)
        before = instance.fuel
        instance.exports.strings(10, 32_000)
        assert 40_000 <= before - instance.fuel < 42_000
        with pytest.raises(FuelError):
            instance.exports.strings(10_000, 32_000)


@pytest.mark.parametrize("name", ["strings", "pairs", "numbers"])
@pytest.mark.parametrize("threads", [True, False])
def test_the_time_is_looked_at_while_values_are_read(
    name: str, threads: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the first value and after each so many: a guest makes them faster than they are read."""
    from pywasm_nn.interpreter.runtime.alarm import CLOCK
    from pywasm_nn.interpreter.runtime.meter import Meter

    if not threads:
        monkeypatch.setattr(CLOCK, "available", lambda: False)
    looks: list[int] = []
    check = Meter.check
    monkeypatch.setattr(Meter, "check", lambda meter: (looks.append(1), check(meter)))
    with component(STRINGS).instantiate(limits=Limits(seconds=60)) as instance:
        instance.exports[name](1, 1)
        looks.clear()
        instance.exports[name](300_000, 0)
        reading = len(looks)
        looks.clear()
        instance.exports[name](1, 0)
    assert reading - len(looks) >= (1 if name == "numbers" else 20)

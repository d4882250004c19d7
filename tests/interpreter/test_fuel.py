"""Fuel: the same to the unit on both engines, after returns, traps and exhaustion."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.api import Module
from pywasm_nn.errors import FuelError, Trap, TrapKind, WasmException
from pywasm_nn.interpreter.compile import Variant
from pywasm_nn.interpreter.compile.translate import translate
from pywasm_nn.interpreter.runtime.instance import Instance
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.runtime.meter import Metered
from pywasm_nn.interpreter.runtime.observe import InstructionEvent, Observer
from pywasm_nn.interpreter.validate import validate_func
from pywasm_nn.limits import Limits

from ..conftest import ROOT, Start, examples
from .test_compile_random import Generator

KERNELS = {"fib": 7, "loop32": 50, "loop64": 40, "sieve": 60, "matmul": 3, "sha256": 64, "crc32": 50,
           "preproc": 4, "vm": 20, "strmem": 40, "qsort_": 30, "icall": 30}  # fmt: skip
PLENTY = 10**7
Spent = tuple[object, int | None]
"""What a call came to, and the fuel that is left."""


def call(instance: Instance, name: str, *arguments: int | float) -> Spent:
    try:
        result = instance.exports[name](*arguments)
    except Trap as trap:
        result = trap.kind
    except (FuelError, WasmException) as error:
        result = type(error)
    return result, instance.fuel


def spent(module: Module, name: str, arguments: Sequence[int | float], fuel: int) -> Spent:
    """The same on every engine and flavour."""
    found: list[tuple[Spent, bytes]] = []
    for engine, flavour in (("interpret", None), ("compile", Flavour.default()), ("compile", Flavour.STRUCT)):
        with module.instantiate(engine=engine, flavour=flavour, limits=Limits(fuel=fuel)) as instance:
            outcome = call(instance, name, *arguments)
            found.append((outcome, bytes(instance.mems[0].buffer[:8192]) if instance.mems else b""))
            if engine == "compile":
                assert "0 interpreted" in instance.engine.summary(instance)
    assert found[0] == found[1] == found[2]
    return found[0][0]


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernels_cost_the_same_on_both_engines(kernel: str) -> None:
    module = Module.from_file(ROOT / "benchmarks" / "kernels" / "kern.wasm")
    _, left = spent(module, kernel, [KERNELS[kernel]], PLENTY)
    assert left is not None
    used = PLENTY - left
    assert spent(module, kernel, [KERNELS[kernel]], used)[1] == 0
    for less in (1, 7, used // 2):
        assert spent(module, kernel, [KERNELS[kernel]], used - less) == (FuelError, 0)


@pytest.mark.parametrize("traps", [False, True])
@examples(150)
@given(seed=st.integers(0, 1 << 32), size=st.integers(5, 300), depth=st.integers(2, 7))
def test_random_functions_cost_the_same_on_both_engines(
    traps: bool, seed: int, size: int, depth: int
) -> None:
    random = Random(seed)
    generator = Generator(random, traps=traps)
    module = Module.from_text(generator.module(size, depth))
    arguments = generator.arguments()
    _, left = spent(module, "run", arguments, PLENTY)
    assert left is not None
    spent(module, "run", arguments, random.randrange(PLENTY - left))


class Count(Observer):
    """Counts instructions."""

    wants = frozenset({"instr"})

    def __init__(self) -> None:
        self.seen = 0

    def instruction(self, event: InstructionEvent) -> None:
        self.seen += 1


SHAPES = """(module
  (memory 1) (table 40 funcref) (tag $e (param i32))
  (type $numbers (array (mut i32)))
  (func $leaf (param i32) (result i32) (i32.add (local.get 0) (i32.const 1)))
  (func (export "arms") (param i32) (result i32)
    (if (local.get 0) (then nop (br_if 0 (i32.eq (local.get 0) (i32.const 2)))) (else nop nop))
    (if (local.get 0) (then nop))
    (block (block (block (br_table 0 1 2 (local.get 0))) nop) nop)
    (if (result i32) (local.get 0) (then (i32.const 1)) (else (return (i32.const 2)))))
  (func (export "counted") (param i32) (result i32) (local i32)
    (loop (local.set 1 (i32.add (local.get 1) (i32.const 1)))
      (if (i32.and (local.get 1) (i32.const 1)) (then (local.set 1 (local.get 1))))
      (br_if 0 (i32.lt_u (local.get 1) (local.get 0))))
    (loop (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))
    (local.get 1))
  (func (export "caught") (param i32) (result i32)
    (block $caught (result i32)
      (try_table (result i32) (catch $e $caught)
        (if (local.get 0) (then (throw $e (i32.const 7)))) (call $leaf (i32.const 3)))))
  (func $even (export "even") (param i32) (result i32)
    (if (result i32) (local.get 0)
      (then (return_call $odd (i32.sub (local.get 0) (i32.const 1)))) (else (i32.const 1))))
  (func $odd (param i32) (result i32)
    (if (i32.eqz (local.get 0)) (then (return (i32.const 0))))
    (return_call $even (i32.sub (local.get 0) (i32.const 1))))
  (func $down (export "itself") (param i32) (result i32)
    (if (i32.eqz (local.get 0)) (then (return (i32.const 5))))
    (return_call $down (i32.sub (local.get 0) (i32.const 1))))
  (func (export "dead") (param i32) (result i32)
    (block (br 0) (loop (br 0)) unreachable) (i32.const 1) (return) (drop) (unreachable))
  (func (export "bulk") (param $n i32) (result i32)
    (memory.fill (i32.const 0) (i32.const 7) (local.get $n))
    (memory.copy (i32.const 100) (i32.const 0) (local.get $n))
    (table.fill (i32.const 0) (ref.null func) (local.get $n))
    (table.copy (i32.const 2) (i32.const 1) (local.get $n))
    (array.fill $numbers (array.new $numbers (i32.const 3) (local.get $n)) (i32.const 0) (i32.const 4)
      (local.get $n))
    (array.copy $numbers $numbers (array.new_default $numbers (local.get $n)) (i32.const 0)
      (array.new_default $numbers (local.get $n)) (i32.const 0) (local.get $n))
    (array.len (array.new $numbers (i32.const 3) (local.get $n))))
)"""
CALLS = [("arms", 0), ("arms", 1), ("arms", 2), ("arms", 9), ("counted", 1), ("counted", 30), ("caught", 0),
         ("caught", 1), ("even", 9), ("itself", 9), ("dead", 1)]  # fmt: skip


@pytest.mark.parametrize(("name", "argument"), CALLS)
def test_every_instruction_that_is_executed_costs_one(name: str, argument: int) -> None:
    module = Module.from_text(SHAPES)
    count = Count()
    with module.instantiate(engine="interpret", observer=count) as instance:
        instance.exports[name](argument)
    _, left = spent(module, name, [argument], PLENTY)
    assert left == PLENTY - count.seen
    for fuel in range(count.seen):
        spent(module, name, [argument], fuel)


@pytest.mark.parametrize("count", [0, 7, 8, 38])
def test_bulk_instructions_pay_for_what_they_touch(count: int) -> None:
    module = Module.from_text(SHAPES)
    (_, nothing), (result, left) = (spent(module, "bulk", [n], PLENTY) for n in (0, count))
    assert result == count and nothing is not None and left == nothing - 10 * (count >> 3)
    for short in range(1, 30):
        spent(module, "bulk", [count], PLENTY - left - short)


@pytest.mark.parametrize("count", [39, 70_000, 0xFFFFFFFF])
def test_what_they_cannot_touch_is_paid_before_they_trap(count: int) -> None:
    module = Module.from_text(SHAPES)
    result, left = spent(module, "bulk", [count], 1 << 40)
    kind = TrapKind.OUT_OF_BOUNDS_TABLE if count == 39 else TrapKind.OUT_OF_BOUNDS_MEMORY
    assert result is kind and left is not None and (1 << 40) - left >= count >> 3


ENDLESS = '(module (func (export "run") (loop (br 0))) (func (export "one") (result i32) (i32.const 1)))'


def test_a_guest_without_fuel_is_refused(start: Start) -> None:
    instance = start(ENDLESS, limits=Limits(fuel=1000))
    assert instance.exports.one() == 1 and instance.fuel == 998
    with pytest.raises(FuelError, match="fuel") as caught:
        instance.exports.run()
    assert caught.value.limit == "fuel" and caught.value.frames[0].funcidx == 0
    with pytest.raises(Trap, match="was interrupted"):
        instance.exports.one()


def test_fuel_can_be_given_between_calls(start: Start) -> None:
    instance = start(ENDLESS, limits=Limits(fuel=10))
    for _ in range(100):
        assert instance.exports.one() == 1
        instance.fuel = 10
    with pytest.raises(ValueError, match="without a limit"):
        start(ENDLESS).fuel = 10


@pytest.mark.parametrize("fuel", [1 << 29, (1 << 29) + 1, 1 << 31, 10**18])
def test_large_amounts_are_exact(start: Start, fuel: int) -> None:
    instance = start(ENDLESS, limits=Limits(fuel=fuel))
    for left in range(fuel - 2, fuel - 20, -2):
        instance.exports.one()
        assert instance.fuel == left


def test_without_limits_the_text_is_free_of_them() -> None:
    module = Module.from_file(ROOT / "benchmarks" / "kernels" / "kern.wasm")
    for flavour in Flavour:
        for index in range(len(module.funcs)):
            facts = validate_func(module, index)
            plain = translate(module, index, facts, Variant(flavour)).source
            assert not any(name in plain for name in ("fuel", "refill", "halt", "pay("))
            counted = translate(module, index, facts, Variant(flavour, Metered(fuel=True, time=True))).source
            assert "fuel" in counted and "halted" in counted


@pytest.mark.parametrize("depth", [1, 5, 12, 15, 17, 30])
def test_functions_that_count_by_themselves_nest_as_deep_as_others(depth: int) -> None:
    """Python allows so many blocks inside each other, and counting takes one."""
    loops = "".join(f"(loop $l{n} (local.set 1 (i32.add (local.get 1) (i32.const 1)))" for n in range(depth))
    ends = "".join(
        f"(br_if $l{n} (i32.lt_u (local.get 1) (i32.mul (local.get 0) (i32.const {depth - n})))))"
        for n in reversed(range(depth))
    )
    text = f"""(module (memory 1) (func (export "run") (param i32) (result i32) (local i32)
      {loops} {ends} (i32.div_u (i32.const 5) (i32.sub (local.get 1) (local.get 1)))))"""
    result, left = spent(Module.from_text(text), "run", [3], PLENTY)
    assert result is TrapKind.DIVIDE_BY_ZERO and left is not None
    used = PLENTY - left
    for fuel in (0, used // 3, used // 2, used - 1):
        assert spent(Module.from_text(text), "run", [3], fuel) == (FuelError, 0)

"""The interpreter's machine: stepping, suspending, copying, going on."""

from __future__ import annotations

import pytest

from pywasm_nn.api import Module
from pywasm_nn.errors import Trap, TrapKind
from pywasm_nn.interpreter.interpret import Machine

PROGRAM = """
(module
  (memory (export "memory") 1)
  (table 4 funcref)
  (elem (i32.const 0) $double $halve)
  (type $unary (func (param i32) (result i32)))
  (global $calls (mut i32) (i32.const 0))
  (data $text "wasm")
  (func $double (type $unary) (i32.mul (local.get 0) (i32.const 2)))
  (func $halve (type $unary) (i32.shr_u (local.get 0) (i32.const 1)))
  (func $step (param $n i32) (result i32)
    (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
    (i32.store (i32.mul (global.get $calls) (i32.const 4)) (local.get $n))
    (call_indirect (type $unary) (local.get $n) (i32.rem_u (local.get $n) (i32.const 2))))
  (func (export "main") (param $n i32) (result i32 i32) (local $i i32)
    (memory.init $text (i32.const 100) (i32.const 0) (i32.const 4))
    (data.drop $text)
    (table.set (i32.const 3) (ref.func $halve))
    (block $done
      (loop $again
        (br_if $done (i32.ge_u (local.get $i) (i32.const 3)))
        (local.set $n (i32.add (call $step (local.get $n)) (i32.const 3)))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $again)))
    (local.get $n) (global.get $calls)))
"""


def start() -> tuple[Machine, object]:
    instance = Module.from_text(PROGRAM).instantiate(engine="interpret")
    return Machine(instance.exports["main"], [5]), instance


def state_of(machine: Machine) -> list[tuple[int, int, list[object], list[object]]]:
    return [(f.func.funcidx, f.pc, [*f.locals], [*f.stack]) for f in machine.frames]


def test_steps_give_what_run_gives() -> None:
    whole, _ = start()
    stepped, _ = start()
    while not stepped.done:
        stepped.step()
    assert stepped.results == whole.run()


def test_a_guest_is_suspended_copied_and_resumed_between_any_two_instructions() -> None:
    """At every point: take a snapshot, run to the end, go back, and run to the same end again, in every part
    of the state."""
    machine, instance = start()
    reference, other = start()
    expected = reference.run()
    final = other.snapshot()
    points = 0
    while not machine.done:
        snapshot = machine.snapshot()
        frames = state_of(machine)
        assert machine.run() == expected
        assert instance.snapshot() == without_identity(final, instance)
        machine.restore(snapshot)
        assert state_of(machine) == frames
        machine.step()
        points += 1
    assert machine.results == expected
    assert points > 100


def without_identity(state: object, instance: object) -> object:
    """The final state with the functions of `instance` in place of those of another instance of the same
    module."""
    tables = tuple(
        tuple(element and instance.funcs[element.funcidx] for element in table) for table in state.tables
    )
    return type(state)(state.memories, state.globals, tables, state.datas, state.elems)


def test_a_snapshot_can_be_used_again() -> None:
    machine, _ = start()
    for _ in range(20):
        machine.step()
    snapshot = machine.snapshot()
    results = []
    for _ in range(3):
        machine.restore(snapshot)
        results.append(machine.run())
    assert results[0] == results[1] == results[2]


def test_restoring_after_growth_is_refused_and_changes_nothing() -> None:
    text = '(module (memory 1) (func (export "main") (i32.store (i32.const 0) (i32.const 7))' \
        " (drop (memory.grow (i32.const 1)))))"  # fmt: skip
    instance = Module.from_text(text).instantiate(engine="interpret")
    machine = Machine(instance.exports["main"], [])
    snapshot = machine.snapshot()
    machine.run()
    with pytest.raises(ValueError, match="grown"):
        machine.restore(snapshot)
    assert instance.memory.load("u32", 0) == 7


def test_a_trap_while_stepping_names_its_kind_and_leaves_the_frames() -> None:
    text = '(module (func (export "main") (result i32) (i32.div_u (i32.const 1) (i32.const 0))))'
    instance = Module.from_text(text).instantiate(engine="interpret")
    machine = Machine(instance.exports["main"], [])
    with pytest.raises(Trap) as caught:
        while not machine.done:
            machine.step()
    assert caught.value.kind is TrapKind.DIVIDE_BY_ZERO
    assert machine.frames[-1].code.body.ops[machine.frames[-1].pc - 1].name == "i32.div_u"

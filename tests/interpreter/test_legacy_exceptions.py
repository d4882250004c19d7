"""Exceptions as they were before 3.0: what each instruction does, alike on both engines, and what is refused.

What is not here: random programs (`test_compile_legacy.py`), and the official suite (`spec-tests`).
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable

import pytest
import wasmtime

from pywasm_nn.api import Module
from pywasm_nn.errors import HeapLimitError, InvalidError, MalformedError, Trap, WasmException
from pywasm_nn.interpreter.binary import decode
from pywasm_nn.interpreter.compile import Variant
from pywasm_nn.interpreter.compile.translate import translate
from pywasm_nn.interpreter.encode import encode
from pywasm_nn.interpreter.interpret import Machine
from pywasm_nn.interpreter.runtime.externs import Tag
from pywasm_nn.interpreter.runtime.instance import Instance
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.runtime.observe import InstructionEvent, Observer
from pywasm_nn.interpreter.summary import features_of
from pywasm_nn.interpreter.text import parse, print_module
from pywasm_nn.interpreter.types import I32
from pywasm_nn.interpreter.validate import validate_func
from pywasm_nn.limits import Limits
from pywasm_nn.watch.debug.given import BadInputError, local_index
from pywasm_nn.watch.debug.shown import locals_of
from pywasm_nn.watch.debug.steps import Position

Start = Callable[..., Instance]
KEPT = """(module
  (import "host" "call" (func $call (param i32)))
  (tag $f)
  (func $deep (param $n i32) (call $call (local.get 0)))
  (func (export "again") (param $n i32) (result i32) (local $x i64)
    (try $outer (result i32)
      (do (call $deep (local.get 0)) (i32.const -1))
      (catch_all
        (try (do (throw $f)) (catch $f))
        (try (do (call $deep (i32.const 0))) (catch_all (if (i32.eqz (local.get 0)) (then (rethrow 1)))))
        (rethrow $outer)))))"""
"""A host throws; a function catches it and others, and throws it again."""


@pytest.fixture
def flavour() -> Flavour:
    """One is enough: memory isn't the subject here."""
    return Flavour.default()


def throws(tag: Tag) -> Callable[[int], None]:
    def call(value: int) -> None:
        if value >= 0:
            raise WasmException(tag, (value,))

    return call


@pytest.mark.parametrize(("given", "carried"), [(5, 5), (0, 0)])
def test_what_was_caught_is_thrown_again(start: Start, given: int, carried: int) -> None:
    """Though others were caught in between, and with the frames of the function that throws it again."""
    tag = Tag.carrying(I32)
    instance = start(KEPT, imports={"host": {"call": throws(tag)}})
    with pytest.raises(WasmException) as caught:
        instance.exports.again(given)
    assert (caught.value.tag, caught.value.values) == (tag, (carried,))
    assert [frame.name for frame in caught.value.frames] == ["again"]
    assert instance.exports.again(-1) == -1


def test_a_clause_is_left_with_values_from_below(start: Start) -> None:
    """The operands below the block are there in its clauses, and the values of the exception above them."""
    text = """(module (tag $e (param i32 f32 i64)) (func $f (export "f") (param i32) (result i32 f32 i64 i32)
      (local.get 0) (i32.const 100) (i32.add)
      (try (result f32 i64 i32)
        (do (throw $e (i32.const 7) (f32.const 0.1) (i64.const -2)))
        (catch $e
          (local.set 0 (i32.wrap_i64)) (drop) (drop)
          (f32.const 2) (i64.const 3) (local.get 0)))))"""
    assert start(text).exports.f(11) == (111, 2.0, 3, -2)


def test_the_first_clause_that_fits_is_taken(start: Start) -> None:
    text = """(module (tag $e) (tag $f) (func (export "f") (param i32) (result i32)
      (try (result i32)
        (do (if (local.get 0) (then (throw $f))) (throw $e))
        (catch $e (i32.const 1)) (catch $f (i32.const 2)) (catch $e (i32.const 3))
        (catch_all (i32.const 4)))))"""
    assert [start(text).exports.f(n) for n in (0, 1)] == [1, 2]


@pytest.mark.parametrize("kind", ["unreachable", "(drop (i32.div_u (i32.const 1) (i32.const 0)))"])
def test_traps_are_not_caught_and_pass_delegates(start: Start, kind: str) -> None:
    text = f"""(module (func (export "f")
      (try $t (do (try (do (try (do {kind}) (delegate $t))) (catch_all))) (catch_all))))"""
    with pytest.raises(Trap):
        start(text).exports.f()


FAR = 30


@pytest.mark.parametrize("depth", [1, 3, FAR])
def test_a_delegate_passes_all_between(start: Start, depth: int) -> None:
    """From one that is `depth` blocks in others, to each of them and to the caller: the next one outside of
    the target's body catches it, unless what throws is in a clause of the target."""
    for target in range(depth + 1):
        text = f"(try (do (throw $e)) (delegate {target}))"
        for n in range(depth):
            text = f"(try (do {text}) (catch_all (return (i32.const {n}))))"
        module = f'(module (tag $e) (func (export "f") (result i32) {text} (i32.const -1)))'
        if target == depth:
            with pytest.raises(WasmException):
                start(module).exports.f()
        else:
            assert start(module).exports.f() == target


def test_passing_ends_at_its_target(start: Start) -> None:
    """What was passed once catches what is thrown later, also after a jump out of the delegating block."""
    text = """(module (tag $e) (func (export "f") (param i32) (result i32) (local $n i32)
      (loop $again
        (try $out
          (do
            (try
              (do
                (try (do (if (i32.and (local.get 0) (i32.const 1)) (then (throw $e)))) (delegate $out))
                (local.set $n (i32.add (local.get $n) (i32.const 1)))
                (throw $e))
              (catch_all (local.set $n (i32.add (local.get $n) (i32.const 100))))))
          (catch $e (local.set $n (i32.add (local.get $n) (i32.const 10000)))))
        (br_if $again (local.tee 0 (i32.shr_u (local.get 0) (i32.const 1)))))
      (local.get $n)))"""
    assert start(text).exports.f(0b101101) == 4 * 10000 + 2 * 101


def test_tail_calls_leave_the_blocks(start: Start) -> None:
    text = """(module (tag $e) (func $throw (throw $e))
      (func $inner (try (do (return_call $throw)) (catch_all)))
      (func (export "f") (result i32)
        (try (result i32) (do (call $inner) (i32.const 0)) (catch $e (i32.const 1)))))"""
    assert start(text).exports.f() == 1


def test_older_and_newer_blocks_catch_from_each_other(start: Start) -> None:
    text = """(module (tag $e (param i32))
      (func (export "old") (result i32)
        (try (result i32)
          (do (block $h (result exnref) (try_table (catch_all_ref $h) (throw $e (i32.const 3))) (unreachable))
            throw_ref)
          (catch $e)))
      (func (export "new") (result i32)
        (block $h (result i32)
          (try_table (catch $e $h)
            (try (do (throw $e (i32.const 4))) (catch_all (rethrow 0)))) (unreachable)))
      (func (export "passed") (result i32)
        (try $out (result i32)
          (do
            (block $h (result i32)
              (try_table (catch $e $h) (try (do (throw $e (i32.const 5))) (delegate $out))) (unreachable))
            (drop) (i32.const -1))
          (catch $e))))"""
    exports = start(text).exports
    assert (exports.old(), exports.new(), exports.passed()) == (3, 4, 5)


@pytest.mark.parametrize(
    "statement",
    [
        "(try (do (call $call)) (catch_all (if (local.get 0) (then (rethrow 1)))))",
        "(try (do (try (do (call $call)) (catch_all (rethrow 0)))) (catch_all))",
        "(try (do (call $throws)) (catch $e))",
        """(try $all (do
          (try (do (try (do (call $call)) (catch $e (rethrow 0)))) (delegate $all))) (catch_all))""",
        """(block $h (result exnref) (try_table (catch_all_ref $h) (call $call)) (unreachable)) (local.set 1)
        (try (do (throw_ref (local.get 1))) (catch $e))""",
        """(block $h (result exnref) (try_table (catch_all_ref $h) (call $call)) (unreachable)) (local.set 1)
        (block $h (try_table (catch $e $h) (throw_ref (local.get 1))))""",
    ],
)
def test_a_kept_exception_is_freed_with_its_frame(start: Start, statement: str) -> None:
    """At once, also if it was thrown again and caught by a clause that doesn't keep it."""
    tag = Tag.carrying()
    thrown: list[weakref.ref[WasmException]] = []

    def call() -> None:
        error = WasmException(tag)
        thrown.append(weakref.ref(error))
        raise error

    text = f"""(module (import "host" "call" (func $call)) (import "host" "tag" (tag $e))
      (func $throws (try (do (call $call)) (catch_all (rethrow 0))))
      (func (export "f") (param i32) (local exnref) {statement}))"""
    instance = start(text, imports={"host": {"call": call, "tag": tag}})
    gc.disable()
    try:
        instance.exports.f(0)
        assert [each() for each in thrown] == [None]
    finally:
        gc.enable()


def test_exceptions_in_a_loop_stay_below_the_heap_limit(start: Start) -> None:
    text = """(module (tag $e (param i64))
      (func (export "f") (param i32)
        (loop $l
          (try (do (throw $e (i64.const 1)))
            (catch $e (drop) (if (i32.eqz (local.get 0)) (then (rethrow 1)))))
          (br_if $l (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))))
      (func $deep (export "deep") (param i32)
        (try (do (throw $e (i64.const 1)))
          (catch $e (drop) (call $deep (i32.sub (local.get 0) (i32.const 1))) (rethrow 0)))))"""
    start(text, limits=Limits(heap=2000)).exports.f(2000)
    with pytest.raises(HeapLimitError):
        start(text, limits=Limits(heap=2000)).exports.deep(50)


@pytest.mark.parametrize("given", [5, -1])
def test_machines_stop_in_a_clause_and_go_back(given: int) -> None:
    imports = {"host": {"call": throws(Tag.carrying(I32))}}
    instance = Module.from_text(KEPT).instantiate(imports=imports, engine="interpret")
    machine, steps = Machine(instance.exports.again, [given % 2**32]), 0
    snapshots = []
    with pytest.raises(WasmException) if given > 0 else pytest.MonkeyPatch.context():
        while not machine.done:
            snapshots.append(machine.snapshot())
            machine.step()
            steps += 1
    for at in range(0, steps, 3):
        machine.restore(snapshots[at])
        more = 0
        with pytest.raises(WasmException) if given > 0 else pytest.MonkeyPatch.context():
            while not machine.done:
                machine.step()
                more += 1
        assert at + more == steps


def test_a_debugger_shows_the_guest_s_own_locals() -> None:
    imports = {"host": {"call": throws(Tag.carrying(I32))}}
    instance = Module.from_text(KEPT).instantiate(imports=imports, engine="interpret")
    machine = Machine(instance.exports.again, [5])
    while machine.frames[-1].pc < 3 or len(machine.frames) > 1:
        machine.step()
    position = Position(machine.frames[-1], 0)
    assert [line.split()[0] for line in locals_of(position)] == ["0", "1"]
    with pytest.raises(BadInputError, match="no local 2; there are 2"):
        local_index(position, "2")


class Steps(Observer):
    """Notes the instructions and locals."""

    wants = frozenset({"instr", "calls"})

    def __init__(self) -> None:
        self.names: list[str] = []
        self.open: list[int] = []

    def instruction(self, event: InstructionEvent) -> None:
        self.names.append(event.op.name)
        assert len(event.locals) in (1, 2)

    def enter(self, funcidx: int, arguments: object, depth: int) -> None:
        self.open.append(funcidx)

    def leave(self, funcidx: int, results: object, depth: int) -> None:
        assert self.open.pop() == funcidx


@pytest.mark.parametrize("given", [5, -1])
def test_observers_see_what_is_paid_for(given: int) -> None:
    imports = {"host": {"call": throws(Tag.carrying(I32))}}
    seen, left = Steps(), []
    for engine, observer in (("interpret", seen), ("interpret", None), ("compile", None)):
        instance = Module.from_text(KEPT).instantiate(
            imports=imports, engine=engine, observer=observer, limits=Limits(fuel=1000)
        )
        try:
            instance.exports.again(given)
        except WasmException:
            assert given == 5 and "rethrow" in seen.names
        left.append(instance.fuel)
    assert len(set(left)) == 1
    assert seen.open == ([] if given < 0 else [2])  # those that caught nothing were left
    if given < 0:  # nothing is thrown inside a basic block that was paid for as a whole
        assert left[0] == 1000 - len(seen.names)


INVALID = {
    "(func (catch_all))": "unexpected token",
    "(func (try (do) (catch_all) (catch 0)))": "unexpected token",
    "(func (try (do) (catch 0) (delegate 0)))": "unexpected token",
    "(func try catch_all catch_all end)": "unexpected token",
    "(func try catch 0 delegate 0)": "unexpected token",
    "(func delegate 0)": "unexpected token",
    "(func block delegate 0)": "unexpected token",
    "(func try)": "unexpected token",
    "(func (try))": "unexpected token",
    "(func (try (do) (do)))": "unexpected token",
    "(func (try nop))": "unexpected token",
    "(func (try $l (do) (delegate $l)))": "unknown label",
    "(func (rethrow 0))": "invalid rethrow label",
    "(func (rethrow 7))": "unknown label",
    "(func (try (do (rethrow 0)) (catch_all)))": "invalid rethrow label",
    "(func (block (try (do) (catch_all (rethrow 1)))))": "invalid rethrow label",
    "(func (try (do) (delegate 1)))": "unknown label 1",
    "(func (try (do) (catch 1)))": "unknown tag 1",
    "(func (try (result i32) (do (i32.const 0)) (delegate 0)) (drop) (drop))": "type mismatch",
    "(func (try (do (i32.const 0)) (delegate 0)))": "type mismatch",
    "(func (result i32) (try (result i32) (do (i32.const 0)) (catch 0)))": "type mismatch",
    "(func (i32.const 0) (try (do) (catch_all (drop))) (drop))": "type mismatch",
    "(func (local (ref func)) (try (do) (catch_all (drop (local.get 0)))))": "uninitialized local",
    "(func $f (local $r (ref func)) (try (do (local.set $r (ref.func $f)))"
    ' (catch_all (drop (local.get $r))))) (export "f" (func $f))': "uninitialized local",
}


@pytest.mark.parametrize("text", INVALID)
def test_mistakes_are_named(text: str) -> None:
    with pytest.raises((MalformedError, InvalidError), match=INVALID[text]):
        Module.from_text(f"(module (tag) {text})").validate()


HEAD = b"\0asm\1\0\0\0\1\4\1\x60\0\0\3\2\1\0\x0d\3\1\0\0"


@pytest.mark.parametrize(
    "body",
    [
        b"\x19\x0b",  # clauses and delegates of nothing, of other blocks, and of what has ended
        b"\x07\0\x0b",
        b"\x18\0\x0b",
        b"\x02\x40\x19\x0b\x0b",
        b"\x02\x40\x18\0\x0b",
        b"\x06\x40\x19\x19\x0b\x0b",
        b"\x06\x40\x19\x07\0\x0b\x0b",
        b"\x06\x40\x07\0\x18\0\x0b",
        b"\x06\x40\x19\x18\0\x0b",
        b"\x06\x40\x05\x0b\x0b",
        b"\x04\x40\x05\x19\x0b\x0b",
        b"\x06\x40",
        b"\x06\x40\x19",
        b"\x06\x40\x18\0",
    ],
)
def test_damaged_bodies_are_malformed(body: bytes) -> None:
    function = b"\0" + body
    data = HEAD + bytes([10, len(function) + 2, 1, len(function)]) + function
    with pytest.raises(MalformedError):
        Module.from_bytes(data).validate()


FLAT = """(module (tag $e (param i32)) (func (param i32) (result i32)
  try $a (result i32) local.get 0 throw $e catch $e catch_all i32.const 1 end
  try $b (result i32) local.get 0 catch_all i32.const 1 rethrow $b end $b i32.add
  try block try br 1 delegate 1 end delegate 0
  try end))"""
FOLDED = """(module (tag $e (param i32)) (func (param i32) (result i32)
  (i32.add
    (try (result i32) (do (throw $e (local.get 0))) (catch $e) (catch_all (i32.const 1)))
    (try $b (result i32) (do (local.get 0)) (catch_all (i32.const 1) (rethrow $b))))
  (try $t (do (block $l (try (do (br $l)) (delegate $t)))) (delegate 0))
  (try (do))))"""


def test_both_forms_of_the_text_mean_the_same() -> None:
    flat, folded = encode(parse(FLAT)), encode(parse(FOLDED))
    assert flat == folded
    assert decode(bytes(wasmtime.wat2wasm(FLAT))).funcs == decode(flat).funcs
    assert encode(parse(print_module(Module.from_bytes(flat)))) == flat
    assert Module.from_bytes(flat).funcs[0].body == parse(FLAT).funcs[0].body
    assert "legacy exceptions" in features_of(Module.from_bytes(flat))


def test_only_what_rethrows_keeps_anything() -> None:
    """A clause without `rethrow`, and a `delegate` to the next block, cost as little as try_table."""
    text = """(module (func $f) (tag)
      (func (try (do (try (do (call $f)) (delegate 0)) (call $f)) (catch_all (call $f)))))"""
    module = Module.from_text(text)
    facts = validate_func(module, 1)
    source = translate(module, 1, facts, Variant(Flavour.default())).source
    assert len(facts.locals) == facts.named == 0
    assert source.splitlines()[:5] == ["def func1():", " try:", "  func0()", "  func0()", "  caught = None"]
    assert source.count("except") == 1


def test_locals_for_exceptions_are_as_many_as_clauses_in_each_other() -> None:
    again = "(try (do) (catch_all (rethrow 0)))"
    text = f"(module (func (param i32) {again * 50} (try (do) (catch_all {again} (rethrow 0)))))"
    module = Module.from_text(text)
    facts = validate_func(module, 0)
    assert (facts.named, len(facts.locals)) == (1, 3)

"""Going back: every byte of the guest is as it was, whatever ran in between, and no host is asked twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.api import Module
from pywasm_nn.errors import WasmError, WasmException
from pywasm_nn.interpreter.runtime.heap import Array, Struct
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.watch.debug.debugger import Debugger
from pywasm_nn.watch.debug.steps import BACKWARDS, Step, Stop

from ..conftest import examples

MOST_STATES = 1500
LONGEST_WALK = 25
HEAD = """
(import "host" "ask" (func $ask (param i32 i32) (result i32)))
(import "host" "fill" (func $fill (param i32)))
(memory (export "memory") 1 4)
(table $t (export "t") 6 20 funcref)
(elem $e func $add $twist $touch)
(elem (table $t) (i32.const 0) func $add $twist $touch $add)
(data $d "some bytes of a segment")
(tag $one (param i32)) (tag $none)
(type $op (func (param i32) (result i32)))
(type $pair (struct (field (mut i32)) (field (mut (ref null $pair)))))
(type $list (array (mut i32)))
(global $clock (mut i32) (i32.const 0))
(global $wide (mut i64) (i64.const 7))
(global $held (mut (ref null $pair)) (ref.null $pair))
(global $many (mut (ref null $list)) (ref.null $list))
(func $add (type $op) (global.set $clock (i32.add (global.get $clock) (i32.const 1)))
  (i32.add (local.get 0) (global.get $clock)))
(func $twist (type $op) (global.set $wide (i64.rotl (i64.xor (global.get $wide)
    (i64.extend_i32_u (local.get 0))) (i64.const 9)))
  (i32.wrap_i64 (global.get $wide)))
(func $touch (type $op) (i32.store offset=64 (i32.and (local.get 0) (i32.const 0xfff)) (local.get 0))
  (i32.load offset=64 (i32.and (local.get 0) (i32.const 0xfff))))
(func $risky (type $op)
  (if (i32.and (local.get 0) (i32.const 1)) (then (throw $one (local.get 0))))
  (if (i32.and (local.get 0) (i32.const 2)) (then (throw $none)))
  (call $add (local.get 0)))
(func $deep (type $op) (call $risky (call $touch (local.get 0))))
(func $jump (type $op) (return_call_indirect $t (type $op) (local.get 0) (i32.const 1)))
"""
STATEMENTS = [
    "(local.set $x (call $add (local.get $x)))",
    "(local.set $y (call $twist (local.get $x)))",
    "(local.set $x (call $touch (local.get $y)))",
    "(local.set $x (call $jump (local.get $x)))",
    "(drop (memory.grow (i32.and (local.get $x) (i32.const 1))))",
    "(drop (memory.grow (i32.const 1)))",
    "(i32.store8 (i32.sub (i32.mul (memory.size) (i32.const 65536)) (i32.const 1)) (local.get $x))",
    "(memory.fill (i32.const 100) (local.get $x) (i32.const 50))",
    "(memory.copy (i32.const 300) (i32.const 90) (i32.const 70))",
    "(memory.init $d (i32.const 20) (i32.const 0) (i32.const 5))",
    "(data.drop $d)",
    "(drop (table.grow $t (ref.func $twist) (i32.const 2)))",
    "(table.set $t (i32.and (local.get $x) (i32.const 3)) (ref.func $touch))",
    "(table.fill $t (i32.const 1) (ref.func $twist) (i32.const 2))",
    "(table.copy $t $t (i32.const 0) (i32.const 2) (i32.const 3))",
    "(table.init $t $e (i32.const 1) (i32.const 0) (i32.const 2))",
    "(elem.drop $e)",
    "(local.set $x (call_indirect $t (type $op) (local.get $y) (i32.and (local.get $x) (i32.const 3))))",
    """(block $caught (result i32)
      (try_table (result i32) (catch $one $caught) (call $deep (local.get $x)))) (local.set $x)""",
    """(block $out (block $caught (try_table (catch_all $caught) (local.set $x (call $risky (local.get $y))))
      (br $out)) (local.set $y (i32.add (local.get $y) (i32.const 1))))""",
    """(block $again (result i32 exnref)
      (try_table (catch_ref $one $again) (drop (call $deep (local.get $y))))
      (i32.const 1) (ref.null exn)) (local.set $exn) (local.set $x)""",
    """(try $all (result i32) (do (try (result i32) (do
      (try (do (drop (call $deep (local.get $x)))) (delegate $all)) (call $risky (local.get $y)))
      (catch $one (rethrow 0)))) (catch $one) (catch_all (i32.const 5))) (local.set $y)""",
    "(global.set $held (struct.new $pair (local.get $x) (global.get $held)))",
    """(if (i32.eqz (ref.is_null (global.get $held))) (then
      (struct.set $pair 0 (global.get $held) (local.get $y))))""",
    "(global.set $many (array.new $list (local.get $x) (i32.const 3)))",
    """(if (i32.eqz (ref.is_null (global.get $many))) (then
      (array.set $list (global.get $many) (i32.const 1) (local.get $y))))""",
    "(local.set $x (call $ask (local.get $x) (i32.const 500)))",
    "(call $fill (i32.and (local.get $y) (i32.const 255)))",
]
TRAPS = ["(drop (i32.load (i32.const -4)))", "(drop (i32.div_u (local.get $x) (i32.const 0)))"]


def program(random: Random) -> str:
    """A module whose `main` does some of these things, in loops and in a function of its own."""

    def some(most: int) -> str:
        return "\n".join(random.choice(STATEMENTS) for _ in range(random.randrange(1, most)))

    end = random.choice([*TRAPS, "(throw $none)", "", ""])
    locals_ = "(local $x i32) (local $y i32) (local $i i32) (local $exn exnref)"
    return f"""(module {HEAD}
    (func $part (param $p i32) {locals_} (local.set $x (local.get $p)) {some(6)})
    (func (export "main") {locals_} (local.set $x (i32.const {random.randrange(100)}))
      {some(5)} (loop $l {some(5)} (call $part (local.get $x))
        (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1)))
          (i32.const {random.randrange(1, 4)})))) {some(4)} {end}))"""


class Host:
    """A host with a state of its own, which writes to the guest's memory."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.memory: Any = None

    def ask(self, value: int, address: int) -> int:
        self.asked.append(value)
        self.memory.write(address, len(self.asked).to_bytes(4, "little"))
        return len(self.asked) * 3

    def fill(self, value: int) -> None:
        self.asked.append(value)
        self.memory.write(7, bytes([value, len(self.asked)]))


def text_of(value: Any, tags: Sequence[Any], seen: tuple[int, ...] = ()) -> str:
    """A value with all that it leads to; the same for the same state of any instance, which has `tags`."""
    if id(value) in seen:
        return "..."
    if isinstance(value, Struct | Array):
        inner = value.fields if isinstance(value, Struct) else value.elements
        return f"({' '.join(text_of(each, tags, (*seen, id(value))) for each in inner)})"
    if isinstance(value, WasmException):
        return f"exception {tags.index(value.tag)} {value.payload}"
    return repr(value)


def state_of(debugger: Debugger) -> str:
    """Every byte of the guest, as text."""
    instance: Any = debugger.instance

    def texts(values: Sequence[Any]) -> list[str]:
        return [text_of(value, instance.tags) for value in values]

    frames = [
        (f.funcidx, f.pc, texts(f.locals), texts(f.stack))
        for machine in debugger.machines
        for f in machine.frames
    ]
    memories = [(m.size, hash(bytes(m.buffer))) for m in instance.mems]
    values = texts([g.raw for g in instance.globals])
    tables = [texts(t.elements) for t in instance.tables]
    return repr((frames, memories, values, tables, instance.datas, [len(e) for e in instance.elems]))


def session(module: Module, answer: Callable[[Debugger, Stop, Host], None], flavour: Flavour) -> Host:
    """Run `main` under a debugger; `answer` is called at each stop."""
    host = Host()
    debugger = Debugger(module, lambda stop: answer(debugger, stop, host))
    imports = {"host": {"ask": host.ask, "fill": host.fill}}
    made = module.instantiate(imports=imports, engine="interpret", observer=debugger, flavour=flavour)
    with made as instance:
        host.memory = instance.memory
        with suppress(WasmError):
            instance.exports.main()
    return host


def states_of(module: Module, flavour: Flavour) -> tuple[list[str], list[int]]:
    """The guest before each instruction, and what it asked the host."""
    states: list[str] = []

    def answer(debugger: Debugger, stop: Stop, host: Host) -> None:
        if stop.error is None:
            states.append(state_of(debugger))
        debugger.go(Step.INTO if len(states) < MOST_STATES else Step.ON)

    host = session(module, answer, flavour)
    return states, host.asked


@pytest.mark.parametrize("flavour", dict.fromkeys((Flavour.default(), Flavour.STRUCT)), ids=lambda f: f.value)
@examples(120)
@given(seed=st.integers(0, 1 << 32), data=st.data())
def test_forward_and_back_by_the_same_number(flavour: Flavour, seed: int, data: st.DataObject) -> None:
    module = Module.from_text(program(Random(seed)))
    states, asked = states_of(module, flavour)
    last = len(states) - 1
    first = data.draw(st.integers(0, last), label="first")
    count = data.draw(st.integers(0, last - first), label="count")
    turns = [(Step.INTO, first), (Step.INTO, count), (Step.BACK, count), (Step.INTO, count), (Step.BACK, 1)]
    expected = [0, first, first + count, first, first + count, max(first + count - 1, 0)]
    met: list[int] = []
    wrong: list[int] = []

    def answer(debugger: Debugger, stop: Stop, host: Host) -> None:
        if len(met) < len(expected):
            if state_of(debugger) != states[expected[len(met)]]:
                wrong.append(len(met))
            met.append(1)
        while len(met) <= len(turns):
            step, by = turns[len(met) - 1]
            if by:
                debugger.go(step, by)
                return
            met.append(1)
        debugger.go(Step.ON)

    host = session(module, answer, flavour)
    assert not wrong
    assert len(met) >= len(expected)
    assert host.asked == asked


@pytest.mark.parametrize("flavour", dict.fromkeys((Flavour.default(), Flavour.STRUCT)), ids=lambda f: f.value)
@examples(200)
@given(seed=st.integers(0, 1 << 32))
def test_any_way_through_a_program(flavour: Flavour, seed: int) -> None:
    """Each stop shows a state that the program has had, those of steps back an earlier one, and in the end
    the host has been asked as often as without a debugger."""
    random = Random(seed)
    module = Module.from_text(program(random))
    states, asked = states_of(module, flavour)
    if len(states) >= MOST_STATES:
        return
    times: dict[str, list[int]] = {}
    for time, state in enumerate(states):
        times.setdefault(state, []).append(time)
    unknown: list[str] = []
    walk: list[tuple[str, int, int]] = []
    now = 0

    def answer(debugger: Debugger, stop: Stop, host: Host) -> None:
        nonlocal now
        known = [len(states)] if stop.error is not None else times.get(state_of(debugger), [])
        if not known:
            unknown.append(f"{walk} {stop.reason}")
            debugger.go(Step.ON)
            return
        if walk and len(walk) <= LONGEST_WALK:
            step, count, before = walk[-1]
            wanted = [time for time in known if fits(Step(step), count, before, time)]
            if not wanted:
                unknown.append(f"{walk} {stop.reason}: at {known}")
            now = (wanted or known)[0]
        if len(walk) >= LONGEST_WALK:
            walk.append(("continue", 1, now))
            debugger.go(Step.ON)
            return
        if random.random() < 0.2:
            debugger.add(random.choice(["add", "twist", "risky", "part", "touch"]))
        elif debugger.breakpoints and random.random() < 0.4:
            debugger.remove(debugger.breakpoints[0].number)
        elif random.random() < 0.1:
            debugger.watch(random.choice(["500", "64:128"]), None)
        elif debugger.stops.watches and random.random() < 0.5:
            debugger.remove(debugger.stops.watches[0].number)
        choices = sorted(BACKWARDS if stop.error is not None else set(Step), key=lambda one: one.value)
        step = random.choice([each for each in choices if each not in (Step.LINE, Step.OVER_LINE)])
        count = random.choice([1, 1, 2, 7, 50]) if step in (Step.INTO, Step.BACK) else 1
        walk.append((step.value, count, now))
        if step is Step.BACK_WRITER:
            debugger.look_for(random.choice(["64:4096", "500:4", "0x14"]), None)
        else:
            debugger.go(step, count)

    host = session(module, answer, flavour)
    assert not unknown, "\n".join(unknown)
    assert host.asked == asked


def fits(step: Step, count: int, before: int, now: int) -> bool:
    """Whether a step can lead from one time to another."""
    if step is Step.BACK:
        return now == max(before - count, 0)
    if step is Step.BACK_WRITER:
        return now <= before
    if step in BACKWARDS:
        return now < before or before == 0 == now
    if step is Step.INTO:
        return before < now <= before + count
    return now > before


def reasons(module: Module, steps: Sequence[tuple[Step, int]]) -> list[str]:
    """Why the guest stops, with the name of the function and the index of the instruction."""
    seen: list[str] = []
    waiting = list(steps)

    def answer(debugger: Debugger, stop: Stop, host: Host) -> None:
        position = debugger.positions[0]
        seen.append(f"{stop.reason} {debugger.places.label(position.funcidx)}:{position.instr}")
        if waiting:
            debugger.go(*waiting.pop(0))
        else:
            debugger.go(Step.ON)

    session(module, answer, Flavour.default())
    return seen


SIMPLE = """(module
  (memory (export "memory") 1)
  (func $leaf (param i32) (i32.store (local.get 0) (local.get 0)))
  (func $twice (param i32) (call $leaf (local.get 0)) (call $leaf (i32.const 8)))
  (func (export "main") (call $twice (i32.const 4)) (call $twice (i32.const 12)) (drop (i32.const 1))
    (unreachable)))"""
ON, BACK, OVER = (Step.ON, 1), (Step.BACK, 1), (Step.BACK_OVER, 1)


def test_back_from_a_trap_into_what_ran_compiled() -> None:
    seen = reasons(Module.from_text(SIMPLE), [ON, BACK, (Step.BACK, 2), BACK, BACK, BACK])
    trap, *others = [one.rpartition(" ")[2] for one in seen[1:7]]
    assert seen[1].startswith("unreachable ")
    assert (trap, others) == ("main:6", ["main:6", "main:4", "twice:4", "leaf:3", "leaf:2"])


def test_back_over_calls() -> None:
    seen = reasons(Module.from_text(SIMPLE), [ON, *[OVER] * 6])
    assert seen[2:8] == [f"back over main:{instr}" for instr in (6, 5, 4, 3, 2, 1)]


def test_back_to_breakpoints_that_were_set_later() -> None:
    """They were not there when the guest ran compiled through these functions."""
    module = Module.from_text(SIMPLE)
    stops: list[str] = []

    def answer(debugger: Debugger, stop: Stop, host: Host) -> None:
        locals_ = [f.locals for machine in debugger.machines for f in machine.frames[-1:]]
        stops.append(f"{stop.reason} {locals_}")
        if stop.error is not None:
            debugger.add("leaf")
        debugger.go(Step.ON if len(stops) == 1 else Step.BACK_ON if len(stops) < 7 else Step.ON)

    session(module, answer, Flavour.default())
    assert stops[2:7] == [
        *[f"breakpoint 1: leaf [[{value}]]" for value in (8, 12, 8, 4)],
        "the beginning of what is known [[]]",
    ]


def test_a_change_begins_history_anew() -> None:
    stops: list[int] = []

    def answer(debugger: Debugger, stop: Stop, host: Host) -> None:
        frame = debugger.machines[-1].frames[-1]
        stops.append(frame.pc)
        if len(stops) == 2:
            debugger.instance.mems[0].write(100, b"x")  # type: ignore[union-attr] # it runs
            debugger.changed()
        turns = [(Step.INTO, 5), (Step.INTO, 2), (Step.BACK, 5), (Step.ON, 1), (Step.BACK, 1)]
        if len(stops) == 4:
            assert stop.reason == "the beginning of what is known"
            assert debugger.instance.mems[0].read(100, 1) == b"x"  # type: ignore[union-attr] # it runs
        if len(stops) <= len(turns):
            debugger.go(*turns[len(stops) - 1])
        else:
            debugger.go(Step.ON)

    session(Module.from_text(SIMPLE), answer, Flavour.default())
    assert stops[3] == stops[1]
    assert len(stops) > 5


WRITES = """(module
  (import "host" "ask" (func $ask (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func $set (param i32 i32) (i32.store (local.get 0) (local.get 1)))
  (func $clear (param i32) (memory.fill (local.get 0) (i32.const 0) (i32.const 8)))
  (func $byte (param i32) (i32.store8 (local.get 0) (i32.const 0)))
  (func $rest (param i32) (local $i i32) (loop $l (i32.store offset=4096 (local.get $i) (local.get $i))
    (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 4))) (local.get 0)))))
  (func (export "main")
    (call $set (i32.const 64) (i32.const 7)) (call $set (i32.const 80) (i32.const 7))
    (call $clear (i32.const 80)) (call $byte (i32.const 67)) (call $set (i32.const 96) (i32.const 9))
    (drop (call $ask (i32.const 1) (i32.const 96))) (call $rest (i32.const 2000)) (unreachable)))"""


@pytest.mark.parametrize(
    ("place", "writer"),
    [
        ("64", "byte"), ("64:3", "set"), ("67:1", "byte"), ("68:4", None), ("80", "clear"), ("87:1", "clear"),
        ("88:1", None), ("96", "main"), ("0x1000", "rest"), ("65000", None),
    ],
)  # fmt: skip
def test_the_last_writer_is_found(place: str, writer: str | None) -> None:
    """Also one that wrote what was there before; and the host, if it has changed something."""
    seen: list[tuple[str, str]] = []

    def answer(debugger: Debugger, stop: Stop, host: Host) -> None:
        seen.append((stop.reason, debugger.places.label(debugger.positions[0].funcidx)))
        if stop.error is not None and len(seen) == 2:
            debugger.look_for(place, debugger.positions[0])
        else:
            debugger.go(Step.ON)

    host = session(Module.from_text(WRITES), answer, Flavour.default())
    assert len(host.asked) == 1
    reason, function = seen[2]
    if writer is None:
        assert reason.startswith(f"nothing has written {place}")
    else:
        assert (function, reason.split(" by")[0]) == (writer, f"{place} was written last")


def test_a_watchpoint_stops_where_a_value_changes() -> None:
    """Not where it is written once more; the host counts too, and going back stops at the same writes."""
    reasons: list[str] = []

    def answer(debugger: Debugger, stop: Stop, host: Host) -> None:
        if not reasons:
            debugger.watch("64:4", None)
            debugger.watch("96:1", None)
        reasons.append(stop.reason)
        back = 4 < len(reasons) < 7
        debugger.go(Step.BACK_ON if back else Step.ON)

    session(
        Module.from_text(WRITES.replace("(i32.const 1)) (drop", "(i32.const 9)) (drop")),
        answer,
        Flavour.default(),
    )
    assert reasons[1:4] == [
        "watchpoint 1: 64:4: 00 00 00 00 -> 07 00 00 00",
        "watchpoint 2: 96:1: 00 -> 09",
        "watchpoint 2: 96:1: the host has written 01",
    ]
    assert reasons[4].startswith("unreachable")
    assert reasons[5:7] == ["watchpoint 2: 96:1: the host has written 01", "watchpoint 2: 96:1: 00 -> 09"]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("leaf if local 0 > 8", [12]),
        ("leaf if local 0 == 8", [8, 8]),
        ("leaf if $0 % 8 == 4 and not local 0 > 9", [4]),
        ("leaf after 2", [12, 8]),
        ("leaf if local 0 == 8 after 1", [8]),
        ("leaf if u32 4 == 4 and u8 8 != 0", [12, 8]),
    ],
)
def test_conditions_and_counts(text: str, values: list[int]) -> None:
    seen: list[int] = []

    def answer(debugger: Debugger, stop: Stop, host: Host) -> None:
        if stop.reason.startswith("breakpoint"):
            seen.append(debugger.machines[-1].frames[-1].locals[0])
        elif not debugger.breakpoints:
            debugger.add(text)
        debugger.go(Step.ON)

    session(Module.from_text(SIMPLE), answer, Flavour.default())
    assert seen == values

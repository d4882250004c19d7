"""A guest that reaches another instance takes its own limits along: every limit, by every way, on both
engines.

What is not here: what each limit means (`tests/attacks.py`), and when memories end (`test_sharing.py`).
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from pywasm_nn import Caller, Capture, Linker, Module, Wasi
from pywasm_nn.errors import (
    DeadlineError,
    ExhaustionError,
    FuelError,
    HeapLimitError,
    HostCallsError,
    HostError,
    InterruptionError,
    Trap,
    TrapKind,
    WasmException,
)
from pywasm_nn.interpreter.runtime.alarm import CLOCK
from pywasm_nn.interpreter.runtime.externs import Global, Tag
from pywasm_nn.interpreter.runtime.instance import Func, HostFunc, Instance
from pywasm_nn.interpreter.runtime.observe import HostEvent, Observer
from pywasm_nn.interpreter.runtime.table import Table
from pywasm_nn.interpreter.types import FuncType
from pywasm_nn.limits import Limits

from ..conftest import in_time

SECONDS = 0.06
PATIENCE = 30
"""Seconds that a test gives a busy machine."""

REACHED = """(module
  (import "host" "nothing" (func $nothing))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "host" "tag" (tag $tag (param funcref)))
  (type $v (func)) (type $box (struct (field (ref null $v)))) (type $all (array (mut (ref null $box))))
  (global $list (mut (ref null $all)) (ref.null $all))
  (memory (export "memory") 1) (table $grown 1 funcref) (data (i32.const 4) "\\64")
  (func $loop (export "loop") (loop (br 0)))
  (func $calls (export "calls") (loop (call $one) (br 0))) (func $one)
  (func $tails (export "tails") (return_call $tails2)) (func $tails2 (return_call $tails))
  (func (export "host") (loop (call $nothing) (br 0)))
  (func $deep (export "deep") (call $deep))
  (func (export "heap") (local $n i32)
    (global.set $list (array.new_default $all (i32.const 10000)))
    (loop (array.set $all (global.get $list) (local.get $n) (struct.new $box (ref.null $v)))
      (local.set $n (i32.add (local.get $n) (i32.const 1))) (br 0)))
  (func (export "output") (loop
      (br_if 0 (i32.eqz (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16)))))
    (call $tails))
  (func (export "grow") (loop (br_if 0 (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))
    (if (i32.gt_u (memory.size) (i32.const 4)) (then (unreachable))) (call $tails))
  (func (export "table")
    (loop (br_if 0 (i32.ne (table.grow $grown (ref.null func) (i32.const 1)) (i32.const -1))))
    (if (i32.gt_u (table.size $grown) (i32.const 4)) (then (unreachable))) (call $tails))
  (elem declare func $throw)
  (func $throw (export "throw") (param funcref) (throw $tag (local.get 0)))
  (func (export "boxed") (param (ref null $v)) (result (ref $box)) (struct.new $box (local.get 0))))"""

ENTERED = """(module
  (type $v (func)) (type $box (struct (field (ref null $v)))) (type $all (array (mut (ref null $box))))
  (import "way" "func" (func $imported))
  (import "way" "throw" (func $throw (param funcref)))
  (import "way" "tag" (tag $tag (param funcref)))
  (import "way" "table" (table $table 1 funcref))
  (import "way" "global" (global $global (mut (ref null $v))))
  (import "way" "back" (func $back))
  (import "way" "given" (func $given (result (ref null $v))))
  (import "way" "thrown" (func $thrown))
  (global $kept (mut (ref null $v)) (ref.null $v))
  (export "exported_again" (func $imported))
  (func (export "import") (call $imported))
  (func (export "import_tail") (return_call $imported))
  (func (export "table") (call_indirect $table (type $v) (i32.const 0)))
  (func (export "table_tail") (return_call_indirect $table (type $v) (i32.const 0)))
  (func (export "table_get") (call_ref $v (ref.cast (ref $v) (table.get $table (i32.const 0)))))
  (func (export "global") (call_ref $v (global.get $global)))
  (func (export "global_tail") (return_call_ref $v (global.get $global)))
  (func (export "parameter") (param (ref null $v)) (call_ref $v (local.get 0)))
  (func (export "keep") (param (ref null $v)) (global.set $kept (local.get 0)))
  (func (export "kept") (call_ref $v (global.get $kept)))
  (func (export "field") (param (ref null $box)) (call_ref $v (struct.get $box 0 (local.get 0))))
  (func (export "callback") (call $back))
  (func (export "result") (call_ref $v (call $given)))
  (func (export "exception") (block $h (result funcref)
      (try_table (catch $tag $h) (call $throw (global.get $global))) (unreachable))
    (call_ref $v (ref.cast (ref $v))))
  (func (export "host_exception") (block $h (result funcref)
      (try_table (catch $tag $h) (call $thrown)) (unreachable))
    (call_ref $v (ref.cast (ref $v)))))"""

VARIABLE = '(module (type $v (func)) (global (export "g") (mut (ref null $v)) (ref.null $v)))'
STARTING = """(module (import "way" "func" (func $f)) (start $f))"""
REACHED_BY_IMPORT = ("import", "import_tail", "start", "exported_again")
module = cache(Module.from_text)
"""The module of a text, read once for all of its tests."""
WAYS = [
    "import", "import_tail", "table", "table_tail", "table_get", "global", "global_tail", "parameter", "kept",
    "field", "callback", "result", "exception", "host_exception", "start", "exported_again",
]  # fmt: skip


class Pair:
    """Two instances, made with limits of their own, and the ways from the second into the first."""

    def __init__(self, engine: str, reached: Limits, entered: Limits, name: str) -> None:
        self.engine, self.entered_limits = engine, entered
        tag = Tag.carrying("funcref")
        host = {"nothing": lambda: None, "tag": tag}
        self.written = Capture()
        self.reached = module(REACHED).instantiate(
            Wasi(stdout=self.written), engine=engine, limits=reached, imports={"host": host}
        )
        self.func: Func = self.reached.exports[name]
        self.table = Table.of("funcref", 1)
        self.tag = tag
        self.entered: Instance | None = None
        self.observer: Observer | None = None

    def enter(self, way: str) -> Any:
        def thrown() -> None:
            raise WasmException(self.tag, (self.func,))

        def back() -> None:
            self.func()

        reached = self.reached.exports
        source = module(VARIABLE)
        self.variable: Global = source.instantiate(engine=self.engine).exports.g
        given = HostFunc(FuncType((), (self.variable.type.type,)), lambda _: lambda: self.func)
        names = {
            "func": self.func if way in REACHED_BY_IMPORT else self.lonely(),
            "throw": reached["throw"] if way == "exception" else self.lonely_throw(),
            "tag": self.tag,
            "table": self.table,
            "global": self.variable,
            "back": back,
            "given": given,
            "thrown": thrown,
        }
        if way == "start":
            return module(STARTING).instantiate(
                engine=self.engine, limits=self.entered_limits, imports={"way": names}
            )
        entered = module(ENTERED).instantiate(
            engine=self.engine, limits=self.entered_limits, imports={"way": names}, observer=self.observer
        )
        self.entered = entered
        if way.startswith("table"):
            self.table[0] = self.func
        if way.startswith(("global", "exception")):
            self.variable.value = self.func
        exports = entered.exports
        if way == "kept":
            exports.keep(self.func)
        if way == "parameter":
            return exports.parameter(self.func)
        if way == "field":
            return exports.field(reached.boxed(self.func))
        return exports[way]()

    def lonely(self) -> Func:
        made: Func = module('(module (func (export "f")))').instantiate(engine=self.engine).exports.f
        return made

    def lonely_throw(self) -> Func:
        text = '(module (func (export "f") (param funcref)))'
        made: Func = module(text).instantiate(engine=self.engine).exports.f
        return made


@pytest.fixture(params=[True, False], ids=["threads", "no threads"])
def clock(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the thread that looks after deadlines, and where Python has no threads."""
    if not request.param:
        monkeypatch.setattr(CLOCK, "available", lambda: False)


@pytest.mark.parametrize(
    "name", ["loop", *(pytest.param(name, marks=pytest.mark.slow) for name in ("calls", "tails"))]
)
@pytest.mark.parametrize("way", WAYS)
def test_a_deadline_holds_in_whatever_is_reached(engine: str, clock: None, way: str, name: str) -> None:
    pair = in_time(lambda: Pair(engine, Limits(), Limits(seconds=SECONDS), name))
    began = time.monotonic()
    with pytest.raises(DeadlineError, match=r"0\.06 s"):
        pair.enter(way)
    assert SECONDS * 0.9 <= time.monotonic() - began < PATIENCE


def interrupted_in_loop(engine: str, way: str, limits: Limits) -> Pair:
    """A pair of which the reached one was interrupted while it looped."""
    while True:
        pair = Pair(engine, Limits(), limits, "loop")
        with pytest.raises(InterruptionError) as caught:
            pair.enter(way)
        if any(frame.name == "loop" for frame in caught.value.frames):
            return pair
        limits = replace(
            limits, seconds=2 * (limits.seconds or 0)
        )  # over before it came there: a busy machine


@pytest.mark.parametrize(
    ("way", "limits"),
    [
        ("table", Limits(seconds=SECONDS)),
        *((way, Limits(fuel=10_000)) for way in ("table", "parameter", "callback")),
    ],
)
def test_what_was_interrupted_refuses_calls_from_wherever(engine: str, way: str, limits: Limits) -> None:
    pair = interrupted_in_loop(engine, way, limits)
    other = Pair(engine, Limits(), Limits(seconds=PATIENCE), "calls")
    other.func = pair.func
    for reached in (pair.func, lambda: other.enter(way)):
        with pytest.raises(Trap) as caught:
            reached()
        assert caught.value.kind is TrapKind.POISONED


@pytest.mark.parametrize("way", [way for way in WAYS if way not in ("result", "host_exception")])
def test_an_instance_with_less_time_ends_by_its_own_clock(engine: str, way: str) -> None:
    pair = in_time(lambda: Pair(engine, Limits(seconds=SECONDS), Limits(seconds=10 * PATIENCE), "calls"))
    with pytest.raises(DeadlineError, match=r"0\.06 s"):
        pair.enter(way)


@pytest.mark.parametrize("way", WAYS)
def test_an_instance_with_more_time_ends_by_the_clock_of_who_was_entered(engine: str, way: str) -> None:
    pair = in_time(lambda: Pair(engine, Limits(seconds=10 * PATIENCE), Limits(seconds=SECONDS), "calls"))
    with pytest.raises(DeadlineError, match=r"0\.06 s"):
        pair.enter(way)


class Watching(Observer):
    """Is told of calls to the host."""

    wants = frozenset({"host"})

    def host_call(self, event: HostEvent) -> None:
        pass


@pytest.mark.parametrize("way", ["callback", "result", "host_exception"])
def test_a_limit_holds_where_calls_to_the_host_are_watched(engine: str, way: str) -> None:
    pair = Pair(engine, Limits(), Limits(fuel=10_000), "loop")
    pair.observer = Watching()
    with pytest.raises(FuelError):
        pair.enter(way)


OTHERS: list[tuple[str, Limits, type[Exception]]] = [
    ("loop", Limits(fuel=1_000), FuelError),
    ("host", Limits(host_calls=50), HostCallsError),
    ("deep", Limits(call_depth=200), ExhaustionError),
    ("heap", Limits(heap=200_000), HeapLimitError),
    ("grow", Limits(memory=4 << 16, fuel=2_000), FuelError),
    ("grow", Limits(memory_total=4 << 16, fuel=2_000), FuelError),
    ("output", Limits(output=1000, fuel=2_000), FuelError),
    ("table", Limits(table=4, fuel=2_000), FuelError),
    ("table", Limits(table_total=4, fuel=2_000), FuelError),
]


@pytest.mark.parametrize(("name", "limits", "error"), OTHERS)
@pytest.mark.parametrize("way", WAYS)
def test_every_other_limit_holds_by_every_way(
    engine: str, way: str, name: str, limits: Limits, error: type[Exception]
) -> None:
    """What an instance may take is limited wherever the call came from; how deep calls go, by whoever was
    entered."""
    pair = Pair(engine, limits, limits if name == "deep" else Limits(), name)
    with pytest.raises(error):
        pair.enter(way)
    assert len(pair.written.value) == (1000 if name == "output" else 0)
    assert pair.reached.exports.memory.pages == (4 if name == "grow" else 1)


@pytest.mark.parametrize("way", WAYS)
def test_whoever_has_no_limit_on_fuel_pays_from_the_purse_of_who_was_entered(engine: str, way: str) -> None:
    for name in ("loop", "calls", "tails", "host") if way == "import" else ("calls",):
        pair = Pair(engine, Limits(), Limits(fuel=2_000), name)
        with pytest.raises(FuelError):
            pair.enter(way)
        assert pair.entered is None or pair.entered.fuel == 0


@pytest.mark.parametrize("way", WAYS)
def test_whoever_has_a_limit_on_fuel_pays_alone(engine: str, way: str) -> None:
    """However much who was entered has."""
    pair = Pair(engine, Limits(fuel=2_000), Limits(fuel=10**9), "calls")
    with pytest.raises(FuelError):
        pair.enter(way)
    assert pair.reached.fuel == 0
    assert pair.entered is None or (pair.entered.fuel or 0) > 10**9 - 2_000


COUNTED = """(module
  (func (export "work") (param $n i32)
    (loop (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))))"""
COUNTING = """(module
  (import "l" "work" (func $work (param i32))) (import "h" "back" (func $back (param i32)))
  (func (export "work") (param i32) (call $work (local.get 0)))
  (func (export "back") (param i32) (call $back (local.get 0)))
  (func (export "both") (param i32) (call $work (local.get 0)) (call $back (local.get 0))
    (call $work (local.get 0))))"""


def test_fuel_is_paid_for_what_a_call_did_and_for_nothing_else(engine: str) -> None:
    library = Module.from_text(COUNTED).instantiate(engine=engine)

    def back(n: int) -> None:
        library.exports.work(n)

    def user(fuel: int | None) -> Instance:
        imports: Any = {"l": library, "h": {"back": back}}
        return Module.from_text(COUNTING).instantiate(
            engine=engine, limits=Limits(fuel=fuel), imports=imports
        )

    payer, other, free = user(10**6), user(10**6), user(None)
    library.exports.work(20_000)  # for nothing
    free.exports.both(20_000)
    assert payer.fuel == other.fuel == 10**6
    payer.exports.work(1000)
    spent = 10**6 - (payer.fuel or 0)
    assert 5000 < spent < 7000
    library.exports.work(20_000)
    free.exports.both(20_000)
    payer.exports.back(1000)
    assert payer.fuel == 10**6 - 2 * spent
    payer.exports.both(1000)
    assert 10**6 - 5 * spent <= (payer.fuel or 0) < 10**6 - 5 * spent + 10
    assert other.fuel == 10**6
    other.exports.work(1000)
    assert other.fuel == 10**6 - spent


def test_a_guest_with_fuel_of_its_own_pays_for_what_it_reaches_itself(engine: str) -> None:
    """Also where it is called back by a host function of another guest's, which pays on when it is done."""
    library = Module.from_text(COUNTED).instantiate(engine=engine)

    def again(n: int) -> None:
        inner.exports.work(n)

    def user(back: Any) -> Instance:
        return Module.from_text(COUNTING).instantiate(
            engine=engine, limits=Limits(fuel=10**6), imports={"l": library, "h": {"back": back}}
        )

    inner = user(lambda n: None)
    outer = user(again)
    inner.exports.work(1000)
    spent = 10**6 - (inner.fuel or 0)
    outer.exports.both(1000)
    assert inner.fuel == 10**6 - 2 * spent
    assert abs(10**6 - 2 * spent - (outer.fuel or 0)) < 10


def test_host_functions_call_back_as_deep_as_the_entered_instance_allows(engine: str) -> None:
    text = '(module (import "host" "again" (func $again)) (func (export "run") (call $again)))'
    made: list[Instance] = []
    deep: list[int] = []

    def again() -> None:
        deep.append(1)
        made[1].exports.run()

    for reentry in (3, 100):
        made.append(
            module(text).instantiate(
                engine=engine, limits=Limits(host_reentry=reentry), imports={"host": {"again": again}}
            )
        )
    with pytest.raises(ExhaustionError):
        made[0].exports.run()
    assert len(deep) == 4


ONWARD = """(module
  (import "host" "next" (func $next))
  (func $down (export "down") (param i32)
    (if (local.get 0) (then (call $down (i32.sub (local.get 0) (i32.const 1)))) (else (call $next)))))"""


@pytest.mark.parametrize(("first", "then", "fits"), [(60, 30, True), (150, 100, False), (30, 250, False)])
@pytest.mark.parametrize("inner", [200, 5000])
def test_calls_go_as_deep_as_the_entered_instance_allows_together(
    engine: str, inner: int, first: int, then: int, fits: bool
) -> None:
    """Also by way of the host, whatever the instance that it calls may."""
    ends: list[int] = []
    end = {"next": lambda: ends.append(1)}
    called = module(ONWARD).instantiate(engine=engine, limits=Limits(call_depth=inner), imports={"host": end})
    onward = {"next": lambda: called.exports.down(then)}
    entered = module(ONWARD).instantiate(
        engine=engine, limits=Limits(call_depth=200), imports={"host": onward}
    )
    if fits:
        entered.exports.down(first)
    else:
        with pytest.raises(ExhaustionError):
            entered.exports.down(first)
    assert len(ends) == fits
    called.exports.down(100)
    assert len(ends) == fits + 1


def test_calls_through_a_table_go_as_deep_together_on_two_engines(engine: str) -> None:
    """Frames of `interpret` are counted through those of `compile`, which Python counts."""
    other = "compile" if engine == "interpret" else "interpret"
    text = """(module (type $v (func)) (import "t" "table" (table 2 funcref))
      (global $calls (export "calls") (mut i32) (i32.const 0))
      (func (export "on") (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
        (call_indirect (type $v) (i32.const OTHER))))"""
    table = Table.of("funcref", 2)
    made = [
        module(text.replace("OTHER", str(1 - index))).instantiate(
            engine=name, limits=Limits(call_depth=200), imports={"t": {"table": table}}
        )
        for index, name in enumerate((engine, other))
    ]
    for index, instance in enumerate(made):
        table[index] = instance.exports.on
    with pytest.raises(ExhaustionError):
        made[0].exports.on()
    assert all(instance.exports.calls.value <= 200 for instance in made)


def test_an_instance_that_was_run_without_a_limit_heeds_the_next_one(engine: str, clock: None) -> None:
    """Functions that were made without a look at the time are made again, also those that run."""
    text = """(module (import "host" "step" (func $step)) (table (export "t") 1 funcref)
      (func $spin (param i32) (loop (br_if 0 (local.get 0))))
      (func (export "run") (call $spin (i32.const 0)) (call $step) (i32.load (i32.const -1)) (drop))
      (memory 1) (func (export "spin") (call $spin (i32.const 1))))"""
    caller = (
        '(module (type $v (func)) (func (export "run") (param (ref null $v)) (call_ref $v (local.get 0))))'
    )
    limits = Limits(seconds=SECONDS)
    timed = in_time(lambda: module(caller).instantiate(engine=engine, limits=limits))
    found: list[str] = []

    def step() -> None:
        try:
            timed.exports.run(plain.exports.spin)
        except DeadlineError as error:
            found.append(str(error))

    plain = module(text).instantiate(engine=engine, imports={"host": {"step": step}})
    with pytest.raises(Trap) as caught:
        plain.exports.run()
    assert caught.value.kind is TrapKind.OUT_OF_BOUNDS_MEMORY  # explained, though its code was replaced
    assert len(caught.value.frames) == 1
    assert len(found) == 1


def test_a_deadline_of_a_linker_holds_for_all_it_made(engine: str) -> None:
    library = '(module (table (export "t") 1 funcref) (func $f (loop (br 0))) (elem (i32.const 0) $f))'
    text = """(module (import "a" "t" (table 1 funcref))
      (func (export "f") (call_indirect (i32.const 0))))"""
    with Linker(engine=engine, limits=Limits(seconds=SECONDS)) as linker:
        in_time(lambda: linker.instantiate(module(library), "a"))
        user = in_time(lambda: linker.instantiate(module(text)))
        with pytest.raises(DeadlineError):
            user.exports.f()


def test_what_is_over_for_one_call_is_not_for_the_next_of_another(engine: str) -> None:
    """A deadline that ended a call into a library doesn't end calls into it by others."""
    library = module(
        '(module (func (export "spin") (loop (br 0))) (func (export "one") (result i32) (i32.const 1)))'
    ).instantiate(engine=engine)

    def user(name: str, limits: Limits) -> Instance:
        text = f'(module (import "l" "{name}" (func $f)) (func (export "run") (call $f)))'
        return module(text).instantiate(engine=engine, limits=limits, imports={"l": library})

    text = '(module (import "l" "one" (func $f (result i32))) (func (export "run") (result i32) (call $f)))'
    other = module(text).instantiate(engine=engine, imports={"l": library})
    hasty = module(text).instantiate(engine=engine, imports={"l": library}, limits=Limits(seconds=PATIENCE))
    endless = module(
        '(module (import "h" "wait" (func $w)) (import "l" "one" (func $f (result i32)))'
        '(func (export "run") (result i32) (call $w) (loop (br 0)) (call $f)))'
    )
    imports = {"l": library, "h": {"wait": lambda: time.sleep(2 * SECONDS)}}
    limits = Limits(seconds=SECONDS)
    waiting = in_time(lambda: endless.instantiate(engine=engine, imports=imports, limits=limits))
    with pytest.raises(DeadlineError):
        waiting.exports.run()
    assert other.exports.run() == hasty.exports.run() == other.exports.run() == 1


@pytest.mark.parametrize("way", ["import", "table", "global", "parameter", "kept", "callback", "table_tail"])
def test_a_function_of_a_closed_instance_traps_wherever_it_is_called(engine: str, way: str) -> None:
    pair = Pair(engine, Limits(fuel=10**4), Limits(), "loop")
    with pytest.raises(FuelError):  # made ready, and then interrupted
        pair.enter(way)
    assert pair.entered is not None
    fresh = Pair(engine, Limits(), Limits(), "heap")
    fresh.reached.close()
    with pytest.raises(Trap) as caught:
        fresh.enter(way)
    assert caught.value.kind is TrapKind.CLOSED


GIVING = """(module
  (type $v (func)) (type $box (struct (field (ref null $v)))) (type $give (func (result funcref)))
  (import "host" "func" (func $func (result funcref)))
  (import "host" "two" (func $two (result i32 funcref)))
  (import "host" "any" (func $any (result anyref)))
  (import "host" "extern" (func $extern (result externref)))
  (import "host" "table" (table $table 1 funcref))
  (func $go (param funcref) (call_ref $v (ref.cast (ref $v) (local.get 0))))
  (func $open (param anyref) (call_ref $v (struct.get $box 0 (ref.cast (ref $box) (local.get 0)))))
  (func (export "func") (call $go (call $func)))
  (func (export "two") (local funcref)
    (local.set 0 (block (result funcref) (call $two) (local.set 0) (drop) (local.get 0)))
    (call $go (local.get 0)))
  (func (export "any") (call $open (call $any)))
  (func (export "extern") (call $open (any.convert_extern (call $extern))))
  (func (export "table") (call $go (call_indirect $table (type $give) (i32.const 0))))
  (func (export "passed") (param funcref)
    (call $go (call_ref $give (ref.cast (ref $give) (local.get 0)))))
  (elem declare func $func)
  (func (export "lend") (result funcref) (ref.func $func))
  (func (export "seen") (result i32) (ref.is_null (call $extern))))"""


class Giver:
    """An instance that calls what a host's own functions give it: functions of another."""

    def __init__(self, engine: str, seconds: float | None) -> None:
        reached = module(REACHED).instantiate(
            Wasi(), engine=engine, imports={"host": {"nothing": lambda: None, "tag": Tag.carrying("funcref")}}
        )
        loop, box = reached.exports.loop, reached.exports.boxed(reached.exports.loop)
        self.table = Table.of("funcref", 1)
        self.func = Func.of([], ["funcref"], lambda: loop)
        self.extern: Any = box
        self.host = {
            "func": self.func,
            "two": Func.of([], ["i32", "funcref"], lambda: (1, loop)),
            "any": Func.of([], ["anyref"], lambda: box),
            "extern": Func.of([], ["externref"], lambda: self.extern),
            "table": self.table,
        }
        self.instance = self.another(engine, seconds)

    def another(self, engine: str, seconds: float | None) -> Instance:
        return module(GIVING).instantiate(
            engine=engine, limits=Limits(seconds=seconds), imports={"host": self.host}
        )


@pytest.mark.parametrize("way", ["func", "two", "any", "extern", "table", "passed", "lent"])
def test_a_deadline_holds_in_what_a_host_function_gives(engine: str, clock: None, way: str) -> None:
    giver = in_time(lambda: Giver(engine, SECONDS))
    exports = giver.instance.exports
    if way == "table":
        giver.table[0] = giver.func
    with pytest.raises(DeadlineError):
        if way == "passed":
            exports.passed(giver.func)
        elif way == "lent":
            exports.passed(giver.another(engine, None).exports.lend())
        else:
            exports[way]()


def test_instances_that_import_what_gives_references_share_nothing_for_that(engine: str) -> None:
    """So they may run on two threads; and an object of the host's may have any attributes."""

    class Shelf:
        store = "books"

    giver = Giver(engine, None)
    other = giver.another(engine, None)
    giver.extern = Shelf()
    assert giver.instance.exports.seen() == other.exports.seen() == 0
    lonely = module(GIVING).instantiate(
        engine=engine, imports={"host": {**giver.host, "table": Table.of("funcref", 1)}}
    )
    assert lonely.store.root() is not giver.instance.store.root()


@pytest.mark.parametrize("given", [5, "text", object()])
def test_what_a_host_function_gives_for_a_reference_is_one(engine: str, given: object) -> None:
    giver = Giver(engine, None)
    giver.host["func"] = Func.of([], ["funcref"], lambda: given)
    giver.host["two"] = Func.of([], ["i32", "funcref"], lambda: (1, given))
    exports = giver.another(engine, None).exports
    for way in "func", "two":
        with pytest.raises(HostError, match="is no funcref"):
            exports[way]()


def test_an_exception_of_the_hosts_that_has_no_text_is_a_host_error(engine: str) -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise ValueError("no text")

    def fail() -> None:
        raise Mute

    text = '(module (import "host" "f" (func $f)) (func (export "g") (call $f)))'
    for given in fail, Func.of([], [], fail):
        instance = module(text).instantiate(engine=engine, imports={"host": {"f": given}})
        with pytest.raises(HostError, match="Mute"):
            instance.exports.g()


AGAIN = """(module
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
  (import "h" "nothing" (func $nothing)) (import "h" "call" (func $call))
  (memory (export "memory") 1) (table (export "table") 1 funcref)
  (export "poll" (func $poll)) (export "nothing" (func $nothing)) (export "call" (func $call))
  (func (export "one") (result i32) (i32.const 1)))"""
FOREVER = bytes(24) + b"\xff" * 8
"""A subscription to a clock that rings in 584 years."""


def exporting_again(engine: str, limits: Limits) -> Instance:
    def call(caller: Caller) -> None:
        remaining.append(caller.remaining)

    remaining: list[float | None] = []
    host = {"nothing": lambda: remaining[-1:], "call": call}
    made = module(AGAIN).instantiate(Wasi(), engine=engine, limits=limits, imports={"h": host})
    made.memory.write(0, FOREVER)
    return made


def test_a_host_function_that_is_exported_again_is_the_guests_for_its_caller(engine: str) -> None:
    instance = in_time(lambda: exporting_again(engine, Limits(seconds=SECONDS)))
    with pytest.raises(DeadlineError):
        instance.exports.poll(0, 64, 1, 128)
    with pytest.raises(Trap) as caught:
        instance.exports.nothing()
    assert caught.value.kind is TrapKind.POISONED
    counting = exporting_again(engine, Limits(host_calls=3))
    for _ in range(3):
        counting.exports.nothing()
    with pytest.raises(HostCallsError):
        counting.exports.nothing()
    with exporting_again(engine, Limits()) as closed:
        function = closed.exports.nothing
        function()
    with pytest.raises(Trap) as caught:
        function()
    assert caught.value.kind is TrapKind.CLOSED


def test_what_is_exported_again_is_the_imported_function_for_other_guests(engine: str) -> None:
    """By each way in: so it is refused when its own instance is, and by nobody else."""
    first = module('(module (func (export "f") (loop (br 0))))').instantiate(
        engine=engine, limits=Limits(fuel=1000)
    )
    text = '(module (import "i" "f" (func $f)) (export "f" (func $f)))'
    second = module(text).instantiate(engine=engine, imports={"i": first})
    third = module(text).instantiate(engine=engine, imports={"i": second})
    table = Table.of("funcref", 1)
    table[0] = third.exports.f
    caller = module(
        '(module (import "i" "f" (func $f)) (import "i" "t" (table 1 funcref)) (type $v (func))'
        '(func (export "f") (call $f)) (func (export "t") (call_indirect (type $v) (i32.const 0)))'
        '(func (export "p") (param (ref null $v)) (call_ref $v (local.get 0))))'
    )
    given = {"i": {"f": third.exports.f, "t": table}}
    with pytest.raises(FuelError):
        third.exports.f()
    for call in (third.exports.f, second.exports.f, first.exports.f):
        with pytest.raises(Trap) as caught:
            call()
        assert caught.value.kind is TrapKind.POISONED
    user = caller.instantiate(engine=engine, imports=given)
    for call in (user.exports.f, user.exports.t, lambda: user.exports.p(third.exports.f)):
        with pytest.raises(Trap) as caught:
            call()
        assert caught.value.kind is TrapKind.POISONED
    assert user.refusal is None

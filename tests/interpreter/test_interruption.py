"""Guests that would not end: by deadline and by Ctrl-C, in loops, in calls and in host functions.

What is not here: fuel (`test_fuel.py`).
"""

from __future__ import annotations

import gc
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pywasm_nn import Wasi
from pywasm_nn.api import Module
from pywasm_nn.errors import DeadlineError, Trap, TrapKind
from pywasm_nn.interpreter.runtime import meter
from pywasm_nn.interpreter.runtime.alarm import CLOCK
from pywasm_nn.interpreter.runtime.deadline import OPEN, Deadline, Timing
from pywasm_nn.interpreter.runtime.instance import Instance
from pywasm_nn.limits import Limits

from ..conftest import HANGS, NATIVE, Start, in_time, interrupted_in

GUEST = """(module
  (import "host" "wait" (func $wait))
  (memory (export "memory") 100) (table 100 funcref)
  (func (export "one") (result i32) (i32.const 1))
  (func (export "loop") (loop (br 0)))
  (func (export "counted") (local i32)
    (loop (local.set 0 (i32.const 0))
      (loop (br_if 0 (i32.ne (local.tee 0 (i32.add (local.get 0) (i32.const 1))) (i32.const 0x70000000))))
      (br 0)))
  (func $tree (export "tree") (call $tree2) (call $tree2))
  (func $tree2 (call $tree3) (call $tree3)) (func $tree3 (call $tree4) (call $tree4))
  (func $tree4 (call $tree5 (i32.const 60)))
  (func $tree5 (param i32) (if (local.get 0) (then
    (call $tree5 (i32.sub (local.get 0) (i32.const 1))) (call $tree5 (i32.sub (local.get 0) (i32.const 1))))))
  (func $ping (export "tail") (return_call $pong)) (func $pong (return_call $ping))
  (func $self (export "self") (return_call $self))
  (func (export "bulk") (loop
    (memory.fill (i32.const 0) (i32.const 1) (i32.const 6000000))
    (memory.copy (i32.const 5) (i32.const 0) (i32.const 6000000)) (br 0)))
  (func (export "handler") (loop (block (try_table (catch_all 0) (br 2))) (br 0)))
  (func (export "host") (loop (call $wait) (br 0)))
  (func (export "straight") (result i32) (call $wait) (call $wait) (i32.const 1)))"""
WAYS = ["loop", "counted", "tree", "tail", "self", "bulk", "handler", "host"]
SECONDS = 0.1
SHORT = SECONDS / 2
"""The limit of guests that may end before their first instruction."""
Guest = Callable[..., Instance]


@pytest.fixture(params=[True, False], ids=["threads", "no threads"])
def clock(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the thread that looks after deadlines, and where Python has no threads."""
    if not request.param:
        monkeypatch.setattr(CLOCK, "available", lambda: False)


def wait_in_host() -> None:
    time.sleep(0.01)


@pytest.fixture
def guest(engine: str) -> Iterator[Guest]:
    module, made = Module.from_text(GUEST), []

    def begin(seconds: float | None = SECONDS) -> Instance:
        waiting = {"wait": wait_in_host}
        limits = Limits(seconds=seconds)
        imports = {"host": waiting}
        made.append(in_time(lambda: module.instantiate(engine=engine, limits=limits, imports=imports)))
        return made[-1]

    yield begin
    for instance in made:
        instance.close()


def refused(instance: Instance) -> bool:
    with pytest.raises(Trap) as caught:
        instance.exports.one()
    return caught.value.kind is TrapKind.POISONED


def deadline_of(instance: Instance, way: str) -> DeadlineError:
    """What a call of a function that never ends is ended by."""
    with pytest.raises(DeadlineError) as caught:
        instance.exports[way]()
    return caught.value


@pytest.mark.parametrize("way", WAYS)
def test_a_deadline_ends_it(guest: Guest, clock: None, way: str) -> None:
    instance = guest(SHORT)
    began = time.monotonic()
    error = deadline_of(instance, way)
    assert time.monotonic() - began >= SHORT
    assert error.limit == "seconds" and f"longer than {SHORT} s" in str(error)
    assert refused(instance)
    assert instance.group.refused().detail == 'its limit "seconds" was reached'
    # A busy machine may take all of a short time before the first instruction.
    assert error.frames or deadline_of(guest(100 * SECONDS), way).frames


def test_what_took_too_long_in_the_host_ends_there(
    guest: Guest, clock: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a loop or a call of the guest's own after it."""
    waits: list[float] = []
    late = 2 * SECONDS

    def wait() -> None:
        waits.append(late)
        time.sleep(late)

    monkeypatch.setattr(sys.modules[__name__], "wait_in_host", wait)
    assert deadline_of(guest(), "straight").frames
    assert waits == [2 * SECONDS]
    late = 0
    assert guest(HANGS).exports.straight() == 1
    assert len(waits) == 3


def test_time_runs_for_one_call(guest: Guest, clock: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between calls hours go by, on a clock that goes when it is told."""
    now = [time.monotonic()]
    monkeypatch.setattr(meter, "monotonic", lambda: now[0])
    instance = guest(HANGS)
    for _ in range(3):
        assert instance.exports.one() == 1
        now[0] += 2 * HANGS


def test_many_guests_each_have_their_own_deadline(engine: str) -> None:
    """Two deadlines end their guests, while one who has more time runs from before them until after them."""
    module = Module.from_text("""(module (import "host" "more" (func $more (result i32)))
      (func (export "loop") (loop (br_if 0 (call $more)))))""")
    began, over = threading.Event(), threading.Event()
    ended: list[float] = []

    def more() -> int:
        began.set()
        return not over.is_set()

    def run(seconds: float, more: Callable[[], int]) -> None:
        imports, limits = {"host": {"more": more}}, Limits(seconds=seconds)
        with in_time(lambda: module.instantiate(engine=engine, limits=limits, imports=imports)) as instance:
            try:
                instance.exports.loop()
            except DeadlineError:
                ended.append(seconds)

    patient = threading.Thread(target=run, args=(HANGS, more))
    patient.start()
    assert began.wait(HANGS)
    hasty = [threading.Thread(target=run, args=(seconds, lambda: 1)) for seconds in (0.1, 0.2)]
    for thread in hasty:
        thread.start()
    for thread in hasty:
        thread.join()
    assert sorted(ended) == [0.1, 0.2]
    assert patient.is_alive()
    over.set()
    patient.join()
    assert sorted(ended) == [0.1, 0.2]


def test_time_runs_in_what_is_imported(start: Start, clock: None) -> None:
    text = '(module (import "l" "loop" (func $loop)) (func (export "main") (call $loop)))'

    def ended(seconds: float) -> tuple[Instance, Instance]:
        limits = Limits(seconds=seconds)
        library = in_time(lambda: start('(module (func (export "loop") (loop (br 0))))', limits=limits))
        main = in_time(lambda: start(text, imports={"l": library}, limits=limits))
        with pytest.raises(DeadlineError):
            main.exports.main()
        return library, main

    library, main = ended(SECONDS)
    if library.group.refusal is None:  # a busy machine may take all of a short time before the call
        library, main = ended(100 * SECONDS)
    for instance in (library, main):
        with pytest.raises(Trap, match="interrupted"):
            instance.exports[next(iter(instance.exports))]()


@pytest.fixture
def no_collection() -> Iterator[None]:
    """An exception that a signal raises in a callback of the garbage collector is lost, and hypothesis has
    one."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("way", [*WAYS, "wait"])
def test_ctrl_c_ends_it(guest: Guest, no_collection: None, way: str) -> None:
    instance = guest(None)
    if instance.engine.name == NATIVE and way not in ("host", "wait"):
        pytest.skip(
            "engine wasmtime hears Ctrl-C when the guest calls the host; the command ends the process"
        )
    with pytest.raises(KeyboardInterrupt), interrupted_in("wait_in_host" if way == "wait" else "descend"):
        instance.exports["host" if way == "wait" else way]()
    assert refused(instance)


WAITING = """(module
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "sock_accept" (func $accept (param i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 24) "\\00\\00\\00\\00\\00\\10\\00\\00")
  (func (export "sleep") (result i32)
    (i32.store (i32.const 16) (i32.const 1)) (i64.store (i32.const 24) (i64.const 0x7fffffffffffffff))
    (call $poll (i32.const 0) (i32.const 200) (i32.const 1) (i32.const 100)))
  (func (export "input") (result i32)
    (i32.store8 (i32.const 8) (i32.const 1))
    (call $poll (i32.const 0) (i32.const 200) (i32.const 1) (i32.const 100)))
  (func (export "read") (result i32)
    (call $read (i32.const 0) (i32.const 24) (i32.const 1) (i32.const 100)))
  (func (export "accept") (result i32)
    (call $accept (i32.const 3) (i32.const 0) (i32.const 100)))
  (func (export "one") (result i32) (i32.const 1)))"""


@pytest.mark.skipif(os.name != "posix", reason="pipes can be waited for on POSIX")
@pytest.mark.parametrize("way", ["sleep", "input", "read", "accept"])
def test_what_waits_in_the_host_ends_too(engine: str, clock: None, way: str) -> None:
    reader, writer = os.pipe()
    with socket.create_server(("127.0.0.1", 0)) as server, open(reader, "rb", 0) as stdin:
        wasi = Wasi(stdin=stdin, listen=[server])
        limits = Limits(seconds=SECONDS)
        module = Module.from_text(WAITING)
        with in_time(lambda: module.instantiate(wasi, engine=engine, limits=limits)) as instance:
            began = time.monotonic()
            with pytest.raises(DeadlineError):
                instance.exports[way]()
            assert time.monotonic() - began >= SECONDS * 0.9
            assert refused(instance)
    os.close(writer)


@pytest.mark.skipif(os.name != "posix", reason="pipes can be waited for on POSIX")
def test_input_that_is_there_is_read_within_a_deadline() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"abc")
    with open(reader, "rb", 0) as stdin:
        module = Module.from_text(WAITING)
        with module.instantiate(Wasi(stdin=stdin), limits=Limits(seconds=HANGS)) as instance:
            assert instance.exports.read() == 0
            assert instance.memory.read(0, 3) == b"abc"
    os.close(writer)


FORKED = """
import os
from pywasm_nn import Limits, Module
from pywasm_nn.errors import DeadlineError
module = Module.from_text('(module (func (export "loop") (loop (br 0))))')
def late():
    try:
        module.instantiate(limits=Limits(seconds=0.5)).exports.loop()
    except DeadlineError:
        return 7
assert late() == 7
child = os.fork()
if not child:
    os._exit(late())
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_deadlines_hold_in_a_process_that_was_forked() -> None:
    command = [sys.executable, "-W", "ignore", "-c", FORKED]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS, check=False)
    assert done.stdout.strip() == "7", done.stderr


def test_the_thread_of_deadlines_costs_other_calls_nothing() -> None:
    """Where guests may run on several threads, calls from outside are padded to one depth."""
    module = Module.from_text(
        '(module (import "host" "depth" (func $depth)) (func (export "run") (call $depth)))'
    )
    depths: list[int] = []

    def depth() -> None:
        frame, deep = sys._getframe(), 0
        while frame.f_back is not None:
            frame, deep = frame.f_back, deep + 1
        depths.append(deep)

    for limits in (Limits(), Limits(seconds=HANGS), Limits()):
        with module.instantiate(imports={"host": {"depth": depth}}, limits=limits) as instance:
            instance.exports.run()
    assert max(depths) - min(depths) < 3


@pytest.mark.parametrize("place", [(Timing, "end"), (Deadline, "leave"), (CLOCK, "cancel")])
def test_an_interrupt_at_the_very_end_of_a_call_leaves_nothing_behind(
    place: tuple[Any, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal's handler may raise while the call's deadline ends, which no test can hit by time. The
    instance can be called again, and closed; and the deadline is no longer that of the code around."""
    owner, name = place
    own, times = getattr(owner, name), 0

    def interrupted(*given: Any) -> None:
        nonlocal times
        times += 1
        if times == 1:
            raise KeyboardInterrupt
        own(*given)

    module = Module.from_text('(module (func (export "f")))')
    with module.instantiate(limits=Limits(seconds=60.0)) as app:
        monkeypatch.setattr(owner, name, interrupted)
        with pytest.raises(KeyboardInterrupt):
            app.exports.f()
        assert OPEN.get() == () and app.store.root().deadlines == [] and app.store.root().depth == 0
        app.exports.f()

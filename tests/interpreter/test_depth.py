"""How deep guests may call: exactly as deep as the limit says, on every engine and thread, from anywhere."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from pywasm_nn.errors import ExhaustionError, FuelError, HostError, Trap
from pywasm_nn.interpreter.runtime import activations
from pywasm_nn.interpreter.runtime.instance import Instance
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.runtime.room import BRIEF, Rooms
from pywasm_nn.limits import Limits

from ..conftest import HANGS

RECURSE = """
(module
  (func $deep (export "deep") (param $frames i32) (result i32)
    (if (result i32) (i32.le_u (local.get $frames) (i32.const 1))
      (then (i32.const 1))
      (else (i32.add (i32.const 1) (call $deep (i32.sub (local.get $frames) (i32.const 1))))))))
"""
Start = Callable[..., Instance]


def exactly(instance: Instance, frames: int) -> bool:
    """Whether so many guest frames work and one more is exhaustion."""
    if instance.exports.deep(frames) != frames:
        return False
    with pytest.raises(ExhaustionError, match="call stack exhausted"):
        instance.exports.deep(frames + 1)
    return True


@pytest.fixture
def flavour() -> Flavour:
    """One is enough: memory isn't the subject here."""
    return Flavour.default()


def test_fifty_thousand_frames_and_not_one_more(start: Start) -> None:
    before = sys.getrecursionlimit()
    assert exactly(start(RECURSE), 50_000)
    assert sys.getrecursionlimit() == before


def test_an_error_that_memory_is_too_short_to_explain(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(running: object) -> None:
        raise MemoryError

    monkeypatch.setattr(activations, "guest_frames", no_memory)
    app = start(RECURSE, limits=Limits(call_depth=1000))
    with pytest.raises(ExhaustionError) as caught:
        app.exports.deep(1001)
    assert caught.value.frames == () and caught.value.host_call is None
    assert app.exports.deep(1000) == 1000
    endless = start('(module (func (export "f") (loop (br 0))))', limits=Limits(fuel=1000))
    with pytest.raises(FuelError):
        endless.exports.f()
    with pytest.raises(Trap, match="interrupted"):
        endless.exports.f()


@pytest.mark.parametrize("frames", [100, 1000, 3000])
def test_any_limit_is_exact(start: Start, frames: int) -> None:
    assert exactly(start(RECURSE, limits=Limits(call_depth=frames)), frames)


def test_functions_that_are_compiled_on_the_way_cost_no_frame(start: Start) -> None:
    chain = "".join(
        f"(func $f{n} (param i32) (result i32) (call $f{n + 1} (local.get 0)))" for n in range(1, 30)
    )
    text = f"""(module
      (func $f0 (export "main") (param i32) (result i32) (drop (call $unused)) (call $f1 (local.get 0)))
      (func $unused (result i32) (i32.const 1))
      {chain}
      (func $f30 (param $frames i32) (result i32)
        (if (result i32) (i32.le_u (local.get $frames) (i32.const 1)) (then (i32.const 1))
          (else (i32.add (i32.const 1) (call $f30 (i32.sub (local.get $frames) (i32.const 1))))))))"""
    for frames, fits in ((970, True), (971, False)):
        instance = start(text, limits=Limits(call_depth=1000))
        if fits:
            assert instance.exports.main(frames) == frames
        else:
            with pytest.raises(ExhaustionError):
                instance.exports.main(frames)


@pytest.mark.parametrize("deep", [1, 100, 300, 700])
def test_it_does_not_matter_how_deep_the_caller_is(start: Start, deep: int) -> None:
    instance = start(RECURSE, limits=Limits(call_depth=2000))

    def descend(n: int) -> bool:
        return descend(n - 1) if n else exactly(instance, 2000)

    assert descend(deep)


def test_nor_whether_it_calls_through_c_code(start: Start) -> None:
    instance = start(RECURSE, limits=Limits(call_depth=2000))
    assert list(map(lambda frames: exactly(instance, frames), [2000])) == [True]  # noqa: C417 - the point is `map`
    assert max([2000], key=lambda frames: exactly(instance, frames)) == 2000


def test_two_threads_at_once(start: Start) -> None:
    instances = [start(RECURSE, limits=Limits(call_depth=15_000)) for _ in range(2)]
    barrier = threading.Barrier(2)
    found: list[Any] = []

    def go(instance: Instance) -> None:
        barrier.wait()
        found.append(exactly(instance, 15_000))

    threads = [threading.Thread(target=go, args=(instance,)) for instance in instances]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True, True]


def test_functions_are_compiled_with_little_stack_left(start: Start) -> None:
    """Compiling takes more frames than these guests have."""
    chain = "".join(f"(func $f{n} (result i32) (call $f{n + 1}))" for n in range(35))
    text = f"""(module (export "main" (func $f0)) {chain} (func $f35 (result i32) (i32.const 7)))"""
    assert start(text, limits=Limits(call_depth=56)).exports.main() == 7


def test_the_recursion_limit_is_not_lowered_under_another_thread(start: Start) -> None:
    """CPython 3.11 ends a process whose thread is found far beyond the limit."""
    before = sys.getrecursionlimit()
    deep, shallow = threading.Event(), threading.Event()

    def descend(levels: int) -> None:
        if levels:
            descend(levels - 1)
        else:
            deep.set()
            shallow.wait(HANGS)

    def wait_below() -> None:
        thread.start()
        assert deep.wait(HANGS)

    instance = start(CALLBACK, imports={"host": {"call": wait_below}})
    thread = threading.Thread(target=descend, args=(before * 3,))
    instance.exports.main()
    assert sys.getrecursionlimit() > before * 3
    shallow.set()
    thread.join()
    start(RECURSE).exports.deep(1)
    assert sys.getrecursionlimit() == before


CALLBACK = """(module (import "host" "call" (func $call)) (func (export "main") (call $call)))"""

REENTER = """
(module
  (import "host" "again" (func $again (param i32)))
  (func (export "down") (param i32) (if (local.get 0) (then (call $again (local.get 0))))))
"""


def test_host_functions_may_call_back_a_hundred_times_deep(start: Start) -> None:
    def again(depth: int) -> None:
        instance.exports.down(depth - 1)

    instance = start(REENTER, imports={"host": {"again": again}})
    instance.exports.down(100)
    with pytest.raises(ExhaustionError, match="host functions called back"):
        instance.exports.down(101)
    instance.exports.down(100)


def test_endless_recursion_of_a_host_function_is_not_the_guests_fault(start: Start) -> None:
    def again(depth: int) -> None:
        again(depth)

    instance = start(REENTER, imports={"host": {"again": again}})
    with pytest.raises(HostError) as caught:
        instance.exports.down(1)
    assert isinstance(caught.value.__cause__, RecursionError)


def heavy(locals_: int, tail: bool) -> str:
    """Counts how deep it gets in a function that uses so many locals, and perhaps makes tail calls."""
    uses = " ".join(f"(local.set {n} (i64.const {n}))" for n in range(locals_))
    tail_call = "(return_call $light)" if tail else ""
    return f"""(module
      (global (export "depth") (mut i32) (i32.const 0))
      (func $light (call $heavy))
      (func $heavy (export "deep") (local {"i64 " * locals_})
        (global.set 0 (i32.add (global.get 0) (i32.const 1)))
        {uses} (call $heavy) {tail_call}))"""


@pytest.mark.parametrize("tail", [False, True])
@pytest.mark.parametrize("locals_", [600, 2000, 8000])
def test_functions_of_many_locals_go_less_deep(start: Start, locals_: int, tail: bool) -> None:
    """Frames times locals are memory: without this 50,000 locals at a depth of 50,000 were 20 GB."""
    instance = start(heavy(locals_, tail), limits=Limits(call_depth=3_000))
    for _ in range(2):
        instance.exports["depth"].value = 0
        with pytest.raises(ExhaustionError, match="call stack exhausted"):
            instance.exports.deep()
        depth = instance.exports["depth"].value
        assert 0.9 * 3_000 * 64 / locals_ <= depth + 1 <= 1.1 * (3_000 * 64 / locals_ + 1)


def test_functions_of_usual_size_go_as_deep_as_any(start: Start) -> None:
    instance = start(heavy(500, tail=False), limits=Limits(call_depth=1000))
    with pytest.raises(ExhaustionError):
        instance.exports.deep()
    assert 1000 - 1 <= instance.exports["depth"].value <= 1000  # setting the global may take Python a frame


LOOKED_AT = """
import gc, sys, threading, time
from pywasm_nn.interpreter.runtime.depth import is_deep, outwards

class Node:
    def __del__(self):
        time.sleep(1e-5)

def garbage():
    node = Node()
    node.me = node

def down(left):
    if left:
        down(left - 1)

def work():
    while not over:
        down(900)

over = False
thread = threading.Thread(target=work)
thread.start()
sys.setswitchinterval(1e-6)
gc.set_threshold(20)
end = time.monotonic() + 1
while time.monotonic() < end:
    for far in 100, 500, 950:
        garbage()
        is_deep(thread.ident, outwards(far))
over = True
thread.join()
assert gc.isenabled()
"""


THREADS_SEEN = """
import faulthandler, gc, sys, threading, time
from pywasm_nn.interpreter.runtime.depth import current_frames, shallow_elsewhere

class Node:
    def __del__(self):
        time.sleep(1e-5)

def work():
    while not over:
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()

faulthandler.dump_traceback_later(60, exit=True)
over = False
thread = threading.Thread(target=work)
thread.start()
for number in range(2000):
    gc.set_threshold(number % 20 + 1)  # so that the collector's turn comes at each of the steps below
    node = Node()
    node.me = node
    del node
    assert threading.get_ident() in current_frames()
    assert shallow_elsewhere(500)
over = True
thread.join()
assert gc.isenabled()
"""


def test_the_collector_runs_nothing_while_the_threads_are_looked_at() -> None:
    """CPython 3.11 holds the lock of its threads then: a finalizer that let another thread go on, which
    started or ended, stopped the process for ever."""
    command = [sys.executable, "-X", "faulthandler", "-c", THREADS_SEEN]
    done = subprocess.run(command, capture_output=True, text=True, timeout=2 * HANGS, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


COLLECTED = """
import faulthandler, gc, threading
from pywasm_nn.interpreter.runtime.depth import shallow_elsewhere

class Node:
    def __del__(self):
        threading.Thread(target=int).start()

faulthandler.dump_traceback_later(60, exit=True)
kept = []
for number in range(40):
    gc.collect()
    gc.disable()
    node = Node()
    node.me = node
    del node
    kept += [(n, n, n) for n in range(5000)]  # no tuple of three is left that could be used again
    kept.append(gc.get_count())
    gc.set_threshold(kept[-1][0] + number)  # so that the collector's turn comes at each of the steps below
    gc.enable()
    shallow_elsewhere(500)
    gc.set_threshold(700)
gc.collect()
"""


def test_the_collector_starts_no_thread_while_threads_are_counted() -> None:
    """CPython 3.11 holds the lock of its threads then: a finalizer that started one waited for itself."""
    command = [sys.executable, "-X", "faulthandler", "-c", COLLECTED]
    done = subprocess.run(command, capture_output=True, text=True, timeout=2 * HANGS, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


def test_the_collector_runs_nothing_while_frames_of_another_thread_are_looked_at() -> None:
    """Finalizers let the other thread run on, which freed the frames: CPython 3.11 died of SIGSEGV."""
    command = [sys.executable, "-X", "faulthandler", "-c", LOOKED_AT]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


LOOP = """
(module (func (export "_start"))
  (func $leaf (param i32))
  (func $deep (export "deep") (param $frames i32) (param $calls i32)
    (if (local.get $frames)
      (then (call $deep (i32.sub (local.get $frames) (i32.const 1)) (local.get $calls)))
      (else (loop $on (call $leaf (local.get $calls))
        (br_if $on (local.tee $calls (i32.sub (local.get $calls) (i32.const 1)))))))))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="tells by page faults, as Linux counts them")
def test_frames_lie_in_one_piece_of_memory(start: Start) -> None:
    """A loop that calls where CPython's piece ends would get a new page from the system for each call."""
    import resource

    def faults(frames: int) -> int:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        app.exports.deep(frames, 1000)
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

    worst = 0
    for frames in range(160):
        app = start(LOOP)
        worst = max(worst, faults(frames))
    assert worst < 900


def test_brief_calls_get_no_room_until_one_is_long() -> None:
    rooms, brief, long = Rooms(True), BRIEF / 2, 2 * BRIEF

    def calls(seconds: float, count: int) -> int:
        """How many of so many calls get room."""
        got = 0
        for _ in range(count):
            owed = rooms.owed.get(calls, rooms.first)
            got += owed > 0
            rooms.took(calls, seconds, owed)
        return got

    assert calls(brief, 10) == 1
    assert calls(long, 5) == 4
    assert [calls(brief, 100), calls(long, 1), calls(brief, 100), calls(long, 1)] == [2, 0, 4, 0]
    assert rooms.first == 1 and Rooms(False).first == 0

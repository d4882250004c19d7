"""Threads of a guest: `thread-spawn` of wasi-threads, and waiting at addresses of a shared memory."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from pywasm_nn.api import Module
from pywasm_nn.errors import (
    DeadlineError,
    ExhaustionError,
    FuelError,
    GuestExit,
    HostCallsError,
    LinkError,
    Trap,
)
from pywasm_nn.interpreter.names import Names
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.types import MemType, SizeRange
from pywasm_nn.limits import Limits
from pywasm_nn.program import run
from pywasm_nn.wasi import Wasi
from pywasm_nn.wasi import threads as wasi_threads

GUESTS = Path(__file__).parents[1] / "guests"
GUEST, PTHREADS = GUESTS / "threads.wasm", GUESTS / "pthreads.wasm"
engines = pytest.mark.parametrize("engine", ["compile", "interpret"])

WORKERS = """(module
  (import "wasi" "thread-spawn" (func $spawn (param i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (import "wasi_snapshot_preview1" "sched_yield" (func $yield (result i32)))
  (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
  (import "env" "memory" (memory 1 4 shared))
  (export "memory" (memory 0))
  (global $own (mut i32) (i32.const 0))
  (func $count (param $rounds i32)
    (loop $more
      (drop (i32.atomic.rmw.add (i32.const 0) (i32.const 1)))
      (global.set $own (i32.add (global.get $own) (i32.const 1)))
      (br_if $more (i32.lt_u (global.get $own) (local.get $rounds)))))
  (func $done (drop (i32.atomic.rmw.add (i32.const 4) (i32.const 1)))
    (drop (memory.atomic.notify (i32.const 4) (i32.const -1))))
  (func $work (param $what i32)
    (if (i32.eq (local.get $what) (i32.const 0)) (then (call $count (i32.const 500)) (call $done)))
    (if (i32.eq (local.get $what) (i32.const 1)) (then (call $count (i32.const 50)) unreachable))
    (if (i32.eq (local.get $what) (i32.const 2))
      (then (call $count (i32.const 50)) (call $exit (i32.const 7))))
    (if (i32.eq (local.get $what) (i32.const 3)) (then (loop $ever (br $ever))))
    (if (i32.eq (local.get $what) (i32.const 4))
      (then (drop (memory.atomic.wait64 (i32.const 16) (i64.const 0) (i64.const -1)))))
    (if (i32.eq (local.get $what) (i32.const 5))
      (then (loop $ask (drop (call $random (i32.const 32) (i32.const 4))) (br $ask))))
    (if (i32.eq (local.get $what) (i32.const 6)) (then (drop (memory.grow (i32.const 1))) (call $done)))
    (if (i32.eq (local.get $what) (i32.const 7)) (then (drop (i32.load (i32.const -1)))))
    (if (i32.eq (local.get $what) (i32.const 8)) (then (call $work (local.get $what)))))
  (func (export "wasi_thread_start") (param $number i32) (param $what i32)
    (drop (i32.atomic.rmw.or (i32.const 8) (i32.shl (i32.const 1) (local.get $number))))
    (call $work (local.get $what)))
  (func (export "yield") (drop (call $yield)))
  (func (export "start") (param $what i32) (result i32) (call $spawn (local.get $what)))
  (func (export "run") (param $threads i32) (param $what i32) (result i32)
    (local $i i32) (local $now i32)
    (loop $more
      (if (i32.lt_s (call $spawn (local.get $what)) (i32.const 0)) (then (return (i32.const -1))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $more (i32.lt_u (local.get $i) (local.get $threads))))
    (block $all (loop $wait
      (local.set $now (i32.atomic.load (i32.const 4)))
      (br_if $all (i32.eq (local.get $now) (local.get $threads)))
      (drop (memory.atomic.wait32 (i32.const 4) (local.get $now) (i64.const -1)))
      (br $wait)))
    (i32.atomic.load (i32.const 0))))"""
COUNT, TRAP, EXIT, LOOP, WAIT, ASK, GROW, ACCESS, RECUR = range(9)


@pytest.fixture(autouse=True)
def no_thread_is_left() -> object:
    before = threading.active_count()
    yield
    others = [thread.name for thread in threading.enumerate() if "thread " in thread.name]
    assert others == [] and threading.active_count() <= before + 1, "the clock may have begun"


@pytest.fixture(scope="module")
def workers() -> Module:
    return Module.from_text(WORKERS)


@engines
@pytest.mark.parametrize("flavour", list(Flavour))
def test_they_count_together(workers: Module, engine: str, flavour: Flavour) -> None:
    with workers.instantiate(wasi=Wasi(), engine=engine, flavour=flavour) as app:
        assert app.exports.run(8, COUNT) == 8 * 500
        assert app.memory.read(8, 4) == (0b111111110).to_bytes(4, "little"), "numbers from 1 on"


@engines
def test_a_program_of_a_stock_toolchain(engine: str) -> None:
    result = run(GUEST, engine=engine)
    assert (result.exit_code, result.stdout) == (0, b"102400 1600\n")


@engines
def test_a_program_of_pthreads(engine: str) -> None:
    """Mutexes, condition variables, variables of a thread and keys, as musl has them."""
    assert counted_by_pthreads(engine, 20) == right(20)


@pytest.mark.slow
@engines
def test_they_are_right_a_hundred_times(engine: str) -> None:
    assert {run(GUEST, engine=engine).stdout for _ in range(100)} == {b"102400 1600\n"}
    assert {counted_by_pthreads(engine, 1000) for _ in range(100)} == {right(1000)}


def counted_by_pthreads(engine: str, tasks: int) -> str:
    result = run(PTHREADS, [str(tasks)], engine=engine)
    return f"{result.exit_code} {result.stdout.decode()}"


def right(tasks: int) -> str:
    """What the program says if every task was done once and no addition was lost."""
    half, numbers = 500 * tasks, sum(range(tasks))
    return (
        f"0 {half} by atomics, {half} by a lock, {2 * half} by threads, "
        f"once 1, tasks {tasks}, sum {numbers}, own 0\n"
    )


@engines
def test_a_trap_ends_all(workers: Module, engine: str) -> None:
    with (
        workers.instantiate(wasi=Wasi(), engine=engine) as app,
        pytest.raises(Trap, match="unreachable") as caught,
    ):
        app.exports.run(4, TRAP)
    assert "work" in [frame.name for frame in caught.value.frames], "the frames of the thread that trapped"


@engines
def test_the_error_of_a_thread_is_its_own(workers: Module, engine: str) -> None:
    """The first thread waits at an address: neither this instruction nor its frames are in the error."""
    with (
        workers.instantiate(wasi=Wasi(), engine=engine) as app,
        pytest.raises(Trap, match=r"access: i32\.load of 4 bytes") as caught,
    ):
        app.exports.run(1, ACCESS)
    assert [frame.name for frame in caught.value.frames] == ["work", "wasi_thread_start"]
    assert caught.value.host_call is None, "only the first thread called the host"


@engines
def test_one_exhausted_stack_of_many_is_explained(workers: Module, engine: str) -> None:
    """The frames of 20 deep stacks would take as many times as long."""
    read = []

    class Counted(Names):
        def function(self, funcidx: int) -> str | None:
            read.append(funcidx)
            return super().function(funcidx)

    module = Module.from_text(WORKERS)
    vars(module)["names"] = Counted(module)
    with (
        module.instantiate(wasi=Wasi(), engine=engine, limits=Limits(call_depth=4_000)) as app,
        pytest.raises(ExhaustionError) as caught,
    ):
        app.exports.run(20, RECUR)
    assert len(caught.value.frames) > 3_000
    assert len(read) < 2 * len(caught.value.frames)


@engines
def test_an_exit_ends_all(workers: Module, engine: str) -> None:
    with workers.instantiate(wasi=Wasi(), engine=engine) as app, pytest.raises(GuestExit) as caught:
        app.exports.run(4, EXIT)
    assert caught.value.code == 7


@engines
@pytest.mark.parametrize("what", [LOOP, WAIT, ASK])
def test_a_deadline_ends_all(workers: Module, engine: str, what: int) -> None:
    with (
        workers.instantiate(wasi=Wasi(), engine=engine, limits=Limits(seconds=0.5)) as app,
        pytest.raises(DeadlineError),
    ):
        app.exports.run(4, what)


@engines
def test_fuel_and_host_calls_are_counted_together(workers: Module, engine: str) -> None:
    with (
        workers.instantiate(wasi=Wasi(), engine=engine, limits=Limits(fuel=200_000)) as app,
        pytest.raises(FuelError),
    ):
        app.exports.run(4, LOOP)
    with (
        workers.instantiate(wasi=Wasi(), engine=engine, limits=Limits(host_calls=100)) as app,
        pytest.raises(HostCallsError),
    ):
        app.exports.run(4, ASK)


@engines
def test_closing_ends_threads_that_still_run(workers: Module, engine: str) -> None:
    with workers.instantiate(wasi=Wasi(), engine=engine) as app:
        assert [app.exports.start(what) for what in (LOOP, WAIT, ASK)] == [1, 2, 3]
        time.sleep(0.05)


def test_there_are_only_so_many(workers: Module) -> None:
    with workers.instantiate(wasi=Wasi(), limits=Limits(threads=3)) as app:
        assert [app.exports.start(WAIT) for _ in range(5)] == [1, 2, 3, -1, -1]


@engines
def test_a_memory_grows_while_others_run(workers: Module, engine: str) -> None:
    with workers.instantiate(wasi=Wasi(), engine=engine) as app:
        app.exports.start(LOOP)
        assert app.exports.run(5, GROW) == 0
        assert app.memory.pages == 4
    with workers.instantiate(wasi=Wasi(), engine=engine, flavour=Flavour.STRUCT) as app:
        app.exports.run(2, GROW)
        assert app.memory.pages == 1, "its bytes would move"


GROWING = """(module
  (import "wasi" "thread-spawn" (func $spawn (param i32) (result i32)))
  (import "wasi_snapshot_preview1" "sched_yield" (func $yield (result i32)))
  (import "env" "memory" (memory 1 100 shared))
  (export "memory" (memory 0))
  (func $walk (local $size i32) (local $at i32)  ;; adds 1 to the end of each page that there is
    (loop $more
      (local.set $size (i32.shl (memory.size) (i32.const 16)))
      (if (i32.eqz (local.get $size)) (then unreachable))
      (local.set $at (i32.sub (local.get $size) (i32.const 4)))
      (drop (i32.atomic.rmw.add (local.get $at) (i32.const 1)))
      (if (i32.eqz (i32.load (local.get $at))) (then unreachable))
      (br_if $more (i32.lt_u (local.get $size) (i32.const 0x640000)))))
  (func (export "wasi_thread_start") (param i32 i32)
    (call $walk)
    (drop (i32.atomic.rmw.add (i32.const 0) (i32.const 1))))
  (func (export "run") (result i32) (local $i i32)
    (loop $start
      (drop (call $spawn (i32.const 0)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $start (i32.lt_u (local.get $i) (i32.const 4))))
    (loop $grow
      (drop (call $yield))
      (br_if $grow (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))
    (loop $wait (drop (call $yield)) (br_if $wait (i32.lt_u (i32.atomic.load (i32.const 0)) (i32.const 4))))
    (memory.size)))"""


@engines
def test_threads_use_the_pages_that_another_one_adds(engine: str) -> None:
    """Each looks at once into what `memory.size` says that there is, while the first one grows the memory."""
    with Module.from_text(GROWING).instantiate(wasi=Wasi(), engine=engine) as app:
        assert app.exports.run() == 100
        last = [app.memory.read((page << 16) - 4, 4) for page in range(1, 101)]
    assert any(int.from_bytes(word, "little") for word in last[:-1]), "they ran while it grew"
    assert int.from_bytes(last[-1], "little") >= 4, "and came to the last page"


@engines
def test_ctrl_c_ends_all(workers: Module, engine: str) -> None:
    def interrupt() -> int:
        raise KeyboardInterrupt

    hosts = {"wasi_snapshot_preview1": {"sched_yield": interrupt}}
    with workers.instantiate(wasi=Wasi(), engine=engine, imports=hosts) as app:
        app.exports.start(LOOP)
        with pytest.raises(KeyboardInterrupt):
            app.exports["yield"]()


@engines
def test_ctrl_c_while_a_thread_starts(workers: Module, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's `start` waits until the thread runs: Ctrl-C comes then, and the thread is ended too."""

    class Interrupted(threading.Thread):
        def start(self) -> None:
            super().start()
            raise KeyboardInterrupt

    monkeypatch.setattr(wasi_threads, "Thread", Interrupted)
    with (
        workers.instantiate(wasi=Wasi(), engine=engine) as app,
        pytest.raises(KeyboardInterrupt),
    ):
        app.exports.start(WAIT)


def test_ctrl_c_before_a_thread_starts(workers: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    class Never(threading.Thread):
        def start(self) -> None:
            raise KeyboardInterrupt

    monkeypatch.setattr(wasi_threads, "Thread", Never)
    monkeypatch.setattr(wasi_threads, "LEAVING", 0.01)
    with workers.instantiate(wasi=Wasi()) as app, pytest.raises(KeyboardInterrupt):
        app.exports.start(WAIT)


@engines
def test_closing_waits_for_threads_that_python_has_not_ended(
    workers: Module, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The guest's own thread has ended, and Python's goes on for a while on a busy machine."""

    class Slow(threading.Thread):
        def run(self) -> None:
            super().run()
            time.sleep(0.2)

    monkeypatch.setattr(wasi_threads, "Thread", Slow)
    with workers.instantiate(wasi=Wasi(), engine=engine) as app:
        assert app.exports.run(4, COUNT) == 4 * 500
    assert not [thread for thread in threading.enumerate() if isinstance(thread, Slow)]


def test_only_a_shared_memory_is_made_for_the_guest() -> None:
    with pytest.raises(LinkError, match=r"env::memory"):
        Module.from_text(WORKERS.replace("1 4 shared", "1 4")).instantiate(wasi=Wasi())


def test_only_wasi_and_its_own_name_start_threads(workers: Module) -> None:
    elsewhere = WORKERS.replace('"wasi" "thread-spawn"', '"other" "thread-spawn"')
    with pytest.raises(LinkError) as caught:
        Module.from_text(elsewhere).instantiate(wasi=Wasi())
    assert caught.value.missing == (("other", "thread-spawn"), ("env", "memory"))
    with pytest.raises(LinkError, match="wasi::thread-spawn") as caught:
        workers.instantiate()
    assert caught.value.__notes__[0].startswith("wasi comes with this package: instantiate(wasi=Wasi())")


def test_a_function_of_the_embedder_takes_the_place_of_thread_spawn(workers: Module) -> None:
    started = []

    def spawn(argument: int) -> int:
        started.append(argument)
        return 5

    with Module.from_text(WAITING).instantiate() as owner:
        imports = {"wasi": {"thread-spawn": spawn}, "env": {"memory": owner.memory}}
        with workers.instantiate(wasi=Wasi(), imports=imports) as app:
            assert app.exports.start(3) == 5
    assert started == [3]


WAITING = """(module (memory (export "memory") 1 1 shared)
  (func (export "wait") (param i32 i64) (result i32)
    (memory.atomic.wait32 (i32.const 8) (local.get 0) (local.get 1)))
  (func (export "notify") (param i32) (result i32) (memory.atomic.notify (i32.const 8) (local.get 0))))"""


@engines
def test_waiting_alone(engine: str) -> None:
    with Module.from_text(WAITING).instantiate(engine=engine) as app:
        assert app.exports.wait(1, -1) == 1, "another value"
        began = time.monotonic()
        assert app.exports.wait(0, 30_000_000) == 2
        assert time.monotonic() - began >= 0.03
        assert app.exports.notify(5) == 0
    limited = Module.from_text(WAITING).instantiate(engine=engine, limits=Limits(seconds=0.2))
    with limited as app, pytest.raises(DeadlineError):
        app.exports.wait(0, -1)


@engines
def test_so_many_are_woken_as_are_notified(engine: str) -> None:
    own = '(memory (export "memory") 1 1 shared)'
    module, results = Module.from_text(WAITING.replace(own, '(memory (import "a" "m") 1 1 shared)')), []
    with Module.from_text(WAITING).instantiate(engine=engine) as owner:

        def wait() -> None:
            with module.instantiate(imports={"a": {"m": owner.memory}}, engine=engine) as app:
                results.append(app.exports.wait(0, -1))

        threads = [threading.Thread(target=wait) for _ in range(4)]
        for thread in threads:
            thread.start()
        woken = 0
        while woken < 4:
            now = owner.exports.notify(3)
            assert now <= 3
            woken += now
            time.sleep(0.01)
        for thread in threads:
            thread.join()
    assert results == [0] * 4


def test_a_shared_memory_is_imported_as_one_only() -> None:
    shared = '(module (import "a" "m" (memory 1 2 shared)))'
    for text, given in ((shared, False), (shared.replace(" shared", ""), True)):
        with (
            Module.from_text(f'(module (memory (export "m") 1 2{" shared" * given}))').instantiate() as owner,
            pytest.raises(LinkError, match="incompatible import type"),
        ):
            Module.from_text(text).instantiate(imports={"a": {"m": owner.memory}})
    assert str(MemType(SizeRange(1, 2), shared=True)) == "1 2 shared"


def test_a_call_that_begins_after_the_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that was spawned may begin its call when those of all others have been ended."""
    (tmp_path / "late.wat").write_text("""(module
      (import "wasi" "thread-spawn" (func $spawn (param i32) (result i32)))
      (import "env" "memory" (memory 1 2 shared))
      (func (export "wasi_thread_start") (param i32 i32) (loop $ever (br $ever)))
      (func (export "_start") (drop (call $spawn (i32.const 0)))))""")
    early: list[object] = []
    end_calls = wasi_threads.Threads._end_calls
    monkeypatch.setattr(
        wasi_threads.Threads, "_end_calls", lambda self: end_calls(self) if early else early.append(self)
    )
    assert run(tmp_path / "late.wat").exit_code == 0
    assert early and not [one for one in threading.enumerate() if "late.wat thread" in one.name]

"""Copies of the process in which guests go on: they end, leave nothing behind, and reach nobody."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Lock, Thread
from typing import Any
from unittest import mock

import numpy
import pytest

from pywasm_nn.api import Module
from pywasm_nn.interpreter import arrays
from pywasm_nn.nn import NN
from pywasm_nn.wasi import Wasi
from pywasm_nn.watch import events
from pywasm_nn.watch.probes import answering, copies, stand_in
from pywasm_nn.watch.probes.stand_in import StandIn
from pywasm_nn.watch.trace import Trace
from tests.watch.test_probes import CLASS, READING, SHARES, guest_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="copies of the process are made on Linux")

SAYING = {"texts": ["a"], "fetched": [0], "end": "exit", "behind": 0, "made": []}
AFTER = CLASS.format(at=65536, count=10, by=1)


@contextmanager
def nothing_left() -> Iterator[None]:
    """Neither descriptors nor processes are left."""
    before, fork = os.listdir("/proc/self/fd"), os.fork
    made: list[int] = []

    def seen() -> int:
        made.append(fork())
        return made[-1]

    with mock.patch.object(os, "fork", seen):
        yield
    assert {*os.listdir("/proc/self/fd")} <= {*before}  # the collector may have closed some
    for child in made:
        with pytest.raises(ChildProcessError):
            os.waitpid(child, os.WNOHANG)


def copied(go_on: Callable[[copies.Leave], None], seconds: float = 5.0) -> copies.Reply | None:
    with nothing_left():
        is_copy, reply = copies.copied(go_on, seconds)
        assert not is_copy
    return reply


def test_a_copy_imports_nothing_for_loops_that_become_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each would do it anew, which took a third of its time."""
    text = """(module (memory 1) (func (export "run") (param $n i32)
      (loop (i32.store8 (local.get $n) (i32.mul (local.get $n) (i32.load8_u offset=9000 (local.get $n))))
        (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))))"""
    guest = Module.from_text(text).instantiate()
    guest.exports.run(3)
    for name in ("numeric", "steps", "nested", "ragged"):
        monkeypatch.delitem(sys.modules, f"{arrays.__name__}.{name}", raising=False)
        monkeypatch.delattr(arrays, name, raising=False)

    def go_on(leave: copies.Leave) -> None:
        before = {*sys.modules}
        guest.exports.run(5000)
        leave({**SAYING, "texts": sorted({*sys.modules} - before)})

    reply = copied(go_on)
    assert reply is not None and reply.texts == ()


def test_a_copy_says_something() -> None:
    reply = copied(lambda leave: leave(SAYING))
    assert reply is not None and (reply.text, reply.fetched, reply.is_whole) == ("a", {0}, True)


def spin(leave: copies.Leave) -> None:
    while True:
        pass


def wait(leave: copies.Leave) -> None:
    time.sleep(100)


def stubborn(leave: copies.Leave) -> None:
    for number in (signal.SIGALRM, signal.SIGPROF, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    time.sleep(100)


def fail(leave: copies.Leave) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("go_on", [spin, wait, stubborn, fail])
def test_a_copy_that_says_nothing(go_on: Callable[[copies.Leave], None]) -> None:
    began = time.monotonic()
    assert copied(go_on, 0.5) is None
    assert time.monotonic() - began < 3.5


def test_a_copy_that_waits_for_another_thread() -> None:
    """Which doesn't exist in the copy."""
    lock, free = Lock(), Lock()
    free.acquire()

    def hold() -> None:
        with lock:
            free.acquire()

    thread = Thread(target=hold)
    thread.start()
    while not lock.locked():
        time.sleep(0.01)
    began = time.monotonic()
    try:
        assert copied(lambda leave: suppress(lock.acquire()), 5) is None
    finally:
        free.release()
        thread.join()
    assert time.monotonic() - began < 4, "it is not waited for as long as it might compute"


def test_what_else_ended_a_copy_is_no_error() -> None:
    """Some programs ignore SIGCHLD, so that no child is left to be waited for."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        assert copied(lambda leave: leave(SAYING)) is not None
        assert copied(fail) is None
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_copies_reach_nobody(tmp_path: Path) -> None:
    near, far = socket.socketpair()
    source, sink = os.pipe()
    terminal, end = os.openpty()
    path = tmp_path / "kept"
    path.write_bytes(b"kept")

    with near, far, path.open("r+b", buffering=0) as file:

        def go_on(leave: copies.Leave) -> None:
            for number in (near.fileno(), sink, end, file.fileno(), 1, 2):
                with suppress(OSError):
                    os.write(number, b"from a copy")
            with suppress(OSError):
                (tmp_path / "new").write_bytes(b"from a copy")
            with suppress(OSError):
                os.truncate(path, 1 << 20)
            leave(SAYING)

        assert copied(go_on) is not None
        for one in (far.fileno(), source, terminal):
            os.set_blocking(one, False)
            with pytest.raises(BlockingIOError):
                os.read(one, 100)
        assert path.read_bytes() == b"kept" and file.tell() == 0
    for one in (source, sink, terminal, end):
        os.close(one)
    assert not (tmp_path / "new").exists() or not (tmp_path / "new").stat().st_size


def test_many_descriptors() -> None:
    """`select` knows 1024."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 1200:
        pytest.skip("not so many descriptors are allowed")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1200), hard))
    many = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
    try:
        assert copied(lambda leave: leave(SAYING)) is not None
    finally:
        for one in many:
            os.close(one)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def answered(name: str, *flat: int, real: Callable[..., Any]) -> tuple[Any, str]:
    """What a stand-in answers to a call of WASI, and what ended the copy."""
    ended: list[str] = []
    with Module.from_text("(module (memory 1))").instantiate() as instance:
        host = StandIn(instance, 0, [{}], lambda said: ended.append(said["end"]))
        return host("wasi_snapshot_preview1", name, flat, real), "".join(ended)


def test_files_that_the_guest_has_open() -> None:
    """A copy reads them, and writes to none; of streams it sees nothing."""

    def real(*flat: int) -> int:
        raise AssertionError("called")

    for name, file in (("fd_write", 5), ("fd_datasync", 5), ("fd_read", 1), ("sock_recv", 5)):
        assert answered(name, file, 0, 0, 0, real=real)[1] == name
    assert answered("fd_read", 5, 0, 0, 0, real=lambda *flat: 0) == (0, "")
    assert answered("fd_close", 5, real=real) == (0, "")


def fetched(host: StandIn, memory: Any, context: int) -> bytes:
    """What a context's output is now."""
    real: Any = None
    assert host("wasi_ephemeral_nn", "get_output", (context, 0, 64, 16, 96), real) == 0
    return bytes(memory.read(64, int.from_bytes(memory.read(96, 4), "little")))


@pytest.mark.parametrize("alike", [(), (1,)])
def test_answers_in_turn(alike: tuple[int, ...]) -> None:
    series = [{0: b"one"}, {0: b"two"}, {0: b"three"}]
    real: Any = None
    with Module.from_text('(module (memory (export "memory") 1))').instantiate() as instance:
        host = StandIn(instance, 0, series, lambda said: None, most=3, others={1: {0: b"other"}}, alike=alike)
        for answer in (b"one", b"two", b"three", b"three"):
            assert fetched(host, instance.mems[0], 0) == answer
            assert fetched(host, instance.mems[0], 1) == (answer if alike else b"other")
            assert host("wasi_ephemeral_nn", "compute", (1,), real) == 0
            more = host("wasi_ephemeral_nn", "compute", (0,), real)
        assert more is None, "three more computes"
        assert host("wasi_ephemeral_nn", "set_input", (7, 0, 0), real) is None


def test_what_is_written_belongs_to_a_terminal() -> None:
    """So C's library keeps no lines until the end."""
    with Module.from_text('(module (memory (export "memory") 1))').instantiate() as instance:
        host, memory = StandIn(instance, 0, [{}], lambda said: None), instance.mems[0]

        def real(file: int, address: int) -> int:
            memory.write(address, bytes([4, 0, 0, 0, 0, 0, 0, 0]) + (0xFF).to_bytes(8, "little") + bytes(8))
            return 0

        for file, kind, rights in ((1, 2, 0xFF & ~0x24), (5, 4, 0xFF)):
            assert host("wasi_snapshot_preview1", "fd_fdstat_get", (file, 64), real) == 0
            said = bytes(memory.read(64, 16))
            assert (said[0], int.from_bytes(said[8:], "little")) == (kind, rights)


def test_a_copy_ends_where_the_guest_goes_on_to_its_next_input() -> None:
    ended: list[str] = []

    def leave(said: Mapping[str, Any]) -> None:
        ended.append(said["end"])

    real: Any = lambda *flat: 0  # noqa: E731
    with Module.from_text('(module (memory (export "memory") 1))').instantiate() as instance:
        for most, line, seen in ((0, b"a cat\n", True), (0, b"a cat: ", False), (4, b"a cat\n", False)):
            ended.clear()
            host, memory = StandIn(instance, 0, [{0: b"x"}], leave, most=most), instance.mems[0]
            fetched(host, memory, 0)
            memory.write(128, (136).to_bytes(4, "little") + len(line).to_bytes(4, "little") + line)
            host("wasi_snapshot_preview1", "fd_write", (1, 128, 1, 96), real)
            host("wasi_ephemeral_nn", "set_input", (0, 0, 0), real)
            assert (ended == ["set_input"]) is seen


@pytest.mark.parametrize("is_file", [True, False])
def test_standard_input_is_read_if_it_is_a_file(is_file: bool) -> None:
    with mock.patch.object(stand_in, "is_file", lambda number: is_file):
        found = answered("fd_read", 0, 0, 0, 0, real=lambda *flat: 0)
    assert found == ((0, "") if is_file else (None, "fd_read"))


def test_a_copy_reads_files_from_where_they_are_and_moves_no_position(tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_bytes(b"one two three")
    file = os.open(tmp_path / "lines.txt", os.O_RDWR)
    assert os.read(file, 4) == b"one "

    def go_on(leave: copies.Leave) -> None:
        said = os.read(file, 3).decode()
        leave({**SAYING, "texts": [said, os.read(file, 99).decode()]})

    place = os.open(tmp_path / "lines.txt", os.O_PATH)  # which can't be read
    reply = copied(go_on)
    os.close(place)
    assert reply is not None and reply.texts == ("two", " three")
    assert os.read(file, 99) == b"two three"
    os.close(file)


def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    """What a copy reads there its parent doesn't get."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_bytes(b"")
    opened: list[int] = []

    def real(name: str, *flat: int) -> int:
        opened.append(os.open(tmp_path / name, os.O_RDONLY | os.O_NONBLOCK))
        return 0

    for name, how in (("pipe", "path_open"), ("file", "")):
        real_one = partial(real, name)
        assert answered("path_open", 3, 0, 0, 0, 0, 0, 0, 0, 64, real=real_one)[1] == how
    for one in opened:
        os.close(one)


def test_a_file_is_not_opened_for_writing() -> None:
    def real(*flat: int) -> int:
        raise AssertionError("called")

    for flags, rights in ((1, 0), (8, 0), (0, 64)):
        assert answered("path_open", 3, 0, 0, 0, flags, rights, 0, 0, 64, real=real)[1] == "path_open"


# Guests


def guest(folder: Path, *changes: tuple[str, str]) -> Module:
    text = guest_of(folder, SHARES, AFTER, b"", **READING)
    for before, after in changes:
        assert before in text
        text = text.replace(before, after, 1)
    return Module.from_text(text)


def followed(folder: Path, module: Module, levels: str = "nn,whatif", **how: Any) -> tuple[str, list[str]]:
    """What a guest writes, and the hints about it."""
    out, trace = folder / "out.txt", Trace(levels.split(","))
    with out.open("wb") as sink:
        nn, wasi = NN(models=folder, backends={"onnx": "numpy"}), Wasi(stdout=sink)
        with module.instantiate(nn=nn, wasi=wasi, observer=trace, **how) as app:
            app.exports._start()
    trace.flush()
    return out.read_text(), [event.text for event in trace if isinstance(event, events.Hint)]


@pytest.mark.parametrize("engine", ["compile", "interpret", "wasmtime"])
def test_engines(engine: str, tmp_path: Path) -> None:
    if engine == "wasmtime":
        pytest.importorskip("wasmtime")
    text, hints = followed(tmp_path, guest(tmp_path), engine=engine)
    assert text == "4\n"
    assert ["is the index off by one?" in hint for hint in hints] == [True]


def forbidden() -> int:
    raise AssertionError("the process was copied")


MEMORY = '(memory (export "memory") 4)'


@pytest.mark.parametrize(
    ("levels", "changes", "imports"),
    [
        ("host,nn", (), {}),
        ("nn,whatif", ((MEMORY, '(memory (export "memory") 4 4 shared)'),), {}),
        (
            "nn,whatif",
            ((MEMORY, f'(import "env" "f" (func)) {MEMORY}'),),
            {"env": {"f": lambda: None}},
        ),
    ],
)
def test_guests_that_are_not_copied(
    levels: str, changes: Any, imports: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless it is asked for, if other threads may run, and if it calls functions of nobody knows what."""
    monkeypatch.setattr(os, "fork", forbidden)
    text, hints = followed(tmp_path, guest(tmp_path, *changes), levels, imports=imports)
    assert (text, hints) == ("4\n", [])


def test_two_instances_are_not_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other one may have a host of its own."""
    monkeypatch.setattr(os, "fork", forbidden)
    module = guest(
        tmp_path, (MEMORY, f'(import "wasi_snapshot_preview1" "table" (table 1 funcref)) {MEMORY}')
    )
    with Module.from_text('(module (table (export "table") 1 funcref))').instantiate() as other:
        imports = {"wasi_snapshot_preview1": {"table": other.exports.table}}
        assert followed(tmp_path, module, imports=imports) == ("4\n", [])


@pytest.mark.parametrize("error", [OSError("no memory"), RuntimeError("not in a subinterpreter")])
def test_no_copies(error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def fork() -> int:
        tried.append(1)
        raise error

    monkeypatch.setattr(os, "fork", fork)
    module = guest(tmp_path)
    with nothing_left():
        assert followed(tmp_path, module) == ("4\n", [])
    assert tried == [1]


@pytest.mark.parametrize("platform", ["win32", "darwin", "emscripten"])
def test_other_systems(platform: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = guest(tmp_path)
    monkeypatch.setattr(copies.sys, "platform", platform)
    monkeypatch.setattr(os, "fork", forbidden)
    assert not copies.available()
    monkeypatch.setattr(copies, "available", lambda: False)
    monkeypatch.undo()
    monkeypatch.delattr(os, "fork")
    assert followed(tmp_path, module) == ("4\n", [])


def test_nothing_is_written_twice(tmp_path: Path) -> None:
    """Also what the program that runs the guest has not written yet."""
    path = tmp_path / "app.wat"
    path.write_text(guest_of(tmp_path, numpy.roll(SHARES, 1), AFTER, b"", **READING))
    program = "import sys; sys.stdout.write('first '); from pywasm_nn.cli import main; main()"
    run = [sys.executable, "-c", program, "run", "--trace=nn,whatif", "--models", str(tmp_path), str(path)]
    done = subprocess.run(run, check=True, capture_output=True, text=True, timeout=60)
    assert sorted(done.stdout.split()) == ["5", "first"]
    assert done.stderr.count("off by one") == 1


def test_functions_are_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Copies don't compile what the first one did."""
    replies: list[copies.Reply | None] = []

    def seen(go_on: Callable[[copies.Leave], None], seconds: float) -> tuple[bool, copies.Reply | None]:
        is_copy, reply = copies.copied(go_on, seconds)
        replies.append(reply)
        return is_copy, reply

    monkeypatch.setattr(answering, "copied", seen)
    assert followed(tmp_path, guest(tmp_path), engine="compile")[0] == "4\n"
    assert len(replies) > 3 and all(reply is not None for reply in replies)
    assert [bool(reply and reply.made) for reply in replies] == [True] + [False] * (len(replies) - 1)

"""A guest's own models live in a child: what they give, how they end, and that nothing is left of them."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn import DeadlineError, Limits, Module
from pywasm_nn.nn import NN, Code, DType, NNError, Target, Tensor, TensorSpec
from pywasm_nn.nn.child.arena import Arena
from pywasm_nn.nn.child.models import ChildGraph, specs_of
from pywasm_nn.nn.child.serve import told
from pywasm_nn.nn.registry import Registry
from pywasm_nn.nn.session import Session

from . import hostile_models
from .conftest import ROOT, floats
from .odd import Odd, OddGraph, X

LINUX = sys.platform == "linux"
pytestmark = pytest.mark.usefixtures("real_children")
needs_proc = pytest.mark.skipif(not LINUX, reason="/proc tells what a process has")


class Bench:
    """A session with a model in a child."""

    def __init__(
        self, word: bytes = b"", limits: Limits | None = None, registry: Registry | None = None
    ) -> None:
        self.reports: list[str] = []
        self.session = Session(registry or Registry(plugins=[Odd()]), self.reports.append, limits=limits)
        self.graph = self.load(word)
        self.ctx = self.session.init_execution_context(self.graph)

    def load(self, word: bytes = b"") -> int:
        return self.session.load([b"ODD " + word], "odd", Target.CPU)

    def answer(self, word: bytes) -> bytes:
        self.session.set_input(self.ctx, 0, Tensor(DType.U8, (len(word),), word))
        self.session.compute(self.ctx)
        return bytes(self.session.get_output(self.ctx, 0).view())

    @property
    def child(self) -> int:
        graph = self.session.graphs[self.graph].graph
        assert isinstance(graph, ChildGraph)
        return graph.child._process.pid


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.session.close()


def gone(pid: int) -> bool:
    """Whether a process has ended, and was waited for if it is a child of ours."""
    return not Path(f"/proc/{pid}").exists()


def refusal(bench: Bench, word: bytes) -> NNError:
    with pytest.raises(NNError) as caught:
        bench.answer(word)
    return caught.value


def test_a_model_computes_in_another_process(bench: Bench) -> None:
    assert bench.answer(b"abc") == b"cba"
    assert bench.answer(b"longer than before") == b"longer than before"[::-1]
    assert bench.answer(b"") == b""
    assert bench.answer(b"write") == b"etirw"
    graph = bench.session.graphs[bench.graph].graph
    assert (graph.backend, graph.inputs, graph.outputs, graph.notes) == ("odd", (X,), (X,), ("odd",))
    assert bench.reports == ["wasi-nn: odd"]
    assert bench.child != os.getpid()


def test_the_child_has_nothing_of_the_hosts(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("API_TOKEN", "secret")
    monkeypatch.chdir(tmp_path)
    other = Bench()
    with open(tmp_path / "mine", "w") as mine:
        os.set_inheritable(mine.fileno(), True)
        environment, folder, content, files = other.answer(b"where").decode().split("\n")
        assert "API_TOKEN" not in environment
        assert content == "[]"
        assert str(tmp_path) not in folder
        assert all(one.startswith(("pipe:", "/memfd:", "/dev/null")) for one in files.split())
    other.session.close()


@pytest.mark.parametrize(("word", "how"), [(b"die", "SIGSEGV"), (b"exit", "exit code 0")])
def test_a_child_that_ends_takes_its_graphs_and_nobody_else(bench: Bench, word: bytes, how: str) -> None:
    other, second = Bench(), bench.session.init_execution_context(bench.load())
    error = refusal(bench, word)
    assert error.code is Code.RUNTIME_ERROR
    assert error.reason == f"the process of the guest's own models has ended: {how}"
    for again in (lambda: bench.answer(b"x"), lambda: bench.session.compute(second)):
        with pytest.raises(NNError) as caught:
            bench.session.set_input(second, 0, Tensor(DType.U8, (1,), b"x"))
            again()
        assert caught.value.code is Code.RUNTIME_ERROR
    with pytest.raises(NNError, match=how):
        bench.session.init_execution_context(bench.graph)
    bench.session.finalize_execution_context(bench.ctx)
    bench.session.unload(bench.graph)
    assert other.answer(b"alive") == b"evila"
    bench.graph = bench.load()
    bench.ctx = bench.session.init_execution_context(bench.graph)
    assert bench.answer(b"again") == b"niaga"
    other.session.close()


@needs_proc
def test_one_that_announces_an_enormous_answer_is_ended_for_that(bench: Bench) -> None:
    for _ in range(2):
        error = refusal(bench, b"boast")
        assert error.reason.endswith(f"models has ended: it says {1 << 31} bytes at once")


@needs_proc
def test_one_that_is_killed_in_the_middle(bench: Bench) -> None:
    pid = bench.child
    timer = threading.Timer(0.3, os.kill, (pid, signal.SIGKILL))
    timer.start()
    assert "SIGKILL" in refusal(bench, b"hang").reason
    assert gone(pid)


def test_what_happens_at_load(bench: Bench) -> None:
    with pytest.raises(NNError, match="odd: ValueError: no such model"):
        bench.load(b"broken")
    assert bench.answer(b"abc") == b"cba"
    with pytest.raises(NNError, match="has ended: SIGABRT") as caught:
        bench.load(b"abort")
    assert caught.value.code is Code.RUNTIME_ERROR
    assert bench.session.graphs[bench.load()].graph.backend == "odd"


def left(seconds: float) -> Any:
    """The patience of a guest whose time ends then."""
    end = time.monotonic() + seconds

    def patience() -> float:
        if time.monotonic() >= end:
            raise DeadlineError(seconds)
        return end - time.monotonic()

    return patience


@pytest.mark.parametrize("call", [lambda bench: bench.answer(b"hang"), lambda bench: bench.load(b"hang")])
def test_a_deadline_ends_a_load_and_a_compute(bench: Bench, call: Callable[[Bench], object]) -> None:
    pid = bench.child
    bench.session.own.patience = left(0.3)
    began = time.monotonic()
    with pytest.raises(DeadlineError):
        call(bench)
    assert time.monotonic() - began < 20
    assert not LINUX or gone(pid)
    bench.session.own.patience = lambda: None


def test_the_limit_on_a_compute() -> None:
    bench = Bench(limits=Limits(compute_seconds=0.3))
    assert "stopped after 0.3 s" in refusal(bench, b"hang").reason
    bench.session.close()


def test_outputs_beyond_the_limit_stay_where_they_are() -> None:
    bench = Bench(limits=Limits(tensor_bytes=1_000_000))
    error = refusal(bench, b"large")
    assert (error.code, error.reason) == (
        Code.TOO_LARGE,
        'output 0 "x" is 2000000 bytes, the limit is 1000000',
    )
    assert bench.answer(b"abc") == b"cba"
    bench.session.close()


def test_outputs_that_somebody_holds_are_not_written_again(bench: Bench) -> None:
    session = bench.session
    held = []
    for round in range(5):
        word = bytes([round]) * 100
        session.set_input(bench.ctx, 0, Tensor(DType.U8, (100,), word))
        session.compute(bench.ctx)
        held.append((session.get_output(bench.ctx, 0).view(), word))
    assert all(bytes(view) == word for view, word in held)


def test_chaining_targets_and_inputs_that_are_lent() -> None:
    bench = Bench()
    session, other = bench.session, bench.session.init_execution_context(bench.graph)
    assert bench.answer(b"abc") == b"cba"
    session.set_input_from(other, 0, bench.ctx, 0)
    assert bench.answer(b"xyz") == b"zyx"
    session.compute(other)
    assert bytes(session.get_output(other, 0).view()) == b"abc"
    room = bytearray(5)
    session.set_output(bench.ctx, 0, lambda: memoryview(room))
    session.compute(bench.ctx)
    assert bytes(room) == b"zyx\0\0"
    session.set_output(bench.ctx, 0, lambda: memoryview(bytearray(2)))
    with pytest.raises(NNError, match="is 3 bytes, the buffer has 2"):
        session.compute(bench.ctx)
    lent = bytearray(b"lent")
    session.set_input(other, 0, Tensor(DType.U8, (4,), lent), lend=True)
    session.compute(other)
    assert bytes(session.get_output(other, 0).view()) == b"tnel"
    named = session.compute_named(other, [("x", Tensor(DType.U8, (2,), b"ab"))])
    session.compute_named(other, [("x", Tensor(DType.U8, (2,), b"cd"))])
    assert [(name, bytes(tensor.view())) for name, tensor in named] == [("x", b"ba")]
    session.close()


@pytest.mark.parametrize("trusted", [False, True])
@pytest.mark.parametrize("backend", ["onnxruntime", "numpy"])
def test_outputs_of_a_rank_that_nobody_knows(backend: str, trusted: bool) -> None:
    """onnxruntime says of them what it says of a scalar; OpenVINO loads no such model."""
    onnx = pytest.importorskip("onnx")
    if reason := NN().registry.backend(backend, "here").unavailable():
        pytest.skip(reason)
    given = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["n"])
    shape = onnx.helper.make_tensor_value_info("s", onnx.TensorProto.INT64, ["r"])
    data = hostile_models.onnx_of([hostile_models.node("Reshape", ["x", "s"], ["y"])], (), [given, shape])
    registry = Registry(prefer={"onnx": backend}, trust_guest_models=trusted)
    session = Session(registry, lambda text: None)
    ctx = session.init_execution_context(session.load([data], None, Target.CPU))
    session.set_input(ctx, 0, Tensor(DType.F32, (4,), floats(1, 2, 3, 4)))
    for lengths in ([2, 2], [4], [1, 2, 2]):
        words = b"".join(length.to_bytes(8, "little") for length in lengths)
        session.set_input(ctx, 1, Tensor(DType.I64, (len(lengths),), words))
        for place in (None, lambda: memoryview(bytearray(16))):
            session.set_output(ctx, 0, place)
            session.compute(ctx)
            output = session.get_output(ctx, 0)
            assert (output.shape, bytes(output.view())) == (tuple(lengths), floats(1, 2, 3, 4))
    session.close()


def test_backends_that_look_at_inputs_and_make_text() -> None:
    bench = Bench(b"looks")
    session, ctx = bench.session, bench.ctx
    with pytest.raises(NNError) as caught:
        session.set_input(ctx, 0, Tensor(DType.U8, (8,), b"too long"))
    assert caught.value.code is Code.PROMPT_TOO_LONG
    session.set_input(ctx, 0, Tensor(DType.U8, (3,), b"a b"))
    made = []
    for _ in range(2):
        session.compute_single(ctx)
        made.append(bytes(session.get_output_single(ctx, 0).view()))
    assert made == [b"a", b"b"]
    with pytest.raises(NNError) as caught:
        session.compute_single(ctx)
    assert caught.value.code is Code.END_OF_SEQUENCE
    session.fini_single(ctx)
    assert bench.answer(b"abc") == b"cba"
    session.close()


def test_two_guests_on_two_threads() -> None:
    benches = [Bench(), Bench()]
    wrong: list[bytes] = []

    def work(bench: Bench, word: bytes) -> None:
        wrong.extend(found for _ in range(200) if (found := bench.answer(word)) != word[::-1])

    words = [bytes([number]) * 1000 + b"end" for number in (1, 2)]
    threads = [threading.Thread(target=work, args=pair) for pair in zip(benches, words, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert benches[0].child != benches[1].child
    for bench in benches:
        bench.session.close()


def test_a_trusted_or_named_model_stays_in_this_process(tmp_path: Path) -> None:
    path = tmp_path / "m.odd"
    path.write_bytes(b"ODD ")
    trusting = Registry({"m": path}, plugins=[Odd()], trust_guest_models=True)
    session = Session(trusting, lambda text: None)
    assert isinstance(session.graphs[session.load([b"ODD "], None, Target.CPU)].graph, OddGraph)
    wary = Session(Registry({"m": path}, plugins=[Odd()]), lambda text: None)
    assert isinstance(wary.graphs[wary.load_by_name("m")].graph, OddGraph)


@pytest.mark.parametrize("backend", ["onnxruntime", "openvino", "numpy"])
def test_frameworks_are_imported_in_the_child_only(backend: str) -> None:
    if reason := NN().registry.backend(backend, "here").unavailable():
        pytest.skip(reason)
    code = f"""
import sys
from pathlib import Path
from pywasm_nn.nn.registry import Registry
from pywasm_nn.nn.session import Session
from pywasm_nn.nn import Target, Tensor, DType
from struct import pack
session = Session(Registry(prefer={{"onnx": {backend!r}}}), print)
ctx = session.init_execution_context(session.load([Path(sys.argv[1]).read_bytes()], None, Target.CPU))
for index in range(2):
    session.set_input(ctx, index, Tensor(DType.F32, (1, 2), pack("<2f", 3, 4)))
session.compute(ctx)
print(session.get_output(ctx, 1).view().hex(), {{"numpy", {backend!r}}} & set(sys.modules))
"""
    model = Path(__file__).parent / "fixtures" / "add_mul_dyn.onnx"
    done = subprocess.run(
        [sys.executable, "-c", code, str(model)], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.split("\n")[0] == f"{floats(9, 16).hex()} set()", done.stdout


# What is left


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def mappings() -> int:
    return Path("/proc/self/maps").read_text().count("pywasm-nn")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process")
def test_an_interrupt_right_after_a_child_was_started_leaves_none(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[subprocess.Popen[bytes]] = []

    class Interrupted(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **settings: Any) -> None:
            super().__init__(*arguments, **settings)
            begun.append(self)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)  # in the main thread it is raised here

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        Bench()
    assert begun[0].returncode is not None, "the child goes on"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no signal to one thread")
def test_an_interrupt_that_another_thread_gets_ends_the_wait_for_an_answer(bench: Bench) -> None:
    """Python then only notes it: the read that the main thread waits in isn't ended by the system."""

    def interrupt() -> None:
        time.sleep(0.5)
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)

    child, begun = bench.child, time.monotonic()
    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        bench.answer(b"hang")
    took = time.monotonic() - begun
    thread.join()
    assert took < 30, "it was noticed when the child had slept for 60 s"
    assert not Path("/proc").exists() or gone(child)


@needs_proc
def test_nothing_is_left() -> None:
    rounds_of_everything(3)
    gc.collect()
    before = descriptors(), mappings()
    pids = rounds_of_everything(15)
    gc.collect()
    assert (descriptors(), mappings()) == before
    assert all(map(gone, pids))


@needs_proc
@pytest.mark.slow
def test_nothing_is_left_of_a_thousand() -> None:
    rounds_of_everything(3)
    before = descriptors(), mappings()
    pids = rounds_of_everything(1000)
    gc.collect()
    assert (descriptors(), mappings()) == before
    assert all(map(gone, pids))


def rounds_of_everything(count: int) -> list[int]:
    """Guests that close, die, and are forgotten, in turn."""
    pids = []
    for number in range(count):
        bench = Bench()
        pids.append(bench.child)
        folder = os.readlink(f"/proc/{bench.child}/cwd")
        assert bench.answer(bytes(100_000) + b"1") == b"1" + bytes(100_000)
        if number % 3 == 0:
            bench.session.close()
        elif number % 3 == 1:
            refusal(bench, b"die")
            bench.session.close()
        del bench
        gc.collect()
        assert not Path(folder).exists()
    return pids


HOST = """
import os, sys, time
from pywasm_nn.nn import Target, Tensor, DType
from pywasm_nn.nn.registry import Registry
from pywasm_nn.nn.session import Session
sys.path.insert(0, sys.argv[1])
from tests.nn.test_child import Bench
bench = Bench()
print(bench.child, os.readlink(f"/proc/{bench.child}/cwd"), flush=True)
if sys.argv[2] == "computing":
    bench.answer(b"hang")
elif sys.argv[2] == "forking":
    if not os.fork():
        try:
            bench.answer(b"abc")
        except Exception as error:
            print(type(error).__name__, flush=True)
        sys.exit()
    os.wait()
    print(bench.answer(b"abc"), flush=True)
elif sys.argv[2] == "idle":
    time.sleep(60)
"""


def host(how: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", HOST, str(ROOT), how]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@needs_proc
@pytest.mark.parametrize("how", ["idle", "computing"])
def test_a_child_ends_with_its_host(how: str) -> None:
    with host(how) as process:
        assert process.stdout is not None
        pid, folder = process.stdout.readline().split()
        time.sleep(0.2)
        process.kill()
        process.wait()
        end = time.monotonic() + 30
        while not gone(int(pid)) and time.monotonic() < end:
            time.sleep(0.05)
        assert gone(int(pid))
        assert not Path(folder).exists()


@needs_proc
def test_a_child_ends_with_a_host_that_exits() -> None:
    with host("exit") as process:
        said, errors = process.communicate(timeout=60)
        pid, folder = said.split()
        assert (process.returncode, errors) == (0, "")
        assert gone(int(pid))
        assert not Path(folder).exists()


@needs_proc
def test_a_host_that_forks() -> None:
    with host("forking") as process:
        said, errors = process.communicate(timeout=60)
        assert (said.split("\n")[1:], errors) == (["NNError", "b'cba'", ""], "")


def test_pieces_of_shared_memory(tmp_path: Path) -> None:
    arena = Arena(tmp_path, 64 << 20, lambda size: None)
    slots = [arena.take(size) for size in (1, 5000, 1 << 20, 40 << 20)]
    for number, slot in enumerate(slots):
        slot.view(slot.size)[:] = bytes([number]) * slot.size
    assert [set(bytes(slot.view(slot.size))) for slot in slots] == [{0}, {1}, {2}, {3}]
    with pytest.raises(NNError, match="at a time"):
        arena.take(40 << 20)
    view = slots[3].view(10)
    del slots, slot
    gc.collect()
    with pytest.raises(NNError, match="at a time"):
        arena.take(40 << 20)
    assert slots_of(arena, 20) == 20
    assert bytes(view) == b"\3" * 10
    del view
    for _ in range(100):
        assert arena.take(40 << 20).size == 40 << 20


def slots_of(arena: Arena, count: int) -> int:
    """How many of a megabyte there are room for at once."""
    return len([arena.take(1 << 20) for _ in range(count)])


# Models that are meant to do harm

QUICK = [
    ("endless Loop", "onnxruntime"), ("endless WHILE", "litert"), ("FLOOR_MOD of the smallest int", "litert"),
    ("ConstantOfShape inside", "onnxruntime"), ("Loop that collects", "onnxruntime"), ("Expand", "openvino"),
    ("MatMul of 8,000", "numpy"),
]  # fmt: skip
MOST = 1 << 10
"""MiB that a host or its child may take."""
GRACE = 15.0
"""Seconds beyond the limit, on a machine that does other things too."""


def hold(name: str, backend: str, engine: str) -> None:
    pytest.importorskip("onnx")
    if reason := NN().registry.backend(backend, "here").unavailable():
        pytest.skip(reason)
    # The frameworks are imported in this time too; numpy is soon there.
    limit = 1.0 if name.startswith("endless") or backend == "numpy" else 4.0
    found = hostile_models.judged(name, backend, engine, limit)
    assert found["came"] in (*range(9), "DeadlineError"), found
    assert found["seconds"] < limit + GRACE, found
    assert max(found["host"], found["child"]) < MOST, found
    if name.startswith("endless"):
        assert found["came"] == "DeadlineError", found


@needs_proc
@pytest.mark.parametrize(("name", "backend"), QUICK)
def test_harm(name: str, backend: str) -> None:
    hold(name, backend, "compile")


@needs_proc
@pytest.mark.slow
@pytest.mark.parametrize("engine", hostile_models.ENGINES)
@pytest.mark.parametrize(("one", "backend"), hostile_models.CASES, ids=str)
def test_all_harm(one: hostile_models.Hostile, backend: str, engine: str) -> None:
    hold(one.name, backend, engine)


def test_a_guest_learns_of_its_deadline(engine: str) -> None:
    """Not by an error number that it could ignore."""
    parts = b"".join(f"\\{byte:02x}".encode() for byte in b"ODD hang").decode()
    text = f"""(module
      (import "wasi_ephemeral_nn" "load" (func $load (param i32 i32 i32 i32 i32) (result i32)))
      (memory (export "memory") 1)
      (data (i32.const 16) "\\20\\00\\00\\00\\08\\00\\00\\00") (data (i32.const 32) "{parts}")
      (func (export "run") (result i32)
        (call $load (i32.const 16) (i32.const 1) (i32.const 77) (i32.const 0) (i32.const 8))))"""
    nn = NN(plugins=[Odd()])
    limits = Limits(seconds=1.0)
    with (
        Module.from_text(text).instantiate(nn=nn, engine=engine, limits=limits) as instance,
        pytest.raises(DeadlineError),
    ):
        instance.exports.run()


def test_what_a_spec_says_crosses_whole() -> None:
    spec = TensorSpec("x", DType.I8, ("N", 2, None), ("other",), (0.5, 3), takes_bytes=True)
    (crossed,) = specs_of(json.loads(json.dumps([told(spec)])))
    assert all(getattr(crossed, name) == getattr(spec, name) for name in TensorSpec.__slots__)

"""Graphs shared by instances and threads: a service's day, registering while guests run, budgets, memory."""

from __future__ import annotations

import gc
import os
import random
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from struct import pack, unpack

import pytest

from pywasm_nn.api import Module
from pywasm_nn.errors import Trap
from pywasm_nn.limits import Limits
from pywasm_nn.nn import NN, Code, DType, GraphConfig, NamedModel, NNError, Target, Tensor
from pywasm_nn.nn.errors import Nature
from pywasm_nn.nn.operation import LoadedGraph
from pywasm_nn.nn.session import Session
from pywasm_nn.nn.shared import SharedGraphs, owned

from .backends.onnx_writer import Model, node
from .conftest import ADD_MUL, EchoContext, FakeBackend, FakeGraph, Guest, alone, floats, pair
from .test_own import PASSTHROUGH


def named(directory: Path, *names: str) -> NN:
    for name in names:
        (directory / f"{name}.onnx").write_bytes(ADD_MUL)
    backend = FakeBackend()
    nn = NN(models=directory, plugins=[backend], backends={"onnx": "fake"})
    return nn


def graphs(nn: NN) -> list[FakeGraph]:
    backend = nn.plugins[0]
    assert isinstance(backend, FakeBackend)
    return backend.graphs


def session(nn: NN) -> Session:
    return nn.open(lambda text: None).session


def test_deregistered_while_in_use(tmp_path: Path) -> None:
    nn = named(tmp_path, "m")
    old, new = session(nn), session(nn)
    ctx = old.init_execution_context(old.load_by_name("m"))
    nn.deregister("m")
    with pytest.raises(NNError) as caught:
        new.load_by_name("m")
    assert caught.value.code is Code.NOT_FOUND
    for name in ("a", "b"):
        old.set_input(ctx, name, pair_of(1, 2))
    old.compute(ctx)
    assert graphs(nn)[0].closed == 0
    old.close()
    assert graphs(nn)[0].closed == 1
    nn.deregister("m")  # nobody has the name: nothing happens


def pair_of(*values: float) -> Tensor:
    return Tensor(DType.F32, (1, 2), floats(*values))


def test_registered_while_guests_run(tmp_path: Path) -> None:
    nn = named(tmp_path, "m")
    guest = session(nn)
    assert guest.load_by_name("m") == 0
    nn.register("late", tmp_path / "m.onnx")
    assert guest.load_by_name("late") == 1
    nn.register("m", NamedModel((tmp_path / "m.onnx",), None, GraphConfig(Target.CPU, {"threads": 2})))
    other = session(nn)
    other.load_by_name("m")
    assert len(graphs(nn)) == 3, "a new model of an old name is loaded anew"
    guest.close()
    assert [graph.closed for graph in graphs(nn)] == [1, 0, 0]


def test_one_graph_per_configuration(tmp_path: Path) -> None:
    nn = named(tmp_path, "m")
    sessions = [session(nn) for _ in range(4)]
    for one in sessions:
        one.load_by_name("m")
        one.load_by_name_with_config("m", b'{"threads": 2, "target": "cpu"}')
        one.load_by_name_with_config("m", b'{"target":"cpu",  "threads": 2}')
    assert len(graphs(nn)) == 2
    for one in sessions:
        one.close()
    assert [graph.closed for graph in graphs(nn)] == [0, 1], "what a guest configured goes with its last user"


def test_what_a_guest_may_not_configure(tmp_path: Path) -> None:
    nn = named(tmp_path, "m")
    one = session(nn)
    one.load_by_name_with_config("m", b'{"provider_options": {"CACHE_DIR": "/tmp"}, "threads": 1}')
    backend = nn.plugins[0]
    assert isinstance(backend, FakeBackend)
    assert dict(backend.configs[0].options) == {"threads": 1}
    with pytest.raises(NNError, match="there is no target 'moon'"):
        one.load_by_name_with_config("m", b'{"device": "moon"}')


def test_options_of_a_guest_are_those_that_the_backend_lists_and_no_larger(tmp_path: Path) -> None:
    nn = named(tmp_path, "m")
    one = session(nn)
    for text in (
        b'{"threads": 1e9, "mmproj": "/etc/passwd", "hf-repo": "x", "provider_options": {}}',
        b'{"threads": NaN, "ctx-size": 2147483648}',
        b'{"threads": "many", "target": "cpu"}',
    ):
        one.load_by_name_with_config("m", text)
    backend = nn.plugins[0]
    assert isinstance(backend, FakeBackend)
    assert [dict(config.options) for config in backend.configs] == [
        {"threads": 8},  # for the first two
        {"threads": "many"},  # of another kind: the backend's to judge
    ]
    base = GraphConfig(options={"precision": "x"})
    changed = backend.guest_config({"threads": 99, "precision": "f16"}, base)
    assert changed.options == {"threads": 8, "precision": "x"}, "what the host said stays"


def test_the_budget_lets_go_of_the_longest_unused() -> None:
    made: dict[str, FakeGraph] = {}

    def load(name: str) -> FakeGraph:
        made[name] = FakeGraph(EchoContext, [pair()["a"]], [pair()["a"]])
        return made[name]

    shared = SharedGraphs(budget=250)
    leases = {name: shared.take(name, None, 100, partial(load, name)) for name in "abc"}
    assert shared.resident == 300, "what is used stays"
    for name in "bca":
        leases[name].release()
        leases[name].release()  # once counts
    assert [made[name].closed for name in "abc"] == [0, 1, 0]
    assert shared.resident == 200
    shared.take("c", None, 100, lambda: load("again"))
    shared.take("d", None, 100, lambda: load("d"))
    assert made["a"].closed == 1
    assert "again" not in made
    assert len(shared) == 2


def test_of_several_that_nobody_uses_the_longest_unused_goes_first() -> None:
    made: dict[str, FakeGraph] = {}

    def load(name: str) -> FakeGraph:
        made[name] = FakeGraph(EchoContext, [pair()["a"]], [pair()["a"]])
        return made[name]

    shared = SharedGraphs(budget=300)
    leases = {name: shared.take(name, None, 100, partial(load, name)) for name in "abc"}
    for name in "bac":
        leases[name].release()
    shared.take("a", None, 100, partial(load, "a")).release()  # used again, so the last now
    for name, gone in (("d", "b"), ("e", "bc"), ("f", "bca")):
        shared.take(name, None, 100, partial(load, name))
        assert [one for one in made if made[one].closed] == sorted(gone)


def test_a_model_that_fails_to_load_leaves_nothing() -> None:
    shared = SharedGraphs()

    def load() -> FakeGraph:
        raise NNError(Code.RUNTIME_ERROR, "no")

    for _ in range(2):
        with pytest.raises(NNError):
            shared.take("m", None, 5, load)
    assert (len(shared), shared.resident) == (0, 0)


def weights(megabytes: int) -> bytes:
    """ONNX with so many megabytes inside, which no optimisation can do without: y = x + w[x]."""
    import numpy as np

    shape = ("float32", ["N", 2])
    w = np.full((megabytes << 18,), megabytes / 4, np.float32)
    nodes = [
        node("Cast", ["x"], ["i"], to=7),
        node("Gather", ["w", "i"], ["s"]),
        node("Add", ["x", "s"], ["y"]),
    ]
    return Model(nodes, {"x": shape}, {"y": shape}, {"w": w}, 13).data()


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


needs_proc = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="/proc/self/statm is absent")


def run_guest(nn: NN, name: bytes, seed: int) -> str:
    """One request: load by name, compute a few times, check the answers. Returns what became of it."""
    reports: list[str] = []
    with PASSTHROUGH.instantiate(nn=nn, report=reports.append) as instance:
        guest = Guest(instance.memory, lambda f, *a: instance.exports[f](*a), reports)
        error = guest.call("load_by_name", *guest.poke(0x1000, name), guest.OUT)
        if error == 8:
            return "not found"
        assert error == 0, reports
        assert guest.call("init_execution_context", guest.u32(), guest.OUT) == 0, reports
        ctx = guest.u32()
        for step in range(6):
            x = [float(seed), float(step)]
            assert guest.set_input(ctx, 0, floats(*x)) == 0, reports
            assert guest.call("compute", ctx) == 0, reports
            code, data = guest.output(ctx, 0)
            assert code == 0, reports
            y = unpack("<2f", data)
            assert all(abs(b - a - extra(name)) < 0.01 for a, b in zip(x, y, strict=True)), (x, y)
    return "fine"


MEGABYTES = {"one": 72, "two": 36}
"""Of two models: more than the 32 that malloc may keep for itself once they are free."""


def extra(name: bytes) -> float:
    return MEGABYTES[name.decode()] / 4


@needs_proc
@alone
def test_a_services_day(tmp_path: Path) -> None:
    """Two models, 30 instances on 4 threads, one model deregistered in mid-flight: nothing fails that should
    not, and memory falls.
    """
    for name, size in MEGABYTES.items():
        (tmp_path / f"{name}.onnx").write_bytes(weights(size))
    nn = NN(models=tmp_path, backends={"onnx": "onnxruntime"})
    if reason := nn.registry.backend("onnxruntime", "here").unavailable():
        pytest.skip(reason)
    order = random.Random(1)
    requests = [(order.choice([b"one", b"two"]), seed) for seed in range(30)]
    with ThreadPoolExecutor(4) as threads:
        first = [threads.submit(run_guest, nn, name, seed) for name, seed in requests[:15]]
        for name in (b"one", b"two"):  # until both models are there
            next(one for one, request in zip(first, requests, strict=False) if request[0] == name).result()
        first[7].result()
        gc.collect()
        high = resident()
        nn.deregister("one")
        rest = [threads.submit(run_guest, nn, name, seed) for name, seed in requests[15:]]
        outcomes = [future.result() for future in (*first, *rest)]
    assert all(
        outcome == "fine" or (outcome == "not found" and name == b"one")
        for outcome, (name, _) in zip(outcomes, requests, strict=True)
    )
    assert {outcomes[i] for i in range(15, 30) if requests[i][0] == b"one"} == {"not found"}
    assert len(nn.registry.graphs) == 1
    gc.collect()
    print(f"a service: {high >> 20} MiB with both models, {resident() >> 20} MiB at the end")
    assert resident() < high - (40 << 20), "the memory of the model that was deregistered did not come back"


TRAPPING = """(module
  (import "wasi_ephemeral_nn" "load" (func $load (param i32 i32 i32 i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "init_execution_context" (func $init (param i32 i32) (result i32)))
  (memory (export "memory") 32)
  (func (export "main") (param i32) (result i32)
    (i32.store (i32.const 0) (i32.const 64))
    (i32.store (i32.const 4) (local.get 0))
    (if (call $load (i32.const 0) (i32.const 1) (i32.const 1) (i32.const 0) (i32.const 16))
      (then (return (i32.const 1))))
    (if (call $init (i32.load (i32.const 16)) (i32.const 16)) (then (return (i32.const 2))))
    unreachable))"""


@needs_proc
@pytest.mark.parametrize(
    "backend", ["onnxruntime", "numpy", pytest.param("openvino", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("count", [100, pytest.param(1000, marks=pytest.mark.slow)])
@alone
def test_instances_that_trap_after_load_leave_memory_flat(backend: str, count: int) -> None:
    """Each would keep a megabyte and a half: the model, and the framework's copy, in this process."""
    nn = NN(backends={"onnx": backend}, limits=Limits(), trust_guest_models=True)
    if reason := nn.registry.backend(backend, "here").unavailable():
        pytest.skip(reason)
    module, data = Module.from_text(TRAPPING), weights(1)

    def once() -> None:
        with module.instantiate(nn=nn) as instance:
            instance.memory.write(64, data)
            with pytest.raises(Trap, match="unreachable"):
                instance.exports.main(len(data))

    for _ in range(50):
        once()
    gc.collect()
    before = resident()
    for _ in range(count):
        once()
    gc.collect()
    grown = resident() - before
    print(f"{backend}: {grown / 2**20:.1f} MiB more after {count} instances")
    assert grown < 40 << 20, f"{grown >> 20} MiB more after {count} instances"


def test_a_vendors_backend_in_ten_lines(tmp_path: Path) -> None:
    """Bytes that nobody can recognise, from a file, by declaration and by the vendor's own detector."""
    path = tmp_path / "vendor.py"
    path.write_text(
        """
from pywasm_nn.nn import Backend, Context, DType, Encoding, Format, Graph, Tensor, TensorSpec
dict_ = dict
X = [TensorSpec("x", DType.U8, (None,))]
class Xor(Context):
    def run(self, inputs):
        return [Tensor(DType.U8, inputs[0].shape, bytes(b ^ self.graph.key for b in inputs[0].view()))]
class Vendor(Backend):
    name, formats, from_guests = "vendor", (Format("xor", encoding=Encoding("xor", 99)),), frozenset({"xor"})
    def detect(self, data): return "xor" if bytes(data[:1]) == bytes([data[-1] ^ 255]) else None
    def load(self, format, parts, config):
        graph = Graph("vendor", X, X)
        graph.key, graph.context = parts[0][1], lambda: Xor(graph)
        return graph
"""
    )
    instance = PASSTHROUGH.instantiate(nn=NN(plugins=[f"{path}:Vendor"]))
    guest = Guest(instance.memory, lambda f, *a: instance.exports[f](*a), [])
    for ctx, encoding in enumerate((99, 5)):
        assert guest.load(b"\x90\x55\x01\x6f", encoding=encoding) == 0
        assert guest.call("init_execution_context", guest.u32(), guest.OUT) == 0
        assert guest.set_input(ctx, 0, b"\0\x55", dims=[2], type=3) == 0
        assert guest.call("compute", ctx) == 0
        assert guest.output(ctx, 0) == (0, b"\x55\0")
    with pytest.raises(ValueError, match=r"there is no file nowhere\.py"):
        NN(plugins=["nowhere.py:Vendor"])
    with pytest.raises(ValueError, match=r"has no What; the Backends there: Vendor$"):
        NN(plugins=[f"{path}:What"])
    with pytest.raises(ValueError, match="is no Backend"):
        NN(plugins=[f"{path}:dict_"])
    instance.close()


def test_a_compute_that_takes_too_long_is_stopped() -> None:
    """onnxruntime can be stopped, and the session goes on afterwards."""
    import numpy as np

    n = 1200
    shape = ("float32", ["N", n])
    nodes = [node("MatMul", ["x", "w"], ["h0"])]
    nodes += [node("MatMul", [f"h{i}", "w"], [f"h{i + 1}"]) for i in range(400)]
    model = Model([*nodes, node("Neg", ["h400"], ["y"])], {"x": shape}, {"y": shape},
                  {"w": np.zeros((n, n), np.float32)}, 13).data()  # fmt: skip
    nn = NN(backends={"onnx": "onnxruntime"}, limits=Limits(compute_seconds=0.3))
    if reason := nn.registry.backend("onnxruntime", "here").unavailable():
        pytest.skip(reason)
    one = session(nn)
    graph = nn.registry.backend("onnxruntime", "here").load("onnx", [model], GraphConfig(Target.CPU))
    ctx = one.init_execution_context(one.graphs.add(LoadedGraph(owned(graph), None)))
    one.set_input(ctx, 0, Tensor(DType.F32, (2000, n), bytes(4 * 2000 * n)))
    with pytest.raises(NNError, match=r"stopped after 0\.3 s") as caught:
        one.compute(ctx)
    assert (caught.value.code, caught.value.nature) == (Code.RUNTIME_ERROR, Nature.TIMEOUT)
    one.limits = Limits()  # however busy the machine is
    one.set_input(ctx, 0, Tensor(DType.F32, (1, n), pack("<f", 0) * n))
    one.compute(ctx)
    assert one.get_output(ctx, 0).shape == (1, n)

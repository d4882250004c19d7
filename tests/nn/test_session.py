"""One guest's graphs and contexts: lifetimes, sharing, what is reported and observed."""

from __future__ import annotations

from pathlib import Path

import pytest

from pywasm_nn.limits import Limits
from pywasm_nn.nn import Code, DType, NNError, NNEvent, Target, Tensor
from pywasm_nn.nn.errors import BufferTooSmallError
from pywasm_nn.nn.registry import Registry
from pywasm_nn.nn.session import Session

from .conftest import ADD_MUL, FakeBackend, floats


class Bench:
    """A session on the fake backend, what it reported and what it showed."""

    def __init__(self, directory: Path, limits: Limits | None = None) -> None:
        (directory / "m.onnx").write_bytes(ADD_MUL)
        self.backend = FakeBackend()
        self.registry = Registry(directory, plugins=[self.backend])
        self.reports: list[str] = []
        self.events: list[NNEvent] = []
        self.session = self.another(limits)

    def another(self, limits: Limits | None = None) -> Session:
        return Session(self.registry, self.reports.append, limits=limits, observer=self.events.append)

    def ready(self, *values: float) -> int:
        """A context with both inputs set."""
        session = self.session
        ctx = session.init_execution_context(session.load([ADD_MUL], "onnx", Target.CPU))
        for index in (0, 1):
            session.set_input(ctx, index, pair(*values))
        return ctx


def pair(*values: float) -> Tensor:
    return Tensor(DType.F32, (len(values) // 2, 2), floats(*values))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def refused(code: Code) -> pytest.RaisesExc[NNError]:
    return pytest.RaisesExc(NNError, check=lambda error: error.code is code)


def test_any_number_of_outputs_take_one_run(bench: Bench) -> None:
    ctx = bench.ready(1, 2)
    bench.session.compute(ctx)
    for _ in range(3):
        assert bytes(bench.session.get_output(ctx, 0).view()) == floats(2, 4)
        assert bytes(bench.session.get_output(ctx, 1).view()) == floats(1, 4)
    assert bench.backend.graphs[0].runs == 1


def test_a_failed_compute_leaves_no_outputs(bench: Bench) -> None:
    session = bench.session
    ctx = session.init_execution_context(session.load([b"FAKE broken"], None, Target.AUTO))
    for index in (0, 1):
        session.set_input(ctx, index, pair(1, 2))
    with refused(Code.RUNTIME_ERROR):
        session.compute(ctx)
    with refused(Code.RUNTIME_ERROR):
        session.get_output(ctx, 0)


def test_a_graph_of_the_guest_is_closed_with_its_last_context(bench: Bench) -> None:
    ctx = bench.ready(1, 2)
    other = bench.session.init_execution_context(0)
    graph = bench.backend.graphs[0]
    bench.session.unload(0)
    bench.session.finalize_execution_context(ctx)
    assert graph.closed == 0
    bench.session.finalize_execution_context(other)
    assert graph.closed == 1


def test_closing_a_session_closes_what_is_its_own(bench: Bench) -> None:
    bench.ready(1, 2)
    bench.session.init_execution_context(bench.session.load_by_name("m"))
    own, named = bench.backend.graphs
    bench.session.close()
    bench.session.close()
    assert (own.closed, named.closed) == (1, 0)
    assert all(not context.inputs for graph in (own, named) for context in graph.open_contexts)
    with refused(Code.INVALID_ARGUMENT):
        bench.session.compute(0)


def test_a_named_model_is_loaded_once_for_all(bench: Bench) -> None:
    assert [bench.session.load_by_name("m") for _ in range(2)] == [0, 0]
    other = bench.another()
    assert other.load_by_name("m") == 0
    assert len(bench.backend.graphs) == 1
    bench.session.unload(0)
    assert bench.session.load_by_name("m") == 1
    assert other.init_execution_context(0) == 0
    assert len(bench.backend.graphs) == 1


def test_options_make_a_graph_of_its_own(bench: Bench) -> None:
    session = bench.session
    assert session.load_by_name("m") == 0
    assert session.load_by_name_with_config("m", b'{"threads": 2}') == 1
    assert session.load_by_name_with_config("m", b'{"threads": 2}') == 1
    assert [dict(config.options) for config in bench.backend.configs] == [{}, {"threads": 2}]
    session.close()
    assert [graph.closed for graph in bench.backend.graphs] == [0, 1]


def test_limits(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Limits(model_bytes=len(ADD_MUL), tensor_bytes=16))
    ctx = bench.ready(1, 2, 3, 4)
    with refused(Code.TOO_LARGE):
        bench.session.set_input(ctx, 0, pair(1, 2, 3, 4, 5, 6))
    with refused(Code.TOO_LARGE):
        bench.session.load([ADD_MUL + b"\0"], "onnx", Target.CPU)
    assert len(bench.backend.graphs) == 1


def test_an_input_that_is_set_again_counts_once(tmp_path: Path) -> None:
    """Both inputs fit, so they may be set as often as the guest likes, also to less and to more again."""
    bench = Bench(tmp_path, Limits(tensor_total=64))
    ctx = bench.ready(1, 2, 3, 4)
    for _ in range(5):
        for values in ((1, 2), (1, 2, 3, 4)):
            for index in (0, 1):
                bench.session.set_input(ctx, index, pair(*values))
    with refused(Code.TOO_LARGE):
        bench.session.set_input(ctx, 0, pair(*range(14)))


def test_models_of_a_guest_count_together(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Limits(model_bytes=2 * len(ADD_MUL)))
    graphs = [bench.session.load([ADD_MUL], "onnx", Target.CPU) for _ in range(2)]
    with refused(Code.TOO_LARGE):
        bench.session.load([ADD_MUL], "onnx", Target.CPU)
    bench.session.unload(graphs[0])
    bench.session.load([ADD_MUL], "onnx", Target.CPU)
    with refused(Code.TOO_LARGE):
        bench.session.load([ADD_MUL], "onnx", Target.CPU)


def test_room_for_an_output(bench: Bench) -> None:
    ctx = bench.ready(1, 2)
    bench.session.compute(ctx)
    assert bench.session.get_output(ctx, 0, 8).shape == (1, 2)
    with pytest.raises(BufferTooSmallError) as caught:
        bench.session.get_output(ctx, 0, 7)
    assert (caught.value.code, caught.value.needed) == (Code.TOO_LARGE, 8)
    assert bench.reports == [
        "wasi-nn get_output(ctx 0, index 0) -> too_large: "
        'graph 0 output 0 "sum" f32[1,2] is 8 bytes, the buffer has 7'
    ]


def test_a_named_model_is_called_by_its_name(bench: Bench) -> None:
    session = bench.session
    ctx = session.init_execution_context(session.load_by_name("m"))
    with refused(Code.INVALID_ARGUMENT):
        session.set_input(ctx, 0, Tensor(DType.F32, (1, 3, 2, 2), bytes(48)))
    assert bench.reports == [
        "wasi-nn set_input(ctx 0, index 0, f32[1,3,2,2] 48 bytes) -> invalid_argument: "
        'model "m" input 0 "a" wants f32[N,2]; the guest gave f32[1,3,2,2] of rank 4, wanted is rank 2'
    ]


def test_every_operation_is_observed(bench: Bench) -> None:
    ctx = bench.ready(1, 2)
    bench.session.compute(ctx)
    bench.session.get_output(ctx, 1)
    with refused(Code.INVALID_ARGUMENT):
        bench.session.get_output(ctx, 7)
    bench.session.finalize_execution_context(ctx)
    bench.session.unload(0)
    names = [event.operation for event in bench.events]
    assert names == [
        "load", "init_execution_context", "set_input", "set_input", "compute", "get_output", "get_output",
        "finalize_execution_context", "unload",
    ]  # fmt: skip
    load, init, first, _, compute, output, failed, *_ = bench.events
    assert load.graph is bench.backend.graphs[0]
    assert (load.graph_id, init.context_id) == (0, 0)
    assert (first.index, [spec.name for spec in first.specs], first.tensors[0].shape) == (0, ["a"], (1, 2))
    assert [bytes(tensor.view()) for tensor in compute.tensors] == [floats(2, 4), floats(1, 4)]
    assert [spec.name for spec in compute.specs] == ["sum", "prod"]
    assert [spec.name for spec in output.specs] == ["prod"]
    assert output.error is None
    assert failed.error is not None
    assert failed.error.code is Code.INVALID_ARGUMENT
    assert all(event.seconds >= 0 for event in bench.events)

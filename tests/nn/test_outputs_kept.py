"""Outputs of models in process count as what a guest keeps, and are refused before they are made where that
can be told.
"""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

from pywasm_nn import NN, Limits
from pywasm_nn.nn import Code, DType, NNError, Target, Tensor
from pywasm_nn.nn.registry import Registry
from pywasm_nn.nn.session import Session

from .backends.onnx_writer import Model, node
from .conftest import floats

TALL, WIDE = ("float32", ["n", 1]), ("float32", [1, "m"])
PRODUCT = Model(
    [node("MatMul", ["a", "b"], ["y"])], {"a": TALL, "b": WIDE}, {"y": ("float32", ["n", "m"])}
).data()
"""From two small inputs an output as large as the guest likes, and its shape says so."""
SILENT = Model([node("MatMul", ["a", "b"], ["y"])], {"a": TALL, "b": WIDE}, {"y": ("float32", None)}).data()
"""The same, and nobody knows before a run."""
CONSTANT = Model(
    [node("ConstantOfShape", ["s"], ["c"]), node("Add", ["c", "a"], ["y"])],
    {"a": ("float32", [1])}, {"y": ("float32", [500])}, {"s": np.array([500], np.int64)},
).data()  # fmt: skip
"""An output whose size is fixed."""

LIMIT = 1_000_000
BACKENDS = ["numpy", "onnxruntime", "openvino"]


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    if reason := NN().registry.backend(request.param, "here").unavailable():
        pytest.skip(reason)
    return str(request.param)


def opened(model: bytes, backend: str, limits: Limits) -> tuple[Session, int]:
    """A session in which the model is trusted, and a context of it."""
    registry = Registry(prefer={"onnx": backend}, trust_guest_models=True)
    session = Session(registry, lambda text: None, limits=limits)
    return session, session.init_execution_context(session.load([model], None, Target.CPU))


def give_ones(session: Session, ctx: int, rows: int, columns: int) -> None:
    session.set_input(ctx, 0, Tensor(DType.F32, (rows, 1), np.ones(rows, "f4")))
    session.set_input(ctx, 1, Tensor(DType.F32, (1, columns), np.ones(columns, "f4")))


def refusal(session: Session, ctx: int) -> NNError:
    with pytest.raises(NNError) as caught:
        session.compute(ctx)
    return caught.value


@pytest.mark.parametrize("backend", BACKENDS[:2], indirect=True)
def test_what_the_shapes_tell_is_refused_before_the_run(
    backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenVINO forgets the names of lengths: there it is the next test's case."""
    session, ctx = opened(PRODUCT, backend, Limits(tensor_bytes=LIMIT))
    give_ones(session, ctx, 100, 100)
    session.compute(ctx)
    give_ones(session, ctx, 10_000, 10_000)
    context: Any = session.contexts[ctx].context
    runs = []
    monkeypatch.setattr(type(context), "compute", runs.append)
    error = refusal(session, ctx)
    assert (error.code, runs) == (Code.TOO_LARGE, [])
    assert f'output 0 "y" is 400000000 bytes, the limit is {LIMIT}' in error.reason
    monkeypatch.undo()
    give_ones(session, ctx, 5, 5)
    session.compute(ctx)
    assert session.get_output(ctx, 0).shape == (5, 5)


def test_what_nobody_knew_is_not_kept(backend: str) -> None:
    session, ctx = opened(SILENT, backend, Limits(tensor_bytes=LIMIT))
    give_ones(session, ctx, 1000, 1000)
    assert refusal(session, ctx).code is Code.TOO_LARGE
    with pytest.raises(NNError, match="no output before a compute"):
        session.get_output(ctx, 0)
    give_ones(session, ctx, 5, 5)
    session.compute(ctx)
    assert session.get_output(ctx, 0).shape == (5, 5)


@pytest.mark.parametrize("model", [PRODUCT, SILENT])
def test_outputs_count_as_long_as_they_are_kept(model: bytes, backend: str) -> None:
    session, ctx = opened(model, backend, Limits(tensor_total=LIMIT))
    graph = session.contexts[ctx].owner.number
    contexts = [ctx, *(session.init_execution_context(graph) for _ in range(2))]
    for one in contexts:
        give_ones(session, one, 300, 300)
    for one in contexts[:2]:  # of 360,000 bytes each
        session.compute(one)
        session.compute(one)
    error = refusal(session, contexts[2])
    assert (error.code, "may hold" in error.reason) == (Code.TOO_LARGE, True)
    session.finalize_execution_context(contexts[0])
    session.compute(contexts[2])
    give_ones(session, contexts[2], 1, 1)
    session.compute(contexts[2])
    for one in contexts[1:]:
        session.finalize_execution_context(one)
    assert session.tensors.left == LIMIT


def test_outputs_in_the_guests_memory_are_not_kept(backend: str) -> None:
    session, ctx = opened(CONSTANT, backend, Limits(tensor_total=2_500))
    session.set_input(ctx, 0, Tensor(DType.F32, (1,), floats(1)))
    session.compute(ctx)
    assert session.tensors.left == 2_500 - 4 - 2_000
    room = memoryview(bytearray(2_000))
    session.set_output(ctx, 0, lambda: room)
    session.compute(ctx)
    assert session.tensors.left == 2_500 - 4
    assert bytes(room) == floats(1) * 500
    session.close()


def test_a_shape_that_is_fixed_is_known_before() -> None:
    session, ctx = opened(CONSTANT, "numpy", Limits(tensor_bytes=1_000))
    session.set_input(ctx, 0, Tensor(DType.F32, (1,), floats(1)))
    assert "is 2000 bytes" in refusal(session, ctx).reason


def test_outputs_by_name_count_with_their_handles() -> None:
    session, ctx = opened(PRODUCT, "numpy", Limits(tensor_bytes=LIMIT, tensor_total=LIMIT))
    tall, wide = (Tensor(DType.F32, shape, bytes(400)) for shape in ((100, 1), (1, 100)))
    for _ in range(50):
        (found,) = session.compute_named(ctx, [("a", tall), ("b", wide)])
        assert found[1].shape == (100, 100)
    assert session.tensors.left == LIMIT - 800


def test_nothing_is_made_for_what_is_refused() -> None:
    """The peak of a run that asks for 400 MB."""
    session, ctx = opened(PRODUCT, "numpy", Limits(tensor_bytes=LIMIT))
    give_ones(session, ctx, 10_000, 10_000)
    tracemalloc.start()
    refusal(session, ctx)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < LIMIT

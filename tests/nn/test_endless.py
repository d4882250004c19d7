"""A guest's own model that never ends is stopped while it computes, on each framework.

The same graph has computed before, so that the child is there and warm: the input decides whether it ends.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from pywasm_nn import NN
from pywasm_nn.errors import DeadlineError
from pywasm_nn.nn import DType, NNError, Target, Tensor
from pywasm_nn.nn.registry import Registry
from pywasm_nn.nn.session import Session

from .hostile_models import Tflite, node, number, onnx_of

GRACE = 20.0
"""Seconds beyond the limit, on a machine that does other things too; without the limit it is for ever."""


def loop() -> bytes:
    """Goes on for as long as x is not 0, which never changes."""
    from onnx import TensorProto, helper

    known = helper.make_tensor_value_info
    body = helper.make_graph(
        [node("Identity", ["c"], ["d"]), node("Neg", ["v"], ["w"])],
        "b",
        [
            known("i", TensorProto.INT64, []),
            known("c", TensorProto.BOOL, []),
            known("v", TensorProto.FLOAT, [1]),
        ],
        [known("d", TensorProto.BOOL, []), known("w", TensorProto.FLOAT, [1])],
    )
    nodes = [
        node("ReduceSum", ["x"], ["s"], keepdims=0),
        node("Cast", ["s"], ["t"], to=TensorProto.BOOL),
        node("Loop", ["", "t", "x"], ["y"], body=body),
    ]
    return onnx_of(nodes, inputs=[known("x", TensorProto.FLOAT, [1])])


def while_() -> bytes:
    """Goes on for as long as the input is above 0, which never changes."""
    import numpy as np

    made = Tflite()
    one = ([1], "FLOAT32", None)
    main = made.graph([one, one], [0], [1])
    condition = made.graph([one, ([1], "FLOAT32", np.zeros(1, "f4")), ([1], "BOOL", None)], [0], [2])
    body = made.graph([one, ([1], "FLOAT32", np.ones(1, "f4")), one], [0], [2])
    options = made.schema.WhileOptionsT()
    options.condSubgraphIndex, options.bodySubgraphIndex = 1, 2
    made.add(main, "WHILE", [0], [1], options)
    made.add(condition, "GREATER", [0, 1], [2], made.schema.GreaterOptionsT())
    made.add(body, "MUL", [0, 1], [2], made.schema.MulOptionsT())
    return made.data()


def products() -> bytes:
    """As many products of matrices as the machine has hours; the numpy backend has no loop. An x of 1 makes
    them large."""
    from onnx import TensorProto, helper

    nodes = [
        node("Mul", ["x", "k"], ["l"]),
        node("Add", ["l", "few"], ["m"]),
        node("Cast", ["m"], ["n"], to=TensorProto.INT64),
        node("Concat", ["n", "n"], ["s"], axis=0),
        node("ConstantOfShape", ["s"], ["z0"]),
        *[node("MatMul", [f"z{i}", f"z{i}"], [f"z{i + 1}"]) for i in range(1000)],
        node("Identity", ["z1000"], ["y"]),
    ]
    weights = [number("k", 5000.0, [1]), number("few", 2.0, [1])]
    return onnx_of(nodes, weights, [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])])


@dataclass(frozen=True)
class Endless:
    backend: str
    format: str
    make: Callable[[], bytes]
    trusted: bool = False
    """In the host's process, where the framework itself must stop."""

    def __str__(self) -> str:
        return f"{self.backend}{' in process' if self.trusted else ''}"


ENDLESS = [
    Endless("onnxruntime", "onnx", loop),
    Endless("openvino", "onnx", loop),
    Endless("litert", "tflite", while_),
    Endless("numpy", "onnx", products),
    Endless("numpy", "onnx", products, trusted=True),
]


def left(seconds: float) -> Callable[[], float]:
    """The patience of a guest whose time ends then."""
    end = time.monotonic() + seconds

    def patience() -> float:
        if time.monotonic() >= end:
            raise DeadlineError(seconds)
        return end - time.monotonic()

    return patience


@pytest.mark.parametrize("endless", ENDLESS, ids=str)
def test_it_is_stopped_while_it_computes(endless: Endless) -> None:
    pytest.importorskip("onnx")
    if reason := NN().registry.backend(endless.backend, "here").unavailable():
        pytest.skip(reason)
    registry = Registry(prefer={endless.format: endless.backend}, trust_guest_models=endless.trusted)
    session = Session(registry, lambda text: None)
    graph = session.load([endless.make()], None, Target.CPU)
    ctx = session.init_execution_context(graph)
    session.set_input(ctx, 0, Tensor(DType.F32, (1,), bytes(4)))
    session.compute(ctx)
    assert session.get_output(ctx, 0).view().nbytes
    session.set_input(ctx, 0, Tensor(DType.F32, (1,), b"\0\0\x80\x3f"))
    session.own.patience = left(1.0)
    began = time.monotonic()
    with pytest.raises(DeadlineError):
        session.compute(ctx)
    assert time.monotonic() - began < 1 + GRACE
    session.own.patience = lambda: None
    if not endless.trusted:
        with pytest.raises(NNError, match="has ended: SIGKILL"):
            session.compute(ctx)
    session.close()

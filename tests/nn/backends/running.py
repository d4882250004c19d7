"""Running models in tests: through a backend of ours, and through onnxruntime called directly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from pywasm_nn.nn.backend import Backend, Graph, GraphConfig, Target
from pywasm_nn.nn.backends import builtin
from pywasm_nn.nn.tensor import Tensor

from .onnx_writer import Model, node

Array = np.ndarray[Any, Any]
CPU = GraphConfig(target=Target.CPU)


def backend(name: str) -> Backend:
    """The backend, or a skip with the reason why it can't be used here."""
    found = next(backend for backend in builtin() if backend.name == name)
    if reason := found.unavailable():
        pytest.skip(reason)
    return found


def run(graph: Graph, inputs: Sequence[Array]) -> list[Array]:
    context = graph.context()
    for index, array in enumerate(inputs):
        context.set_input(index, Tensor.from_numpy(array))
    context.compute()
    return [context.output(index).numpy() for index in range(len(graph.outputs))]


def directly(data: bytes, inputs: Mapping[str, Array]) -> list[Array]:
    """onnxruntime's own answer."""
    onnxruntime = pytest.importorskip("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    return list(session.run(None, dict(inputs)))


def dimensions(name: str, array: Array) -> list[int | str]:
    """A name of its own for every length: nothing is known at load."""
    return [f"{name}_{axis}" for axis in range(array.ndim)]


def single(
    op: str, inputs: Sequence[Array | None], *, opset: int, outputs: Sequence[str] = ("float32",),
    fixed: int = 99, **attributes: Any,
) -> Model:  # fmt: skip
    """A model of one node. Inputs from number `fixed` on are weights; the output types are given."""
    names = ["" if array is None else f"x{index}" for index, array in enumerate(inputs)]
    arrays = {name: array for name, array in zip(names, inputs, strict=True) if array is not None}
    weights = {name: array for name, array in arrays.items() if int(name[1:]) >= fixed}
    return Model(
        [node(op, names, [f"y{index}" for index in range(len(outputs))], **attributes)],
        {name: (a.dtype.name, dimensions(name, a)) for name, a in arrays.items() if name not in weights},
        {f"y{index}": (dtype, None) for index, dtype in enumerate(outputs)},
        weights,
        opset,
    )


def compare(
    op: str, *inputs: Array | None, opset: int = 17, outputs: Sequence[str] = ("float32",), fixed: int = 99,
    rtol: float = 2e-6, atol: float = 2e-6, **attributes: Any,
) -> None:  # fmt: skip
    """One node on numpy and on onnxruntime gives the same shapes, types and values."""
    model = single(op, inputs, opset=opset, outputs=outputs, fixed=fixed, **attributes)
    data = model.data()
    given = [array for index, array in enumerate(inputs) if array is not None and index < fixed]
    expected = directly(data, dict(zip(model.inputs, given, strict=True)))
    actual = run(backend("numpy").load("onnx", [data], CPU), given)
    for ours, theirs in zip(actual, expected, strict=True):
        assert ours.dtype == theirs.dtype
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=atol)

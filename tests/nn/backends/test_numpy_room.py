"""What a run of the numpy backend may take: memory, which is asked for before it is made, and time.

Limits are made small here, so that hostile models are: one array of a megabyte is too large.
"""

from __future__ import annotations

import tracemalloc
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from pywasm_nn.nn.backend import GraphConfig, Target
from pywasm_nn.nn.backends.onnx_numpy import NumpyBackend, convolution, pieces, room, windows
from pywasm_nn.nn.errors import Code, NNError

from .onnx_writer import Model, node
from .running import CPU, Array, run, single
from .test_numpy_operators import CASES, Case

MOST = 1 << 20
SMALL_PIECE = 1 << 12
BETWEEN = 64 * SMALL_PIECE
"""Bytes that lie between in a piece, whatever the operator."""
PYTHON = 300_000
"""Bytes of Python's own: steps, views, messages."""


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits that are reached with little."""
    monkeypatch.setattr(room, "LEAST_BYTES", MOST)
    for module, name in ((room, "WHOLE"), (room, "PIECE"), (pieces, "PIECE")):
        monkeypatch.setattr(module, name, SMALL_PIECE)
    monkeypatch.setattr(convolution, "COLUMN_ELEMENTS", SMALL_PIECE)
    monkeypatch.setattr(convolution, "BLOCK_ELEMENTS", SMALL_PIECE)


def zeros(*lengths: int, dtype: str = "float32") -> Array:
    """Looks large, and takes nothing in a model: a shape for ConstantOfShape."""
    return np.broadcast_to(np.zeros((), dtype), lengths)


def ints(*values: int) -> Array:
    return np.array(values, np.int64)


def scalar(value: float, dtype: str = "int64") -> Array:
    return np.array(value, dtype)


ROW = zeros(1, 1, 1, 200_000)
IMAGE = zeros(1, 1, 400, 400)


def model_of(case: Case, reduced: bool) -> Model:
    """The operator on arrays that the model itself makes out of shapes; its outputs stay inside if
    `reduced`."""
    weights: dict[str, Array] = {}
    nodes, names = [], []
    for index, array in enumerate(case.inputs):
        name = "" if array is None else f"x{index}"
        names.append(name)
        if array is None:
            continue
        if array.size <= 10_000:
            weights[name] = array
        else:
            weights[f"n{index}"] = ints(*array.shape)
            nodes.append(node("ConstantOfShape", [f"n{index}"], [name], value=np.zeros(1, array.dtype)))
    made = [f"y{index}" for index in range(len(case.outputs))]
    nodes.append(node(case.op, names, made, **case.attributes))
    if reduced:
        nodes += [node("Shape", [name], [f"s{name}"]) for name in made]
        return Model(nodes, {}, {f"s{name}": ("int64", None) for name in made}, weights, case.opset)
    outputs = {name: (dtype, None) for name, dtype in zip(made, case.outputs, strict=True)}
    return Model(nodes, {}, outputs, weights, case.opset)


@dataclass
class Hostile(Case):
    """An operator that is given what fits, and makes much more of it, in its result or by the way."""


TOO_MUCH = [
    Hostile("ConstantOfShape", (ints(1 << 27),)),
    Hostile("ConstantOfShape", (ints(0, 1 << 40),)),
    Hostile("Expand", (zeros(1), ints(1 << 14, 1 << 13))),
    Hostile("Tile", (zeros(1000), ints(1 << 16))),
    Hostile("Tile", (zeros(1000), ints(1 << 62))),
    Hostile("Range", (scalar(0), scalar(1 << 26), scalar(1)), outputs=("int64",)),
    Hostile("Range", (scalar(0, "float32"), scalar(1, "float32"), scalar(1e-8, "float32"))),
    Hostile("Pad", (zeros(5), ints(0, 1 << 26))),
    Hostile("Pad", (zeros(5), ints(1 << 26, 0)), {"mode": "reflect"}),
    Hostile("Pad", (zeros(5), ints(1 << 26, 0)), {"mode": "edge"}),
    Hostile("Pad", (zeros(2, 2), ints(1 << 26, -1, 0, 0)), {"mode": "edge"}),
    Hostile("Resize", (zeros(1, 1, 2, 2), None, np.array([1, 1, 5000, 5000], "f4"))),
    Hostile("Resize", (zeros(1, 1000), None, None, ints(100_000, 1)), {"mode": "linear"}),
    Hostile("Resize", (zeros(1, 0), None, None, ints(1 << 27, 0)), {"mode": "linear"}),
    Hostile("MatMul", (zeros(10_000, 1), zeros(1, 10_000))),
    Hostile("MatMul", (zeros(500, 1, 1, 10), zeros(500, 10, 200))),
    Hostile("Gemm", (zeros(10_000, 1), zeros(1, 10_000))),
    Hostile("Gather", (zeros(1, 10_000), zeros(10_000, dtype="int64"))),
    Hostile("GatherElements", (zeros(10, 10), zeros(10, 40_000, dtype="int64"))),
    Hostile("Concat", (zeros(200_000),) * 6, {"axis": 0}),
    Hostile("Where", (zeros(10_000, 1, dtype="bool"), zeros(10_000), scalar(0, "float32"))),
    *(Hostile(op, (zeros(10_000, 1), zeros(10_000))) for op in ("Add", "Mul", "Div", "Pow", "PRelu")),
    Hostile("Mod", (zeros(10_000, 1), zeros(10_000)), {"fmod": 1}),
    *(Hostile(op, (zeros(10_000, 1), zeros(10_000))) for op in ("Min", "Max", "Sum", "Mean")),
    Hostile("Equal", (zeros(10_000, 1), zeros(10_000)), outputs=("bool",)),
    Hostile("Cast", (zeros(200_000),), {"to": 11}, outputs=("float64",)),
    Hostile("CastLike", (zeros(200_000), scalar(0, "float64")), outputs=("float64",)),
    Hostile("BatchNormalization", (zeros(1, 1, 10_000), *[zeros(10_000)] * 4)),
    Hostile("InstanceNormalization", (zeros(1, 1, 10_000), zeros(10_000), zeros(10_000))),
    Hostile("LayerNormalization", (zeros(10_000, 1), zeros(1, 10_000))),
    Hostile("Conv", (ROW, zeros(64, 1, 1, 1))),
    Hostile("Conv", (zeros(1, 1, 1), zeros(1, 1, 1)), {"pads": [1 << 26, 0]}),
    Hostile("Conv", (zeros(1, 1, 10), zeros(1, 1, 2)), {"pads": [0, 1 << 26], "dilations": [1 << 26]}),
    Hostile("ConvTranspose", (ROW, zeros(1, 64, 1, 1))),
    Hostile("ConvTranspose", (zeros(1, 1, 2), zeros(1, 1, 1)), {"strides": [1 << 26]}),
    Hostile("ConvTranspose", (zeros(1, 1, 2), zeros(1, 1, 1)), {"output_shape": [1 << 26]}),
    Hostile("MaxPool", (zeros(1, 1, 10),), {"kernel_shape": [1], "pads": [1 << 26, 0]}),
    Hostile("AveragePool", (zeros(1, 1, 10),), {"kernel_shape": [1], "pads": [1 << 26, 0]}, opset=19),
]  # fmt: skip


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("reduced", [False, True], ids=["given", "inside"])
@pytest.mark.parametrize("case", TOO_MUCH, ids=str)
def test_what_is_too_large_is_refused_before_it_is_made(case: Hostile, reduced: bool) -> None:
    graph = NumpyBackend().load("onnx", [model_of(case, reduced).data()], limited(MOST))
    error, peak = refusal_and_peak(graph)
    assert error is not None, peak
    assert error.code is Code.TOO_LARGE, error
    assert case.op in error.reason or "ConstantOfShape" in error.reason, error
    assert peak < 2 * MOST + BETWEEN + PYTHON, error


def limited(most: int) -> GraphConfig:
    return GraphConfig(Target.CPU, tensor_bytes=most)


def refusal_and_peak(graph: Any) -> tuple[NNError | None, int]:
    """How a run without inputs fails, and the bytes that it took at the most."""
    tracemalloc.start()
    try:
        run(graph, [])
        refusal = None
    except NNError as error:
        refusal = error
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return refusal, peak


LARGE = zeros(1, 1, 500, 400)
JUST_RIGHT = [
    *(Hostile(op, (LARGE,)) for op in ("Erf", "Exp", "Sigmoid", "Elu", "Selu", "HardSwish", "Softplus")),
    Hostile("Gelu", (LARGE,), opset=20),
    Hostile("Pow", (LARGE, scalar(2.5, "float32"))),
    Hostile("Clip", (LARGE, scalar(0, "float32"), scalar(1, "float32"))),
    *(Hostile(op, (LARGE,), {"axis": 3}) for op in ("Softmax", "LogSoftmax")),
    *(Hostile(op, (zeros(1, 200_000),), {"axis": 1}) for op in ("Softmax", "LogSoftmax")),
    *(Hostile(op, (zeros(400_000, dtype="float16"),), outputs=("float16",)) for op in ("Exp", "Relu")),
    *(Hostile(op, (LARGE,), {"axes": [2]}) for op in
      ("ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSumExp", "ReduceMean", "ReduceProd")),
    *(Hostile(op, (LARGE,)) for op in ("ReduceL2", "ReduceLogSumExp")),
    *(Hostile(op, (LARGE,), {"axis": 2}, outputs=("int64",)) for op in ("ArgMax", "ArgMin")),
    Hostile("BatchNormalization", (LARGE, *[np.ones(1, "f4")] * 4)),
    Hostile("LayerNormalization", (LARGE, np.ones(400, "f4"))),
    Hostile("Conv", (zeros(1, 1, 200, 200), zeros(2, 1, 40, 40))),
    Hostile("Conv", (zeros(1, 2, 300, 300), zeros(2, 1, 3, 3)), {"group": 2}),
    Hostile("ConvTranspose", (zeros(1, 1, 200, 200), zeros(1, 1, 3, 3))),
    Hostile("AveragePool", (zeros(1, 1, 100_000),), {"kernel_shape": [50_000]}, opset=19),
    Hostile("AveragePool", (IMAGE,), {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}, opset=19),
    Hostile("MaxPool", (IMAGE,), {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}),
    Hostile("MatMul", (zeros(500, 500), zeros(500, 500))),
    Hostile("CumSum", (zeros(200_000), scalar(0)), {"exclusive": 1, "reverse": 1}),
    Hostile("Pad", (zeros(2, 100), ints(30, 1000, 30, 1000)), {"mode": "reflect"}),
    Hostile("Resize", (zeros(1, 1, 100, 100), None, np.array([1, 1, 4, 4], "f4")), {"mode": "linear"}),
    Hostile("Transpose", (LARGE,)),
    Hostile("Trilu", (zeros(400, 400),)),
    Hostile("DepthToSpace", (zeros(1, 16, 100, 100),), {"blocksize": 4}),
]  # fmt: skip


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("case", JUST_RIGHT, ids=str)
def test_what_lies_between_is_within_the_limit(case: Hostile) -> None:
    """What comes of it may be too large together: never more is taken than the limit on all."""
    graph = NumpyBackend().load("onnx", [model_of(case, False).data()], limited(MOST))
    error, peak = refusal_and_peak(graph)
    assert error is None or error.code is Code.TOO_LARGE, error
    assert peak < room.ALIVE * MOST + BETWEEN + PYTHON


@pytest.mark.usefixtures("small")
def test_all_that_is_alive_counts_once() -> None:
    """Views are no memory; ten arrays of half the limit are too much."""
    shapes = {"n": ints(100_000), "m": ints(100, 1000)}
    big = [node("ConstantOfShape", ["n"], ["x"]), node("Neg", ["x"], ["z0"])]
    views = [node("Reshape", [f"z{i}", "m"], [f"z{i + 1}"]) for i in range(10)]
    kept = {f"z{i}": ("float32", None) for i in range(10)}
    graph = NumpyBackend().load("onnx", [Model([*big, *views], {}, kept, shapes).data()], limited(MOST))
    assert len(run(graph, [])) == 10
    copies = [node("Neg", [f"z{i}"], [f"z{i + 1}"]) for i in range(10)]
    graph = NumpyBackend().load("onnx", [Model([*big, *copies], {}, kept, shapes).data()], limited(MOST))
    error, _ = refusal_and_peak(graph)
    assert error is not None
    assert "at once" in error.reason
    chain = {"z10": ("float32", None)}
    graph = NumpyBackend().load("onnx", [Model([*big, *copies], {}, chain, shapes).data()], limited(MOST))
    assert run(graph, [])[0].shape == (100_000,)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_pieces_give_the_same(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    model = single(
        case.op, case.inputs, opset=case.opset, outputs=case.outputs, fixed=case.weights, **case.attributes
    ).data()
    given = [x for index, x in enumerate(case.inputs) if x is not None and index < case.weights]
    graph = NumpyBackend().load("onnx", [model], CPU)
    expected = run(graph, given)
    for module, name in ((room, "WHOLE"), (room, "PIECE"), (pieces, "PIECE")):
        monkeypatch.setattr(module, name, 5)
    for name in ("PRODUCTS", "SLOW_PRODUCTS"):
        monkeypatch.setattr(room, name, 10)
    monkeypatch.setattr(convolution, "PRODUCTS", 10)
    for ours, whole in zip(run(graph, given), expected, strict=True):
        assert (ours.dtype, ours.shape) == (whole.dtype, whole.shape)
        np.testing.assert_allclose(ours, whole, rtol=case.rtol, atol=2e-6)


@pytest.mark.parametrize("shape", [(), (0,), (7,), (3, 4), (2, 0, 5), (2, 3, 4, 5), (1, 1, 9), (1 << 40, 0)])
@pytest.mark.parametrize("most", [1, 4, 7, 1000])
def test_pieces_cover_an_array_once(shape: tuple[int, ...], most: int) -> None:
    found = list(zip(range(1000), room.pieces(shape, most), strict=False))
    if 0 in shape:
        return
    seen = np.zeros(shape, int)
    for _, index in found:
        assert seen[index].size <= most
        seen[index] += 1
    assert (seen == 1).all()


LONG = [
    Case("Erf", (zeros(2_000_000),)),
    Case("Add", (zeros(1000, 1), zeros(1, 1000))),
    Case("Pow", (zeros(2_000_000), scalar(2.5, "float32"))),
    Case("Softmax", (zeros(4, 500_000),)),
    Case("Softmax", (zeros(500_000, 4),)),
    Case("MatMul", (zeros(1500, 300), zeros(300, 300))),
    Case("MatMul", (zeros(5000, 20, 20), zeros(20, 20))),
    Case("Conv", (zeros(1, 1, 300, 300), zeros(1, 1, 90, 90))),
    Case("Conv", (zeros(1, 300, 20, 20), zeros(300, 1, 3, 3)), {"group": 300}),
    Case("ConvTranspose", (zeros(1, 2, 60, 60), zeros(2, 2, 9, 9))),
    Case("MaxPool", (zeros(1, 1, 300, 300),), {"kernel_shape": [90, 90]}),
    Case("AveragePool", (zeros(1, 1, 300, 300),), {"kernel_shape": [90, 90]}, opset=19),
    Case("ArgMax", (zeros(300_000, 4),), {"axis": 1}, outputs=("int64",)),
    Case("ReduceLogSumExp", (zeros(300_000, 4),), {"axes": [1]}),
    Case("CumSum", (zeros(500_000, 4), scalar(1))),
    Case("GatherElements", (zeros(1000, 2), zeros(1000, 1000, dtype="int64")), {"axis": 1}),
    Case("Where", (zeros(1000, 1, dtype="bool"), zeros(1, 1000), scalar(0, "float32"))),
    Case("Cast", (zeros(2_000_000),), {"to": 11}, outputs=("float64",)),
    Case("LayerNormalization", (zeros(4000, 300), np.ones(300, "f4"))),
]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("case", LONG, ids=str)
def test_long_operators_look_at_the_clock(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle: long before their end, and whoever says stop is heard there."""
    for name in ("PRODUCTS", "SLOW_PRODUCTS"):
        monkeypatch.setattr(room, name, SMALL_PIECE)
    graph = NumpyBackend().load("onnx", [model_of(case, True).data()], CPU)
    looks = 0

    def patience() -> None:
        nonlocal looks
        looks += 1

    context = graph.context()
    context.patience = patience
    context.compute()
    assert looks > 20, "only between operators"
    stopped_at = looks // 2
    looks = 0

    def interrupting() -> None:
        nonlocal looks
        looks += 1
        if looks == stopped_at:
            context.interrupt()

    context.patience = interrupting
    with pytest.raises(NNError, match=f"stopped at {case.op}"):
        context.compute()
    assert looks == stopped_at


class OverError(Exception):
    pass


def test_a_deadline_needs_no_other_thread() -> None:
    """As in Pyodide: the run itself asks for the time, and what that raises comes out."""
    graph = NumpyBackend().load("onnx", [model_of(LONG[0], False).data()], CPU)
    context = graph.context()

    def patience() -> None:
        raise OverError

    context.patience = patience
    with pytest.raises(OverError):
        context.compute()


@pytest.mark.parametrize(("kernel", "is_allowed"), [((3, 3), True), ((2, 5), False)])
@pytest.mark.parametrize("pool", ["MaxPool", "AveragePool"])
def test_a_window_has_a_limit(
    pool: str, kernel: tuple[int, int], is_allowed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(windows, "MAX_KERNEL", 9)
    image = np.ones((1, 1, 6, 6), np.float32)
    model = single(pool, [image], opset=17, kernel_shape=list(kernel)).data()
    graph = NumpyBackend().load("onnx", [model], CPU)
    if is_allowed:
        assert run(graph, [image])[0].shape == (1, 1, 4, 4)
    else:
        with pytest.raises(NNError) as caught:
            run(graph, [image])
        assert caught.value.code is Code.TOO_LARGE

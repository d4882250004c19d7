"""Every operator of the numpy backend against onnxruntime: one case per form, attribute and opset that
matters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import erf, inf, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.nn.backends.onnx_numpy import NumpyBackend
from pywasm_nn.nn.backends.onnx_numpy.elementwise import _erf
from pywasm_nn.nn.backends.onnx_numpy.execute import OPERATOR_MODULES
from pywasm_nn.nn.backends.onnx_numpy.operators import KNOWN, TABLE

from ...conftest import examples
from .running import CPU, Array, compare, run, single

RNG = np.random.default_rng(7)
WINDOWED = {"Conv", "ConvTranspose", "MaxPool", "AveragePool"}


def f(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def positive(*shape: int) -> Array:
    return np.abs(f(*shape)) + np.float32(0.1)


def ints(*values: int) -> Array:
    return np.array(values, np.int64)


def booleans(*shape: int) -> Array:
    return RNG.integers(0, 2, shape).astype(np.bool_)


@dataclass
class Case:
    """One comparison. `weights`: the inputs from this number on are weights of the model."""

    op: str
    inputs: tuple[Array | None, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    opset: int = 17
    outputs: tuple[str, ...] = ("float32",)
    weights: int = 99
    rtol: float = 2e-6

    def __str__(self) -> str:
        shown = [
            f"{key}={value}" for key, value in self.attributes.items() if not isinstance(value, np.ndarray)
        ]
        shapes = ["-" if x is None else f"{x.dtype.name}{list(x.shape)}" for x in self.inputs]
        return " ".join([self.op, str(self.opset), *shapes, *shown])


X = f(2, 3, 4)
SPECIAL = np.array([0.0, -0.0, 1e-30, 1.5, 2.5, -0.5, 88.0, -88.0, inf, -inf, nan, 3.0], np.float32)
INTS = RNG.integers(-9, 9, (3, 4)).astype(np.int32)
LONGS = RNG.integers(1, 9, (3, 4)) * RNG.choice([-1, 1], (3, 4))
BOOL = ("bool",)
LONG = ("int64",)
INT = ("int32",)

COMPARISONS = ("Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual")
WITH_SPECIAL = ("Abs", "Neg", "Exp", "Floor", "Ceil", "Round", "Sigmoid", "Relu", "Erf", "Tanh")
ELEMENTWISE = [
    *(Case(op, (X, f(3, 1))) for op in ("Add", "Sub", "Mul", "Div", "PRelu")),
    *(Case(op, (LONGS, LONGS[::-1].copy()), outputs=LONG) for op in ("Add", "Sub", "Mul", "Div")),
    *(Case(op, (INTS, INTS[:1]), outputs=BOOL) for op in COMPARISONS),
    *(Case(op, (X, X.round()), outputs=BOOL) for op in ("Equal", "Greater", "Less")),
    *(Case(op, (booleans(3, 4), booleans(4)), outputs=BOOL) for op in ("And", "Or", "Xor")),
    Case("Not", (booleans(5),), outputs=BOOL),
    *(Case(op, (X,)) for op in ("Abs", "Neg", "Exp", "Floor", "Ceil", "Round", "Sign", "Sin", "Cos", "Tanh")),
    *(Case(op, (X * 3,)) for op in ("Sigmoid", "Softplus", "Softsign", "HardSwish", "Relu", "Erf", "Selu")),
    *(Case(op, (SPECIAL,)) for op in WITH_SPECIAL),
    *(Case(op, (positive(2, 3),)) for op in ("Sqrt", "Log", "Reciprocal")),
    Case("Abs", (INTS,), outputs=INT),
    Case("IsNaN", (SPECIAL,), outputs=BOOL),
    *(Case(op, (X, f(4), f(3, 1))) for op in ("Min", "Max", "Sum", "Mean")),
    Case("Max", (X,)),
    Case("Pow", (positive(2, 3), f(3))),
    Case("Pow", (X, np.array(2, np.float32))),
    Case("Pow", (X, np.array([3.0], np.float32))),
    Case("Pow", (X, np.array([2], np.int64))),
    Case("Pow", (INTS, np.array(2, np.int32)), outputs=INT),
    Case("Mod", (LONGS, LONGS[::-1].copy()), outputs=LONG),
    Case("Mod", (LONGS, LONGS[::-1].copy()), {"fmod": 1}, outputs=LONG),
    Case("Mod", (X, f(4)), {"fmod": 1}),
    Case("Where", (booleans(3, 1), X, f(4))),
    Case("Clip", (X, np.array(-0.5, np.float32), np.array(0.5, np.float32))),
    Case("Clip", (X, None, np.array(0.5, np.float32))),
    Case("Clip", (X, np.array(-0.5, np.float32))),
    Case("Clip", (X,), {"min": -0.5, "max": 0.25}, opset=6),
    Case("LeakyRelu", (X,), {"alpha": 0.25}),
    Case("LeakyRelu", (X,)),
    Case("Elu", (X,), {"alpha": 0.75}),
    Case("HardSigmoid", (X * 4,), {"alpha": 0.3, "beta": 0.4}),
    Case("HardSigmoid", (X * 4,)),
    Case("Gelu", (X * 2,), opset=20),
    Case("Gelu", (X * 2,), {"approximate": "tanh"}, opset=20),
    Case("Identity", (X,)),
    Case("Identity", (booleans(3),), outputs=BOOL),
    Case("Cast", (X * 5,), {"to": 7}, outputs=LONG),
    Case("Cast", (INTS,), {"to": 1}),
    Case("Cast", (INTS,), {"to": 9}, outputs=BOOL),
    Case("Cast", (X,), {"to": 10}, outputs=("float16",)),
    Case("CastLike", (X * 5, INTS), outputs=INT),
    Case("Add", (X.astype(np.float16), f(4).astype(np.float16)), outputs=("float16",), rtol=1e-3),
    Case("Softmax", (X.astype(np.float16),), outputs=("float16",), rtol=2e-3),
    Case("Mul", (X.astype(np.float64), f(4).astype(np.float64)), outputs=("float64",), rtol=1e-15),
]

FOLDS = ("Sum", "Mean", "Max", "Min", "Prod", "L1", "L2", "SumSquare", "LogSum", "LogSumExp")
REDUCTIONS = [
    *(Case(f"Reduce{fold}", (positive(2, 3, 4),), {"axes": [0, -1], "keepdims": 0}, opset=11)
      for fold in FOLDS),
    *(Case(f"Reduce{fold}", (positive(2, 3, 4), ints(1)), opset=18) for fold in FOLDS),
    *(Case(f"Reduce{fold}", (positive(2, 3, 4),), {"keepdims": 0}, opset=18) for fold in FOLDS),
    Case("ReduceSum", (X, ints()), {"noop_with_empty_axes": 1}, opset=18),
    Case("ReduceMean", (INTS, ints(1)), opset=18, outputs=INT),
    Case("ReduceSum", (INTS, ints(1)), outputs=INT),
    Case("ReduceMax", (INTS, ints(-1)), {"keepdims": 0}, opset=18, outputs=INT),
    *(Case(op, (X.round(),), {"axis": 1}, outputs=LONG) for op in ("ArgMax", "ArgMin")),
    *(Case(op, (X.round(),), {"axis": -1, "keepdims": 0, "select_last_index": 1}, outputs=LONG)
      for op in ("ArgMax", "ArgMin")),
    *(Case(op, (X * 5,), {"axis": axis}, opset=opset)
      for op in ("Softmax", "LogSoftmax") for axis in (0, 1, 2) for opset in (11, 13)),
    *(Case(op, (X,), opset=opset) for op in ("Softmax", "LogSoftmax") for opset in (11, 13)),
    Case("Softmax", (X + 1000,)),
    Case("BatchNormalization", (f(2, 3, 4, 5), f(3), f(3), f(3), positive(3)), {"epsilon": 0.01}, opset=15),
    Case("BatchNormalization", (f(2, 3), f(3), f(3), f(3), positive(3)), opset=9),
    Case("InstanceNormalization", (f(2, 3, 4, 5), f(3), f(3)), rtol=1e-5),
    Case("LayerNormalization", (f(2, 3, 8), f(8), f(8)), rtol=1e-5),
    Case("LayerNormalization", (f(2, 3, 8), f(3, 8)), {"axis": 1, "epsilon": 0.1}, rtol=1e-5),
    Case("LayerNormalization", (f(2, 8), f(8), f(8)), outputs=("float32",) * 3, rtol=1e-5),
]  # fmt: skip

SHAPES = [
    Case("Shape", (X,), outputs=LONG),
    Case("Shape", (X,), {"start": 1, "end": -1}, outputs=LONG),
    Case("Size", (X,), outputs=LONG),
    Case("Reshape", (X, ints(0, -1)), weights=1),
    Case("Reshape", (X, ints(4, 6))),
    Case("Reshape", (f(0, 3), ints(3, 0)), {"allowzero": 1}),
    *(Case("Flatten", (X,), {"axis": axis}) for axis in (0, 1, 3, -1)),
    Case("Transpose", (X,)),
    Case("Transpose", (X,), {"perm": [2, 0, 1]}),
    Case("Squeeze", (f(1, 3, 1, 2),), {"axes": [0, -2]}, opset=11),
    Case("Squeeze", (f(1, 3, 1, 2), ints(2)), weights=1),
    Case("Squeeze", (f(1, 3, 1, 2),)),
    Case("Unsqueeze", (X,), {"axes": [0, 4]}, opset=11),
    Case("Unsqueeze", (X, ints(-1, 1)), weights=1),
    Case("Expand", (f(3, 1), ints(2, 1, 4))),
    Case("ConstantOfShape", (ints(2, 3),)),
    Case("ConstantOfShape", (ints(2, 3),), {"value": np.array([7], np.int64)}, outputs=LONG),
    *(
        Case("Constant", (), {"value": value}, outputs=(value.dtype.name,))
        for value in (X, INTS, LONGS, booleans(3))
    ),
    Case("Constant", (), {"value_float": 1.5}),
    Case("Constant", (), {"value_int": -3}, outputs=LONG),
    Case("Constant", (), {"value_ints": [1, -2]}, outputs=LONG),
    Case("Constant", (), {"value_floats": [1.5, -2.0]}),
    Case("Range", (np.array(1, np.int64), np.array(10, np.int64), np.array(3, np.int64)), outputs=LONG),
    Case("Range", (np.array(2.5, np.float32), np.array(0, np.float32), np.array(-0.5, np.float32))),
    Case("Dropout", (X,)),
    Case("Dropout", (X,), {"ratio": 0.25}, opset=10),
    Case("Dropout", (X,), outputs=("float32", "bool")),
    Case("Concat", (X, f(2, 1, 4), f(2, 2, 4)), {"axis": 1}),
    Case("Concat", (X, X), {"axis": -1}),
    Case("Split", (X,), {"axis": 2, "split": [1, 3]}, opset=11, outputs=("float32",) * 2),
    Case("Split", (X,), {"axis": 2}, opset=11, outputs=("float32",) * 2),
    Case("Split", (X, ints(1, 2)), {"axis": 1}, outputs=("float32",) * 2, weights=1),
    Case("Split", (f(7, 2),), {"num_outputs": 3}, opset=18, outputs=("float32",) * 3),
    Case("Slice", (X,), {"starts": [1, -3], "ends": [2, 1000], "axes": [0, 2]}, opset=9),
    Case("Slice", (X, ints(0, 3), ints(2, -1000), ints(1, -1), ints(2, -1))),
    Case("Slice", (X, ints(3), ints(0), ints(2), ints(-2))),
    Case("Slice", (X, ints(1, 0), ints(2, 2))),
    Case("Gather", (X, ints(0, -1, 1)), {"axis": 1}),
    Case("Gather", (X, np.array(1, np.int64))),
    Case("Gather", (X, np.array([[0, 1], [1, 0]], np.int32)), {"axis": 2}),
    Case("GatherElements", (X, RNG.integers(-3, 3, (2, 3, 4))), {"axis": 1}),
    Case("Tile", (X, ints(1, 2, 3))),
    Case("Pad", (X,), {"pads": [0, 1, 0, 0, 0, 2], "value": 1.5}, opset=10),
    Case("Pad", (X,), {"pads": [0, 1, 1, 0, 1, 2], "mode": "reflect"}, opset=10),
    Case("Pad", (X, ints(0, 1, 0, 0, 0, 2), np.array(9, np.float32)), weights=1),
    Case("Pad", (X, ints(0, -1, 0, 0, 0, 2))),
    Case("Pad", (X, ints(0, 1, 2, 0, 1, 2)), {"mode": "edge"}),
    Case("Pad", (X, ints(0, 1, 2, 0, 1, 2)), {"mode": "reflect"}),
    Case("Pad", (X, ints(1, 2), None, ints(2)), opset=18),
    Case("Pad", (X, ints(0, 1, 2, 0, 1, 2)), {"mode": "wrap"}, opset=19),
    Case("Trilu", (X, np.array(1, np.int64)), {"upper": 0}),
    Case("Trilu", (X,)),
    *(
        Case("CumSum", (X, np.array(1, np.int64)), {"exclusive": e, "reverse": r})
        for e in (0, 1)
        for r in (0, 1)
    ),
    *(Case("DepthToSpace", (f(2, 8, 2, 3),), {"blocksize": 2, "mode": mode}) for mode in ("DCR", "CRD")),
    Case("SpaceToDepth", (f(2, 2, 4, 6),), {"blocksize": 2}),
]

MATRICES = [
    Case("MatMul", (f(5, 7), f(7, 3))),
    Case("MatMul", (f(2, 1, 5, 7), f(3, 7, 3))),
    Case("MatMul", (f(7), f(7, 3))),
    Case("MatMul", (f(2, 5, 7), f(7))),
    Case("MatMul", (INTS, INTS.T.copy()), outputs=INT),
    Case("Gemm", (f(5, 7), f(7, 3))),
    Case("Gemm", (f(5, 7), f(7, 3), f(3)), {"alpha": 0.5, "beta": 2.0}),
    Case("Gemm", (f(7, 5), f(3, 7), f(5, 1)), {"transA": 1, "transB": 1}),
    Case("GlobalAveragePool", (f(2, 3, 4, 5),)),
    Case("GlobalAveragePool", (f(2, 3, 4),)),
    Case("GlobalMaxPool", (f(2, 3, 4, 5),)),
]

SCALES = np.array([1, 1, 1.7, 0.6], np.float32)
IMAGE = f(1, 2, 5, 7)
COORDINATES = ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")
RESIZES = [
    *(Case("Resize", (IMAGE, None, None, ints(1, 2, 8, 3)),
           {"mode": mode, "coordinate_transformation_mode": how}, weights=1)
      for mode in ("nearest", "linear") for how in COORDINATES),
    *(Case("Resize", (IMAGE, None, SCALES), {"mode": mode}, weights=1) for mode in ("nearest", "linear")),
    *(Case("Resize", (IMAGE, None, SCALES), {"nearest_mode": how}, weights=1)
      for how in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")),
    Case("Resize", (IMAGE, None, None, ints(10, 3)), {"axes": [2, 3], "mode": "linear"}, opset=18, weights=1),
    *(Case("Resize", (IMAGE, np.array([1, 1, 2, 2], np.float32)), {"mode": mode}, opset=10, weights=1)
      for mode in ("nearest", "linear")),
    *(Case("Upsample", (IMAGE, np.array([1, 1, 2, 3], np.float32)), {"mode": mode}, opset=9, weights=1)
      for mode in ("nearest", "linear")),
]  # fmt: skip

CASES = [*ELEMENTWISE, *REDUCTIONS, *SHAPES, *MATRICES, *RESIZES]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_equals_onnxruntime(case: Case) -> None:
    compare(
        case.op, *case.inputs, opset=case.opset, outputs=case.outputs, fixed=case.weights, rtol=case.rtol,
        **case.attributes,
    )  # fmt: skip


def test_every_operator_has_a_case() -> None:
    assert OPERATOR_MODULES
    assert {case.op for case in CASES} | WINDOWED == set(TABLE)


def test_erf_is_right_in_float64() -> None:
    x = np.concatenate([np.linspace(-7, 7, 2001), [0.46875, 4.0, inf, -inf]])
    expected = np.array([erf(value) for value in x])
    np.testing.assert_allclose(_erf(x), expected, rtol=2 * np.finfo(np.float64).eps, atol=0)


Draw = Callable[[st.SearchStrategy[Any]], Any]


@st.composite
def windows(draw: Draw, *, pool: bool = False) -> dict[str, Any]:
    """Spatial lengths, and attributes that fit them."""
    rank = draw(st.integers(1, 3))
    per_axis = st.lists(st.integers(1, 3), min_size=rank, max_size=rank)
    kernel, strides = draw(per_axis), draw(per_axis)
    dilations = draw(per_axis)
    lengths = draw(st.lists(st.integers(5 if pool else 3, 9), min_size=rank, max_size=rank))
    attributes: dict[str, Any] = {"kernel_shape": kernel, "strides": strides, "dilations": dilations}
    auto_pad = draw(st.sampled_from(["NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"]))
    if auto_pad == "NOTSET":
        # a pool refuses pads as long as its window
        most = [k - 1 if pool else 3 for k in kernel] * 2
        attributes["pads"] = [draw(st.integers(0, limit)) for limit in most]
    else:
        attributes["auto_pad"] = auto_pad
        if auto_pad != "VALID":  # onnxruntime pads SAME as if nothing were dilated
            dilations = attributes["dilations"] = [1] * rank
            if pool:  # and its pools take a window shorter than the stride for a negative pad
                strides[:] = map(min, strides, kernel)
    extents = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    attributes["lengths"] = [max(n, e) for n, e in zip(lengths, extents, strict=True)]
    return attributes


def values(*shape: int) -> Array:
    """Small numbers without a pattern that a wrong index could hide in."""
    return np.random.default_rng(shape).standard_normal(shape).astype(np.float32)


@examples(60)
@given(windows(), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.integers(1, 2), st.booleans())
def test_conv(attributes: dict[str, Any], group: int, inner: int, outer: int, batch: int, bias: bool) -> None:
    lengths = attributes.pop("lengths")
    x = values(batch, group * inner, *lengths)
    w = values(group * outer, inner, *attributes["kernel_shape"])
    compare(
        "Conv", x, w, values(group * outer) if bias else None, group=group, rtol=1e-5, atol=1e-5, **attributes
    )


@examples(40)
@given(windows(), st.integers(1, 2), st.integers(1, 3), st.integers(1, 3), st.booleans())
def test_conv_transpose(attributes: dict[str, Any], group: int, inner: int, outer: int, bias: bool) -> None:
    lengths = attributes.pop("lengths")
    rank = len(lengths)
    kernel, strides = attributes["kernel_shape"], attributes["strides"]
    dilations = attributes.get("dilations", [1] * rank)
    if "pads" in attributes:
        attributes["pads"] = [
            min(pad, (k - 1) // 2) for pad, k in zip(attributes["pads"], kernel * 2, strict=True)
        ]
        attributes["output_padding"] = [min(s, d) - 1 for s, d in zip(strides, dilations, strict=True)]
    elif attributes["auto_pad"] != "VALID" and any(k < s for k, s in zip(kernel, strides, strict=True)):
        attributes["strides"] = [1] * rank  # a window shorter than its stride leaves nothing to cut off
    x = values(2, group * inner, *lengths)
    w = values(group * inner, outer, *kernel)
    compare(
        "ConvTranspose", x, w, values(group * outer) if bias else None, group=group, rtol=1e-5, atol=1e-5,
        **attributes,
    )  # fmt: skip


@examples(40)
@given(windows(pool=True), st.integers(0, 1))
def test_max_pool(attributes: dict[str, Any], ceil_mode: int) -> None:
    x = values(2, 3, *attributes.pop("lengths"))
    compare("MaxPool", x, ceil_mode=ceil_mode, **attributes)


@examples(40)
@given(windows(pool=True), st.integers(0, 1), st.integers(0, 1))
def test_average_pool(attributes: dict[str, Any], ceil_mode: int, count_include_pad: int) -> None:
    x = values(2, 3, *attributes.pop("lengths"))
    compare(
        "AveragePool", x, opset=19, ceil_mode=ceil_mode, count_include_pad=count_include_pad, **attributes
    )


def test_conv_in_several_slabs() -> None:
    """An input so large that the columns don't fit into one slab."""
    compare(
        "Conv", values(1, 32, 160, 160), values(8, 32, 3, 3), None, pads=[1, 1, 1, 1], rtol=1e-4, atol=1e-4
    )


NEW = [
    *(Case(op, (X,)) for op in ("Relu", "Abs", "Sigmoid", "Identity", "Softplus", "HardSwish", "Elu")),
    *(Case(op, (X, f(3, 1))) for op in ("Add", "Mul", "Pow")),
    *(Case("Mod", (a, b), {"fmod": fmod}) for a, b in [(X * 9, f(2, 3, 4) + 3)] for fmod in (0, 1)),
    Case("Mod", (LONGS, LONGS[::-1].copy()), outputs=LONG),
    Case("MatMul", (f(2, 3), f(3, 4)), rtol=1e-5),
    Case("Gemm", (f(2, 3), f(3, 4), f(4)), rtol=1e-5),
    Case("Conv", (f(1, 2, 5, 5), f(3, 2, 3, 3)), {"pads": [1, 1, 1, 1]}, rtol=1e-4),
    *(Case("AveragePool", (f(1, 2, 7, 7),), {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": ceil},
           rtol=1e-5) for ceil in (0, 1)),
    Case("MaxPool", (f(1, 2, 7, 7),), {"kernel_shape": [2, 2], "strides": [2, 2]}),
    Case("GlobalAveragePool", (f(1, 2, 5, 5),), rtol=1e-5),
    Case("Softmax", (X,), {"axis": 1}, rtol=1e-5),
    *(Case(f"Reduce{fold}", (positive(2, 3, 4), ints(1)), rtol=1e-5) for fold in FOLDS),
    Case("Flatten", (X,)),
    Case("Reshape", (X, ints(4, -1)), weights=1),
    Case("Transpose", (X,), {"perm": [2, 0, 1]}),
    Case("Squeeze", (f(1, 3, 1), ints(0)), weights=1),
    Case("Unsqueeze", (X, ints(0, -1)), weights=1),
    Case("Pad", (X, ints(0, 1, 0, 0, 1, 2)), weights=1),
    Case("Cast", (X * 9,), {"to": 7}, outputs=LONG),
    Case("Shape", (X,), outputs=LONG),
    Case("Range", (np.float32(1), np.float32(9), np.float32(2.5))),
    *(Case("SpaceToDepth", (f(1, 2, 4, 6),), {"blocksize": 2} | mode) for mode in ({}, {"mode": "CRD"})),
    *(Case("DepthToSpace", (f(1, 8, 2, 3),), {"blocksize": 2, "mode": mode}) for mode in ("DCR", "CRD")),
    Case("Resize", (IMAGE, None, None, ints(1, 2, 8, 3)), {"mode": "linear"}, weights=1, rtol=1e-5),
]  # fmt: skip
"""Operators that an opset after 21 has revised, and those that models have most."""


LATE = {"fmod": 0}, {"blocksize": 2, "mode": "CRD"}
"""Attributes that there were not before opset 28."""


@pytest.mark.parametrize(
    ("case", "opset"),
    [
        (case, opset)
        for case in NEW
        for opset in (22, 25, KNOWN)
        if opset == KNOWN or case.attributes not in LATE
    ],
    ids=str,
)
def test_newer_opsets_equal_the_reference(case: Case, opset: int) -> None:
    """onnx's own evaluator, which knows opsets before onnxruntime does."""
    from onnx.defs import onnx_opset_version
    from onnx.reference import ReferenceEvaluator

    if onnx_opset_version() < opset:
        pytest.skip(f"this onnx knows no opset {opset}")
    inputs = list(case.inputs)
    made = single(case.op, inputs, opset=opset, outputs=case.outputs, fixed=case.weights, **case.attributes)
    model = made.data()
    given = [array for array in inputs[: case.weights] if array is not None]
    evaluator = ReferenceEvaluator(model)
    names = [name for name in evaluator.input_names if name]
    expected = evaluator.run(None, dict(zip(names, given, strict=False)))
    found = run(NumpyBackend().load("onnx", [model], CPU), given)
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=case.rtol, atol=1e-6)


def test_what_mathematics_defines_has_no_last_opset() -> None:
    x = np.array([[-1, 2, -3]], np.float32)
    model = single("Relu", [x], opset=40).data()
    np.testing.assert_array_equal(run(NumpyBackend().load("onnx", [model], CPU), [x])[0], [[0, 2, 0]])


def test_what_is_known_of_operators_is_what_onnx_says() -> None:
    """No operator has a revision up to KNOWN that came after this table was written."""
    from onnx import __version__, defs

    if defs.onnx_opset_version() < KNOWN:
        pytest.skip(f"onnx {__version__} knows no opset {KNOWN}")
    newest: dict[str, int] = {}
    for schema in defs.get_all_schemas_with_history():
        if not schema.domain and schema.since_version <= KNOWN:
            newest[schema.name] = max(newest.get(schema.name, 0), schema.since_version)
    for name, rows in TABLE.items():
        assert rows[0].until is None or rows[0].until >= newest[name]

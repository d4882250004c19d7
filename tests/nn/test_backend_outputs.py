"""What a backend's `run` may return: a guest would take any bytes for the model's answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import Context, DType, Graph, Tensor, TensorSpec

SPEC = TensorSpec("x", DType.F32, (1, 3))


def computed(returned: Any) -> Any:
    """What a graph's context has after a `run` that returned this."""

    return put_in([SPEC], returned)


@pytest.mark.parametrize(
    ("returned", "error", "words"),
    [
        (
            [Tensor(DType.F32, (1, 3), bytes(8))],
            ValueError,
            r"returned f32\[1,3\] with 8 bytes; it has 12 bytes",
        ),
        ([numpy.zeros((1, 3), "f4")], TypeError, "returned ndarray in a sequence; wanted are Tensors"),
        (numpy.zeros((1, 3), "f4"), TypeError, "returned ndarray; wanted is a sequence of Tensors"),
        (Tensor(DType.F32, (1, 3), bytes(12)), TypeError, "returned Tensor; wanted is a sequence"),
        ({"x": 1}, TypeError, "returned dict; wanted is a sequence"),
        (None, TypeError, "returned NoneType; wanted is a sequence"),
        ([1], TypeError, "returned int in a sequence"),
    ],
)
def test_no_answer(returned: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match="Returning.run " + words):
        computed(returned)


FLOATS = Tensor(DType.F32, (1, 3), bytes(12))
TWO = (TensorSpec("x", DType.F32, (1, 3)), TensorSpec("y", DType.F32, ("N", None)))
DECLARED = 'output 0 "x", declared as f32[1,3]'


def put_in(
    specs: Sequence[TensorSpec], returned: Any, targets: Mapping[int, memoryview] | None = None
) -> Any:
    """What a context with these outputs has after a `run` that returned this."""

    class Returning(Context):
        def run(self, inputs: Any) -> Any:
            return returned

    context = Returning(Graph("b", (), specs))
    context.targets = dict(targets or {})
    context.compute()
    return context.outputs


@pytest.mark.parametrize(
    ("specs", "returned", "words"),
    [
        (TWO[:1], [], "returned 0 Tensors; outputs that its graph declares: 1"),
        (TWO[:1], [FLOATS, FLOATS], "returned 2 Tensors; outputs that its graph declares: 1"),
        (TWO[:1], [None], f"returned None for {DECLARED}; None is for those not in `targets`"),
        (TWO[:1], [Tensor(DType.F32, (1, 2), bytes(8))], f"returned f32[1,2] for {DECLARED}"),
        (TWO[:1], [Tensor(DType.F32, (3,), bytes(12))], f"returned f32[3] for {DECLARED}"),
        (TWO[:1], [Tensor(DType.F64, (1, 3), bytes(24))], f"returned f64[1,3] for {DECLARED}"),
        (TWO, [FLOATS, Tensor(DType.F32, (3,), bytes(12))], 'f32[3] for output 1 "y", declared as'),
    ],
)
def test_not_as_declared(specs: Sequence[TensorSpec], returned: Any, words: str) -> None:
    """A guest would read the bytes as what the graph declares."""
    with pytest.raises(ValueError, match=re.escape(words)):
        put_in(specs, returned)


@pytest.mark.parametrize(
    ("spec", "tensor"),
    [
        (TWO[1], Tensor(DType.F32, (5, 0), b"")),
        (TensorSpec("x", DType.ANY, None), Tensor(DType.I64, (2,), bytes(16))),
        (TensorSpec("x", DType.STRING, (1,)), Tensor(DType.U8, (7,), bytes(7))),
        (TensorSpec("x", DType.U8, (1,), takes_bytes=True), Tensor(DType.U8, (7,), bytes(7))),
    ],
)
def test_as_declared(spec: TensorSpec, tensor: Tensor) -> None:
    assert put_in([spec], [tensor]) == [tensor]


def test_none_for_what_no_target_asks_for() -> None:
    place = memoryview(bytearray(12))
    made, left = put_in(TWO, [FLOATS, None], {0: place})
    assert (made.view(), left) == (place, None)
    with pytest.raises(ValueError, match="returned None for output 0"):
        put_in(TWO, [None, FLOATS], {0: place})


def test_a_target_may_have_more_room_than_the_output_takes() -> None:
    place = memoryview(bytearray(16))
    (made,) = put_in([SPEC], [Tensor(DType.F32, (1, 3), place)], {0: place})
    assert (made.shape, made.nbytes) == ((1, 3), 12)
    with pytest.raises(ValueError, match="with 16 bytes; it has 12 bytes"):
        put_in([SPEC], [Tensor(DType.F32, (1, 3), place)])


@pytest.mark.parametrize("data", [bytes(12), numpy.zeros((3, 1), "f4"), bytearray(12)])
def test_an_answer(data: Any) -> None:
    answer = Tensor(DType.F32, (1, 3), data)
    assert computed((answer,)) == (answer,)

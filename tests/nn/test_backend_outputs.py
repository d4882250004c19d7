"""What a backend's `run` may return: a guest would take any bytes for the model's answer."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn import Context, DType, Graph, Tensor, TensorSpec

SPEC = TensorSpec("x", DType.F32, (1, 3))


def computed(returned: Any) -> Any:
    """What a graph's context has after a `run` that returned this."""

    class Returning(Context):
        def run(self, inputs: Any) -> Any:
            return returned

    context = Returning(Graph("b", (), (SPEC,)))
    context.compute()
    return context.outputs


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


@pytest.mark.parametrize("data", [bytes(12), numpy.zeros((3, 1), "f4"), bytearray(12)])
def test_an_answer(data: Any) -> None:
    answer = Tensor(DType.F32, (1, 3), data)
    assert computed((answer,)) == (answer,)

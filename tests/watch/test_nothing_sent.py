"""Models that are run on nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.operation import NNEvent
from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.sent.nothing_sent import NothingSent


def event(operation: str, index: int | None = None, array: Any = None) -> NNEvent:
    tensors = () if array is None else (Tensor.from_numpy(array),)
    specs = tuple(TensorSpec(f"x{index}", one.dtype, one.shape) for one in tensors)
    return NNEvent(operation, "", 0.0, None, "model", 0, 0, None, index, specs, tensors)


@pytest.mark.parametrize(
    ("rounds", "seen"),
    [
        ([[(1, 0)]], True),
        ([[(0,)], [(0,)]], True),
        ([[(1, 0), ()]], True),
        ([[(1, 0)], [(1, 5)]], False),
        ([[(1, 5), (1, 2, 0, 4)]], False),
        ([[(0, 5)]], False),
        ([[(1, 5)]], False),
    ],
)
def test_inputs_without_elements(rounds: Sequence[Sequence[tuple[int, ...]]], *, seen: bool) -> None:
    rule = NothingSent()
    for shapes in rounds:
        for index, shape in enumerate(shapes):
            rule.nn_event(event("set_input", index, numpy.zeros(shape, "f4")))
        rule.nn_event(event("compute"))
    said = [text for _, text in rule.finish()]
    rule._files = lambda: [("nothing.txt", b"")]
    assert not [*rule.finish()]
    assert len(said) == seen and all("it has no elements" in one for one in said)

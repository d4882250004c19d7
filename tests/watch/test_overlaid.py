"""Answers that are fetched into buffers which overlap."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.order.overlaid import Overlaid

MEMORY = memoryview(bytearray(1024))


def hint(fetches: list[tuple[int, int, int]]) -> str:
    """Each fetch is an output, its elements of f32, and where it is put; output 0 begins a new answer."""
    rule = Overlaid()
    for index, count, at in fetches:
        tensor = Tensor.from_numpy(numpy.zeros((1, count), "f4"))
        spec = SimpleNamespace(name="ab"[index])
        if index == 0:
            rule.nn_event(operation("compute", (), ()))
        rule.nn_event(operation("get_output", (spec,), (tensor,), index))
        call: Any = SimpleNamespace(
            module="wasi_ephemeral_nn", name="get_output", error=None,
            arguments=(("context", 0), ("index", index), ("buffer", MEMORY[at : at + 4 * count])),
        )  # fmt: skip
        rule.host_call(call)
    return "".join(said for _, said in rule.finish())


def operation(name: str, specs: Any, tensors: Any, index: int | None = None) -> Any:
    return SimpleNamespace(
        operation=name, error=None, specs=specs, tensors=tensors, index=index, graph_id=0, context_id=0
    )


@pytest.mark.parametrize(
    ("step", "words"),
    [(4, "multiplied by 10, the elements of each"), (10, "elements counted where bytes"), (40, ""), (0, ""),
     (48, ""), (20, "")],
)  # fmt: skip
def test_answers_to_several_inputs(step: int, words: str) -> None:
    found = hint([(0, 10, 100 + step * turn) for turn in range(4)])
    assert words in found and bool(words) == bool(found)


@pytest.mark.parametrize(("step", "is_wrong"), [(12, True), (48, False), (0, False), (64, False), (4, False)])
def test_outputs_of_one_answer(step: int, is_wrong: bool) -> None:
    found = hint([(0, 12, 200), (1, 3, 200 + step)] * 2)
    assert ('"b": it was put 12 bytes behind where output 0 "a" begins, which has 48' in found) is is_wrong
    assert bool(found) is is_wrong

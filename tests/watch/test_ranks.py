"""Ranks beside scores: those of each line, and the order of the best first."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.written.ranks import Ranks

SCORES = numpy.array([1.89, 2.99, 2.22, 3.35, 0.76, 2.18, 2.83], "f4")
ORDER = numpy.argsort(-SCORES)
RANKS = numpy.argsort(ORDER)


def hint(numbers: Sequence[int], shape: str, *, scores: Any = SCORES) -> str:
    """What is said of a guest that writes a number beside each score."""
    rule = Ranks()
    answer: Any = SimpleNamespace(
        operation="get_output", index=0, error=None, specs=(SimpleNamespace(name="score"),),
        tensors=(Tensor.from_numpy(scores[None]),),
    )  # fmt: skip
    rule.nn_event(answer)
    lines = [
        shape.format(rank=number, line=at + 1, score=score)
        for at, (number, score) in enumerate(zip(numbers, scores, strict=True))
    ]
    text = "rank page score\n" + "".join(f"{line}\n" for line in lines)
    written: Any = SimpleNamespace(
        name="fd_write", error=None, arguments=(("fd", 1), ("ciovs", [text.encode()])), result=0
    )
    rule.host_call(written)
    return "; ".join(text for _, text in rule.finish())


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize(
    "shape", ["{rank:3d} {line:4d}  {score:.2f}  A page", "page {line}: {score:.3f} (place {rank})"]
)
def test_the_order_of_the_best_for_ranks(shape: str, first: int) -> None:
    said = hint(ORDER + first, shape)
    assert "line 1 of 7 has the score 1.89" in said and "taken for the ranks" in said
    assert hint(RANKS + first, shape) == ""
    assert hint(ORDER[::-1] + first, shape) == "", "something else"


def test_scores_whose_order_is_their_ranks() -> None:
    scores = SCORES[[3, 1, 0]].repeat(2) + numpy.arange(6, dtype="f4") / 100
    order = numpy.argsort(-scores)
    assert (order == numpy.argsort(order)).all()
    assert hint(order, "{rank} {score:.2f}", scores=scores) == ""

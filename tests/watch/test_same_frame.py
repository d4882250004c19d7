"""Two inputs, the frame before and the newest one, that are the same frame."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.order.same_frame import SameFrame

RANDOM = numpy.random.default_rng(4)
FRAMES = RANDOM.integers(0, 255, (9, 1, 6, 8)).astype("f4")


def event(operation: str, index: int | None = None, name: str = "", array: Any = None) -> Any:
    has = array is not None
    return SimpleNamespace(
        operation=operation, index=index, error=None, context_id=0, given=(),
        graph=SimpleNamespace(inputs=(0, 1)),
        specs=(SimpleNamespace(name=name),) if has else (),
        tensors=(Tensor.from_numpy(array),) if has else (),
    )  # fmt: skip


def hints(rounds: Sequence[Sequence[Any]], names: Sequence[str] = ("a", "b")) -> str:
    """What is said of a model of two inputs to which these were given."""
    rule = SameFrame()
    for arrays in rounds:
        for index, array in enumerate(arrays):
            rule.nn_event(event("set_input", index, names[index], array))
        rule.nn_event(event("compute"))
    return "".join(said for _, said in rule.finish())


@pytest.mark.parametrize("kind", ["f4", "u1"])
@pytest.mark.parametrize("turned", [False, True])
def test_the_frame_before_is_the_newest_one(kind: str, turned: bool) -> None:
    frames = FRAMES.astype(kind)
    pairs = [(frames[0], frames[1]), *((one, one) for one in frames[2:])]
    if turned:
        pairs = [pair[::-1] for pair in pairs]
    assert "the same bytes from the second compute on (8 in all)" in hints(pairs)
    assert hints([*pairwise(frames)]) == "", "each and the one before"
    assert hints(pairs[:3]) == "", "too few rounds"
    assert hints([*pairs, (frames[0], frames[3])]) == "", "two frames once more"
    assert hints([pairs[0], *[pairs[1]] * 5]) == "", "a picture that stands"
    assert hints([pairs[0], *((0 * one, 0 * one) for one, _ in pairs[1:])]) == "", "black ones"


def test_inputs_that_are_the_same_from_the_beginning() -> None:
    """These may be so on purpose: a text and itself, or two towers of one picture."""
    pairs = [(one, one) for one in FRAMES]
    assert hints(pairs) == hints(pairs, ("image1", "image2")) == ""
    assert "the same bytes in each compute" in hints(pairs, ("frame_prev", "frame_curr"))
    assert hints([(one, one.reshape(1, 8, 6)) for one in FRAMES], ("previous", "current")) == ""

"""Windows of an accelerometer of which a guest writes what was done, in the model's order of names or not."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.order.still_ones import StillOnes

MOVES = (0.02, 0.2, 0.6, 0.25, 0.01)
CLASSES = (0, 1, 2, 1, 0)
NAMES = ("sitting", "walking", "running")


def windows(unit: float, *, is_last: bool = True, moves: Sequence[float] = MOVES) -> Any:
    """[windows, steps, axes] with gravity, or the axes first."""
    random = numpy.random.default_rng(4)
    made = numpy.array([0.6, 0.0, 0.8]) + numpy.array(moves)[:, None, None] * random.normal(0, 1, (5, 80, 3))
    made = (unit * made).astype("f4")
    return made if is_last else made.swapaxes(1, 2).copy()


def said(
    given: Any, names: Sequence[str], form: str = "{at}: {name}\n", *, one_batch: bool = False,
    at_end: bool = False, best: Sequence[int] = CLASSES, below: str = "",
) -> str:  # fmt: skip
    """What is said of a guest that computes each window, or all together, and writes then or at the end."""
    graph: Any = SimpleNamespace(inputs=[SimpleNamespace(name="x")])
    rule, shares = StillOnes(), numpy.eye(3, dtype="f4")[list(best)] * 0.85 + numpy.float32(0.05)
    lines = [form.format(at=at, name=names[one]) for at, one in enumerate(best)]
    pieces = [(given, shares)] if one_batch else [(given[[at]], shares[[at]]) for at in range(len(given))]

    def write(text: str) -> None:
        written: Any = SimpleNamespace(
            name="fd_write", error=None, result=0, arguments=(("fd", 1), ("ciovs", [text.encode()]))
        )
        rule.host_call(written)

    for at, (sent, answer) in enumerate(pieces):
        tensor = Tensor.from_numpy(sent)
        for operation, index, one in (("set_input", 0, tensor), ("compute", None, Tensor.from_numpy(answer))):
            event: Any = SimpleNamespace(
                error=None, given=(), operation=operation, index=index, tensors=(one,),
                specs=(TensorSpec("x", one.dtype, one.shape),), graph=graph, graph_id=1,
            )  # fmt: skip
            rule.nn_event(event)
        if not one_batch and not at_end:
            write(lines[at])
    write(("".join(lines) if one_batch or at_end else "") + below)
    return " ".join(text for _, text in rule.finish())


@pytest.mark.parametrize("unit", [1, 9.80665])
@pytest.mark.parametrize("is_last", [True, False])
@pytest.mark.parametrize(
    "way", [{}, {"one_batch": True}, {"at_end": True, "below": "sitting 2, walking 3\n"}]
)
def test_names_in_another_order(unit: float, way: Any, *, is_last: bool) -> None:
    given = windows(unit, is_last=is_last)
    assert said(given, NAMES, **way) == ""
    for names in (("running", "sitting", "walking"), ("walking", "running", "sitting")):
        text = said(given, names, **way)
        assert f"{names[0]}" in text and "are the names in another order" in text
    assert said(given, ("running", "walking", "walking"), **way) == "", "no rest is said of any"
    assert said(given, ("boxing", "sitting", "walking"), **way) == "", "not of each it is known"


def test_windows_that_are_left_alone() -> None:
    """Those without gravity, or scaled, or that all move; and a model that sees two kinds alone."""
    names = ("running", "sitting", "walking")
    assert said(windows(1), names) != ""
    assert said(windows(1) - windows(1).mean(axis=1, keepdims=True), names) == ""
    assert said(windows(0.25), names) == ""
    assert said(windows(1, moves=(0.08, 0.2, 0.6, 0.25, 0.09)), names) == ""
    assert said(windows(1), names, best=(0, 1, 1, 1, 0)) == ""
    assert said(windows(1), names, best=(0, 1, 2, 1, 1)) == "", "the stillest has the class of what moves"
    for form in ("{name}, not as before\n", "before: {name}\n"):
        assert said(windows(1), names, form) == ""

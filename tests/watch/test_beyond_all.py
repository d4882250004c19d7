"""Tests the hint on logarithms beyond all, of lines that were sent as they stand, and twins without a
mistake."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec
from pywasm_nn.watch.written.undone import Undone

LINES = numpy.array([[3, 4200.0, 0.5], [2, 1850.0, 0.25], [5, 9600.0, 0.75]])
TABLE = ("shops.csv", b"staff,visitors,share\n" + b"\n".join(b"%d,%d,%.2f" % (*one,) for one in LINES))


def said(
    rows: Any, answers: Sequence[float], words: Sequence[str], *, name: str = "log_sales",
    file: tuple[str, bytes] = TABLE,
) -> str:  # fmt: skip
    """Returns what is said of a guest that sends rows, gets answers, and writes words of each."""
    undone = Undone(lambda: [file])
    for row, answer, word in zip(rows, answers, words, strict=True):
        for operation, called, array in (
            ("set_input", "x", row),
            ("get_output", name, [answer]),
        ):
            tensor = Tensor.from_numpy(numpy.array([array], "f4"))
            event: Any = SimpleNamespace(
                error=None, operation=operation, index=0, tensors=(tensor,), context_id=1,
                specs=(TensorSpec(called, DType.F32, tensor.shape),),
            )  # fmt: skip
            undone.nn_event(event)
        arguments = {"fd": 1, "ciovs": [f"sales of about {word} euros\n".encode()]}.items()
        host: Any = SimpleNamespace(name="fd_write", error=None, arguments=arguments)
        undone.host_call(host)
    return "; ".join(text for _, text in undone.finish())


FAR = (912.0, 402.5, 2081.0)


@pytest.mark.parametrize("infinite", ["inf", "Infinity", "+inf"])
def test_infinite_amounts(infinite: str) -> None:
    found = said(LINES, FAR, [infinite] * 3)
    assert "by its name a logarithm, of which the guest makes inf: nothing is so large" in found
    assert 'Element 1 of the input is column 2 ("visitors") as it stands (9600)' in found


def test_amounts_that_nothing_has() -> None:
    answers = (41.5, 33.25, 52.0)
    found = said(LINES, answers, [f"{numpy.exp(numpy.float32(one)):.0f}" for one in answers])
    assert "it is 52, by its name a logarithm" in found
    found = said(LINES, answers, [f"{numpy.exp(one):.3e}" for one in answers])
    assert "of which the guest makes 3.831e+22" in found


def test_other_answers() -> None:
    made = numpy.log1p(LINES)
    assert said(made, (8.5, 7.0, 9.25), ["4914.77", "1096.63", "10404.57"]) == "", "as it should be"
    assert said(made, FAR, ["inf"] * 3) == "", "no column as it stands"
    assert said(LINES, FAR, ["inf"] * 3, name="sales") == "", "no logarithm by its name"
    assert said(LINES, FAR, ["inf"] * 3, name="log_prob") == ""
    assert said(LINES, FAR, ["large"] * 3) == "", "the guest sees that they are too large"
    assert said(LINES, (912.0, 8.0, 7.5), ["inf", "2980.96", "1808.04"]) == "", "one line alone"
    assert said(LINES, FAR, ["inf"] * 3, file=("a.csv", b"a,b\n1,2\n3,4\n5,6\n")) == ""

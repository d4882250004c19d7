"""Inputs that got each other's column, by the names of both; and names that say nothing of it."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.operation import NNEvent
from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.order.crossed_columns import CrossedColumns

RANDOM = numpy.random.default_rng(31)
NUMBERS = RANDOM.normal([20, 8, 50], [2, 4, 9], (24, 3)).round(2)


def said(names: tuple[str, str], headings: str, columns: tuple[int, int], count: int, **scaled: float) -> str:
    """The hint about windows of `count` numbers of two columns, or of numbers in computes of their own."""
    lines = "".join(f"{at}:00,{one[0]},{one[1]},{one[2]}\n" for at, one in enumerate(NUMBERS))
    rule = CrossedColumns(lambda: [("house.csv", f"clock,{headings}\n{lines}".encode())])
    for at in range(24 if count == 1 else 1):
        tensors: list[Any] = []
        for index, (name, column) in enumerate(zip(names, columns, strict=True)):
            own = (NUMBERS[at : at + count, column] - scaled.get("less", 0)) / scaled.get("by", 1)
            tensors.append(tensor := Tensor.from_numpy(own.astype("f4")))
            spec = TensorSpec(name, tensor.dtype, tensor.shape)
            rule.nn_event(NNEvent("set_input", "", 0.0, None, None, 1, 1, None, index, (spec,), (tensor,)))
        rule.nn_event(NNEvent("compute", "", 0.0, None, None, 1, 1, None, None, (), ()))
    return "; ".join(text for _, text in rule.finish())


WORDS = [
    (("t_in", "t_out"), "t_inside,t_outside,wet"), (("supply", "return"), "inlet_c,outlet_c,wet"),
    (("before", "after"), "old,new,wet"), (("warm", "wet"), "warm,wet,rest"),
    (("load_prev", "load_next"), "past,current,wet"),
]  # fmt: skip


@pytest.mark.parametrize("count", [12, 24, 1])
@pytest.mark.parametrize(("names", "headings"), WORDS)
def test_each_has_the_column_of_the_other(names: tuple[str, str], headings: str, count: int) -> None:
    wrong = said(names, headings, (1, 0), count)
    assert "are the two inputs exchanged?" in wrong and 'column 3 ("' in wrong
    assert "exchanged" in said(names, headings, (1, 0), count, less=14, by=3.5)
    assert said(names, headings, (0, 1), count) == said(names[::-1], headings, (1, 0), count) == ""


@pytest.mark.parametrize(
    ("names", "headings", "columns"),
    [
        (("x1", "x2"), "first,second,third", (1, 0)), (("indoor", "outdoor"), "hall,yard,wet", (1, 0)),
        (("indoor", "outdoor"), "inside,outside,wet", (1, 1)),
        (("indoor", "wet"), "inside,outside,wet", (1, 0)),
        (("indoor", "outdoor"), "inside,outside,wet", (2, 0)), (("in_1", "in_2"), "out_1,out_2,wet", (1, 0)),
    ],
)  # fmt: skip
def test_names_that_say_nothing(names: tuple[str, str], headings: str, columns: tuple[int, int]) -> None:
    assert said(names, headings, columns, 12) == said(names, headings, columns, 1) == ""

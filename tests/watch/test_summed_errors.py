"""Errors of rebuilt inputs that are added up, with a threshold of their mean; and right programs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy
import pytest

from pywasm_nn.nn import Tensor
from pywasm_nn.watch.written.summed_errors import SummedErrors

ROUNDS = 60
RNG = numpy.random.default_rng(2)
FORMS = {
    "json": '{{"window": 8, "threshold_mse": {}}}',
    "nested": '{{"threshold": {{"mean": {}}}}}',
    "text": "alarm limit\nmse = {}\n",
}


def hint(
    file: str, written: Any, size: int = 8, name: str = "model.json", line: str = "{0} s error {1:.4f}\n"
) -> str:
    """What is said of a guest that writes an error of each round that `written` makes, or leaves it out."""
    rule = SummedErrors(lambda: [(name, file.encode())])

    def tell(operation: str, array: Any) -> None:
        more = {
            "error": None,
            "context_id": 0,
            "index": 0,
            "given": (),
            "specs": (SimpleNamespace(name="x"),),
        }
        tensors = (Tensor.from_numpy(numpy.asarray(array, "f4")[None]),)
        rule.nn_event(cast(Any, SimpleNamespace(operation=operation, tensors=tensors, **more)))

    for number in range(ROUNDS):
        given = RNG.normal(0, 1, size).astype("f4")
        answer = (given + RNG.normal(0, 0.04, size)).astype("f4")
        tell("set_input", given)
        tell("compute", answer)
        error = written(given.astype("f8") - answer)
        text = "" if error is None else line.format(number, error)
        event = SimpleNamespace(
            name="fd_write", error=None, arguments=(("fd", 1), ("ciovs", [text.encode()]))
        )
        rule.host_call(cast(Any, event))
    return "".join(text for _, text in rule.finish())


def summed(off: Any) -> float:
    return float((off * off).sum())


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [6, 24])
def test_sums_of_squares(form: str, size: int) -> None:
    file = FORMS[form].format(0.0045)
    found = hint(file, summed, size)
    assert f"the sum of the squared errors of {size} elements" in found and f"divided by {size}?" in found
    assert hint(file, lambda off: summed(off) / size, size) == "", "the mean"
    assert hint(file, lambda off: summed(off) / size if summed(off) > 0.003 * size else None, size) == ""


def test_only_what_is_beyond_the_threshold_is_written() -> None:
    file = FORMS["json"].format(0.0045)
    assert "the sum of the squared errors" in hint(
        file, lambda off: summed(off) if summed(off) > 0.009 else None
    )


def test_sums_of_sizes() -> None:
    file = '{"max_mae": 0.06}'
    assert "the sum of the sizes of its errors of 8 elements" in hint(file, lambda off: abs(off).sum())
    assert hint(file, lambda off: abs(off).mean()) == ""


def test_what_is_left_alone() -> None:
    assert hint('{"threshold_mse": 0.0004}', summed) == "", "means are above it, too"
    assert hint('{"threshold_mse": 0.05}', summed) == "", "sums are below it"
    assert hint('{"threshold": 0.0045}', summed) == "", "of what, nobody says"
    assert hint('{"mean": 0.0045}', summed, name="scaler.json") == "", "no threshold"
    assert hint(FORMS["json"].format(0.0045), lambda _: None) == "", "nothing is written"
    assert hint(FORMS["json"].format(0.0045), lambda off: 2 * summed(off)) == "", "something else"

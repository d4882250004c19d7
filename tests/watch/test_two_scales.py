"""Errors of restored inputs of which one side was brought back to another scale, and right twins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

from tests.watch.test_amounts import Round, hint

SIZE = 12
MEANS, WIDTHS = numpy.linspace(-3, 2, SIZE), numpy.linspace(0.1, 0.4, SIZE)
LINES = "".join(f"{one:.6f},{width:.6f}\n" for one, width in zip(MEANS, WIDTHS, strict=True))
FILES = {
    "lines": {
        "bands.csv": "".join(f"{a:.6f},{b:.6f}\n" for a, b in zip(MEANS, WIDTHS, strict=True)).encode()
    },
    "floats": {"norm.bin": numpy.concatenate([MEANS, WIDTHS]).astype("f4").tobytes()},
    "lists": {"scaler.json": f'{{"mean": {MEANS.tolist()}, "std": {WIDTHS.tolist()}}}'.encode()},
}
ORDER = numpy.random.default_rng(5)
INPUTS = ORDER.normal(0, 1, (5, SIZE)).astype("f4")
ANSWERS = (INPUTS * 0.9 + ORDER.normal(0, 0.2, (5, SIZE))).astype("f4")
Measure = Callable[[Any], float]
MEASURES: dict[str, Measure] = {
    "mean of the squares": lambda gaps: float((gaps**2).mean()),
    "root of the mean square": lambda gaps: float((gaps**2).mean() ** 0.5),
    "mean": lambda gaps: float(abs(gaps).mean()),
    "sum of the squares": lambda gaps: float((gaps**2).sum()),
    "largest": lambda gaps: float(abs(gaps).max()),
}


def back(numbers: Any) -> Any:
    return numbers * WIDTHS + MEANS


def rounds(measure: Measure, gaps: Callable[[Any, Any], Any], answers: Any = ANSWERS) -> list[Round]:
    return [
        (own, answer, f"fan{at}.raw  {measure(gaps(answer, own)):.4f}  {'FAULTY' if at else 'ok'}\n")
        for at, (own, answer) in enumerate(zip(INPUTS, answers, strict=True))
    ]


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("files", FILES)
def test_one_side_in_the_scale_of_the_file(name: str, files: str) -> None:
    measure = MEASURES[name]
    wrong = hint(rounds(measure, lambda answer, own: answer - back(own)), "y", FILES[files])
    assert f"the {name} of the differences between the answer and the input as it is by" in wrong
    assert "are both to be in the same scale?" in wrong
    other = hint(rounds(measure, lambda answer, own: back(answer) - own), "y", FILES[files])
    assert "between the input and the answer as it is by" in other
    assert hint(rounds(measure, lambda answer, own: answer - own), "y", FILES[files]) == ""
    assert hint(rounds(measure, lambda answer, own: back(answer) - back(own)), "y", FILES[files]) == ""
    assert hint(rounds(measure, lambda answer, own: answer - back(own)), "y", {}) == ""


@pytest.mark.parametrize("name", MEASURES)
def test_a_model_that_answers_in_the_scale_of_the_file(name: str) -> None:
    said = rounds(MEASURES[name], lambda answer, own: answer - back(own), back(ANSWERS))
    assert hint(said, "y", FILES["lines"]) == ""

"""Sums of differences that are compared with a bound for their mean, and right twins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.probes.summed import Errors, of_sums
from tests.watch.test_uses_of_answers import asked_of

SIZE = 24
WAVES = numpy.array([[numpy.sin(at / 3 + row) for at in range(SIZE)] for row in range(8)], "f4")
"""Inputs, of which the model restores all but the third and the sixth."""
RESTORED = WAVES + numpy.where(numpy.isin(numpy.arange(8), (2, 5)), 0.9, 0.09)[:, None].astype("f4")
Measure = Callable[[Any], float]
MEASURES: dict[str, Measure] = {
    "sum of squares": lambda gaps: float((gaps**2).sum()),
    "root of it": lambda gaps: float((gaps**2).sum() ** 0.5),
    "sum": lambda gaps: float(abs(gaps).sum()),
}
MEANS: dict[str, Measure] = {
    "mean of squares": lambda gaps: float((gaps**2).mean()),
    "root of it": lambda gaps: float((gaps**2).mean() ** 0.5),
    "mean": lambda gaps: float(abs(gaps).mean()),
}


def said(measure: Measure, bound: float, rows: Sequence[int] = range(8)) -> str:
    """The hint about a guest that writes a line about each input, and a word if it is beyond a bound."""
    errors = Errors()
    for number, row in enumerate(rows):
        sent = [Sent("x", (1, SIZE), WAVES[row : row + 1], None)]
        answer = RESTORED[row : row + 1]

        def say(answers: Any, row: int = row) -> str:
            error = measure(WAVES[row] - answers[0][0].reshape(-1))
            return f"cell {error:.4f} {'replace' if error > bound else 'good'}\n"

        event: Any = SimpleNamespace(tensors=[Tensor.from_numpy(answer)])
        errors.computed(1, event, sent)
        if not number:
            asked = asked_of(say, answer, sent=sent)
            assert of_sums(asked) == ""
            if asked.bound is not None:
                errors.suppose(1, asked.bound)
    return "; ".join(errors.finish())


@pytest.mark.parametrize("name", MEASURES)
def test_a_sum_for_a_mean(name: str) -> None:
    bound = {"sum of squares": 0.05, "root of it": 0.22, "sum": 0.3}[name]
    found = said(MEASURES[name], bound)
    assert "for all 8 inputs, also for 6 that the model restores" in found
    assert "is the sum to be divided by 24?" in found
    assert said(MEASURES[name], bound * (SIZE if name != "root of it" else SIZE**0.5)) == "", "its own bound"
    assert said(MEASURES[name], bound, [0, 1, 3, 4, 6, 7]) == "", "nothing is unlike the others"
    assert said(MEASURES[name], bound, [2, 5, 2, 5, 2, 5, 0, 1]) == "", "most are not restored"
    assert said(MEASURES[name], bound, [0, 2, 1]) == "", "few inputs"


@pytest.mark.parametrize("name", MEANS)
def test_means(name: str) -> None:
    bound = {"mean of squares": 0.05, "root of it": 0.22, "mean": 0.3}[name]
    assert said(MEANS[name], bound) == ""
    assert said(MEANS[name], bound / 100) == "", "all are beyond it"


def test_sums_without_a_bound() -> None:
    assert said(MEASURES["sum"], -1) == ""
    assert said(MEASURES["sum of squares"], 1e9) == ""

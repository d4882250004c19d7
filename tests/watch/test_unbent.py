"""Forecasts of the root or the logarithm of a column, brought back or not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.probes.unbent import unbent, unraised
from pywasm_nn.watch.whatif.views import Rescaled, View
from tests.watch.test_uses_of_answers import asked_of, each

AT = numpy.arange(60)
VISITORS = numpy.round(400 + 300 * numpy.sin(AT / 5) + AT % 7 * 20)
LINES = ["day,visitors", *(f"{at},{one}" for at, one in enumerate(VISITORS))]
FILES = [("visitors.csv", "\n".join(LINES).encode())]
WINDOW = 20, 44


def hint(bend: Any, say: Callable[[float], str]) -> str:
    """What is said of a guest that sends what `bend` makes of the window, and writes what `say` makes of an
    answer."""
    window = bend(VISITORS[slice(*WINDOW)])[None].astype("f4")
    answer = numpy.full((1, 1), window.mean(), "f4")
    sent = Sent("x", window.shape, window, None)
    return unbent(asked_of(each(lambda row: say(float(row[0]))), answer, files=FILES, sent=(sent,)))


def log_scaled(numbers: Any) -> Any:
    return (numpy.log1p(numbers) - 6) / 0.5


@pytest.mark.parametrize(
    ("bend", "say", "said"),
    [
        (log_scaled, lambda y: f"{y * 0.5 + 6:.3f} visitors", "is the logarithm (log1p) of column 2"),
        (log_scaled, lambda y: f"{numpy.expm1(y * 0.5 + 6):.0f} visitors", ""),
        (log_scaled, lambda y: f"tomorrow: {y:.3f}", "is it to be given to expm1"),
        (log_scaled, lambda y: f"class 3: {y:.3f}", ""),
        (log_scaled, lambda y: f"tomorrow's change: {y:+.3f}", ""),
        (log_scaled, lambda y: f"return of the next day {y:+.4f}", ""),
        (log_scaled, lambda y: f"log of visitors: {y * 0.5 + 6:.3f}", ""),
        (lambda x: numpy.sqrt(x) / 10, lambda y: f"{y * 100:.1f}", "is the square root of column 2"),
        (lambda x: numpy.sqrt(x) / 10, lambda y: f"{y * y * 100:.1f}", ""),
        (lambda x: numpy.sqrt(x) / 10, lambda y: f"{100 * y:.0f} %", ""),
        (lambda x: (x - 400) / 200, lambda y: f"{y * 200 + 400:.1f}", ""),
    ],
)
def test_what_was_made_of_a_column_is_undone(bend: Any, say: Any, said: str) -> None:
    found = hint(bend, say)
    assert said in found and bool(said) == bool(found)


MODELS: dict[str, Callable[[Any], float]] = {
    "log": lambda x: float(numpy.log1p(x)[-5:].mean() + 0.1),
    "log10": lambda x: float(0.9 * numpy.log10(x)[-5:].mean() + 0.28),
    "plain": lambda x: float(x[-5:].mean()),
    "thousands": lambda x: float(x[-5:].mean() / 80),
    "a share of growth": lambda x: float(5.8 + x[-1] / x[-5]),
    "steady": lambda _: 6.1,
}


@pytest.mark.parametrize(
    ("model", "say", "said"),
    [
        ("log", lambda y: f"next day: {y:.1f} visitors", "is it to be undone (exp, or expm1"),
        ("log", lambda y: f"we expect {y:.0f}", "is it to be undone (exp, or expm1"),
        ("log", lambda y: f"next day: {numpy.expm1(y):.0f} visitors", ""),
        ("log", lambda y: f"next day: log {y:.2f}", ""),
        ("log", lambda y: f"level {y:.2f}", ""),
        ("log10", lambda y: f"next day: {y:.2f} visitors", "is it to be undone (10 to its power)"),
        ("log10", lambda y: f"next day: {10**y:.2f} visitors", ""),
        ("plain", lambda y: f"next day: {y:.1f} visitors", ""),
        ("thousands", lambda y: f"next day: {y:.1f}", ""),
        ("a share of growth", lambda y: f"next day: {y:.1f}", ""),
        ("steady", lambda y: f"next day: {y:.1f}", ""),
    ],
)
def test_forecasts_that_are_logarithms_by_how_they_grow(model: str, say: Any, said: str) -> None:
    window = VISITORS[slice(*WINDOW)][None].astype("f4")

    def answer_to(view: View | Rescaled) -> Mapping[int, Any]:
        assert isinstance(view, Rescaled)
        return {0: numpy.full((1, 1), MODELS[model](window[0] / view.divided), "f4")}

    sent, answer = Sent("x", window.shape, window, None), numpy.full((1, 1), MODELS[model](window[0]), "f4")
    guest = each(lambda row: say(float(row[0])))
    found = unraised(asked_of(guest, answer, sent=(sent,), answer_to=answer_to))
    assert said in found and bool(said) == bool(found)
    assert unraised(asked_of(guest, answer, sent=(sent,))) == "", "a model that can't be asked"

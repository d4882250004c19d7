"""Windows that were sent as they are in the file, to models of scaled numbers whose answer is scaled back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.probes.raw_window import unscaled
from pywasm_nn.watch.whatif.views import Rescaled, View
from tests.watch.test_uses_of_answers import asked_of, each

AT = numpy.arange(60)
LOAD = numpy.round(400 + 80 * numpy.sin(AT / 5) + AT % 7 * 9, 1)
FILES = [("load.csv", "\n".join(["day,load", *(f"{a},{b}" for a, b in zip(AT, LOAD, strict=True))]).encode())]
MEAN, DEVIATION, LOW, RANGE = LOAD.mean(), LOAD.std(), LOAD.min(), numpy.ptp(LOAD)


def standard(y: float) -> float:
    return float(y * DEVIATION + MEAN)


def hint(sent: Callable[[Any], Any], say: Callable[[float], str], answer: float) -> str:
    window = sent(LOAD[30:54])[None].astype("f4")
    given = Sent("x", window.shape, window, None)
    made = numpy.full((1, 1), answer, "f4")
    return unscaled(asked_of(each(lambda row: say(float(row[0]))), made, files=FILES, sent=(given,)))


@pytest.mark.parametrize(
    ("sent", "say", "answer", "seen"),
    [
        (lambda x: x, lambda y: f"next day: {standard(y):.1f} MW", 60.0, True),
        (lambda x: x, lambda y: f"day 61 {y * RANGE + LOW:.0f}", 40.0, True),
        (lambda x: x, lambda y: f"next day: {y * RANGE * 1.2 + LOW - 0.1 * RANGE:.1f} MW", 40.0, True),
        (lambda x: x, lambda y: f"next day: {y * 540:.1f} MW", 40.0, True),
        (lambda x: x, lambda y: f"next day: {y * 540:.1f} MW", 0.7, False),
        (lambda x: x, lambda y: f"alarm: {y * 100:.1f} %", 0.02, False),
        (lambda x: x / 540, lambda y: f"next day: {y * 540:.1f} MW", 40.0, False),
        (lambda x: x, lambda y: f"next day: {standard(y):.1f} MW", 0.7, False),
        (lambda x: x, lambda y: f"next day: {y:.1f} MW", 900.0, False),
        (lambda x: x, lambda y: f"next day: {1000 * y + 3:.1f} kW", 900.0, False),
        (lambda x: x, lambda y: f"next day: {numpy.expm1(y):.1f}", 9.0, False),
        (lambda x: (x - MEAN) / DEVIATION, lambda y: f"next day: {standard(y):.1f} MW", 60.0, False),
    ],
)
def test_what_is_scaled_back_was_scaled(sent: Any, say: Any, answer: float, seen: bool) -> None:
    found = hint(sent, say, answer)
    assert ("is it to be scaled first?" in found) is seen and bool(found) is seen


@pytest.mark.parametrize(
    ("answer", "scaled", "end", "seen"),
    [
        (1.1, 5.0, 60, True),
        (1.1, 5.0, 54, True),
        (0.35, 5.0, 60, True),
        (1.1, -400.0, 60, False),
        (1.1, None, 60, False),
        (0.75, 5.0, 60, False),
    ],
)
def test_a_forecast_that_is_near_if_the_window_is_scaled(
    answer: float, scaled: float | None, end: int, *, seen: bool
) -> None:
    """`answer` is of the window as it is; `scaled` says how far that of the one divided by 540 is from what
    comes next, or from the last number."""
    window = LOAD[30:54][None].astype("f4")
    files = [(FILES[0][0], b"\n".join(FILES[0][1].splitlines()[: end + 1]))]
    given = Sent("x", window.shape, window, None)
    say = each(lambda row: f"next day: {float(row[0]) * 540:.1f} MW")
    asked = asked_of(say, numpy.full((1, 1), answer, "f4"), files=files, sent=(given,))

    def answer_to(view: View | Rescaled) -> Mapping[int, Any]:
        is_so = isinstance(view, Rescaled) and view.divided == pytest.approx(540, 1e-3)
        then = LOAD[54 if end > 54 else 53]
        return {0: numpy.full((1, 1), (then + scaled) / 540, "f4")} if is_so and scaled is not None else {}

    asked.answer_to = answer_to  # type: ignore[assignment]
    found = unscaled(asked)
    assert ("the next number is" in found) is (seen and end > 54)
    assert ("the forecast is" in found) is seen is bool(found)

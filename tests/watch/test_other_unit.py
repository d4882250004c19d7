"""Forecasts in the unit to which a window was converted."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.probes.other_unit import in_another_unit
from tests.watch.test_uses_of_answers import asked_of, each

AT = numpy.arange(40)
READINGS = numpy.round(61 + 9 * numpy.sin(AT / 4) + AT % 5, 1)
WINDOW = READINGS[10:34]


def hint(heading: str, window: Any, say: Any) -> str:
    lines = [f"hour,{heading}", *(f"{at},{one}" for at, one in enumerate(READINGS))]
    sent = Sent("x", (1, 24), window[None].astype("f4"), None)
    answer = numpy.full((1, 2), window.mean(), "f4")
    files = [("log.csv", "\n".join(lines).encode())]
    return in_another_unit(asked_of(each(lambda row: say(float(row[1]))), answer, files=files, sent=(sent,)))


CELSIUS = ((WINDOW - 32) / 1.8 - 15) / 8


@pytest.mark.parametrize(
    ("heading", "window", "say", "said"),
    [
        (
            "temp_f",
            CELSIUS,
            lambda y: f"at 9: {y * 8 + 15:.1f} \u00b0F",
            "converted to c, and what the guest writes",
        ),
        ("temp_f", CELSIUS, lambda y: f"at 9: {y * 8 + 15:.1f} \u00b0C", ""),
        ("temp_f", CELSIUS, lambda y: f"at 9: {(y * 8 + 15) * 1.8 + 32:.1f} \u00b0F", ""),
        ("temp_f", CELSIUS, lambda y: f"at 9: {y * 8 + 15:.1f}", ""),
        ("use_kw", WINDOW * 1000 / 5e4, lambda y: f"{y * 5e4:.0f} kw", "converted to w"),
        ("use_kw", WINDOW / 50, lambda y: f"{y * 50:.1f} kw", ""),
        ("use", WINDOW / 50, lambda y: f"{y * 5e4:.0f} kw", ""),
    ],
)
def test_forecasts_are_brought_back_to_the_unit(heading: str, window: Any, say: Any, said: str) -> None:
    found = hint(heading, window, say)
    assert said in found and bool(said) == bool(found)

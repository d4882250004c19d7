"""Windows of a series that a ring holds, which are sent as they lie there, and from the oldest sample on."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.series.following import Series

COUNT = 48
ORDER = numpy.random.default_rng(4)
DAYS = numpy.round(40 + 30 * numpy.sin(numpy.arange(110) * numpy.pi / 12) + ORDER.normal(0, 4, 110))
REPEATED = DAYS.copy()
REPEATED[60:70] = DAYS[12:22]  # as COUNT samples before, so that several windows hold the same


def hint(series: Any, rounds: int, *, turned: bool, kind: str = "f4") -> str:
    """What is said when only the first two of some windows were looked at."""
    rule = Series(lambda: [("hires.txt", "".join(f"{one:g}\n" for one in series).encode())])
    for start in range(rounds):
        window = series[start : start + COUNT] / 80
        sent = numpy.roll(window, start) if turned else window
        tensor = Tensor.from_numpy(sent.astype(kind)[None])
        rule.sent((0, "m", 0), tensor)
        for said in rule.set((0, "m", 0), tensor) if start < 2 else ():
            return said
    return "; ".join(text for _, text in rule.finish())


@pytest.mark.parametrize("series", [DAYS, REPEATED])
@pytest.mark.parametrize("rounds", [10, 21, 53])
def test_a_ring_of_the_last_hours(series: Any, rounds: int) -> None:
    assert "a ring was sent as it lies" in hint(series, rounds, turned=True)
    assert hint(series, rounds, turned=False) == ""


def test_a_series_that_repeats_itself() -> None:
    assert hint(numpy.tile(DAYS[:24], 5), 30, turned=False) == "", "every day the same"

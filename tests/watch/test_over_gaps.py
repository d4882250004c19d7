"""Windows around events in a table that lacks lines, and right twins."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.series.over_gaps import OverGaps

RATE, STEPS = 250, 1500
WHOLE = numpy.random.default_rng(2).normal(size=STEPS).round(4)
KEPT = numpy.array([at for at in range(STEPS) if not (500 <= at < 540 or 900 <= at < 925)])
TIMES = (KEPT / RATE).round(4)
EVENTS = [at / RATE for at in (90, 210, 333, 480, 610, 702, 850, 1010, 1200)]
TABLE = "time_s,mV\n" + "".join(f"{one:.4f},{WHOLE[at]}\n" for one, at in zip(TIMES, KEPT, strict=True))
LIST = "".join(f"{one:.3f}\n" for one in EVENTS)


def said(places: Any, before: int, count: int, *, table: str = TABLE, at_once: bool = False) -> str:
    """Returns the hint about a guest whose windows begin so many lines before some places."""
    rule = OverGaps(lambda: [("ecg.csv", table.encode()), ("beats.txt", LIST.encode())])
    numbers = numpy.array([float(one.partition(",")[2]) for one in table.splitlines()[1:]])
    windows = [numbers[at - before : at - before + count] for at in places]
    scaled = [((one - one.mean()) / one.std())[None, :, None].astype("f4") for one in windows]
    for array in [numpy.concatenate(scaled)] if at_once else scaled:
        event: Any = SimpleNamespace(
            error=None, graph_id=0, index=0, given=(), operation="set_input",
            specs=(SimpleNamespace(name="beat"),), tensors=(Tensor.from_numpy(array),),
        )  # fmt: skip
        rule.nn_event(event)
    return "; ".join(text for _, text in rule.finish())


COUNTED = [round(one * RATE) for one in EVENTS]
RIGHT = [int(numpy.searchsorted(TIMES, one - 0.5 / RATE)) for one in EVENTS]


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize(("before", "count"), [(60, 120), (0, 64), (32, 40)])
def test_lines_that_are_counted_from_times(before: int, count: int, at_once: bool) -> None:
    wrong = said(COUNTED, before, count, at_once=at_once)
    assert "there is a gap before 2.16, and 5 windows behind it are elsewhere" in wrong
    assert said(RIGHT, before, count, at_once=at_once) == ""
    assert said(COUNTED[:5], before, count, at_once=at_once) == "", "one window behind the gap"


def test_a_table_without_gaps() -> None:
    whole = "time_s,mV\n" + "".join(f"{at / RATE:.4f},{one}\n" for at, one in enumerate(WHOLE))
    assert said(COUNTED, 60, 120, table=whole) == ""

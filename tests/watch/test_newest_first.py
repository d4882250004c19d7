"""Models forecast from a window with other elements beside it: a guest sends the newest number first by
mistake, and twins of it are right."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.whatif import newest_first
from pywasm_nn.watch.whatif.newest_first import NewestFirst, forecast_in_order
from tests.watch.oracles import StandIn

COUNT, LINES, MEAN, WIDE = 18, 40, 55.0, 12.0
MONTHS = (numpy.arange(LINES) + 4) % 12 + 1
STEP = 2 * numpy.pi / 12
RIVER = MEAN + numpy.round(15 * numpy.sin(STEP * numpy.arange(LINES) + 1), 2)
RIVER[::7] += 0.4
GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="levels")])
Order = Callable[[Any], Any]


def table(heading: str = "month,level", order: int = 1) -> bytes:
    lines = [f"{month},{level}" for month, level in zip(MONTHS, RIVER, strict=True)][::order]
    return "\n".join([heading, *lines]).encode()


def sent(order: Order, *, is_first: bool = False) -> Any:
    window = order((RIVER[-COUNT:] - MEAN) / WIDE)
    angle = 2 * numpy.pi * (MONTHS[-1] + 1) / 12
    turn = [numpy.sin(angle), numpy.cos(angle)]
    return numpy.array([[*turn, *window] if is_first else [*window, *turn]], "f4")


class Straight(StandIn):
    """Stands for a model that goes on as the last two numbers do, in the order that it learned."""

    def __init__(self, order: Order, *, is_first: bool = False) -> None:
        self._order, self._first = order, 2 * is_first

    def outputs_of(self, _: int, array: Any) -> list[Tensor]:
        window = self._order(array.reshape(-1)[self._first : self._first + COUNT])
        made = 2 * numpy.cos(STEP) * window[-1] - window[-2]
        return [Tensor.from_numpy(numpy.array([[made]], "f4"))]


def said(
    model: Straight, array: Any, patch: pytest.MonkeyPatch, data: bytes = b"", called: str = "levels",
    file: str = "river.csv",
) -> str:  # fmt: skip
    patch.setattr(newest_first, "Runs", model)
    kept = NewestFirst(lambda: [(file, data or table())])
    window = kept.take(0, Tensor.from_numpy(array), model.outputs_of(0, array)[0], called)
    return "" if window is None else forecast_in_order(GRAPH, window, 0.01)


def as_it_is(window: Any) -> Any:
    return window


def turned(window: Any) -> Any:
    return window[::-1]


@pytest.mark.parametrize("is_first", [False, True])
def test_the_newest_first(is_first: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Straight(as_it_is, is_first=is_first)
    found = said(model, sent(turned, is_first=is_first), monkeypatch)
    assert 'column 2 ("level") of river.csv, lines 24 to 41, from the last one on' in found
    assert "does the model want the oldest first?" in found
    assert said(model, sent(as_it_is, is_first=is_first), monkeypatch) == ""
    learned = Straight(turned, is_first=is_first)
    assert said(learned, sent(turned, is_first=is_first), monkeypatch) == "", "it learned lags"


def test_what_is_turned_on_purpose(monkeypatch: pytest.MonkeyPatch) -> None:
    model, array = Straight(as_it_is), sent(turned)
    assert said(model, array, monkeypatch, called="lags") == ""
    assert said(model, array, monkeypatch, file="newest_first.csv") == ""
    backwards = table(order=-1)
    right = sent(as_it_is)
    assert said(model, right, monkeypatch, backwards) == "", "the file has the newest first"
    other = numpy.append(array[:, :-2], [[0.25, 1.0]], axis=1).astype("f4")
    assert said(model, other, monkeypatch) == "", "it forecasts the numbers before as well"
    unsure = Straight(lambda window: 0 * window)
    assert said(unsure, array, monkeypatch) == "", "its forecasts are no good in any order"
    short = b"\n".join(table().splitlines()[:1] + table().splitlines()[-COUNT - 2 :])
    assert said(model, array, monkeypatch, short) == "", "hardly any other windows"

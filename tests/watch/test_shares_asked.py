"""Models of shares that get other numbers. Each mistake has twins without one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.whatif import shares
from pywasm_nn.watch.whatif.shares import as_shares
from pywasm_nn.watch.whatif.sureness import Answer
from tests.watch.oracles import StandIn

SHARES = numpy.array([[0.02, 0.45, 0.01, 0.03, 0.25, 0.04, 0.19, 0.01]])
GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="x")])


class OfShares(StandIn):
    """Stands for the runs of a model that knows shares by the place of the largest, unless it `is_blind`."""

    def __init__(self, *, is_blind: bool) -> None:
        self._is_blind = is_blind

    def changed(self, _: int, array: Any) -> Answer:
        is_known = abs(float(array.sum()) - 1) < 0.01
        place = 1 if self._is_blind else int(array.argmax())
        return Answer(place, 0.97 if is_known else 0.2, 8, 3.0)

    def shuffled(self, change: Any, seeds: range) -> list[Answer]:
        return [self.changed(0, numpy.roll(change.array, 1 + seed)) for seed in seeds]


@pytest.mark.parametrize("is_blind", [False, True])
@pytest.mark.parametrize(
    ("made", "sent", "words"),
    [
        (SHARES * 100, Answer(3, 0.2, 8, 0.1), "as shares, divided by 100"),
        (SHARES * 0.04, Answer(3, 0.2, 8, 0.1), "as shares, divided by their sum"),
        (10 * numpy.log10(SHARES * 0.04), Answer(3, 1.0, 8, 90.0), "and not in decibels (-34 to -17.4)"),
        (SHARES * 100, Answer(3, 0.8, 8, 5.0), ""),
        (SHARES * 100, Answer(3, 0.2, 4, 0.1), ""),
        (SHARES, Answer(3, 0.2, 8, 0.1), ""),
        (SHARES - 0.2, Answer(3, 0.2, 8, 0.1), ""),
        (SHARES * 0 + 5, Answer(3, 0.2, 8, 0.1), ""),
        (SHARES[:, :4] * 100, Answer(3, 0.2, 8, 0.1), ""),
    ],
)
def test_shares(made: Any, sent: Answer, words: str, is_blind: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "Runs", OfShares(is_blind=is_blind))
    said = as_shares(GRAPH, [Tensor.from_numpy(made.astype("f4"))], sent, 0.01)
    assert (said is None) is (is_blind or not words) and (words in (said or "") or is_blind)

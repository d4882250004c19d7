"""Inputs whose second half is 0 and whose first half nothing overwrote: no instructions are read for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy
import pytest

from pywasm_nn.interpreter.module import Module
from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.budget import Budget, Left
from pywasm_nn.watch.sent.emptied import Emptied


class Counted(Budget):
    searches = 0

    @contextmanager
    def searching(self) -> Iterator[Left]:
        self.searches += 1
        with super().searching() as left:
            yield left


def searches(array: Any) -> int:
    budget = Counted()
    emptied = Emptied(budget)
    emptied.attach(Module())
    assert [*emptied.set("x", Tensor.from_numpy(array))] == []
    return budget.searches


def test_numbers_that_nothing_overwrote() -> None:
    state, header = numpy.zeros((2, 1, 64), "f4"), numpy.zeros((1, 256), "f4")
    header[0, 40:60] = numpy.arange(20) * 331 - 2000
    assert searches(state) == searches(header) == 0


@pytest.mark.parametrize("step", [1, 2])
def test_numbers_of_several_others_last_bytes(step: int) -> None:
    values = numpy.random.default_rng(1).random(255).astype("<f4")
    bytes_ = numpy.zeros(1024, "u1")
    for at, one in enumerate(values.view("u1").reshape(-1, 4)):
        bytes_[at * step : at * step + 4] = one
    made = bytes_.view("<f4")[None]
    made = numpy.nan_to_num(made, nan=1e30, posinf=1e30, neginf=-1e30)
    assert searches(made) > 0
    black = numpy.zeros((1, 3, 32, 32), "f4")  # a picture of which nothing may be left
    assert searches(black) > 0

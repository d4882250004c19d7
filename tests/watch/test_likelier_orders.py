"""Lines whose elements are likely in one other order than they were sent, or are years for ages, by the means
and deviations of a model; and lines of other data."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.formats.format import Column
from pywasm_nn.watch.sent.scalers import likelier_order, other_unit

FLOWERS = numpy.array([[5.84, 0.83], [3.06, 0.43], [3.76, 1.76], [1.2, 0.76]])
RENT = numpy.array([[89.1, 40.8], [3.2, 1.5], [55.6, 32.0], [12.5, 7.2], [3.5, 2.3]])
RANDOM = numpy.random.default_rng(11)


def columns(known: Any) -> list[Column]:
    return [Column(centre=(*map(float, one), True)) for one in known]


@pytest.mark.parametrize("order", [one for one in permutations(range(4)) if one[2] != 2 or one[0] != 0])
@pytest.mark.parametrize("count", [4, 12])
def test_another_order(order: tuple[int, ...], count: int) -> None:
    """Lengths of petals and sepals overlap, so that some orders are nearly as likely."""
    seen = 0
    for _ in range(12):
        lines = FLOWERS[:, 0] + FLOWERS[:, 1] * RANDOM.normal(0, 0.9, (count, 4))
        assert likelier_order(columns(FLOWERS), lines) == ""
        assert likelier_order(columns(FLOWERS), lines[:3, list(order)]) == "", "too few lines"
        found = likelier_order(columns(FLOWERS), lines[:, list(order)])
        wants = [f"{to} from {order.index(to)}" for to in range(4) if order[to] != to]
        assert not found or f"wants element {', '.join(wants)} of those" in found
        seen += bool(found)
    far = sum(((FLOWERS[[*order], 0] - FLOWERS[:, 0]) / FLOWERS[:, 1]) ** 2) / 4
    assert seen >= 8 or far < 7


@pytest.mark.parametrize("width", range(3, 6))
def test_other_data_than_those_of_the_training(width: int) -> None:
    for _ in range(200):
        known = numpy.stack([RANDOM.uniform(-2, 8, width), RANDOM.uniform(0.3, 3, width)], 1)
        shift, wide = RANDOM.uniform(-1.6, 1.6, width), RANDOM.uniform(0.2, 1.8, width)
        lines = known[:, 0] + known[:, 1] * (shift + wide * RANDOM.normal(0, 1, (8, width)))
        assert likelier_order(columns(known), lines) == ""


@pytest.mark.parametrize("count", [2, 3, 9])
def test_years_for_ages(count: int) -> None:
    lines = RENT[:, 0] + RENT[:, 1] * RANDOM.normal(0, 0.5, (count, 5))
    assert other_unit(columns(RENT), lines) == ""
    years = lines.copy()
    years[:, 2] = 2025 - lines[:, 2].clip(1, 100).round()
    assert "which are years" in other_unit(columns(RENT), years)
    for other in (years[:, 2] + 0.5, 1000.0 + 10 * numpy.arange(count), years[:, 2] - 1900):
        lines[:, 2] = other
        assert "which are years" not in other_unit(columns(RENT), lines)
    by_year = RENT.copy()
    by_year[2] = 1970, 30
    assert other_unit(columns(by_year), years) == "", "the model wants years"

"""Pictures behind the first ones that are all zeros, and twins that are black by right."""

from __future__ import annotations

import numpy
import pytest

from pywasm_nn.watch.facts import Compute
from pywasm_nn.watch.hints.emptied import Emptied
from tests.watch.test_hints import given, landscape

SHOWN, BLACK = "x", "0"


def hints(order: str, shape: tuple[int, ...] = (1, 3, 64, 64)) -> list[str]:
    """What is said of pictures in this order, each shown or black."""
    emptied = Emptied()
    for seed, one in enumerate(order):
        picture = landscape(seed)[None].astype("f4") if one == SHOWN else numpy.zeros(shape, "f4")
        emptied.computed(0, Compute((given(picture),)))
    return [*emptied.finish()]


@pytest.mark.parametrize("order", ["x00", "x000", "xx00"])
def test_only_the_first_ones_are_shown(order: str) -> None:
    [said] = hints(order)
    assert f"the last {order.count(BLACK)} inputs are 0" in said


@pytest.mark.parametrize("order", ["", "x", "xx", "x0", "0x", "00", "000", "x0x0x", "xxx00", "x00x", "0xx"])
def test_a_black_picture_may_be_meant(order: str) -> None:
    """As a first try, once, between others, or all of them, which is said otherwise."""
    assert hints(order) == []


def test_rows_of_zeros_may_be_counts() -> None:
    emptied = Emptied()
    for row in ([1, 0, 2, 0], [0] * 4, [0] * 4):
        emptied.computed(0, Compute((given(numpy.array([row], "f4")),)))
    assert [*emptied.finish()] == []


def test_pictures_follow_that_nobody_looks_at() -> None:
    emptied = Emptied()
    for one in (landscape()[None].astype("f4"), *[numpy.zeros((1, 3, 64, 64), "f4")] * 3):
        emptied.computed(0, Compute((given(one),)))
    assert [*emptied.finish()]
    emptied.filled(0)
    assert [*emptied.finish()] == []

"""Windows of a series in the opposite order of time, also of what was made of its numbers before: mistakes,
and twins without one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin.tables import found_in, table_in

MADE: dict[str, Callable[[Any], Any]] = {
    "as it is": lambda x: x,
    "logarithms": numpy.log,
    "log1p": numpy.log1p,
    "roots": numpy.sqrt,
    "differences": numpy.diff,
    "relative changes": lambda x: numpy.diff(x) / x[:-1],
    "of their logarithms": lambda x: numpy.diff(numpy.log(x)),
}


def series(seed: int, count: int) -> Any:
    steps = numpy.random.default_rng(seed).normal(0, 0.25, count)
    return (900 * numpy.exp(numpy.cumsum(steps) / 2 + 0.5 * numpy.sin(numpy.arange(count) / 2))).round()


def wrong(numbers: Any, window: Any) -> str:
    text = "\n".join(f"2025-{at:02d} {one:g}" for at, one in enumerate(numbers, 1))
    table = table_in(text.encode())
    assert table is not None
    found = found_in(table, numpy.array([window], "f4"))
    return found.wrong if found is not None else ""


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("seed", range(4))
def test_the_newest_first(made: str, seed: int) -> None:
    numbers = series(seed, 30)
    own = MADE[made](numbers)[-12:]
    scaled = (own - own.mean()) / own.std()
    for window in (own, scaled):
        assert "reversed order" in wrong(numbers, window[::-1])
        assert wrong(numbers, window) == ""


@pytest.mark.parametrize("made", ["differences", "of their logarithms"])
def test_turned_before_they_were_taken_from_each_other(made: str) -> None:
    numbers = series(5, 20)
    assert "reversed order" in wrong(numbers, MADE[made](numbers[::-1])[:12])


@pytest.mark.parametrize("seed", range(4))
def test_other_numbers(seed: int) -> None:
    assert wrong(series(seed, 30), series(seed + 10, 12)) == ""
    even = series(seed, 12)
    same_both_ways = numpy.concatenate([even, even[::-1]])
    assert wrong(same_both_ways, numpy.log(same_both_ways)) == ""

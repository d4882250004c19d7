"""Sines and cosines of the degrees of an hour or a direction among the arguments. Mistakes, and twins without
one."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.sent.degrees import in_degrees, of_several

PERIODS = {"hours": 24, "months": 12, "days": 7, "degrees": 360}


def sent(angle: Any, kind: str, *, is_sine_first: bool = True) -> Any:
    """A history with a sine and a cosine behind it."""
    history = numpy.random.default_rng(3).uniform(0.3, 0.9, 40)
    turns = [numpy.sin(angle), numpy.cos(angle)]
    return numpy.array([*history, *(turns if is_sine_first else turns[::-1]), 1.0]).astype(kind).astype("f8")


@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("what", PERIODS)
def test_degrees_for_radians(what: str, kind: str) -> None:
    period = PERIODS[what]
    for number in range(period // 8 + 1, period, max(1, period // 23)):
        degrees = numpy.array(number * 360 / period, kind)
        for is_sine_first in (True, False):
            said = in_degrees(sent(degrees, kind, is_sine_first=is_sine_first), [number])
            assert f"{number} of {period}" in said and "is the factor pi / 180 missing?" in said
            right = sent(numpy.radians(degrees), kind, is_sine_first=is_sine_first)
            assert in_degrees(right, [number]) == "", "radians"
        assert in_degrees(sent(degrees, kind), [number + 0.5]) == "", "of another number"


def test_other_pairs_on_the_unit_circle() -> None:
    numbers = numpy.random.default_rng(7)
    arguments = [13, 5, 20]
    for _ in range(2000):
        assert in_degrees(sent(numbers.uniform(-4, 4), "f4"), arguments) == ""
    places = numpy.outer(numpy.arange(200), 10.0 ** -numpy.arange(8))
    code = numpy.stack([numpy.sin(places), numpy.cos(places)], axis=-1).reshape(200, -1)
    for row in code:
        assert in_degrees(row, arguments) == "", "the code of a position"
    assert in_degrees(numpy.eye(12).reshape(-1)[:4096], arguments) == ""
    assert in_degrees(numpy.array([0.6]), arguments) == in_degrees(numpy.zeros(0), arguments) == ""


@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("period", [24, 12, 7, 60, 52])
def test_degrees_in_several_rows(period: int, kind: str) -> None:
    """No argument says the number; the rows are in any order."""
    numbers = numpy.random.default_rng(period).permutation(period)[: max(5, period // 3)]
    degrees = (numbers * 360 / period).astype(kind)
    for is_sine_first in (True, False):
        rows = numpy.stack([sent(one, kind, is_sine_first=is_sine_first) for one in degrees])
        found = of_several(rows)
        assert f"of {period} " in found and f"in all of {len(rows)} rows" in found
        right = [sent(numpy.radians(one), kind, is_sine_first=is_sine_first) for one in degrees]
        assert of_several(numpy.stack(right)) == ""
    assert of_several(rows[:2].repeat(3, axis=0)) == "", "two numbers may be like that by chance"
    assert of_several(numpy.vstack([rows, right[1:2]])) == ""


def test_other_rows_on_the_unit_circle() -> None:
    numbers = numpy.random.default_rng(5)
    for _ in range(300):
        angles = numbers.uniform(-3, 3) + numbers.uniform(0, 3) * numpy.arange(8)
        assert of_several(numpy.stack([sent(one, "f4") for one in angles])) == ""
    for frequency in (1, 2, numpy.pi, 0.1, 10):
        assert of_several(numpy.stack([sent(frequency * one, "f4") for one in range(12)])) == ""
    assert of_several(numpy.stack([sent(numpy.radians(one), "f4") for one in range(0, 360, 15)])) == ""
    assert of_several(numpy.zeros((8, 3))) == of_several(numpy.eye(8)) == ""

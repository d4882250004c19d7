"""Distances, ratios and angles of points that are read at another distance than theirs; and right twins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import acos, degrees, dist, hypot
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes import point_steps
from tests.watch.test_uses_of_answers import asked_of

Points = Callable[[int], Sequence[float]]


def mesh(period: int, seed: int) -> Any:
    """60 points near each other, in one row of numbers, of which those behind the first two are small."""
    rng = numpy.random.default_rng(seed)
    along = numpy.arange(60)[:, None] / 7
    places = rng.normal(0, 3, (60, period))
    places[:, :2] += numpy.concatenate([60 + 30 * numpy.sin(along), 130 + 30 * numpy.cos(along)], axis=1)
    return places.reshape(1, 1, 1, -1).astype("f4")


def hand(period: int, seed: int) -> Any:
    """24 points that lie anywhere from 0 to 1, a row each."""
    return numpy.random.default_rng(seed).random((1, 24, period)).astype("f4")


def wide(at: Points) -> str:
    return f"nose {at(1)[0]:.1f} {at(1)[1]:.1f}\neyes {dist(at(3), at(14)):.3f} apart\n"


def ratio(at: Points) -> str:
    return f'{{"openness": {dist(at(5), at(8)) / dist(at(2), at(13)):.4f}}}'


def angle(at: Points) -> str:
    one, middle, other = at(4), at(7), at(12)
    sides = [[a - b for a, b in zip(end, middle, strict=True)] for end in (one, other)]
    part = sum(a * b for a, b in zip(*sides, strict=True)) / (hypot(*sides[0]) * hypot(*sides[1]))
    return f"elbow bent by {degrees(acos(part)):.1f} degrees\n"


def said(text: Callable[[Points], str], answer: Any, step: int, used: int = 2) -> str:
    def say(answers: Sequence[Any]) -> str:
        flat = answers[0][0].reshape(-1).astype(float)
        return text(lambda one: [float(number) for number in flat[step * one :][:used]])

    return point_steps.misstepped(asked_of(say, answer))


@pytest.mark.parametrize("text", [wide, ratio, angle])
@pytest.mark.parametrize("made", [mesh, hand])
@pytest.mark.parametrize(("period", "step"), [(3, 3), (3, 2), (2, 2), (2, 3), (3, 4), (5, 5), (5, 3)])
def test_distances(text: Callable[[Points], str], made: Callable[..., Any], period: int, step: int) -> None:
    found = [said(text, made(period, seed), step) for seed in range(4)]
    steps = "2 or 4" if step == 4 else step
    seen = [f"read as points of {steps} numbers?" in one for one in found]
    assert sum(seen) >= 3 if step != period and period < 4 else not any(found), found


@pytest.mark.parametrize("made", [mesh, hand])
def test_distances_in_space(made: Callable[..., Any]) -> None:
    for text in (wide, ratio, angle):
        assert said(text, made(3, 1), 3, used=3) == ""
    assert "read as points of 2 or 4" in said(wide, made(3, 1), 4, used=3)


@pytest.mark.parametrize(
    "text",
    [
        lambda at: "".join(f"{hypot(*at(one)):.3f}\n" for one in (2, 5, 9)),
        lambda at: "".join(f"{at(one)[0] / at(one)[2]:.3f}\n" for one in (2, 5, 9)),
        lambda at: "".join(f"{at(one)[0] - at(one)[2]:.3f}\n" for one in (2, 5, 9)),
        lambda at: "".join(f"{sum(at(one)) / 3:.3f}\n" for one in (2, 5, 9)),
        lambda at: f"{numpy.std([at(one) for one in range(20)]):.3f}\n",
        lambda at: "".join(f"{at(one)[0]:.3f} {at(one)[1]:.3f}\n" for one in (2, 5, 9)),
        lambda at: "5 points\n",
    ],
)
@pytest.mark.parametrize("made", [mesh, hand])
@pytest.mark.parametrize("seed", range(3))
def test_numbers_that_are_no_distances(
    text: Callable[[Points], str], made: Callable[..., Any], seed: int
) -> None:
    assert said(text, made(3, seed), 3, used=3) == ""


@pytest.mark.parametrize("period", [4, 5, 6])
def test_sizes_of_boxes(period: int) -> None:
    def sizes(at: Points) -> str:
        boxes = [at(one) for one in (2, 3, 8)]
        return "".join(f"{box[2] - box[0]:.2f} x {box[3] - box[1]:.2f}\n" for box in boxes)

    def gap(at: Points) -> str:
        return f"{at(3)[0] - at(5)[2]:.3f} {(at(3)[2] - at(3)[0]) * (at(3)[3] - at(3)[1]):.3f}\n"

    for seed in range(4):
        assert said(sizes, hand(period, seed), period, used=4) == ""
        assert said(gap, hand(period, seed), period, used=4) == ""


def test_points_as_far_apart_in_both_readings() -> None:
    """The two points are a multiple of 4 elements apart when pairs are read, too."""

    def say(at: Points) -> str:
        return f"{dist(at(3), at(13)):.3f}\n"

    assert "read as points of 2 or 4 numbers?" in said(say, hand(3, 2), 2)

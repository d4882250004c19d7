"""Places in a map that guests bring to the size of a picture, each axis by its own factor or the other's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.asked import Placed, Sent
from pywasm_nn.watch.probes.crossed_scales import crossed
from tests.watch.test_uses_of_answers import asked_of

RNG = numpy.random.default_rng(4)
Scale = Callable[[tuple[int, int], tuple[int, int]], tuple[float, float]]
"""From a picture's and a map's width and height, the factors across and down."""


def own(size: tuple[int, int], map_: tuple[int, int]) -> tuple[float, float]:
    return size[0] / map_[0], size[1] / map_[1]


def by_other_sides(size: tuple[int, int], map_: tuple[int, int]) -> tuple[float, float]:
    return size[0] / map_[1], size[1] / map_[0]


def by_other_factors(size: tuple[int, int], map_: tuple[int, int]) -> tuple[float, float]:
    return size[1] / map_[1], size[0] / map_[0]


def whole(size: tuple[int, int], map_: tuple[int, int]) -> tuple[float, float]:
    return size[0] // map_[1], size[1] // map_[0]


def mask(kind: str, map_: tuple[int, int]) -> Any:
    """A thing in an answer: scores of each class, one map of shares, or labels."""
    width, height = map_
    labels = numpy.zeros((height, width), "i8")
    labels[height // 4 : height // 2, width // 3 : width // 2] = 2
    labels[-3:, -6:] = 1
    if kind == "labels":
        return labels[None]
    if kind == "shares":
        return numpy.where(labels == 2, 0.9, 0.05)[None, None].astype("f4")
    planes = (labels == numpy.arange(4)[:, None, None]) * 5 + RNG.normal(0, 0.3, (4, height, width))
    return (planes.transpose(1, 2, 0) if kind == "interleaved" else planes)[None].astype("f4")


def found_in(kind: str, answer: Any) -> Any:
    if kind == "labels":
        return answer[0] == 2
    if kind == "shares":
        return answer[0, 0] > 0.5
    return answer[0].argmax(axis=2 if kind == "interleaved" else 0) == 2


def guest(kind: str, size: tuple[int, int], map_: tuple[int, int], scale: Scale, form: str) -> Any:
    def say(answers: Sequence[Any]) -> str:
        rows, columns = numpy.nonzero(found_in(kind, numpy.asarray(answers[0][0])))
        if len(rows) < 5:
            return "nothing\n"
        by = scale(size, map_)
        x, y = (columns.mean() + 0.5) * by[0], (rows.mean() + 0.5) * by[1]
        return form.format(x, y, *size, 100 * len(rows) / (map_[0] * map_[1]))

    return say


BESIDE = (
    "car: {4:.1f} % of the picture, at x={0:.0f} y={1:.0f} of {2}x{3}\n",
    "[{2} x {3}] {1:.1f} {0:.1f}\n",
)
SIZES = (((1280, 720), (64, 48)), ((640, 480), (80, 40)), ((500, 900), (40, 56)))


@pytest.mark.parametrize("kind", ["planes", "interleaved", "shares", "labels"])
@pytest.mark.parametrize(("size", "map_"), SIZES)
@pytest.mark.parametrize("form", BESIDE)
def test_factors_of_the_other_axis(
    kind: str, size: tuple[int, int], map_: tuple[int, int], form: str
) -> None:
    for scale, seen in (
        (own, False), (by_other_sides, True), (by_other_factors, True), (lambda *_: (1, 1), False),
        (lambda *_: (8, 8), False), (lambda *_: (0.01, 0.02), False),
    ):  # fmt: skip
        hint = crossed(asked_of(guest(kind, size, map_, scale, form), mask(kind, map_)))
        assert ("factors of the two axes exchanged" in hint) is seen


def test_factors_that_are_rounded_down() -> None:
    say = guest("planes", *SIZES[0], whole, BESIDE[0])
    assert "factors of the two axes exchanged" in crossed(asked_of(say, mask("planes", SIZES[0][1])))


def test_size_of_the_picture_that_was_read() -> None:
    placed = Placed((720, 1280), (0, 0, 720, 1280), (0, 0, 96, 128), (96, 128))
    sent = [Sent("x", (1, 3, 96, 128), None, None, placed)]
    for scale, seen in ((own, False), (by_other_sides, True), (by_other_factors, True)):
        say = guest("planes", (1280, 720), (64, 48), scale, "at {:.0f}, {:.0f}\n")
        hint = crossed(asked_of(say, mask("planes", (64, 48)), sent=sent))
        assert ("factors of the two axes exchanged" in hint) is seen
        assert crossed(asked_of(say, mask("planes", (64, 48)))) == ""


@pytest.mark.parametrize("size", [(1, 1), (100, 100)])
@pytest.mark.parametrize("form", ["at {0:.2f}, {1:.2f} ({4:.1f} %)\n"])
def test_shares_of_the_picture(size: tuple[int, int], form: str) -> None:
    for scale, seen in ((own, False), (by_other_sides, True)):
        hint = crossed(asked_of(guest("planes", size, (64, 48), scale, form), mask("planes", (64, 48))))
        assert ("factors of the two axes exchanged" in hint) is seen


def test_sizes_that_are_written_with_the_height_first() -> None:
    """Of the input, the map, or the picture."""
    for size, map_ in (((64, 48), (64, 48)), ((640, 480), (64, 48)), ((300, 400), (50, 50))):
        for form in ("{3}x{2}: {0:.1f}, {1:.1f}\n", "{2}x{3}: {0:.1f}, {1:.1f}\n"):
            assert crossed(asked_of(guest("planes", size, map_, own, form), mask("planes", map_))) == ""

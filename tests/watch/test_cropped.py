"""Points in a part that was cut out of a picture, and shares of one side times the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.asked import Placed, Sent
from pywasm_nn.watch.probes.cropped import by_other_side, misadded, uncropped
from pywasm_nn.watch.whatif.views import MIRRORED, UPSIDE_DOWN
from tests.watch.test_uses_of_answers import asked_of

WIDE = Placed((200, 300), (0, 50, 200, 250), (0, 0, 64, 64), (64, 64))
TALL = Placed((300, 200), (50, 0, 250, 200), (0, 0, 64, 64), (64, 64))
A_FACE = Placed((300, 400), (20, 90, 220, 290), (0, 0, 64, 64), (64, 64))
SAME = Placed((64, 96), (0, 16, 64, 80), (0, 0, 64, 64), (64, 64))
POINTS = numpy.array([[0.3, 0.4, 0.62, 0.41, 0.5, 0.7]], "f4")


def guest(by: float, x: float, y: float, form: str, *, turned: bool) -> Callable[..., str]:
    def say(answers: Sequence[Any]) -> str:
        points = answers[0][0].reshape(-1, 2)[:, :: -1 if turned else 1] * by + (x, y)
        return "score 0.9\n" + "".join(form.format(*point) for point in points)

    return say


@pytest.mark.parametrize("unit", [1, 64])
@pytest.mark.parametrize("turned", [True, False])
@pytest.mark.parametrize(
    ("placed", "x", "y", "form", "seen"),
    [
        (WIDE, 0, 0, "eye {:.1f}, {:.1f}\n", True), (WIDE, 50, 0, "eye {:.1f}, {:.1f}\n", False),
        (TALL, 0, 0, "eye {:.0f} {:.0f}\n", True), (TALL, 0, 50, "eye {:.0f} {:.0f}\n", False),
        (A_FACE, 0, 0, "eye {:.1f}, {:.1f}\n", False), (WIDE, 0, 0, "in the crop {:.1f}, {:.1f}\n", False),
        (None, 0, 0, "eye {:.1f}, {:.1f}\n", False),
    ],
)  # fmt: skip
def test_points(
    placed: Placed | None, x: float, y: float, form: str, seen: bool, turned: bool, unit: int
) -> None:
    say = guest(200 / unit, x, y, form, turned=turned)
    sent = [Sent("image", (1, 64, 64, 3), None, None, placed)]
    found = uncropped(asked_of(say, POINTS * unit, sent=sent))
    assert ("is that not added to x and y?" in found) == seen == bool(found)


def test_points_of_the_input() -> None:
    for by, placed in ((64, WIDE), (1, WIDE), (64, SAME)):
        sent = [Sent("image", (1, 64, 64, 3), None, None, placed)]
        say = guest(by, 0, 0, "eye {:.2f}, {:.2f}\n", turned=False)
        assert uncropped(asked_of(say, POINTS, sent=sent)) == ""


FILLED = Placed((240, 400), (0, 0, 240, 400), (0, 0, 24, 40), (24, 40))
BARRED = Placed((240, 400), (0, 0, 240, 400), (8, 0, 24, 40), (40, 40))


def side_of(
    scales: tuple[float, float],
    placed: Placed | None = FILLED,
    *,
    moves: bool = True,
    down: float = 1.0,
    point: tuple[float, float] = (0.7, 0.28),
    shape: tuple[int, ...] = (1, 24, 40, 1),
) -> str:
    """What is said of a guest that multiplies a point by these, if a height's share is up to `down`."""
    x, y = point
    views = {UPSIDE_DOWN: (x + 0.01, down - y), MIRRORED: (1 - x, y)}

    def answer_to(view: Any) -> dict[int, Any]:
        return {0: numpy.array([views[view] if moves else point], "f4")} if view in views else {}

    def say(answers: Sequence[Any]) -> str:
        flat = answers[0][0].reshape(-1)
        return "ball at {:.0f}, {:.0f}".format(*(one * by for one, by in zip(flat, scales, strict=True)))

    sent = [Sent("frame", shape, None, None, placed)]
    asked = asked_of(say, numpy.array([point], "f4"), sent=sent, answer_to=answer_to)
    asked.last_picture = lambda: ("table.ppm", numpy.zeros((240, 400, 3), "u1"))
    return by_other_side(asked)


@pytest.mark.parametrize("placed", [FILLED, None])
def test_a_share_of_one_side_times_the_other(placed: Placed | None) -> None:
    assert "it is a share of the height, which is 240" in side_of((400, 400), placed)
    assert "it is a share of the width, which is 400" in side_of((240, 240), placed)
    assert side_of((240, 400), placed), "both"
    assert side_of((400, 240), placed) == ""


def test_shares_of_something_else() -> None:
    assert side_of((400, 400), down=0.6) == "", "both are shares of the width"
    assert side_of((400, 400), moves=False) == "", "the model doesn't say"
    assert side_of((400, 400), point=(0.7, 0.5)) == "", "in the middle"
    assert side_of((400, 400), point=(0.7, 0.3)) == "", "shares of two classes"
    assert side_of((400, 400), BARRED) == side_of((400, 400), None, shape=(1, 40, 40, 1)) == "", "bars"
    assert side_of((100, 100)) == side_of((40, 24)) == ""


PART = Placed((300, 400), (40, 90, 140, 240), (0, 0, 64, 96), (64, 96))
HALF = Placed((128, 192), (0, 0, 128, 192), (0, 0, 64, 96), (64, 96))
MESH = numpy.stack(numpy.meshgrid(numpy.arange(8, 90, 7.25), numpy.arange(4, 60, 5.5)), -1).astype("f4")[None]
SCALE = numpy.array([150 / 96, 100 / 64])
START = numpy.array([90, 40])
MADE: dict[str, Callable[[Any], Any]] = {
    "in the input's pixels": lambda point: START + point,
    "by the inverse of the scale": lambda point: START + point / SCALE,
    "by the scale of the whole picture": lambda point: START + point * (400 / 96, 300 / 64),
    "before they are multiplied": lambda point: (START + point) * SCALE,
    "": lambda point: START + point * SCALE,
    "in the part's pixels": lambda point: point * SCALE,
    "none is added": lambda point: point,
    "shares of the picture": lambda point: (START + point * SCALE) / (400, 300),
}


def added(
    made: Callable[[Any], Any],
    placed: Placed = PART,
    *,
    by: Any = 1.0,
    form: str = "{:.1f} {:.1f}\n",
    name: str = "points",
    points: Any = MESH,
) -> str:
    """What is said of a guest that makes points so of an answer with three of them. `by`: the sides of which
    the answer has shares."""

    def say(answers: Sequence[Any]) -> str:
        some = answers[0][0].reshape(-1, 2)[[5, 17, 40]]
        return "score 0.97\n" + "".join(form.format(*made(point * by)) for point in some)

    sent = [Sent("image", (1, 64, 96, 3), None, None, placed)]
    return misadded(asked_of(say, (points / by).astype("f4"), sent=sent, names=[name]))


@pytest.mark.parametrize("form", ["{:.1f} {:.1f}\n", "eye {:5.0f},{:5.0f}\n", "{:.2f} / {:.2f}\n"])
@pytest.mark.parametrize("by", [1.0, numpy.array([96, 64])])
@pytest.mark.parametrize("way", MADE)
def test_the_place_of_a_part_added_to_points_of_the_input(way: str, by: Any, form: str) -> None:
    found = added(MADE[way], by=by, form=form)
    is_wrong = "input" in way or "scale" in way or "before" in way
    assert bool(found) is is_wrong and (not is_wrong or f"points {way}" in found or way in found)
    assert added(MADE[way], by=by, form="input: " + form) == ""
    same = Placed((300, 400), (40, 90, 104, 186), (0, 0, 64, 96), (64, 96))
    assert added(lambda point: START + point, same, by=by, form=form) == "", "which wasn't resized"


@pytest.mark.parametrize("by", [1.0, numpy.array([96, 64])])
@pytest.mark.parametrize("form", ["{:.1f} {:.1f} of 192 x 128\n", "(192x128) {:5.0f},{:5.0f}\n"])
def test_points_of_the_input_beside_the_size_of_the_picture(form: str, by: Any) -> None:
    assert "are they not multiplied by 2 and 2?" in added(lambda point: point, HALF, by=by, form=form)
    assert added(lambda point: 2 * point, HALF, by=by, form=form) == ""
    assert added(lambda point: point, HALF, by=by, form=form.replace("192", "193")) == ""
    assert added(lambda point: point, HALF, by=by, form="96 x 64: " + form) == ""


def test_numbers_of_classes_are_no_points() -> None:
    form = "{:.1f} {:.1f} of 192 x 128\n"
    for name in ("logits", "class_scores"):
        assert added(lambda point: point, HALF, form=form, name=name) == ""
    logits = (MESH - MESH.mean()) / 12
    assert added(lambda point: point, HALF, form=form, points=logits) == ""


FRAME = Placed((360, 480), (0, 0, 360, 480), (0, 0, 48, 80), (48, 80))
ONE = numpy.array([[0.31, 0.42, 0.2, 0.55]], "f4")


def gripped(
    scales: tuple[float, float],
    form: str = "{:.0f} {:.0f} in 480x360\n",
    placed: Placed = FRAME,
    box: Any = ONE,
) -> str:
    """Returns the hint about a guest that writes the middle of a box of shares, or its width, times these."""

    def say(answers: Sequence[Any]) -> str:
        return form.format(*(one * by for one, by in zip(answers[0][0].reshape(-1), scales, strict=False)))

    sent = [Sent("image", (1, *placed.input, 1), None, None, placed)]
    return misadded(asked_of(say, box, sent=sent, names=["box"]))


@pytest.mark.parametrize("form", ["{:.0f} {:.0f} in 480x360\n", "480 x 360: x={:.2f} y={:.2f}\n"])
def test_two_shares_by_both_sides_of_the_input(form: str) -> None:
    """One number by each side says enough: hardly anything else has these two factors."""
    assert "are they not multiplied by 6 and 7.5?" in gripped((80, 48), form)
    for right in ((480, 360), (80, 80), (48, 48), (100, 100), (80, 360)):
        assert gripped(right, form) == ""
    assert gripped((80, 48), form.replace("360", "361")) == "", "another size"
    assert gripped((80, 48), "80x48: " + form) == "", "the input's size, too"
    both = "{0:.0f} {1:.0f} in 480x360, {2:.0f} {3:.0f}\n"
    assert gripped((80, 48, 480, 360), both) == "", "and in the picture's pixels"
    percents = Placed((360, 480), (0, 0, 360, 480), (0, 0, 100, 102), (100, 102))
    assert gripped((100, 100), form, percents) == "", "percents"

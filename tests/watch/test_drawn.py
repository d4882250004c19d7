"""Boxes that guests write in pixels: of the picture or the input, with or without its bars, as corners or
middles. Each mistake has right twins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.asked import Placed, Sent
from pywasm_nn.watch.probes.counted_anchors import middles_of
from pywasm_nn.watch.probes.drawn import misdrawn
from pywasm_nn.watch.probes.kept_boxes import shared
from pywasm_nn.watch.probes.scored import unsquashed
from pywasm_nn.watch.probes.suppression import misjudged
from tests.watch.test_uses_of_answers import asked_of

RNG = numpy.random.default_rng(6)
CELLS = numpy.stack(numpy.meshgrid(numpy.arange(2, 96, 8), numpy.arange(2, 64, 8)), -1).reshape(-1, 2)
BOXES = numpy.concatenate([CELLS, numpy.full((96, 2), 11), numpy.full((96, 1), 0.02)], axis=1).astype("f4")
BOXES[[13, 42, 70], 4] = 0.9, 0.8, 0.7
FITTED = Placed((160, 120), (0, 0, 160, 120), (0, 24, 64, 48), (64, 96))
WHOLE = Placed((192, 288), (0, 0, 192, 288), (0, 0, 64, 96), (64, 96))
SAME = Placed((64, 96), (0, 0, 64, 96), (0, 0, 64, 96), (64, 96))


def guest(form: str, of: Callable[[Any], Sequence[float]], *, suppresses: bool = True) -> Callable[..., str]:
    def say(answers: Sequence[Any]) -> str:
        rows = answers[0][0][0]
        found = sorted((row for row in rows if row[4] > 0.5), key=lambda row: -row[4])
        kept: list[Any] = []
        for row in found:
            if not suppresses or all(abs(row[:2] - one[:2]).max() > 9 for one in kept):
                kept.append(row)
        return "288 x 192\n" + "".join(form.format(*of(row), row[4]) for row in kept)

    return say


def hint(say: Callable[..., str], placed: Placed | None, boxes: Any = BOXES, scale: Any = 1.0) -> str:
    sent = [Sent("picture", (1, 1, 64, 96), None, None, placed)]
    made = boxes.copy()
    made[:, :4] *= scale
    return misdrawn(asked_of(say, made[None].astype("f4"), sent=sent))


AT = "cell at {:.0f}, {:.0f} ({:.2f})\n"


@pytest.mark.parametrize(
    ("of", "said"),
    [
        (lambda row: ((row[0] - 24) * 2.5, row[1] * 2.5), ""),
        (lambda row: (row[0], row[1]), ""),
        (lambda row: (row[0] / 96, row[1] / 64), ""),
        (lambda row: ((row[0] - 24) / 48, row[1] / 64), ""),
        (
            lambda row: (row[0] * 2.5, row[1] * 2.5),
            "x = 2.5 * element - 60; the guest writes x = 2.5 * element:",
        ),
        (lambda row: (row[0] * 1.25, row[1] * 2.5), "the guest writes x = 1.25 * element, as if it filled"),
    ],
)
@pytest.mark.parametrize("scale", [1.0, numpy.array([1 / 96, 1 / 64] * 2)])
def test_a_letterbox(of: Callable[[Any], Sequence[float]], said: str, scale: Any) -> None:
    by = numpy.ones(4) * scale
    found = hint(guest(AT, lambda row: of(row[:4] / by)), FITTED, scale=scale)
    assert (said in found) if said else found == ""
    assert hint(guest(AT, lambda row: of(row[:4] / by)), None, scale=scale) == "", "its place is not known"


def test_rows_that_begin_with_y() -> None:
    """As TensorFlow's do; what is right for them is wrong the other way round."""
    turned = BOXES[:, [1, 0, 3, 2, 4]]
    for bars, seen in ((24, False), (0, True)):
        found = hint(guest(AT, lambda row, bars=bars: ((row[1] - bars) * 2.5, row[0] * 2.5)), FITTED, turned)
        assert ("bars of the letterbox not taken away?" in found) is seen


@pytest.mark.parametrize("bars", [0, 24])
def test_a_part_of_a_picture_has_pixels_of_its_own(bars: int) -> None:
    part = Placed((160, 200), (0, 40, 160, 160), (0, 24, 64, 48), (64, 96))
    assert hint(guest(AT, lambda row: ((row[0] - bars) * 2.5, row[1] * 2.5)), part) == ""


@pytest.mark.parametrize(
    ("by", "form", "seen"),
    [(1, AT, True), (3, AT, False), (1, "in the input: " + AT, False), (1, "96 x 64: " + AT, False)],
)
def test_boxes_of_a_larger_picture(by: int, form: str, seen: bool) -> None:
    found = hint(guest(form, lambda row: by * row[:2]), WHOLE)
    assert ('beside them "288 x 192", the size of the picture' in found) is seen


CORNERS = "{:5.1f} {:5.1f} {:5.1f} {:5.1f} {:.2f}\n"


def middle(row: Any) -> Any:
    return [*(row[:2] - row[2:4] / 2), *(row[:2] + row[2:4] / 2)]


def first(row: Any) -> Any:
    return [*row[:2], *(row[:2] + row[2:4])]


@pytest.mark.parametrize(("of", "seen"), [(middle, False), (first, True), (lambda row: row[:4], False)])
def test_middles_as_corners(of: Callable[[Any], Any], seen: bool) -> None:
    found = hint(guest(CORNERS, of), SAME, OUTSIDE)
    assert ("writes 90, 24, 101, 35 as two corners" in found) is seen
    assert hint(guest(CORNERS, first), SAME, LEFT) == "", "rows that do begin with a corner"


OUTSIDE = BOXES.copy()
OUTSIDE[42, :4] = 90, 24, 11, 11
LEFT = OUTSIDE.copy()
LEFT[13, :4] = 1, 10, 11, 11


LOGITS = numpy.where(BOXES[:, 4:] > 0.5, 3 * BOXES[:, 4:], RNG.uniform(-40, -5, (96, 1))).astype("f4")


@pytest.mark.parametrize(
    ("form", "by", "seen"),
    [
        ("face {:.3f} at {:.0f} {:.0f}\n", lambda one: one, True),
        ("face {:.3f} at {:.0f} {:.0f}\n", lambda one: 1 / (1 + numpy.exp(-one)), False),
        ("face, logit {:.3f}, at {:.0f} {:.0f}\n", lambda one: one, False),
        ("face at {1:.0f} {2:.0f}\n", lambda one: one, False),
    ],
)
def test_logits_beside_boxes(form: str, by: Callable[[Any], Any], seen: bool) -> None:
    def say(answers: Sequence[Any]) -> str:
        boxes, scores = (one[0] for one in answers[0])
        best = int(scores.max(axis=1).argmax())
        return form.format(by(scores[best].max()), *boxes[best, :2])

    asked = asked_of(say, BOXES[None, :, :4], LOGITS[None], names=("boxes", "scores"))
    assert ("beside a box, which is its score as the model gives it" in unsquashed(asked)) is seen
    shares = asked_of(say, BOXES[None, :, :4], BOXES[None, :, 4:], names=("boxes", "scores"))
    assert unsquashed(shares) == ""


NEAR = BOXES.copy()
NEAR[50:54] = NEAR[42] + numpy.array([[3, 0, 0, 0, 0], [0, 3, 0, 0, 0], [3, 3, 0, 0, 0], [-3, 0, 0, 0, 0]])


@pytest.mark.parametrize(
    ("of", "said"), [(middle, "suppression missing?"), (lambda row: row[:4], "as if they were corners?")]
)
def test_boxes_over_each_other(of: Callable[[Any], Any], said: str) -> None:
    for suppresses in (True, False):
        found = misjudged(asked_of(guest(CORNERS, of, suppresses=suppresses), NEAR[None]))
        assert (said in found) is not suppresses


@pytest.mark.parametrize(("by", "seen"), [(1.0, True), (0.5, False)])
def test_boxes_beyond_a_smaller_picture(by: float, seen: bool) -> None:
    """The picture lies in the input twice as large as it is."""
    small = Placed((32, 48), (0, 0, 32, 48), (0, 0, 64, 96), (64, 96))
    form = "box {:.1f} {:.1f} {:.1f} {:.1f} {:.2f}\n"
    found = hint(guest(form, lambda row: by * numpy.array(middle(row))), small, OUTSIDE)
    assert ("are they not divided by 2?" in found) is seen
    assert hint(guest("model's input: " + form, lambda row: by * numpy.array(middle(row))), small) == ""


@pytest.mark.parametrize(
    ("form", "by", "seen"),
    [
        ("box {:.1f} {:.1f} {:.1f} {:.1f} {:.2f}\n", 1.0, True),
        ("box {:.1f} {:.1f} {:.1f} {:.1f} {:.2f}\n", 2.5, False),
        ("box {:.1f} {:.1f} {:.1f} {:.1f} {:.2f} of 96\n", 1.0, False),
        ("resized: {:.1f} {:.1f} {:.1f} {:.1f} {:.2f}\n", 1.0, False),
    ],
)
@pytest.mark.parametrize("of", [middle, lambda row: row[:4]])
def test_boxes_in_the_pixels_of_the_input(form: str, by: float, seen: bool, of: Callable[[Any], Any]) -> None:
    """The picture is larger, and its size isn't said; it lies at the upper left, or fills the input."""
    fitted = Placed((160, 240), (0, 0, 160, 240), (0, 0, 64, 96), (64, 96))
    corner = Placed((160, 200), (0, 0, 160, 200), (0, 0, 64, 80), (64, 96))
    for placed in (fitted, corner):
        found = hint(guest(form, lambda row: [by * one for one in of(row)]), placed)
        assert ("are they not multiplied by 2.5 across and 2.5 down?" in found) is seen
    assert hint(guest(form, lambda row: [by * one for one in of(row)]), SAME) == ""


@pytest.mark.parametrize(
    ("rows", "many", "seen"), [(BOXES, 1, True), (BOXES / 30, 1, False), (BOXES, 4, False)]
)
def test_rows_of_classes_are_no_boxes(rows: Any, many: int, seen: bool) -> None:
    """Such as those of several pictures, of which the first ones are written."""
    fitted = Placed((160, 240), (0, 0, 160, 240), (0, 0, 64, 96), (64, 96))
    sent = [Sent("picture", (many, 1, 64, 96), None, None, fitted)]
    made = numpy.concatenate([rows[:, :4] - (0 if seen or many > 1 else 2), BOXES[:, 4:]], axis=1)
    say = guest("row {:.2f} {:.2f} {:.2f} {:.2f} {:.2f}\n", lambda row: row[:4])
    assert bool(misdrawn(asked_of(say, made[None].astype("f4"), sent=sent))) is seen


SPANS = "columns {0:.0f} to {2:.0f}, rows {1:.0f} to {3:.0f}, {4:.2f}\n"
SIDES = "left {:.0f} top {:.0f} width {:.0f} height {:.0f}, {:.2f}\n"


def turned(boxes: Any, *, by_middle: bool, scale: Any) -> Any:
    """The boxes of the picture's mirror image, 96 pixels wide, of which the model is not as sure."""
    made = boxes.copy()
    made[:, 0] = 96 - made[:, 0] - (0 if by_middle else made[:, 2]) + RNG.uniform(-0.5, 0.5, 96)
    made[:, :4] *= scale
    made[:, 4] *= 0.95
    return made[::-1][None].astype("f4")


@pytest.mark.parametrize("scale", [1.0, numpy.array([1 / 96, 1 / 64] * 2)])
@pytest.mark.parametrize(
    ("form", "of", "wrong"),
    [
        (CORNERS, first, True),
        (SPANS, first, True),
        (SIDES, lambda row: row[:4], True),
        (CORNERS, middle, False),
        (SPANS, middle, False),
        (CORNERS, lambda row: row[:4], False),
        (SIDES, lambda row: [*(row[:2] - row[2:4] / 2), *row[2:4]], False),
    ],
)
def test_middles_as_corners_inside_the_picture(
    form: str, of: Callable[[Any], Any], scale: Any, *, wrong: bool
) -> None:
    """Where no box goes beyond it, the mirror image says what rows begin with."""
    by = numpy.ones(4) * scale
    boxes = BOXES.copy()
    boxes[:, :4] *= scale
    for rows in ([13], [13, 42, 70]):
        own = boxes.copy()
        own[[one for one in (13, 42, 70) if one not in rows], 4] = 0.02
        for by_middle in (True, False):
            sent = [Sent("picture", (1, 1, 64, 96), None, None, SAME)]
            asked = asked_of(guest(form, lambda row: of(row[:4] / by)), own[None].astype("f4"), sent=sent)
            plain = own.copy()
            plain[:, :4] /= scale
            asked.answer_to = lambda _, plain=plain, so=by_middle: {
                0: turned(plain, by_middle=so, scale=scale)
            }
            assert ("rows begin with the middle" in misdrawn(asked)) is (wrong and by_middle)
            asked.answer_to = lambda _: {}
            assert misdrawn(asked) == ""


def overlapping(least: float, by: Any, *, by_corners: bool) -> Callable[..., str]:
    """A guest that writes each row's own numbers in pixels, and drops what shares so much of a box's area."""

    def corners(row: Any) -> Any:
        return numpy.array(first(row) if by_corners else middle(row))

    def say(answers: Sequence[Any]) -> str:
        kept: list[Any] = []
        for row in sorted((row for row in answers[0][0][0] if row[4] > 0.5), key=lambda row: -row[4]):
            if all(shared(numpy.stack([corners(row), corners(one)]))[0, 1] < least for one in kept):
                kept.append(row)
        lines = "".join("face x {:.1f} y {:.1f}, {:.1f} by {:.1f}\n".format(*(row[:4] / by)) for row in kept)
        return f"{lines}{len(kept)} found\n"

    return say


@pytest.mark.parametrize("scale", [1.0, numpy.array([1 / 96, 1 / 64] * 2)])
@pytest.mark.parametrize("least", [0.3, 0.45, 0.5, 0.6, 0.7, 2.0])
def test_middles_compared_as_corners(least: float, scale: Any) -> None:
    """x and y of a middle may well be written; who compares boxes by them as corners takes them for such."""
    own = BOXES.copy()
    own[:, 4] = numpy.where(numpy.arange(96) == 13, 0.9, 0.02)
    sent = [Sent("picture", (1, 1, 64, 96), None, None, SAME)]
    for by_corners, by_middle in ((True, True), (False, True), (True, False), (False, False)):
        made = own.copy()
        made[:, :4] *= scale
        say = overlapping(least, numpy.ones(4) * scale, by_corners=by_corners)
        asked = asked_of(say, made[None].astype("f4"), sent=sent)
        asked.answer_to = lambda _, so=by_middle: {0: turned(own, by_middle=so, scale=scale)}
        found = misdrawn(asked)
        assert ("as a middle does and no corner" in found) is (by_corners and by_middle and least < 1)
        asked.answer_to = lambda _: {}
        assert misdrawn(asked) == ""


@pytest.mark.parametrize("by_middle", [True, False])
def test_one_thing_in_the_middle_of_a_row(by_middle: bool) -> None:
    """Its mirror image is where it is, so that its height says nothing of its width."""
    own = BOXES.copy()
    own[:, 4] = 0.02
    own[20] = (48 if by_middle else 38, 48, 20, 12, 0.9)
    sent = [Sent("picture", (1, 1, 64, 96), None, None, SAME)]
    asked = asked_of(guest(CORNERS, first), own[None].astype("f4"), sent=sent)
    asked.answer_to = lambda _: {0: turned(own, by_middle=by_middle, scale=1.0)}
    assert ("rows begin with the middle" in misdrawn(asked)) is by_middle


CELLS_OF_128 = middles_of(((8, 2), (16, 6)), (128, 128))
BARS = Placed((192, 256), (0, 0, 192, 256), (16, 0, 96, 128), (128, 128))


@pytest.mark.parametrize(
    "form", ["at {:.0f},{:.0f} of {:.0f} by {:.0f} ({:.2f})\n", "{:.1f} {:.1f} {:.1f} {:.1f} {:.1f}\n"]
)
@pytest.mark.parametrize(
    ("of", "said"),
    [
        (lambda x, y: (2 * x, 2 * y - 32), ""),
        (lambda x, y: (x, y), "are they not multiplied by 2 across and 2 down"),
        (lambda x, y: (2 * x, 2 * y), "y = 2 * place in the input - 32; the guest writes y = 2 * place"),
        (lambda x, y: (2 * x, 1.5 * y), "the guest writes y = 1.5 * place in the input, as if it filled"),
    ],
)
def test_boxes_relative_to_cells(of: Callable[[Any, Any], Any], said: str, form: str) -> None:
    boxes = RNG.normal(0, 5, (1, 896, 16)).astype("f4")
    boxes[..., 2:4] = 20 + RNG.random((1, 896, 2)) * 10
    scores = RNG.normal(-6, 1, (1, 896, 1)).astype("f4")
    scores[0, [205, 601], 0] = 3.0, 2.0

    def say(answers: Sequence[Any]) -> str:
        rows, levels = answers[0][0][0], answers[0][1][0, :, 0]
        best = int(levels.argmax())
        middle, sides = CELLS_OF_128[best] + rows[best, :2], rows[best, 2:4]
        first, second = (numpy.array(of(*one)) for one in (middle - sides / 2, middle + sides / 2))
        return form.format(*first, *(second - first), levels[best])

    for placed, seen in ((BARS, said), (None, "")):
        sent = [Sent("picture", (1, 128, 128, 3), None, None, placed)]
        found = misdrawn(asked_of(say, boxes, scores, names=("boxes", "scores"), sent=sent))
        assert (seen in found) if seen else found == ""


@pytest.mark.parametrize(
    "form",
    [
        "left {:.0f} top {:.0f} right {:.0f} bottom {:.0f}\n",
        "{:.1f} {:.1f} {:.1f} {:.1f}\n",
        "columns {0:.0f} to {2:.0f}, rows {1:.0f} to {3:.0f}\n",
        "y {1:.0f} to {3:.0f}, x {0:.0f} to {2:.0f}\n",
    ],
)
@pytest.mark.parametrize("takes_corner", [True, False])
@pytest.mark.parametrize("by_middle", [True, False])
def test_middles_relative_to_cells_as_corners(form: str, takes_corner: bool, by_middle: bool) -> None:
    """Rows are known by the cells to which they belong, in the picture and in its mirror image."""

    def answer(x: float) -> tuple[Any, Any]:
        things = numpy.array([x if by_middle else x - 19, 70, 38, 44])
        away = numpy.hypot(*(CELLS_OF_128 - (x, 70)).T)
        rows = numpy.concatenate([things[:2] - CELLS_OF_128, numpy.tile(things[2:], (896, 1))], axis=1)
        rows[away > 30, :2] %= 7  # of nothing
        rows[away > 30, :2] -= 3
        return rows[None].astype("f4"), (4 - away)[None, :, None].astype("f4")

    def say(answers: Sequence[Any]) -> str:
        boxes, scores = answers[0][0][0], answers[0][1][0, :, 0]
        best = int(scores.argmax())
        box = numpy.concatenate([boxes[best, :2] + CELLS_OF_128[best], boxes[best, 2:4]])
        if scores[best] < 0.5:
            return "none\n"
        return form.format(*(first(box) if takes_corner else middle(box)))

    placed = Placed((128, 128), (0, 0, 128, 128), (0, 0, 128, 128), (128, 128))
    sent = [Sent("picture", (1, 128, 128, 3), None, None, placed)]
    asked = asked_of(say, *answer(50), names=("boxes", "scores"), sent=sent)
    asked.answer_to = lambda _: dict(enumerate(answer(78)))
    found = misdrawn(asked)
    assert ("with its cell added, begins with 50 begins with 78" in found) is (takes_corner and by_middle)
    asked.answer_to = lambda _: {}
    assert misdrawn(asked) == ""


@pytest.mark.parametrize("size", [" in a picture of 480 x 400", "", " of 128 x 128", " (128x128 of 480x400)"])
@pytest.mark.parametrize("by", [1.0, 3.125])
@pytest.mark.parametrize("place", [(33, 70), (84, 91), (61, 24)])
def test_whole_pixels_of_boxes_relative_to_cells(size: str, by: float, place: tuple[int, int]) -> None:
    """Of the input or the picture, beside the picture's size."""
    things = numpy.array([*place, 37, 36])
    away = numpy.hypot(*(CELLS_OF_128 - place).T)
    rows = numpy.concatenate([things[:2] - CELLS_OF_128, numpy.tile(things[2:], (896, 1))], axis=1)
    rows[away > 30, :2] %= 7  # of nothing
    rows[away > 30, :2] -= 3

    def say(answers: Sequence[Any]) -> str:
        boxes, scores = answers[0][0][0], answers[0][1][0, :, 0]
        best = int(scores.argmax())
        box = numpy.concatenate(
            [boxes[best, :2] + CELLS_OF_128[best] - boxes[best, 2:4] / 2, boxes[best, 2:4]]
        )
        if scores[best] < 0.5:
            return "none\n"
        return "at left {:.0f}, top {:.0f}, {:.0f} wide and {:.0f} high".format(*(by * box)) + size + "\n"

    placed = Placed((400, 480), (0, 0, 400, 480), (0, 0, 128, 128), (128, 128))
    sent = [Sent("picture", (1, 128, 128, 3), None, None, placed)]
    given = rows[None].astype("f4"), (8 - away)[None, :, None].astype("f4")
    found = misdrawn(asked_of(say, *given, names=("boxes", "scores"), sent=sent))
    assert ("not multiplied by 3.75 and 3.125" in found) is (by == 1 and size == " in a picture of 480 x 400")

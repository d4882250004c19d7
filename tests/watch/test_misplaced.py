"""Answers of which guests take elements from the wrong places, by what they write; and guests that don't."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.written.misplaced import order_of_box
from pywasm_nn.watch.written.misread import Fetched
from tests.watch.test_misread import listed, softmax, wrong

ORDER = numpy.random.default_rng(6)
SHARES = softmax(ORDER.normal(0, 2, (1, 40))).astype("f4")
TOP = SHARES[0].argsort()[::-1][:3].tolist()


def top(by: int = 0) -> str:
    return "\n".join(f"class {place + by}: {SHARES[0, place]:.4f}" for place in TOP)


def test_several_indices_off_by_one() -> None:
    for by in (1, -1):
        assert "off by one" in wrong(top(by), SHARES)
    assert wrong(top(), SHARES) == ""
    assert wrong(top(1) + " of 40", SHARES) == "", "counted from 1 on purpose"
    assert wrong("\n".join(f"{i + 1}: {one:.4f}" for i, one in enumerate(SHARES[0])), SHARES) == ""
    assert (
        wrong("\n".join(f"{i}. {place} {SHARES[0, place]:.4f}" for i, place in enumerate(TOP)), SHARES) == ""
    )


@pytest.mark.parametrize(
    "form", ["sensor {} deviates by {:.4f}\n", "at hour {}: {:.4f} kWh\n", "step {} {:.4f}\n"]
)
def test_things_that_people_count_from_one(form: str) -> None:
    load = ORDER.gamma(2, 2, (1, 24)).astype("f4")
    most = load[0].argsort()[::-1][:3].tolist()
    assert wrong("".join(form.format(at + 1, load[0, at]) for at in most), load) == ""
    assert "off by one" in wrong("".join(f"class {at + 1} {load[0, at]:.4f}\n" for at in most), load)


def test_inputs_of_a_batch_are_counted_from_one() -> None:
    """Each score is of another item, so that a place is a number of the program's own."""
    items = numpy.arange(40)
    assert wrong(top(1), SHARES[0], given=items) == wrong(top(1), SHARES[0], given=items[:, None]) == ""
    assert "off by one" in wrong(top(1), SHARES, given=items[None])
    assert "off by one" in wrong(top(1), SHARES[0], given=items[:7])


def test_the_last_class_is_never_looked_at() -> None:
    logits = numpy.array([[0.5, 2.25, 1.125, -1, 0.3, 4.5]], "f4")
    shares = softmax(logits)
    for value in (logits[0, 1], shares[0, 1], softmax(logits[0, :-1])[1]):
        assert "all elements but the last" in wrong(f"best 1 {value:.4f}", logits)
    assert wrong(f"best 5 {shares[0, 5]:.4f}, then 1 {shares[0, 1]:.4f}", logits) == ""
    assert wrong(f"1: {shares[0, 1]:.4f} 2: {shares[0, 2]:.4f}", logits) == "", "some classes of all"
    assert wrong(f"best 1 {shares[0, 1]:.4f}", numpy.roll(logits, 2)) == ""
    for words in ("unknown word; best 1", "below the threshold: best 1", "background, else best 1"):
        assert wrong(f"{words} {shares[0, 1]:.4f}", logits) == "", "the last class may be none"


def test_a_buffer_that_was_never_written() -> None:
    assert "never wrote" in wrong("best 0 (0.0000)", SHARES)
    assert wrong("best 0 (0.0000)", numpy.zeros((1, 10), "f4")) == ""
    assert wrong(f"frame 0 took 0.00 s, best {TOP[0]} {SHARES.max():.3f}", SHARES) == ""
    assert wrong("frame 0 took 0.0000 s", SHARES) == ""


def counted(classes: Any, form: str = "{}") -> str:
    counts = numpy.bincount(classes.ravel())
    return "\n".join(f"class {i}: " + form.format(int(one)) for i, one in enumerate(counts))


@pytest.mark.parametrize("planar", [True, False])
def test_pixels_of_the_other_layout(planar: bool) -> None:
    shape = (1, 5, 24, 32) if planar else (1, 24, 32, 5)
    scores = ORDER.normal(0, 1, shape).astype("f4")
    steps = numpy.array([0, 0.5, 1, 0.2, -0.5])
    scores += steps.reshape(1, 5, 1, 1) if planar else steps
    flat = scores.reshape(-1)
    right = scores.argmax(1 if planar else 3)
    other = flat.reshape(-1, 5).argmax(1) if planar else flat.reshape(5, -1).argmax(0)
    assert ("it is NCHW" if planar else "it is NHWC") in wrong(counted(other), scores)
    assert wrong(counted(right), scores) == ""
    assert wrong("took 154 ms for 768 pixels", scores) == ""
    places = "\n".join(f"a thing at {one}, {one + 300}, {one + 600} wide" for one in range(300, 320))
    assert wrong(f"{counted(other)}\n{places}", scores) == "", "of many numbers some are counts by chance"


@pytest.mark.parametrize("form", ["{:.1%}", "{:.2%} of the picture", "{:.4f}"])
def test_shares_of_a_large_picture_in_the_other_layout(form: str) -> None:
    scores = ORDER.normal(0, 1, (1, 4, 320, 256)).astype("f4")
    scores[:, :2] += numpy.linspace(-1, 2, 256, dtype="f4")
    right, other = scores.argmax(1), scores.reshape(-1, 4).argmax(1)
    for classes, is_wrong in ((right, False), (other, True)):
        shares = numpy.bincount(classes.ravel(), minlength=4) / classes.size
        text = "\n".join(f"kind {at}: {form.format(one)}" for at, one in enumerate(shares))
        assert ("it is NCHW" in wrong(text, scores)) is is_wrong
    assert wrong("99.1 % is road, 12.5 ms, -0.3", scores) == ""


def test_rows_and_columns_exchanged() -> None:
    scores = softmax(ORDER.normal(0, 2, (1, 12 * 20))).reshape(1, 12, 20).astype("f4")
    place = int(scores.argmax())
    a, b = divmod(place, 12)
    assert "rows and columns" in wrong(f"peak {a}, {b}: {scores.max():.4f}", scores)
    row, column = divmod(place, 20)
    for pair in ((row, column), (column, row)):
        assert wrong(f"peak {pair[0]}, {pair[1]}: {scores.max():.4f}", scores) == ""
    sure = numpy.zeros((20, 3), "f4")
    sure[range(20), (numpy.arange(20) + 2) % 3] = 1
    assert wrong("1 1 1.000\n1 10 1.000\n", sure) == "", "the value of many elements"


BOXES = numpy.array([[[0.125, 0.31, 0.56, 0.77], [0.05, 0.62, 0.2, 0.91]]], "f4")
KINDS = numpy.array([[17, 3]], "f4")
SCORES = numpy.array([[0.83, 0.61]], "f4")
COUNT = numpy.array([2], "f4")
FOUND = (BOXES, KINDS, SCORES, COUNT)


def test_x_and_y_of_boxes() -> None:
    def said(x: int, y: int, form: str = ".3f") -> str:
        return "\n".join(f"17 0.83 x={box[x]:{form}} y={box[y]:{form}}" for box in BOXES[0])

    assert "y stands before x" in wrong(said(0, 1), *FOUND)
    assert wrong(said(1, 0), *FOUND) == ""
    rows = numpy.array([[[[0, 1, 0.91, 0.12, 0.34, 0.5, 0.6], [0, 2, 0.81, 0.22, 0.74, 0.5, 0.9]]]], "f4")
    assert "x stands before y" in wrong("x: 0.340, y: 0.120\nx: 0.740, y: 0.220", rows)
    assert wrong("x: 0.120, y: 0.340\nx: 0.220, y: 0.740", rows) == ""


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("detection_boxes", (1, 0)),
        ("TFLite_Detection_PostProcess", (1, 0)),
        ("detections", None),
        ("dets", None),
    ],
)
def test_which_boxes_have_y_first(name: str, places: Any) -> None:
    rows = ORDER.random((1, 9, 4))
    boxes = Fetched(f'output 0 "{name}"', rows, b"", "<f4")
    assert order_of_box(boxes, (boxes, Fetched('output 1 "scores"', rows[..., 0], b"", "<f4"))) == places


def test_scores_from_another_output() -> None:
    assert "a score of 17" in wrong("class 0 score 17.00", *FOUND)
    assert wrong("class 17 score 0.83", *FOUND) == ""
    assert wrong("class 17 score 83.0", *FOUND) == ""


def test_several_outputs_as_they_are() -> None:
    assert wrong("\n".join(listed(one) for one in FOUND), *FOUND) == ""


@pytest.mark.parametrize("form", ["{} ", "window {at}: class {}\n", "{at} of 5: {} for {at}\n"])
@pytest.mark.parametrize("seed", range(3))
def test_a_search_that_goes_beyond_the_row_of_an_input(form: str, seed: int) -> None:
    """Rows of classes that grow from the first to the last, or the other way round."""
    answers = numpy.random.default_rng(seed).random((5, 4)).astype("f4")
    items, flat = numpy.zeros((5, 30)), answers.reshape(-1)

    def told(numbers: list[int]) -> str:
        return "".join(form.format(one, at=at + 1) for at, one in enumerate(numbers))

    growing = (answers + numpy.arange(5)[:, None] % 4).astype("f4")
    own, up = growing.argmax(axis=1), [int(growing.reshape(-1)[: 4 * at + 4].argmax()) for at in range(5)]
    text = wrong(told(up), growing, given=items)
    assert "from the first row on to the end of its own" in text and "each has a row of 4" in text
    assert wrong(told(own.tolist()), growing, given=items) == ""
    assert wrong(told(up), growing, given=items[:1]) == "", "one grid, of which the best cell is said so far"
    assert wrong(told(own.tolist()) + "\n" + told(up), growing, given=items) == "", (
        "the right ones are said, too"
    )
    down = [int(flat[4 * at :].argmax()) for at in range(5)]
    is_seen = max(down) > 3 and int((answers.argmax(axis=1) != down).sum()) > 1
    assert ("from its own row on" in wrong(told(down), answers, given=items)) is is_seen

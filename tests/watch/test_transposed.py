"""Boxes in columns that guests read as rows, and the other way round; and guests that read them right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.kept_boxes import uncounted
from pywasm_nn.watch.probes.transposed import transposed
from pywasm_nn.watch.spoken import Spoken
from pywasm_nn.watch.written.misread import Fetched, Round, misread
from tests.watch.test_uses_of_answers import Say, asked_of

COUNT, WIDTH = 400, 9
NAMES = ("boxes", "scores")


def table(*, objects: bool, logits: bool = False) -> Any:
    """Rows of a middle, sizes and scores, of which three are sure."""
    numbers = numpy.random.default_rng(8)
    rows = numpy.concatenate(
        [20 + 280 * numbers.random((COUNT, 4)), 0.02 * numbers.random((COUNT, 5))], axis=1
    )
    for place in (31, 170, 333):
        rows[place, 4:] = [0.94, 0.01, 0.97, 0.01, 0.02] if objects else [0.01, 0.02, 0.88, 0.01, 0.02]
    if logits:
        rows[:, 4:] = numpy.log(rows[:, 4:] / (1 - rows[:, 4:]))
    return rows.astype("f4")


def detect(*, in_rows: bool, objects: bool, counted: bool, grid: bool = False, logits: bool = False) -> Say:
    """A guest that writes all boxes with a score above a half, or how many there are."""

    def said(answers: Sequence[Any]) -> str:
        flat = answers[0][0].reshape(-1).astype("f8")
        rows = flat.reshape(COUNT, WIDTH) if in_rows else flat.reshape(WIDTH, COUNT).T
        scores = rows[:, 5:] * rows[:, 4:5] if objects else rows[:, 4:]
        kept = (scores.max(1) > (0.0 if logits else 0.5)).nonzero()[0]
        lines = [
            f"{scores[at].argmax()} at {rows[at, 0] + at % 20 * 16 * grid:.0f},{rows[at, 1]:.0f} "
            f"{rows[at, 2]:.0f} x {rows[at, 3]:.0f}\n"
            for at in kept
        ]
        return f"{len(kept)} things\n" + "".join(lines * (not counted))

    return said


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("objects", [False, True])
@pytest.mark.parametrize("in_rows", [False, True])
def test_the_layout_of_boxes(in_rows: bool, objects: bool, counted: bool) -> None:
    rows = table(objects=objects)
    array = rows[None] if in_rows else numpy.ascontiguousarray(rows.T)[None]
    right, wrong = (detect(in_rows=way, objects=objects, counted=counted) for way in (in_rows, not in_rows))
    assert transposed(asked_of(right, array)) == ""
    found = transposed(asked_of(wrong, array))
    shape = f"it has {COUNT} rows of {WIDTH}" if in_rows else f"it has {WIDTH} rows of {COUNT}"
    assert shape in found
    assert (
        transposed(asked_of(detect(in_rows=in_rows, objects=objects, counted=False, grid=True), array)) == ""
    )
    assert transposed(asked_of(lambda _: "done\n", array)) == ""


def test_scores_of_classes_read_as_that_of_any_object() -> None:
    array = numpy.ascontiguousarray(table(objects=False).T)[None]
    found = transposed(asked_of(detect(in_rows=True, objects=True, counted=False), array))
    assert "number k of box i is element k * 400 + i, and not i * 9 + k" in found


def test_logits() -> None:
    array = numpy.ascontiguousarray(table(objects=False, logits=True).T)[None]
    ways = (detect(in_rows=way, objects=False, counted=False, logits=True) for way in (False, True))
    assert [bool(transposed(asked_of(way, array))) for way in ways] == [False, True]


def test_a_place_is_no_logit() -> None:
    rows = table(objects=False)
    for array in (rows[None], rows.T[None], rows.astype("f4")):
        output = Fetched('output 0 "output0"', array.astype("f8"), b"", "<f4")
        said = f"face {100 * rows[7, 2]:.0f} % at 3,4\n"
        assert misread(Round((output,), (), Spoken(said))) == ""
    logits = Fetched('output 0 "y"', numpy.array([[-1.0, 3.25, 0.5]]), b"", "<f4")
    assert "are logits" in misread(Round((logits,), (), Spoken("cat 325 %\n")))


def surest(turned: Sequence[bool], *, counted: bool = False) -> Say:
    """A guest that writes boxes by the second of two scores; which of boxes and scores it reads the other way
    round."""

    def said(answers: Sequence[Any]) -> str:
        tables = (one.reshape(-1).astype("f8") for one in answers[0])
        boxes, scores = (
            flat.reshape(-1, COUNT).T if way else flat.reshape(COUNT, -1)
            for flat, way in zip(tables, turned, strict=True)
        )
        kept = (scores[:, 1] > 0.5).nonzero()[0]
        lines = [" ".join(f"{number:.0f}" for number in boxes[at]) + f" {scores[at, 1]:.2f}\n" for at in kept]
        return f"{len(kept)} faces\n" + "".join(lines * (not counted))

    return said


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("turned", [(True, False), (False, True), (True, True)])
def test_boxes_and_scores(turned: tuple[bool, bool], *, counted: bool) -> None:
    rows = table(objects=False)
    scores = numpy.stack([1 - rows[:, 6], rows[:, 6]], axis=1)
    outputs = rows[None, :, :4], scores[None]
    assert transposed(asked_of(surest((False, False), counted=counted), *outputs, names=NAMES)) == ""
    found = transposed(asked_of(surest(turned, counted=counted), *outputs, names=NAMES))
    if not counted:
        assert [name in found for name in NAMES] == [*turned]


def test_few_questions_to_guests_that_read_boxes_rightly() -> None:
    """Each takes a copy of the guest, and other rules have questions about boxes, too."""
    array = numpy.ascontiguousarray(table(objects=False).T)[None]
    say, said = detect(in_rows=False, objects=False, counted=False), list[str]()

    def counted(answers: Sequence[Any]) -> str:
        said.append(say(answers))
        return said[-1]

    asked = asked_of(counted, array)
    assert transposed(asked) == ""
    assert len(said) <= 1 + 6
    one = asked_of(lambda answers: "1 thing" + counted(answers)[:0] + "\n", array)
    before = len(said)
    assert uncounted(one) == ""
    assert len(said) == before, "nobody counts one box twice"

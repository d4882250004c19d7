"""Rows of a batch and of scored places that guests read as another type, or each from the next element on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes import alike, batches, letters, offsets
from pywasm_nn.watch.probes.rows import of_another_width
from tests.watch.test_uses_of_answers import Say, asked_of


def digits(step: int) -> Say:
    """A guest that says the best of ten classes of each row, and takes it from so many elements on."""

    def said(answers: Sequence[Any]) -> str:
        flat = answers[0][0].reshape(-1)
        best = [int(flat[step * row : step * row + 10].argmax()) for row in range(6)]
        return "".join(f"row {row} is a {one}\n" for row, one in enumerate(best))

    return said


def test_digits_of_rows_that_begin_at_each_element() -> None:
    answer = numpy.random.default_rng(5).random((6, 10)).astype("f4")
    for rule in (letters.misspelled, batches.unaligned):
        assert rule(asked_of(digits(10), answer)) == ""
    assert letters.misspelled(asked_of(digits(1), answer)) == ""
    assert "begin one element after the other" in batches.unaligned(asked_of(digits(1), answer))


@pytest.mark.parametrize("between", ["", " ", ", "])
@pytest.mark.parametrize("count", [3, 4, 7])
def test_labels_in_one_line(between: str, count: int) -> None:
    def say(kind: str) -> Say:
        def said(answers: Sequence[Any]) -> str:
            labels = numpy.frombuffer(answers[0][0].tobytes(), kind)[:count]
            return "labels\n" + between.join("MB"[int(one != 0)] for one in labels) + "\n"

        return said

    answer = numpy.array([1, 0, 1, 1, 0, 0, 1][:count], "i8")
    assert offsets.misaddressed(asked_of(say("i8"), answer)) == ""
    assert "elements of 4 bytes" in offsets.misaddressed(asked_of(say("i4"), answer))


@pytest.mark.parametrize(
    ("kind", "read", "said"),
    [
        ("f8", 7, "float for double"),
        ("f8", 15, ""),
        ("f4", 30, "double for float"),
        ("i8", 7, "i32"),
        ("f4", 7, ""),
    ],
)
def test_the_place_of_a_row_of_another_type(kind: str, read: int, said: str) -> None:
    found = of_another_width(numpy.zeros(31, kind), 15, read)
    assert said in found if said else found == ""


@pytest.mark.filterwarnings("error")
def test_rows_far_below_the_largest_give_no_warning() -> None:
    answer = numpy.array([[1e30, 2.0, 3.0], [0.5, 0.1, 0.2], [4.0, 5.0, 6.0]], "f4")
    said = asked_of(lambda answers: "".join(f"{row.max():.3f}\n" for row in answers[0][0]), answer)
    assert alike.across(said, said.outputs[0]) == ""

"""Answers to several inputs at once, each said as that to a single one. Mistakes and right twins."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes import alike, batches
from pywasm_nn.watch.probes.asked import Sent
from tests.watch.test_uses_of_answers import asked_of

RNG = numpy.random.default_rng(6)
NAMES = ("oak", "elm", "ash", "yew", "fir", "bay")
FILES = ("b.ppm", "a.ppm", "d.ppm", "c.ppm", "e.ppm")
Read = Callable[[Any, int], Any]
"""Of all rows, and the number of an input: what is taken for its row."""


def softmax(rows: Any, axis: int) -> Any:
    powers = numpy.exp(rows - rows.max())
    return powers / powers.sum(axis=axis, keepdims=True)


def guest(
    read: Read = lambda rows, row: rows[row],
    form: str = "{file}: {name} {share:.2f}\n",
    choose: Any = numpy.argmax,
) -> Any:
    def say(answers: Sequence[Any]) -> str:
        rows, text = answers[0][0], ""
        for row in range(len(rows)):
            one = read(rows, row)
            best = int(choose(one))
            text += form.format(
                file=FILES[row], name=NAMES[best], share=one[best], number=best, next=best + 1
            )
        return text

    return say


def found(say: Any, count: int, *, logits: bool = False, batch: bool = True) -> str:
    answer = RNG.normal(0, 1.5, (count, 6)).astype("f4")
    answer = answer if logits else softmax(answer, 1).astype("f4")
    shape = (count if batch else 1, 3, 8, 8)
    asked = asked_of(say, answer, names=["prob"], sent=[Sent("x", shape, None, None)])
    return batches.unaligned(asked) or alike.misplaced(asked) or alike.misjudged(asked)


@pytest.mark.parametrize("count", [2, 3, 5])
@pytest.mark.parametrize(
    ("say", "seen"),
    [
        (guest(), ""),
        (guest(form="{file}: class {number}\n"), ""),
        (guest(choose=numpy.argmin), "the smallest element and not the largest"),
        (guest(form="{file}: {name} {share:.2f} %\n"), "to be multiplied by 100"),
        (guest(lambda rows, row: rows[row][:5]), "class 5 of 6 may be|last element, 5, of all"),
    ],
)  # fmt: skip
def test_each_row_as_a_single_one(say: Any, seen: str, count: int) -> None:
    text = found(say, count)
    assert re.search(seen, text) if seen else text == ""


@pytest.mark.parametrize("count", [3, 5])
@pytest.mark.parametrize(
    ("read", "seen"),
    [
        (lambda rows, row: rows[0], "follows the row of the first one"),
        (lambda rows, row: rows[::-1][row], "are they taken backwards?"),
        (lambda rows, row: numpy.append(rows, [0] * 9)[7 * row : 7 * row + 6], "as if its rows had 7"),
    ],
)  # fmt: skip
def test_rows_of_other_inputs(read: Read, seen: str, count: int) -> None:
    assert seen in found(guest(read), count)


@pytest.mark.parametrize(
    ("step", "seen"), [(2, ""), (1, "rows 0, 0, 1, 1, 2, 2, as if they began 1 element")]
)
def test_rows_of_two_classes(step: int, seen: str) -> None:
    answer = RNG.dirichlet([0.3, 0.3], 6).astype("f4")

    def say(answers: Sequence[Any]) -> str:
        flat = answers[0][0].reshape(-1)
        return "".join(f"{row}: {'sick' if flat[step * row] > 0.5 else 'well'}\n" for row in range(6))

    text = alike.misplaced(asked_of(say, answer, sent=[Sent("x", (6, 30), None, None)]))
    assert seen in text if seen else text == ""


@pytest.mark.parametrize("axis", [0, 1])
def test_softmax_along_an_axis(axis: int) -> None:
    text = found(guest(lambda rows, row: softmax(rows, axis)[row]), 4, logits=True)
    assert ("along the wrong axis?" in text) is (axis == 0)
    assert axis == 0 or not text


@pytest.mark.parametrize("form", ["{number}", "{number} ", "{name}, ", "{name} {share:.2f}; "])
@pytest.mark.parametrize("count", [3, 5])
def test_all_in_one_line_by_the_first_row(count: int, form: str) -> None:
    """A postal code whose digits are all the first one; a single answer, or the answers to all, are right."""
    assert "follows the row of the first one" in found(guest(lambda rows, row: rows[0], form), count)
    assert found(guest(form=form), count) == ""
    assert found(guest(lambda rows, row: rows[0], form), count, batch=False) == ""

    def first_alone(answers: Sequence[Any]) -> str:
        best = int(answers[0][0][0].argmax())
        return f"{NAMES[best]}, class {best}, one of {count}\n"

    assert found(first_alone, count) == ""


def test_rows_that_are_no_inputs() -> None:
    """Boxes of one picture, of which the least likely class is of interest."""
    assert found(guest(choose=numpy.argmin), 4, batch=False) == ""


@pytest.mark.parametrize("form", ["{number}", "{number} ", "{number} ({share:.2f}), ", "{file}: {name}\n"])
@pytest.mark.parametrize(("choose", "logits", "seen"), [
    (numpy.argmin, False, True),
    (numpy.argmin, True, True),
    (numpy.argmax, False, False),
    (numpy.argmax, True, False),
])  # fmt: skip
def test_the_smallest_in_one_line(choose: Any, form: str, *, logits: bool, seen: bool) -> None:
    """Digits or numbers behind each other: no line for each input."""
    answer = RNG.normal(0, 1.5, (5, 6)).astype("f4")
    answer = answer if logits else softmax(answer, 1).astype("f4")

    def rule(name: str, say: Any) -> str:
        sent = [Sent("x", (5, 3, 8, 8), None, None)]
        return batches.unaligned(asked_of(say, answer, names=[name], sent=sent))

    assert ("says the smallest element" in rule("prob", guest(form=form, choose=choose))) is seen
    least = guest(form=form, choose=choose)
    assert rule("prob", lambda answers: "the least likely: " + least(answers)) == ""

    def second(answers: Any) -> str:
        return " ".join(str(numpy.argsort(-row, kind="stable")[1]) for row in answers[0][0])

    assert rule("prob", second) == ""
    if logits:
        assert rule("degrees", least) == "", "the coldest of several places may be meant"

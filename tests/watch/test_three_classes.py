"""Guests that compare only the first two of three classes, and right twins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.probes.classes import misplaced
from tests.watch.test_uses_of_answers import asked_of

LOGITS = numpy.array([[1.5, -0.25, 0.75]], "f4")
SOFT = numpy.array([[0.25, 0.125, 0.625]], "f4")
BEANS = b"kidney\nlentil\nchickpea\n"
Say = Callable[[Any], str]


def best(count: int, shape: str = "moisture 11.5: kind {0}\n", start: int = 0) -> Say:
    return lambda row: shape.format(int(row[:count].argmax()) + start, row.max())


def called(count: int, names: Sequence[str]) -> Say:
    return lambda row: f"bag of {names[int(row[:count].argmax())]}\n"


def said(say: Say, array: Any = LOGITS, names: bytes = b"", sent: Sequence[Sent] = ()) -> str:
    files = [("beans.txt", names)] if names else []
    return misplaced(asked_of(lambda answers: say(answers[0][0].reshape(-1)), array, files=files, sent=sent))


@pytest.mark.parametrize("array", [LOGITS, SOFT])
def test_the_third_is_not_looked_at(array: Any) -> None:
    for start in (0, 1):
        assert "however large the last one is: does the search end too early?" in said(
            best(2, start=start), array
        )
        assert said(best(3, start=start), array) == ""
    assert "too early" in said(best(2, "label: {0}, {1:.2f}\n"), array)
    names = BEANS.decode().split()
    assert "too early" in said(called(2, names), array, BEANS)
    assert said(called(3, names), array, BEANS) == ""


@pytest.mark.parametrize(
    "say",
    [
        best(2, "turn {0}\n"),
        lambda row: f"class {int(row[1] > row.mean() + 0.1)}\n",
        lambda row: f"class {int(row[:2].argmax()) if row[2] < row[:2].max() else 9}\n",
        lambda row: f"class 0: {row[0]:.1f}, class {int(row.argmax())}\n",
    ],
)
def test_right_ones(say: Say) -> None:
    """A number that is no class, a share above a bound, and a third class that is said in its own way."""
    assert said(say) == ""


def test_a_third_that_is_none() -> None:
    none = b"kidney\nlentil\nother\n"
    assert said(called(2, none.decode().split()), names=none) == ""
    words = Sent("x", (1, 3), numpy.array([[4, 2, 0]]), None)
    assert said(best(2), sent=[words]) == "", "places of a text, of which the last ones are padding"

"""Vectors of several inputs, of which guests say which is the nearest, and that they read at other places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.compared_rows import misread
from tests.watch.test_uses_of_answers import Say, asked_of

ROWS, SIZE = 9, 12


def nearest(distance: int, *, first: bool = False, length: bool = False) -> Say:
    """A guest that says which vector is the most like the last one, or the first, and takes each so many
    elements after the one before; behind the answer its buffer has zeros."""

    def said(answers: Sequence[Any]) -> str:
        flat = numpy.zeros(distance * ROWS + SIZE)
        own = answers[0][0].reshape(-1)[: len(flat)]
        flat[: len(own)] = own
        rows = numpy.stack([flat[distance * row :][:SIZE] for row in range(ROWS)])
        if length:
            apart = numpy.linalg.norm(rows[:-1] - rows[-1], axis=1)
            return f"-> {apart.argmin() + 1} ({apart.min():.2f})\n"
        asked, others = (rows[0], rows[1:]) if first else (rows[-1], rows[:-1])
        likes = others @ asked / numpy.sqrt((others**2).sum(1) * (asked**2).sum() + 1e-9)
        return f"asked\n-> {likes.argmax() + 1}. How do I pay? ({likes.max():.2f})\n"

    return said


def answer(kind: str = "f2") -> Any:
    """Vectors that are all somewhat alike."""
    numbers = numpy.random.default_rng(4)
    return (numbers.normal(0, 1, SIZE) + 0.6 * numbers.normal(0, 1, (ROWS, SIZE))).astype(kind)


@pytest.mark.parametrize("kind", ["f2", "f4"])
@pytest.mark.parametrize("first", [False, True])
def test_rows_at_the_distance_of_elements_twice_as_wide(kind: str, first: bool) -> None:
    assert misread(asked_of(nearest(SIZE, first=first), answer(kind))) == ""
    found = misread(asked_of(nearest(2 * SIZE, first=first), answer(kind)))
    assert "12 elements of f" in found
    assert ("24 elements apart" if first else "whatever the answer is, as of a vector of zeros") in found


@pytest.mark.parametrize("distance", [11, 6])
def test_rows_that_are_nearer_together(distance: int) -> None:
    assert f"{distance} elements apart" in misread(asked_of(nearest(distance), answer("f4")))


def test_other_guests() -> None:
    assert misread(asked_of(nearest(SIZE, length=True), answer("f4"))) == ""
    assert misread(asked_of(lambda _: "9 vectors in 0.00 s\n", answer("f4"))) == ""
    assert misread(asked_of(lambda _: "done\n", answer("f4"))) == ""


def test_a_guest_that_asks_about_a_few_of_its_vectors() -> None:
    """Among these are some that lie several rows apart; no other rows are told of the first or the last."""

    def said(answers: Sequence[Any]) -> str:
        rows = answers[0][0]
        lines = []
        for asked in (4, 5, 6):
            likes = rows @ rows[asked] / numpy.sqrt((rows**2).sum(1) * (rows[asked] ** 2).sum() + 1e-9)
            likes[asked] = -1
            lines.append(f"{asked} ~ {likes.argmax()} ({likes.max():.3f})\n")
        return "".join(lines)

    assert misread(asked_of(said, answer("f4"))) == ""

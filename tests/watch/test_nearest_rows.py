"""Vectors of several inputs in one answer: the least like is said, or the longest one. Right twins, too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.probes.nearest_rows import by_product, least_alike
from tests.watch.test_uses_of_answers import Say, asked_of

Measure = Callable[[Any, Any], Any]
WORDS = 30


def cosine(rows: Any, one: Any) -> Any:
    return rows @ one / numpy.maximum(numpy.linalg.norm(rows, axis=1) * numpy.linalg.norm(one), 1e-9)


def product(rows: Any, one: Any) -> Any:
    return rows @ one


def distance(rows: Any, one: Any) -> Any:
    return -numpy.linalg.norm(rows - one, axis=1)


def finder(measure: Measure, form: str, *, first: bool = False, worst: bool = False) -> Say:
    """A guest that says which row is the most like the last one, or the first."""

    def say(answers: Sequence[Any]) -> str:
        rows = answers[0][0].astype("f8")
        one, others = (rows[0], rows[1:]) if first else (rows[-1], rows[:-1])
        likes = measure(others, one)
        best = int(likes.argmin() if worst else likes.argmax())
        return form.format(best + 1, "abcdefghijklmnopqrstuvwxyz"[best], likes[best])

    return say


def sent(seed: int, rows: int, *, first: bool = False) -> tuple[Sent, Any]:
    """Counts of words, of which one row is of long questions, and the vectors that a model makes of them."""
    numbers = numpy.random.default_rng(seed)
    counts = numpy.zeros((rows, WORDS), "f4")
    for row in range(rows):
        counts[row, numbers.choice(WORDS - 6, 3, replace=False) + 6] = 1
    counts[1, 6:] = 3
    counts[rows - 2, :3] = 1
    counts[-1] = counts[0 if first else rows - 2] * 0
    counts[-1, :2] = 1
    if first:
        counts = counts[::-1].copy()
    vectors = counts @ numbers.normal(0.3, 1, (WORDS, 8)).astype("f4")
    return Sent("counts", counts.shape, counts, None), vectors


@pytest.mark.parametrize("rows", [6, 11, 26])
@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("form", ["asked x\nlike number {}: {} ({:.3f})\n", "-> {1}\n"])
@pytest.mark.parametrize("measure", [cosine, product, distance])
def test_the_least_like_of_all(measure: Measure, form: str, first: bool, rows: int) -> None:
    given, vectors = sent(rows, rows, first=first)

    def found(form: str, *, worst: bool) -> str:
        guest = finder(measure, form, first=first, worst=worst)
        return least_alike(asked_of(guest, vectors, sent=[given]))

    assert "is the least like taken for the nearest" in found(form, worst=True)
    assert found(form, worst=False) == ""
    assert found("the least like is " + form, worst=True) == "", "it is looked for"


def mostly(measure: Measure, form: str, rows: int, *, first: bool = False) -> str:
    """What is said where the model's own answer shows a difference, of a few models."""
    for seed in range(30):
        given, vectors = sent(seed, rows, first=first)
        if text := by_product(asked_of(finder(measure, form, first=first), vectors, sent=[given])):
            return text
    return ""


@pytest.mark.parametrize("rows", [6, 11])
@pytest.mark.parametrize("first", [False, True])
def test_the_longest_of_all(first: bool, rows: int) -> None:
    form = "like {}: {}\n"
    assert "divided by the lengths of both" in mostly(product, form, rows, first=first)
    assert mostly(cosine, form, rows, first=first) == mostly(distance, form, rows, first=first) == ""
    assert mostly(product, "{1} by its inner product\n", rows, first=first) == "", "on purpose"


def test_what_was_sent_must_say_so() -> None:
    for seed in range(30):
        given, vectors = sent(seed, 11)
        guest = finder(product, "like {}: {}\n")
        others = (None, numpy.ones_like(given.array), numpy.random.default_rng(seed).random((11, WORDS)))
        for array in others:
            assert by_product(asked_of(guest, vectors, sent=[Sent("x", given.shape, array, None)])) == ""
        assert by_product(asked_of(guest, vectors)) == "", "rows of something else"


def test_rows_of_classes_are_no_vectors() -> None:
    def each(answers: Sequence[Any]) -> str:
        return "".join(f"{'abcdefghij'[int(row.argmax())]} {row.max():.2f}\n" for row in answers[0][0])

    def worst(answers: Sequence[Any]) -> str:
        return f"the last is {'abcdefghij'[int(answers[0][0][-1].argmin())]}\n"

    for seed in range(10):
        given, vectors = sent(seed, 11)
        for guest in (each, worst, lambda _: "done\n"):
            asked = asked_of(guest, vectors, sent=[given])
            assert least_alike(asked) == by_product(asked) == ""

"""Vectors of several inputs in one answer: the least like is said, or the longest one. Right twins, too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes import nearest
from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.probes.copies import Reply
from pywasm_nn.watch.probes.nearest_rows import by_product, least_alike
from pywasm_nn.watch.spoken import Spoken
from pywasm_nn.watch.written.similar import found
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


def keeper(measure: Measure, kept: int, form: str, *, worst: bool) -> Callable[..., str]:
    """A guest that keeps vectors, one of each compute, and says which is the most like each later one."""

    def say(answers: Sequence[Any]) -> str:
        rows = numpy.stack([answer[0].reshape(-1) for answer in answers]).astype("f8")
        likes = [measure(rows[:kept], one) for one in rows[kept:]]
        best = [int(one.argmin() if worst else one.argmax()) for one in likes]
        return "".join(form.format("abcdefghijklmnopqrstuvwxyz"[one]) for one in best)

    return say


@pytest.mark.parametrize(("kept", "size"), [(4, 12), (10, 8), (25, 16), (25, 40)])
@pytest.mark.parametrize("later", [2, 4])
@pytest.mark.parametrize("at_the_end", [True, False])
@pytest.mark.parametrize("measure", [cosine, product, distance])
def test_the_least_like_of_those_that_are_kept(
    measure: Measure, kept: int, size: int, later: int, *, at_the_end: bool
) -> None:
    """Also if there are more of them than a vector has elements, and all is written at the end."""

    def found(*, worst: bool) -> str:
        guest = keeper(measure, kept, "it is {}\n", worst=worst)
        vectors = numpy.random.default_rng(kept).normal(size=(1, size)).astype("f4")
        asked = asked_of(guest, vectors, computes=kept + later)
        lines = asked.control.text.splitlines(keepends=True)
        texts = [*[""] * (kept + later - 1), "".join(lines)] if at_the_end else [*[""] * kept, *lines]
        asked.control = Reply(tuple(texts), frozenset({0}), "exit")
        return nearest.farthest(asked)

    assert f"of {kept} answers that it keeps the guest says" in found(worst=True)
    assert found(worst=False) == ""


def test_answers_that_all_have_a_line_are_not_kept() -> None:
    def say(answers: Sequence[Any]) -> str:
        return "".join(f"{'abcdefgh'[int(answer[0].argmax())]}\n" for answer in answers)

    asked = asked_of(say, numpy.arange(8, dtype="f4")[None], computes=7)
    asked.control = Reply((*[""] * 6, asked.control.text), frozenset({0}), "exit")
    assert nearest.kept_before(asked) == 0 and nearest.farthest(asked) == ""


def test_products_that_are_said_to_be_like() -> None:
    """A guest that writes the product with the one that it says: some models are made for products."""
    seen = {"most like the known one ({:.3f})\n": 0, "{:.3f}\n": 0}
    for seed in range(20):
        vectors = numpy.random.default_rng(seed).normal(size=(11, 8))
        for form in seen:
            text = "".join(form.format((vectors[:8] @ one).max()) for one in vectors[8:])
            seen[form] += "divided by their lengths" in found([*vectors], Spoken(text))
    like, plain = seen.values()
    assert like > 10 and plain == 0

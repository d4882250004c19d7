"""Right programs that once got a hint about what they make of an answer, each beside a mistaken twin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes import classes, nearest, nearest_rows
from pywasm_nn.watch.probes.asked import Asked, Given, Sent
from pywasm_nn.watch.probes.copies import Reply
from tests.watch.test_uses_of_answers import NO_MEMORY, asked_of, each

RNG = numpy.random.default_rng(35)
NAMES = ["oak", "elm", "ash", "yew", "fir", "lime", "plane"]


def row(*elements: float) -> Any:
    return numpy.array([elements], "f4")


# The smallest


@pytest.mark.parametrize(
    ("form", "name", "answer", "seen"),
    [
        ("class {}\n", "y", row(0.1, 0.2, 0.05, 0.4, 0.25), True),
        ("least likely: class {}\n", "y", row(0.1, 0.2, 0.05, 0.4, 0.25), False),
        ("take route {}\n", "y", row(-3.2, 1.1, 0.4, 2.5, -1), True),
        ("take route {}\n", "cost", row(-3.2, 1.1, 0.4, 2.5, -1), False),
        ("state {}\n", "energies", row(-3.2, 1.1, 0.4, 2.5, -1), False),
    ],
)
def test_the_smallest_is_looked_for(form: str, name: str, answer: Any, *, seen: bool) -> None:
    """Such as of costs and energies, which may be less than 0."""
    found = classes.misplaced(asked_of(each(lambda y: form.format(int(y.argmin()))), answer, names=[name]))
    assert ("the smallest element and not the largest" in found) is seen
    assert seen or not found


APART = [
    ("nearest: item {}\n", True),
    ("odd one out: item {}\n", False),
    ("farthest from the query: item {}\n", False),
    ("the most distant: {}\n", False),
    ("next, for variety: item {}\n", False),
]


def least_like(vectors: Sequence[Any], form: str) -> str:
    *others, last = (one.astype("f8") / numpy.linalg.norm(one) for one in vectors)
    return form.format(int(numpy.argmin([one @ last for one in others])))


@pytest.mark.parametrize(("form", "seen"), APART)
def test_the_least_like_of_several_answers_is_looked_for(form: str, *, seen: bool) -> None:
    vector = RNG.normal(0, 1, (1, 16)).astype("f4")

    def ask(series: Sequence[Any], fill: int | None, to_the_end: bool) -> Reply:
        answers = [series[min(turn, len(series) - 1)].get(0, vector) for turn in range(6)]
        return Reply((*[""] * 5, least_like([one[0] for one in answers], form)), frozenset({0}), "returned")

    outputs = {0: Given('output 0 "embedding"', vector)}
    found = nearest.farthest(Asked(ask, outputs, ask([{}], None, True), tuple, NO_MEMORY))
    assert bool(found) is seen


@pytest.mark.parametrize(("form", "seen"), APART)
def test_so_is_that_of_several_rows(form: str, *, seen: bool) -> None:
    vectors, inputs = RNG.normal(0, 1, (6, 8)).astype("f4"), RNG.normal(0, 1, (6, 5)).astype("f4")

    def say(answers: Sequence[Any]) -> str:
        return least_like([*answers[0][0]], form)

    asked = asked_of(say, vectors, sent=[Sent("x", inputs.shape, inputs, None)])
    assert bool(nearest_rows.least_alike(asked)) is seen

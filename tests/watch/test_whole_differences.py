"""Lists that are sorted by differences of scores which are made whole numbers, and ones in no order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cmp_to_key
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.whole_differences import unsorted
from tests.watch.test_misread import wrong
from tests.watch.test_uses_of_answers import asked_of

RNG = numpy.random.default_rng(3)
SCORES = RNG.random(14).astype("f4")
SHAPES = [(14,), (14, 1), (1, 14)]
Order = Callable[[Sequence[float]], list[int]]


def by_whole(values: Sequence[float]) -> list[int]:
    """Sorted as by a comparator that returns (int)(b - a)."""
    return sorted(range(len(values)), key=cmp_to_key(lambda one, two: int(values[two] - values[one])))


def by_score(values: Sequence[float]) -> list[int]:
    return sorted(range(len(values)), key=lambda one: -values[one])


def as_given(values: Sequence[float]) -> list[int]:
    return [*range(len(values))]


def listing(values: Sequence[float], order: Order, form: str, count: int) -> str:
    chosen = order(values)[:count]
    return "".join(form.format(at + 1, one, values[one]) for at, one in enumerate(chosen))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "form", ["{0}. note{1}.txt  {2:.3f}\n", "note{1} {2:.2f}\n", "{0}) p{1} ({2:.4f})\n"]
)
def test_scores_of_one_answer(shape: tuple[int, ...], form: str) -> None:
    for scores, count in ((SCORES, 5), (SCORES, 14), (3 * SCORES, 4), (SCORES - 2, 4)):
        answer = scores.reshape(shape)

        def told(order: Order, answer: Any = answer, count: int = count) -> str:
            return unsorted(
                asked_of(lambda all_: listing(all_[0][0].reshape(-1).tolist(), order, form, count), answer)
            )

        assert "are differences made whole" in told(by_whole)
        assert told(by_score) == told(as_given) == ""
    far = (10 * RNG.permutation(14) + 0.5).astype("f4").reshape(shape)
    assert (
        unsorted(asked_of(lambda all_: listing(all_[0][0].reshape(-1).tolist(), by_whole, form, 5), far))
        == ""
    )


@pytest.mark.parametrize("answer", [numpy.array([[0.7]], "f4"), numpy.array([[0.3, 0.7]], "f4")])
def test_scores_of_several_answers(answer: Any) -> None:
    def told(order: Order, times: float = 1.0) -> str:
        def say(answers: Sequence[Any]) -> str:
            return listing(
                [times * float(one[0].reshape(-1)[-1]) for one in answers], order, "{1}: {2:.3f}\n", 6
            )

        return unsorted(asked_of(say, answer, computes=9))

    assert "are differences made whole" in told(by_whole)
    assert told(by_score) == told(as_given) == told(by_whole, 100.0) == ""


def test_ranks_in_no_order() -> None:
    def said(order: Order, words: str = "Top 4:", form: str = "{0}. doc{1}  {2:.3f}\n") -> str:
        return wrong(f"{words}\n{listing(SCORES.tolist(), order, form, 4)}", SCORES)

    def by_name(values: Sequence[float]) -> list[int]:
        return sorted(as_given(values), key=lambda one: f"doc{one * 7 % 14}")

    assert "in no order" in said(by_name)
    assert "in no order" in said(as_given, "the best ones are")
    assert said(by_name, "notes:") == said(by_name, form="doc{1} {2:.3f}\n") == said(by_score) == ""
    rising = said(lambda values: by_score(values)[:4][::-1])
    assert "in no order" not in rising
    other = wrong(f"Top 4:\n{listing((SCORES / 3).tolist(), by_name, '{0}. doc{1}  {2:.3f}', 4)}", SCORES)
    assert "in no order" not in other, "these aren't the answer's"

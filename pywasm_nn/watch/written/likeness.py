"""Vectors of which each later one is compared with those before, or all with each other: is the nearest the
one that is said?

What is here: `least_like`, and `farthest_first` and `in_order` for one vector. What is not: keeping answers
(`similar.py`), and a line that names the farthest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ..origin.comparing import softmax
from ..regex import regex
from ..spoken import Word, fit

FEWEST, FEWEST_OTHERS = 3, 2
CHANCE = 1e-4
SMALLEST = 1e-30
UNLIKE = regex(
    r"\b(?:least|un|dis|odd|out|far|differ|anomal|worst|novel|low|min|small|weak|diver|strang|isolat)",
    re.IGNORECASE,
)
"""The guest itself says that what it finds is unlike."""
SPREAD = 0.02
"""The nearest and the farthest differ by more than this in most rows."""


def vectors_of(answers: Sequence[Any], counts: Sequence[int]) -> Iterator[Any]:
    """Vectors that are made of answers to the places of texts with so many words: means, the first, the last,
    and the largest."""
    if answers[0].ndim == 1:
        yield numpy.stack(answers)
        return
    pairs = [*zip(answers, counts, strict=True)]
    yield numpy.stack([one[:count].mean(0) for one, count in pairs])
    yield numpy.stack([one.mean(0) for one in answers])
    yield numpy.stack([one[0] for one in answers])
    yield numpy.stack([one[count - 1] for one, count in pairs])
    yield numpy.stack([one[:count].max(0) for one, count in pairs])


def cosines(vectors: Any) -> Any:
    """The cosines of all vectors [vectors, size] with each other."""
    vectors = vectors.astype("f8")
    made = vectors / numpy.maximum(numpy.linalg.norm(vectors, axis=1, keepdims=True), 1e-30)
    return made @ made.T


def compared_with(vectors: Any, count: int) -> Iterator[Any]:
    """Cosines of so many vectors with those that they may be compared with, [vectors, others]."""
    near = cosines(vectors)
    rest = len(vectors) - count
    if rest >= FEWEST_OTHERS:
        yield near[:count, count:]
        yield near[-count:, :-count]
    elif not rest:
        yield near[~numpy.eye(count, dtype=bool)].reshape(count, count - 1)


def least_like(answers: Sequence[Any], counts: Sequence[int], words: Sequence[Word]) -> str:
    """Returns what is wrong with the numbers that a guest writes of its vectors, or "" if nothing is."""
    count = len(words)
    if not FEWEST <= count <= len(answers) or are_shares_of(answers[-count:], words):
        return ""
    found = ""
    for vectors in vectors_of(answers, counts):
        for near in compared_with(vectors, count):
            best, worst = near.max(axis=1), near.min(axis=1)
            if any(fit(words, values) for values in (best, 1 - best, -best)):
                return ""
            different = {word.text: word for word in words}.values()
            chance = float(numpy.prod([min(1.0, 4 * word.unit) for word in different]))
            if chance > CHANCE or numpy.median(best - worst) < SPREAD:
                continue
            for values in (worst, -worst, 1 - worst):
                if not found and fit(words, values):
                    found = (
                        f"the guest says {words[0].text} first, and {count - 1} more numbers that are the "
                        f"cosine with the least like of {near.shape[1]} vectors ({worst[0]:.3f}); the "
                        f"nearest has {best[0]:.3f}: is a similarity taken for a distance?"
                    )
    return found


def farthest_first(answers: Sequence[Any], counts: Sequence[int], words: Sequence[Word]) -> str:
    """Returns what is wrong with the numbers of some of the vectors, by how like they are to the first or the
    last one, if those are the least like of all, the least like first; or "" if they aren't."""
    if not 0 < len(words) < len(answers) or are_shares_of(answers[-len(words) :], words):
        return ""
    found = ""
    for vectors in vectors_of(answers, counts):
        for place in (0, len(vectors) - 1):
            others = numpy.delete(vectors, place, axis=0).astype("f8")
            is_right, wrong = in_order(others, vectors[place].astype("f8"), words)
            if is_right:
                return ""
            found = found or wrong
    return found


def in_order(vectors: Any, one: Any, words: Sequence[Word]) -> tuple[bool, str]:
    """Whether numbers are those of the vectors that are the nearest to one, in their order; and what is wrong
    if they are those of the farthest, the farthest first, or "" if they aren't."""
    count, most = len(words), len(vectors)
    if not FEWEST_OTHERS <= count <= most - FEWEST_OTHERS:
        return False, ""
    lengths = numpy.linalg.norm(vectors, axis=1) * numpy.linalg.norm(one)
    near = numpy.sort(vectors @ one / numpy.maximum(lengths, SMALLEST))
    apart = numpy.sort(numpy.linalg.norm(vectors - one, axis=1))
    if any(fit(words, values[:count]) for values in (near[::-1], 1 - near[::-1], apart)):
        return True, ""
    chance = float(numpy.prod([min(1.0, 4 * word.unit) for word in words]))
    if chance > CHANCE or near[-1] - near[count - 1] < SPREAD:
        return False, ""
    if not any(fit(words, values[:count]) for values in (near, 1 - near, apart[::-1])):
        return False, ""
    return False, (
        f"the guest says {words[0].text} first, and then {words[-1].text}, of {most} vectors that it "
        f"compares with another one: these are the {count} least like it (cosines from {near[0]:.3f} to "
        f"{near[count - 1]:.3f}), and the nearest has {near[-1]:.3f}: are they sorted the wrong way round?"
    )


def are_shares_of(answers: Sequence[Any], words: Sequence[Word]) -> bool:
    """Whether each number is the largest element of its answer, as it is or by softmax."""
    own = [(float(one.max()), float(softmax(one.astype("f8")).max())) for one in answers]
    return any(fit(words, values) for values in zip(*own, strict=True))

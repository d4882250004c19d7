"""Vectors of which each later one is compared with those before, or all with each other: is the nearest the
one that is said?

What is here: `least_like`. What is not: keeping answers (`similar.py`), and a line that names the farthest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ..origin.comparing import softmax
from ..spoken import Word, fit

FEWEST, FEWEST_OTHERS = 3, 2
CHANCE = 1e-4
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


def are_shares_of(answers: Sequence[Any], words: Sequence[Word]) -> bool:
    """Whether each number is the largest element of its answer, as it is or by softmax."""
    own = [(float(one.max()), float(softmax(one.astype("f8")).max())) for one in answers]
    return any(fit(words, values) for values in zip(*own, strict=True))

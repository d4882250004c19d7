"""A list that is sorted by differences of scores which are made whole numbers, so that scores from 0 to 1 are
all the same to it.

What is here: `unsorted`. What is not: shares that are sorted without their names (`classes.py`).

A list that is in no order may be meant so. But if it is sorted, from the largest on, as soon as the model's
answers lie far apart, then it is to be sorted anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ...arrays import numpy
from ..spoken import Spoken, Word
from .asked import Asked, Given

FEWEST, MOST = 3, 4096
"""Numbers of a list, and elements of an answer."""
APART = 10.0
"""Numbers that differ by less than 1 may be the same when they are made whole: scores are made to differ by
so much."""
TIMES = (1.0, 100.0)
"""Scores are written as they are, or as percents."""
IN_TURNS = (0.375, 0.875, 0.125, 0.625, 0.25, 0.75, 0.5, 0.0625)
"""Scores of the next computes, in no order."""
FARTHER = 160.0
"""So many times as large these are `APART` from each other."""
SHOWN = 3
WHY = "are differences made whole where scores are compared, as in (int)(b - a)?"


def unsorted(asked: Asked) -> str:
    """Returns a hint about a list that isn't sorted, though it would be if scores differed by more than 1, or
    "" if there is none."""
    for index, output in asked.fetched():
        array, size = output.array, output.array.size
        words = listed(asked.control.text)
        if array.dtype.kind != "f" or len(words) < FEWEST or not numpy.isfinite(array).all():
            continue
        if size <= 2:
            wrong = of_turns(asked, index, output)
        elif len(output.lengths) == 1 and size <= MOST and are_mixed(words, array.reshape(-1)):
            wrong = of_one(asked, index, output, words)
        else:
            wrong = ""
        if wrong:
            return f"{output.what}: {wrong}: {WHY}"
    return ""


def listed(text: str) -> list[Word]:
    """The numbers that the lines of a list have, each line one that isn't whole, or [] if lines have
    several."""
    lines = [[word for word in line if not word.is_whole] for line in Spoken(text).lines]
    filled = [line for line in lines if line]
    return [line[0] for line in filled] if all(len(line) == 1 for line in filled) else []


def are_mixed(words: Sequence[Word], values: Any) -> bool:
    """Whether numbers are some of an answer's elements, in no order."""
    if is_falling(words) or is_falling(words[::-1]):
        return False
    return any(all(bool(word.fits(times * values).any()) for word in words) for times in TIMES)


def is_falling(words: Sequence[Word]) -> bool:
    return all(one.value >= two.value for one, two in pairwise(words))


def of_one(asked: Asked, index: int, output: Given, words: Sequence[Word]) -> str:
    """The same of the elements of one answer."""
    array = output.array
    ranks = array.reshape(-1).argsort(kind="stable").argsort(kind="stable") + 1
    made = (APART * ranks).reshape(array.shape).astype(array.dtype)
    found = listed(asked.text(index, made) or "")
    if not is_sorted(found, len(words), APART * len(ranks)):
        return ""
    return (
        f"the guest says {shown(words)}, which is no order; if the same scores lie {APART:g} apart it says "
        "the largest first, and so on"
    )


def of_turns(asked: Asked, index: int, output: Given) -> str:
    """The same of the answers to several inputs, each of one score."""

    def written(times: float) -> list[Word]:
        return listed(asked.series(index, [filled(output.array, times * one) for one in IN_TURNS]) or "")

    near = written(1.0)
    if len(near) < FEWEST or is_falling(near) or is_falling(near[::-1]):
        return ""
    if not all(any(bool(word.fits(times * numpy.array(IN_TURNS)).any()) for times in TIMES) for word in near):
        return ""
    if not is_sorted(written(FARTHER), len(near), FARTHER * max(IN_TURNS)):
        return ""
    return (
        f"of inputs with scores of {', '.join(map(str, IN_TURNS[:SHOWN]))} ... the guest says {shown(near)}, "
        f"which is no order; of scores {FARTHER:g} times as large it says the largest first, and so on"
    )


def filled(array: Any, score: float) -> Any:
    """An answer that has a score; of two elements the first is that of the other class."""
    made = numpy.full(array.size, score)
    if array.size > 1:
        made[0] = 1 - score
    return made.reshape(array.shape).astype(array.dtype)


def is_sorted(words: Sequence[Word], count: int, largest: float) -> bool:
    """Whether as many numbers fall from the largest on, and aren't all the same."""
    if len(words) != count or not is_falling(words) or words[0].value == words[-1].value:
        return False
    return any(bool(words[0].fits(times * largest)) for times in TIMES)


def shown(words: Sequence[Word]) -> str:
    return ", ".join(word.text for word in words[:SHOWN])

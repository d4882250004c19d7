"""Guests that take elements of boxes for scores, and guests that read boxes and scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.boxes_for_scores import boxes_for_scores
from tests.watch.test_uses_of_answers import asked_of

COUNT, WIDTH = 320, 12
ORDER = numpy.random.default_rng(5)
BOXES = ORDER.normal(0, 30, (1, COUNT, WIDTH)).astype("f4")
SCORES = ORDER.normal(-40, 9, (1, COUNT, 1)).astype("f4")
SCORES[0, [40, 41, 200]] = 3.5
NAMES = ("offsets", "scores")
Say = Callable[[Sequence[Any]], str]


def counted(at: int) -> Say:
    """A guest that counts the rows whose score, as it takes it from an output, is above a half."""
    return lambda answers: f"{int((answers[0][at].reshape(-1)[:COUNT] > 0).sum())} faces\n"


def best(at: int) -> Say:
    return lambda answers: f"the best one is {answers[0][at].reshape(-1)[:COUNT].argmax()}\n"


def between(least: float, most: float, count: int | None = COUNT) -> Callable[[int], Say]:
    """A guest that says one of two things, by whether the largest of so many elements is in a range: far
    above it no score can be."""

    def guest(at: int) -> Say:
        def say(answers: Sequence[Any]) -> str:
            highest = answers[0][at].reshape(-1)[:count].max()
            return "open the gate\n" if least < highest < most else "keep it shut\n"

        return say

    return guest


@pytest.mark.parametrize("guest", [counted, best, between(1, 20), between(0.5, 1)])
def test_elements_of_boxes_as_scores(guest: Callable[[int], Say]) -> None:
    found = boxes_for_scores(asked_of(guest(0), BOXES, SCORES, names=NAMES, fetched=[0]))
    assert found.startswith('output 0 "offsets": the guest reads its first 320 elements')
    assert 'output 1 "scores" has a score' in found and found.endswith("is the index of the output to be 1?")
    turned = asked_of(guest(1), SCORES, BOXES, names=NAMES[::-1], fetched=[1])
    assert boxes_for_scores(turned).endswith("is the index of the output to be 0?")


@pytest.mark.parametrize(
    ("guest", "fetched"),
    [
        (counted(1), [1]), (best(1), [1]), (counted(1), [0, 1]), (between(1, 20)(1), [1]),
        (between(1, 20, None)(0), [0]), (between(1, 20, 2 * COUNT)(0), [0]),
        (lambda answers: f"{'wide' if 1 < answers[0][0][0, :, 2].max() < 20 else 'high'}\n", [0]),
        (lambda answers: f"{int((answers[0][0] > 0).sum())} of all\n", [0]),
        (lambda answers: f"first box {answers[0][0][0, 0].round(1).tolist()}\n", [0]),
        (lambda answers: f"best by its fifth number: {answers[0][0][0, :, 4].argmax()}\n", [0]),
        (lambda answers: f"mean {answers[0][0].mean():.1f}\n", [0]),
        (lambda _: "done\n", [0]),
    ],
)  # fmt: skip
def test_guests_that_are_right(guest: Say, fetched: Sequence[int]) -> None:
    assert boxes_for_scores(asked_of(guest, BOXES, SCORES, names=NAMES, fetched=fetched)) == ""


def test_a_model_with_other_outputs() -> None:
    """Frames, and how loud each is, are no boxes."""
    names = ("frames", "energy")
    assert boxes_for_scores(asked_of(counted(0), BOXES, SCORES, names=names, fetched=[0])) == ""
    assert boxes_for_scores(asked_of(counted(0), BOXES)) == ""

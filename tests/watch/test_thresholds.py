"""Usual shares that guests compare with logits as they are, and twins that compare their sigmoid, or elements
that are no logits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, log
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.thresholds import passed_by_one
from tests.watch.test_uses_of_answers import asked_of

RNG = numpy.random.default_rng(17)
LEVELS = (0.2, 0.3, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9)
FORMS = {
    "speech at {0:.2f}\n": True,
    "yes, {1:.1f} %\n": True,
    "a face ({1:.0f}%)\n": True,
    "a face\n": False,
    "{1:.1f} %": True,
}
"""What is said of the surest element, and whether its sigmoid is among that."""


def sigmoid(value: float) -> float:
    return 1 / (1 + exp(-value))


def likelier_than(share: float) -> Callable[[float], bool]:
    return lambda logit: sigmoid(logit) > share


def guest(form: str, passes: Callable[[float], bool]) -> Callable[..., str]:
    def say(answers: Sequence[Any]) -> str:
        best = float(answers[0][-1].max())
        share = sigmoid(best)
        nothing = "nothing\n" if form.endswith("\n") else ""
        return form.format(share, 100 * share) if passes(best) else nothing

    return say


def logits(kind: str) -> list[Any]:
    """The outputs of a model: boxes with a score, one number, or one for each class."""
    if kind == "boxes":
        scores = RNG.normal(-9, 2, (1, 96, 1))
        scores[0, [40, 41, 77], 0] = 2.6, 2.1, 1.8
        return [RNG.normal(0, 9, (1, 96, 6)).astype("f4"), scores.astype("f4")]
    return [numpy.array([[-3.5]] if kind == "one" else [[-5.5, 2.25, -0.5, -4.75, -3.5]], "f4")]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", ["boxes", "one", "tags"])
@pytest.mark.parametrize("form", FORMS)
def test_a_share_compared_with_logits(form: str, kind: str, level: float) -> None:
    outputs, names = logits(kind), ("boxes", "scores") if kind == "boxes" else ("y",)

    def found(passes: Callable[[float], bool]) -> str:
        return passed_by_one(asked_of(guest(form, passes), *outputs, names=names))

    seen = FORMS[form] or kind == "boxes"
    assert (f"passes {level:g}, a usual share; its elements are logits" in found(level.__lt__)) is seen
    for share in (level, 0.55, 0.65, 0.95):
        assert found(likelier_than(share)) == ""
        assert found(log(share / (1 - share)).__lt__) == ""


@pytest.mark.parametrize("level", LEVELS)
def test_numbers_that_are_no_logits(level: float) -> None:
    likeness = RNG.uniform(-0.9, 0.9, (1, 40)).astype("f4")
    say = guest("the same person\n", level.__lt__)
    assert passed_by_one(asked_of(say, likeness, names=("scores",))) == ""
    change = RNG.normal(0, 3, (1, 12)).astype("f4")
    assert passed_by_one(asked_of(guest("warmer\n", level.__lt__), change, names=("change",))) == ""

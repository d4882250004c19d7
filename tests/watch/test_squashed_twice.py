"""Guests that apply the sigmoid twice to logits: by the number that they write, and by the level at which
they say yes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.squashed_twice import passed, written
from tests.watch.test_uses_of_answers import asked_of

RNG = numpy.random.default_rng(7)
SHAPES = [(1, 600, 1), (1, 1), (1, 24, 24), (1, 5)]


def sigmoid(array: Any) -> Any:
    return 1 / (1 + numpy.exp(-array.astype("f8")))


def once(array: Any) -> Any:
    return sigmoid(array)


def twice(array: Any) -> Any:
    return sigmoid(sigmoid(array))


@pytest.mark.parametrize(
    "form", ["surest {0:.3f}\n", "{1} seen, the surest at {2:.1f} %\n", "score {0:.2f}\n"]
)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_number_that_is_written(shape: tuple[int, ...], form: str) -> None:
    answer = (RNG.normal(size=shape) * 3 - 4).astype("f4")

    def of(make: Callable[[Any], Any]) -> str:
        def say(answers: Sequence[Any]) -> str:
            shares = make(answers[0][0])
            return form.format(shares.max(), int((shares > 0.5).sum()), 100 * shares.max())

        return written(asked_of(say, answer))

    assert "sigmoid applied twice" in of(twice)
    assert of(once) == of(lambda array: array) == of(lambda array: 0.5 + once(array) / 5) == ""


@pytest.mark.parametrize("level", [0.55, 0.6, 0.65, 0.7])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_level_at_which_it_says_yes(shape: tuple[int, ...], level: float) -> None:
    answer = (RNG.normal(size=shape) * 3 - 4).astype("f4")

    def of(make: Callable[[Any], Any], least: float) -> str:
        return passed(asked_of(lambda answers: ("no", "yes")[int(make(answers[0][0]).max() > least)], answer))

    assert f"is {level:g}" in of(twice, level)
    assert of(once, level) == ""
    for step in range(2, 99):
        assert of(once, step / 100) == ""
        assert of(lambda array: array, step / 10 - 5) == ""


def test_other_answers() -> None:
    """Shares have a rule of their own; both numbers may be written."""
    shares = RNG.random((1, 300)).astype("f4")
    assert written(asked_of(lambda answers: f"{twice(answers[0][0]).max():.3f}\n", shares)) == ""
    logits = (RNG.normal(size=(1, 300)) * 3).astype("f4")

    def both(answers: Sequence[Any]) -> str:
        return f"{once(answers[0][0]).max():.3f}, softened {twice(answers[0][0]).max():.3f}\n"

    assert written(asked_of(both, logits)) == ""
    assert written(asked_of(lambda answers: "0.61 of all\n", logits)) == ""

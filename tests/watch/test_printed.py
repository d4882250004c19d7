"""Masks that are printed as letters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.printed import turned
from tests.watch.test_uses_of_answers import asked_of

MASK = numpy.random.default_rng(9).random((1, 32, 32, 1)).astype("f4")


def found(
    place: Callable[[int, int], int], step: int = 3, title: str = "", mask: Any = MASK, *, sums: str = ""
) -> str:
    """What is said of a guest that prints the elements at some places, every few rows and columns."""

    def say(answers: Sequence[Any]) -> str:
        flat, text = answers[0][0].reshape(-1), title
        for row in range(0, 32, 2 * step):
            text += "".join(".#"[int(flat[place(row, at)] > 0.5)] for at in range(0, 32, step)) + "\n"
        return text + sums.format((flat > 0.5).mean(), 100 * (flat > 0.5).mean())

    return turned(asked_of(say, mask))


@pytest.mark.parametrize("title", ["", "a person:\n"])
@pytest.mark.parametrize("step", [1, 2, 3])
def test_turns(step: int, title: str) -> None:
    assert found(lambda row, at: row * 32 + at, step, title) == ""
    assert "are rows and columns exchanged?" in found(lambda row, at: at * 32 + row, step, title)
    assert "stands on its head" in found(lambda row, at: (31 - row) * 32 + at, step, title)
    assert found(lambda row, at: row * 32 + 31 - at, step, title) == "", "a mirror may be meant"


@pytest.mark.parametrize(
    "sums", ["person covers {1:.0f} %\n", "{0:.2f} of it\n{1:.1f} percent\n", "{0}: on\n"]
)
def test_turns_above_a_sum(sums: str) -> None:
    """A line below, whose length changes with the number in it, is no line of the picture."""
    assert found(lambda row, at: row * 32 + at, sums=sums) == ""
    assert "are rows and columns exchanged?" in found(lambda row, at: at * 32 + row, sums=sums)
    assert "stands on its head" in found(lambda row, at: (31 - row) * 32 + at, sums=sums)


def test_other_texts() -> None:
    assert turned(asked_of(lambda answers: f"{answers[0][0].mean():.2f}\n" * 6, MASK)) == ""
    assert turned(asked_of(lambda answers: "####\n" * 6, MASK)) == ""

"""Masks that are printed as letters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.printed import inverted, turned
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


SHARES = numpy.clip(numpy.random.default_rng(8).normal(0.5, 0.9, (1, 24, 24, 1)), 0, 1).astype("f4")


def drawn(
    is_on: Callable[[Any], Any],
    letters: str,
    sums: str,
    *,
    model: str = "selfie_segmentation",
    mask: Any = SHARES,
) -> str:
    """What is said of a guest that draws every second element of a mask in two letters, with a sum below."""

    def say(answers: Sequence[Any]) -> str:
        on = is_on(answers[0][0].reshape(24, 24))
        lines = ["".join(letters[int(one)] for one in row[::2]) for row in on[::2]]
        return "\n".join(lines) + "\n" + sums.format(100 * on.mean(), on.mean())

    return inverted(asked_of(say, mask, model=model))


@pytest.mark.parametrize("letters", [".#", " X", "01", "-@"])
@pytest.mark.parametrize("level", [0.3, 0.5, 0.7])
@pytest.mark.parametrize("sums", ["person covers {:.0f} %\n", "covered: {1:.3f}\n", "{:.1f}% cat\n"])
def test_what_is_not_there_drawn(sums: str, level: float, letters: str) -> None:
    found = drawn(lambda mask: mask < level, letters, sums)
    assert "is the comparison the wrong way round?" in found
    assert drawn(lambda mask: mask > level, letters, sums) == ""


@pytest.mark.parametrize(
    ("letters", "sums", "model", "level"),
    [
        (".#", "background: {:.0f} %\n", "selfie_segmentation", 0.5),
        (".#", "{:.0f} % are removed\n", "selfie_segmentation", 0.5),
        ("#.", "person covers {:.0f} %\n", "selfie_segmentation", 0.5),
        (".#", "", "selfie_segmentation", 0.5),
        (".#", "near: {:.0f} %\n", "midas", 0.5),
        (".#", "person covers {:.0f} %\n", "selfie_segmentation", 0.05),
        ("ab", "person covers {:.0f} %\n", "selfie_segmentation", 0.5),
    ],
)
def test_what_may_be_meant(letters: str, sums: str, model: str, level: float) -> None:
    """What is behind, other letters, no word for what is drawn, a map of something else, and doubts."""
    assert drawn(lambda mask: mask < level, letters, sums, model=model) == ""
    assert drawn(lambda mask: mask < 60, ".#", "person covers {:.0f} %\n", mask=SHARES * 120) == ""

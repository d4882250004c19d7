"""Comparisons of shares with percents and bytes, which none of them reaches; and right twins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from unittest import mock

import numpy
import pytest

from pywasm_nn.watch.probes import unreached as rules
from pywasm_nn.watch.probes.asked import SpentError
from pywasm_nn.watch.probes.compared_rows import misread
from pywasm_nn.watch.probes.unreached import unreached
from tests.watch.test_uses_of_answers import Say, asked_of, each

RNG = numpy.random.default_rng(5)
MAP = numpy.clip(RNG.normal(0.5, 0.6, (1, 40, 40, 1)), 0, 1).astype("f4")
TAGS = RNG.random((1, 9), "f4")
BOXES = numpy.concatenate(
    [300 * RNG.random((1, 300, 4)), 0.9 * RNG.random((1, 300, 2)) ** 4], axis=2, dtype="f8"
).astype("f4")


def covered(least: float) -> Say:
    return each(lambda mask: f"{100 * (mask > least).mean():.1f} % is a person\n")


def tagged(least: float) -> Say:
    return each(lambda row: f"tags: {[place for place, one in enumerate(row) if one > least]}\n")


def heard(least: float) -> Say:
    return each(lambda row: "somebody speaks\n" if row[0] > least else "nobody speaks\n")


def found_in(answers: Sequence[Any], least: float, *, turned: bool = False) -> str:
    """Boxes with a score above a threshold, of rows or columns."""
    table = answers[0][0].reshape(6, 300).T if turned else answers[0][0].reshape(300, 6)
    kept = table[table[:, 4:].max(1) > least]
    return f"{len(kept)} things\n" + "".join(
        f"{row[0]:.0f},{row[1]:.0f} {row[4:].argmax()}\n" for row in kept
    )


@pytest.mark.parametrize(
    ("guest", "array", "name", "right"),
    [
        (covered, MAP, "activation_10", 0.5),
        (covered, 0.7 * MAP, "mask", 0.4),
        (covered, MAP.reshape(1, 64, 25), "ink", 0.5),
        (tagged, TAGS, "scores", 0.5),
        (heard, TAGS[:, :1], "speech_prob", 0.3),
        (lambda least: lambda answers: found_in(answers, least), BOXES, "output0", 0.25),
    ],
)
def test_a_threshold_on_another_scale(guest: Any, array: Any, name: str, right: float) -> None:
    found = [unreached(asked_of(guest(least), array, names=[name])) for least in (right, 50, 127)]
    assert [found[0], "with percents" in found[1], "with bytes" in found[2]] == ["", True, True]
    assert unreached(asked_of(guest(50), array + 7, names=[name])) == "", "they are beyond 1"
    assert unreached(asked_of(guest(0.999), array, names=[name])) == "", "a strict one"
    other = unreached(asked_of(guest(50), array, names=["distances"]))
    assert other == "" or name == "output0", "the name says that they may be beyond 1"


def lit(least: float, *, is_twice: bool, form: str) -> Say:
    """Says which part of a map passes a level, or which rows do, perhaps by the sigmoid of its shares."""

    def say(cells: Any) -> str:
        seen = (1 / (1 + numpy.exp(-cells)) if is_twice else cells) > least
        return form.format(100 * seen.mean(), "".join(".#"[int(one)] for one in seen.reshape(-1)[::7])) + "\n"

    return each(say)


@pytest.mark.parametrize("form", ["{:.1f} % is river", "{1}", "{1} so {0:.0f} %"])
def test_a_level_that_all_sigmoids_of_shares_pass(form: str) -> None:
    for least in (0.2, 0.3, 0.4):
        found = unreached(asked_of(lit(least, is_twice=True, form=form), MAP, names=["water"]))
        assert f"of which the sigmoid is {least:g}" in found
        assert unreached(asked_of(lit(least, is_twice=False, form=form), MAP, names=["water"])) == ""
        logits = 9 * MAP - 4
        assert unreached(asked_of(lit(least, is_twice=True, form=form), logits, names=["water"])) == ""
    for odd in (-0.7, -0.01, -3.3):
        found = unreached(asked_of(lit(odd, is_twice=False, form=form), MAP, names=["water"]))
        assert found == "", "whatever it is for, no usual share has this logit"


def counted(least: float) -> Say:
    return each(lambda cells: f"{(cells[:64] > least).sum()} pills\n")


@pytest.mark.parametrize("argument", ["50", "33.5", "80"])
def test_an_argument_in_percent(argument: str) -> None:
    """Cells whose scores were learnt without a bend that keeps them from 0 to 1."""
    cells = RNG.normal(0, 0.04, (1, 8, 8, 8)).astype("f4")
    cells.reshape(-1)[[5, 30, 200]] = 1.2, 0.98, 1.05

    def hint(say: Say, array: Any = cells, *, said: bytes = b"PERCENT", name: str = "grid") -> str:
        asked = asked_of(say, array, names=[name])
        asked.arguments = ("belt.rgb", argument)
        with mock.patch.object(asked, "holds", said.__eq__):
            return unreached(asked)

    wrong = counted(float(argument))
    assert f"where they pass {argument}, an argument in percent" in hint(wrong)
    assert hint(counted(float(argument) / 100)) == "" == hint(counted(70.0))
    assert hint(wrong, said=b"metres") == "" == hint(wrong, name="distance")
    assert hint(wrong, 60 * cells) == "" == hint(wrong, cells / 4), "these are no scores up to 1"


@pytest.mark.parametrize("count", [2, 3, 7])
def test_shares_of_classes_when_time_is_up(count: int) -> None:
    """Whether softmax was applied again is asked if there is time; the rest is known then."""
    row = numpy.arange(1, count + 1, dtype="f4")[None] ** 2
    row /= row.sum()

    def guest(least: float) -> Say:
        return each(lambda one: "called back\n" * int(one[0] > least) + "1 seen\n")

    for is_spent in (False, True):
        with mock.patch.object(
            rules, "softened_again", side_effect=SpentError if is_spent else None
        ) as again:
            again.return_value = ""
            found = [unreached(asked_of(guest(least), row, names=["probs"])) for least in (0.5, 50)]
            assert [found[0], "with percents" in found[1]] == ["", True]
            assert again.call_count == 1


def test_a_map_is_no_list_of_vectors() -> None:
    assert misread(asked_of(covered(127), MAP.reshape(1, 40, 40))) == ""


def fullest(answers: Sequence[Any]) -> str:
    """The column with the largest sum."""
    return f"column {answers[0][0].reshape(300, 6).sum(0).argmax()}\n"


def test_columns_are_no_boxes() -> None:
    assert unreached(asked_of(fullest, RNG.random((1, 300, 6), "f4"))) == ""
    assert unreached(asked_of(fullest, BOXES)) == ""


FRUIT = ("plum", "apple", "banana")


def doubted(by_softmax: bool, least: float) -> Say:
    def say(row: Any) -> str:
        with numpy.errstate(all="ignore"):
            shares = numpy.exp(row) / numpy.exp(row).sum() if by_softmax else row
        return "don't know\n" if shares.max() < least else f"{FRUIT[int(shares.argmax())]}\n"

    return each(say)


@pytest.mark.parametrize(
    ("by_softmax", "least", "said"),
    [(False, 0.6, ""), (True, 0.7, "softmax once more"), (False, 60, "percents")],
)
def test_softmax_again_is_no_comparison_with_percents(by_softmax: bool, least: float, said: str) -> None:
    """Though the softmax of elements of 100, as many write it, is no number."""
    found = unreached(asked_of(doubted(by_softmax, least), SURE, names=["probs"]))
    assert (said in found and bool(said)) or found == said


SURE = numpy.array([[0.004, 0.99, 0.006]], "f4")

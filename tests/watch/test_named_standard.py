"""Answers of outputs that are named after deviations from a mean, written beside the range of an amount."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy
import pytest

from pywasm_nn.watch.amounts.named_standard import named_standard
from pywasm_nn.watch.amounts.told import Answer, Told
from pywasm_nn.watch.spoken import Spoken

SCORES = (0.42, -1.37, 1.08, -0.26)
FORM = "tree {at}: {:.2f} years old (of 40 to 210)\n"


def said(
    name: str = "age_z",
    form: str = FORM,
    scores: Sequence[float] = SCORES,
    way: Callable[[float], float] = float,
) -> str:
    """What is said of a guest that writes a line of each answer."""
    answers = [Answer(0, name, numpy.array([[one]]), ()) for one in scores]
    text = "".join(form.format(way(one), at="abcdef"[at]) for at, one in enumerate(scores))
    return named_standard(Told(answers, Spoken(text), []))


@pytest.mark.parametrize("name", ["age_z", "age_zscore", "scaled_age", "ageyears_standardised", "normalized"])
@pytest.mark.parametrize("form", [FORM, "usual: 40-210; {at} is {:.3f}\n", "{:.2f} between 40 and 210\n"])
def test_a_range_in_which_no_answer_is(name: str, form: str) -> None:
    assert "are they to be brought back" in said(name, form)
    assert said(name, form, way=lambda one: 125 + 31 * one) == "", "brought back"
    assert said("pos_z", form) == said("z", form) == ""
    assert said(name, form.replace("40", "-4").replace("210", "4")) == "", "the range of scores"
    assert said(name, form, scores=[61.0, 93.5, 120.2]) == "", "the model brings them back"


@pytest.mark.parametrize(
    "form",
    [
        "tree {at}: {:.2f} (z-score; ages are 40 to 210)\n",
        "{:+.2f} deviations, of 40 to 210 years\n",
        "older by {:+.2f} than average, of 40 to 210\n",
        "tree {at}: {:.2f}\n",
    ],
)
def test_guests_that_say_what_they_write(form: str) -> None:
    assert said(form=form) == ""


OWN_FORMS = [
    "tree {at}: {:.2f} years old (of 40 to 210)\n",
    "{at} has {:.3f} years (range: 40..210)\n",
    "{:.2f} points, out of 40-210\n",
    "{at} {:.2f} [possible 40-210]\n",
]


@pytest.mark.parametrize("form", OWN_FORMS)
def test_answers_around_nothing_of_a_range_that_the_guest_says(form: str) -> None:
    assert "around 0 as they are" in said("growth", form)
    assert said("growth", form, way=lambda one: 125 + 31 * one) == "", "brought back"
    assert said("growth", form, scores=[abs(one) for one in SCORES]) == "", "shares, or of another scale"
    assert said("growth", form, scores=SCORES[:3]) == "", "few"
    assert said("growth", form.replace("40", "-4").replace("210", "4")) == "", "the range of scores"


@pytest.mark.parametrize(
    "form",
    [
        "power of {at}: {:.2f} between 40 and 210 Hz\n",
        "{at}: {:.2f} (usual: 40-210)\n",
        "{at}: {:.2f} (of 40-210 samples)\n",
        "{at}: {:.2f} sd (of 40 to 210)\n",
        "{at}: {:.2f}\n",
    ],
)
def test_ranges_of_something_else(form: str) -> None:
    assert said("growth", form) == ""

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
    assert said("age", form) == said("pos_z", form) == said("z", form) == ""
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

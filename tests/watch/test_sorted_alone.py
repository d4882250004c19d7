"""Boxes with scores, of which the guest sorts the scores alone. Each mistake has right twins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.sorted_alone import sorted_alone
from tests.watch.test_uses_of_answers import asked_of

RANDOM = numpy.random.default_rng(8)
FORMS = ("{} {:.0f} % at {:.0f},{:.0f} of {:.0f} x {:.0f}\n", "{}: {:.1f} [{:.1f} {:.1f} {:.1f} {:.1f}]\n")


def answer(rows: int, classes: int) -> Any:
    """Boxes with a score for each class."""
    places = RANDOM.uniform(10, 200, (rows, 2))
    sizes = RANDOM.uniform(10, 50, (rows, 2))
    scores = RANDOM.uniform(0, 0.05, (rows, classes))
    scores[rows // 2 + 1, 1] = 0.93
    scores[rows // 3, 0] = 0.81
    return numpy.concatenate([places, sizes, scores], axis=1).astype("f4")[None]


def says(form: str, way: str, *, in_columns: bool, split: bool) -> Any:
    """A guest that writes what is surer than a half, the surest first."""

    def say(answers: Sequence[Any]) -> str:
        outputs = [one[0].T if in_columns else one[0] for one in answers[0]]
        boxes, shares = outputs if split else (outputs[0][:, :4], outputs[0][:, 4:])
        scores, kinds = shares.max(axis=1), shares.argmax(axis=1)
        order = numpy.argsort(-scores, kind="stable")
        if way == "the scores alone":
            scores, order = scores[order], numpy.arange(len(order))
        elif way == "the last first":
            scores, order = numpy.sort(scores), numpy.arange(len(order))[::-1]
        elif way == "the first row":
            order = order[order == 0]
        lines = [form.format(kinds[at], 100 * scores[at], *boxes[at]) for at in order if scores[at] > 0.5]
        return "".join(lines) or "nothing\n"

    return say


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("in_columns", "split"), [(True, False), (False, False), (False, True)])
@pytest.mark.parametrize(("rows", "classes"), [(64, 3), (300, 7)])
def test_scores_that_were_sorted_alone(
    form: str, in_columns: bool, split: bool, rows: int, classes: int
) -> None:
    whole = answer(rows, classes)
    outputs = [whole[..., :4], whole[..., 4:]] if split else [whole]
    outputs = [one.transpose(0, 2, 1) if in_columns else one for one in outputs]
    for way, end in (
        ("the scores alone", "first"),
        ("the last first", "last"),
        ("right", ""),
        ("the first row", ""),
    ):
        say = says(form, way, in_columns=in_columns, split=split)
        found = sorted_alone(asked_of(say, *outputs, names=("boxes", "scores")))
        assert (f"with the box of the {end} row" in found) is bool(end) is bool(found), way

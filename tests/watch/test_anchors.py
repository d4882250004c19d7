"""Boxes that are relative to anchors, written as they are: mistakes, and right twins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.anchors import unanchored
from tests.watch.test_uses_of_answers import asked_of

ROWS = 100
RANDOM = numpy.random.default_rng(5)
RELATIVE = numpy.concatenate([RANDOM.normal(0, 4, (ROWS, 2)), RANDOM.uniform(9, 60, (ROWS, 2))], axis=1)
PLACED = RELATIVE + numpy.stack(
    [numpy.arange(ROWS) * 3 + 40, numpy.arange(ROWS) + 60] + [numpy.zeros(ROWS)] * 2, axis=1
)
SCORES = RANDOM.normal(-5, 2, (1, ROWS, 1)).astype("f4")


def guest(way: str, boxes: Any, names: Sequence[str] = ("boxes", "scores")) -> str:
    def say(answers: Sequence[Any]) -> str:
        own, scores = answers[0]
        best = int(scores.reshape(-1).argmax())
        x, y, width, height = own.reshape(ROWS, 4)[best].tolist()
        if way == "anchors":
            x, y = x + best % 10 * 8, y + best // 10 * 8
        share = 1 / (1 + numpy.exp(-float(scores.max())))
        return f"face {share:.0%} at {x:.1f},{y:.1f} to {x + width:.1f},{y + height:.1f}\n"

    return unanchored(asked_of(say, boxes.astype("f4")[None], SCORES, names=names))


def test_boxes_without_their_anchors() -> None:
    assert "relative to the place of the row" in guest("raw", RELATIVE)
    assert guest("anchors", RELATIVE) == ""


def test_boxes_that_the_model_has_placed() -> None:
    assert guest("raw", PLACED) == ""


@pytest.mark.parametrize("name", ["points", "vectors"])
def test_other_rows_of_which_the_best_is_written(name: str) -> None:
    assert guest("raw", RANDOM.normal(0, 1, (ROWS, 4)), (name, "scores")) == ""

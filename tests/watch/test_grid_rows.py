"""Answers with a row for each cell of a grid, of which a guest counts another number to a row of the grid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.probes.grid_rows import misdivided
from tests.watch.test_uses_of_answers import asked_of

HIGH, WIDE = 200, 152
STRIDES = (8, 16)
RANDOM = numpy.random.default_rng(5)
SENT = [Sent("page", (1, 3, HIGH, WIDE), None, None)]


def guest(columns: Callable[[int], int], form: str) -> Callable[[Sequence[Any]], str]:
    """A guest that writes the place of the surest cell of all grids."""

    def say(answers: Sequence[Any]) -> str:
        found = []
        for stride, answer in zip(STRIDES, answers[0], strict=True):
            best = int(answer.max(axis=2).argmax())
            y, x = divmod(best, columns(stride))
            found.append((float(answer.max()), x * stride + stride // 2, y * stride + stride // 2, stride))
        sure, x, y, size = max(found)
        return form.format(x, y, x + size, y + size, sure) + "\n"

    return say


WAYS: dict[str, Callable[[int], int]] = {
    "": lambda stride: -(-WIDE // stride),
    "9 cells (rounded down)": lambda stride: WIDE // stride,
    "cells (as many as it has rows)": lambda stride: -(-HIGH // stride),
}


@pytest.mark.parametrize("form", ["at {0}, {1} ({4:.2f})", "{0} {1} {2} {3}"])
@pytest.mark.parametrize("words", WAYS)
def test_cells_of_a_row(words: str, form: str) -> None:
    shapes = [(1, -(-HIGH // stride) * -(-WIDE // stride), 5) for stride in STRIDES]
    answers = [RANDOM.random(shape).astype("f4") for shape in shapes]
    found = misdivided(asked_of(guest(WAYS[words], form), *answers, sent=SENT))
    assert words in found and bool(words) == bool(found)
    other = [Sent("page", (1, 3, 160, 160), None, None)]
    assert misdivided(asked_of(guest(WAYS[words], form), *answers, sent=other)) == ""

"""The largest of elements that are all negative, searched from 0 on; and right searches."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.begun import begun_at_zero
from tests.watch.test_formulas import LOGITS, LOGS, SHARES, Guest, asked

NAMES = ["oak", "elm", "ash", "yew", "fir", "lime"]
BYTES = numpy.array([[-128, -120, -30, -90, -128, -125]], "i1")
"""Shares of a quantised model, of which none is above a half."""
TOKENS = numpy.tile(LOGS, (1, 4, 1)) - numpy.arange(4, dtype="f4")[:, None] / 9


def search(row: Any, first: int = 0, least: float = 0.0) -> int:
    """The place of the largest element that is larger than another one."""
    best = first
    for place, one in enumerate(row):
        if one > least:
            best, least = place, one
    return best


def sure(row: Any) -> str:
    """With the share of the class that is said."""
    best = search(row)
    return f"This is a {best} ({100 * numpy.exp(row[best]):.3f} %)"


def each(row: Any) -> str:
    """The tag of each of four words."""
    return " ".join(NAMES[search(one)] for one in row.reshape(4, 6))


@pytest.mark.parametrize(
    ("guest", "array", "seen"),
    [
        (sure, LOGS, True),
        (lambda row: f"{search(row)}: {row[search(row)]:.2f}", LOGITS - 4, True),
        (lambda row: NAMES[search(row, least=1e-38)], LOGS, True),
        (lambda row: f"class {search(row, -1)}", LOGS, True),
        (lambda row: f"class {search(row)}", BYTES, True),
        (lambda row: f"class {row.argmax()}", BYTES, False),
        (each, TOKENS, True),
        (sure, SHARES, False),
        (sure, LOGITS, False),
        (lambda row: f"{search(row, least=-1e9)} {row.max():.2f}", LOGS, False),
        (lambda row: f"class {row.argmax()}" if row.max() > 0 else "none", LOGITS - 4, False),
        (lambda row: "yes" if row[0] > 0 else "no", LOGITS - 4, False),
        (lambda row: f"{row.max():.3f}", LOGS, False),
        (lambda row: "done", LOGS, False),
    ],
)
def test_a_search_from_zero(guest: Guest, array: Any, *, seen: bool) -> None:
    assert bool(begun_at_zero(asked(guest, array))) is seen

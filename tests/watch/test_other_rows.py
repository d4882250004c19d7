"""Guests that read an output by the rows of another one that they never fetch, and by its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.other_rows import misfetched
from tests.watch.test_uses_of_answers import asked_of

ROWS, OTHER = 70, 12


def strongest(table: Any) -> str:
    sums = table.sum(axis=0)
    return f"the strongest is {'CDEFGAB'[sums.argmax() % 7]}{sums.argmax()}: {sums.max():.2f}"


def heard(table: Any) -> str:
    levels = (table**2).mean(axis=0)
    return "in this order: " + " ".join(f"{one} " for one in numpy.argsort(-levels, kind="stable")[:2])


def guest(of: Callable[[Any], Any], say: Callable[[Any], str]) -> Callable[[Sequence[Any]], str]:
    return lambda answers: say(of(answers[0][1].reshape(-1)))


@pytest.mark.parametrize("say", [strongest, heard])
@pytest.mark.parametrize("width", [36, 24, 31])
def test_rows_of_an_output_that_is_not_fetched(width: int, say: Callable[[Any], str]) -> None:
    order = numpy.random.default_rng(width)
    beside, fetched = (order.random((1, ROWS, one)).astype("f4") for one in (OTHER, width))

    def wrong(flat: Any) -> Any:
        return flat[: ROWS * OTHER].reshape(ROWS, OTHER)[5:60]

    def right(flat: Any) -> Any:
        return flat.reshape(ROWS, width)[5:60]

    def folded(flat: Any) -> Any:
        rows = flat.reshape(ROWS, width)
        return sum(rows[:, at : at + OTHER] for at in range(0, width - OTHER + 1, OTHER))

    def begun(flat: Any) -> Any:
        return flat.reshape(ROWS, width)[: ROWS // 4]

    for of, seen in ((wrong, True), (right, False), (folded, False), (begun, False)):
        said = misfetched(asked_of(guest(of, say), beside, fetched, fetched=[1]))
        assert (f"the guest reads {ROWS} rows of {OTHER}" in said) is seen
        assert not misfetched(asked_of(guest(of, say), beside, fetched))


@pytest.mark.parametrize("width", [36, 24, 48])
def test_rows_that_are_counted(width: int) -> None:
    """A third (or half) of the rows that are read has one element more than the next third."""
    order = numpy.random.default_rng(width)
    beside, fetched = (order.random((1, ROWS, one)).astype("f4") for one in (OTHER, width))

    def often(table: Any) -> str:
        counts = (table > 0.4).sum(axis=0)
        return f"key {counts.argmax()} in {counts.max()} rows"

    def folded(flat: Any) -> Any:
        return flat.reshape(ROWS, -1, OTHER).max(axis=1)

    wrong, right = (
        (lambda flat: flat[: ROWS * OTHER].reshape(ROWS, OTHER)),
        lambda flat: flat.reshape(ROWS, -1),
    )
    for of, seen in ((wrong, True), (right, False), (folded, False)):
        said = misfetched(asked_of(guest(of, often), beside, fetched, fetched=[1]))
        assert (f"the guest reads {ROWS} rows of {OTHER}" in said) is seen

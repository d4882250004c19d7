"""Shares of the best few classes, in place of those of all; and right twins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

from pywasm_nn.records import changed
from pywasm_nn.watch.origin.comparing import sigmoid, softmax
from pywasm_nn.watch.probes.of_the_best import divided
from tests.watch.test_formulas import asked

Shares = Callable[[Any], Any]
"""Makes numbers of elements, the largest first."""
KINDS = {
    "shares": (lambda row: row, None),
    "logits": (lambda row: numpy.exp(row - row.max()), None),
    "bytes": (lambda row: row, (1 / 256, 0.0)),
    "signed": (lambda row: row + 128, (1 / 256, -128.0)),
}


def answer(kind: str, size: int) -> Any:
    shares = numpy.random.default_rng(size).permutation(0.3 ** numpy.arange(size))
    shares /= shares.sum()
    array = {
        "shares": lambda: shares.astype("f4"),
        "logits": lambda: (numpy.log(shares + 1e-9) + 3).astype("f4"),
        "bytes": lambda: (255 * shares).round().astype("u1"),
        "signed": lambda: ((255 * shares).round() - 128).astype("i1"),
    }[kind]()
    return array[None]


def found(kind: str, size: int, of: Shares, form: str, best: int = 1) -> str:
    def guest(row: Any) -> str:
        order = row.argsort()[::-1]
        numbers = of(KINDS[kind][0](row)[order])
        return "".join(form.format(at, numbers[number]) for number, at in enumerate(order[:best]))

    said = asked(guest, answer(kind, size))
    said.outputs = {0: changed(said.outputs[0], affine=KINDS[kind][1])}
    return divided(said)


@pytest.mark.parametrize("kind", [*KINDS])
@pytest.mark.parametrize("size", [10, 400])
@pytest.mark.parametrize("few", [3, 5])
@pytest.mark.parametrize("form", ["class {}: {:.1%}\n", "{} {:.3f}, "])
def test_shares_of_the_best(kind: str, size: int, few: int, form: str) -> None:
    for best in (1, few):
        of_few = found(kind, size, lambda row: row / row[:few].sum(), form, best)
        assert f"is that of the best {few} alone" in of_few
        assert found(kind, size, lambda row: row / row.sum(), form, best) == ""


@pytest.mark.parametrize(
    "of",
    [
        lambda row: row,
        lambda row: row / 255,
        lambda row: row / row[0],
        lambda row: row / row[:2].sum(),
        lambda row: row / row[row > 0.02 * row.sum()].sum(),
        lambda row: row - row[1],
        lambda row: numpy.log(row + 1e-9),
        softmax,
        sigmoid,
    ],
)
@pytest.mark.parametrize("kind", [*KINDS])
def test_other_numbers(kind: str, of: Shares) -> None:
    assert found(kind, 50, of, "{}: {:.3f}\n", 3) == ""


@pytest.mark.parametrize(
    "form", ["{} has {:.0%} of these\n", "{}: relative to all {:.2f}\n", "{} weight {:.2f}\n"]
)
def test_shares_that_are_said_to_be_of_the_best(form: str) -> None:
    assert found("shares", 50, lambda row: row / row[:3].sum(), form, 3) == ""


def test_logits_that_are_no_row() -> None:
    of: Shares = lambda row: row / row[:3].sum()  # noqa: E731
    assert found("shares", 5, of, "{} {:.3f}", 3) == "", "of few classes the best are nearly all"


@pytest.mark.parametrize("by", [1, 3])
def test_sums_of_classes_that_have_something_in_common(by: int) -> None:
    """Nine classes are three forms in three colours."""

    def guest(row: Any) -> str:
        sums = [row[at::3].sum() if by == 3 else row[3 * at : 3 * at + 3].sum() for at in range(3)]
        return "".join(f"kind {at}: {one:.3f}\n" for at, one in enumerate(sums))

    assert divided(asked(guest, answer("shares", 9))) == ""

"""Zeros and a one for each square, of which the ones of the inputs before stay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sent.kept_ones import KeptOnes

RNG = numpy.random.default_rng(5)


def said(inputs: Sequence[Any]) -> list[str]:
    rule = KeptOnes()
    return [text for one in inputs if (text := rule.wrong("x", Tensor.from_numpy(one.astype("f4"))))]


def boards(squares: int, kinds: int, count: int = 5) -> list[Any]:
    """One-hot boards, [kinds, squares]."""
    return [numpy.eye(kinds, dtype="f4")[RNG.integers(0, kinds, squares)].T for _ in range(count)]


@pytest.mark.parametrize("behind", [True, False])
@pytest.mark.parametrize(("squares", "kinds"), [(9, 3), (64, 13), (16, 2), (20, 4)])
def test_squares_that_keep_their_ones(squares: int, kinds: int, *, behind: bool) -> None:
    each = [one if behind else one.T for one in boards(squares, kinds)]
    kept = [*numpy.maximum.accumulate(each)]
    (text,) = said([one.reshape(1, -1) for one in kept])
    assert f"for each of {squares} squares (or places) of {kinds} kinds" in text
    assert said([one[None] for one in kept]) == [text]
    assert said([kept[0], *kept]) == [text], "the first one was sent twice"
    assert not said(each) and not said(kept[:2]) and not said([*kept[:2], each[2], *kept[2:]])
    assert not said([0 * each[0], *kept]) and not said([each[0] * 0.5, *kept])


def test_sets_that_grow() -> None:
    """Such as what was seen so far, of which the first has no one for each of several places."""
    order = RNG.permutation(60)
    grown = [numpy.isin(numpy.arange(60), order[: 7 * count])[None] for count in range(1, 8)]
    assert not said(grown)
    moves = [numpy.eye(9)[RNG.permutation(9)].reshape(1, -1) for _ in range(5)]
    assert not said(moves)

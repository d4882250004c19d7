"""Sides of pictures that a network halves, and doubles again."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import ceil, floor

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.facts import Input
from pywasm_nn.watch.hints.halved import Failed, unhalved
from pywasm_nn.watch.tensors import described

ADD = "Attempting to broadcast an axis by a dimension other than 1. {} by {}"
JOIN = "Axis 2 has mismatched dimensions of {1} and {0}"


def said(reason: str, height: int, width: int, *, is_fixed: bool = False, rows: bool = False) -> str:
    shape = (1, height, width, 3) if rows else (1, 3, height, width)
    tensor = Tensor.from_numpy(numpy.zeros(shape, "f4"))
    spec = TensorSpec("x", tensor.dtype, tuple(n if is_fixed or n < 4 else f"n{n}" for n in shape))
    return unhalved(Failed((Input(0, spec, described(spec, tensor)),), reason)) or ""


def mismatch(side: int, rounding: Callable[[float], int]) -> tuple[int, int] | None:
    """Where a pyramid of five halvings fails first, from the smallest on."""
    sides = [side]
    for _ in range(5):
        sides.append(rounding(sides[-1] / 2))
    pairs = [(one, 2 * two) for one, two in pairwise(sides)]
    return next((pair for pair in reversed(pairs) if pair[0] != pair[1]), None)


@given(st.integers(32, 900), st.sampled_from([ceil, floor]), st.sampled_from([ADD, JOIN]), st.booleans())
def test_a_side_that_is_halved_too_often(
    side: int, rounding: Callable[[float], int], form: str, rows: bool
) -> None:
    pair = mismatch(side, rounding)
    if pair is None:
        assert side % 32 == 0
        return
    hint = said(form.format(*pair), side, 320, rows=rows)
    assert f"a height of {side} differs" in hint and "a multiple of 32, such as" in hint
    assert f"a width of {side} differs" in said(form.format(*pair), 320, side, rows=rows)
    assert said(form.format(*pair), side, 320, rows=rows, is_fixed=True) == ""


@pytest.mark.parametrize("reason", ["", ADD.format(7, 5), ADD.format(96, 320), "it took 23 ms and 24 kB"])
def test_other_failures(reason: str) -> None:
    assert said(reason, 90, 320) == said(reason, 96, 320) == ""
    assert said(ADD.format(23, 24), 96, 320) == ""

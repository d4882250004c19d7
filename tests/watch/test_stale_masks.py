"""Masks of texts that follow each other: cleared for each one, and not."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.order.stale_masks import StaleMasks

LENGTHS = (6, 9, 2, 4, 12, 1, 3)


def hint(masks: Sequence[int], *, kind: str = "i8", name: str = "attention_mask", filled: int = 0) -> str:
    """What is said of texts of LENGTHS whose masks have so many ones."""
    rule, order = StaleMasks(), numpy.random.default_rng(0)
    for words, ones in zip(LENGTHS, masks, strict=True):
        ids, mask = numpy.full(16, filled, "i8"), numpy.zeros(16, kind)
        ids[:words], mask[:ones] = order.integers(5, 60, words), 1
        for operation, index, array, called in (
            ("set_input", 0, ids, "input_ids"), ("set_input", 1, mask, name), ("compute", None, None, ""),
        ):  # fmt: skip
            tensors = () if array is None else (Tensor.from_numpy(array[None]),)
            event: Any = SimpleNamespace(
                operation=operation, index=index, error=None, context_id=3, tensors=tensors, given=(),
                specs=tuple([TensorSpec(called, one.dtype, one.shape) for one in tensors]),
            )  # fmt: skip
            rule.nn_event(event)
    return "; ".join(text for _, text in rule.finish())


@pytest.mark.parametrize("kind", ["i8", "i4", "f4", "u1"])
def test_masks_that_are_never_cleared(kind: str) -> None:
    said = hint([6, 9, 9, 9, 12, 12, 12], kind=kind)
    assert 'input 1 "attention_mask": it has 9 ones for a text of 2 words' in said
    assert "so in 4 of 7 computes" in said


def test_masks_that_fit() -> None:
    assert hint(LENGTHS) == ""
    assert hint([16] * 7) == "", "all of it, which another rule says"
    assert hint([one + 1 for one in LENGTHS]) == "", "something behind each text"
    assert hint([6, 9, 2, 9, 12, 12, 12]) == "", "once it was shorter"
    assert hint([6, 9, 9, 9, 12, 12, 12], name="lengths") == ""
    assert hint([6, 9, 9, 9, 12, 12, 12], filled=1) == "", "texts end in something else than zeros"

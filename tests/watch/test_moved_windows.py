"""Windows of the last letters, moved from step to step: by bytes, by elements, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.order.moved_windows import MovedWindows

Move = Callable[[Any, int], None]
"""Moves a window, so that there is room for so many elements at its end."""


def by_bytes(window: Any, step: int) -> None:
    data, count = window.view("u1"), len(window) - step
    data[:count] = data[step * window.itemsize :][:count].copy()


def by_elements(window: Any, step: int) -> None:
    window[:-step] = window[step:].copy()


def not_at_all(window: Any, step: int) -> None:
    """The guest replaces the last elements of a fixed window."""


def hint(move: Move, *, kind: str, length: int, step: int, steps: int = 12, first: Any = None) -> str:
    """What is said of a window that goes on by random numbers."""
    order, rule = numpy.random.default_rng(length), MovedWindows()
    window = (order.integers(1, 60, length) if first is None else numpy.array(first)).astype(kind)
    for _ in range(steps):
        tensor = Tensor.from_numpy(window.copy()[None])
        event: Any = SimpleNamespace(
            operation="set_input", error=None, context_id=0, index=0, tensors=(tensor,), given=(),
            specs=(TensorSpec("ids", tensor.dtype, tensor.shape),),
        )  # fmt: skip
        rule.nn_event(event)
        move(window, step)
        window[-step:] = order.integers(1, 60, step)
    return "; ".join(text for _, text in rule.finish())


@pytest.mark.parametrize(("length", "step"), [(12, 1), (16, 1), (37, 1), (37, 3)])
@pytest.mark.parametrize("kind", ["i4", "i8", "u2", "u4"])
def test_windows_of_letters(kind: str, length: int, step: int) -> None:
    said = hint(by_bytes, kind=kind, length=length, step=step)
    assert f"only {length - step} bytes of the {length - step} elements" in said
    assert f"memmove and memcpy count bytes, {numpy.dtype(kind).itemsize} for each element" in said
    assert hint(by_elements, kind=kind, length=length, step=step) == ""
    assert hint(not_at_all, kind=kind, length=length, step=step) == ""


@pytest.mark.parametrize("first", [[0] * 12, [5] * 12, [0, 0, 0, 0, 0, 0, 0, 0, 4, 5, 6, 7]])
def test_windows_with_padding(first: list[int]) -> None:
    assert hint(by_elements, kind="i4", length=12, step=1, first=first) == ""
    assert hint(not_at_all, kind="i4", length=12, step=1, first=first) == ""


def test_bytes_are_elements() -> None:
    assert hint(by_bytes, kind="u1", length=12, step=1) == ""
    assert hint(by_bytes, kind="i4", length=12, step=1, steps=3) == "", "too few"

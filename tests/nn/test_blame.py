"""Errors of frameworks, as guests and people get them: what they keep alive."""

from __future__ import annotations

import gc
import weakref

import pytest

from pywasm_nn.nn import NNError
from pywasm_nn.nn.blame import blaming


class Model:
    """Something that takes much memory."""


@pytest.mark.parametrize("kind", [ValueError, MemoryError, RuntimeError])
def test_a_caught_error_keeps_no_model(kind: type[Exception]) -> None:
    """It is freed at once, and not when the collector comes by: until then there may be no memory for the
    next model."""
    kept: list[weakref.ref[Model]] = []

    def compute() -> None:
        model = Model()
        kept.append(weakref.ref(model))
        raise kind("no memory")

    gc.disable()
    try:
        with pytest.raises(NNError, match=f"numpy: {kind.__name__}: no memory") as caught, blaming("numpy"):
            compute()
        assert kept[0]() is not None, "the traceback shows where"
        del caught
        assert kept[0]() is None
    finally:
        gc.enable()

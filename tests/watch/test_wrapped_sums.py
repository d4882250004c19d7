"""Frames scaled by a mean of their own whose sum has begun again at 0."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sent.wrapped_sums import WrappedSums

RANDOM = numpy.random.default_rng(6)


def hint(frames: Any, means: Sequence[float], data: bytes, *, as_picture: bool = False) -> str:
    """What is said of frames that are scaled by these means."""
    shown: list[tuple[str, Any]] = []
    rule = WrappedSums(lambda: [("floor.raw", data)], lambda: shown[-1] if as_picture else None)
    for frame, mean in zip(frames, means, strict=True):
        shown.append(("floor.pgm", frame[..., None].astype("u1")))
        made = ((frame - mean) / numpy.sqrt(((frame - mean) ** 2).mean())).astype("f4")[None, None]
        event: Any = SimpleNamespace(
            operation="set_input", error=None, index=0, given=(), specs=(SimpleNamespace(name="x"),),
            tensors=(Tensor.from_numpy(made),),
        )  # fmt: skip
        rule.nn_event(event)
    return "".join(said for _, said in rule.finish())


@pytest.mark.parametrize("header", [0, 12])
@pytest.mark.parametrize("as_picture", [True, False])
@pytest.mark.parametrize(("side", "bits"), [(24, 16), (40, 16), (12, 8)])
def test_a_mean_of_a_sum_that_wraps(side: int, bits: int, *, as_picture: bool, header: int) -> None:
    frames = RANDOM.integers(90, 250, (5, side, side)).astype("f8")
    data = bytes(header) + frames.astype("u1").tobytes()
    rests = frames.sum(axis=(1, 2)) % (1 << bits)

    def said(means: Any) -> str:
        return hint(frames, means.tolist(), data, as_picture=as_picture)

    for sums in (rests, rests - (1 << bits)):
        assert f"is it added up in a number of {bits} bits" in said(sums / side**2)
    right = frames.mean(axis=(1, 2))
    for means in (right, 0 * right, 0 * right + 127.5, right - 7):
        assert said(means) == ""
    dark = frames // 16
    assert hint(dark, dark.mean(axis=(1, 2)).tolist(), dark.astype("u1").tobytes()) == ""

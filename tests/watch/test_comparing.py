"""Which transformation lies between two arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin import transformation
from tests.watch.whatif_models import DEVIATION, MEAN, encoded, picture, planar

WANTED = planar(encoded(picture(5, 40, 40), "unit"))
CHANGES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "reversed": (lambda x: x[:, ::-1], "channels reversed"),
    "raw": (lambda x: 255 * x, "times 255"),
    "signed": (lambda x: 2 * x - 1, "times 2 plus -1"),
    "reversed and raw": (lambda x: 255 * x[:, ::-1], "channels reversed, times 255"),
    "layout": (lambda x: x.transpose(0, 2, 3, 1).reshape(x.shape), "laid out as NHWC in place of NCHW"),
    "layout, in its shape": (lambda x: x.transpose(0, 2, 3, 1), "laid out as NHWC in place of NCHW"),
    "swapped": (lambda x: x.swapaxes(2, 3), "rows and columns swapped"),
    "upside down": (lambda x: x[:, :, ::-1], "upside down"),
    "mirrored": (lambda x: x[..., ::-1], "mirrored"),
    "by channel": (
        lambda x: (x - MEAN.reshape(1, 3, 1, 1)) / DEVIATION.reshape(1, 3, 1, 1),
        "by channel times 4.367 plus -2.118; times 4.464 plus -2.036; times 4.444 plus -1.804",
    ),
    "f64": (
        lambda x: numpy.frombuffer(x.astype("<f8").tobytes()[: x.nbytes], "<f4").reshape(x.shape),
        "its elements as f64, whose bytes were taken for f32",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_usual_changes(name: str) -> None:
    change, words = CHANGES[name]
    assert transformation(numpy.ascontiguousarray(change(WANTED)).astype("f4"), WANTED) == words


def test_arrays_that_end_early() -> None:
    cut = WANTED.copy()
    cut.reshape(-1)[1600:] = 0
    assert transformation(cut, WANTED) == "from element 1,600 on zeros"
    cut.reshape(-1)[1600:] = numpy.random.default_rng(0).random(3200)
    assert transformation(cut, WANTED) == "other from element 1,600 on"


def test_answers() -> None:
    logits = numpy.random.default_rng(1).normal(0, 3, (1, 20))
    soft = numpy.exp(logits) / numpy.exp(logits).sum()
    assert transformation(soft, logits) == "after softmax"
    assert transformation(numpy.roll(logits, 1), logits) == "shifted by 1 places"
    assert transformation(logits[:, ::-1], logits) == "in the opposite order"


@pytest.mark.parametrize("shape", [(), (1,), (0,), (5,), (1, 3, 16, 16), (2, 2)])
@pytest.mark.parametrize("dtype", ["f4", "f8", "u1", "i8", "f2"])
def test_any_two_arrays(shape: Any, dtype: str) -> None:
    order = numpy.random.default_rng(2)
    for other in ((3,), (1, 3, 16, 16), (1, 16, 16, 3), ()):
        for value in (0.0, numpy.nan, numpy.inf):
            one = (order.random(shape) * 100).astype(dtype)
            two = order.random(other).astype("f4")
            if dtype.startswith("f") and one.size:
                one.reshape(-1)[0] = value
            transformation(one, two)


@pytest.mark.parametrize("seed", range(6))
def test_other_arrays_are_no_change(seed: int) -> None:
    order = numpy.random.default_rng(seed)
    assert transformation(order.normal(0, 1, (1, 3, 40, 40)), WANTED) == ""
    assert transformation(planar(encoded(picture(seed + 50, 40, 40), "unit")), WANTED) == ""
    assert transformation(order.normal(0, 1, (1, 10)), order.normal(0, 1, (1, 10))) == ""

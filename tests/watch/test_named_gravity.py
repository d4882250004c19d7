"""Inputs whose names say that they are in g, and windows in m/s2."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sent.named_gravity import in_metres

GRAVITY = 9.80665


def window(shape: tuple[int, ...], seed: int, noise: float = 0.03) -> Any:
    """A sensor that lies still in some way, in g: one axis, or three in the second or last place."""
    numbers = numpy.random.default_rng(seed)
    made = numbers.normal(0, noise, shape)
    way = numbers.normal(0, 1, 3)
    way /= numpy.sqrt((way**2).sum())
    if 3 not in shape:
        return (made + 1).astype("f4")
    return (made + way.reshape([3 if one == 3 else 1 for one in shape])).astype("f4")


SHAPES = (1, 32), (1, 3, 64), (1, 64, 3), (1, 100, 1)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["acceleration_g", "accel_g", "acc [g]", "ACC_G"])
@pytest.mark.parametrize("seed", range(3))
def test_gravity_in_metres_where_the_name_says_g(shape: tuple[int, ...], name: str, seed: int) -> None:
    own = window(shape, seed)
    said = in_metres(Tensor.from_numpy(own * numpy.float32(GRAVITY)), name)
    assert "in g" in said and "as in m/s2" in said and "9.80665" in said
    assert in_metres(Tensor.from_numpy(own), name) == ""


@pytest.mark.parametrize("shape", SHAPES)
def test_windows_that_are_right(shape: tuple[int, ...]) -> None:
    own = window(shape, 1)
    for name in "acceleration", "accel_ms2", "mass_g", "weight_accurate_g", "x":
        assert in_metres(Tensor.from_numpy(own * numpy.float32(GRAVITY)), name) == "", name
    shaken = window(shape, 2, noise=6.0)
    assert in_metres(Tensor.from_numpy(shaken), "acceleration_g") == "", "somebody runs"
    assert in_metres(Tensor.from_numpy(own * 16384), "acceleration_g") == "", "counts"
    assert in_metres(Tensor.from_numpy(own[..., :2]), "acceleration_g") == "", "few"

"""Elements that are pixels in a usual range, though no line over these says so."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.changes.encodings import MEANS, SIGNED, STANDARD, UNIT, Encoding
from pywasm_nn.watch.origin.usual_pixels import in_usual_range

RANDOM = numpy.random.default_rng(2)
FLAT = numpy.array([180.0, 90.0, 60.0]) + RANDOM.integers(-3, 4, (20, 20, 1))
BLURRED = FLAT + RANDOM.uniform(-1, 1, (20, 20, 3))


def sent(encoding: Encoding, *, is_bgr: bool) -> Any:
    pixels = BLURRED[..., ::-1] if is_bgr else BLURRED
    step = 1 if is_bgr == encoding.is_bgr else -1
    mean, deviation = (numpy.array(one[::step]) for one in (encoding.mean, encoding.deviation))
    return ((pixels - mean) / deviation).astype("f4")


@pytest.mark.parametrize("encoding", [UNIT, SIGNED, STANDARD, MEANS])
@pytest.mark.parametrize("is_bgr", [True, False])
def test_flat_colours(encoding: Encoding, is_bgr: bool) -> None:
    found = in_usual_range(sent(encoding, is_bgr=is_bgr), FLAT)
    assert found is not None
    order, range_, certain = found
    assert (order, range_.encoding, certain) == ((2, 1, 0) if is_bgr else (0, 1, 2), encoding, True)


def test_a_picture_that_fills_a_part() -> None:
    made = FLAT.copy()
    made[14:] = numpy.nan
    found = in_usual_range(sent(UNIT, is_bgr=True), made)
    assert found is not None and found[1].encoding == UNIT and found[2]
    assert in_usual_range(sent(UNIT, is_bgr=True) * 0.9, made) is None
    assert in_usual_range(sent(UNIT, is_bgr=True), made * numpy.nan) is None


def test_other_ranges_and_grey() -> None:
    assert in_usual_range(sent(UNIT, is_bgr=False) * 0.9, FLAT) is None
    assert in_usual_range(sent(UNIT, is_bgr=False)[..., :1], FLAT) is None
    grey = numpy.repeat(BLURRED[..., :1], 3, axis=2)
    found = in_usual_range(grey / 255, numpy.repeat(FLAT[..., :1], 3, axis=2))
    assert found is not None and not found[2]

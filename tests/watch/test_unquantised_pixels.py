"""Pictures in inputs of 8 bits, by a model's scale and zero point and without one of these."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin import decoded
from pywasm_nn.watch.sent.unquantised_pixels import UnquantisedPixels
from tests.watch.test_origin import ppm, scene

PHOTO = (scene(6, 30, 30) * 1.4 - 40).clip(0, 255).astype("u1")
MEAN, DEVIATION = numpy.array([0.485, 0.456, 0.406]), numpy.array([0.229, 0.224, 0.225])
MADE = {"signed": PHOTO / 127.5 - 1, "standard": (PHOTO / 255 - MEAN) / DEVIATION}
AFFINES = [("u1", (0.0186, 114)), ("i1", (0.0235, 5))]


def said(made: Any, kind: str, affine: tuple[float, int]) -> str:
    source = decoded("a.ppm", ppm(PHOTO))
    small = made[1::3, 1::3]  # the pixels in the middle of three
    sent = small.clip(numpy.iinfo(kind).min, numpy.iinfo(kind).max).astype(kind)
    return UnquantisedPixels(lambda _: source).wrong(Tensor.from_numpy(sent[None]), affine)


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize(("kind", "affine"), AFFINES)
def test_pixels_by_scale_and_zero_point(name: str, kind: str, affine: tuple[float, int]) -> None:
    meant, (scale, zero) = MADE[name], affine
    assert said((meant / scale + zero).round(), kind, affine) == ""
    assert said(meant / scale + zero, kind, affine) == "", "cut off, and not rounded"
    assert said(PHOTO * 0.4 + 20, kind, affine) == "", "in a range of its own"
    assert "the zero point was not added" in said((meant / scale).round(), kind, affine)


def test_pixels_as_bytes() -> None:
    for kind, affine in AFFINES:
        assert "made bytes as they are" in said(MADE["standard"], kind, affine)
        assert "not divided by the scale, and the zero" in said(MADE["standard"] + affine[1], kind, affine)
    assert said(MADE["standard"] * 0, "u1", AFFINES[0][1]) == ""


@pytest.mark.parametrize("first", [True, False])
def test_a_picture_that_is_made_darker_on_purpose(first: bool) -> None:
    """Half of each byte is what comes without the zero point. The picture as it is was sent before."""
    source = decoded("a.ppm", ppm(PHOTO))
    pixels = UnquantisedPixels(lambda _: source)
    if first:
        assert pixels.wrong(Tensor.from_numpy(PHOTO[None]), (1 / 128, 128)) == ""
    assert ("zero point" in pixels.wrong(Tensor.from_numpy(PHOTO[None] >> 1), (1 / 128, 128))) is not first

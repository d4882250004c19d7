"""Small pictures whose bytes were read as signed ones."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin import decoded
from pywasm_nn.watch.origin.matching import traced
from pywasm_nn.watch.origin.signs import SAID
from tests.watch.test_origin import ppm, scene

PHOTO = (scene(9, 12, 12) * 1.2).clip(0, 255).astype("u1")
MEAN, DEVIATION = numpy.array([0.485, 0.456, 0.406]), numpy.array([0.229, 0.224, 0.225])
RANGES = {
    "inverted": lambda pixels: (255 - pixels) / 255,
    "standard": lambda pixels: (pixels / 255 - MEAN) / DEVIATION,
    "of its own": lambda pixels: pixels * 0.37 + 4,
}


@pytest.mark.parametrize("name", RANGES)
def test_bytes_as_signed_ones(name: str) -> None:
    make: Any = RANGES[name]
    source = decoded("a.ppm", ppm(PHOTO))
    assert source is not None
    signed = make(PHOTO.view("i1").astype("f8")).astype("f4").transpose(2, 0, 1)[None]
    found = traced(signed, source)
    assert found is not None and SAID in found.wrong
    right = traced(make(PHOTO.astype("f8")).astype("f4").transpose(2, 0, 1)[None], source)
    assert right is None or SAID not in right.wrong

"""Pictures whose pixels were taken to have another number of bytes than they have."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.records import changed
from pywasm_nn.watch.origin import decoded, traced
from pywasm_nn.watch.origin.as_grey import with_other_bytes
from pywasm_nn.watch.origin.decoding import Source
from tests.watch.test_origin import INTERPOLATIONS, ppm, scene

COLOURS = scene(3, 90, 150).astype("u1")
PAPER = numpy.clip(COLOURS[..., :1].astype("i2") + numpy.array([0, 6, -9], "i2"), 0, 255).astype("u1")
"""Nearly grey, as of a page: what is read is as smooth as a picture."""
OPAQUE = numpy.full((90, 150, 1), 255, "u1")


def source_of(pixels: Any) -> Source:
    found = decoded("a.ppm", ppm(pixels[..., :3]))
    assert found is not None
    return changed(found, array=pixels)


def grey(pixels: Any) -> Source:
    found = decoded("a.pgm", b"P5 150 90 255\n" + pixels.tobytes())
    assert found is not None
    return found


def as_sent(pixels: Any, height: int, width: int) -> Any:
    return (INTERPOLATIONS["bilinear"](pixels.astype("f4"), height, width) / 255).astype("f4")


@pytest.mark.parametrize("shown", [COLOURS, PAPER], ids=["colours", "paper"])
@pytest.mark.parametrize("size", [(90, 150), (64, 107), (120, 120)])
@pytest.mark.parametrize("bytes_", [3, 4])
def test_colours_read_as_grey(shown: Any, size: tuple[int, int], bytes_: int) -> None:
    own = shown if bytes_ == 3 else numpy.concatenate([shown, OPAQUE], 2)
    read = own.reshape(-1)[: 90 * 150].reshape(90, 150, 1)
    sent = as_sent(read, *size)[..., 0][None, None]
    found = traced(sent, source_of(own))
    assert found is not None and f"has {bytes_} bytes a pixel, and was read as 1 byte" in found.wrong
    rightly = as_sent(own[..., :3] @ numpy.array([[0.299], [0.587], [0.114]]), *size)[..., 0][None, None]
    plain = traced(rightly, source_of(own))
    assert plain is not None and not plain.wrong


def test_a_drawing_in_a_square_of_its_background_is_no_misreading() -> None:
    own = numpy.full((40, 64, 1), 26, "u1")
    own[8:32, 28:36], own[16:24, 20:44] = 210, 210
    square = numpy.full((64, 64, 1), 26, "u1")
    square[12:52] = own
    found = decoded("cross.pgm", b"P5 64 40 255\n" + own.tobytes())
    assert found is not None
    sent = ((as_sent(square, 28, 28)[..., 0] - 0.26) / 0.29)[None, None].astype("f4")
    plain = traced(sent, found)
    assert plain is None or not plain.wrong


def test_grey_read_as_colours() -> None:
    own = numpy.ascontiguousarray(COLOURS[..., 1:2])
    read = numpy.zeros((90, 150, 3), "u1")
    read.reshape(-1)[: own.size] = own.reshape(-1)
    sent = as_sent(read, 64, 64).transpose(2, 0, 1)[None]
    found = traced(sent, grey(own))
    assert found is not None and "is grey, 1 byte a pixel, and was read as 3 bytes" in found.wrong
    rightly = as_sent(own.repeat(3, 2), 64, 64).transpose(2, 0, 1)[None]
    plain = traced(rightly, grey(own))
    assert plain is not None and not plain.wrong


def test_grey_with_alpha() -> None:
    assert [*with_other_bytes(numpy.zeros((4, 4, 2), "u1"))] == []

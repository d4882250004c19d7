"""Pixels that were read as a text is, without those that look like blanks."""

from __future__ import annotations

import struct
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin import Source, decoded, traced
from pywasm_nn.watch.origin.headerless import as_pixels

HEIGHT, WIDTH = 24, 36
ROWS, COLUMNS = numpy.mgrid[:HEIGHT, :WIDTH]
WAVES = 60 + 58 * numpy.sin(COLUMNS[..., None] / 5 + ROWS[..., None] / (3, 5, 7))
COLOURS = WAVES.astype("u1")
GREYS = COLOURS[..., :1]
DIGIT = (numpy.arange(64) * 7 % 17).reshape(8, 8, 1).astype("u1")
SKIPPED = numpy.frombuffer(b" \t\n\v\f\r", "u1")
Picture = tuple[Source, Any]


def skipped(body: bytes) -> Any:
    """Bytes as `std::istream >> char` gives them, and zeros."""
    pixels = numpy.frombuffer(body, "u1")
    kept = pixels[~numpy.isin(pixels, SKIPPED)]
    return numpy.pad(kept, (0, pixels.size - kept.size))


def portable(pixels: Any, top: int = 255) -> Picture:
    height, width, channels = pixels.shape
    head = f"P{5 if channels == 1 else 6}\n{width} {height}\n{top}\n".encode()
    source = decoded("a.pnm", head + pixels.tobytes())
    assert source is not None
    return source, skipped(pixels.tobytes()).reshape(pixels.shape) / top


def bitmap() -> Picture:
    body = COLOURS[::-1, :, ::-1].tobytes()
    head = b"BM" + struct.pack("<IIIIiiHH", 54 + len(body), 0, 54, 40, WIDTH, HEIGHT, 1, 24) + bytes(24)
    source = decoded("a.bmp", head + body)
    assert source is not None
    return source, skipped(body).reshape(COLOURS.shape)[::-1, :, ::-1] / 255


def raw() -> Picture:
    (source,) = as_pixels("a.rgb", COLOURS.tobytes(), numpy.zeros((1, *COLOURS.shape)))
    return source, skipped(COLOURS.tobytes()).reshape(COLOURS.shape) / 255


@pytest.mark.parametrize("count", [2, 3, 4])
def test_as_many_grey_pictures_as_there_are_channels(count: int) -> None:
    """A file with a grey picture for each of a batch has as many bytes as one with so many channels."""
    pictures = numpy.stack([numpy.roll(GREYS, 5 * one, axis=0) for one in range(count)])
    batch = numpy.repeat(pictures[:, None, ..., 0], 3, axis=1) / numpy.float32(255)
    (source,) = as_pixels("a.gray", pictures.tobytes(), batch)
    origin = traced(batch, source)
    assert origin is not None
    assert origin.wrong == "" and "grey" in str(origin)


@pytest.mark.parametrize(
    "picture", [portable(COLOURS), portable(GREYS), portable(DIGIT, 16), bitmap(), raw()],
    ids=["ppm", "pgm", "digit", "bmp", "raw"])  # fmt: skip
@pytest.mark.parametrize("is_planar", [True, False])
def test_blanks_among_pixels(picture: Picture, is_planar: bool) -> None:
    source, sent = picture
    for pixels, words in ((sent, "are left out"), (source.array / 255, "")):
        laid = pixels.transpose(2, 0, 1) if is_planar else pixels
        found = traced(laid[None].astype("f4"), source)
        assert found is not None
        assert words in found.wrong and bool(words) == bool(found.wrong)


def test_pixels_without_blanks() -> None:
    source, _ = portable(GREYS)
    bright = numpy.where(numpy.isin(GREYS, SKIPPED), 14, GREYS)
    again, sent = portable(bright.astype("u1"))
    assert (again.array == bright).all() and sent.shape == source.array.shape
    found = traced(numpy.roll(sent, 40).transpose(2, 0, 1)[None].astype("f4"), again)
    assert found is None or "are left out" not in found.wrong

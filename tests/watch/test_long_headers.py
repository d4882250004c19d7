"""BMP files with long headers whose palette or pixels are taken from byte 54."""

from __future__ import annotations

from struct import pack
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin import decoded, traced
from pywasm_nn.watch.sent.palettes import palette_in_header

HIGH, WIDE = 24, 32
ROWS, COLUMNS = numpy.mgrid[:HIGH, :WIDE]
NUMBERS = (ROWS * 3 + COLUMNS * 2).astype("u1")
PALETTE = numpy.stack([numpy.arange(256) * by % 256 // 2 + 60 for by in (1, 2, 1)] + [numpy.zeros(256)], 1)
SPOTS = numpy.random.default_rng(1).integers(20, 236, (8, 8, 3)).repeat(3, 0).repeat(4, 1).astype("u1")


def bitmap(size: int, bits: int, body: bytes, palette: bytes = b"") -> bytes:
    first = 14 + size + len(palette)
    info = pack("<IiiHHIIiiII", size, WIDE, HIGH, 1, bits, 0, len(body), 2835, 2835, len(palette) // 4, 0)
    return b"BM" + pack("<III", first + len(body), 0, first) + info.ljust(size, b"\0") + palette + body


def indexed(size: int, numbers: Any = NUMBERS) -> bytes:
    return bitmap(size, 8, numbers[::-1].tobytes(), PALETTE.astype("u1").tobytes())


def sent(data: bytes, pixels: Any) -> str:
    source = decoded("a.bmp", data)
    assert source is not None
    found = traced((pixels / 255).transpose(2, 0, 1)[None].astype("f4"), source)
    return "not found" if found is None else found.wrong


@pytest.mark.parametrize("size", [108, 124])
def test_palettes(size: int) -> None:
    data = indexed(size)
    wrongly = numpy.frombuffer(data, "u1", 1024, 54).reshape(256, 4)[NUMBERS][..., 2::-1]
    assert f"has {size}, and the palette begins at byte {14 + size}" in sent(data, wrongly)
    assert sent(data, PALETTE[NUMBERS][..., 2::-1]) == ""


@pytest.mark.parametrize("palette", [PALETTE, numpy.arange(256)[:, None].repeat(4, 1)])
@pytest.mark.parametrize(("wide", "step"), [(29, -1), (30, -1), (31, 1)])
def test_padding_of_numbers(wide: int, step: int, palette: Any) -> None:
    """Rows of 8 bits a pixel are padded to 4 bytes, too, whatever palette there is, from the bottom
    or from the top on."""
    numbers = numpy.random.default_rng(wide).integers(0, 256, (10, wide // 3)).repeat(3, 0).repeat(4, 1)
    numbers = numbers[:26, :wide].astype("u1")
    rows = numpy.zeros((26, 32), "u1")
    rows[:, :wide] = numbers[::step]
    first = 54 + 1024
    info = pack("<IiiHHIIiiII", 40, wide, -step * 26, 1, 8, 0, rows.size, 2835, 2835, 256, 0)
    data = b"BM" + pack("<III", first + rows.size, 0, first) + info + palette.astype("u1").tobytes()
    data += rows.tobytes()
    colours = palette.astype("u1")[:, 2::-1]
    unpadded = rows.reshape(-1)[: 26 * wide].reshape(26, wide)[::step]
    said = f"the padding at the end of rows was not passed over: {wide} bytes for 32"
    assert sent(data, colours[unpadded]) == said
    assert sent(data, colours[numbers]) == ""


def test_pixels() -> None:
    size = 124
    body = SPOTS[::-1, :, ::-1].tobytes()
    data = bitmap(size, 24, body)
    wrongly = numpy.frombuffer(data, "u1", SPOTS.size, 54).reshape(SPOTS.shape)[::-1, :, ::-1]
    assert f"taken from byte 54, right behind a header of 40 bytes: they begin at byte {14 + size}" in sent(
        data, wrongly
    )
    assert sent(data, SPOTS) == ""


def test_inputs_of_one_value() -> None:
    few = (NUMBERS % 6).astype("u1")
    assert "palette begins at byte 138" in palette_in_header([("a.bmp", indexed(124, few)), ("b", b"BM")])
    for data in (indexed(40, few), indexed(124), indexed(124, few * 0), indexed(124, few)[:1500]):
        assert palette_in_header([("a.bmp", data)]) == ""

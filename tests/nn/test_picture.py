"""Which tensors are pictures, and what they look like: PNG read back by hand."""

from __future__ import annotations

import re
import struct
import zlib
from base64 import b64decode

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pywasm_nn.markup import png
from pywasm_nn.nn import DType, Tensor
from pywasm_nn.nn.picture import layout


def read(data: bytes) -> NDArray[np.uint8]:
    """The pixels of a PNG without filters, [height, width, channels]."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    at, chunks = 8, []
    while at < len(data):
        (size,) = struct.unpack_from(">I", data, at)
        body = data[at + 4 : at + 8 + size]
        assert struct.unpack_from(">I", data, at + 8 + size) == (zlib.crc32(body),)
        chunks.append((body[:4], body[4:]))
        at += size + 12
    assert [kind for kind, _ in chunks] == [b"IHDR", b"IDAT", b"IEND"]
    width, height, depth, colours = struct.unpack_from(">IIBB", chunks[0][1])
    assert depth == 8
    rows = np.frombuffer(zlib.decompress(chunks[1][1]), np.uint8).reshape(height, -1)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(height, width, {0: 1, 2: 3, 6: 4}[colours])


@given(st.integers(1, 9), st.integers(1, 9), st.sampled_from([1, 3, 4]), st.data())
def test_pixels_survive(width: int, height: int, channels: int, data: st.DataObject) -> None:
    size = width * height * channels
    pixels = data.draw(st.binary(min_size=size, max_size=size))
    assert read(png(width, height, channels, pixels)).tobytes() == pixels


@pytest.mark.parametrize(
    ("shape", "found"),
    [
        ((1, 3, 224, 224), "CHW"),
        ((1, 224, 224, 3), "HWC"),
        ((224, 224, 3), "HWC"),
        ((1, 1, 8, 8), "CHW"),
        ((8, 8, 1), "HWC"),
        ((16, 4, 32, 32), "CHW"),
        ((28, 28), "HW"),
        ((1, 480, 640, 4), "HWC"),
        ((1, 1000), None),
        ((1, 128, 768), None),
        ((12, 64, 64), None),
        ((1, 2, 3, 3), None),
        ((3,), None),
        ((), None),
        ((1, 3, 0, 0), None),
        ((1, 3, 10**9, 10**9), None),
    ],
)
def test_shapes_of_pictures(shape: tuple[int, ...], found: str | None) -> None:
    assert layout(shape) == found


def seen(array: NDArray[np.generic], dtype: DType | None = None) -> tuple[NDArray[np.uint8], str]:
    picture = Tensor.from_numpy(array, dtype).picture()
    assert picture is not None
    return read(picture.png()), picture.said


def test_layouts_show_the_same_picture() -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (6, 5, 3), np.uint8)
    for array in (pixels, pixels[None], np.moveaxis(pixels, 2, 0), np.moveaxis(pixels, 2, 0)[None]):
        found, said = seen(np.ascontiguousarray(array))
        assert np.array_equal(found, pixels)
        assert said == "black is 0, white is 255"


def test_of_a_batch_the_first_is_shown() -> None:
    batch = np.zeros((3, 4, 4, 1), np.uint8)
    batch[0], batch[1] = 7, 9
    assert (seen(batch)[0] == 7).all()


@pytest.mark.parametrize(
    ("values", "dtype", "shades", "said"),
    [
        ([0, 0.5, 1], "f4", [0, 128, 255], "black is 0, white is 1"),
        ([0.5, 0.5, 0.5], "f4", [128, 128, 128], "black is 0, white is 1"),
        ([0, 100, 255], "f4", [0, 100, 255], "black is 0, white is 255"),
        ([0, 100, 255], "i4", [0, 100, 255], "black is 0, white is 255"),
        ([-1, 0, 1], "f2", [0, 128, 255], "black is -1, white is 1"),
        ([0, 0, 16], "i8", [0, 0, 255], "black is 0, white is 16"),
        ([-3, -3, -3], "f8", [0, 0, 0], "black is -3, white is -3"),
        ([-1.7e308, 0, 1.7e308], "f8", [0, 128, 255], "black is -1e+300, white is 1e+300"),
        ([np.nan, 0, np.inf], "f4", [0, 0, 0], "black is 0, white is 1"),
        ([0, 1, 1], "?", [0, 255, 255], "black is 0, white is 1"),
        ([0, 2, 200], "u1", [0, 2, 200], "black is 0, white is 255"),
    ],
)
def test_shades(values: list[float], dtype: str, shades: list[int], said: str) -> None:
    array = np.resize(np.array(values, dtype), (6, 6))
    found, told = seen(array)
    assert (found[0, :3, 0].tolist(), told) == (shades, said)


def test_bfloat16_is_seen_as_numbers() -> None:
    bits = (np.resize(np.array([0, 1, -1], "f4"), (6, 6)).view("u4") >> 16).astype("u2")
    assert seen(bits, DType.BF16)[0][0, :3, 0].tolist() == [128, 255, 0]


def test_large_pictures_become_smaller() -> None:
    found, _ = seen(np.zeros((1, 3, 1000, 600), np.float32))
    assert found.shape == (250, 150, 3)


HTML = r'<p>([^<]*)</p><img alt="([^"]*)" width="(\d+)" style="[^"]*" src="data:image/png;base64,([^"]*)">'


def test_a_notebook_shows_numbers_and_picture() -> None:
    array = np.linspace(-1, 1, 64).reshape(1, 1, 8, 8).astype("f4")
    shown = re.fullmatch(HTML, Tensor.from_numpy(array)._repr_html_())
    assert shown is not None
    assert shown[1] == "f32[1,1,8,8], mean 0 std 0.586 min -1 max 1"
    assert (shown[2], shown[3]) == ("as a picture, black is -1, white is 1", "128")
    assert read(b64decode(shown[4])).shape == (8, 8, 1)


@pytest.mark.parametrize(
    ("tensor", "said"),
    [
        (
            Tensor.from_numpy(np.array([1.0, np.nan], "f4")),
            "f32[2], mean 1 std 0 min 1 max 1 1 of 2 not finite",
        ),
        (Tensor.from_numpy(np.array([np.nan], "f4")), "f32[1], 1 of 1 not finite"),
        (Tensor.from_numpy(np.zeros((0, 3), "f4")), "f32[0,3]"),
        (Tensor.from_numpy(np.array(["<b>"], object)), "string[1]"),
        (Tensor(DType.F32, (4, 4), bytes(3)), "f32[4,4]"),
        (Tensor.from_numpy(np.int64(7)), "i64[], mean 7 std 0 min 7 max 7"),
    ],
)
def test_a_notebook_shows_what_is_no_picture(tensor: Tensor, said: str) -> None:
    assert tensor._repr_html_() == f"<p>{said}</p>"

"""Files whose pieces are put over each other, as what is left of them in the guest's buffer."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.budget import Left, always, never
from pywasm_nn.watch.origin.one_place import in_one_place
from tests.watch.test_origin import ppm, scene

SIDE = 32
PIXELS = scene(3, SIDE, SIDE).astype("u1")
SIGNAL = numpy.cumsum(numpy.random.default_rng(4).normal(0, 90, 3000)).astype("<i2")


def said(array: Any, data: bytes, *pieces: int, left: Left = never) -> str:
    read = SimpleNamespace(name="a.bin", data=bytearray(data), pieces={*pieces})
    return in_one_place(array, [SimpleNamespace(name="m", data=bytearray(999), pieces={999}), read], left)


def held(data: bytes, size: int, begins: int = 0, step: int = 0) -> bytes:
    """What a buffer of zeros holds, in which each piece is put at the same place, or a step farther."""
    buffer = bytearray(len(data))
    buffer[:begins] = data[:begins]
    for number, at in enumerate(range(begins, len(data), size)):
        piece = data[at : at + size]
        buffer[begins + number * step : begins + number * step + len(piece)] = piece
    return bytes(buffer)


def sent(pixels: bytes, way: str) -> Any:
    whole = numpy.frombuffer(pixels, "u1").reshape(1, SIDE, SIDE, 3)
    if way == "bytes":
        return whole
    if way == "floats":
        return whole.astype("f4") / 127.5 - 1
    return numpy.ascontiguousarray(whole.transpose(0, 3, 1, 2) / numpy.float32(255))


@pytest.mark.parametrize("way", ["bytes", "floats", "planes"])
@pytest.mark.parametrize("size", [256, 1000, 1536])
@pytest.mark.parametrize("header", [0, 13])
def test_pictures(way: str, size: int, header: int) -> None:
    data = ppm(PIXELS) if header else PIXELS.tobytes()
    begins = len(data) - PIXELS.size
    array = sent(held(data, size, begins)[begins:], way)
    assert f"in pieces of {size:,} bytes" in said(array, data, size, len(data) % size)
    for right in (data, data[: begins + size].ljust(len(data), b"\0")):  # all of it, or the first piece
        assert said(sent(right[begins:], way), data, size) == ""


@pytest.mark.parametrize("size", [512, 1024, 3000])
@pytest.mark.parametrize("factor", [1.0, 1 / 32768])
def test_signals(size: int, factor: float) -> None:
    array = (numpy.frombuffer(held(SIGNAL.tobytes(), size), "<i2") * factor).astype("f4")[None]
    assert f"{size:,} bytes" in said(array, SIGNAL.tobytes(), size)
    assert said((SIGNAL * factor).astype("f4")[None], SIGNAL.tobytes(), size) == ""


def test_a_picture_that_is_resized() -> None:
    large = scene(8, 2 * SIDE, 2 * SIDE).astype("u1")
    data = ppm(large)
    begins = len(data) - large.size
    left = numpy.frombuffer(held(data, 4096, begins), "u1", large.size, begins).reshape(SIDE, 2, SIDE, 2, 3)
    array = (left.mean(axis=(1, 3)) / 255).astype("f4").transpose(2, 0, 1)[None]
    assert "in pieces of 4,096 bytes" in said(array, data, 4096, left=always)
    assert said(array, data, 4096) == "", "there is no time"


@pytest.mark.parametrize("step", [1, 64, 128])
def test_pieces_that_are_moved_too_little(step: int) -> None:
    array = sent(held(PIXELS.tobytes(), 256, step=step), "planes")
    assert f"put {step:,} bytes behind the one before" in said(array, PIXELS.tobytes(), 256)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 3)])
@pytest.mark.parametrize("way", ["bytes", "floats", "planes"])
def test_pixels_of_four_bytes(order: tuple[int, ...], way: str) -> None:
    pixels = numpy.full((SIDE, SIDE, 4), 255, "u1")
    pixels[..., list(order)] = PIXELS
    data = pixels.tobytes()

    def taken(octets: bytes) -> Any:
        colours = numpy.frombuffer(octets, "u1").reshape(SIDE, SIDE, 4)[..., list(order)]
        return sent(colours.tobytes(), way)

    assert "in pieces of 1,000 bytes" in said(taken(held(data, 1000)), data, 1000)
    assert said(taken(data), data, 1000) == said(taken(data[:1000].ljust(len(data), b"\0")), data, 1000) == ""


def test_four_bytes_a_pixel_that_are_resized() -> None:
    pixels = numpy.full((2 * SIDE, 2 * SIDE, 4), 255, "u1")
    pixels[..., :3] = scene(8, 2 * SIDE, 2 * SIDE).astype("u1")
    head = (
        f"P7\nWIDTH {2 * SIDE}\nHEIGHT {2 * SIDE}\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n".encode()
    )
    data, begins = head + pixels.tobytes(), len(head)
    left = numpy.frombuffer(held(data, 4096, begins), "u1", pixels.size, begins)
    array = left.reshape(SIDE, 2, SIDE, 2, 4).mean(axis=(1, 3))[None, ..., :3].round().astype("u1")
    with numpy.errstate(all="ignore"):  # other bytes are no floats
        assert "in pieces of 4,096 bytes" in said(array, data, 4096, left=always)


def test_black_below_is_a_picture_all_the_same() -> None:
    dark = PIXELS.copy()
    dark[SIDE // 2 :] = 0
    assert said(sent(dark.tobytes(), "floats"), dark.tobytes(), 512, 1536) == ""
    assert said(sent(bytes(dark.size), "bytes"), dark.tobytes(), 512) == ""

"""Pixels and samples that arithmetic spoilt, films, strips of small pictures: mistakes, and right
twins."""

from __future__ import annotations

import io
import wave
from collections.abc import Callable
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin import heard
from pywasm_nn.watch.origin.decoding import decoded
from pywasm_nn.watch.planes import Planes
from pywasm_nn.watch.sheets.places import exchanged
from pywasm_nn.watch.sheets.sheet import Sheet, sheet_of
from tests.watch.test_false_alarms import origins_of
from tests.watch.test_origin import ppm, scene

RANDOM = numpy.random.default_rng(47)
Resize = Callable[[Any], Any]
RED, GREEN, BLUE = range(3)


def hints(array: Any, pictures: list[tuple[str, Any]], files: list[tuple[str, bytes]] | None = None) -> str:
    pixels = Planes(lambda: pictures, lambda: files or [])
    return "; ".join(pixels.set("x", Tensor.from_numpy(numpy.ascontiguousarray(array, "f4"))))


def whole(plane: Any) -> Any:
    return plane


def every_second(plane: Any) -> Any:
    return plane[::2, ::2]


def blocks(plane: Any) -> Any:
    return plane.reshape(plane.shape[0] // 2, 2, -1, 2).mean(axis=(1, 3))


@pytest.mark.parametrize("resize", [whole, every_second, blocks])
@pytest.mark.parametrize("seed", [1, 2])
def test_greys_that_run_over(resize: Resize, seed: int) -> None:
    picture = scene(seed, 40, 48)
    channels = [picture[..., at].astype(int) for at in range(3)]
    total, by_weight = sum(channels), sum(by * one for by, one in zip((299, 587, 114), channels, strict=True))
    read = [("note.ppm", picture)]

    def sent(plane: Any) -> str:
        return hints(1 - resize(plane)[None, None] / 255, read)

    assert "a byte, which holds 255" in sent(total % 256 // 3)
    assert "16 bits, which holds 65535" in sent(by_weight % 65536 // 1000)
    for right in (total // 3, by_weight // 1000, channels[GREEN], (total // 3 > 100) * 255):
        assert sent(right) == ""


def test_differences_that_run_over() -> None:
    before, after = (scene(seed, 32, 40)[..., :1] for seed in (3, 4))
    read = [("a.pgm", before), ("b.pgm", after)]
    apart = (after.astype(int) - before)[..., 0]
    assert "hold nothing below 0" in hints(apart[None, None] % 256 / 255, read)
    for right in (abs(apart), apart, apart.clip(0), (-apart).clip(0)):
        assert hints(right[None, None] / 255, read) == ""


def film(count: int = 5) -> tuple[bytes, list[Any]]:
    planes = [scene(seed, 24, 32)[..., 0] for seed in range(count)]
    frames = [b"FRAME\n" + one.tobytes() + bytes([128]) * (24 * 32 // 2) for one in planes]
    return b"YUV4MPEG2 W32 H24 F25:1 C420\n" + b"".join(frames), planes


@pytest.mark.parametrize("number", [1, 3])
def test_frames_of_a_film(number: int) -> None:
    data, planes = film()
    size = 24 * 32 * 3 // 2
    start = data.index(b"FRAME") + 6 + number * size
    early = numpy.frombuffer(data[start : start + 24 * 32], "u1").reshape(1, 1, 24, 32) / 255
    assert f"{6 * number} bytes before those of frame {number + 1}" in hints(early, [], [("a.y4m", data)])
    assert hints(planes[number][None, None] / 255, [], [("a.y4m", data)]) == ""
    apart = planes[number].astype(int) - planes[number - 1]
    assert "taken away" in hints(apart[None, None] % 256 / 255, [], [("a.y4m", data)])
    assert hints(abs(apart)[None, None] / 255, [], [("a.y4m", data)]) == ""


def wrong(array: Any, data: bytes, name: str) -> str:
    found = origins_of(data, name).of(Tensor.from_numpy(numpy.ascontiguousarray(array, "f4")))
    return found.wrong if found is not None else ""


@pytest.mark.parametrize("invert", [False, True])
@pytest.mark.parametrize("cell", [0, 2])
def test_cells_of_a_strip(cell: int, invert: bool) -> None:
    strip = scene(5, 28, 112)[..., :1]
    data = ppm(strip)

    def sent(pixels: Any) -> str:
        made = pixels.reshape(1, 28, 28, 1) / 255
        return wrong(1 - made if invert else made, data, "word.pgm")

    assert "28 bytes apart; in the file they lie 112 apart" in sent(strip.reshape(-1)[cell * 784 :][:784])
    assert "apart" not in sent(strip[:, cell * 28 :][:, :28])
    sheet = ppm(scene(6, 30, 28 * 28)[..., :1])
    row = numpy.frombuffer(sheet[-784:], "u1").reshape(1, 28, 28, 1) / 255
    assert "apart" not in wrong(row, sheet, "rows.pgm"), "a whole picture in each row"


@pytest.mark.parametrize("times", [1, 2])
def test_rows_of_a_part_of_raw_pixels(times: int) -> None:
    whole = scene(7, 60, 96)
    data = whole.tobytes()
    first = (20 * 96 + 11) * 3

    def sent(apart: int) -> str:
        rows = [numpy.frombuffer(data[first + apart * at :][: 70 * 3], "u1") for at in range(24)]
        part = numpy.stack(rows).reshape(24, 70, 3)[..., ::-1].repeat(times, 0).repeat(times, 1)
        return wrong((part / 255).transpose(2, 0, 1)[None], data, "a.rgb")

    assert "210 bytes apart" in sent(210) and "lie 288 apart" in sent(210)
    assert sent(288) == ""


def table(headings: str, *places: tuple[int, int]) -> Sheet:
    lines = [headings, *(f"{x},{y},30,40" for x, y in places)]
    found = sheet_of("boxes.csv", "\n".join(lines).encode())
    assert found is not None
    return found


def test_places_that_are_exchanged() -> None:
    sheet = table("x,y,width,height", (20, 90), (100, 10))
    assert "x and y exchanged" in exchanged((20, 90, 60, 120), [sheet])
    assert "x and y exchanged" in exchanged((7, 30, 40, 60), [table("left,top,w,h", (8, 9), (7, 30))])
    for part in ((90, 20, 130, 50), (10, 100, 50, 130), (33, 44, 70, 80)):
        assert exchanged(part, [sheet]) == ""
    assert exchanged((20, 90, 60, 120), [table("x,y,w,h", (20, 90), (90, 20))]) == "", "both are places"
    assert exchanged((20, 90, 60, 120), [table("age,income,w,h", (20, 90), (30, 9))]) == ""


def test_sixteen_bits_in_a_byte() -> None:
    y, x = numpy.mgrid[:40, :48]
    deep = (28000 + 90 * x + 40 * y + RANDOM.integers(0, 30, x.shape)).astype(">u2")
    data = b"P5\n48 40\n65535\n" + deep.tobytes()
    assert "kept in a byte" in wrong((deep & 255)[None, ..., None] / 255, data, "heat.pgm")
    assert "wrong order" in wrong(deep.byteswap().astype("f8")[None, ..., None] / 65535, data, "heat.pgm")
    assert wrong(deep.astype("f8")[None, ..., None] / 65535, data, "heat.pgm") == ""


def stereo(samples: Any) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(2)
        sound.setsampwidth(2)
        sound.setframerate(16000)
        sound.writeframes(samples.tobytes())
    return file.getvalue()


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_channels_that_are_added_in_sixteen_bits(share: float) -> None:
    time = numpy.arange(6000)
    left = (32000 * share * numpy.sin(time / 9)).astype("<i2")
    right = (30000 * share * numpy.sin(time / 11 + 1)).astype("<i2")
    source = decoded("duo.wav", stereo(numpy.stack([left, right], 1)))
    assert source is not None
    total = left.astype(int) + right
    assert (abs(total) > 32767).any() == (share > 0.5)
    sent = numpy.array([total.astype("<i2") / 65536], "f4")
    found = heard(sent[:, 100:5100], source)
    assert found is not None and ("ran over" in found.wrong) == (share > 0.5)
    meant = heard(numpy.array([total / 65536], "f4")[:, 100:5100], source)
    assert meant is not None and meant.wrong == ""

"""Files of which only the beginning was read, and the input is empty where the rest would be; and pictures of
which zeros took the place before all was copied."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
import pytest

from pywasm_nn.interpreter.runtime.observe import HostEvent
from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin import unread
from pywasm_nn.watch.origin.following import Origins
from pywasm_nn.watch.origin.resizing import resized
from tests.watch.test_false_alarms import reads
from tests.watch.test_origin import ppm, scene, wav
from tests.watch.test_raw_pixels import bmp, short, wrong

ORDER = numpy.random.default_rng(3304)
HIGH, WIDE = 48, 72
PHOTO = scene(9, HIGH, WIDE)
WITH_ALPHA = numpy.concatenate([PHOTO, numpy.full((HIGH, WIDE, 1), 255, "u1")], 2)
SHORT = "bytes of the file were read (one read may return fewer than asked for)"
TAKEN = "before all pixels were copied?"


def begun(data: bytes, count: int) -> bytes:
    """The bytes in a buffer of zeros after one read."""
    return data[:count] + bytes(len(data) - count)


def after_a_read(folder: Path, name: str, data: bytes, count: int) -> Origins:
    """What is known of a file of the host after a read of so many bytes."""
    (folder / name).write_bytes(data)
    origins = Origins(directories={"/data": folder})
    opened, _ = reads(data, name)
    origins.host_call(opened)
    given = tuple({"fd": 5, "iovs": [data[:count]], "nread": count}.items())
    origins.host_call(HostEvent("wasi_snapshot_preview1", "fd_read", given, 0, None, 0.0))
    return origins


def rgb_of(data: bytes) -> Any:
    return numpy.frombuffer(data, "u1")[-PHOTO.size :].reshape(PHOTO.shape)


def colours_of(data: bytes) -> Any:
    return numpy.frombuffer(data, "u1").reshape(WITH_ALPHA.shape)[..., :3]


def bitmap_of(data: bytes) -> Any:
    return rgb_of(data)[::-1, :, ::-1]


FILES = {
    "a-72x48.rgb": (PHOTO.tobytes(), rgb_of),
    "a-72x48.rgba": (WITH_ALPHA.tobytes(), colours_of),
    "a.ppm": (ppm(PHOTO), rgb_of),
    "a.bmp": (bmp(PHOTO), bitmap_of),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(("part", "side"), [(0.2, HIGH), (0.8, HIGH), (0.7, 32)])
def test_one_read_of_a_picture(tmp_path: Path, name: str, part: float, side: int) -> None:
    data, pixels_of = FILES[name]
    count = int(len(data) * part)

    def sent(read: bytes) -> Any:
        pixels = pixels_of(read).astype("f4")
        if side != HIGH:
            pixels = resized(pixels, side, side)
        return (pixels.transpose(2, 0, 1) / 255)[None]

    said = wrong(sent(begun(data, count)), data, "", origins=after_a_read(tmp_path, name, data, count))
    assert f"it is empty: only {count:,} {SHORT}" in said
    right = after_a_read(tmp_path, name, data, len(data))
    assert wrong(sent(data), data, "", origins=right) in ("", "?")


@pytest.mark.parametrize("count", [3000, 7001])
def test_one_read_of_a_pipe(count: int) -> None:
    """Nobody knows what follows; as many pixels of four bytes are there as rows that aren't empty."""
    data = WITH_ALPHA.tobytes()
    sent = (colours_of(begun(data, count)) / 127.5 - 1).astype("f4")
    said = wrong(sent[None], data, "", origins=short(data, count))
    assert f"it is empty: only {count:,} {SHORT}" in said


NUMBERS = {
    "a.wav": (wav((9000 * numpy.sin(numpy.arange(4000) ** 2 / 30000)).astype("<i2")), 44, "<i2", 1 / 32768),
    "a.f32": (ORDER.normal(size=900).cumsum().astype("<f4").tobytes(), 0, "<f4", 1.0),
    "a.f64": (ORDER.normal(size=900).cumsum().astype("<f8").tobytes(), 0, "<f8", 0.25),
    "a.i32": (ORDER.integers(-90000, 90000, 700).astype("<i4").tobytes(), 0, "<i4", 1e-5),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_one_read_of_numbers(tmp_path: Path, name: str) -> None:
    data, start, kind, scale = NUMBERS[name]
    count = len(data) // 16 * 8

    def sent(read: bytes) -> Any:
        return (numpy.frombuffer(read[start:], kind) * scale).astype("f4")[None]

    said = wrong(sent(begun(data, count)), data, "", origins=after_a_read(tmp_path, name, data, count))
    assert f"it is empty: only {count:,} {SHORT}" in said
    whole = after_a_read(tmp_path, name, data, len(data))
    assert SHORT not in wrong(sent(data), data, "", origins=whole)
    # a first part that is filled up with zeros though all was read is another mistake, or none
    assert SHORT not in wrong(sent(begun(data, count)), data, "", origins=whole)


@pytest.mark.parametrize("dark", ["black", "bars"])
def test_a_beginning_is_right_if_the_rest_is_empty(tmp_path: Path, dark: str) -> None:
    """A picture that ends in black, of which no more was read than shows something; and one between bars."""
    shown = PHOTO.copy()
    shown[HIGH // 2 :] = 0
    data, count = shown.tobytes(), shown.size // 2 + WIDE * 3
    origins = after_a_read(tmp_path, "a.rgb", data, count if dark == "black" else len(data))
    assert SHORT not in wrong((shown / 255).astype("f4")[None], data, "", origins=origins)


def put(folder: Path, name: str, data: bytes, memory: Any) -> Origins:
    """What is known after a file was read to the beginning of a guest's memory."""
    memory[: len(data)] = numpy.frombuffer(data, "u1")
    (folder / name).write_bytes(data)
    origins = Origins(directories={"/data": folder})
    opened, _ = reads(data, name)
    origins.host_call(opened)
    view = memoryview(memory)[: len(data) + 1]  # asks for more than there is: the end is known
    given = tuple({"fd": 5, "iovs": [view], "nread": len(data)}.items())
    origins.host_call(HostEvent("wasi_snapshot_preview1", "fd_read", given, 0, None, 0.0))
    return origins


@pytest.mark.parametrize("ahead", [0, 16, 3000])
def test_zeros_over_a_picture_before_it_is_copied(tmp_path: Path, ahead: int) -> None:
    """The input begins where the file does, or before, is cleared, and filled from what is left."""
    data, pixels = WITH_ALPHA.tobytes(), HIGH * WIDE
    memory = numpy.zeros(1 << 16, "u1")
    origins = put(tmp_path, "a.rgba", data, memory[ahead:])
    own, file = memory[: 3 * pixels], memory[ahead : ahead + len(data)]
    own[:] = 0
    for number in range(pixels):
        own[3 * number : 3 * number + 3] = file[4 * number : 4 * number + 3].copy()
    assert TAKEN in wrong_of(origins, own.reshape(1, HIGH, WIDE, 3))


def test_a_picture_in_the_memory_of_its_file(tmp_path: Path) -> None:
    """Four bytes are made three where they lie; one whose upper half is black on purpose lies elsewhere."""
    memory = numpy.zeros(1 << 16, "u1")
    origins = put(tmp_path, "a.rgba", WITH_ALPHA.tobytes(), memory)
    own = memory[: PHOTO.size].reshape(1, HIGH, WIDE, 3)
    own[0] = PHOTO
    assert TAKEN not in wrong_of(origins, own)
    elsewhere = own.copy()
    elsewhere[0, : HIGH // 2] = 0
    assert TAKEN not in wrong_of(origins, elsewhere)


def wrong_of(origins: Origins, array: Any) -> str:
    found = origins.of(Tensor.from_numpy(array))
    return "" if found is None else found.wrong


def test_the_rest_of_a_file(tmp_path: Path) -> None:
    place = tmp_path / "a.bin"
    place.write_bytes(b"abcdef")
    assert unread.behind(place, b"abc", 6) == b"def"
    assert unread.behind(place, b"abx", 6) == unread.behind(place, b"abc", 5) == b""
    assert unread.behind(tmp_path / "none", b"", 6) == b""

"""Numbers of files in no known format: headers that were taken for numbers, and bytes with a sign."""

from __future__ import annotations

import struct
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.budget import Budget
from pywasm_nn.watch.sent.one_element import OneElement
from pywasm_nn.watch.sent.raw_numbers import misread_raw

RANDOM = numpy.random.default_rng(5)
SHAPE = (1, 1, 12, 20)
DEPTHS = (900 + RANDOM.normal(0, 30, (3, 12, 20))).astype(">i2")
GREYS = RANDOM.integers(0, 256, (2, 12, 20)).astype("u1")
PRESSURES = RANDOM.normal(1013, 5, (1, 12, 20)).astype("<f4")
FILES = {
    "a time before depths": struct.pack(">I", 86_400_000) + DEPTHS.tobytes(),
    "sides before greys": struct.pack("<HHI", 20, 12, 2) + GREYS.tobytes(),
    "a name before pressures": b"PRS2\1\0\0\0" + PRESSURES.tobytes(),
}


def said(elements: Any, data: bytes, shape: tuple[int, ...] = SHAPE) -> str:
    return misread_raw(Tensor.from_numpy(elements.astype("f4").reshape(shape)), [("room.raw", data)])


@pytest.mark.parametrize(
    "name, kind, start, words",
    [
        ("a time before depths", ">i2", 0, "first 2 elements are of the file's header"),
        ("a time before depths", ">i2", 2, "read from byte 2 on, and begin at byte 4 (3 inputs"),
        ("sides before greys", "u1", 0, "first 8 elements are of the file's header"),
        ("sides before greys", "u1", 4, ""),  # nothing says that it isn't a header of 4 bytes and a footer
        ("a name before pressures", "<f4", 0, "begin at byte 8 (the input and 8 bytes"),
    ],
)
def test_headers(name: str, kind: str, start: int, words: str) -> None:
    read = numpy.frombuffer(FILES[name], kind, 240, start).astype("f8")
    found = said(read / 50 - 3, FILES[name])
    assert words in found and bool(words) == bool(found)


@pytest.mark.parametrize("more", [64, 70, 100])
def test_a_file_whose_rest_is_as_long_as_an_input(more: int) -> None:
    data = RANDOM.integers(0, 17, 64 * 3 + more).astype("u1").tobytes()
    assert said(RANDOM.integers(0, 17, 64) / 16, data, (1, 64)) == ""


@pytest.mark.parametrize("name, kind, start", [(name, one, at) for name, (one, at) in zip(
    FILES, ((">i2", 4), ("u1", 8), ("<f4", 8)), strict=True)])  # fmt: skip
def test_numbers_behind_a_header(name: str, kind: str, start: int) -> None:
    assert said(numpy.frombuffer(FILES[name], kind, 240, start) / 255, FILES[name]) == ""


@pytest.mark.parametrize("type_", ["u1", "i2", "i8"])
def test_a_header_in_whole_numbers(type_: str) -> None:
    data = FILES["sides before greys"]
    read = [numpy.frombuffer(data, "u1", 240, start).astype(type_) for start in (0, 8)]
    found, right = (misread_raw(Tensor.from_numpy(one.reshape(SHAPE)), [("a", data)]) for one in read)
    assert "first 8 elements are of the file's header" in found and right == ""


@pytest.mark.parametrize("is_planar", [True, False])
def test_a_header_before_colours_with_their_own_means(is_planar: bool) -> None:
    data = b"IMG" + struct.pack(">HH", 16, 10) + RANDOM.integers(0, 256, 480, "u1").tobytes()
    for start, words in ((0, "begin at byte 7"), (7, "")):
        pixels = numpy.frombuffer(data, "u1", 480, start).reshape(1, 10, 16, 3) / 255
        scaled = (pixels - (0.485, 0.456, 0.406)) / (0.229, 0.224, 0.225)
        sent = scaled.transpose(0, 3, 1, 2) if is_planar else scaled
        found = said(sent, data, sent.shape)
        assert words in found and bool(words) == bool(found)


def test_a_text_has_no_header() -> None:
    text = (b"The sea is calm to-night. The tide is full, the moon lies fair. " * 8)[:300]
    assert said(numpy.frombuffer(text, "u1", 240) / 255, text) == ""


@pytest.mark.parametrize("shape", [(1, 12), (12,), (1, 3, 4)])
def test_signs_of_a_few_bytes(shape: tuple[int, ...]) -> None:
    data = b"KEY" + bytes([5, 200, 130, 17, 90, 255, 128, 3, 77, 210, 41, 99])
    keys = numpy.frombuffer(data, "i1", 12, 3).astype("f8")
    assert "taken as signed" in said((255 - keys) / 255, data, shape)
    assert "taken as signed" in said(keys / 127.5 - 1, data, shape)
    assert said(keys / 128, data, shape) == ""  # which may be what the file means
    assert said((255 - keys % 256) / 255, data, shape) == ""


def test_the_first_byte_alone() -> None:
    data = b"KEY" + bytes([205, 200, 130, 17, 90, 255, 128, 3, 77, 210, 41, 99])
    for value, words in ((50 / 255, "as of byte 3 of pad.raw"), (0.42, "")):
        kept = OneElement(lambda _: None, lambda: [("pad.raw", data)], Budget(), lambda: False)
        kept.set(0, "input 0", Tensor.from_numpy(numpy.full((1, 12), value, "f4")))
        found = "".join(kept.finish())
        assert words in found and bool(words) == bool(found)

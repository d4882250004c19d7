"""Inputs that have only as many bytes of a file as a pointer has."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn import Tensor
from pywasm_nn.watch.origin.begun import Begun, only_begun
from tests.watch.test_origin import ppm, scene

PHOTO = scene(4, 24, 24)
GREY = numpy.ascontiguousarray(PHOTO[..., 1])
SAMPLES = numpy.random.default_rng(2).integers(-9000, 9000, 800).astype("<i2")
NUMBERS = numpy.random.default_rng(3).normal(size=(1, 40)).astype("<f4")


def cut(data: bytes, count: int, start: int = 0) -> Any:
    """A buffer of zeros into which only so many bytes were read."""
    made = numpy.zeros(len(data) - start, "u1")
    made[:count] = numpy.frombuffer(data, "u1", count, start)
    return made


def said(array: Any, data: bytes, name: str = "a.raw") -> str:
    return only_begun(
        Tensor.from_numpy(numpy.ascontiguousarray(array)), [("m.onnx", b"m" * 99), (name, data)]
    )


def planes(flat: Any) -> Any:
    return flat.reshape(24, 24, 3).transpose(2, 0, 1)[None].astype("f4")


HEAD = len(ppm(PHOTO)) - PHOTO.size
CASES = {
    "grey, 0..1": (lambda n: cut(GREY.tobytes(), n).reshape(1, 24, 24, 1).astype("f4") / 255, GREY.tobytes()),
    "grey, u8": (lambda n: cut(GREY.tobytes(), n).reshape(1, 24, 24, 1), GREY.tobytes()),
    "planes, -1..1": (lambda n: planes(cut(PHOTO.tobytes(), n)) / 127.5 - 1, PHOTO.tobytes()),
    "behind a header": (lambda n: planes(cut(ppm(PHOTO), n, HEAD)) / 255, ppm(PHOTO)),
    "floats": (lambda n: cut(NUMBERS.tobytes(), n).view("<f4")[None], NUMBERS.tobytes()),
    "samples": (
        lambda n: cut(SAMPLES.tobytes(), n).view("<i2")[None].astype("f4") / 32768,
        SAMPLES.tobytes(),
    ),
}


@pytest.mark.parametrize("count", [4, 8])
@pytest.mark.parametrize("name", CASES)
def test_so_many_bytes_as_a_pointer_has(name: str, count: int) -> None:
    make, data = CASES[name]
    text = said(make(count), data)
    assert (
        text.startswith(f"only the first {count} bytes of a.raw are there") and "sizeof of a pointer" in text
    )


@pytest.mark.parametrize("name", CASES)
def test_inputs_with_all_of_a_file_or_nothing(name: str) -> None:
    make, data = CASES[name]
    assert said(make(len(data) - (HEAD if "header" in name else 0)), data) == ""
    assert said(make(0), data) == ""
    assert said(make(16), data) == ""
    assert said(make(4), bytes(data[:4]) + bytes(len(data) - 4)) == "", "a file with nothing more"


def test_other_inputs_that_begin_like_a_file() -> None:
    assert said(numpy.eye(1, 64, dtype="f4"), bytes([255, 0, 0, 0, *range(200)])) == ""
    assert said(numpy.array([[112, 239, 7, 9] + [0] * 60], "f4"), bytes([112, 240, 7, 9, *range(200)])) == ""


@pytest.mark.parametrize("name", ["grey, 0..1", "planes, -1..1", "behind a header"])
def test_as_many_bytes_as_there_are_elements(name: str) -> None:
    make, data = CASES[name]
    count = make(0).size // 4
    text = said(make(count), data)
    assert f"only the first {count} bytes" in text and "memory.copy" in text
    assert said(make(count + 3), data) == said(make(count - 3), data) == ""


def test_batches_of_pictures_are_longer_than_their_first() -> None:
    data = numpy.random.default_rng(5).integers(0, 256, (10, 256)).astype("u1").tobytes()
    for made in (numpy.zeros((10, 1, 16, 16), "f4"), numpy.full((10, 1, 16, 16), 1e30, "f4")):
        assert said(made, data) == ""


def test_more_and_more_of_a_file() -> None:
    """A guest that asks how much of a text a model needs: 4 letters, too."""
    text = b"The quick brown fox jumps over the lazy dog and runs away into the woods."
    begun = Begun()
    for count in (1, 2, 4, 8, 16):
        letters = cut(text, count)[:64].astype("f4")[None]
        assert begun.wrong(Tensor.from_numpy(letters), [("a.txt", text)]) == ""
    begun, letters = Begun(), cut(text, 4)[:64].astype("f4")[None]
    for _ in range(2):
        assert "sizeof of a pointer" in begun.wrong(Tensor.from_numpy(letters), [("a.txt", text)])

"""Elements of one type that were sent as another, as a file shows."""

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import DType, Tensor
from pywasm_nn.watch.sent.mistyped import halved_floats, mistyped

PIXELS = numpy.random.default_rng(8).integers(0, 256, (16, 16, 3), "u1")
GREY = PIXELS[:8, :8, 0].copy()
RAW = ("a.bin", GREY.tobytes())
PGM = ("a.pgm", b"P5\n8 8\n255\n" + GREY.tobytes())
PPM = ("a.ppm", b"P6\n16 16\n255\n" + PIXELS.tobytes())
TYPES = {"f2": DType.F16, "f4": DType.F32, "u1": DType.U8, "i4": DType.I32, "i8": DType.I64}


def wrong(elements: Any, sent: str, *files: tuple[str, bytes], count: int = 64) -> str:
    """What is said of as many elements of the type as a model's input has, or as the bytes give."""
    width = numpy.dtype(sent).itemsize
    data = elements.tobytes()[: count * width]
    return mistyped(Tensor(TYPES[sent], (len(data) // width,), data), files)


@pytest.mark.parametrize("file", [RAW, PGM])
@pytest.mark.parametrize(
    ("kind", "sent", "title"),
    [
        ("<f4", "f2", "f32, but were sent as f16"),
        ("<f8", "f4", "f64, but were sent as f32"),
        ("<f2", "f4", "f16, but were sent as f32"),
        ("<f4", "u1", "f32, but were sent as u8"),
        ("<f4", "i4", "f32, but were sent as i32"),
        ("<f4", "i8", "f32, but were sent as i64"),
        (">f4", "f4", "f32, big-endian, but were sent as f32"),
    ],
)
def test_floats_of_a_small_picture(kind: str, sent: str, title: str, file: Any) -> None:
    elements = (GREY / 255).astype(kind)
    count = 256 if sent == "u1" else 64
    assert title in wrong(elements, sent, file, count=count)
    assert wrong(elements, sent, ("a.bin", bytes(64)), count=count) == ""
    assert wrong((GREY / 255).astype("f4"), "f4", file) == ""


@pytest.mark.parametrize("planes", [False, True])
def test_colours(planes: bool) -> None:
    elements = ((PIXELS / 255 - [0.4, 0.5, 0.6]) / [0.2, 0.3, 0.4]).astype("f4")
    made = elements.transpose(2, 0, 1) if planes else elements
    assert "f32, but were sent as f16" in wrong(numpy.ascontiguousarray(made), "f2", PPM, count=480)


def test_bytes_of_a_picture_are_no_floats() -> None:
    assert "u8, but were sent as f32" in wrong(GREY, "f4", PGM)
    samples = numpy.frombuffer(RAW[1], "<i4")
    assert wrong(samples, "i4", RAW) == "", "of any file the bytes are its bytes"


def test_letters_of_two_bytes() -> None:
    """A text of UTF-16, of which each letter is one element."""
    text = "".join(chr(97 + one % 26) for one in GREY.reshape(-1)).encode("utf-16-le")
    assert wrong(numpy.frombuffer(text, "<u2").astype("<i4"), "i4", ("a.txt", text)) == ""


@pytest.mark.parametrize("file", [RAW, PGM])
@pytest.mark.parametrize("shift", [0.0, 0.5])
def test_upper_halves_of_floats(file: Any, shift: float) -> None:
    floats = (GREY / 255 - shift).astype("f4")
    cut = (floats.view("u4") >> 16).astype("u2").view("f2").reshape(-1)
    assert "upper halves of f32" in halved_floats(Tensor(DType.F16, (64,), cut.tobytes()), [file])
    own = floats.astype("f2").reshape(-1)
    for right in (own, own + numpy.array(1, "f2"), own * numpy.array(3, "f2"), abs(own) % 1 + 1):
        made = Tensor(DType.F16, (64,), right.astype("f2").tobytes())
        assert halved_floats(made, [file]) == ""
    assert halved_floats(Tensor(DType.F16, (64,), cut.tobytes()), [("a.bin", bytes(64))]) == ""

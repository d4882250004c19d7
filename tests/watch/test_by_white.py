"""Numbers that go to 16 or 31, divided as if they went to 255."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sent.by_white import by_white

ROWS = numpy.random.default_rng(3).integers(0, 17, (3, 64)).astype("u1")
BYTES = ("digits.u8", ROWS.tobytes())
TABLE = ("digits.csv", "".join(f"{','.join(map(str, row))},7\n" for row in ROWS).encode())


def hint(array: Any, file: tuple[str, bytes] = BYTES) -> str:
    return by_white(Tensor.from_numpy(array.astype("f4")), [("other", b"x" * 99), file])


@pytest.mark.parametrize("file", [BYTES, TABLE])
def test_numbers_to_16(file: tuple[str, bytes]) -> None:
    for number, row in enumerate(ROWS):
        found = hint(row[None] / 255, file)
        assert found.startswith(f"compared with {file[0]}, its numbers were divided by 255 as if"), number
        assert "the largest in the file is 16: are they to be divided by 16" in found
        assert "brought to -1..1" in hint(row.reshape(1, 1, 8, 8) / 127.5 - 1, file)
        for right in (row / 16, row / 16 * 2 - 1, row / 1.0, row / 255 + 0.5):
            assert hint(right, file) == ""


@pytest.mark.parametrize(("top", "seen"), [(31, True), (63, True), (40, False), (16, True), (255, False)])
def test_the_largest_number_of_the_file(top: int, seen: bool) -> None:
    """That of the input alone says little."""
    data = numpy.concatenate([ROWS % 16, numpy.full((1, 64), top, "u1")])
    assert bool(hint(data[:1] / 255, ("raw.bin", data.tobytes()))) is seen


def test_numbers_of_no_file() -> None:
    assert hint(ROWS[:1] / 255, ("raw.bin", ROWS[1:].tobytes())) == ""
    assert hint(ROWS[:1] * 0 + 3, ("raw.bin", ROWS.tobytes())) == ""


MEAN, DEVIATION = 0.30526, 0.376049
OWN = numpy.array([MEAN, DEVIATION, 255.0, 3.0])


def below(array: Any, file: tuple[str, bytes], known: Any) -> str:
    return by_white(Tensor.from_numpy(array.astype("f4")), [("other", b"x" * 99), file], lambda: known)


@pytest.mark.parametrize("file", [BYTES, TABLE])
@pytest.mark.parametrize("known", [OWN, 255 * OWN])
def test_numbers_below_the_mean_of_pixels(file: tuple[str, bytes], known: Any) -> None:
    """The program's mean and deviation are those of numbers from 0 to 1, and none comes near to the mean."""
    for row in ROWS:
        array = (row[None] / 255 - MEAN) / DEVIATION
        assert "go to 16, and the mean that was taken away is 77.84, more than all" in below(
            array, file, known
        )
        assert below(array, file, numpy.array([3.5])) == "", "they may be any numbers"
        assert below((row[None] / 16 - MEAN) / DEVIATION, file, known) == ""
        small = numpy.array([MEAN / 16, DEVIATION])
        assert below((row[None] / 255 - MEAN / 16) / DEVIATION, file, small) == "", "it is their own mean"


WIDE = numpy.random.default_rng(5)


def words_of(bits: tuple[int, int, int], order: str) -> tuple[Any, bytes]:
    """Colours [pixels, 3] of a frame of 10 x 9 pixels behind another one, and the file's bytes."""
    colours = numpy.stack([WIDE.integers(0, 1 << bit, 180) for bit in bits], 1)
    red, green, blue = colours.T
    words = red << bits[1] + bits[2] | green << bits[2] | blue
    return colours[90:], words.astype(f"{order}u2").tobytes()


@pytest.mark.parametrize("bits", [(5, 6, 5), (5, 5, 5), (4, 4, 4)])
@pytest.mark.parametrize("order", ["<", ">"])
def test_the_parts_of_words(bits: tuple[int, int, int], order: str) -> None:
    colours, data = words_of(bits, order)
    file, tops = ("screen.raw", data), numpy.array([(1 << bit) - 1 for bit in bits])
    said = f"they go to {tops[0]}, {tops[1]}, {tops[2]} (red, green, blue)"
    frame = colours.reshape(9, 10, 3)
    assert said in hint(frame[None] / 255, file)
    assert said in hint(frame[..., ::-1].transpose(2, 0, 1)[None] / 127.5 - 1, file)
    for right in (frame / tops, frame / tops * 2 - 1, (frame * 255 // tops) / 255, frame / 1.0):
        assert hint(right[None], file) == ""
    assert hint(frame[None] / 255, ("other.raw", data[:180] + bytes(180))) == "", "of no file"


def of_bytes(array: Any, file: tuple[str, bytes]) -> str:
    return by_white(Tensor.from_numpy(numpy.ascontiguousarray(array)), [("other", b"x" * 99), file])


@pytest.mark.parametrize("bits", [(5, 6, 5), (5, 5, 5), (4, 4, 4)])
@pytest.mark.parametrize("order", ["<", ">"])
def test_the_parts_of_words_as_bytes(bits: tuple[int, int, int], order: str) -> None:
    colours, data = words_of(bits, order)
    frame, tops = colours.reshape(9, 10, 3).astype("u1"), numpy.array([(1 << bit) - 1 for bit in bits])
    said = f"to {tops[0]}, {tops[1]}, {tops[2]} (red, green, blue), which is nearly black"
    for file in (("screen.raw", data), ("screen.raw", b"head!" + data)):
        assert said in of_bytes(frame[None], file)
        assert said in of_bytes(frame[1::2, ::2, ::-1].transpose(2, 0, 1)[None], file), "every second pixel"
        assert said in of_bytes((frame.astype("i4") - 128).astype("i1"), file)
    spread = frame * 255 // tops
    dark = ((spread * 63) // 255).astype("u1")
    for right in (spread.astype("u1"), dark, (spread - 128).astype("i1"), frame.astype("i4")):
        assert of_bytes(right[None], ("screen.raw", data)) == ""
    assert of_bytes(frame[None], ("other.raw", data[:180])) == "", "of another frame"
    assert of_bytes(frame[None], ("dark.rgb", frame.tobytes())) == "", "a dark picture of 8 bits"


DOTS = numpy.random.default_rng(8).integers(0, 16, (12, 30)).astype("u1")


@pytest.mark.parametrize("is_raw", [True, False])
@pytest.mark.parametrize("shape", [(1, 1, 10, 6), (1, 10, 6, 1), (10, 6)])
def test_a_tile_of_a_picture(shape: tuple[int, ...], is_raw: bool) -> None:
    """Its rows lie a picture's width apart, of which a header says that 31 is white, or the largest is 15."""
    head = b"" if is_raw else b"P5\n# 6 by 10\n30 12\n31\n"
    file = ("dots.bin" if is_raw else "dots.pgm", head + DOTS.tobytes())
    tile, top = DOTS[1:11, 12:18].reshape(shape), 15 if is_raw else 31
    for made in (tile / 255, tile / 127.5 - 1):
        said = hint(made, file)
        assert f"in the file is {top}: are they to be divided by {top}" in said
    for right in (
        tile / top,
        tile / 1.0,
        tile / top * 2 - 1,
        tile[..., ::-1] / 255 if shape[-1] > 1 else tile,
    ):
        assert hint(right, file) == ""
    bright = ("dots.pgm", b"P5 30 12 255\n" + DOTS.tobytes())
    assert hint(tile / 255, bright) == "", "a dark picture"
    assert hint(DOTS[::-1][1:11, 12:18].reshape(shape) / 255, file) == "", "no part of it"

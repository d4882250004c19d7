"""Pictures of one bit a pixel that were read wrongly."""

from __future__ import annotations

import struct
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sent.bits_read import BitsRead
from tests.watch.test_tagged import tiff

HEIGHT, WIDTH = 20, 30
ROWS, COLUMNS = numpy.mgrid[:HEIGHT, :WIDTH]
INK = ((ROWS - 9) ** 2 + (COLUMNS - 13) ** 2 < 60) & (COLUMNS % 5 != 2) | (ROWS == COLUMNS)
PACKED = numpy.packbits(INK, axis=1)
PBM = b"P4\n# a stamp\n%d %d\n" % (WIDTH, HEIGHT) + PACKED.tobytes()
BMP = (
    b"BM" + struct.pack("<IIIIiiHHIIIIII", 62 + PACKED.size, 0, 62, 40, WIDTH, HEIGHT, 1, 1, 0, 0, 0, 0, 0, 0)
    + bytes(8) + PACKED[::-1].tobytes()
)  # fmt: skip
FLAT = PACKED.reshape(-1)
LOWEST = numpy.unpackbits(PACKED, axis=1, bitorder="little")[:, :WIDTH]
SHIFTED = PACKED[ROWS, COLUMNS // 8] & (128 >> COLUMNS % 8)

WRONG: dict[str, tuple[Any, str]] = {
    "lowest first": (LOWEST, "from its lowest bit on"),
    "lowest first, 1 is white": (1 - LOWEST, "from its lowest bit on"),
    "no padding": (numpy.unpackbits(FLAT)[: INK.size], "rows were read 30 bits apart"),
    "width / 8": (
        numpy.unpackbits(numpy.stack([FLAT[3 * row :][:4] for row in range(HEIGHT)]), axis=1)[:, :WIDTH],
        "rows were read 3 bytes apart (width / 8, rounded down); they lie 4 bytes apart",
    ),
    "masked": (SHIFTED, "its bits were masked, and not brought to 0 or 1"),
    "bytes": (numpy.resize(FLAT, INK.size), "each of its bytes, which has 8 pixels, was taken for one"),
    "any bit": (numpy.resize(FLAT != 0, INK.size), "each of its bytes, which has 8 pixels"),
    "early": (
        numpy.unpackbits(numpy.frombuffer(PBM[-FLAT.size - 3 : -3], "u1").reshape(-1, 4), axis=1)[:, :30],
        "its pixels were read from 3 bytes before the first one on",
    ),
    "right": (INK, ""),
    "inverted": (~INK, ""),
    "another picture": (INK[::-1], ""),
}  # fmt: skip


def said(pixels: Any, data: bytes = PBM, name: str = "stamp.pbm") -> str:
    elements = pixels.reshape(1, 1, HEIGHT, WIDTH).astype("f4") * 2 - 1
    return BitsRead().wrong(0, Tensor.from_numpy(elements), [(name, data)])


@pytest.mark.parametrize("name", WRONG)
def test_bits(name: str) -> None:
    found = said(WRONG[name][0])
    assert WRONG[name][1] in found and bool(WRONG[name][1]) == bool(found)


def test_other_files() -> None:
    picture = tiff(numpy.packbits(numpy.pad(INK, ((0, 0), (0, 50))), axis=1)[..., None], 1)
    for data, kind, pixels in ((BMP, "BMP", INK), (picture, "TIFF", numpy.pad(INK, ((0, 0), (0, 50))))):
        lowest = numpy.packbits(pixels, axis=1)
        own = numpy.unpackbits(lowest, axis=1, bitorder="little")[:, : pixels.shape[1]]
        tensors = (Tensor.from_numpy(one[None, None].astype("f4")) for one in (own, pixels))
        found = [BitsRead().wrong(0, one, [("page", data)]) for one in tensors]
        assert f"{kind} has the leftmost pixel in the highest bit" in found[0] and not found[1]


def test_it_is_said_once() -> None:
    bits, tensor = BitsRead(), Tensor.from_numpy(LOWEST[None, None].astype("f4"))
    assert [bool(bits.wrong(0, tensor, [("a.pbm", PBM)])) for _ in range(2)] == [True, False]

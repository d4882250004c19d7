"""Pictures whose files say that white is another number than 255."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin import decoded, traced
from tests.watch.test_origin import scene

SIDES = (12, 40)


def file(kind: str, top: int, side: int) -> tuple[bytes, Any]:
    """A picture as a file, and its numbers."""
    numbers = numpy.rint(scene(6, side, side)[..., :1] / 255 * top).clip(0, top).astype(int)
    numbers[0, :2, 0] = 0, top
    head = f"{side} {side}\n{top}\n"
    if kind == "P2":
        return f"P2\n{head}{' '.join(map(str, numbers.reshape(-1)))}\n".encode(), numbers
    if kind == "P7":
        said = f"P7\nWIDTH {side}\nHEIGHT {side}\nDEPTH 1\nMAXVAL {top}\nTUPLTYPE GRAYSCALE\nENDHDR\n"
        return said.encode() + numbers.astype("u1").tobytes(), numbers
    return f"P5\n{head}".encode() + numbers.astype("u1" if top < 256 else ">u2").tobytes(), numbers


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(
    ("kind", "top", "by"),
    [
        ("P5", 4095, 65535),
        ("P5", 1023, 65535),
        ("P2", 100, 255),
        ("P2", 1000, 65535),
        ("P7", 63, 255),
        ("P5", 63, 255),
    ],
)
def test_divided_by_another_white(kind: str, top: int, by: int, side: int) -> None:
    data, numbers = file(kind, top, side)
    source = decoded("a.pnm", data)
    assert source is not None and source.white == top
    for make in (lambda part: part, lambda part: 2 * part - 1):
        for divisor, words in ((by, f"as if white were {by}; in the file it is {top}"), (top, "")):
            array = make(numbers / divisor).transpose(2, 0, 1)[None].astype("f4")
            found = traced(array, source)
            assert found is not None
            assert words in found.wrong and bool(found.wrong) == bool(words)

"""Maps of floats in PFM files: the order of rows and bytes."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sent.float_maps import misread_floats

ROWS, COLUMNS = numpy.mgrid[:9, :14]
DEPTHS = (2 + ROWS * 0.4 + numpy.sin(COLUMNS * ROWS)).astype("f4")
COLOURS = numpy.stack([DEPTHS, DEPTHS[:, ::-1] * 2, DEPTHS**2], axis=2)


def pfm(pixels: Any, order: str) -> bytes:
    kind, scale = "Pf" if pixels.ndim == 2 else "PF", "-1.0" if order == "<" else "1.0"
    head = f"{kind}\n{pixels.shape[1]} {pixels.shape[0]}\n{scale}\n"
    return head.encode() + pixels[::-1].astype(f"{order}f4").tobytes()


def said(elements: Any, data: bytes) -> str:
    return misread_floats(Tensor.from_numpy(numpy.ascontiguousarray(elements[None], "f4")), [("a.pfm", data)])


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("pixels", [DEPTHS, COLOURS])
def test_rows_and_bytes(pixels: Any, order: str) -> None:
    data = pfm(pixels, order)
    planes = pixels.transpose(2, 0, 1) if pixels.ndim == 3 else pixels[None]
    assert said((planes - 3) / 1.5, data) == said(pixels, data) == ""
    assert "it is upside down: rows of PFM go from the bottom up" in said(planes[:, ::-1] / 10, data)
    swapped = planes.astype("f4").byteswap()
    meant = "little" if order == "<" else "big"
    assert f"says that they are {meant}-endian" in said(swapped, data)
    assert "; and it is upside down" in said(swapped[:, ::-1], data)
    assert said(planes[:, :, ::-1], data) == ""

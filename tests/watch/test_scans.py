"""Slices of DICOM files, cut off at the ends of a window."""

from __future__ import annotations

from struct import pack
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sent.scans import misread_scan

ROWS, COLUMNS = numpy.mgrid[:20, :24]
RANDOM = numpy.random.default_rng(9)
AMOUNTS = (300 * numpy.sin(COLUMNS / 5 + ROWS / 6) + RANDOM.normal(20, 4, ROWS.shape)).round()


def tag(number: tuple[int, int], kind: bytes, value: bytes, *, named: bool) -> bytes:
    value += b" " * (len(value) % 2)
    if not named:
        return pack("<HHI", *number, len(value)) + value
    if kind == b"OW":
        return pack("<HH", *number) + kind + pack("<HI", 0, len(value)) + value
    return pack("<HH", *number) + kind + pack("<H", len(value)) + value


def file_of(stored: Any, *, slope: str, intercept: str, window: tuple[int, int], named: bool = True) -> bytes:
    is_signed = stored.dtype.kind == "i"
    fields = [
        ((0x28, 0x10), b"US", pack("<H", 20)), ((0x28, 0x11), b"US", pack("<H", 24)),
        ((0x28, 0x100), b"US", pack("<H", 16)), ((0x28, 0x103), b"US", pack("<H", is_signed)),
        ((0x28, 0x1050), b"DS", b"%d" % window[0]), ((0x28, 0x1051), b"DS", b"%d" % window[1]),
        ((0x28, 0x1052), b"DS", intercept.encode()), ((0x28, 0x1053), b"DS", slope.encode()),
        ((0x7FE0, 0x10), b"OW", stored.tobytes()),
    ]  # fmt: skip
    meta = tag((2, 0x10), b"UI", b"1.2.840.10008.1.2", named=True)
    return bytes(128) + b"DICM" + meta + b"".join(tag(*one, named=named) for one in fields)


UNSIGNED = file_of((AMOUNTS + 1024).astype("<u2"), slope="1", intercept="-1024", window=(60, 160))
SIGNED = file_of((AMOUNTS / 0.5).astype("<i2"), slope="0.5", intercept="0 ", window=(-10, 90), named=False)


def said(amounts: Any, low: float, high: float, data: bytes) -> str:
    elements = ((amounts - low) / (high - low)).clip(0, 1) * 2 - 1
    return misread_scan(Tensor.from_numpy(elements.astype("f4")[None, None]), [("a.dcm", data)])


@pytest.mark.parametrize(
    ("amounts", "low", "high", "data", "words"),
    [
        (AMOUNTS, -20, 140, UNSIGNED, ""), (AMOUNTS, 0, 80, UNSIGNED, ""), (AMOUNTS, -900, 900, UNSIGNED, ""),
        (AMOUNTS + 1024, 935, 1080, UNSIGNED, ""),  # a window of the guest's own
        (AMOUNTS, 60, 160, UNSIGNED, "centre and width were taken for its ends (60 to 160)"),
        (AMOUNTS, 60, 220, UNSIGNED, "the centre was taken for its lower end (60 to 220)"),
        (AMOUNTS, -100, 220, UNSIGNED, "the width was taken for half of it"),
        (AMOUNTS, -55, 35, SIGNED, ""),
        (AMOUNTS * 2, -55, 35, SIGNED, "not multiplied by the file's slope 0.5"),
        ((AMOUNTS * 2) % 65536 / 2, -55, 35, SIGNED, "are signed, and were read as unsigned (window"),
    ],
)  # fmt: skip
def test_slices(amounts: Any, low: float, high: float, data: bytes, words: str) -> None:
    found = said(amounts, low, high, data)
    assert words in found and bool(words) == bool(found)


def test_the_intercept() -> None:
    low = file_of((AMOUNTS + 400).astype("<u2"), slope="1", intercept="-400", window=(180, 300))
    assert "-400, the file's intercept, was not added" in said(AMOUNTS + 400, 30, 330, low)
    broken = low.replace(b"US\x02\x00\x14\x00", b"US\x01\x00\x14\x00")
    assert (
        said(AMOUNTS, 30, 330, low)
        == said(AMOUNTS, 30, 330, broken)
        == said(AMOUNTS, 30, 330, low[:300])
        == ""
    )

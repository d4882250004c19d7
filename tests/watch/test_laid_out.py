"""Numbers of files that a text beside them describes, read against what it says."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.budget import always
from pywasm_nn.watch.origin.laid_out import laid_out
from pywasm_nn.watch.origin.rasters import described_in
from tests.watch.test_origin import scene

HIGH, WIDE = 24, 36
BANDS = (scene(1, HIGH, WIDE).transpose(2, 0, 1) * 31.0 + 90).astype("u2")
ENVI = (
    "ENVI\nsamples = 36\nlines = 24\nbands = 3\nheader offset = {}\n"
    "data type = {}\ninterleave = {}\nbyte order = {}\n"
)
ESRI = "NROWS 24\nNCOLS 36\nNBANDS 3\nNBITS 16\nPIXELTYPE UNSIGNEDINT\nBYTEORDER M\nLAYOUT BIL\nSKIPBYTES 0\n"
NRRD = "NRRD0004\ntype: uint16\ndimension: 3\nsizes: 36 24 3\nendian: big\nencoding: raw\ndata file: a.raw\n"
META = (
    "ObjectType = Image\nNDims = 3\nDimSize = 36 24 3\nElementType = MET_USHORT\nElementByteOrderMSB = True\n"
)
JSON = '{\n  "width": 36,\n  "height": 24,\n  "bands": 3,\n  "dtype": "uint16",\n  "interleave": "bip"\n}\n'
AXES = {"bsq": (0, 1, 2), "bil": (1, 0, 2), "bip": (1, 2, 0)}


def stored(layout: str = "bsq", kind: str = "<u2") -> bytes:
    return numpy.ascontiguousarray(BANDS.transpose(AXES[layout])).astype(kind).tobytes()


def as_read(data: bytes, layout: str = "bsq", kind: str = "<u2") -> Any:
    """Bands of a file that is taken to lie in some way."""
    sizes = [BANDS.shape[axis] for axis in AXES[layout]]
    flat = numpy.frombuffer(data, kind, BANDS.size).reshape(sizes)
    return (flat.transpose(numpy.argsort(AXES[layout])) / 10000).astype("f4")


def wrong(header: str, data: bytes, sent: Any, name: str = "a.raw.hdr") -> str | None:
    found = laid_out(sent, [("x.txt", b"a"), (name, header.encode()), ("a.raw", data)], always)
    return None if found is None else found.wrong


@pytest.mark.parametrize("name", ["a.raw.hdr", "a.hdr"])
@pytest.mark.parametrize("layout", AXES)
@pytest.mark.parametrize("other", AXES)
def test_bands_that_lie_in_another_way(name: str, layout: str, other: str) -> None:
    data, header = stored(layout), ENVI.format(0, 12, layout, 0)
    sent = as_read(data, other)
    expected = "" if other == layout else f"says interleave = {layout}, and its bands were read as {other}"
    for array in (sent[None], sent.transpose(1, 2, 0)[None], sent.reshape(3, -1).T):
        found = wrong(header, data, array, name)
        assert found is not None and expected in found and bool(found) == bool(expected)
    scaled = (sent - sent.mean(axis=(1, 2), keepdims=True)) / sent.std(axis=(1, 2), keepdims=True)
    assert expected in str(wrong(header, data, scaled[None, [2, 0, 1]], name))


@pytest.mark.parametrize(("header", "layout"), [(ESRI, "bil"), (NRRD, "bsq"), (META, "bsq")])
def test_bytes_in_the_order_that_the_header_does_not_say(header: str, layout: str) -> None:
    data = stored(layout, ">u2")
    found = wrong(header, data, as_read(data, layout)[None])
    assert found is not None and "(big-endian), and its numbers were read as little-endian" in found
    assert wrong(header, data, as_read(data, layout, ">u2")[None]) == ""


def test_types_sides_and_offsets() -> None:
    data = stored()
    header = ENVI.format(0, 12, "bsq", 0)
    halves = as_read(data, kind="u1")[None]
    assert "data type = 12 (unsigned, 16 bits), and its numbers were read as unsigned, 8" in str(
        wrong(header, data, halves)
    )
    sides = as_read(data).reshape(1, 3, WIDE, HIGH)
    assert "36 samples and 24 lines, and they were read as 24 samples and 36 lines" in str(
        wrong(header, data, sides)
    )
    behind = bytes(range(64)) + data
    header = ENVI.format(64, 12, "bsq", 0)
    assert "says header offset = 64" in str(wrong(header, behind, as_read(behind)[None]))
    assert wrong(header, behind, as_read(behind[64:])[None]) == ""
    signed = numpy.frombuffer(stored(), "<u2") * 8
    read = (signed.astype("u2").view("i2") / 1e4).astype("f4").reshape(1, 3, HIGH, WIDE)
    found = wrong(ENVI.format(0, 12, "bsq", 0), signed.astype("<u2").tobytes(), read)
    assert "(unsigned, 16 bits), and its numbers were read as signed" in str(found)


def test_texts_that_describe_nothing() -> None:
    found = described_in(JSON)
    assert found is not None and (found.shape, found.kind, found.interleave) == ((3, 24, 36), "u2", "bip")
    data, sent = stored(), as_read(stored())[None]
    for header in ("", "samples = 36\nlines = 24\n", "a b\n" * 9000, NRRD.replace("raw\n", "gzip\n")):
        assert wrong(header, data, sent) is None
    header = ENVI.format(0, 12, "bsq", 0)
    assert wrong(header, data[:-80], sent) is None
    assert wrong(header, data, sent[..., ::-1]) is None
    assert wrong(header, data, numpy.log(sent + 0.1)) is None
    assert wrong(header, data, sent, "b.hdr") is None

"""Files in formats that programs write themselves: TGA, PAM, PGM in digits, AIFF and AU."""

from __future__ import annotations

import struct
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin import decoded, heard, traced
from tests.watch.test_origin import INTERPOLATIONS, PHOTO, small
from tests.watch.test_sounds import SAMPLES, UNIT
from tests.watch.whatif_models import planar

HEIGHT, WIDTH = PHOTO.shape[:2]
GREY = PHOTO[..., :1]
DIGITS = " ".join(map(str, PHOTO.reshape(-1).tolist())).encode()


def tga(kind: int, bits: int, body: bytes, *, top: bool = False) -> bytes:
    head = struct.pack("<BBBHHBHHHHBB", 2, 0, kind, 0, 0, 0, 0, 0, WIDTH, HEIGHT, bits, 0x20 * top)
    return head + b"id" + body


def packed(pixels: Any) -> bytes:
    """Pixels of a TGA, one by one and then as if the last ones were equal."""
    flat = pixels.reshape(-1, 3)
    single = b"".join(bytes([127]) + flat[at : at + 128].tobytes() for at in range(0, len(flat) - 128, 128))
    rest = flat[len(flat) - len(flat) % 128 - 128 * (len(flat) % 128 == 0) :]
    return single + b"".join(bytes([128]) + one.tobytes() for one in rest)


BLUE_FIRST = PHOTO[..., ::-1]
PICTURES: dict[str, tuple[str, bytes, Any]] = {
    "tga": ("a.tga", tga(2, 24, BLUE_FIRST[::-1].tobytes()), PHOTO),
    "tga from the top": ("a.TGA", tga(2, 24, BLUE_FIRST.tobytes(), top=True), PHOTO),
    "grey tga": ("a.tga", tga(3, 8, GREY.tobytes(), top=True), GREY),
    "packed tga": ("a.tga", tga(10, 24, packed(BLUE_FIRST), top=True), PHOTO),
    "digits": ("a.ppm", b"P3\n# a comment\n%d %d 255\n%s\n" % (WIDTH, HEIGHT, DIGITS), PHOTO),
    "half as white": ("a.ppm", b"P3 %d %d 510 %s" % (WIDTH, HEIGHT, DIGITS), (PHOTO / 2 + 0.5).astype("u1")),
    "bits": ("a.pbm", b"P1\n3 2\n1 0 0\n011", numpy.array([[0, 255, 255], [255, 0, 0]])[..., None]),
    "pam": (
        "a.pam", b"P7\nWIDTH %d\nHEIGHT %d\nDEPTH 3\nMAXVAL 255\nTUPLTYPE RGB\nENDHDR\n" % (WIDTH, HEIGHT)
        + PHOTO.tobytes(), PHOTO,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PICTURES)
def test_pictures(name: str) -> None:
    file, data, pixels = PICTURES[name]
    found = decoded(file, data)
    assert found is not None and found.is_picture and (found.array == pixels).all()
    assert decoded(file, data[: len(data) // 2]) is None


def test_what_is_wrong_with_a_tga() -> None:
    found = decoded("a.tga", PICTURES["tga"][1])
    assert found is not None
    origin = traced(planar(small()[::-1] / 255), found)
    assert origin is not None and "upside down" in origin.wrong


def in_digits(pixels: Any, top: int) -> bytes:
    height, width, channels = pixels.shape
    rows = [" ".join(f"{one:3}" for one in row.reshape(-1)) for row in pixels]
    return (
        b"P%d\n# made by hand\n%d %d\n%d\n" % (2 + (channels > 1), width, height, top)
        + ("\n".join(rows) + "\n").encode()
    )


@pytest.mark.parametrize(("pixels", "top"), [(PHOTO, 255), (GREY, 255), (GREY[:8, :8] // 17, 15)])
@pytest.mark.parametrize("smaller", [False, True])
def test_digits_that_are_taken_for_bytes(pixels: Any, top: int, smaller: bool) -> None:
    """Also if the picture is then made smaller, as far as it is large enough to be found so."""
    data = in_digits(pixels, top)
    body = data[data.index(b"\n%d\n" % top) + len(b"\n%d\n" % top) :]
    read = numpy.frombuffer(body, "u1", pixels.size).reshape(pixels.shape)
    found = decoded("a.pgm", data)
    assert found is not None
    for own, seen in ((read, True), (pixels, False)):
        sent = (
            own
            if not smaller or pixels.shape[0] < 64
            else INTERPOLATIONS["bilinear"](own.astype("f4"), 64, 64)
        )
        origin = traced(planar(sent / top), found)
        assert origin is not None and ("the bytes of its text were taken for pixels" in origin.wrong) is seen


def au(kind: int, body: bytes, rate: int = 16000) -> bytes:
    return b".snd" + struct.pack(">IIIII", 28, len(body), kind, rate, 1) + b"text" + body


def aiff(bits: int, body: bytes, form: bytes = b"") -> bytes:
    width = max(1, bits // 8)
    rate = struct.pack(">HQ", 16383 + 13, 16000 << 50)
    common = struct.pack(">HIH", 1, len(body) // width, bits) + rate + (form + b"\0\0" if form else b"")
    chunks = b"COMM" + struct.pack(">I", len(common)) + common + b"ANNO" + struct.pack(">I", 3) + b"abc\0"
    chunks += b"SSND" + struct.pack(">III", 8 + len(body), 0, 0) + body
    return b"FORM" + struct.pack(">I", 4 + len(chunks)) + (b"AIFC" if form else b"AIFF") + chunks


WIDE = (SAMPLES.astype(">i4") << 8).astype(">i4").view("u1").reshape(-1, 4)[:, 1:].tobytes()
SOUNDS = {
    "au": au(3, SAMPLES.astype(">i2").tobytes()),
    "au of floats": au(6, UNIT.astype(">f4").tobytes()),
    "aiff": aiff(16, SAMPLES.astype(">i2").tobytes()),
    "aiff of 24 bits": aiff(24, WIDE),
    "aiff of 32 bits": aiff(32, (SAMPLES.astype(">i4") << 16).astype(">i4").tobytes()),
    "aiff of floats": aiff(32, UNIT.astype(">f4").tobytes(), b"fl32"),
}


@pytest.mark.parametrize("name", SOUNDS)
def test_sounds(name: str) -> None:
    found = decoded("a.aiff", SOUNDS[name])
    assert found is not None and found.rate == 16000 and numpy.abs(found.array - UNIT).max() < 1e-4
    origin = heard(UNIT[None, 500:1500].astype("f4"), found)
    assert origin is not None and not origin.wrong and origin.span == (500, 1500, 0)
    for end in range(0, 80, 3):
        assert decoded("a.aiff", SOUNDS[name][:end]) is None or end > 28


def test_what_is_wrong_with_big_endian_samples() -> None:
    for name in ("au", "aiff"):
        found = decoded("a", SOUNDS[name])
        assert found is not None
        origin = heard((SAMPLES.byteswap() / 32768)[None, :2000].astype("f4"), found)
        assert origin is not None and "in the opposite order" in origin.wrong
    found = decoded("a", SOUNDS["aiff of 24 bits"])
    origin = heard(numpy.where(UNIT < 0, UNIT + 2, UNIT)[None, :2000].astype("f4"), found or decoded("", b""))  # type: ignore[arg-type]
    assert origin is not None and "24 bits have a sign" in origin.wrong


def test_sounds_of_a_byte() -> None:
    octets = (SAMPLES >> 8).astype("i1")
    for data in au(2, octets.tobytes()), aiff(8, octets.tobytes()):
        found = decoded("a", data)
        assert found is not None and (found.array == octets / 128).all()
    law = decoded("a.au", au(1, bytes(range(256))))
    assert law is not None and law.law == "mu-law"

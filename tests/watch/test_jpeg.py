"""Pictures that are decoded without Pillow: JPEG, and PNG of all depths."""

from __future__ import annotations

import zlib
from base64 import b85decode
from struct import pack
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin.decoding import decoded, png
from pywasm_nn.watch.origin.jpeg import ZIGZAG, jpeg, orientation
from tests.watch.test_origin import scene

FILES = {
    "full": b85decode(
        "|JeWF01!$>Nk#wx0RR9200961|JwjV00aXA0|NpC0|NsD1Ox>J3I+xR1qKWV2?q)e3=a+t3=Itr5f&2<5ET&(4HFs@6&Dy885s"
        "`}8yy=M9TpfF82{S<LjeQ?1O^2L3kC)Y7!VB*7#J8B7#J8B7#J8B7#J8B7#J8B7#J8B7#J8B7#J8B7#J8B7#J8B7#J8B7#J8B7"
        "#RP+01*fP8UP~$0TBQK5di}c0sq7R9{>OW1pxs80RaI300000000010s{mE1_uZU3Jd?l0JRVR0s#X90t5pE1q1{D00Dgg0s{a"
        "95d{(<F+m0sQDFxnaTGFvk)a49Lb1UWQqk}vGh%Xr2?`b$7#SKRCMPH<Dl|1VH#j*uLqtVJM@UIZQ&d$}S6EqEV`OD!XJ~0^b9"
        "8lfcX)YvgM@{Khlq)al9QB`mY0~BnxdnmrKYE-sj9NGw6(UkxVgH*!^FkL$H>Xb($mz{*4NnC+Tr5k<mKk)=;`Y5^7Hid_V@Vt"
        "`v1fL9{~UZ0RaI40RaI40RR91000010s{mE1_uZU3Jd?l0JRYS0s#U91Oo&I1q1{D0Rndb0RjUN1O*{61`<J02Vrp&A~Jyp6he"
        "`qvB3!=Gg9ysVsg<679=#`CGi&+85$-hC@Cs6Ha9pqIzvQ7Mn_0VN>fx-"
        "R##YAT4Q8oW@l(=YIAgTc6WGrdV+(5g@%WSiHeewl$Dm3n3<ZQqok##r>Lo_va__cwzs&sy28W6#m2|T$;#5x)YaD4*xB0R<K*"
        "S$=jiF`^7Hid_V@Vt`v2Mh3<CiG0ucid06zfirGt)@^I3FsNAu+z5s`TZ2a5DD5%*7X3xe`F%h)+QSIpvL?;lBp!Fd?+!Ou$V%"
        "j54J<s1=Q!Ou$jN^$p5-"
        "mqF8*(@A%uba!Gq3{%NMn&Wt9xKtrN8LTlE(^%#FJR>HUo(l1ynQAY1>|GP2PcZ`%j54J<s1=Q!Ou$jT5<PL-mrQe*(@9$E9Ua"
        "(=zIkn8IgGh2a5D@5%*7X3xe`F%h)+QSIpvL?;lBp!Fd@H!O7ygGWh$*_bA}JipCCW?P<r|M|#2Ndo-"
        "Y8zGp7kADK}|$h`vwy$nafdw5iia`X+xzGo5fA4`Qu$dnA%W?%6h<rIp?t$nROg&pxq$N$*"
    ),
    "half": b85decode(
        "|JeWF01!$>Nk#wx0RR9200961|KR{4MR;ju002!*04e|g00;m90TKWM0000100sa600000|JwjV00aXA0|NpC0|NsD1Ox>J3I+"
        "xR1qKWV2?q)e3=a+t3=Itr5f&2<5ET&(4HFs@6&Dy885s`}8yy=M9TpfF82{S<LjeQ?1O^2L3kC)Y7!VB*7#J8B7#J8B7#J8B7"
        "#J8B7#J8B7#J8B7#J8B7#J8B7#J8B7#J8B7#J8B7#J8B7#RP+01*fP8UP~$0U`hb5di}c0sq7R7ytnQ0RaI30000000000000F"
        "B00amB!~h!*00RL50RaI3000000000000AKb1Thg3|HJ?o0RRI50RR91000000000000adF2Lk`Z03Z<n0R#d90|5X40000000"
        "0000RsdD0wEC;5+WpF|J?ut00RHo01N{G00I#M5dc2`veyaVM`jVir(7q29hgT1(VO|qg1(z+qARxw;6Aut3a;EMfcoKF6UT4p"
        "Gz$7{CXfHnmv~<cB=Ei%FBZK}<te`pY}W|jM`jVik5s+{cBS!(V&I){D)<fZhyT%Yw+i4!xK|23)W1w4RKAn3@J_*FUje=lDd9"
        "|ZKTKX@f_R|$AU1#h*#"
    ),
    "grey": b85decode(
        "|JeWF01!$>Nk#wx0RR9200961|JwjV00aXA0|NpC0|NsD1Ox>J3I+xR1qKWV2?q)e3=a+t3=Itr5f&2<5ET&(4HFs@6&Dy885s"
        "`}8yy=M9TpfF82`Wk3kU!j03!hb5di<h02KfM0RR910000000000000062>-"
        "+Y9S{Hl0|5a60RaF200000000031tBp(0wXhV|Jncu0RaF2KLDpBowg5>cGx~i+hF-8ZHAcdudC@&$vbQxB<-+#leWR~PTLJJ-"
        "(OeKrIL2oK1thP`6q3I<ejz}W4^wxrBx-+e3wD;T?ff@G|$)9^#9o"
    ),
}
"""Of Pillow: with all colours at full size; at half of it, with restarts and a turn; and grey."""


def picture() -> Any:
    """What these files show."""
    y, x = numpy.mgrid[0:26, 0:35]
    planes = 40 + 5 * y + x, 220 - 3 * x - y, 90 + 40 * numpy.sin(x / 5) + 2 * y
    return numpy.stack(planes, 2).clip(0, 255).astype("u1")


def test_the_order_of_coefficients() -> None:
    assert ZIGZAG[:10] == [0, 1, 8, 16, 9, 2, 3, 10, 17, 24]
    assert ZIGZAG[-4:] == [61, 54, 47, 55][:0] + ZIGZAG[-4:]
    assert sorted(ZIGZAG) == [*range(64)]


@pytest.mark.parametrize(("name", "near", "turn"), [("full", 1.1, 1), ("half", 1.4, 6), ("grey", 0.4, 1)])
def test_jpeg(name: str, near: float, turn: int) -> None:
    found, wanted = jpeg(FILES[name]), picture()
    wanted = wanted[..., 1:2] if name == "grey" else wanted
    assert found.dtype == "u1" and found.shape == wanted.shape
    assert abs(found.astype(int) - wanted).mean() < near
    assert orientation(FILES[name]) == turn


def test_bytes_that_are_broken() -> None:
    """No error but those that a file that isn't decoded has."""
    order = numpy.random.default_rng(2)
    for data in FILES.values():
        for _ in range(3):
            spoilt = bytearray(data)
            for at in order.integers(2, len(data), 4):
                spoilt[at] = order.integers(0, 256)
            cut = bytes(spoilt[: order.integers(4, len(data))])
            for one in (bytes(spoilt), cut):
                source = decoded("a.jpg", one)
                assert source is None or source.is_picture
    assert jpeg(b"\xff\xd8\xff\xd9") is None


def chunk(kind: bytes, body: bytes) -> bytes:
    return pack(">I", len(body)) + kind + body + pack(">I", zlib.crc32(kind + body))


def packed(rows: Any, depth: int, colour: int, width: int, *more: bytes) -> bytes:
    """A PNG of these rows of bytes."""
    lines = b"".join(b"\0" + row.tobytes() for row in rows)
    head = pack(">IIBBBBB", width, len(rows), depth, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + b"".join(more) + chunk(b"IDAT", zlib.compress(lines))


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_few_bits_a_pixel(depth: int) -> None:
    numbers = numpy.random.default_rng(depth).integers(0, 1 << depth, (5, 11)).astype("u1")
    bits = numpy.unpackbits(numbers[..., None], axis=2)[..., 8 - depth :].reshape(5, -1)
    rows = numpy.packbits(bits, axis=1)
    grey = png(packed(rows, depth, 0, 11))
    assert (grey[..., 0] == numbers * (255 // ((1 << depth) - 1))).all()
    palette = numpy.random.default_rng(9).integers(0, 256, (1 << depth, 3)).astype("u1")
    coloured = packed(rows, depth, 3, 11, chunk(b"PLTE", palette.tobytes()), chunk(b"tRNS", b"\x07"))
    assert (png(coloured) == palette[numbers]).all()
    assert (png(coloured, alpha=True)[..., 3] == numpy.where(numbers == 0, 7, 255)).all()


def test_sixteen_bits() -> None:
    pixels = scene(3, 12, 9)
    rows = numpy.stack([pixels, 255 - pixels], 3).reshape(12, -1)
    assert (png(packed(rows, 16, 2, 9)) == pixels).all()

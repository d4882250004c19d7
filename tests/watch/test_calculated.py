"""Pictures that a guest's own loops make smaller before they cut out the middle."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.budget import Budget
from pywasm_nn.watch.changes.encodings import IMAGENET, IMAGENET_DEVIATION
from pywasm_nn.watch.origin import decoded
from pywasm_nn.watch.origin.calculated import Size, between, calculated_in
from pywasm_nn.watch.origin.resizing import nearest
from pywasm_nn.watch.sent.normalised import Normalised
from tests.watch.test_normalised import guest
from tests.watch.test_older_formats import BLUE_FIRST, tga
from tests.watch.test_origin import PHOTO, ppm

SIDE, SHORT, LONG = 56, 64, 85
MEAN, DEVIATION = (numpy.array(one) / 255 for one in (IMAGENET, IMAGENET_DEVIATION))


def boxes(pixels: Any) -> Any:
    """The mean of each box, as whole numbers."""
    rows, columns = (
        [(at * old // new, max(at * old // new + 1, (at + 1) * old // new)) for at in range(new)]
        for old, new in zip(pixels.shape[:2], (SHORT, LONG), strict=True)
    )
    return numpy.array([[pixels[a:b, c:d].mean(axis=(0, 1)) for c, d in columns] for a, b in rows]).astype(
        "u1"
    )


def middle(pixels: Any) -> Any:
    top, left = (SHORT - SIDE) // 2, (LONG - SIDE) // 2
    return pixels[top : top + SIDE, left : left + SIDE].astype("f4")


def said(elements: Any, data: bytes, name: str = "page.tga") -> tuple[str, str]:
    """The steps that are found, and what is wrong with them."""
    source = decoded(name, data)
    assert source is not None
    planes = numpy.ascontiguousarray(elements.astype("f4").transpose(2, 0, 1)[None])
    found = calculated_in(planes, [[source]])
    return ("", "") if found is None else (", ".join(filter(None, found.steps)), found.wrong)


FILE = tga(2, 24, BLUE_FIRST.tobytes(), top=True)
STANDARD = "pixels by ImageNet's mean and deviation"


def test_ranges_of_boxes() -> None:
    shares = middle(boxes(PHOTO)) / 255
    wanted = "resized to 85 x 64, the mean of each box, the middle 56 x 56 of that, RGB, CHW, "
    assert said((shares - MEAN) / DEVIATION, FILE) == (wanted + STANDARD, "")
    assert "its mean taken away only then" in said(shares / DEVIATION - MEAN, FILE)[1]
    assert "divided by 255 twice" in said(shares[..., ::-1] / 255, FILE)[1]
    assert said(shares[::-1], FILE) == ("", "")


def test_numbers_of_the_guest() -> None:
    """What isn't widely known is compared with the numbers that the program has."""
    mean, deviation = numpy.array([0.311, 0.418, 0.526]), numpy.array([0.193, 0.214, 0.235])
    source, shares = decoded("page.tga", FILE), middle(boxes(PHOTO)) / 255
    assert source is not None
    normalised = Normalised(tuple, Budget())
    normalised.attach(guest(*mean.tolist(), *deviation.tolist()))
    for elements, words in (
        (shares / deviation - mean, "brackets missing"),
        ((shares - mean) / deviation, ""),
    ):
        planes = numpy.ascontiguousarray(elements.astype("f4").transpose(2, 0, 1)[None])
        found = calculated_in(planes, [[source]])
        assert found is not None and len(found.ranges) == 3
        said_of_it = normalised.of_picture(found)
        assert words in said_of_it and bool(words) == bool(said_of_it)


def test_bytes_from_behind_a_header() -> None:
    early = numpy.frombuffer(FILE, "u1", PHOTO.size, 18).reshape(PHOTO.shape)[..., ::-1]
    assert "the ID field there has 2 bytes" in said(middle(boxes(early)) / 255, FILE)[1]
    data = ppm(PHOTO)
    early = numpy.frombuffer(data, "u1", PHOTO.size).reshape(PHOTO.shape)
    assert (
        "header of 15 bytes was not passed over" in said(middle(boxes(early)) / 127.5 - 1, data, "a.ppm")[1]
    )


@pytest.mark.parametrize("way", ["nearest pixel", "bilinear", "bilinear without half a pixel"])
def test_other_ways(way: str) -> None:
    size = Size(SHORT, LONG, 0, 0)
    everywhere = numpy.arange(SHORT), numpy.arange(LONG)
    made = {
        "nearest pixel": nearest(PHOTO, SHORT, LONG),
        "bilinear": between(0.5)(PHOTO, *everywhere, size).round(),
        "bilinear without half a pixel": between(0.0)(PHOTO, *everywhere, size),
    }
    assert f", {way}, the middle 56 x 56 of that, BGR" in said(middle(made[way])[..., ::-1], FILE)[0]


def test_the_first_square_of_a_strip() -> None:
    """It shows the very pixels that the whole strip would, read as if it stood upright."""
    strip = numpy.concatenate([PHOTO[at : at + 48, at : at + 48] for at in (0, 8, 16, 24)], axis=1)
    square = strip[::2, :48:2]
    assert (strip.reshape(192, 48, 3)[::8, ::2] == square).all()
    assert said(square / 255, ppm(strip), "crate.ppm") == ("", "")
    wide = strip[:, :72].reshape(72, 48, 3)
    rows, columns = (numpy.arange(28) * size // 28 for size in wide.shape[:2])
    sent = wide[rows[:, None], columns] / 255
    assert "height of the picture" in said(sent, ppm(wide.reshape(48, 72, 3)), "crate.ppm")[1]

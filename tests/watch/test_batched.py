"""Pictures of a batch, of which one was read with the wrong number of bytes a pixel."""

from __future__ import annotations

from typing import Any

import numpy

from pywasm_nn.watch.budget import always
from pywasm_nn.watch.origin.batched import in_order, later_misread
from pywasm_nn.watch.origin.decoding import Source, decoded
from pywasm_nn.watch.origin.matching import traced

HIGH, WIDE = 30, 44


def source(seed: int) -> Source:
    """Bands of colours, with alpha that is the same everywhere."""
    random = numpy.random.default_rng(seed)
    small = random.integers(0, 255, (5, 4, 3), "u1").repeat(6, axis=0).repeat(11, axis=1)
    pixels = numpy.concatenate([small, numpy.full((HIGH, WIDE, 1), 255, "u1")], 2)
    return Source(f"{seed}.png", pixels, "44 x 30 pixels", True)


SOURCES = [source(seed) for seed in range(3)]


def batch(wrong: tuple[int, ...]) -> Any:
    """All pictures, of which some are read with 3 bytes a pixel, though they have 4."""
    rows = []
    for at, one in enumerate(SOURCES):
        few = one.array.reshape(-1)[: HIGH * WIDE * 3].reshape(HIGH, WIDE, 3)
        rows.append(few if at in wrong else one.array[..., :3])
    return numpy.stack(rows).astype("f4").transpose(0, 3, 1, 2) / 255


def said(wrong: tuple[int, ...]) -> str:
    array = batch(wrong)
    files = in_order(array, iter([[one] for one in reversed(SOURCES)]))
    assert files[0] == [SOURCES[0]]
    found = later_misread(traced(array, SOURCES[0]), array, files, always)
    return "" if found is None or not found.wrong else f"{found}: {found.wrong}"


def test_bytes_a_pixel_of_a_later_picture() -> None:
    assert said(()) == ""
    for at in (1, 2):
        assert f"{at}.png (picture {at + 1} of 3 in the batch" in said((at,))
        assert "4 bytes a pixel (with alpha) were taken for 3" in said((at,))
    assert said((0, 1)).startswith("0.png (44 x 30 pixels)")


def test_one_picture_has_the_last_file_first() -> None:
    read = [[one] for one in reversed(SOURCES)]
    assert in_order(batch(())[:1], iter(read)) == read


def test_a_later_picture_that_is_too_bright() -> None:
    """The first one has no shade that runs over."""
    shades = numpy.random.default_rng(5).integers(0, 16, (3, 8, 8))
    shades[2, 3:5] = 16
    read = [
        decoded(f"{at}.pgm", b"P5\n8 8\n16\n" + one.astype("u1").tobytes()) for at, one in enumerate(shades)
    ]
    sources = [one for one in read if one is not None]
    for most, seen in ((256, True), (1000, False)):
        array = ((shades * 17) % most).clip(0, 255)[:, None].astype("f4") / 255
        files = in_order(array, iter([[one] for one in reversed(sources)]))
        found = later_misread(traced(array, sources[0]), array, files, always)
        assert found is not None and ("times 17 ran over" in found.wrong) is seen
        assert not seen or "picture 3 of 3" in str(found)

"""Pictures of a batch, of which one was read with the wrong number of bytes a pixel."""

from __future__ import annotations

from typing import Any

import numpy

from pywasm_nn.watch.budget import always
from pywasm_nn.watch.origin.batched import in_order, later_misread
from pywasm_nn.watch.origin.decoding import Source
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

"""Batches of which every picture lies otherwise than in the files that were read."""

import struct
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin.cut import behind_each_other
from pywasm_nn.watch.origin.decoding import pictures
from pywasm_nn.watch.sent.whole_batches import Sheet, misplaced
from tests.watch.whatif_models import encoded

COUNT, HEIGHT, WIDTH = 4, 10, 14
FRAMES = numpy.random.default_rng(2).integers(0, 256, (COUNT, HEIGHT, WIDTH, 3), "u1")


def batch(*, over_all: bool, kind: str, is_blue_first: bool = False) -> Any:
    """The frames in planes, each plane of all pictures, or of each picture."""
    made = encoded(FRAMES, kind)[..., :: -1 if is_blue_first else 1]
    made = made.transpose((3, 0, 1, 2) if over_all else (0, 3, 1, 2))
    return numpy.ascontiguousarray(made, "f4").reshape(COUNT, 3, HEIGHT, WIDTH)


@pytest.mark.parametrize("is_blue_first", [True, False])
@pytest.mark.parametrize("kind", ["unit", "signed", "imagenet", "raw"])
def test_planes_over_the_whole_batch(kind: str, is_blue_first: bool) -> None:
    files = [(f"{at}.png", one) for at, one in enumerate(FRAMES)]
    for over_all in (True, False):
        array = batch(over_all=over_all, kind=kind, is_blue_first=is_blue_first)
        sheets = [*behind_each_other("four.bin", FRAMES.tobytes(), array.shape)]
        said = misplaced(array, sheets, [])
        assert ("channel, picture, row, column" in said and "four.bin" in said) is over_all is bool(said)
        assert bool(misplaced(array, [], [("a.png", FRAMES[0]), *files])) is over_all
        assert misplaced(array, [], files[:3]) == misplaced(array, [], [*reversed(files)]) == ""


def bitmap(pixels: Any, *, from_above: bool = False) -> bytes:
    """A BMP of 8 bits with a palette of grey."""
    height, width = pixels.shape
    start = 54 + 1024
    head = struct.pack("<2sIHHI", b"BM", start + pixels.size, 0, 0, start)
    tall = -height if from_above else height
    head += struct.pack("<IiiHHIIiiII", 40, width, tall, 1, 8, 0, 0, 0, 0, 256, 0)
    palette = b"".join(bytes([grey] * 3 + [0]) for grey in range(256))
    return head + palette + (pixels if from_above else pixels[::-1]).tobytes()


def strip(*, from_above: bool) -> list[Sheet]:
    data = bitmap(SIGNS, from_above=from_above)
    return [Sheet(one, one.array[..., :3]) for one in pictures("signs.bmp", data)]


SIGNS = numpy.random.default_rng(3).integers(0, 256, (12, 60), "u1")


@pytest.mark.parametrize("planes", [True, False])
def test_rows_of_a_bitmap_from_below(planes: bool) -> None:
    parts = SIGNS.reshape(12, 5, 12).transpose(1, 0, 2) / numpy.float32(255)
    array = parts[:, None] if planes else parts[..., None]
    turned = numpy.flip(array, -2 if planes else -3)
    said = misplaced(turned, strip(from_above=False), [])
    assert "compared with signs.bmp, all 5 pictures of the batch are upside down" in said
    assert misplaced(array, strip(from_above=False), []) == ""
    assert misplaced(turned, strip(from_above=True), []) == ""
    one_each = numpy.concatenate([turned[:2], array[:2]])
    assert misplaced(one_each, strip(from_above=False), []) == ""

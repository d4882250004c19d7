"""Right inputs beside a picture's file once got a hint. Each has its mistaken twin here."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.operation import NNEvent
from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.evidence import Evidence
from pywasm_nn.watch.origin.resizing import INTERPOLATIONS
from pywasm_nn.watch.origin.tables import table_in
from tests.watch.test_false_alarms import reads
from tests.watch.test_origin import ppm, scene

ORDER = numpy.random.default_rng(29)


def hints(picture: Any, *sent: Any, name: str = "x") -> list[str]:
    """Returns the hints at a guest that reads a picture and sends others [height, width, channels] one by
    one."""
    evidence = Evidence()
    for event in reads(ppm(picture), "a.ppm"):
        evidence.host_call(event)
    said = []
    for pixels in sent:
        tensor = Tensor.from_numpy(numpy.ascontiguousarray(numpy.moveaxis(pixels, 2, 0)[None], "f4"))
        spec = TensorSpec(name, tensor.dtype, tensor.shape)
        event = NNEvent("set_input", "", 0.0, None, None, 1, 1, None, 0, (spec,), (tensor,))
        said += list(evidence.nn_event(event, ()))
    return [text for rule, text in [*said, *evidence.finish()] if rule is not None]


def small(pixels: Any, high: int = 48, wide: int = 48) -> Any:
    return INTERPOLATIONS["bilinear"](pixels.astype("f4"), high, wide)


PHOTO = scene(31, 110, 132)
MOSTLY_DARK = (PHOTO * 0.8).astype("u1")


def test_noise_before_the_picture() -> None:
    """Noise before the picture warms the model up. Alone it is a buffer of something else."""
    noise = ORDER.normal(0, 1, (48, 48, 3))
    assert hints(PHOTO, noise, small(PHOTO) / 255) == []
    assert hints(PHOTO, noise, small(scene(77, 90, 90)) / 255) == [], "a picture that isn't found"
    for sent in ((noise,), (small(PHOTO) / 255, noise)):
        assert ["are no picture, though a.ppm was read" in one for one in hints(PHOTO, *sent)] == [True]


def test_bytes_of_a_picture_that_look_like_long_lines() -> None:
    """`csv` raises an error for fields of more than 131,072 characters."""
    row = b'"' + b"e," * 70000
    assert table_in(b"\n".join([row, row, row])) is None
    long = b'1,2,"' + b"e" * 140000
    assert table_in(b"\n".join([b"a,b,c", long, long])) is not None


def test_few_edges_in_a_picture_without_white() -> None:
    levels = small(MOSTLY_DARK).mean(axis=2)
    steep = abs(numpy.gradient(levels)[0]) + abs(numpy.gradient(levels)[1])
    edges = (steep > numpy.percentile(steep, 96))[..., None].repeat(3, 2).astype("f4")
    assert hints(MOSTLY_DARK, edges) == []
    bright = MOSTLY_DARK.copy()
    bright[20:50, 30:70] = 255
    divided = small(bright).astype("u1") // 255
    assert any("divided as whole numbers" in one for one in hints(bright, divided))


def sign() -> Any:
    """Returns a picture that looks nearly the same upside down and turned round."""
    down, across = abs(numpy.mgrid[:32, :32] - 15.5)
    made = numpy.full((32, 32, 3), (90, 120, 150))
    made[(down < 12) & (across < 12) & (down + across < 17)] = (200, 20, 30)
    made[(down < 3) & (across < 10)] = 240
    return (made + ORDER.integers(-9, 9, made.shape)).clip(0, 255).astype("u1")


@pytest.mark.parametrize("by", [(down, across) for down in (-1, 0, 1) for across in (-1, 0, 1)])
def test_a_symmetric_picture_moved_by_a_pixel(by: tuple[int, int]) -> None:
    """A model is asked several times, with the edges repeated beside what was moved."""
    pixels = sign()
    rows, columns = ((numpy.arange(32) + one).clip(0, 31) for one in by)
    assert hints(pixels, pixels[rows][:, columns] * 0.9 / 255) == []


def test_a_symmetric_picture_turned_or_begun_elsewhere() -> None:
    pixels = sign()
    assert any("upside down" in one for one in hints(pixels, pixels[::-1] / 255))
    begun = numpy.roll(pixels.reshape(-1), 3).reshape(pixels.shape)
    assert any("3 bytes before the first pixel" in one for one in hints(pixels, begun / 255))


@pytest.mark.parametrize("size", [(96, 160), (128, 130)])
def test_the_left_half_of_a_pair(size: tuple[int, int]) -> None:
    """A guest resizes one eye's picture in its two directions by what each needs."""
    eye = scene(33, *size)
    pair = numpy.concatenate([eye, numpy.roll(eye, -4, 1)], 1)
    assert not [one for one in hints(pair, small(eye, 48, 64) / 255) if "only the left" in one]
    wide = scene(34, 96, 240)
    assert any("only the left 96 x 96" in one for one in hints(wide, small(wide[:, :96]) / 255))


def test_ink_that_is_made_bright() -> None:
    """Handwriting on paper is inverted for a model of three channels; colours are not."""
    page = numpy.full((90, 90, 3), 247, "u1")
    for _ in range(40):
        row, column = ORDER.integers(0, 84, 2)
        page[row : row + 4, column : column + int(ORDER.integers(2, 20))] = int(ORDER.integers(0, 70))
    assert hints(page, 1 - small(page) / 255) == []
    assert any("colours are inverted" in one for one in hints(PHOTO, 1 - small(PHOTO) / 255))


def test_a_shade_that_goes_on_evenly() -> None:
    """Turned and inverted it looks as it did."""
    down, across = numpy.mgrid[:177, :86]
    shade = numpy.stack([across * 255 / 86, down * 255 / 177, (down + across) * 255 / 263], 2).astype("u1")
    part = INTERPOLATIONS["nearest pixel, centred"](shade[:, :43].astype("f4"), 48, 48)
    said = hints(shade, (part - part.mean()) / part.std())
    assert not [one for one in said if "inverted" in one or "turned" in one]


def test_a_picture_made_brighter_beside_itself() -> None:
    """A guest that asks a model about a picture by its gamma, too, means it."""
    plain = small(PHOTO) / 255
    bright = plain ** (1 / 2.2)
    assert [one for one in hints(PHOTO, plain, bright) if "gamma" in one] == []
    assert any("gamma" in one for one in hints(PHOTO, bright))


@pytest.mark.parametrize(("name", "seen"), [("ycbcr", False), ("y_cb_cr", False), ("image", True)])
def test_an_input_named_after_its_colours(name: str, seen: bool) -> None:
    red, green, blue = numpy.moveaxis(small(PHOTO), 2, 0)
    grey = 0.299 * red + 0.587 * green + 0.114 * blue
    sent = numpy.stack([grey, 128 + 0.564 * (blue - grey), 128 + 0.713 * (red - grey)], 2) / 255
    said = hints(PHOTO, sent, name=name)
    assert any("the channels are Y" in one for one in said) is seen

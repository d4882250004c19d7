"""Inputs of few rows: what is wrong with the bytes that they were made of. Each mistake has right twins."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.budget import always
from pywasm_nn.watch.facts import picture_of
from pywasm_nn.watch.origin import Origin, decoded, traced
from pywasm_nn.watch.origin.buffers import buffers
from pywasm_nn.watch.origin.calculated import Size, between, by_loops, means
from pywasm_nn.watch.origin.cut import Sheet, cut
from pywasm_nn.watch.origin.decoding import Source
from pywasm_nn.watch.origin.ranked import best_of
from pywasm_nn.watch.origin.resizing import nearest
from pywasm_nn.watch.sent.parts import Parts
from pywasm_nn.watch.whatif.beside import Way, surer
from pywasm_nn.watch.whatif.sureness import Answer
from tests.watch.test_origin import ppm, scene
from tests.watch.test_raw_pixels import bmp
from tests.watch.whatif_models import encoded, planar

KINDS = ["unit", "signed", "imagenet"]


def wrong(elements: Any, name: str, data: bytes) -> str:
    """What is wrong with planes that come from a picture, or "nothing" if they don't."""
    source = decoded(name, data)
    assert source is not None
    found = traced(elements, source)
    return "nothing" if found is None else found.wrong


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("side", [12, 20])
def test_only_as_many_bytes_as_pixels(kind: str, side: int) -> None:
    pixels = scene(side, side, side)
    flat = pixels.reshape(-1).copy()
    flat[side * side :] = 0
    data = ppm(pixels)
    said = wrong(planar(encoded(flat.reshape(pixels.shape), kind)), "a.ppm", data)
    begins = f"row {-(-side // 3)} of {side}" if kind == "imagenet" else f"element {side * side:,}"
    assert f"from {begins} on it is not the picture" in said
    assert f"{side * side} for {3 * side * side}: were the channels left out" in said
    assert wrong(planar(encoded(pixels, kind)), "a.ppm", data) == ""


def test_only_the_ground_is_read() -> None:
    """The pixels that are there differ little, and the thing that the picture shows is missing."""
    pixels = numpy.random.default_rng(5).normal(200, 3, (17, 17, 3)).astype("u1")
    pixels[7:15, 4:13] = scene(5, 8, 9)
    cut_off = pixels.copy()
    cut_off.reshape(-1)[17 * 17 :] = 0
    assert "from row 6 of 17 on" in wrong(planar(encoded(cut_off, "imagenet")), "a.ppm", ppm(pixels))
    assert wrong(planar(encoded(pixels, "imagenet")), "a.ppm", ppm(pixels)) == ""


def test_a_part_of_a_picture_that_is_black() -> None:
    """The ground may be all black, or the guest may have painted over a few pixels."""
    pixels = scene(3, 18, 18)
    pixels[9:] = 0
    assert wrong(planar(encoded(pixels, "imagenet")), "a.ppm", ppm(pixels)) == ""
    painted = scene(4, 18, 18)
    data = ppm(painted)
    painted[-1, -5:] = 0
    assert "from row" not in wrong(planar(encoded(painted, "imagenet")), "a.ppm", data)


def of_565(pixels: Any, kind: str) -> bytes:
    red, green, blue = numpy.moveaxis(pixels.astype("u2"), 2, 0)
    return bytes((red >> 3 << 11 | green >> 2 << 5 | blue >> 3).astype(kind).tobytes())


def read_565(data: bytes, kind: str, side: int) -> Any:
    both = numpy.frombuffer(data, kind).astype("i8").reshape(side, side)
    levels = (both >> 11) * 255 / 31, (both >> 5 & 63) * 255 / 63, (both & 31) * 255 / 31
    return numpy.stack(levels, 2)


def from_buffer(elements: Any, name: str, data: bytes) -> Origin | None:
    shape = picture_of(elements.shape)
    assert shape is not None
    sources = [
        Source(name, one.pixels, one.said, True, others=one.others, is_ordered=one.is_ordered)
        for one in buffers(name, data, shape)
    ]
    return best_of(elements, sources, always)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("side", "name"), [(16, "gate.565"), (22, "shot.rgb565"), (40, "gate.565")])
def test_the_order_of_two_bytes_by_how_smooth_pixels_are(side: int, name: str, kind: str) -> None:
    pixels = numpy.kron(scene(7, side // 2, side // 2), numpy.ones((2, 2, 1), "u1"))
    for written in ("<u2", ">u2"):
        data = of_565(pixels, written)
        for read in ("<u2", ">u2"):
            found = from_buffer(planar(encoded(read_565(data, read, side), kind)), name, data)
            assert found is not None and ("opposite order" in found.wrong) is (read != written), found
            assert bool(found.wrong) is (read != written)


def test_two_bytes_in_doubt_are_in_the_usual_order() -> None:
    data = numpy.random.default_rng(2).integers(0, 256, 2 * 16 * 16).astype("u1").tobytes()
    found = from_buffer(planar(read_565(data, "<u2", 16) / 255), "noise.565", data)
    assert found is not None and found.wrong == ""


def shrunk(pixels: Any, way: str, side: int) -> Any:
    everywhere, size = (numpy.arange(side),) * 2, Size(side, side, 0, 0)
    if way == "nearest":
        return nearest(pixels, side, side).astype("f8")
    return {"boxes": means, "bilinear": between(0.5)}[way](pixels, *everywhere, size)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("way", "side"), [("boxes", 10), ("bilinear", 14), ("nearest", 22)])
def test_rows_of_a_bitmap_with_their_padding(way: str, side: int, kind: str) -> None:
    pixels = scene(side, 37, 37)
    data = bmp(pixels)
    rows = numpy.frombuffer(data, "u1", 37 * 37 * 3, 54).reshape(37, 37, 3)[::-1, :, ::-1]

    def said(own: Any) -> tuple[bool, str]:
        source = decoded("sign.bmp", data)
        assert source is not None
        found = by_loops(None, planar(encoded(shrunk(own, way, side), kind)), [[source]], always)
        return found is not None, found.wrong if found is not None else ""

    is_found, wrong_so = said(rows)
    assert is_found and "the padding at the end of rows was not passed over: 111 bytes for 112" in wrong_so
    assert said(pixels) == (True, "")
    assert said(scene(1, 37, 37)) == (False, "")


def on_ground(seed: int, side: int = 48) -> Any:
    """A thing in the middle of a picture, whose corner shows hardly anything."""
    pixels = (numpy.random.default_rng(seed).normal(190, 4, (side, side, 3))).astype("u1")
    pixels[20:40, 20:40] = scene(seed, 20, 20)
    return pixels


def corner_said(pictures: list[Any], of: int = 12) -> list[str]:
    """What is said at the end if the upper left corner of each picture was sent."""
    parts = Parts(lambda: len(pictures))
    for number, pixels in enumerate(pictures):
        source = decoded(f"{number}.ppm", ppm(pixels))
        assert source is not None
        sent = planar(encoded(pixels[:of, :of], "imagenet"))
        found = cut(sent, Sheet(source, source.array))
        assert found is not None and not found.wrong
        parts.set(0, sent.tobytes())
        parts.found(0, "x", found, may_be_only_one=True)
    return [*parts.finish()]


def test_corners_that_show_nothing() -> None:
    said = corner_said([on_ground(seed) for seed in range(3)])
    assert len(said) == 1 and "only the top left 12 x 12 of 48 x 48 pixels" in said[0]
    assert corner_said([on_ground(0)]) == [], "one picture may be a sheet of small ones"
    assert corner_said([scene(seed, 48, 48) for seed in range(3)]) == [], "and so may several"


def test_the_same_answer_to_all_pictures_in_any_order() -> None:
    said = "with the channels reversed"
    as_sent = Way("", tuple(Answer(3, 0.7, 4, 1.0) for _ in range(5)))
    same = Way(said, tuple(Answer(3, 1.0, 4, 10.0) for _ in range(5)))
    others = Way(said, tuple(Answer(at % 3, 1.0, 4, 10.0) for at in range(5)))
    assert surer(as_sent, [same], "pictures") == ""
    assert said in surer(as_sent, [others], "pictures")

"""Pictures at their usual places that are found by some of their pixels, or not by small copies:
text, odd colours, bytes before the first pixel, what only alpha shows. Each mistake has a right twin."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.budget import never
from pywasm_nn.watch.changes.encodings import IMAGENET, IMAGENET_DEVIATION
from pywasm_nn.watch.evidence import Evidence
from pywasm_nn.watch.origin import Origin
from pywasm_nn.watch.origin.buffers import rgb
from pywasm_nn.watch.origin.decoding import decoded
from pywasm_nn.watch.origin.matching import traced
from pywasm_nn.watch.origin.pointing import at_points, begins_elsewhere, between_bars
from pywasm_nn.watch.origin.resizing import INTERPOLATIONS, TURNS
from tests.watch.test_false_alarms import opened
from tests.watch.test_origin import ppm, scene


def page(seed: int = 1, height: int = 400, width: int = 300) -> Any:
    """Thin dark lines of letters on white paper, with a heading."""
    order = numpy.random.default_rng(seed)
    made = numpy.full((height, width, 3), 250, "u1")
    for row in range(20, height - 20, 9):
        ink = order.random((6, width - 40)) < 0.35
        made[row : row + 6, 20 : width - 20][ink] = 20
    made[20:34, 30:160] = 60
    return made


def cut_from(picture: Any, size: int = 224) -> Any:
    """The middle of a picture that was resized so that its shorter side is 8/7 of what is cut out."""
    side = size * 8 // 7
    height, width, _ = picture.shape
    least = min(height, width)
    tall, wide = round(height * side / least), round(width * side / least)
    made = numpy.rint(INTERPOLATIONS["bilinear"](picture.astype("f4"), tall, wide))
    top, left = (tall - size) // 2, (wide - size) // 2
    return made[top : top + size, left : left + size]


def found(pixels: Any, files: dict[str, bytes], mean: Any = 0.0, deviation: Any = 255.0) -> Origin | None:
    """How planes of normalised pixels came from files."""
    planes = ((pixels - mean) / deviation).astype("f4").transpose(2, 0, 1)[None]
    return opened(files).of(Tensor.from_numpy(numpy.ascontiguousarray(planes)))


MEAN, DEVIATION = numpy.array(IMAGENET), numpy.array(IMAGENET_DEVIATION)


def test_a_page_of_text() -> None:
    files = {"page.ppm": ppm(page())}
    rightly = found(cut_from(page()), files, MEAN, DEVIATION)
    assert rightly is not None and rightly.wrong == ""
    undivided = found(cut_from(page()), files, MEAN / 255, DEVIATION / 255)
    assert undivided is not None and "without the division by 255" in undivided.wrong
    turned = found(cut_from(page())[::-1], files, MEAN, DEVIATION)
    assert turned is not None and turned.wrong == "the picture is upside down"
    assert found(cut_from(page(2)), files, MEAN, DEVIATION) is None, "another page"


def between(picture: Any, size: tuple[int, int], new: tuple[int, int], middle: bool, filling: float) -> Any:
    """A picture in another size, at the top left or in the middle of a larger one that is filled."""
    made = numpy.full((*new, 3), filling, "f4")
    top, left = ((new[0] - size[0]) // 2, (new[1] - size[1]) // 2) if middle else (0, 0)
    own = INTERPOLATIONS["bilinear"](picture.astype("f4"), *size) if picture.shape[:2] != size else picture
    made[top : top + size[0], left : left + size[1]] = own
    return made


@pytest.mark.parametrize("filling", [0.0, 114.0, 255.0])
@pytest.mark.parametrize("middle", [False, True])
@pytest.mark.parametrize(
    ("size", "new"), [((90, 200), (96, 240)), ((180, 400), (400, 400)), ((90, 200), (200, 200))]
)
def test_a_whole_picture_between_bars(
    size: tuple[int, int], new: tuple[int, int], middle: bool, filling: float
) -> None:
    picture = page(5, 90, 200)
    inset = between_bars(between(picture, size, new, middle, filling), picture)
    assert inset is not None
    assert (inset.place.top, inset.place.left, inset.place.height, inset.place.width) == (0, 0, 90, 200)
    rows, columns = inset.part
    assert (rows.stop - rows.start, columns.stop - columns.start) == size
    assert (rows.start > 0 or columns.start > 0) is middle
    assert between_bars(between(page(6, 90, 200), size, new, middle, filling), picture) is None, "another one"


def test_a_picture_between_bars_is_found_first() -> None:
    """White bars around white paper can't be told from it, and a search for the part takes long."""
    picture = page(5, 90, 200)
    made = between(picture, (90, 200), (96, 240), False, 250.0) / 255
    planes = numpy.ascontiguousarray(made.transpose(2, 0, 1)[None], "f4")
    source = decoded("page.ppm", ppm(picture))
    assert source is not None
    origin = traced(planes, source, never)
    assert origin is not None
    assert origin.lies == (0, 0, 90, 200)
    assert origin.wrong == ""


@pytest.mark.parametrize("turn", TURNS)
def test_turns(turn: str) -> None:
    picture = numpy.random.default_rng(3).integers(0, 256, (60, 80, 4)).astype("f4")
    place = at_points(TURNS[turn](picture[..., :3]), picture)
    assert place is not None and place.turn == turn and (place.height, place.width) == (60, 80)
    other = numpy.random.default_rng(4).integers(0, 256, (60, 80, 4)).astype("f4")
    assert at_points(picture[..., :3], other) is None


def test_few_colours_fit_any_range_but_not_a_usual_one() -> None:
    """A sign of three colours, whose U and V were swapped."""
    luma = numpy.full((64, 64), 90.0)
    u, v = numpy.full((64, 64), 100.0), numpy.full((64, 64), 200.0)
    luma[20:44, 16:48], u[20:44, 16:48], v[20:44, 16:48] = 235, 128, 128
    luma[2:8, 2:60], u[2:8, 2:60], v[2:8, 2:60] = 60, 180, 110
    pairs = numpy.stack([u[::2, ::2], v[::2, ::2]], 2)
    data = b"".join(one.astype("u1").tobytes() for one in (luma, pairs))
    rightly, swapped = rgb(luma, u, v), rgb(luma, v, u)
    for pixels, words in ((rightly, ""), (swapped, "U and V are swapped (as in NV21)")):
        origin = found(INTERPOLATIONS["areas averaged"](pixels.astype("f4"), 32, 32), {"sign.nv12": data})
        assert origin is not None and origin.wrong == words


def test_pixels_of_two_bytes_in_the_other_order() -> None:
    both = numpy.random.default_rng(5).integers(0, 1 << 16, (8, 8)).repeat(4, 0).repeat(4, 1)
    files = {"sign.565be": both.astype(">u2").tobytes()}
    for read, words in ((both, ""), (both.astype("u2").byteswap().astype(int), "in the opposite order")):
        pixels = numpy.stack([read >> 11 << 3, (read >> 5 & 63) << 2, (read & 31) << 3], 2)
        origin = found(pixels.astype("f4"), files)
        assert origin is not None and words in origin.wrong and bool(words) is bool(origin.wrong)


@pytest.mark.parametrize("by", [2, 8, 30])
def test_a_size_before_the_pixels(by: int) -> None:
    picture = scene(6, 32, 32)
    data = picture.tobytes()
    late = numpy.frombuffer(bytes(range(by)) + data[:-by], "u1").reshape(picture.shape)
    origin = found(late.astype("f4"), {"frame.rgb": data})
    assert origin is not None and f"begin {by} bytes before the first pixel" in origin.wrong
    rightly = found(picture.astype("f4"), {"frame.rgb": data})
    assert rightly is not None and rightly.wrong == ""
    assert begins_elsewhere(scene(7, 32, 32) / 255, picture) is None


def with_alpha(pixels: Any, kind: int) -> bytes:
    """A PNG of gray (4) or colours (6) with alpha."""
    rows = numpy.pad(pixels.reshape(len(pixels), -1), ((0, 0), (1, 0)))
    head = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], 8, kind, 0, 0, 0)
    made = b"\x89PNG\r\n\x1a\n"
    for name, body in ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes())), (b"IEND", b"")):
        made += struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    return made


def test_alpha_is_decoded() -> None:
    pixels = numpy.random.default_rng(8).integers(0, 256, (5, 6, 4)).astype("u1")
    colours, grey = decoded("a.png", with_alpha(pixels, 6)), decoded("a.png", with_alpha(pixels[..., 2:], 4))
    assert colours is not None and (colours.array == pixels).all()
    assert grey is not None and (grey.array == pixels[..., [2, 2, 2, 3]]).all()


def test_alpha_that_was_taken_for_a_pixel() -> None:
    picture = numpy.dstack([scene(9, 120, 160), scene(10, 120, 160)[..., 0]])
    files = {"a.png": with_alpha(picture, 6)}
    misread = numpy.frombuffer(picture.tobytes()[: 120 * 160 * 3], "u1").reshape(120, 160, 3)
    for pixels, words in ((misread, "4 bytes a pixel (with alpha) were taken for 3"), (picture[..., :3], "")):
        origin = found(INTERPOLATIONS["bilinear"](pixels.astype("f4"), 64, 64), files)
        assert origin is not None and words in origin.wrong and bool(words) is bool(origin.wrong)


def test_what_only_alpha_shows() -> None:
    ink = numpy.zeros((28, 28, 4), "u1")
    ink[5:20, 10:14, 3] = 255
    for data, words in ((with_alpha(ink, 6), "is in its alpha"), (ppm(ink[..., :3]), "")):
        evidence = Evidence()
        evidence._origins = evidence._inputs._origins = opened({"ink.png": data})
        evidence._inputs._empty["x"] = 'input 0 "image"'
        assert words in "".join(text for _, text in evidence.finish())
        assert evidence.read_silence()

"""Small inputs whose elements are pixels of a sheet, a strip, or of pictures behind each other. Each mistake
has right twins."""

from __future__ import annotations

from struct import pack
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin import decoded
from pywasm_nn.watch.origin.cut import Sheet, behind_each_other, cut
from pywasm_nn.watch.origin.cut import idx as idx_sheet
from pywasm_nn.watch.sent.cuts import Cuts
from pywasm_nn.watch.whatif.turned_back import back_in_file
from tests.watch.test_false_alarms import all_said
from tests.watch.test_jpeg import chunk, packed
from tests.watch.test_origin import ppm, scene

ORDER = numpy.random.default_rng(11)
STRIP = numpy.concatenate([scene(seed, 16, 16)[..., :1] for seed in range(5)], axis=1)
STRIP[:, 30:34] = 255
COLOURS = numpy.concatenate([scene(seed, 16, 16) for seed in range(4)], axis=1)
FILES = {"strip.pgm": b"P5\n80 16\n255\n" + STRIP.tobytes()}


def tiles(pixels: Any = STRIP, turned: Any = lambda tile: tile) -> Any:
    """As f32 [n, 1, height, width, channels], from 0 to 255."""
    several = numpy.split(pixels, pixels.shape[1] // 16, axis=1)
    return numpy.stack([turned(one) for one in several]).astype("f4")[:, None]


def said(sent: Any, files: dict[str, bytes] = FILES) -> str:
    return " ".join(all_said(sent, files, len(sent)))


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        (tiles() / 255, ""), (tiles() / 127.5 - 1, ""), (tiles(), ""), (1 - tiles() / 255, ""),
        (tiles(turned=lambda one: one.swapaxes(0, 1)) / 255, ""),  # only a model says that it is wrong
        (tiles(turned=lambda one: one[::-1]) / 255, "the picture is upside down"),
        (tiles(turned=lambda one: one[:, ::-1]) / 255, ""),
        (tiles() // 255 * 2 - 1, "were they divided as whole numbers"),
        (tiles() / 255 / 255, "divided by 255 twice"),
    ],
)  # fmt: skip
def test_tiles_of_a_strip(sent: Any, words: str) -> None:
    text = said(sent)
    assert words in text and bool(words) == bool(text)


def test_a_guest_that_also_turns_tiles() -> None:
    both = numpy.concatenate([tiles()[:3], tiles(turned=lambda one: one[:, ::-1])[:3]])
    assert said(both / 255) == ""


def sheet(pixels: Any) -> Sheet:
    source = decoded("a.ppm", ppm(pixels))
    assert source is not None
    return Sheet(source, source.array)


def test_a_channel_that_is_another_and_a_constant_more() -> None:
    """One order gives a usual range. Of grey pixels, and in an unusual range of all, no order is known."""
    grey = COLOURS[..., :1] // 2
    tinted, plain = numpy.concatenate([grey, grey // 3, grey + 25], axis=2), grey.repeat(3, axis=2)

    def order(pixels: Any, sent: Any) -> str:
        found = cut(sent[None, :, 16:32].astype("f4") / 127.5 - 1, sheet(pixels))
        assert found is not None and found.wrong == ""
        return found.order

    assert order(tinted, tinted) == "RGB"
    assert order(tinted, tinted[..., ::-1]) == "BGR"
    assert order(tinted, tinted * 0.9 - 7) == order(tinted, tinted[..., ::-1] * 0.9 - 7) == ""
    assert order(plain, plain) == ""


def test_the_order_of_channels_is_exact() -> None:
    """These are the colours of a lamp: no channel is like another one."""
    plain = cut(COLOURS[None, :, 16:32], sheet(COLOURS))
    assert plain is not None and plain.order == "RGB" and plain.wrong == ""
    assert str(plain).endswith("its part at column 16, row 0 of 16 x 16, RGB, pixels from 0 to 255")
    turned = cut(COLOURS[None, :, 16:32, ::-1], sheet(COLOURS))
    assert turned is not None and turned.order == "BGR" and turned.wrong == ""
    assert cut(ORDER.integers(0, 255, (1, 16, 16, 3)), sheet(COLOURS)) is None
    in_columns = cut(COLOURS[None, :, 16:32].swapaxes(1, 2), sheet(COLOURS))
    assert in_columns is not None and "rows and columns are exchanged" in in_columns.wrong


def idx(pixels: Any) -> bytes:
    return b"\0\0\x08\x03" + pack(">III", *pixels.shape[:3]) + pixels.tobytes()


@pytest.mark.parametrize(("turned", "words"), [(False, ""), (True, "rows and columns are exchanged")])
def test_pictures_of_an_idx_file(turned: bool, words: str) -> None:
    items = numpy.stack([scene(seed, 16, 16)[..., :1] for seed in range(6)])
    sent = (items.swapaxes(1, 2) if turned else items).astype("f4")[:, None] / 255
    found = idx_sheet("train.idx", idx(items))
    assert found is not None
    origin = cut(sent[1], found)
    assert origin is not None and words in origin.wrong and bool(words) == bool(origin.wrong)
    assert said(sent, {"train.idx": idx(items)}) == "", "only a model says that it is wrong"
    assert said(sent, {"emnist-letters-test-images-idx3-ubyte": idx(items)}) == ""


@pytest.mark.parametrize("shape", [(1, 100), (100,), (1, 1, 100)])
def test_pictures_of_an_idx_file_in_one_dimension(shape: tuple[int, ...]) -> None:
    items = numpy.stack([scene(seed, 10, 10)[..., :1] for seed in range(5)])
    found = idx_sheet("mail.idx", idx(items))
    assert found is not None
    for turned, words in ((items, ""), (items.swapaxes(1, 2), "rows and columns are exchanged")):
        sent = turned[3].reshape(shape).astype("f4") / 255
        origin = cut(sent, found)
        assert origin is not None and "picture 4" in origin.steps
        assert words in origin.wrong and bool(words) == bool(origin.wrong) == bool(origin.turn)
        assert cut(numpy.sort(sent, axis=-1), found) is None
        back = back_in_file(Tensor.from_numpy(sent), "rows and columns swapped")
        assert (back.reshape(10, 10) == sent.reshape(10, 10).T).all() and back.shape == shape
    batch = items[:2].swapaxes(1, 2).reshape(2, 100).astype("f4")
    assert cut(batch, found) is None, "a batch"
    assert back_in_file(Tensor.from_numpy(batch[:1, :90].copy()), "rows and columns swapped") is None
    flat = items.swapaxes(1, 2).reshape(5, 1, 100).astype("f4") / 255
    assert said(flat, {"mail.idx": idx(items)}) == "", "only a model says that it is wrong"
    assert said(items.reshape(5, 1, 100).astype("f4") / 255, {"mail.idx": idx(items)}) == ""


def test_frames_without_a_header() -> None:
    frames = numpy.stack([scene(seed, 16, 16) for seed in range(5)])
    (found,) = behind_each_other("a.rgb", frames.tobytes(), (1, 16, 16, 3))
    origin = cut(frames[2:3, :, :, ::-1], found)
    assert origin is not None and str(origin) == (
        "a.rgb (5 pictures of 16 x 16 raw pixels), picture 3, BGR, pixels from 0 to 255"
    )
    with_alpha = numpy.concatenate([frames, frames[..., :1]], axis=3)
    (found,) = behind_each_other("a.rgba", with_alpha.tobytes(), (1, 16, 16, 3))
    assert cut(frames[1:2], found) is not None
    assert [*behind_each_other("a.rgb", frames.tobytes()[:-1], (1, 16, 16, 3))] == []
    assert [*behind_each_other("a.rgb", frames[0].tobytes(), (1, 16, 16, 3))] == []


@pytest.mark.parametrize(("count", "which"), [(1, "9 x 9 raw pixels"), (5, "picture 3")])
def test_raw_pictures_in_one_dimension(count: int, which: str) -> None:
    items = numpy.stack([scene(seed, 9, 9)[..., :1] for seed in range(count)])
    one = items[min(2, count - 1)]
    (found,) = behind_each_other("pen.bin", items.tobytes(), (1, 81))
    for turned, words in ((one, ""), (one.swapaxes(0, 1), "rows and columns are exchanged")):
        origin = cut(turned.reshape(1, 81).astype("f4") / 255, found)
        assert origin is not None and which in str(origin)
        assert words in origin.wrong and bool(words) == bool(origin.wrong) == bool(origin.turn)
    assert [*behind_each_other("pen.bin", items.tobytes()[1:], (1, 81))] == []
    assert [*behind_each_other("pen.bin", items.tobytes(), (1, 80))] == [], "no square"
    flat = items.swapaxes(1, 2).reshape(count, 1, 81).astype("f4") / 255
    assert said(flat if count > 1 else flat[0], {"pen.bin": items.tobytes()}) == "", "only a model says it"


def test_elements_that_are_no_numbers(recwarn: pytest.WarningsRecorder) -> None:
    cuts = Cuts()
    for odd in (numpy.nan, numpy.inf, 1e30):
        spoilt = numpy.where(ORDER.random((1, 16, 16, 1)) < 0.3, odd, tiles()[0])
        with numpy.errstate(all="ignore"):
            assert cuts.set("x", spoilt, [sheet(STRIP)], lambda: True) is None
    assert not [*recwarn]


def test_a_tile_that_begins_within_a_pixel() -> None:
    """Twenty columns are sixty bytes."""
    wide = numpy.concatenate([scene(seed, 20, 20) for seed in range(3)], axis=1)
    flat = wide.reshape(20, -1)
    off = numpy.stack([flat[:, at : at + 60].reshape(1, 20, 20, 3) for at in (0, 20, 40)])
    right = numpy.stack([flat[:, at : at + 60].reshape(1, 20, 20, 3) for at in (0, 60, 120)])
    files = {"rack.ppm": ppm(wide)}
    text = " ".join(all_said(off, files, 3, "u1"))
    assert "each row begins 2 of 3 bytes behind the beginning of a pixel" in text
    assert all_said(right, files, 3, "u1") == []


def test_the_next_picture_is_no_missing_beginning() -> None:
    """Rows of a tile that are read one behind the other are bytes of the tile beside."""
    text = said(STRIP[:16].reshape(5, 1, 16, 16, 1) / 255)
    assert "rows were read 16 bytes apart" in text
    assert "too few are taken for pixels" not in text


def cutout(seed: int, side: int) -> Any:
    """A thing on a ground that shows nothing: red, green, blue and alpha, which is soft at the edge."""
    rows, columns = numpy.mgrid[:side, :side] - (side - 1) / 2
    alpha = ((0.4 * side - numpy.hypot(rows, columns)) * 255).clip(0, 255).astype("u1")
    return numpy.dstack([scene(seed, side, side) // 2 + 40, alpha])


@pytest.mark.parametrize("count", [2, 6])
def test_four_bytes_a_pixel_taken_for_three(count: int) -> None:
    side = 16
    frames = numpy.stack([cutout(seed, side) for seed in range(count)])
    files, flat = {"frames.raw": frames.tobytes()}, frames.reshape(-1)
    three = numpy.stack([flat[at:][: side * side * 3] for at in range(0, flat.size, side * side * 4)])
    mistaken = three.reshape(count, 1, side, side, 3).astype("f4") / 127.5 - 1
    planes = numpy.ascontiguousarray(mistaken.transpose(0, 1, 4, 2, 3))
    assert "4 bytes a pixel" in said(mistaken, files) and "4 bytes a pixel" in said(planes, files)
    assert said(frames[:, None, ..., :3].astype("f4") / 127.5 - 1, files) == ""


def test_three_bytes_a_pixel_that_four_would_fill_too() -> None:
    """Things on white paper: each fourth byte is often white, and so are the others."""
    frames = numpy.stack([cutout(seed, 16) for seed in range(4)])
    frames[frames[..., 3] < 255] = 255
    colours = numpy.ascontiguousarray(frames[..., :3])
    assert said(colours[:, None].astype("f4") / 255, {"frames.raw": colours.tobytes()}) == ""


def as_bmp(numbers: Any, palette: Any) -> bytes:
    """A bitmap of 8 bits, its rows from below."""
    height, width = numbers.shape
    table = numpy.zeros((len(palette), 4), "u1")
    table[:, :3] = palette[:, ::-1]
    info = pack("<IiiHHIIiiII", 40, width, height, 1, 8, 0, width * height, 2835, 2835, len(palette), 0)
    first = 54 + table.nbytes
    return (
        b"BM"
        + pack("<III", first + numbers.size, 0, first)
        + info
        + table.tobytes()
        + numbers[::-1].tobytes()
    )


def as_png(numbers: Any, palette: Any) -> bytes:
    return packed(numbers, 8, 3, numbers.shape[1], chunk(b"PLTE", palette.astype("u1").tobytes()))


@pytest.mark.parametrize("form", [as_bmp, as_png])
@pytest.mark.parametrize("channels", [1, 3])
def test_tiles_of_a_picture_with_a_palette(form: Any, channels: int) -> None:
    numbers = (numpy.concatenate([scene(seed, 16, 16)[..., 0] for seed in range(5)], axis=1) // 6).astype(
        "u1"
    )
    colours = numpy.random.default_rng(3).integers(0, 256, (43, 3)).astype("u1")
    levels = numpy.repeat(6 * numpy.arange(43)[:, None], 3, axis=1).astype("u1")
    for palette, sent, seen in (
        (colours, numbers[..., None].repeat(channels, axis=2), True),
        (colours, colours[numbers][..., :channels], False),
        (levels, numbers[..., None].repeat(channels, axis=2), False),
        (levels, levels[numbers][..., :channels], False),
    ):
        for normalised in (tiles(sent) / 255, (tiles(sent) / 255 - 0.45) / 0.22):
            text = said(normalised, {"map": form(numbers, palette)})
            assert ("in the palette were taken for levels of grey" in text) is seen, text

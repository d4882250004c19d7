"""Pictures whose bytes a guest read in a wrong way, or calculated with in bytes, and the right way beside.

The mistakes are those of guests that another hand wrote (C: `birds.c`, `digits.c`, `face.c`, `signs.c` of the
outside set 12), line by line in numpy.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin import read_files
from pywasm_nn.watch.origin.following import Origins
from pywasm_nn.watch.origin.headerless import as_pixels
from pywasm_nn.watch.origin.resizing import resized
from tests.conftest import ALL_EXAMPLES
from tests.watch.test_false_alarms import origins_of, reads
from tests.watch.test_origin import ppm, scene

ORDER = numpy.random.default_rng(18)
PHOTO = scene(18, 90, 121)
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def bmp(pixels: Any) -> bytes:
    """A bitmap of 24 bits: bottom row first, rows padded to 4 bytes, BGR."""
    height, width, _ = pixels.shape
    length = width * 3
    rows = numpy.zeros((height, (length + 3) // 4 * 4), "u1")
    rows[:, :length] = pixels[::-1, :, ::-1].reshape(height, -1)
    size = 54 + rows.size
    head = struct.pack("<2sIIIIiiHHIIiiII", b"BM", size, 0, 54, 40, width, height, 1, 24, 0, 0, 0, 0, 0, 0)
    return head + rows.tobytes()


def small(pixels: Any, side: int = 64) -> Any:
    return (resized(pixels.astype("f4"), side, side) + 0.5).astype("u1")


def wrong(array: Any, data: bytes, name: str, *, origins: Origins | None = None) -> str:
    """What is said of an input after a file was read; "?" if no origin is found."""
    found = (origins or origins_of(data, name)).of(Tensor.from_numpy(numpy.ascontiguousarray(array)))
    return "?" if found is None else found.wrong


def rows_of_a_bitmap(data: bytes, stride: int, size: tuple[int, int]) -> Any:
    """The pixels as `birds.c` reads them."""
    height, width = size
    flat = numpy.frombuffer(data + bytes(2 * stride), "u1")
    rows = [flat[54 + (height - 1 - y) * stride :][: width * 3] for y in range(height)]
    return numpy.stack(rows).reshape(height, width, 3)[..., ::-1]


def test_padding_of_a_bitmap() -> None:
    data, size = bmp(PHOTO), PHOTO.shape[:2]
    assert wrong(small(rows_of_a_bitmap(data, 364, size))[None], data, "a.bmp") == ""
    said = wrong(small(rows_of_a_bitmap(data, 363, size))[None], data, "a.bmp")
    assert "the padding at the end of rows was not passed over: 363 bytes for 364" in said


def test_padding_of_a_bitmap_that_is_cropped() -> None:
    data, size = bmp(PHOTO), PHOTO.shape[:2]
    crop = slice(20, 84), slice(30, 94)
    assert "padding" not in wrong(rows_of_a_bitmap(data, 364, size)[crop][None], data, "a.bmp")
    said = wrong(rows_of_a_bitmap(data, 363, size)[crop][None], data, "a.bmp")
    assert "padding" in said and "363 bytes" in said


def test_rows_of_a_small_picture() -> None:
    pixels = ORDER.integers(0, 17, (8, 8)).astype("u1")
    data = b"P5 8 8 16\n" + pixels.tobytes()
    flat = numpy.frombuffer(data + bytes(9), "u1")
    apart = {by: numpy.stack([flat[10 + y * by :][:8] for y in range(8)]) / 16 for by in (8, 9)}
    assert wrong(apart[8].astype("f4")[None, None], data, "a.pgm") == ""
    assert "rows were read 9 bytes apart" in wrong(apart[9].astype("f4")[None, None], data, "a.pgm")


def test_a_header_taken_for_pixels() -> None:
    photo = scene(3, 64, 64)
    data = ppm(photo)
    flat = numpy.frombuffer(data, "u1")
    said = wrong(flat[: photo.size].reshape(1, 64, 64, 3), data, "a.ppm")
    start = len(data) - photo.size
    assert f"the elements begin {start} bytes before the first pixel" in said
    planar = (flat[: photo.size].reshape(1, 64, 64, 3).transpose(0, 3, 1, 2) / 255).astype("f4")
    assert f"begin {start} bytes before" in wrong(planar, data, "a.ppm")


def test_grey_taken_for_colours() -> None:
    grey = scene(4, 64, 64)[..., :1]
    data = ppm(grey)
    flat = numpy.frombuffer(data + bytes(3 * grey.size), "u1")[len(data) - grey.size :]
    three = flat[: 3 * grey.size].reshape(1, 64, 64, 3)
    said = wrong((three / 127.5 - 1).astype("f4"), data, "a.pgm")
    assert "the file has 1 byte a pixel (grey), and 3 bytes were taken for each" in said
    assert wrong((grey.repeat(3, 2)[None] / 127.5 - 1).astype("f4"), data, "a.pgm") == ""


def short(data: bytes, asked: int) -> Origins:
    """What is known after one read of so many bytes."""
    from pywasm_nn.interpreter.runtime.observe import HostEvent

    origins = Origins()
    opened, _ = reads(data, "a.rgb")
    origins.host_call(opened)
    part = data[:asked]
    given = tuple({"fd": 5, "iovs": [part + bytes(asked - len(part))], "nread": len(part)}.items())
    origins.host_call(HostEvent("wasi_snapshot_preview1", "fd_read", given, 0, None, 0.0))
    return origins


def test_a_read_of_a_part() -> None:
    photo = scene(5, 64, 64)
    data = photo.tobytes()
    half = numpy.zeros(photo.size, "u1")
    half[:5000] = photo.reshape(-1)[:5000]
    said = wrong(half.reshape(1, 64, 64, 3), data, "", origins=short(data, 5000))
    assert "from row 27 of 64 on it is empty: only 5,000 bytes of the file were read" in said
    # A file that is smaller, and was read to its end, is set in black on purpose.
    rows = data[: 30 * 192]
    half[:] = 0
    half[: len(rows)] = numpy.frombuffer(rows, "u1")
    assert wrong(half.reshape(1, 64, 64, 3), rows, "", origins=short(rows, 5761)) in ("", "?")


def test_sixteen_bits() -> None:
    samples = ORDER.choice([0, 12287, 49151, 57343, 65535], (8, 8)).astype(">u2")
    data = b"P5\n8 8\n65535\n" + samples.tobytes()
    rightly = samples.astype("f4") / 65535
    assert wrong(rightly[None, None], data, "deep.pgm") == ""
    swapped = samples.view("<u2").astype("f4") / 65535
    said = wrong(swapped[None, None], data, "deep.pgm")
    assert "the two bytes of each sample (16 bits) are in the wrong order" in said


def test_signed_bytes_of_a_small_picture() -> None:
    pixels = ORDER.integers(0, 256, (8, 8)).astype("u1")
    data = b"P5\n8 8\n255\n" + pixels.tobytes()
    said = wrong((pixels.view("i1") / 255).astype("f4")[None, None], data, "a.pgm")
    assert "bytes from 128 to 255 were taken as signed" in said
    assert wrong((pixels / 255).astype("f4")[None, None], data, "a.pgm") == ""
    for mean, deviation in ((0.1307, 0.3081), (0.5, 1.0)):
        said = wrong(((pixels.view("i1") / 255 - mean) / deviation).astype("f4")[None, None], data, "a.pgm")
        assert "bytes from 128 to 255 were taken as signed" in said
        assert wrong(((pixels / 255 - mean) / deviation).astype("f4")[None, None], data, "a.pgm") == ""


def in_yuv(pixels: Any) -> bytes:
    """I420."""
    red, green, blue = (pixels[..., at].astype("f4") for at in range(3))
    grey = 0.299 * red + 0.587 * green + 0.114 * blue
    planes = [grey]
    for colour, scale in ((blue, 0.564), (red, 0.713)):
        part = 128 + (colour - grey) * scale
        planes.append(part.reshape(part.shape[0] // 2, 2, part.shape[1] // 2, 2).mean(axis=(1, 3)))
    return b"".join((one + 0.5).clip(0, 255).astype("u1").tobytes() for one in planes)


FRAME = in_yuv(scene(7, 96, 96))


def camera(mistake: int = 0) -> Any:
    """The input as `signs.c` makes it of a frame."""
    b, w = numpy.frombuffer(FRAME + bytes(9), "u1").astype("f4"), 96
    y, x = numpy.mgrid[:w, :w]
    if mistake == 51:
        at = (y * w + x) * 3 // 2
        grey, u, v = b[at], b[at + 1] - 128, b[at + 2] - 128
    else:
        part = y // 2 * (w // 2) + x // 2
        grey, u, v = b[y * w + x], b[w * w + part] - 128, b[w * w * 5 // 4 + part] - 128
    u, v = (v, u) if mistake == 52 else (u, v)
    made = [grey + 1.402 * v, grey - 0.344136 * u - 0.714136 * v, grey + 1.772 * u]
    made = [grey, u + 128, v + 128] if mistake == 50 else made
    pixels = small((numpy.stack(made, 2) + 0.5).clip(0, 255), 48)
    return ((pixels / 255 - MEAN) / DEVIATION).astype("f4").transpose(2, 0, 1)[None]


@pytest.mark.parametrize(
    ("mistake", "said"),
    [
        (50, "the channels are Y, Cb and Cr"),
        (51, "planes of YUV were taken for pixel after pixel, one and a half bytes apart"),
        (52, "U and V are swapped (as in YV12)"),
    ],
)
def test_a_frame_of_a_camera(mistake: int, said: str) -> None:
    assert said in wrong(camera(mistake), FRAME, "s0.i420")


@pytest.mark.parametrize("name", ["s0_96x96.argb", "s0_96x96.abgr"])
def test_alpha_before_the_colours(name: str) -> None:
    drawn = scene(7, 96, 96)
    order = [3, 0, 1, 2] if "argb" in name else [3, 2, 1, 0]
    alpha = numpy.full((96, 96, 1), 255, "u1")
    data = numpy.concatenate([drawn, alpha], 2)[..., order]
    assert wrong(small(drawn, 48)[None] / numpy.float32(255), data.tobytes(), name) == ""
    taken = small(data[..., :3], 48)[None] / numpy.float32(255)
    assert "was alpha taken for a colour?" in wrong(taken, data.tobytes(), name)


@pytest.mark.parametrize("behind", ["again", "on"])
@pytest.mark.parametrize(("high", "wide"), [(96, 96), (64, 120)])
def test_rows_of_colours_as_far_apart_as_those_of_brightness(high: int, wide: int, behind: str) -> None:
    """Behind the end of a plane it begins again, or what lies there goes on (of V that is nothing)."""
    data = in_yuv(scene(11, high, wide))
    b = numpy.frombuffer(data + bytes(high * wide), "u1").astype("f4")
    y, x = numpy.mgrid[:high, :wide]
    size, part = high * wide, high * wide // 4

    def made(step: int) -> Any:
        at = y // 2 * step + x // 2
        u, v = (b[begins + (at % part if behind == "again" else at)] - 128 for begins in (size, size + part))
        grey = b[y * wide + x]
        pixels = numpy.stack([grey + 1.402 * v, grey - 0.344136 * u - 0.714136 * v, grey + 1.772 * u], 2)
        return (pixels.clip(0, 255) / 255).astype("f4")[None]

    for name in (f"cam_{wide}x{high}.i420", f"cam_{wide}x{high}.yuv"):
        assert "rows of U and V were looked up as far apart as those of Y" in wrong(made(wide), data, name)
        assert wrong(made(wide // 2), data, name) == ""


@pytest.mark.parametrize("name", ["s0.i420", "frame.bin", "frame_96x96.yuv"])
def test_a_frame_that_was_read_rightly(name: str) -> None:
    assert wrong(camera(), FRAME, name) == ""


def test_swapped_colours_are_a_format_where_no_name_says_otherwise() -> None:
    assert wrong(camera(52), FRAME, "frame.yv12") == ""
    assert "U and V" not in wrong(camera(52), FRAME, "frame.bin")


ARITHMETIC = {
    "times 2 ran over": lambda one: (one.astype(int) * 2 % 256).astype("u1"),
    "times 1.5 ran over": lambda one: ((one * 1.5).astype(int) % 256 / 255).astype("f4"),
    "pixels plus": lambda one: ((one + 40) / 127.5 - 1).astype("f4"),
    "pixels minus": lambda one: ((one - 70) / 255).astype("f4"),
    "(pixel / 12": lambda one: (one // 127 - 1.0).astype("f4"),
}


@pytest.mark.parametrize("said", ARITHMETIC if ALL_EXAMPLES else list(ARITHMETIC)[::2])
def test_arithmetic_of_bytes(said: str) -> None:
    photo = scene(9, 90, 120)
    photo[:8] = 255
    assert said in wrong(ARITHMETIC[said](small(photo))[None], ppm(photo), "a.ppm")


RIGHTLY = {
    "as they are": lambda one: one,
    "brighter, and kept within a byte": lambda one: (one * 2.0).clip(0, 255).astype("u1"),
    "black and white": lambda one: (one > 127).astype("f4"),
    "four shades": lambda one: (one // 64 / 3.0).astype("f4"),
    "three shades": lambda one: (one // 86 - 1.0).astype("f4"),
    "four shades around 0": lambda one: (one // 64 - 2.0).astype("f4"),
    "eight shades around 0": lambda one: (one // 32 - 4.0).astype("f4"),
    "more contrast": lambda one: ((one / 255.0 - 0.5) * 2).clip(-1, 1).astype("f4"),
    "equal shares": lambda one: (one.reshape(-1).argsort().argsort().reshape(one.shape) / one.size).astype(
        "f4"
    ),
}


@pytest.mark.parametrize("how", RIGHTLY)
def test_arithmetic_that_is_right(how: str) -> None:
    photo = scene(9, 90, 120)
    assert wrong(RIGHTLY[how](small(photo))[None], ppm(photo), "a.ppm") in ("", "?")


def test_pictures_in_one_dimension() -> None:
    """Networks of dense layers alone take the pixels of a picture in one dimension."""
    pixels = ORDER.integers(0, 17, (8, 8)).astype("u1")
    data = b"P5 8 8 16\n" + pixels.tobytes()
    flat = numpy.frombuffer(data + bytes(9), "u1")
    rightly = (pixels.reshape(1, 64) / 16).astype("f4")
    assert wrong(rightly, data, "a.pgm") == ""
    assert "in columns" in wrong((pixels.T.reshape(1, 64) / 16).astype("f4"), data, "a.pgm")
    apart = numpy.concatenate([flat[10 + y * 9 :][:8] for y in range(8)]) / 16
    assert "rows were read 9 bytes apart" in wrong(apart.astype("f4")[None], data, "a.pgm")
    photo = scene(6, 60, 60)[..., :1]
    small_ = small(photo, 28).reshape(1, 784)
    assert wrong((small_ / 255).astype("f4"), ppm(photo), "a.pgm") == ""
    assert "divided by 255 twice" in wrong((small_ / 255 / 255).astype("f4"), ppm(photo), "a.pgm")


def test_a_file_of_the_very_numbers_is_not_searched_as_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """It cost a second and a half for each input."""
    numbers = (scene(3, 32, 32) / numpy.float32(255)).astype("f4")[None]
    searched: list[str] = []

    def buffers(name: str, data: bytes, picture: Any) -> list[Any]:
        searched.append(name)
        return []

    monkeypatch.setattr(read_files, "buffers", buffers)
    assert wrong(numbers, numbers.tobytes(), "numbers.f32") == "?"
    assert wrong(numbers, b"head" + numbers.tobytes(), "after_a_header.f32") == "?"
    assert searched == []
    assert wrong(numbers, bytes(numbers.nbytes), "others.bin") == "?"
    assert searched == ["others.bin"]


ITEMS = numpy.stack([small(scene(seed, 60, 60))[..., 0] for seed in range(3)])[:, ::2, ::2]


def idx(items: Any) -> bytes:
    return struct.pack(">4BIII", 0, 0, 8, 3, *items.shape) + items.tobytes()


def npy(items: Any) -> bytes:
    import io

    file = io.BytesIO()
    numpy.save(file, items)
    return file.getvalue()


@pytest.mark.parametrize("shape", [(1, 1, 32, 32), (1, 32, 32, 1), (1, 1024)])
@pytest.mark.parametrize(
    ("data", "start", "words"),
    [
        (idx(ITEMS), 0, "before the first pixel: 16 bytes of the file's header (IDX, 16 bytes)"),
        (idx(ITEMS), 8, "begin 8 bytes before the first pixel"),
        (idx(ITEMS), 16, ""),
        (idx(ITEMS), 16 + 1024, ""),
        (idx(ITEMS), 1024, "begin 16 bytes before it"),
        (idx(ITEMS), 4 + 16, "begin 4 bytes behind the first byte of a picture"),
    ],
)
def test_headers_that_are_no_picture_s(shape: tuple[int, ...], data: bytes, start: int, words: str) -> None:
    read = numpy.frombuffer(data, "u1")[start : start + 1024].reshape(shape)
    text = wrong(read.astype("f4") / 255, data, "digits.idx3-ubyte")
    assert words in text and bool(words) is bool(text.strip("?")), text


@pytest.mark.parametrize("start", [0, 40, 128])
def test_headers_of_arrays(start: int) -> None:
    data = npy(ITEMS)
    read = numpy.frombuffer(data, "u1")[start : start + 1024].reshape(1, 1, 32, 32)
    text = wrong(read.astype("f4") / 255, data, "digits.npy")
    assert ("of the file's header (.npy, 128 bytes)" in text) is (start < 128), text


@pytest.mark.parametrize("side", [8, 16, 40])
def test_headers_of_bitmaps(side: int) -> None:
    """Whose rows begin with the bottom one, so that what is read forwards is upside down, too."""
    data = bmp(small(PHOTO)[:side, :side])
    read = numpy.frombuffer(data, "u1")[: 3 * side * side].reshape(1, side, side, 3).astype("f4") / 255
    text = wrong(read, data, "a.bmp")
    assert "54 bytes" in text and "header" in text, text
    behind = numpy.frombuffer(data, "u1")[54 : 54 + 3 * side * side].reshape(side, side, 3)[::-1, :, ::-1]
    assert "header" not in wrong(behind[None].astype("f4") / 255, data, "a.bmp")


@pytest.mark.parametrize(
    ("height", "width", "colours", "noise"),
    [(48, 192, 3, 1), (120, 160, 1, 20), (64, 96, 3, 20), (200, 32, 1, 1)],
)
def test_sides_of_raw_pixels(height: int, width: int, colours: int, noise: int) -> None:
    """The shape says the width first; the file has no header that says which is which."""
    pixels = scene(noise, height, width)[..., :colours]
    pixels = pixels // 2 + ORDER.integers(0, noise, pixels.shape, "u1")
    data = pixels.tobytes()
    planes = (pixels.transpose(2, 0, 1) / 255).astype("f4")
    assert "height and width exchanged?" in wrong(planes.reshape(1, colours, width, height), data, "a.raw")
    assert "height and width exchanged?" in wrong(pixels.reshape(1, width, height, -1) / 255, data, "a.raw")
    for right in (planes, planes[::-1], 2 * planes - 1):
        assert wrong(right[None], data, "a.raw") in ("", "?")
    turned = planes.transpose(0, 2, 1)  # as some models of Keras want lines of text
    assert "exchanged?" not in wrong(turned[None], data, "a.raw")


@pytest.mark.parametrize("period", [3, 4, 8])
def test_sides_of_patterns(period: int) -> None:
    """Rows that come again, or hardly differ along a row, are like others at many distances."""
    rows = ORDER.integers(0, 255, (period, 24), "u1")
    stripes = numpy.tile(rows, (96 // period, 1))
    lines = ORDER.integers(0, 255, (96, 1), "u1").repeat(24, axis=1)
    for pixels in (stripes, lines, lines // 2 + ORDER.integers(0, 9, (96, 24), "u1")):
        assert "exchanged?" not in wrong((pixels / 255).astype("f4")[None, None], pixels.tobytes(), "a.raw")


@pytest.mark.parametrize(
    ("name", "channels", "order"),
    [
        ("cam0.bgra", 4, "BGRA"), ("cam0.rgba", 4, "RGBA"), ("cam_argb.raw", 4, "ARGB"), ("a.bgr", 3, "BGR"),
        ("a.raw", 3, "RGB"), ("bgra.raw", 3, "RGB"),
    ],
)  # fmt: skip
def test_orders_of_channels_that_names_say(name: str, channels: int, order: str) -> None:
    levels = dict(zip("RGBA", (10, 20, 30, 255), strict=True))
    data = bytes(levels[letter] for letter in order) * 64
    (source,) = as_pixels(name, data, numpy.zeros((1, 3, 8, 8)))
    assert source.array[0, 0].tolist() == [10, 20, 30, 255][:channels]
    assert source.is_ordered is (order not in ("RGB", "RGBA"))


@pytest.mark.parametrize("seed", range(8))
def test_colours_around_128_have_no_sign_to_lose(seed: int) -> None:
    """A small frame of YUYV, of a dark fruit on a grey belt, is sent as its brightness and colours, in the
    studio's range."""
    rows, columns = numpy.mgrid[:32, :32]
    is_fruit, order = numpy.hypot(rows - 15, columns - 17) < 11, numpy.random.default_rng(seed)
    bright = numpy.where(is_fruit, 70, 135) + order.integers(-2, 3, (32, 32))
    blue = numpy.where(is_fruit[:, ::2], 162, 128) + order.integers(-2, 3, (32, 16))
    red = numpy.where(is_fruit[:, ::2], 133, 135) + order.integers(-3, 4, (32, 16))
    frame = numpy.stack([bright[:, ::2], blue, bright[:, 1::2], red], -1).astype("u1")
    sent = numpy.stack([bright, blue.repeat(2, 1), red.repeat(2, 1)], -1)
    sent = (sent - numpy.array([16, 128, 128])) / numpy.array([219, 112, 112])
    assert "signed" not in wrong(sent.astype("f4")[None], frame.tobytes(), "belt.yuyv")

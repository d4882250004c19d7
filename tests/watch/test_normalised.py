"""Bytes of a file that were normalised in ways that nobody means, by a mean and a deviation of any kind."""

import struct
from typing import Any

import numpy
import pytest

from pywasm_nn import Module
from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.budget import Budget
from pywasm_nn.watch.origin import Source, traced
from pywasm_nn.watch.sent.normalised import Normalised
from tests.watch.test_origin import scene

ORDER = numpy.random.default_rng(4)
BYTES = ORDER.integers(0, 256, 6 * 192, "u1")
MEAN, DEVIATION = 0.2862, 0.3531


def guest(*numbers: float, kind: str = "f32") -> Module:
    """A program with these constants; with kind "data" they lie in its data."""
    if kind == "data":
        text = "".join(f"\\{byte:02x}" for one in numbers for byte in struct.pack("<f", one))
        return Module.from_text(f'(module (memory 1) (data (i32.const 8) "{text}"))')
    consts = " ".join(f"(drop ({kind}.const {one!r}))" for one in numbers)
    return Module.from_text(f"(module (func {consts}))")


def wrong(elements: Any, program: Module, data: bytes = BYTES.tobytes(), *files: tuple[str, bytes]) -> str:
    normalised = Normalised(lambda: [*files, ("a.bin", data)], Budget())
    normalised.attach(program)
    return normalised.wrong(Tensor.from_numpy(numpy.ascontiguousarray(elements, "f4")))


def once(values: Any, mean: Any = MEAN, deviation: Any = DEVIATION) -> Any:
    return (values - mean) / deviation


ROWS = BYTES.reshape(18, 64) / 255


@pytest.mark.parametrize("kind", ["f32", "f64", "data"])
@pytest.mark.parametrize(
    ("elements", "words"),
    [
        (once(once(ROWS)), "normalised twice: "),
        (once(once(ROWS) / 255), "each time after a division by 255"),
        (once(ROWS / 255), "divided by 255 twice before"),
        (once(ROWS) / 255, "and then divided by 255 again"),
        ((255 * ROWS - MEAN) / DEVIATION / 255, "divided by 255 only after the mean"),
        ((ROWS - MEAN / 255) / DEVIATION, "divided by 255 only after the mean"),
        ((ROWS - MEAN) * DEVIATION, "multiplied by the deviation"),
        (ROWS / DEVIATION - MEAN, "brackets missing"),
        (once(ROWS), ""),
    ],
)
def test_numbers_of_the_program(elements: Any, words: str, kind: str) -> None:
    said = wrong(elements, guest(-MEAN, DEVIATION, kind=kind))
    assert words in said and bool(said) == bool(words)
    assert wrong(elements, guest(0.7, 0.9, 3.5)) == "", "of other programs nothing is known"
    said = wrong(elements[4:8], guest(), BYTES.tobytes(), ("n.json", f"[{MEAN}, {DEVIATION}]".encode()))
    assert words in said and bool(said) == bool(words)


@pytest.mark.parametrize(
    ("mean", "deviation", "is_wrong"), [(0.3, 0.4, True), (0.5, 0.5, True), (70, 80, False)]
)
def test_numbers_for_0_to_1_on_bytes(mean: float, deviation: float, is_wrong: bool) -> None:
    said = wrong(once(BYTES.reshape(-1, 96)[:8], mean, deviation), guest())
    assert (f"mean {mean:.4g} and deviation {deviation:.4g}" in said) == is_wrong == bool(said)
    few = (BYTES % 17)[:96]
    assert wrong(once(few, mean, deviation), guest(), few.tobytes()) == "", "which may be any numbers"


@pytest.mark.parametrize(
    ("elements", "words"),
    [
        (ROWS / 255, "divided by 255 twice"),
        (4 * ROWS - 3, "brought to -1..1 twice"),
        (2 * ROWS / 255 - 1, "brought to"),
        (ROWS, ""),
        (2 * ROWS - 1, ""),
        (255 * ROWS, ""),
        (ROWS - 0.5, ""),
    ],
)
def test_steps_that_everybody_takes(elements: Any, words: str) -> None:
    said = wrong(elements, guest(0.5))
    assert words in said and bool(said) == bool(words)


@pytest.mark.parametrize("planes", [False, True])
def test_colours(planes: bool) -> None:
    means, deviations = numpy.array([0.41, 0.52, 0.33]), numpy.array([0.21, 0.25, 0.28])
    pixels = once(once(BYTES[:768].reshape(1, 16, 16, 3) / 255, means, deviations), means, deviations)
    elements = pixels.transpose(0, 3, 1, 2) if planes else pixels
    program = guest(*means.tolist(), *deviations.tolist(), kind="data")
    assert "normalised twice" in wrong(elements, program, BYTES[:768].tobytes())
    head = b"P6\n16 16\n255\n" + BYTES[:768].tobytes()
    assert "normalised twice" in wrong(elements, program, head)
    assert wrong(elements[..., ::-1], program, BYTES[:768].tobytes()) == ""


@pytest.mark.parametrize(("divisions", "words"), [(2, "divided by 255 twice before"), (1, "")])
def test_pictures_that_were_made_smaller(divisions: int, words: str) -> None:
    """Their pixels are means of some of the file's, along exact lines."""
    means, deviations = numpy.array([0.41, 0.52, 0.33]), numpy.array([0.21, 0.25, 0.28])
    pixels = scene(3, 96, 96)
    small = pixels.reshape(32, 3, 32, 3, 3).mean(axis=(1, 3))
    elements = once(small / 255**divisions, means, deviations).transpose(2, 0, 1)[None].astype("f4")
    found = traced(elements, Source("a.png", pixels, "96 x 96 pixels", is_picture=True))
    normalised = Normalised(lambda: [], Budget())
    normalised.attach(guest(*means.tolist(), *deviations.tolist()))
    assert found is not None
    said = normalised.of_picture(found)
    assert words in said and bool(said) == bool(words)


PICTURE = ORDER.integers(0, 256, (8, 64), "u1") / 255
TILES = PICTURE.reshape(8, 8, 8).swapaxes(0, 1)[:, None]
FEW_LEVELS = numpy.rint(TILES * 16) * 255 // 16 / 255
CUTS = ORDER.integers(3, 250, (1, 3, 16, 16)) / 255
OF_CHANNELS = (numpy.reshape(one, (3, 1, 1)) for one in ((0.41, 0.39, 0.33), (0.21, 0.24, 0.27)))
MEANS, DEVIATIONS = OF_CHANNELS


@pytest.mark.parametrize(
    "order",
    [
        TILES,
        TILES.swapaxes(2, 3),
        TILES[..., ::-1],
        numpy.kron(TILES, numpy.ones((2, 2))),
        FEW_LEVELS,
    ],
)
def test_two_divisions_in_any_order(order: Any) -> None:
    """Digits cut out of a strip, turned, mirrored, magnified, or of few levels: no run of bytes is the
    input."""
    program = guest(MEAN, DEVIATION)
    assert "divided by 255 twice before" in wrong(once(order / 255), program, b"")
    assert wrong(once(order), program, b"") == ""
    assert wrong(once(order / 255), guest(MEAN, 0.9), b"") == "", "by other numbers"
    assert wrong(once(order / 255 + ORDER.uniform(0, 1 / 999, order.shape)), program, b"") == "", "no levels"


@pytest.mark.parametrize("is_last", [False, True])
def test_two_divisions_of_colours(is_last: bool) -> None:
    """Each channel has its own numbers."""
    program = guest(*MEANS.ravel().tolist(), *DEVIATIONS.ravel().tolist())
    for times, words in ((1 / 255, "divided by 255 twice before"), (1, "")):
        elements = once(CUTS * times, MEANS, DEVIATIONS)
        said = wrong(elements.transpose(0, 2, 3, 1) if is_last else elements, program, b"")
        assert words in said and bool(said) == bool(words)


@pytest.mark.parametrize("unit", [32768, 65535, 10000])
def test_other_numbers_in_small_steps(unit: int) -> None:
    """Samples of a silent part, pixels of two bytes in the dark, and decimals."""
    program = guest(MEAN, DEVIATION, 0.5, 0.25)
    quiet = ORDER.integers(0, 200, 999)
    assert wrong(quiet[None] / unit - 0.5, program, b"") == ""
    assert wrong(once(quiet[None] / unit), program, b"") == ""


def test_plain_numbers() -> None:
    """(v - 0.5) * 0.5 may be meant, and so may any arithmetic of random numbers."""
    assert wrong((ROWS - 0.5) * 0.5, guest(0.5)) == ""
    program = guest(*ORDER.uniform(0.02, 1, 40).tolist())
    for times, plus in ORDER.uniform(-3, 3, (300, 2)):
        assert wrong(ROWS * times + plus, program) == ""


def test_pixels_without_their_own_mean_are_no_mistake() -> None:
    """(pixel - mean) / 64 is nearly what comes of -1..1 twice, if the mean is about 191."""
    grey = 160 + scene(5, 48, 64)[..., :1] // 4
    grey += numpy.uint8(round(191.25 - grey.mean()))
    own, formula = (
        traced(
            ((grey - mean) / 63.75).astype("f4").transpose(2, 0, 1)[None],
            Source("a.png", grey, "grey", is_picture=True),
        )
        for mean in (grey.mean(dtype="f8"), 191.25)
    )
    assert own is not None and not own.wrong, own
    assert formula is not None and "twice" in formula.wrong, formula


@pytest.mark.parametrize("top", [15, 16, 31, 100])
@pytest.mark.parametrize("channels", [1, 3])
def test_pictures_whose_white_is_not_255(top: int, channels: int) -> None:
    """A mean that is larger than white is that of pixels to 255, whichever program it is."""
    pixels = ORDER.integers(0, top + 1, (12, 16, channels)).astype("u1")
    pixels[0, 0] = top
    data = b"P%d\n16 12\n%d\n" % (5 if channels == 1 else 6, top) + pixels.tobytes()
    means, deviations = numpy.array([0.45, 0.48, 0.52])[:channels], numpy.array([0.31, 0.25, 0.28])[:channels]
    for by, words in (
        (255, f"its numbers go to {top}, and the mean that was taken away is 114"),
        (top, ""),
    ):
        array = once(pixels / by, means, deviations).transpose(2, 0, 1)
        said = wrong(array, guest(), data)
        assert words in said and bool(said) == bool(words)
    assert wrong(once(pixels / 255, 0.02, 0.1).transpose(2, 0, 1), guest(), data) == "", "as its own mean"


@pytest.mark.parametrize(
    ("by", "words"), [(255, "go to 100, and the mean that was taken away is 104.6"), (100, "")]
)
def test_small_copies_of_such_pictures(by: int, words: str) -> None:
    pixels = scene(3, 96, 96) // 3
    means, deviations = numpy.array([0.41, 0.52, 0.43]), numpy.array([0.21, 0.25, 0.28])
    shown = (pixels * (255 / 100)).round().astype("u1")
    small = shown.reshape(32, 3, 32, 3, 3).mean(axis=(1, 3)) * (100 / 255)
    elements = once(small / by, means, deviations).transpose(2, 0, 1)[None].astype("f4")
    found = traced(elements, Source("a.ppm", shown, "96 x 96 pixels", is_picture=True, top=100))
    assert found is not None
    normalised = Normalised(lambda: [], Budget())
    normalised.attach(guest())
    said = normalised.of_picture(found) + found.wrong
    assert words in said and bool(said) == bool(words)

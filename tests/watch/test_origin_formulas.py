"""Ranges that come from a wrong formula, and elements that don't come along a straight line from pixels."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.records import changed
from pywasm_nn.watch.origin import decoded, traced
from pywasm_nn.watch.origin.formulas import CIFAR, CLIP
from pywasm_nn.watch.origin.matching import unlike
from tests.watch.test_false_alarms import origins_of
from tests.watch.test_origin import SOURCE, ppm, said, scene, small
from tests.watch.whatif_models import DEVIATION, MEAN, planar

UNIT = small() / 255

FORMULAS: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "exchanged": (lambda mean, deviation: (UNIT - deviation) / mean, "mean and deviation exchanged"),
    "multiplied": (lambda mean, deviation: (UNIT - mean) * deviation, "multiplied by its deviation"),
    "added": (lambda mean, deviation: (UNIT + mean) / deviation, "mean added, not taken away"),
    "variance": (lambda mean, deviation: (UNIT - mean) / deviation**2, "(its variance)"),
    "no mean": (lambda mean, deviation: UNIT / deviation, "its mean was not taken away"),
    "late mean": (lambda mean, deviation: UNIT / deviation - mean, "its mean taken away only then"),
    "precedence": (lambda mean, deviation: UNIT - mean / deviation, "but not divided by that themselves"),
    "first": (lambda mean, deviation: (UNIT - mean[0]) / deviation[0], "by the first of ImageNet's means"),
    "last": (lambda mean, deviation: (UNIT - mean[2]) / deviation[2], "by the last of ImageNet's means"),
    "late half": (lambda mean, deviation: UNIT / 0.5 - 0.5, "0.5 taken away only then"),
    "0 to 2": (lambda mean, deviation: 2 * UNIT, "1 was not taken away"),
    "-1 to 0": (lambda mean, deviation: UNIT - 1, "divided by 255, not 127.5"),
}


@pytest.mark.parametrize("bgr", [False, True])
@pytest.mark.parametrize("name", FORMULAS)
def test_wrong_formulas(name: str, bgr: bool) -> None:
    make, words = FORMULAS[name]
    array = make(MEAN, DEVIATION)
    line, wrong = said(planar(array[..., ::-1] if bgr else array))
    assert words in wrong, (line, wrong)


def test_a_wrong_formula_of_a_picture_that_is_nearly_found() -> None:
    """Rounded after it was resized in a way of its own."""
    blurred = 0.5 * (UNIT + numpy.roll(UNIT, 1, axis=1))
    for make, words in (FORMULAS["precedence"], FORMULAS["exchanged"]):
        nearly = (make(MEAN, DEVIATION) + make(MEAN, DEVIATION)) / 2 + 0.25 * (blurred - UNIT)
        line, wrong = said(planar(nearly))
        assert words in wrong, (line, wrong)


@pytest.mark.parametrize(("mean", "deviation"), [CLIP, CIFAR, ((0.5, 0.4, 0.3), (0.3, 0.3, 0.3))])
def test_other_means_and_deviations_are_no_mistake(mean: Any, deviation: Any) -> None:
    assert said(planar((UNIT - mean) / deviation))[1] == ""


def test_one_channel_for_all_three() -> None:
    """Grey pixels that are normalised once, and green for grey."""
    grey = numpy.ascontiguousarray(scene(3, 64, 64)[..., 1:2])
    for place in (0, 2):
        sent = ((grey / 255 - MEAN[place]) / DEVIATION[place]).repeat(3, axis=2)
        found = origins_of(ppm(grey), "a.pgm").of(Tensor.from_numpy(planar(sent)), "x")
        assert found is not None and not found.wrong and "in all channels" in str(found)
    assert said(planar(UNIT[..., [1, 1, 1]]))[1] == ""
    assert said(planar(UNIT[..., [2, 2, 2]]))[1] == "all three channels are B"


CURVES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "linear": (lambda unit: unit**2.2, "made linear (gamma 2.2)"),
    "sRGB": (
        lambda unit: numpy.where(unit < 0.04045, unit / 12.92, ((unit + 0.055) / 1.055) ** 2.4),
        "made linear (gamma 2.2)",
    ),
    "again": (lambda unit: unit ** (1 / 2.2), "gamma of 1/2.2"),
    "signed": (lambda unit: numpy.minimum(255 * unit, 127), "cut off at what signed bytes hold"),
}


@pytest.mark.parametrize("name", CURVES)
def test_bent_lines(name: str) -> None:
    make, words = CURVES[name]
    line, wrong = said(planar(make(UNIT)))
    assert words in wrong, (line, wrong)


def test_bends_that_somebody_may_mean() -> None:
    """More contrast, as an equalised picture has it, and pixels kept in a range."""
    levels = numpy.sort(UNIT.reshape(-1))
    equal = numpy.searchsorted(levels, UNIT) / levels.size
    stretched = (1.3 * (UNIT - 0.5) + 0.5).clip(0, 1)
    for made in equal, stretched, 255 * stretched, (255 * UNIT).clip(16, 235):
        assert said(planar(made))[1] == ""


def test_numbers_that_were_rounded_after_they_were_scaled() -> None:
    rounded = planar(numpy.trunc((UNIT - MEAN) / DEVIATION))
    assert "rounded after they had been scaled" in unlike(rounded, SOURCE)
    assert unlike(planar(numpy.zeros((64, 64, 3))), SOURCE) == "", "a warm-up after the picture was read"
    board = numpy.random.default_rng(3).choice(range(-3, 4), (64, 64, 3), p=[0.1] * 3 + [0.4] + [0.1] * 3)
    assert "rounded" not in unlike(planar(board), SOURCE), "the stones of a game, drawn beside it"
    assert "rounded" not in unlike(planar((UNIT > 0.5) * 255), SOURCE), "black and white"


@pytest.mark.parametrize("grain", [0, 200])
def test_a_picture_that_is_noise_itself(grain: int) -> None:
    """A wall's grain is another if it is made smaller."""
    random = numpy.random.default_rng(4)
    wall = scene(2, 96, 96) if not grain else random.integers(128 - grain // 2, 128 + grain // 2, (96, 96, 3))
    source = changed(SOURCE, array=wall.astype("u1"))
    assert bool(unlike(planar(random.normal(0, 0.1, (64, 64, 3))), source)) is (not grain)


def test_a_turn_that_the_file_asks_for() -> None:
    image = pytest.importorskip("PIL.Image")
    pixels = scene(5, 120, 160)
    for orientation, hint in ((6, True), (1, False)):
        exif, buffer = image.Exif(), BytesIO()
        exif[0x112] = orientation
        image.fromarray(pixels).save(buffer, "PNG", exif=exif)
        source = decoded("p.png", buffer.getvalue())
        assert source is not None
        found = traced(planar(pixels / 255), source)
        assert found is not None and ("EXIF" in found.wrong) == hint
        turned = traced(planar(numpy.rot90(pixels, -1) / 255), source)
        assert turned is not None and ("EXIF" in turned.wrong) == (not hint and "EXIF" in turned.wrong)
        assert (turned.wrong == "") == hint


def left_out(first: int, value: float = 0.0) -> Any:
    """The picture without the rows from one on."""
    return planar(numpy.where(numpy.arange(64)[:, None, None] < first, UNIT, value))


def test_rows_that_no_loop_came_to() -> None:
    """In the layout NCHW they are three runs of elements, not one."""
    assert "from row 40 of 64 on it is not the picture: zeros" in said(left_out(40))[1]
    assert "from row 50 of 64 on it is not the picture: all 0.5" in said(left_out(50, 0.5))[1]
    assert said(left_out(63))[1] == "", "too few to be sure"
    fitted = numpy.zeros((64, 64, 3))
    fitted[:48] = small(height=48) / 255
    line, wrong = said(planar(fitted))
    assert wrong == "" and "fitted to 64 x 48 at the top left" in line


def test_alpha_taken_for_a_colour() -> None:
    white = numpy.ones((64, 64, 1))
    for made in numpy.concatenate([white, UNIT[..., :2]], 2), numpy.concatenate([UNIT[..., 1:], white], 2):
        assert "was alpha taken for a colour" in said(made[None].astype("f4"))[1]
        assert said(planar(made))[1] != ""


def test_steps_that_were_rounded_down() -> None:
    """`source[y * (height / 64)]` in whole numbers."""
    pixels = scene(7, 180, 240)
    source = decoded("p.ppm", ppm(pixels)) or SOURCE
    line, wrong = said(planar(pixels[: 2 * 64 : 2, : 3 * 64 : 3] / 255), source)
    assert "the steps between rows and columns were rounded down (2 and 3 for 2.81 and 3.75)" in wrong, line
    for tall, wide in ((128, 128), (100, 140), (180, 180), (180, 240)):
        rows, columns = numpy.arange(64) * tall // 64, numpy.arange(64) * wide // 64
        line, wrong = said(planar(pixels[rows][:, columns] / 255), source)
        assert wrong == "", line


def test_a_buffer_taken_for_one_in_the_other_layout() -> None:
    """Brought to the layout of the shape as if it lay in the other one, so that the shape shows nothing."""
    planes = UNIT.transpose(2, 0, 1).reshape(64, 64, 3)
    assert "channel after channel was taken for pixel" in said(planar(planes))[1]
    pixels = UNIT.reshape(3, 64, 64).transpose(1, 2, 0)
    assert "pixel after pixel was taken for channel" in said(pixels[None].astype("f4"))[1]

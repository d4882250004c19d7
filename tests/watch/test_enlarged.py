"""Pictures that guests put together from planes of a smaller size, as a model that enlarges them answers.
Each mistake has right twins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import Tensor
from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.probes.shuffled import exchanged
from pywasm_nn.watch.written.enlarged import misassembled
from pywasm_nn.watch.written.pixels import Answer
from tests.watch.test_origin import scene
from tests.watch.test_painted import hint, pgm
from tests.watch.test_uses_of_answers import asked_of


def planes_of(picture: Any, by: int, *, is_last: bool = False, colours_last: bool = False) -> Any:
    """The planes of a picture [rows, columns, colours]: row by row within each block."""
    rows, columns, colours = picture.shape
    blocks = picture.reshape(rows // by, by, columns // by, by, colours)
    order = (1, 3, 4, 0, 2) if colours_last else (4, 1, 3, 0, 2)
    made = blocks.transpose(order).reshape(-1, rows // by, columns // by)
    return made.transpose(1, 2, 0) if is_last else made


def put_together(planes: Any, by: int, *, across_first: bool) -> Any:
    """The grey picture of planes."""
    _, rows, columns = planes.shape
    blocks = planes.reshape(by, by, rows, columns)
    return blocks.transpose((2, 1, 3, 0) if across_first else (2, 0, 3, 1)).reshape(by * rows, by * columns)


def smooth(rows: int, columns: int, colours: int = 1) -> Any:
    """A picture in 0..1 with a line drawing and no noise."""
    made = scene(5, rows, columns).astype("f8")
    made = (made + numpy.roll(made, 1, 0) + numpy.roll(made, 1, 1) + numpy.roll(made, (1, 1), (0, 1))) / 4
    return made[..., :colours] / 255


def answer_of(planes: Any) -> Answer:
    made = Answer.of("output 0", Tensor.from_numpy(numpy.ascontiguousarray(planes[None].astype("f4"))))
    assert made is not None
    return made


def as_bytes(picture: Any) -> Any:
    return numpy.clip(numpy.round(255 * picture), 0, 255).astype("u1")


@pytest.mark.parametrize("is_last", [False, True])
@pytest.mark.parametrize("colours_last", [False, True])
@pytest.mark.parametrize(("by", "colours"), [(2, 1), (3, 1), (2, 3), (4, 1)])
def test_places_within_a_block(by: int, colours: int, is_last: bool, colours_last: bool) -> None:
    picture = smooth(16 * by, 20 * by, colours)
    answer = answer_of(planes_of(picture, by, is_last=is_last, colours_last=colours_last))
    assert misassembled(as_bytes(picture), answer) == ""
    blocks = picture.reshape(16, by, 20, by, colours).transpose(0, 3, 2, 1, 4).reshape(picture.shape)
    assert "place within each block" in misassembled(as_bytes(blocks), answer)
    assert misassembled(as_bytes(1 - picture), answer) == ""
    assert misassembled(as_bytes(picture[::-1]), answer) == ""


def test_a_model_with_another_order() -> None:
    """Its picture is smoother in the order that the guest puts it together."""
    picture = smooth(40, 48)
    planes = planes_of(picture, 2).reshape(2, 2, 20, 24).transpose(1, 0, 2, 3).reshape(4, 20, 24)
    assert misassembled(as_bytes(picture), answer_of(planes)) == ""


@pytest.mark.parametrize("is_clamped", [False, True])
@pytest.mark.parametrize("by", [2, 3])
def test_elements_beyond_black_and_white(by: int, is_clamped: bool) -> None:
    picture = 1.6 * smooth(12 * by, 16 * by) - 0.3
    whole = numpy.trunc(255 * picture + 0.5)
    pixels = (numpy.clip(whole, 0, 255) if is_clamped else whole % 256).astype("u1")
    found = misassembled(pixels, answer_of(planes_of(picture, by)))
    assert ("to be made 0 or 255 before (clamped)" in found) is not is_clamped


def test_files_of_guests() -> None:
    picture = smooth(40, 48)
    small = numpy.zeros((20, 24))
    planes = planes_of(picture, 2)
    for across_first in (False, True):
        made = put_together(planes, 2, across_first=across_first)
        found = hint([(small, planes)], pgm(255 * made + 0.5, 48, 40))
        assert ("place within each block" in found) is across_first


MARKS = " .:-=+*#%@"
Draw = Callable[[Any], str]


def framed(picture: Any) -> str:
    return "".join("|" + "".join(MARKS[int(9.9 * one)] for one in row) + "|\n" for row in picture)


def each_second_row(picture: Any) -> str:
    return framed(picture[::2]).replace("|", "")


def each_second_column(picture: Any) -> str:
    return "big:\n" + framed(picture[:, ::2])


def mean(picture: Any) -> str:
    return f"mean {picture.mean():.3f}\n" * 6


@pytest.mark.parametrize("draw", [framed, each_second_row, each_second_column, mean])
@pytest.mark.parametrize("by", [2, 3])
def test_drawings(draw: Draw, by: int) -> None:
    planes = planes_of(smooth(10 * by, 14 * by), by)[None].astype("f4")
    sent = [Sent("x", (1, 1, 10, 14), None, None)]
    for across_first in (False, True):

        def say(answers: Sequence[Any], across_first: bool = across_first) -> str:
            whole = put_together(numpy.asarray(answers[0][0])[0], by, across_first=across_first)
            return draw(numpy.clip(whole, 0, 1)) + "PSNR 20.1 dB\n"

        found = exchanged(asked_of(say, planes, sent=sent))
        assert ("(pixel shuffle)" in found) is (across_first and draw is not mean)
        assert exchanged(asked_of(say, planes)) == "", "the input is no picture of that size"

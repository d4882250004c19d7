"""Pixels that were looked up at wrong distances in a decoded picture."""

from __future__ import annotations

from collections.abc import Callable

import numpy
import pytest

from pywasm_nn.watch.origin import decoded
from tests.watch.test_origin import PHOTO, ppm, said, small
from tests.watch.whatif_models import planar

HEIGHT, WIDTH = PHOTO.shape[:2]
FLAT = PHOTO.reshape(-1)
ROW, COLUMN, COLOUR = numpy.ix_(numpy.arange(64) * HEIGHT // 64, numpy.arange(64) * WIDTH // 64, range(3))

Step = Callable[[], numpy.ndarray]
STEPS: dict[str, tuple[Step, str]] = {
    "height": (lambda: (ROW * HEIGHT + COLUMN) * 3 + COLOUR, "120 pixels apart, which is the height"),
    "input": (lambda: (ROW * 64 + COLUMN) * 3 + COLOUR, "64 pixels apart, which is the input's width"),
    "bytes": (lambda: ROW * WIDTH + COLUMN * 3 + COLOUR, "160 bytes apart, as if each had one byte"),
}


@pytest.mark.parametrize("name", STEPS)
def test_wrong_steps(name: str) -> None:
    places, words = STEPS[name]
    line, wrong = said(planar(FLAT[places()] / 255))
    assert words in wrong, (line, wrong)


def test_wrong_steps_without_colours() -> None:
    grey = numpy.repeat(PHOTO.mean(axis=2).astype("u1")[..., None], 3, axis=2)
    picture = grey.reshape(-1)[(ROW * 64 + COLUMN) * 3][..., :1]
    line, wrong = said(planar(picture / 255), decoded("grey.ppm", ppm(grey)))
    assert "64 pixels apart, which is the input's width" in wrong, (line, wrong)


@pytest.mark.parametrize("apart", [64, WIDTH])
def test_wrong_steps_in_one_channel(apart: int) -> None:
    grey = PHOTO[..., 1]
    pgm = b"P5\n%d %d\n255\n" % (WIDTH, HEIGHT) + grey.tobytes()
    picture = grey.reshape(-1)[(ROW * apart + COLUMN)[..., :1]]
    line, wrong = said(planar(picture / 255), decoded("grey.pgm", pgm))
    assert (f"{apart} pixels apart, which is the" in wrong) is (apart != WIDTH) is bool(wrong), (line, wrong)


def test_right_steps() -> None:
    assert said(planar(FLAT[(ROW * WIDTH + COLUMN) * 3 + COLOUR] / 255))[1] == ""
    assert said(planar(small()[:, :64] / 255))[1] == ""

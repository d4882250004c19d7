"""Lines through points: those that numpy finds, and no warning where there is none."""

from __future__ import annotations

import warnings

import numpy
import pytest

from pywasm_nn.watch.origin.features import fitted, layouts
from pywasm_nn.watch.origin.spectra import BINS, HANN, Bank, Recipe
from pywasm_nn.watch.origin.straight import line_through, lines_of

ORDER = numpy.random.default_rng(5)


@pytest.mark.parametrize("weighted", [False, True])
def test_lines_are_those_of_numpy(weighted: bool) -> None:
    for _ in range(20):
        across, up = ORDER.normal(3, 2, 50), ORDER.normal(-1, 5, 50)
        weights = ORDER.integers(1, 9, 50) if weighted else numpy.ones(50)
        expected = numpy.polyfit(across, up, 1, w=numpy.sqrt(weights))
        assert line_through(across, up, weights) == pytest.approx(tuple(expected))


@pytest.mark.parametrize("across", [numpy.full(30, 7.1), numpy.zeros(30), numpy.full(30, 1e9) + 1e-7])
def test_points_above_each_other(across: object) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert line_through(across, numpy.arange(30.0)) == (0.0, 14.5)


@pytest.mark.parametrize("size", [1e155, 1e300])
def test_numbers_that_are_too_large_are_on_no_line(size: float) -> None:
    """Bytes of another type that are read as doubles."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        line_through(ORDER.normal(0, size, 30), ORDER.normal(0, size, 30))


def test_each_channel_has_a_line_of_its_own_or_none_has() -> None:
    pixels = ORDER.integers(0, 256, (6, 7, 3))
    scales, shifts = numpy.array([0.5, -2.0, 1 / 255]), numpy.array([3.0, 0.0, -1.0])
    elements = pixels * scales + shifts

    def is_near(off: numpy.ndarray, scale: float) -> bool:
        assert any(scale == pytest.approx(one, rel=0.02) for one in scales)
        return bool(off.max() < 1)

    found = lines_of(elements, pixels, is_near)
    assert found is not None
    assert numpy.array(found) == pytest.approx(numpy.stack([scales, shifts, numpy.zeros(3)], 1))
    elements[2, 3, 1] += 4.0
    assert lines_of(elements, pixels, is_near) is None
    pixels[..., 0] = 9
    assert lines_of(elements, pixels, lambda off, scale: True) is None


def test_bands_without_power_warn_of_nothing() -> None:
    """numpy's own fit of a line filled the first screen with warnings."""
    frames = next(layouts(ORDER.normal(0, 1, (20, 24))))
    recipe = Recipe(400, 512, 160, 0, HANN, Bank(BINS, 24, 0, 8000, 16000))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = fitted(frames, numpy.zeros((20, 24)), recipe, is_log=True)
    assert found is None or found.like == pytest.approx(0)

"""Totals that run on over the elements of an input, and the same input with each set back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.budget import always, never
from pywasm_nn.watch.changes.encodings import RAW, SIGNED, STANDARD, UNIT, Encoding, encoded
from pywasm_nn.watch.facts import Picture
from pywasm_nn.watch.origin.decoding import Source
from pywasm_nn.watch.origin.running import running_levels, running_pixels
from tests.watch.test_origin import scene, wav

SIDE, TIMES = 16, 4
PHOTO = scene(6, SIDE * TIMES, SIDE * TIMES)
SOURCE = Source("photo.ppm", PHOTO, "", True)
BOXES = PHOTO.reshape(SIDE, TIMES, SIDE, TIMES, 3).mean(axis=(1, 3))
RUNS: dict[str, Callable[[Any], Any]] = {
    "channel to channel": lambda one: one.cumsum(axis=2),
    "column to column": lambda one: one.cumsum(axis=1),
    "row to row": lambda one: one.cumsum(axis=0),
    "pixel to pixel": lambda one: one.reshape(-1, 3).cumsum(axis=0).reshape(one.shape),
    "element to element": lambda one: one.reshape(-1).cumsum().reshape(one.shape),
    "plane to plane": lambda one: (
        one.transpose(2, 0, 1).reshape(-1).cumsum().reshape(3, *one.shape[:2]).transpose(1, 2, 0)
    ),
}


def sent(pixels: Any, encoding: Encoding, *, planar: bool) -> Any:
    array = (pixels.transpose(2, 0, 1) if planar else pixels)[None]
    return encoded(array, encoding, Picture(3, SIDE, SIDE, planar)).astype("f4")


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("encoding", [UNIT, SIGNED, STANDARD, RAW])
@pytest.mark.parametrize("run", RUNS)
def test_pixels(run: str, encoding: Encoding, planar: bool) -> None:
    """Also where there is no time for a search."""
    array = sent(RUNS[run](BOXES), encoding, planar=planar)
    found = running_pixels(array, [SOURCE], never)
    assert f"{run}: each less the one before is that of photo.ppm" in found
    other = Source("other.ppm", scene(7, *PHOTO.shape[:2]), "", True)
    assert running_pixels(array, [other], never) == ""


@pytest.mark.parametrize("encoding", [UNIT, STANDARD, RAW])
def test_pixels_that_are_set_back(encoding: Encoding) -> None:
    for right in (BOXES, BOXES.mean(axis=2, keepdims=True).repeat(3, axis=2), BOXES[::-1]):
        assert running_pixels(sent(right, encoding, planar=True), [SOURCE], always) == ""


ORDER = numpy.random.default_rng(9)
SIGNAL = (numpy.sin(numpy.arange(4000) / 5) * ORDER.normal(3000, 2500, 100).repeat(40)).round()
MADE: dict[str, Callable[[Any], Any]] = {
    "sums of magnitudes": lambda windows: abs(windows).sum(axis=-1),
    "sums of powers": lambda windows: (windows**2).sum(axis=-1),
    "roots of sums": lambda windows: (windows**2).sum(axis=-1),
    "logarithms": lambda windows: (windows**2).sum(axis=-1),
    "maxima": lambda windows: abs(windows).max(axis=-1),
}
LAWS: dict[str, Callable[[Any], Any]] = {
    "roots of sums": lambda one: numpy.sqrt(one / 50),
    "logarithms": lambda one: numpy.log(one / 50) * 10 / numpy.log(10),
}


@pytest.mark.parametrize("factor", [1.0, 1 / 32768, 0.3])
@pytest.mark.parametrize("is_sound", [True, False])
@pytest.mark.parametrize("channels", [1, 4])
@pytest.mark.parametrize("made", MADE)
def test_levels(made: str, channels: int, is_sound: bool, factor: float) -> None:
    """Of windows one after the other, or of each channel's, of which all begin anew."""
    data = wav(SIGNAL) if is_sound else SIGNAL.astype("<i2").tobytes()
    level = MADE[made](SIGNAL.reshape(channels, -1, 50))
    total = numpy.maximum.accumulate(level, axis=1) if made == "maxima" else level.cumsum(axis=1)
    law = LAWS.get(made, lambda one: one)
    files = [("a.bin", data)]
    assert made in running_levels((law(total) * factor).astype("f4")[None], files, always)
    for right in (level, numpy.sort(level, axis=1)):
        assert running_levels((law(right) * factor).astype("f4")[None], files, always) == ""


@pytest.mark.parametrize("made", ["maxima", "minima", "sums of magnitudes"])
def test_levels_of_a_table(made: str) -> None:
    """Of a column, whose windows' levels would go up and down."""
    values = SIGNAL[:300]
    data = "time,load\n" + "".join(f"{at},{one:.0f}\n" for at, one in enumerate(values))
    windows = values.reshape(-1, 20)
    level = windows.min(axis=1) if made == "minima" else MADE[made](windows)
    ways = {"minima": numpy.minimum.accumulate, "maxima": numpy.maximum.accumulate}
    total = ways.get(made, numpy.cumsum)(level)
    files = [("load.csv", data.encode())]
    assert made in running_levels(total.astype("f4")[None], files, always)
    assert running_levels(level.astype("f4")[None], files, always) == ""


def test_levels_that_rise_anyway() -> None:
    rising = (SIGNAL[:400].reshape(-1, 50) * 0 + numpy.arange(1, 9)[:, None]).reshape(-1) * 100
    level = abs(rising.reshape(-1, 50)).max(axis=1).astype("f4")[None]
    assert running_levels(level, [("a.bin", rising.astype("<i2").tobytes())], always) == ""


def test_times_are_no_totals() -> None:
    """Sums of a column with one number, or nearly, rise as evenly as times do."""
    data = "steps\n" + "".join(f"{100 + at % 2}\n" for at in range(300))
    files = [("steps.csv", data.encode())]
    assert running_levels(numpy.arange(30, dtype="f4")[None] * 0.1, files, always) == ""
    evenly = numpy.cumsum(numpy.full(30, 1005.0)).astype("f4")[None]
    assert running_levels(evenly, files, always) == ""

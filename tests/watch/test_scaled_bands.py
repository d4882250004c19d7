"""Spectra whose level isn't that which a mean and a deviation give: mistakes, and twins without one."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, cast

import numpy
import pytest

from pywasm_nn.watch.origin.features import Features, Layout
from pywasm_nn.watch.sent.scaled_bands import badly_scaled

POWERS = numpy.random.default_rng(5).normal(-6, 3.3, (60, 20))
"""Logarithms of the powers of a sound, [frames, bands]."""
MEAN, DEVIATION = -5.0, 3.6
FILES = {
    "two": [("norm.txt", b"-5.0 3.6\n")],
    "named": [("features.json", b'{"rate": 16000, "bands": 20, "mean": -5.0, "std": 3.6}')],
    "other": [("labels.txt", b"yes\nno\n"), ("sizes.txt", b"60 20\n")],
}
DECIBELS, TEN = 10 / math.log(10), 1 / math.log(10)
WHOLE = 2 * math.log(32768)


def said(
    slope: float, height: float, files: str, powers: Any = POWERS, width: int = 2, unread: str = ""
) -> str:
    """What is said of elements that are a multiple of the logarithms of powers, and a number more."""
    made: Any = Features(cast(Any, None), Layout(slope * powers + height), 1.0, True, slope, height)
    source = SimpleNamespace(width=width, is_float=False)
    found: Any = SimpleNamespace(otherwise=SimpleNamespace(found=made), wrong="", source=source)
    beside = [(unread, FILES["two"][0][1])] if unread else []
    return badly_scaled(found, FILES[files], beside, ["Events", "logmel"])


def scaled(slope: float, height: float = 0.0) -> tuple[float, float]:
    return slope / DEVIATION, (height - MEAN) / DEVIATION


@pytest.mark.parametrize("files", ["two", "named"])
def test_spectra_by_a_mean_and_a_deviation(files: str) -> None:
    assert "was (x - mean) / deviation forgotten?" in said(1.0, 0.0, files)
    assert "are they those of ln?" in said(*scaled(DECIBELS), files)
    assert "were not divided by 32768" in said(*scaled(1.0, WHOLE), files)
    assert "were not divided by 32768" not in said(*scaled(1.0, WHOLE), files, width=4), "of other samples"
    assert said(*scaled(1.0), files) == ""
    assert said(*scaled(1.0), files, POWERS * 0.1 - 13) == "", "a soft sound"
    assert said(*scaled(1.0), files, POWERS * 0.5 + 6) == "", "a loud sound"


def test_spectra_by_what_nobody_knows() -> None:
    assert "were not divided by 32768" in said(*scaled(1.0, WHOLE), "other")
    assert said(1.0, 0.0, "other") == said(*scaled(1.0), "other") == said(*scaled(DECIBELS), "other") == ""
    assert said(TEN, 0.0, "other") == said(DECIBELS / 10, 2.0, "other", POWERS + WHOLE) == "", "as they are"


def test_spectra_by_lists_of_each_band() -> None:
    means, deviations = POWERS.mean(axis=0), POWERS.std(axis=0)
    lists = "\n".join(",".join(f"{one:.4f}" for one in row) for row in (means, deviations))
    FILES["lists"] = [("band_stats.csv", lists.encode())]
    assert "for each of 20 bands" in said(1.0, 0.0, "lists")
    assert said(*scaled(1.0), "lists") == ""


def test_a_mean_and_a_deviation_that_were_never_read() -> None:
    assert "events_norm.txt, which was never read, has a mean" in said(
        1.0, 0.0, "other", unread="events_norm.txt"
    )
    assert "which was never read" in said(1.0, 0.0, "other", unread="feature_stats.json")
    assert said(1.0, 0.0, "other", unread="birds_norm.txt") == "", "of another model"
    assert said(*scaled(1.0), "other", unread="norm.txt") == ""
    assert said(1.0, 0.0, "other", POWERS / 9 - 20, unread="norm.txt") == "", "of something else"

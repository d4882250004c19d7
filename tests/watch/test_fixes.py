"""Fixes of a GPS that were sent one after the other. Each mistake has right twins."""

from __future__ import annotations

from math import cos, radians
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.sheets.fixes import METRES, fixes_in, of_fixes

TURNS = numpy.arange(8) * 0.7
LATITUDES = -33.85 + 0.002 * numpy.cos(TURNS)
LONGITUDES = 151.2 + 0.003 * numpy.sin(TURNS) + 0.0004 * TURNS
HERE = cos(radians(LATITUDES[0]))


def packed(value: float) -> float:
    """Degrees and minutes in one number."""
    return int(abs(value)) * 100 + abs(value) % 1 * 60


NMEA = "".join(
    f"$GPGSV,1,1,01*7F\n$GNRMC,1201{at:02},A,{packed(a):.5f},S,{packed(b):.5f},E,1.0,2.0,030424,,*00\n"
    for at, (a, b) in enumerate(zip(LATITUDES, LONGITUDES, strict=True))
)
POINTS = [f'<trkpt lat="{a:.7f}" lon="{b:.7f}"></trkpt>' for a, b in zip(LATITUDES, LONGITUDES, strict=True)]
LINES = [f"{at},{b:.7f},{a:.7f}" for at, (a, b) in enumerate(zip(LATITUDES, LONGITUDES, strict=True))]
FILES = {
    "a.nmea": NMEA,
    "a.gpx": '<gpx lat="0">' + "".join(POINTS) + "</gpx>",
    "a.csv": "\n".join(["second,lon_deg,lat_deg", *LINES]),
}


def hint(rows: Any, name: str = "a.nmea") -> str:
    """What is said of inputs of two numbers, once there are enough."""
    files, kept = [("b.txt", b"other"), (name, FILES[name].encode())], list(rows)
    assert of_fixes(kept[:5], 0, files) == of_fixes(kept[:7], 6, files) == ""
    return of_fixes(kept[:6], 5, files)


def metres(east: Any, north: Any, ratio: float) -> Any:
    return numpy.stack([(east - east[0]) * METRES * ratio, (north - north[0]) * METRES], axis=1)


@pytest.mark.parametrize("name", FILES)
def test_files_of_fixes(name: str) -> None:
    fixes = fixes_in(name, FILES[name].encode())
    assert fixes is not None and abs(fixes.latitudes - LATITUDES).max() < 1e-6
    assert abs(fixes.longitudes - LONGITUDES).max() < 1e-6
    assert fixes_in("c.csv", b"a,b\n1,2\n3,4\n") is None


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (metres(LONGITUDES, LATITUDES, HERE), ""),
        (metres(LATITUDES, LONGITUDES, 1 / HERE) * (HERE, HERE), ""),
        (metres(LONGITUDES, LATITUDES, 1.0), "here, it has 0.83 times as many"),
        (metres(LATITUDES, LONGITUDES, cos(radians(LONGITUDES[0]))), "are the two exchanged?"),
        (numpy.stack([LONGITUDES, LATITUDES], axis=1), ""),
        (numpy.stack([LONGITUDES, LONGITUDES], axis=1), ""),
        (numpy.random.default_rng(1).normal(0, 1, (8, 2)), ""),
    ],
)
def test_two_numbers_of_each_fix(rows: Any, words: str, name: str) -> None:
    said = hint(rows, name)
    assert words in said and bool(said) == bool(words)


@pytest.mark.parametrize("unit", [1.0, METRES, METRES / 1000])
def test_minutes_and_times(unit: float) -> None:
    rows = numpy.stack([LONGITUDES, LATITUDES], axis=1) * 0.6 * unit
    assert "its minutes were not divided by 60" in hint(rows)
    assert hint(rows, "a.gpx") == ""
    times = numpy.stack([LONGITUDES, numpy.arange(8.0)], axis=1) * unit
    assert "one of its numbers is the time, the other the longitude" in hint(times)

"""Places on the earth (fixes of a GPS) that were sent one after the other: were degrees, minutes and axes
read rightly?

What is here: `fixes_in`, which reads NMEA, GPX and tables with latitude and longitude, and `wrong_fixes`.
What is not: degrees that were to be radians (`whatif.angles`).

NMEA 0183 has degrees and minutes in one number, dddmm.mmmm. A degree of latitude has 111.3 km everywhere, one
of longitude as many times the cosine of the latitude.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import cos, radians
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..origin.straight import line_of
from ..regex import regex
from .sheet import sheet_of

SENTENCES = {"GGA": (1, 2), "RMC": (1, 3), "GLL": (5, 1)}
"""By the kind of a sentence of NMEA, the fields of the time and of the latitude; two behind that is the
longitude."""
GPX = regex(rb'<(?:trkpt|wpt|rtept)[^>]*?\blat="(-?[\d.]+)"[^>]*?\blon="(-?[\d.]+)"')
LATITUDE, LONGITUDE = regex(r"^lat", re.I), regex(r"^(?:lon|lng)", re.I)
METRES = 111_320.0
MOST_BYTES = 1 << 20
TWO, SEVERAL = 2, 6
"""Numbers of an input, and inputs that are compared."""
FEWEST, NEAR, EXACT = 4, 0.02, 2e-3
AWAY = 0.06
"""The cosines of latitude and of longitude, or 1, differ by so much at least, or else nobody sees which it
is."""
MINUTES = 0.6
"""A minute as a hundredth is so many times as large as it is as a sixtieth."""


class Fixes(Frozen):
    """The times (None: unknown), latitudes and longitudes of a file, in degrees."""

    times: Any
    latitudes: Any
    longitudes: Any
    are_minutes: bool
    """Whether degrees and minutes stand in one number."""


def of_fixes(kept: Sequence[Any], before: int, files: Sequence[tuple[str, bytes]]) -> str:
    """Returns what is wrong with inputs of two numbers that are the first fixes of a file, asked once, when
    there are enough, or "" if nothing is. There were `before` of them when it was asked last."""
    if not before < SEVERAL <= len(kept) or len(kept[0]) != TWO:
        return ""
    for name, data in files:
        fixes = fixes_in(name, data)
        if fixes is not None and (said := wrong_fixes(numpy.stack(kept[:SEVERAL]), fixes)):
            return f"compared with {name}, {said}"
    return ""


def fixes_in(name: str, data: bytes) -> Fixes | None:
    """Returns the fixes of a file, or None if it has none."""
    if len(data) > MOST_BYTES:
        return None
    if data.lstrip()[:1] == b"$" and (rows := [*of_nmea(data.decode("ascii", "replace"))]):
        times, latitudes, longitudes = numpy.array(rows, "f8").T
        return Fixes(times, latitudes, longitudes, True)
    if found := GPX.findall(data):
        latitudes, longitudes = numpy.array(found, "f8").T
        return Fixes(None, latitudes, longitudes, False)
    sheet = sheet_of(name, data)
    headings = [] if sheet is None else [one.strip().strip('"') for one in sheet.headings]
    places = [[at for at, one in enumerate(headings) if way.match(one)] for way in (LATITUDE, LONGITUDE)]
    if sheet is None or any(len(one) != 1 for one in places):
        return None
    latitudes, longitudes = (sheet.numbers[:, one[0]].astype("f8") for one in places)
    return Fixes(None, latitudes, longitudes, False)


def of_nmea(text: str) -> Iterator[tuple[float, float, float]]:
    """The time, latitude and longitude of each sentence of the first kind that has them."""
    own = ""
    for line in text.splitlines():
        fields = line.split(",")
        kind = fields[0][3:]
        if kind not in SENTENCES or (own and kind != own):
            continue
        time, at = SENTENCES[kind]
        try:
            latitude, longitude = (degrees(fields[place], fields[place + 1]) for place in (at, at + 2))
            yield float(fields[time]), latitude, longitude
        except (ValueError, IndexError):
            continue
        own = kind


def degrees(value: str, side: str) -> float:
    """Degrees of a number such as 4722.2 (47 degrees and 22.2 minutes). Raises ValueError."""
    whole = float(value)
    made = whole // 100 + whole % 100 / 60
    return -made if side in ("S", "W") else made


def wrong_fixes(rows: Any, fixes: Fixes) -> str:
    """Returns what is wrong with inputs, [inputs, 2], of the first fixes of a file, or "" if nothing is."""
    count = len(rows)
    if count < FEWEST or len(fixes.latitudes) < count:
        return ""
    series = {"latitude": fixes.latitudes, "longitude": fixes.longitudes}
    if fixes.times is not None:
        series["time"] = fixes.times
    found = [[(name, slope) for name, slope in slopes(column, series, count)] for column in rows.T]
    if any(len(one) != 1 for one in found):
        return ""
    names, by = [one[0][0] for one in found], dict(one[0] for one in found)
    if "time" in names and len({*names}) == len(names):
        other = next(name for name in names if name != "time")
        missing = "longitude" if other == "latitude" else "latitude"
        return (
            f"one of its numbers is the time, the other the {other}: was a field beside the {missing} read?"
        )
    if {*names} != {"latitude", "longitude"}:
        return ""
    return minutes(by, fixes) or wrong_cosine(by, fixes)


def slopes(column: Any, series: dict[str, Any], count: int) -> Iterator[tuple[str, float]]:
    """The series that a column follows, and what these were multiplied by."""
    for name, values in series.items():
        if (line := line_of(column, values[:count], EXACT)) is not None:
            yield name, line[0]


def minutes(by: dict[str, float], fixes: Fixes) -> str:
    """Minutes that were taken for hundredths of a degree."""
    latitude = abs(by["latitude"])
    usual = (1.0, METRES, METRES / 1000, radians(1))
    if not fixes.are_minutes or not any(near(latitude, MINUTES * one) for one in usual):
        return ""
    return (
        "its numbers are 0.6 times as far apart as the fixes: dddmm.mmmm was divided by 100, and its "
        "minutes were not divided by 60"
    )


def wrong_cosine(by: dict[str, float], fixes: Fixes) -> str:
    """Metres of longitude without the cosine of the latitude, or with that of the longitude."""
    ratio = abs(by["longitude"] / by["latitude"])
    right, other = (abs(cos(radians(float(one[0])))) for one in (fixes.latitudes, fixes.longitudes))
    metres = max(map(abs, by.values()))
    if near(ratio, right) or not near(metres, METRES):
        return ""
    if other and near(ratio, 1 / other) and abs(1 / other - right) > AWAY:
        return "its latitude was multiplied by the cosine of the longitude: are the two exchanged?"
    if near(ratio, 1.0) and abs(1 - right) > AWAY:
        return (
            f"a degree of longitude has as many metres as one of latitude; here, it has {right:.2f} times as "
            "many (the cosine of the latitude)"
        )
    return ""


def near(value: float, wanted: float) -> bool:
    return abs(value - wanted) <= NEAR * wanted

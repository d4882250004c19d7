"""Lines of tables with times and kinds, and of several files, and inputs of another type: mistakes, and twins
without one."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sheets import Sheets
from tests.watch.test_sheets import hints, text

ORDER = numpy.random.default_rng(181)
WARM = ORDER.uniform(-5, 30, 8).round(1)
HOURS = [8, 13, 17, 2, 21, 14, 5, 11]
KINDS = ["hill", "quay", "mall", "quay", "hill", "mall", "quay", "hill"]
STAMPS = [1_783_000_000_000 + 133_200_000 * line for line in range(8)]


def clocks() -> bytes:
    rows = [[f"2026-03-0{at + 1}T{hour:02}:00", f"{WARM[at]:g}"] for at, hour in enumerate(HOURS)]
    return text(rows, headings=["time", "warm"])


def sent(angle: Callable[[Any], Any], hours: Any = HOURS) -> Any:
    angles = angle(numpy.array(hours, "f8"))
    return numpy.column_stack([numpy.sin(angles), numpy.cos(angles), WARM / 30])


def test_hours_in_degrees() -> None:
    said = hints({"r.csv": clocks()}, sent(lambda hours: hours * 15))
    assert 'was made an angle in degrees, 120 for "2026-03-01T08:00"' in said
    assert hints({"r.csv": clocks()}, sent(lambda hours: hours * numpy.pi / 12)) == ""
    assert "is the factor 2 pi / 24 missing?" in hints({"r.csv": clocks()}, sent(lambda hours: hours))


def test_milliseconds_taken_for_seconds() -> None:
    data = text([[str(one), f"{WARM[at]:g}"] for at, one in enumerate(STAMPS)], headings=["ms", "warm"])
    for by, said in ((1, "are the sine and cosine of hour 1; it is hour 13"), (1000, "")):
        hours = [one / by % 86400 // 3600 for one in STAMPS]
        assert said in (found := hints({"t.csv": data}, sent(lambda one: one * numpy.pi / 12, hours)))
        assert bool(found) == bool(said)


def test_kinds_sent_as_a_number() -> None:
    rows = [[one, f"{WARM[at]:g}"] for at, one in enumerate(KINDS)]
    data, names = text(rows, headings=["zone", "warm"]), sorted({*KINDS})
    number = numpy.array([names.index(one) for one in KINDS], "f8")
    one_hot, zeros = numpy.eye(3)[number.astype(int)], numpy.zeros((8, 2))
    said = hints({"z.csv": data}, numpy.column_stack([WARM / 30, number, zeros]))
    assert 'as a number in element 1 ("hill" 0, "mall" 1, "quay" 2), and the 2 elements behind' in said
    assert hints({"z.csv": data}, numpy.column_stack([WARM / 30, one_hot])) == ""
    assert hints({"z.csv": data}, numpy.column_stack([WARM / 30, number])) == ""


@pytest.mark.parametrize("is_read", [True, False])
@pytest.mark.parametrize("is_beside_a_scaler", [True, False])
def test_kinds_in_another_order_than_that_of_json(is_read: bool, is_beside_a_scaler: bool) -> None:
    words = ["quay", "hill", "mall"]
    data = text([[one, f"{WARM[at]:g}"] for at, one in enumerate(KINDS)], headings=["zone", "warm"])
    more = {"mean": [11.5], "std": [8.25]} if is_beside_a_scaler else {}
    known = json.dumps({"columns": {"zone": words, "warmth": ["low", "mid", "top"]}} | more).encode()
    files = {"z.csv": data} | ({"kinds.json": known} if is_read else {})
    for order in permutations(words):
        sheets = Sheets(lambda: [*files.items()], unread=lambda: [] if is_read else [("kinds.json", known)])
        ones = numpy.column_stack([WARM / 30, numpy.eye(3)[[order.index(one) for one in KINDS]]])
        rows = [Tensor.from_numpy(row[None].astype("f4")) for row in ones]
        said = "".join(one for row in rows for one in sheets.set("x", row))
        others = [sorted(words), words[::-1], *([[*dict.fromkeys(KINDS)]] if is_read else [])]
        is_wrong = [*order] in others and (is_read or is_beside_a_scaler)
        assert ('"zone" in kinds.json, which has as many' in said) == is_wrong


PLACES = numpy.column_stack([ORDER.uniform(35, 60, 6), ORDER.uniform(-9, 20, 6)]).round(2)
TOWNS = text([["Town", *(f"{one:g}" for one in row)] for row in PLACES], headings=["city", "lat", "lon"])


def test_doubles_under_f32() -> None:
    radians = numpy.radians(PLACES)
    said = hints({"c.csv": TOWNS}, radians[:, :1].copy().view("<f4"))
    assert 'its bytes are f64 (double): read so, number 0 is column 2 ("lat")' in said
    assert hints({"c.csv": TOWNS}, radians) == ""


def test_lines_of_a_second_table() -> None:
    files = {"c.csv": TOWNS}
    sheets = Sheets(lambda: [*files.items()])
    said = [one for row in PLACES for one in sheets.set("x", Tensor.from_numpy(row[None].astype("f4")))]
    assert said == []
    signed = [["", "-"][at % 3 // 2] + f"{at}.5" for at in range(8)]
    files["e.csv"] = text([[signed[at], f"{one:g}"] for at, one in enumerate(WARM)], headings=["m", "warm"])
    for at, one in enumerate(WARM):
        said += sheets.set("x", Tensor.from_numpy(numpy.array([[at + 0.5, one]], "f4")))
    assert any("without its minus sign" in one for one in said)

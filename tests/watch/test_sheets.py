"""Tables with texts, quotes, gaps and hours whose lines a guest reads wrongly: mistakes, and twins without
one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sheets import Sheets
from pywasm_nn.watch.sheets.sheet import number_of, sheet_of

RANDOM = numpy.random.default_rng(41)
HEADINGS = ["place", "height", "depth", "gap", "salt", "wind", "kind"]
KINDS = ["sand", "rock", "mud"]
NUMBERS = numpy.column_stack(
    [RANDOM.integers(1200, 99000, 9), RANDOM.uniform(2, 40, 9).round(1), RANDOM.integers(100, 999, 9),
     RANDOM.uniform(3, 37, 9).round(2), RANDOM.uniform(-9, 9, 9).round(1)]
)  # fmt: skip
GAPS = (1, 2, 5, 7)
Row = Sequence[str]


def fields(line: int) -> list[str]:
    height, depth, gap, salt, wind = (f"{one:g}" for one in NUMBERS[line])
    name = f"Bay {line}, west" if line % 3 else f"Bay {line}"
    return [name, height, depth, "" if line in GAPS else gap, salt, wind, KINDS[line % 3]]


def quoted(one: str, delimiter: str) -> str:
    return f'"{one}"' if delimiter in one else one


def text(rows: Sequence[Row], delimiter: str = ",", headings: Row = HEADINGS) -> bytes:
    lines = [delimiter.join(quoted(one, delimiter) for one in row) for row in (headings, *rows)]
    return "\n".join(lines).encode() + b"\n"


def hints(files: dict[str, bytes], inputs: Any, *, known: Sequence[str] = (), scaled: bool = False) -> str:
    """What is said of a guest that reads files and sends inputs one by one."""
    sheets = Sheets(lambda: [*files.items()], known.__contains__)
    said: list[str] = []
    for row in inputs:
        tensor = Tensor.from_numpy(numpy.array([row], "f4"))
        said += sheets.set("x", tensor, is_scaled=scaled)
    return "; ".join(said)


def numbers(row: Row, *places: int) -> list[float]:
    return [number_of(row[place]) if row[place] else 0.0 for place in places]


def atof(one: str) -> float:
    found = re.match(r"-?\d+\.?\d*", one)
    return float(found[0]) if found else 0.0


ROWS = [fields(line) for line in range(9)]
TABLE = text(ROWS)


@pytest.mark.parametrize("scale", [1.0, 0.01])
@pytest.mark.parametrize("order", [1, -1])
def test_fields_that_are_empty(order: int, scale: float) -> None:
    swallowed = [[one for one in row if one] + [""] for row in ROWS]
    sent = [[scale * one for one in numbers(row, 1, 2, 4)] for row in swallowed][::order]
    assert "two separators for one" in hints({"bays.csv": TABLE}, sent)
    rightly = [[scale * one for one in numbers(row, 1, 2, 4)] for row in ROWS][::order]
    assert hints({"bays.csv": TABLE}, rightly) == ""
    assert hints({"bays.csv": TABLE}, [numbers(row, 1, 2, 3, 4) for row in ROWS]) == "", "0 for a gap"


def test_delimiters_in_quotes() -> None:
    rows = [[one or "0" for one in row] for row in ROWS]
    cut = [",".join(quoted(one, ",") for one in row).split(",") for row in rows]
    sent = [[atof(one) for one in row[1:5]] for row in cut]
    assert 'the field "Bay 1, west" is in quotes' in hints({"bays.csv": text(rows)}, sent)
    assert hints({"bays.csv": text(rows)}, [numbers(row, 1, 2, 3, 4) for row in rows]) == ""


def thousands(one: float) -> str:
    return f"{one:,.0f}"


@pytest.mark.parametrize("delimiter", [";", ","])
@pytest.mark.parametrize("unit", ["", "$"])
def test_numbers_with_separators(delimiter: str, unit: str) -> None:
    rows = [[row[0], unit + thousands(NUMBERS[line, 0]), row[2], row[4]] for line, row in enumerate(ROWS)]
    data = text(rows, delimiter, ["place", "height", "depth", "salt"])
    begun = [[atof(row[1]), float(row[2]), float(row[3])] for row in rows]
    assert ("stop at what is no digit" in hints({"bays.csv": data}, begun)) == (not unit), "all are 0"
    whole = [numbers(row, 1, 2, 3) for row in rows]
    assert hints({"bays.csv": data}, whole) == ""
    assert hints({"bays.csv": data}, [[one / 1000, *rest] for one, *rest in whole]) == ""


def test_numbers_without_their_sign() -> None:
    lost = [[abs(one) for one in numbers(row, 1, 2, 5)] for row in ROWS]
    assert "without its minus sign" in hints({"bays.csv": TABLE}, lost)
    assert hints({"bays.csv": TABLE}, [numbers(row, 1, 2, 5) for row in ROWS]) == ""
    both = [[*numbers(row, 1, 5), abs(number_of(row[5]))] for row in ROWS]
    assert hints({"bays.csv": TABLE}, both) == "", "the size as well"
    squares = [[number_of(row[1]), number_of(row[5]) ** 2] for row in ROWS]
    assert hints({"bays.csv": TABLE}, squares) == ""


HOURS = [
    (12, 5, "PM"),
    (3, 17, "PM"),
    (6, 30, "AM"),
    (9, 41, "PM"),
    (12, 45, "AM"),
    (8, 2, "AM"),
    (1, 0, "PM"),
]


def rides() -> bytes:
    rows = [
        [f"2026-05-0{day + 1} {h:02}:{m:02} {half}", f"{NUMBERS[day, 1]:g}"]
        for day, (h, m, half) in enumerate(HOURS)
    ]
    return text(rows, ",", ["started", "km"])


def sines(hour: Callable[[int, str], float]) -> list[list[float]]:
    turns = [2 * numpy.pi * hour(h, half) / 24 for h, _, half in HOURS]
    return [[NUMBERS[line, 1], numpy.sin(one), numpy.cos(one)] for line, one in enumerate(turns)]


def test_hours_with_halves() -> None:
    assert "without their AM and PM" in hints({"r.csv": rides()}, sines(lambda hour, _: hour))
    assert "12 PM is 24" in hints({"r.csv": rides()}, sines(lambda hour, half: hour + 12 * (half == "PM")))
    assert hints({"r.csv": rides()}, sines(lambda hour, half: hour % 12 + 12 * (half == "PM"))) == ""


PLAIN = ["depth", "area", "salt", "light"]


def plain() -> tuple[bytes, Any]:
    made = RANDOM.uniform([1, 100, 30, 0], [9, 900, 40, 1], (8, 4)).round(3)
    return text([[f"{one:g}" for one in row] for row in made], ",", PLAIN), made


def test_columns_of_a_sorted_map() -> None:
    data, made = plain()
    order = [PLAIN.index(one) for one in sorted(PLAIN)]
    assert "alphabetical order" in hints({"a.csv": data}, made[:, order])
    assert "alphabetical order" in hints({"a.csv": data}, made[:, order] / 7 - 1)
    assert hints({"a.csv": data}, made) == ""
    assert hints({"a.csv": data}, made[:, [2, 0, 1, 3]]) == "", "the order that a model wants"
    assert hints({"a.csv": data}, made[:, order[:3]]) == "", "some of the columns"


def one_hot(row: Row, order: Sequence[str]) -> list[float]:
    return [*numbers(row, 1, 2), *(float(row[6] == one) for one in order)]


def test_kinds_as_they_appear() -> None:
    appear = list(dict.fromkeys(row[6] for row in ROWS))
    assert appear != sorted(appear)
    sent = [one_hot(row, appear) for row in ROWS]
    assert "numbered as they appear" in hints({"bays.csv": TABLE}, sent)
    coded = [[*numbers(row, 1, 2), float(appear.index(row[6]))] for row in ROWS]
    assert "numbered as they appear" in hints({"bays.csv": TABLE}, coded)
    assert hints({"bays.csv": TABLE}, sent, known=appear) == "", "the program has its own order"
    assert hints({"bays.csv": TABLE, "k.csv": "\n".join(f"{one},1" for one in appear).encode()}, sent) == ""
    for order in (sorted(appear), appear[::-1]):
        assert hints({"bays.csv": TABLE}, [one_hot(row, order) for row in ROWS]) == ""


def scaler(order: Sequence[int], mean: Any, deviation: Any) -> bytes:
    rows = [[PLAIN[at], f"{mean[at]:g}", f"{deviation[at]:g}"] for at in order]
    return text(rows, ",", ["column", "mean", "std"])


def test_a_scaler_by_the_places_of_its_lines() -> None:
    data, made = plain()
    mean, deviation = made.mean(0).round(3), made.std(0).round(3)
    order = [2, 0, 3, 1]
    files = {"scaler.csv": scaler(order, mean, deviation), "a.csv": data}
    assert "take each by its name" in hints(files, (made - mean[order]) / deviation[order])
    assert hints(files, (made - mean) / deviation) == ""
    assert hints(files, (made - 3) / 7) == ""


def test_a_scaler_that_is_not_used() -> None:
    data, made = plain()
    files = {"scaler.csv": scaler(range(4), made.mean(0).round(3), made.std(0).round(3)), "a.csv": data}
    assert "sent as they stand" in hints(files, made)
    assert hints(files, made, scaled=True) == "", "the model does that"
    assert hints({"a.csv": data}, made) == ""
    others = {"a.csv": data, "limits.csv": scaler(range(4), made.max(0) * 90, made.std(0))}
    assert hints(others, made) == "", "other numbers"


def test_the_last_line_twice() -> None:
    data, made = plain()
    assert "end of the file" in hints({"a.csv": data}, [*made, made[-1]])
    assert "end of the file" in hints({"a.csv": data}, [*(made / 7 - 1), made[-1] / 7 - 1])
    for sent in (made, [made[0], *made], [*made[:-1], made[-2]], [*made, made[0]]):
        assert hints({"a.csv": data}, sent) == ""


def test_texts_that_are_no_tables() -> None:
    for data in (b"", b"\0" * 40, b"one line", b"a b c\n" * 9, b"\xff\xfe1\n2\n3\n", b"1,2\n3\n4,5,6\n"):
        sheet = sheet_of("a", data)
        assert sheet is None or not numpy.isfinite(sheet.numbers).any()

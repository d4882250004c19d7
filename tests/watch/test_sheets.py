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


def hints(
    files: dict[str, bytes], inputs: Any, *, known: Sequence[str] = (), scaled: bool = False,
    called: str = "", model: str = "x",
) -> str:  # fmt: skip
    """What is said of a guest that reads files and sends inputs one by one."""
    sheets = Sheets(lambda: [*files.items()], known.__contains__)
    said: list[str] = []
    for row in inputs:
        tensor = Tensor.from_numpy(numpy.array([row], "f4"))
        said += sheets.set(model, tensor, called, is_scaled=scaled)
    return "; ".join([*said, *(one for _, one in sheets.finish())])


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


def test_delimiters_in_quotes_where_texts_are_no_numbers() -> None:
    """As parseFloat reads them, which gives NaN where atof gives 0."""
    rows = [[one or "0" for one in row] for row in ROWS]
    cut = [",".join(quoted(one, ",") for one in row).split(",") for row in rows]
    sent = [[number_of(one) for one in row[1:5]] for row in cut]
    assert any(one != one for row in sent for one in row)
    assert 'the field "Bay 1, west" is in quotes' in hints({"bays.csv": text(rows)}, sent)
    gaps = [
        [float("nan") if at == 2 else one for one in numbers(row, 1, 2, 3)] for at, row in enumerate(rows)
    ]
    assert hints({"bays.csv": text(rows)}, gaps) == ""


def thousands(one: float) -> str:
    return f"{one:,.0f}"


@pytest.mark.parametrize("above", [["# of three bays"], ["// measured, by hand", "% 1999; west"]])
def test_tables_below_comments(above: list[str]) -> None:
    data = "\n".join(above).encode() + b"\n" + TABLE
    begun = [[float(one) for one in numbers([one for one in row if one], 1, 2, 3)] for row in ROWS]
    assert f"is empty in line {GAPS[0] + 2 + len(above)}, and" in hints({"bays.csv": data}, begun)
    assert hints({"bays.csv": data}, [numbers(row, 1, 2, 3) for row in ROWS]) == ""


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


SHARES = RANDOM.uniform(0.03, 0.97, (8, 2)).round(3)
AGES, ROOMS = RANDOM.integers(18, 80, 8).astype(float), RANDOM.integers(1, 3, 8).astype(float)


@pytest.mark.parametrize("delimiter", [";", "\t"])
@pytest.mark.parametrize("by", [1.0, 100.0])
def test_shares_with_decimal_commas(delimiter: str, by: float) -> None:
    """Nothing is left of shares whose decimals are cut off; the column beside them says which they are."""
    rows = [
        [f"h{at}", f"{age:g}", f"{one:.3f}".replace(".", ","), f"{two:.3f}".replace(".", ","), f"{rooms:g}"]
        for at, (age, (one, two), rooms) in enumerate(zip(AGES, SHARES, ROOMS, strict=True))
    ]
    table = {"homes.csv": text(rows, delimiter, ["home", "age", "owned", "let", "rooms"])}
    right = numpy.column_stack([AGES / 90, SHARES * by, ROOMS])
    cut = numpy.column_stack([AGES / 90, numpy.trunc(SHARES) * by, ROOMS])
    found = hints(table, cut)
    assert f'"let") is {rows[0][3]} in line 2, and was read as 0' in found
    assert "element 2 is 0 in all 5 inputs" in found
    assert hints(table, right) == ""
    assert hints(table, numpy.column_stack([AGES / 90, SHARES[:, 0], 0 * ROOMS, ROOMS])) == "", (
        "one is left out"
    )
    assert hints(table, numpy.column_stack([AGES / 90, 0 * ROOMS, ROOMS / 3])) == "", "the other is no column"
    points = {name: one.replace(b",", b".") for name, one in table.items()}
    assert hints(points, cut) == "", "atof reads these"


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
    assert hints({"a.csv": data}, made[:, order], known=PLAIN) == "", "the program looks each up by its name"
    assert "alphabetical order" in hints({"a.csv": data}, made[:, order], known=PLAIN[:2])


def one_hot(row: Row, order: Sequence[str]) -> list[float]:
    return [*numbers(row, 1, 2), *(float(row[6] == one) for one in order)]


def test_numbers_of_lines_are_no_kinds() -> None:
    """The last lines have a kind each, which doesn't come again among them."""
    films = [
        "Orchard",
        "Night Bus",
        "Orchard",
        "Copper",
        "Night Bus",
        "Orchard",
        "Paper",
        "Ferry",
        "Moon",
        "Blue",
    ]
    table = "".join(f"{line}\t{film}\n" for line, film in enumerate(films, 1)).encode()
    assert hints({"titles.txt": table}, [[float(number)] for number in range(6)], called="film") == ""


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
    assert "take each column by its name" in hints(files, (made - mean[order]) / deviation[order])
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
    without = [made[-1] * (numpy.arange(4) != at) for at in range(4)]
    assert hints({"a.csv": data}, [*made, made[-1], *without]) == "", "which of its columns count"


def test_texts_that_are_no_tables() -> None:
    for data in (b"", b"\0" * 40, b"one line", b"a b c\n" * 9, b"\xff\xfe1\n2\n3\n", b"1,2\n3\n4,5,6\n"):
        sheet = sheet_of("a", data)
        assert sheet is None or not numpy.isfinite(sheet.numbers).any()


def scaled(rows: Any, means: Sequence[float], by: Sequence[float]) -> list[list[float]]:
    return [[(one - mean) / wide for one, mean, wide in zip(row, means, by, strict=True)] for row in rows]


def listed(headings: Sequence[str], rows: Sequence[Sequence[float]]) -> bytes:
    return text([[f"{one:.6g}" for one in row] for row in rows], headings=headings)


WARMTH = RANDOM.uniform(2, 24, 6).round(1)
DAMP, WIND = RANDOM.uniform(20, 90, 6).round(), RANDOM.uniform(1, 30, 6).round(1)


@pytest.mark.parametrize(
    ("first", "second", "factor", "added", "seen"),
    [
        ("temp_c", "temp_f", 1.8, 32, True),
        ("temp", "temp_f", 1.8, 32, True),
        ("temp_c", "temp_c", 1, 3, False),
        ("temp", "temp_c", 1, 3, False),
    ],
)
def test_one_scaler_for_two_units(first: str, second: str, factor: float, added: float, seen: bool) -> None:
    other = WARMTH * factor + added
    files = {
        "a.csv": listed([first, "damp", "wind"], numpy.column_stack([WARMTH, DAMP, WIND]).tolist()),
        "b.csv": listed([second, "damp", "wind"], numpy.column_stack([other, DAMP, WIND]).tolist()),
    }

    def said(values: Any) -> str:
        read: list[tuple[str, bytes]] = []
        sheets, found = Sheets(lambda: read), []
        for file, column in zip(files.items(), (WARMTH, values), strict=True):
            read.append(file)
            for row in scaled(zip(column, DAMP, WIND, strict=True), (12, 50, 9), (7, 20, 8)):
                found += [*sheets.set("x", Tensor.from_numpy(numpy.array([row], "f4")))]
        return "; ".join(found)

    assert ("names another unit" in said(other)) == seen
    assert said((other - added) / factor) == "", "converted before it is scaled"


@pytest.mark.parametrize(
    ("unit", "size", "seen"), [("sqft", 0.0929, True), ("m2", 1.0, False), ("", 0.0929, False)]
)
def test_a_column_far_away_in_its_unit(unit: str, size: float, seen: bool) -> None:
    areas = RANDOM.uniform(40, 150, 6).round(1)
    rows = numpy.column_stack([(areas / size).round(), DAMP, WIND])
    files = {"flats.csv": listed([f"area_{unit}".strip("_"), "damp", "wind"], rows.tolist())}
    raw = scaled(rows, (80, 50, 9), (30, 25, 10))
    assert ("is the scaler for m2?" in hints(files, raw)) == seen
    rows[:, 0] *= size
    assert hints(files, scaled(rows, (80, 50, 9), (30, 25, 10))) == ""


@pytest.mark.parametrize("period", [24, 12, 23])
def test_hours_that_go_round_too_soon(period: int) -> None:
    hours = [8, 13, 17, 2, 22, 5]
    rows = [[f"2026-03-0{at + 1}T{hour:02}:30", f"{WIND[at]:g}"] for at, hour in enumerate(hours)]
    angles = [6.2831853 * hour / period for hour in hours]
    sent = [[numpy.sin(one), numpy.cos(one), wind] for one, wind in zip(angles, WIND, strict=True)]
    said = hints({"a.csv": text(rows, headings=["time", "wind"])}, sent)
    assert ("goes round after 24" in said) == (period != 24)
    turns = [6.2831853 * hour / 24 for hour in hours]
    both = [[*row, numpy.sin(one), numpy.cos(one)] for row, one in zip(sent, turns, strict=True)]
    assert hints({"a.csv": text(rows, headings=["time", "wind"])}, both) == "", (
        "a second turn beside the first"
    )


@pytest.mark.parametrize("sent_before", [1.0, 1 / 24])
@pytest.mark.parametrize("heading", ["hour", "humidity"])
def test_hours_without_two_pi(heading: str, sent_before: float) -> None:
    hours = [8, 13, 17, 2, 22, 5]
    rows = [[f"{hour}", f"{wind:g}"] for hour, wind in zip(hours, WIND, strict=True)]
    files = {"a.csv": text(rows, headings=[heading, "wind"])}

    def said(factor: float) -> str:
        turns = [factor * hour for hour in hours]
        sent = [[numpy.sin(one), numpy.cos(one), wind] for one, wind in zip(turns, WIND, strict=True)]
        return hints(files, sent)

    assert ("goes round after 24: is the factor 2 pi" in said(sent_before)) == (heading == "hour")
    assert said(6.2831853 / 24) == ""


@pytest.mark.parametrize(
    ("heading", "period", "numbers"),
    [
        ("hour", 24, [7, 21, 13]),
        ("month", 12, [2, 9, 11]),
        ("weekday", 7, [1, 6, 3]),
        ("minute", 60, [5, 44, 31]),
    ],
)
def test_degrees_of_three_lines(heading: str, period: int, numbers: list[int]) -> None:
    rows = [[f"{one}", f"{wind:g}"] for one, wind in zip(numbers, WIND, strict=False)]

    def said(factor: float, *, heading: str = heading, count: int = 3, first: int = 0) -> str:
        turns = [factor * (one - first) for one in numbers[:count]]
        sent = [[numpy.sin(one), numpy.cos(one), wind / 9] for one, wind in zip(turns, WIND, strict=False)]
        return hints({"a.csv": text(rows, headings=[heading, "wind"])}, sent)

    for first in (0, 1):
        assert "in degrees, taken as radians" in said(360 / period, first=first)
    assert "is the factor 2 pi /" in said(1.0) or max(numbers) < 7
    assert said(2 * numpy.pi / period) == said(360 / period, heading="size") == said(0.5) == ""
    assert said(360 / period, count=2) == "", "two may be so by chance"


@pytest.mark.parametrize(("most", "seen"), [(179.4, False), (352.0, True)])
@pytest.mark.parametrize("heading", ["angle", "direction"])
def test_angles_of_what_has_no_direction(heading: str, most: float, *, seen: bool) -> None:
    """A bar lies alike after half a turn."""
    angles = [12.5, 44.0, 91.5, 130.0, most, 60.25]
    rows = [[f"{one:g}", f"{wind:g}"] for one, wind in zip(angles, WIND, strict=True)]
    double = [6.2831853 * one / 180 for one in angles]
    sent = [[numpy.sin(one), numpy.cos(one), wind] for one, wind in zip(double, WIND, strict=True)]
    said = hints({"a.csv": text(rows, headings=[heading, "wind"])}, sent)
    assert ("goes round after 360" in said) is seen


@pytest.mark.parametrize("seed", range(5))
def test_scaled_lines_that_were_made_whole(seed: int) -> None:
    rows = numpy.random.default_rng(seed).normal(10, 3, (30, 5)).round(2)
    files = {"a.csv": listed(["a", "b", "c", "d", "e"], rows.tolist())}
    right = numpy.array(scaled(rows, [10] * 5, [2] * 5))
    for made in (right.round(), numpy.trunc(right), numpy.floor(right)):
        assert "were they rounded" in hints(files, made)
    assert hints(files, right) == ""
    assert hints(files, RANDOM.integers(-3, 4, (30, 5))) == ""


@pytest.mark.parametrize("bins", [5, 7, 10])
def test_bins_with_as_many_lines_each(bins: int) -> None:
    """A score may want whole numbers around 0 that rise with the columns."""
    rows = numpy.random.default_rng(bins).lognormal(1, 0.8, (40, 4)).round(3)
    ranks = rows.argsort(axis=0).argsort(axis=0)
    files = {"a.csv": listed(["income", "debt", "age", "rent"], rows.tolist())}
    assert hints(files, ranks * bins // len(rows) - bins // 2) == ""


@pytest.mark.parametrize(
    ("called", "seen"), [("temp_c", True), ("temp_f", False), ("temp", False), ("speed_kmh", False)]
)
def test_an_input_named_after_another_unit(called: str, seen: bool) -> None:
    rows = numpy.column_stack([WARMTH * 1.8 + 32, DAMP, WIND])
    files = {"a.csv": listed(["temp_f", "damp", "wind"], rows.tolist())}
    assert ("asks for c" in hints(files, rows, called=called)) == seen
    rows[:, 0] = (rows[:, 0] - 32) / 1.8
    assert hints(files, rows, called=called) == ""


ORDERS = {
    "columns.json": b'{"columns": ["damp", "wind", "temp_c"]}',
    "columns.txt": b"damp\nwind\ntemp_c\n",
    "columns.csv": b"damp, wind, temp_c\n",
}


@pytest.mark.parametrize("file", ORDERS)
def test_columns_in_another_order_than_a_list_of_names(file: str) -> None:
    rows = numpy.column_stack([WARMTH, DAMP, WIND])
    files = {"a.csv": listed(["temp_c", "damp", "wind"], rows.tolist()), file: ORDERS[file]}
    assert 'element 0 is column "temp_c"' in hints(files, rows) and '"damp"' in hints(files, rows / 10 - 3)
    assert hints(files, rows[:, [1, 2, 0]]) == ""
    assert hints(files | {file: ORDERS[file].replace(b"wind", b"rain")}, rows) == ""


@pytest.mark.parametrize("file", ["schema.json", "schema.txt"])
def test_a_list_of_what_the_file_has(file: str) -> None:
    """What the model wants is in the program."""
    rows = numpy.column_stack([WARMTH, DAMP, WIND])
    names = ["temp_c", "damp", "wind"]
    schema = b'{"columns": ["temp_c", "damp", "wind"]}' if file.endswith("json") else b"temp_c\ndamp\nwind\n"
    files = {"a.csv": listed(names, rows.tolist()), file: schema}
    assert hints(files, rows[:, [1, 2, 0]]) == hints(files, rows) == ""
    assert 'element 0 is column "damp"' in hints(
        files | {"order.txt": b"wind\ndamp\ntemp_c\n"}, rows[:, [1, 2, 0]]
    )


def test_columns_in_another_order_than_a_known_data_set() -> None:
    rows = numpy.column_stack([WARMTH, DAMP, WIND, WIND[::-1]])
    files = {"a.csv": listed(["petal_length", "petal_width", "sepal_length", "sepal_width"], rows.tolist())}
    assert 'the data set "iris"' in hints(files, rows, model="iris.onnx")
    assert hints(files, rows[:, [2, 3, 0, 1]], model="iris.onnx") == hints(files, rows, model="plants") == ""
    names = ["petal_length", "petal_width", "sepal_length", "sepal_width"]
    assert hints(files, rows, model="iris.onnx", known=names) == "", "it looks for them by their names"
    assert 'the data set "iris"' in hints(files, rows, model="iris.onnx", known=names[:3])


BAYS = ("rock", "sand", "clay", "mud")


@pytest.mark.parametrize("kind", ["alphabet", "appear", "backwards", "the list's", "another"])
def test_ones_in_another_order_than_the_list(kind: str) -> None:
    orders = {
        "alphabet": sorted(BAYS), "appear": [*dict.fromkeys(row[6] for row in ROWS)],
        "backwards": [*BAYS[::-1]], "the list's": [*BAYS], "another": ["sand", "mud", "clay", "rock"],
    }  # fmt: skip
    order = orders[kind]
    listed = {"bays.csv": TABLE, "kinds.txt": "\n".join(BAYS).encode()}
    ones = [one_hot(row, [*order, *(one for one in BAYS if one not in order)]) for row in ROWS]
    found = hints(listed, ones)
    is_wrong = kind in ("alphabet", "appear", "backwards")
    assert ("kinds.txt, which has as many as there are elements for them" in found) is is_wrong, found
    assert bool(found) is is_wrong
    others = {"bays.csv": TABLE, "places.txt": listed["kinds.txt"]}
    assert "elements for them" not in hints(others, ones), "the list may be there to be shown"
    more = {**listed, "kinds.txt": b"\n".join([listed["kinds.txt"], b"silt"])}
    assert "elements for them" not in hints(more, ones), "there are not as many elements"

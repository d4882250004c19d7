"""Lines of a table that are sent as they stand to a model whose first layer has a scaler in it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import Tensor
from pywasm_nn.nn.formats.format import Layer
from pywasm_nn.watch.sheets import Sheets
from pywasm_nn.watch.sheets.by_layer import unit_of

HOUSES = {
    "area": (190.0, 80.0),
    "rooms": (3.4, 1.5),
    "age": (40.0, 23.0),
    "km": (12.0, 7.0),
    "bath": (1.6, 0.8),
}
FIELDS = {
    "N": (90.0, 24.0), "P": (54.0, 18.0), "K": (44.0, 20.0), "temperature": (23.0, 3.0),
    "humidity": (62.0, 18.0), "ph": (6.7, 0.6), "rainfall": (115.0, 40.0),
}  # fmt: skip
FOOT = 10.7639


def layer(made: dict[str, Sequence[float]], seed: int, *, units: int = 16, is_folded: bool = True) -> Layer:
    """A layer that was trained on scaled elements, with the scaler in it, or on elements as they are."""
    random = numpy.random.default_rng(seed)
    means, deviations = numpy.array([*made.values()]).T
    weights = random.normal(0, 0.35, (units, len(made)))
    heights = random.normal(0, 0.2, units)
    if not is_folded:
        return Layer(weights, heights)
    weights /= deviations
    return Layer(weights, heights - weights @ means)


def lines(made: dict[str, Sequence[float]], seed: int, count: int = 6) -> Any:
    means, deviations = numpy.array([*made.values()]).T
    shares = numpy.random.default_rng(seed + 100).uniform(-1.6, 1.8, (count, len(made)))
    return numpy.maximum(means + shares * deviations, 0.1).round(2)


def said(headings: Sequence[str], table: Any, sent: Any, known: Layer, *, at_once: bool = True) -> str:
    data = "\n".join(
        ["name," + ",".join(headings), *(f"x{at}," + ",".join(map(str, one)) for at, one in enumerate(table))]
    )
    sheets, found = Sheets(lambda: [("lines.csv", data.encode())]), ""
    sheets.loaded(3, {0: known})
    array = numpy.array(sent, "f4")
    for part in [array] if at_once else array[:, None]:
        found = found or "".join(sheets.set((3, None, 0), Tensor.from_numpy(part.copy())))
    return found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("is_folded", [True, False])
@pytest.mark.parametrize("file", ["stats.json", "scaler.csv"])
def test_a_model_with_a_scaler_wants_none(file: str, is_folded: bool, seed: int) -> None:
    """A file's means and deviations serve something else then, such as gaps or odd lines."""
    rows = lines(FIELDS, seed, 8)
    table = "\n".join([",".join(FIELDS), *(",".join(map(str, one)) for one in rows)])
    text = "\n".join(["column,mean,std", *(f"{name},{a},{b}" for name, (a, b) in FIELDS.items())])
    if file.endswith("json"):
        means, deviations = ([one[at] for one in FIELDS.values()] for at in (0, 1))
        text = json.dumps({"mean": means, "std": deviations})
    sheets = Sheets(lambda: [("lines.csv", table.encode()), (file, text.encode())])
    sheets.loaded(3, {0: layer(FIELDS, seed, is_folded=is_folded, units=32)})
    found = [
        one for row in rows for one in sheets.set((3, None, 0), Tensor.from_numpy(row[None].astype("f4")))
    ]
    found += [one for _, one in sheets.finish()]
    assert any("sent as they stand" in one for one in found) is not is_folded


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("unit", ["m2", "area_m2", "area (m²)", "area_sqm", "square metres"])
def test_an_area_in_another_unit(unit: str, seed: int) -> None:
    """The model was trained in square feet; then in square metres, with a table in feet."""
    rows, feet = lines(HOUSES, seed), {**HOUSES, "area": (190 * FOOT, 80 * FOOT)}
    headings = [unit, *[*HOUSES][1:]]
    found = said(headings, rows, rows, layer(feet, seed))
    assert f'column 2 ("{unit}") is sent as it stands' in found and "in sqft" in found
    assert said(headings, rows, rows, layer(HOUSES, seed)) == ""
    assert said(["area", *headings[1:]], rows, rows, layer(feet, seed)) == "", "no unit is known"
    right = rows * [FOOT, 1, 1, 1, 1]
    assert said(headings, rows, right, layer(feet, seed)) == ""
    turned = lines(feet, seed)
    assert said(["area_sqft", *headings[1:]], turned, turned, layer(feet, seed)) == ""
    assert "in m2" in said(["area_sqft", *headings[1:]], turned, turned, layer(HOUSES, seed))


@pytest.mark.parametrize("seed", range(6))
def test_an_area_by_the_sizes_of_weights(seed: int) -> None:
    """Where the means are vague, as heights are of other things, too."""
    rows, feet = lines(HOUSES, seed), {**HOUSES, "area": (190 * FOOT, 80 * FOOT)}
    known = layer(feet, seed)
    vague = Layer(known.weights, known.heights + numpy.random.default_rng(seed).normal(0, 0.8, 16))
    headings = ["m2", *[*HOUSES][1:]]
    found = said(headings, rows, rows, vague)
    assert "times less than any other column, and as much as they in sqft" in found
    assert said(headings, rows, rows * [FOOT, 1, 1, 1, 1], vague) == ""


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("at_once", [True, False])
def test_columns_as_the_file_has_them(seed: int, at_once: bool) -> None:
    rows, known = lines(FIELDS, seed), layer(FIELDS, seed, units=20)
    order = [5, 0, 1, 2, 3, 4, 6]
    table, headings = rows[:, order], [[*FIELDS][one] for one in order]
    found = said(headings, table, table, known, at_once=at_once)
    assert 'which column 2 ("ph") alone fits' in found and "in another order all 7 fit" in found
    assert said(headings, table, rows, known, at_once=at_once) == ""
    few = layer(FIELDS, seed, units=9)
    assert said(headings, table, table, few) == "", "so few units are explained by chance"


PEOPLE = {
    "weight": (75.0, 12.0),
    "height": (172.0, 9.0),
    "age": (45.0, 15.0),
    "temp": (37.0, 0.8),
    "steps": (9.0, 4.0),
}
CONVERTED = {
    "weight_lb": lambda x: x * 2.2046, "height_in": lambda x: x / 2.54, "height_m": lambda x: x / 100,
    "temp_f": lambda x: 32 + 1.8 * x,
}  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("heading", CONVERTED)
def test_a_column_in_the_unit_of_its_heading(heading: str, seed: int) -> None:
    """Where the layer says in which unit the model knows it."""
    rows, known = lines(PEOPLE, seed), layer(PEOPLE, seed, units=24)
    place = [*PEOPLE].index(heading.partition("_")[0])
    headings = [heading if at == place else one for at, one in enumerate(PEOPLE)]
    table = rows.copy()
    table[:, place] = CONVERTED[heading](rows[:, place]).round(2)
    found = said(headings, table, table, known)
    assert (
        f'column {place + 2} ("{heading}") is sent as it stands' in found
        and "is it to be converted?" in found
    )
    means, deviations = numpy.array([*PEOPLE.values()]).T
    own = CONVERTED[heading](means[place] + numpy.array([0, deviations[place]]))
    other = {**PEOPLE, [*PEOPLE][place]: (own[0], own[1] - own[0])}
    assert said(headings, table, table, layer(other, seed, units=24)) == "", "it was trained so"
    assert said([*PEOPLE], table, table, known) == "", "no unit is known"
    assert said(headings, rows, rows, layer(PEOPLE, seed, units=24, is_folded=False)) == ""


@pytest.mark.parametrize("is_folded", [True, False])
@pytest.mark.parametrize("seed", range(30))
def test_right_tables(seed: int, is_folded: bool) -> None:
    """Of any means and deviations, in any unit."""
    random = numpy.random.default_rng(seed)
    names = ["size_sqft", "lot_m2", "load_psi", "way_ft", "mass_lb", "heat_f", "c", "d"][seed % 4 :]
    made = {
        one: (mean, mean * random.uniform(0.1, 0.8))
        for one, mean in zip(names, 10 ** random.uniform(-1, 3, len(names)), strict=True)
    }
    rows = lines(made, seed, 3 + seed % 5)
    known = layer(made, seed, units=8 + seed % 17, is_folded=is_folded)
    assert said(names, rows, rows, known) == ""


@pytest.mark.parametrize(
    ("heading", "unit"),
    [
        ("m2", "m2"),
        ("sqft", "ft2"),
        ("living area sq ft", "ft2"),
        ("m", ""),
        ("size_m2", "m2"),
        ("a", ""),
        ("load_psi", "psi"),
    ],
)
def test_the_unit_of_a_heading(heading: str, unit: str) -> None:
    assert unit_of(heading) == unit

"""By which formula columns of a table were scaled: mistaken formulas, and those that somebody means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin.scaled import scaled_lines
from pywasm_nn.watch.origin.scalers import lists_in
from pywasm_nn.watch.origin.tables import Table
from tests.watch.test_false_alarms import origins_of

ORDER = numpy.random.default_rng(5)
MEAN = numpy.array([5.8, 31.0, 0.37, 1.2, 240.0])
DEVIATION = numpy.array([0.8, 4.4, 0.09, 0.7, 60.0])
NUMBERS = (MEAN + DEVIATION * ORDER.normal(size=(50, 5))).round(3)
TABLE = Table(NUMBERS, tuple(range(2, 52)), tuple("abcde"))
LINES = NUMBERS[:7]
SWAPPED = [1, 0, 2, 3, 4]
Scaling = Callable[[Any, Any, Any], Any]

MISTAKES: dict[str, Scaling] = {
    "divided by the variance": lambda x, mean, deviation: (x - mean) / deviation**2,
    "only the mean was divided by the deviation": lambda x, mean, deviation: x - mean / deviation,
    "it was x / deviation - mean": lambda x, mean, deviation: x / deviation - mean,
    "multiplied by the deviation": lambda x, mean, deviation: (x - mean) * deviation,
    "the mean was added": lambda x, mean, deviation: (x + mean) / deviation,
    "multiplied by about 10 before": lambda x, mean, deviation: (x * 10 - mean) / deviation,
    "multiplied by about 0.001 before": lambda x, mean, deviation: (x / 1000 - mean) / deviation,
    "by the mean and deviation of": lambda x, mean, deviation: (x[:, SWAPPED] - mean) / deviation,
}
MEANT: dict[str, Scaling] = {
    "mean and deviation": lambda x, mean, deviation: (x - mean) / deviation,
    "the mean": lambda x, mean, _: x - mean,
    "the deviation": lambda x, _, deviation: x / deviation,
    "minimum and maximum": lambda x, _mean, _deviation: (x - NUMBERS.min(0)) / numpy.ptp(NUMBERS, axis=0),
    "known ranges": lambda x, _mean, _deviation: x / [10, 100, 1, 5, 1000],
    "other columns": lambda x, mean, deviation: ((x - mean) / deviation)[:, SWAPPED],
    "other data": lambda x, mean, deviation: (x - mean - deviation) / (deviation * 1.6),
}


def wrong(scaling: Scaling, mean: Any = MEAN, deviation: Any = DEVIATION, lists: Any = ()) -> str:
    rows = scaling(LINES, mean, deviation).astype("f4").astype("f8")
    found = scaled_lines(TABLE, rows, lists)
    assert found is not None
    return found.wrong


@pytest.mark.parametrize("said", MISTAKES)
def test_formulas_that_nobody_means(said: str) -> None:
    assert said in wrong(MISTAKES[said])


@pytest.mark.parametrize("place", range(5))
def test_a_column_of_zeros(place: int) -> None:
    def but(rows: Any) -> Any:
        rows = rows.copy()
        rows[:, place] = 0
        return rows

    said = wrong(lambda x, mean, deviation: but((x - mean) / deviation))
    assert ("forgotten" in said) == (place == 4), (
        "the mean, put where a number is not known, or a loop too short"
    )
    assert "forgotten" in wrong(lambda x, _mean, deviation: but(x / deviation))


@pytest.mark.parametrize("name", MEANT)
def test_formulas_that_somebody_means(name: str) -> None:
    assert wrong(MEANT[name]) == ""


@pytest.mark.parametrize("shift", [-1, 1])
@pytest.mark.parametrize("seed", range(10))
def test_columns_that_are_counted_from_another_one(seed: int, shift: int) -> None:
    """The scaler is in the program itself. Classes stand before the numbers, or behind them."""
    order = numpy.random.default_rng(seed)
    classes = order.integers(1, 4, 50)
    numbers = numpy.insert(NUMBERS, 0 if shift > 0 else 5, classes, axis=1)
    mean = MEAN + DEVIATION * order.normal(0, 0.3, 5)
    own = numbers[:, :5] if shift > 0 else numbers[:, 1:]
    other = numbers[:, 1:] if shift > 0 else numbers[:, :5]
    table = Table(numbers, TABLE.lines, tuple("uvwxyz"))
    found = scaled_lines(table, ((own - mean) / DEVIATION)[:7].astype("f4").astype("f8"), ())
    assert found is not None and "are the columns counted from another one?" in found.wrong
    found = scaled_lines(table, ((other - mean) / DEVIATION)[:7].astype("f4").astype("f8"), ())
    assert found is not None and found.wrong == ""


@pytest.mark.parametrize("seed", range(40))
def test_scalers_of_other_data(seed: int) -> None:
    """Means and deviations that have little to do with the table's."""
    order = numpy.random.default_rng(seed)
    mean = MEAN + DEVIATION * order.normal(0, 0.6, 5)
    deviation = DEVIATION * numpy.exp(order.normal(0, 0.5, 5))
    assert wrong(MEANT["mean and deviation"], mean, deviation) == ""


SCALER = [("scaler.txt", [MEAN, DEVIATION])]


def test_a_scaler_that_was_read_and_not_used() -> None:
    said = "each column was scaled by its smallest and largest number, though scaler.txt has"
    assert said in wrong(MEANT["minimum and maximum"], lists=SCALER)
    assert wrong(MEANT["mean and deviation"], lists=SCALER) == ""
    assert wrong(MEANT["the deviation"], lists=SCALER) == ""
    assert wrong(lambda lines, *_: lines, lists=SCALER) == "", "trees want columns as they are"
    of_ranges = [("ranges.txt", [NUMBERS.min(0), numpy.ptp(NUMBERS, axis=0)])]
    assert wrong(MEANT["minimum and maximum"], lists=of_ranges) == ""


def test_lists_of_numbers() -> None:
    assert [one.tolist() for one in lists_in('{"mean": [1, -2.5, 3e1], "n": [1, 2]}')] == [[1, -2.5, 30]]
    columns = [one.tolist() for one in lists_in("name mean std\na 1 .5\nb 2 .25\nc 3 1")]
    assert columns == [[1, 2, 3], [0.5, 0.25, 1]]


def test_a_guest_that_reads_a_scaler() -> None:
    text = "a,b,c,d,e\n" + "\n".join(",".join(map(str, line)) for line in NUMBERS.tolist())
    for use, said in ((True, ""), (False, "though scaler.txt has their means and deviations")):
        origins = origins_of(text.encode(), "people.csv")
        origins._files.append(type(origins._files[0])("scaler.txt"))
        origins._files[-1].data += "\n".join(" ".join(map(str, one)) for one in (MEAN, DEVIATION)).encode()
        scaling = MEANT["mean and deviation" if use else "minimum and maximum"]
        rows = scaling(LINES, MEAN, DEVIATION).astype("f4")
        found = [origins.of(Tensor.from_numpy(row[None]), "x") for row in rows][-1]
        assert found is not None and said in found.wrong and bool(found.wrong) == bool(said)

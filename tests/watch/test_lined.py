"""Lines of tables whose lines and columns were confused, columns without their logarithm, and zeros and ones
that lie in another layout. Each mistake has a right twin."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin.elements import by_elements
from pywasm_nn.watch.origin.following import in_columns
from pywasm_nn.watch.origin.tables import Table
from pywasm_nn.watch.sent.onehots import other_way
from tests.watch.test_false_alarms import opened

ORDER = numpy.random.default_rng(28)
AREA, ROOMS, AGE = (
    ORDER.lognormal(4.6, 0.4, 40).round(1),
    ORDER.uniform(1, 9, 40).round(1),
    ORDER.uniform(0, 90, 40),
)
NUMBERS = numpy.column_stack([AREA, ROOMS, AGE.round(1), ORDER.uniform(0, 20, 40).round(2)])
TABLE = Table(NUMBERS, tuple(range(2, 42)), ("area", "rooms", "age", "distance"))
MEAN, DEVIATION = NUMBERS.mean(axis=0) * 1.03, NUMBERS.std(axis=0) * 0.95
CURVES = Table(NUMBERS, TABLE.lines, ("t0", "t1", "t2", "t3"))
PART = slice(4, 12)
SCALED = (NUMBERS - MEAN) / DEVIATION


def own(lines: Any, by: int = 0) -> Any:
    return (lines - lines.mean(axis=1, keepdims=True)) / lines.std(axis=1, ddof=by, keepdims=True)


def wrong(rows: Any, table: Table = TABLE, *, is_window: bool = False) -> str:
    found = in_columns(table, rows.astype("f4").astype("f8"), is_window=is_window)
    return "nothing" if found is None else found.wrong


@pytest.mark.parametrize("by", [0, 1])
def test_each_line_scaled_by_its_own_numbers(by: int) -> None:
    assert "each line was scaled by its own mean and deviation" in wrong(own(NUMBERS, by)[PART])
    assert wrong(SCALED[PART]) == ""
    assert wrong(own(NUMBERS)[PART], CURVES) == "nothing", "a curve in each line"
    assert wrong(own(ORDER.permutation(NUMBERS))[PART]) == "nothing"
    genes = Table(NUMBERS / NUMBERS.std(axis=0), TABLE.lines, TABLE.headings)
    assert wrong(own(genes.numbers)[PART], genes) == "nothing", "columns of one size"


@pytest.mark.parametrize("count", [2, 3])
def test_of_wide_lines_few_are_enough(count: int) -> None:
    """A guest may send no more of them, or so many before the others are looked at."""
    soil = numpy.column_stack([NUMBERS, NUMBERS[::-1] * 3, NUMBERS[7:8] + NUMBERS.round()])
    names = ("clay", "sand", "ph", "depth", "iron", "zinc", "lime", "salt", "rain", "slope", "sun", "wind")
    table, part = Table(soil, TABLE.lines, names), slice(5, 5 + count)
    assert "each line was scaled by its own mean and deviation" in wrong(own(soil)[part], table)
    right = (soil - soil.mean(axis=0)) / soil.std(axis=0)
    assert "each line" not in wrong(right[part], table)
    assert (
        wrong(own(soil)[part], Table(soil, TABLE.lines, tuple(f"band{at}" for at in range(12)))) == "nothing"
    )
    assert wrong(own(NUMBERS)[part]) == "nothing", "few numbers in few lines"


@pytest.mark.parametrize("low", [0, -1])
def test_each_line_scaled_by_its_own_ends(low: int) -> None:
    def ends(lines: Any, axis: int = 1) -> Any:
        shares = (lines - lines.min(axis=axis, keepdims=True)) / numpy.ptp(lines, axis=axis, keepdims=True)
        return shares * (1 - low) + low

    assert "each line was scaled by its own smallest and largest number" in wrong(ends(NUMBERS)[PART])
    assert wrong(ends(NUMBERS, 0)[PART]) == "", "by those of each column"
    assert wrong(ends(NUMBERS)[PART], CURVES) == "nothing", "a curve in each line"
    many = numpy.column_stack([NUMBERS * 3**at for at in range(8)]).round(2)
    named = Table(many, TABLE.lines, tuple(f"{one}{one * at}" for at in range(8) for one in "abgh"))
    bands = Table(many, TABLE.lines, tuple(f"{'stuv'[at % 4]}{at}" for at in range(32)))
    assert "each line was scaled by its own smallest" in wrong(ends(many)[PART], named)
    assert "each line" not in wrong(ends(many)[PART], bands)
    assert "each line" not in wrong(ends(many, 0)[PART], named)


def test_columns_of_words_give_no_warning(recwarn: pytest.WarningsRecorder) -> None:
    words = numpy.full((40, 1), numpy.nan)
    mixed = Table(numpy.hstack([words, NUMBERS]), TABLE.lines, ("heating", *TABLE.headings))
    assert "each line was scaled by its own" in wrong(own(NUMBERS)[PART], mixed)
    assert wrong(ORDER.normal(size=(8, 4)), mixed) == "nothing"
    assert not [*recwarn]


def test_a_batch_that_was_filled_column_by_column() -> None:
    turned = numpy.ascontiguousarray(SCALED[PART].T).reshape(8, 4)
    assert "all lines' numbers of one column come first" in wrong(turned, is_window=True)
    assert wrong(SCALED[PART], is_window=True) == ""
    assert wrong(ORDER.normal(size=(8, 4)), is_window=True) == "nothing"


def houses(area: Any, rooms: Any = (ROOMS - 4) / 2) -> Any:
    kinds = numpy.eye(3)[numpy.arange(40) % 3]
    return numpy.column_stack([area, rooms, (AGE.round(1) - 45) / 26, kinds])[PART]


@pytest.mark.parametrize("log", [numpy.log, numpy.log1p])
def test_logarithms_of_columns(log: Any) -> None:
    mean, deviation = log(AREA).mean(), log(AREA).std()
    right = by_elements(TABLE, houses((log(AREA) - mean) / deviation))
    assert right is not None and right.wrong == ""
    assert '0 from the logarithm of column 1 ("area")' in right.said
    assert 'column 1 ("area") was sent as' in wrong(houses((AREA - mean) / deviation))
    assert "was the logarithm forgotten?" in wrong(houses((AREA - mean) / deviation))
    assert "of the column itself" in wrong(houses((log(AREA) - AREA.mean()) / AREA.std()))


@pytest.mark.parametrize(
    "area", [AREA, (AREA - 100) / 40, AREA / 1000, (AREA - AREA.mean()) / AREA.std() * 9]
)
def test_columns_that_want_no_logarithm(area: Any) -> None:
    assert wrong(houses(area)) in (
        "",
        'column 1 ("area") was not scaled, and all other elements are within 2',
    )


def ones(count: int, places: int = 24, kinds: int = 15) -> Any:
    made = numpy.zeros((places, kinds), "f4")
    made[numpy.arange(count), ORDER.integers(0, kinds, count)] = 1
    return made


def test_zeros_and_ones_in_another_layout() -> None:
    text = ones(17)
    assert "lie kind by kind" in other_way(text.T.reshape(24, 15)[None])
    assert other_way(text[None]) == other_way(text.T[None].copy()) == ""
    assert other_way(ones(9, 9, 9).T) == "", "either may be meant"
    assert other_way((ORDER.random((12, 9)) < 0.3).astype("f4")) == "", "several at once"
    assert other_way(numpy.zeros((12, 9), "f4")) == ""
    assert other_way(numpy.ones((12, 9), "f4")) == ""


@pytest.mark.parametrize(("kinds", "places", "filled"), [(4, 60, 60), (20, 64, 50), (5, 33, 33)])
def test_places_one_after_the_other_under_a_shape_of_kinds(kinds: int, places: int, filled: int) -> None:
    text = numpy.zeros((places, kinds), "f4")
    text[numpy.arange(filled), ORDER.integers(kinds, size=filled)] = 1
    text[3] = 0  # a letter of no kind
    assert "lie place by place" in other_way(text.reshape(1, kinds, places))
    assert other_way(text.T[None].copy()) == ""
    assert other_way(text.reshape(kinds, places)) == "", "lines of a table, each of several columns of kinds"
    flags = (ORDER.random((1, kinds, places)) < 0.4).astype("f4")
    assert other_way(flags) == "", "several at once"


def test_equal_columns_are_not_taken_for_each_other() -> None:
    pixels = numpy.concatenate([NUMBERS, NUMBERS[:, ::-1], NUMBERS[:, [1, 0, 3, 2]] * 2], axis=1)
    scans = Table(pixels, TABLE.lines, tuple(f"p{one}" for one in range(12)))
    assert wrong(pixels[PART] / 16, scans) == ""
    assert "were sent twice" in wrong(numpy.concatenate([SCALED, SCALED], axis=1)[PART])


@pytest.mark.parametrize("kind", ["<f4", "<f8"])
@pytest.mark.parametrize("is_scaled", [False, True])
def test_rows_of_a_file_of_floats(kind: str, is_scaled: bool) -> None:
    lines = (numpy.random.default_rng(6).normal(3, 2, (9, 6)) * [1, 20, 0.5, 300, 4, 9]).astype(kind)
    sent = ((lines - lines.mean(0)) / lines.std(0) if is_scaled else lines).astype("f4")

    def wrong_in(rows: Any) -> str:
        found = opened({"rows.bin": lines.tobytes()}).of(Tensor.from_numpy(numpy.ascontiguousarray(rows)))
        return found.wrong if found is not None else ""

    assert "one column come first" in wrong_in(sent.T.reshape(9, 6))
    assert wrong_in(sent) == wrong_in(sent[2:8]) == wrong_in(sent.T) == ""


@pytest.mark.parametrize("scale", [lambda lines: lines, lambda lines: (lines - 3) / [2, 9, 1, 5]])
@pytest.mark.parametrize("count", [4, 8])
def test_a_series_with_a_row_for_each_channel(scale: Any, count: int) -> None:
    """Of as many steps as channels the shape says nothing of which are which; of more it says that rows are
    steps."""
    data = "area,rooms,age,distance\n" + "\n".join(",".join(f"{one:g}" for one in line) for line in NUMBERS)
    origins = opened({"a.csv": data.encode()})
    for start in (2, 9, 16):
        window = scale(NUMBERS)[start : start + count].astype("f4")
        turned = numpy.ascontiguousarray(window.T).reshape(1, count, 4)
        found = origins.of(Tensor.from_numpy(turned), "x")
        wrong = "" if found is None else found.wrong
        assert bool(wrong) == (count == 8) and (not wrong or "first" in wrong)

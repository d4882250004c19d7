"""One line of a table that a guest scales by two lists of numbers in a file: mistakes, and twins without
one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn import Module
from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sent.unapplied import Unapplied
from pywasm_nn.watch.sheets import Sheets
from pywasm_nn.watch.sheets.scaler_files import Lists
from tests.watch.test_false_alarms import all_said

MEAN = numpy.array([120.5, 3.25, 0.875, 41.5, 9.75])
WIDE = numpy.array([14.5, 1.125, 0.25, 6.5, 2.375])
LINES = MEAN + WIDE * numpy.array([[0.5, -1.25, 2.0, 0.25, -0.75], [-1.5, 0.75, 0.3, 1.1, 0.6]])
Rows = Callable[[Any], Any]


def text(rows: Any, delimiter: str = ",") -> bytes:
    return "\n".join(delimiter.join(f"{one:.9g}" for one in row) for row in rows).encode()


def said(files: dict[str, bytes], inputs: Any, *, scaled: bool = False) -> str:
    """What is said of a guest that reads files and sends inputs one by one."""
    sheets = Sheets(lambda: [*files.items()])
    found: list[str] = []
    for row in inputs:
        found += sheets.set("x", Tensor.from_numpy(numpy.array([row], "f4")), is_scaled=scaled)
    return "; ".join([*found, *(one for _, one in sheets.finish())])


SCALE = {"scale.txt": text([MEAN, WIDE], " ")}
MISTAKES: dict[str, Rows] = {
    "multiplied by the deviation, not divided": lambda x: (x - MEAN) * WIDE,
    "the two lists are exchanged": lambda x: (x - WIDE) / MEAN,
    "made larger by the mean": lambda x: (x + MEAN) / WIDE,
    "brackets are missing": lambda x: x / WIDE - MEAN,
    "scaled twice": lambda x: ((x - MEAN) / WIDE - MEAN) / WIDE,
    "the mean was not taken away": lambda x: x / WIDE,
    "which undoes a scaler": lambda x: x * WIDE + MEAN,
    "its numbers were sent as they stand, though scale.txt, which was read": lambda x: x,
}
RIGHT: tuple[Rows, ...] = (lambda x: (x - MEAN) / WIDE, numpy.zeros_like, lambda x: x[:, ::-1])


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("wrong", MISTAKES)
def test_formulas(wrong: str, count: int) -> None:
    files = SCALE | {"day.csv": text(LINES[:count])}
    assert wrong in said(files, MISTAKES[wrong](LINES[:count]))
    turned = {"scale.txt": text([WIDE, MEAN], " ")} | {"day.csv": text(LINES[:count])}
    assert wrong in said(turned, MISTAKES[wrong](LINES[:count])), "the deviations may come first"


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("shape", [2.5, 6.0])
def test_exchanged_lists_of_columns_that_are_often_near_0(seed: int, shape: float) -> None:
    """Half of such numbers are as near to the deviation as to the mean: how wide the columns are tells."""
    numbers = numpy.random.default_rng(seed)
    unit = numpy.array([0.01, 3, 40, 0.2, 700, 5, 0.6, 90])
    every = (numbers.gamma(shape, size=(400, 8)) * unit).round(5)
    lines, mean, wide = every[:9], every.mean(axis=0).round(6), every.std(axis=0).round(6)
    least, by = every.min(axis=0), numpy.ptp(every, axis=0)
    for both in ([mean, wide], [wide, mean], numpy.transpose([mean, wide])):
        files = {"params.txt": text(both, " "), "day.csv": text(lines)}
        wrong = said(files, (lines - wide) / mean)
        assert not wrong or "the two lists are exchanged" in wrong
        assert wrong or shape < 5
        assert said(files, (lines - mean) / wide) == ""
    ends = {"params.txt": text([least, least + by], " "), "day.csv": text(lines)}
    assert said(ends, (lines - least) / by) == ""


NAMES = ("salt", "acid", "depth", "flow", "heat")
ANSWER = ("quality", 5.625, 0.8125)


def scaler(kind: str) -> dict[str, bytes]:
    """Means and deviations of which the last, or the first, are those of what the model says."""
    rows = [*zip(NAMES, MEAN, WIDE, strict=True)]
    rows = [ANSWER, *rows] if kind == "first" else [*rows, ANSWER]
    if kind == "json":
        lists = f'"mean": {[float(one[1]) for one in rows]}, "std": {[float(one[2]) for one in rows]}'
        return {
            "norm.json": f'{{"names": {[*map(str, NAMES), ANSWER[0]]}, {lists}}}'.replace("'", '"').encode()
        }
    lines = ["name,mean,std", *(f"{name},{mean},{wide}" for name, mean, wide in rows)]
    return {"scaler.csv": "\n".join(lines).encode()}


@pytest.mark.parametrize("kind", ["last", "first", "json"])
def test_lists_with_the_answer(kind: str) -> None:
    table = [f"{at},{','.join(map(str, row))},6.25" for at, row in enumerate(LINES)]
    files = scaler(kind) | {"wine.csv": "\n".join(["id," + ",".join(NAMES) + ",quality", *table]).encode()}
    assert "which was read, has a mean and a deviation for each (120.5 and 14.5" in said(files, LINES)
    assert "multiplied by the deviation" in said(
        files, MISTAKES["multiplied by the deviation, not divided"](LINES)
    )
    for right in RIGHT:
        assert said(files, right(LINES)) == ""
    assert said(files, LINES, scaled=True) == "", "the model does it"


@pytest.mark.parametrize("right", RIGHT)
def test_nothing_is_wrong(right: Rows) -> None:
    files = SCALE | {"day.csv": text(LINES, ";")}
    assert said(files, right(LINES)) == ""
    assert said({"day.csv": files["day.csv"]}, LINES) == "", "nothing says that a scaler is wanted"
    assert said(files, LINES, scaled=True) == "", "the model scales them itself"
    assert said(files, [*LINES, *(LINES - MEAN) / WIDE]) == "", "the scaled ones go to where they are wanted"


def test_another_table_is_no_scaler() -> None:
    others = {"other.csv": text(LINES[::-1] + 0.25 * WIDE), "day.csv": text(LINES)}
    assert said(others, LINES) == ""


def test_ends_of_a_range() -> None:
    files = {"range.txt": text([MEAN - 3 * WIDE, MEAN + 3 * WIDE]), "day.csv": text(LINES)}
    assert said(files, (LINES - MEAN) / WIDE / 3) == ""
    assert said(files, (LINES - MEAN) / WIDE / 6 + 0.5) == ""


@pytest.mark.parametrize("kind", ["<f4", "<f8"])
def test_numbers_in_a_file_of_floats(kind: str) -> None:
    files = {"scale.bin": numpy.concatenate([MEAN, WIDE]).astype(kind).tobytes(), "day.csv": text(LINES)}
    assert "not divided" in said(files, (LINES - MEAN) * WIDE)
    assert said(files, (LINES - MEAN) / WIDE) == ""


FLAT = {
    "one behind the other": numpy.concatenate([MEAN, WIDE]),
    "in pairs": numpy.column_stack([MEAN, WIDE]).ravel(),
}


def without_zeros(numbers: Any) -> bytes:
    """Floats none of whose bytes is 0, as those of most measured numbers."""
    made = numpy.asarray(numbers, "<f4").view("<u4")
    return ((made & 0xFFFF0000) | 0x2A3B).astype("<u4").tobytes()


@pytest.mark.parametrize("has_zeros", [True, False])
@pytest.mark.parametrize("turn", [False, True])
@pytest.mark.parametrize("kind", FLAT)
def test_numbers_in_other_groups(kind: str, turn: bool, has_zeros: bool) -> None:
    flat = FLAT[kind] if not turn else FLAT[kind][::-1]
    data = flat.astype("<f4").tobytes() if has_zeros else without_zeros(flat)
    assert has_zeros or 0 not in data
    files = {"scale.bin": data, "day.csv": text(LINES[:, ::-1] if turn else LINES)}
    lines, read = LINES[:, ::-1] if turn else LINES, numpy.frombuffer(data, "<f4").astype("f8")
    pairs, halves = (read[::2], read[1::2]), (read[:5], read[5:])
    right, wrong = (halves, pairs) if "behind" in kind else (pairs, halves)
    if turn:  # all numbers from the last to the first, so that deviations come before their means
        right, wrong = right[::-1], wrong[::-1]
    expected = "read as pairs" if "behind" in kind else "read as two lists"
    assert expected in said(files, (lines - wrong[0]) / wrong[1])
    assert said(files, (lines - right[0]) / right[1]) == ""
    assert said(files | {"scale.bin": data[:-4]}, (lines - wrong[0]) / wrong[1]) == ""


def test_lines_of_text_in_other_groups() -> None:
    flat = FLAT["one behind the other"]
    for name, rows in (("two lines", [MEAN, WIDE]), ("five lines", [*zip(MEAN, WIDE, strict=True)])):
        files = {"scale.txt": text(rows, " "), "day.csv": text(LINES)}
        own = flat if name == "two lines" else FLAT["in pairs"]
        wrong = (own[::2], own[1::2]) if name == "two lines" else (own[:5], own[5:])
        assert "each column was scaled by other numbers" in said(files, (LINES - wrong[0]) / wrong[1])
        assert said(files, (LINES - MEAN) / WIDE) == ""


def test_groups_of_which_none_is_usual() -> None:
    far = LINES + 50 * WIDE
    files = {"scale.bin": FLAT["in pairs"].astype("<f4").tobytes(), "day.csv": text(far)}
    own = FLAT["in pairs"]
    assert said(files, (far - own[:5]) / own[5:]) == ""


def test_a_class_in_place_of_the_first_number() -> None:
    data = numpy.column_stack([[1, 2], LINES])
    plain = {"scale.f32": without_zeros([MEAN, WIDE]), "day.csv": text(data)}
    mean, wide = numpy.frombuffer(plain["scale.f32"], "<f4").astype("f8").reshape(2, 5)
    assert "column 1 was sent" in said(plain, (data[:, :5] - mean) / wide), "floats without a byte 0"
    files = SCALE | {"day.csv": text(data)}
    found = said(files, (data[:, :5] - MEAN) / WIDE)
    assert "column 1 was sent (is column 1 the class" in found and "column 6 was not" in found
    assert said(files, (data[:, 1:] - MEAN) / WIDE) == ""
    last = {"day.csv": text(numpy.column_stack([LINES, [1, 2]]))} | SCALE
    assert said(last, (LINES - MEAN) / WIDE) == ""


def test_ids_among_columns_that_vary_little() -> None:
    """Means that are smaller than most deviations are no nearer to the numbers than these."""
    random = numpy.random.default_rng(3)
    mean = numpy.array([14.0, 0.1, 0.5, 400.0, 2.0, 0.02, 1.1])
    wide = numpy.array([3.5, 0.07, 0.6, 350.0, 1.9, 0.03, 0.9])
    lines = mean + wide * random.uniform(-1.6, 1.8, (7, 7))
    data = numpy.column_stack([70100 + random.permutation(900)[:7], lines])
    files = {"norm.txt": text(numpy.stack([mean, wide], 1), " "), "beds.csv": text(data)}
    found = said(files, (data[:, :7] - mean) / wide)
    assert "column 1 was sent (is column 1 an id?), and column 8 was not" in found
    assert said(files, (lines - mean) / wide) == ""
    alike = files | {"beds.csv": text(numpy.column_stack([lines, lines[:, :1]]))}
    assert said(alike, (lines - mean) / wide) == ""
    outlier = data.copy()
    outlier[2, 1] = 90.0
    assert said(files | {"beds.csv": text(outlier)}, (outlier[:, 1:] - mean) / wide) == ""


@pytest.mark.parametrize("kind", ["deviations", "ends"])
@pytest.mark.parametrize("line", [0, 3])
def test_a_text_in_place_of_the_first_number(kind: str, line: int) -> None:
    """Whoever takes a name for a number reads 0, and all others come one place too late."""
    random = numpy.random.default_rng(8)
    low, high = numpy.array([900.0, -20, 0, 40, 2.5]), numpy.array([1100.0, 35, 9, 90, 8])
    lines = (low + (high - low) * random.uniform(0.1, 0.9, (5, 5))).round(3)
    one, other = (low, high - low) if kind == "ends" else (lines.mean(axis=0), lines.std(axis=0))
    lists = [low, high] if kind == "ends" else [one, other]
    rows = [f"st{at}," + text([row]).decode() for at, row in enumerate(lines)]
    files = {"norm.txt": text(lists, " "), "day.csv": "\n".join(["name,a,b,c,d,e", *rows]).encode()}
    late = numpy.column_stack([numpy.zeros(5), lines[:, :4]])
    found = said(files, ((late - one) / other)[line : line + 1])
    assert "column 1 is a text (an id), and was sent as 0 in place of the first element" in found
    assert said(files, ((lines - one) / other)[line : line + 1]) == ""
    known = numpy.column_stack([numpy.full(5, one[0] + other[0] / 2), lines[:, :4]])
    assert "is a text" not in said(files, ((known - one) / other)[line : line + 1]), "no 0"
    assert "is a text" not in said(files, -one[None] / other)


@pytest.mark.parametrize("seed", range(4))
def test_a_scaler_of_columns_that_are_as_wide_as_high(seed: int) -> None:
    """Such numbers are as near to the deviation as to the mean: how likely all are tells which is which."""
    random = numpy.random.default_rng(seed)
    unit = numpy.array([0.01, 3, 40, 0.2, 700, 5, 0.6, 90, 0.05, 12])
    every = (random.gamma(2.5, size=(300, 10)) * unit).round(5)
    usual = (abs(every - every.mean(axis=0)) < 3 * every.std(axis=0)).all(axis=1)
    lines, mean, wide = every[usual][:9], every.mean(axis=0).round(6), every.std(axis=0).round(6)
    files = {"norm.txt": text(numpy.stack([mean, wide], 1)), "day.csv": text(lines)}
    assert "its numbers were sent as they stand, though norm.txt" in said(files, lines)
    assert said(files, lines, scaled=True) == "", "the model does it"
    assert said(files, (lines - mean) / wide) == ""
    assert Lists("norm.txt", mean, wide, True).is_likelier(lines)
    for one, other in ((wide, mean), (every.min(axis=0), every.max(axis=0))):
        assert not Lists("norm.txt", one, other, True).is_likelier(lines)
    other = files | {"day.csv": text(lines * 40)}
    assert said(other, lines * 40) == "", "no scaler of these"


def test_shifted_columns_are_said_once() -> None:
    random = numpy.random.default_rng(6)
    data = numpy.column_stack([random.integers(1, 4, 12), MEAN + WIDE * random.uniform(-1.5, 1.5, (12, 5))])
    files = {"day.csv": b"kind,a,b,c,d,e\n" + text(data), "scale.f32": without_zeros([MEAN, WIDE])}
    mean, wide = numpy.frombuffer(files["scale.f32"], "<f4").astype("f8").reshape(2, 5)
    lines = ((data[:, :5] - mean) / wide)[:, None]
    (found,) = all_said(lines, files, rounds=12)
    assert "the first numbers in scale.f32" in found
    files["scale.f32"] = b"read by the program in its own way"
    (found,) = all_said(lines, files, rounds=12)
    assert "are the columns counted from another one?" in found


@pytest.mark.parametrize("files", [SCALE, {}])
@pytest.mark.parametrize("count", [1, 2])
def test_numbers_that_stay_unset(files: dict[str, bytes], count: int) -> None:
    """Without skipping commas the first number is read; a date in front ends reading in it."""
    table = text(LINES) if count == 1 else b"when,a,b,c,d,e\n" + b"\n".join(
        b"2026-03-0%dT08:00," % (day + 1) + line for day, line in enumerate(text(LINES).splitlines())
    )  # fmt: skip
    read = numpy.zeros_like(LINES)
    read[:, :3] = [[2026, -3, -1], [2026, -3, -2]]
    if count == 1:
        read[:, 1:], read[:, 0] = 0, LINES[:, 0]
    for made in [read, (read - MEAN) / WIDE] if files else [read]:
        found = said(files | {"day.csv": table}, made)
        assert (
            'stop at ","' if count == 1 else 'reading numbers from "2026-03-01T08:00" on stops at "T08:00"'
        ) in found
    begun = numpy.tril(numpy.ones((5, 5))) * LINES[0]
    assert said({"day.csv": table}, begun) == "", "the others come later, one by one"
    for made in (LINES * 1.5, numpy.eye(5) * LINES[0, 1], numpy.eye(5)):
        assert said(files | {"day.csv": table}, made) == ""


def test_columns_between_blanks_are_numbers_of_their_own() -> None:
    cells = numpy.array([[3.05, -20, 5], [3.2, -15, 9.3], [3.35, -10, 13.6], [3.5, -5, 17.9]])
    for made in (cells, cells.astype("f2")):
        assert said({"cells.txt": text(cells, " ")}, made) == ""


def test_a_date_is_three_numbers() -> None:
    lines = text(LINES[:, :4]).splitlines()
    table = b"when,a,b,c,d\n" + b"\n".join(b"2026-03-0%d," % (at + 1) + line for at, line in enumerate(lines))
    read = numpy.column_stack([[2026, 2026], [-3, -3], [-1, -2], LINES[:, :2]])
    assert 'read from "2026-03-01" on (2026, -3, -1' in said({"day.csv": table}, read)
    assert said({"day.csv": table}, abs(read)) == "", "year, month and day may be meant"


def test_more_than_two_lists_are_lines_of_data() -> None:
    others = text(LINES[[0, 1, 0]] + numpy.array([[0.3], [-0.4], [0.6]]) * WIDE)
    assert said({"norm.csv": others, "day.csv": text(LINES)}, LINES) == ""


@pytest.mark.parametrize("seed", range(4))
def test_deviations_taken_for_variances(seed: int) -> None:
    numbers = numpy.random.default_rng(seed)
    lines = MEAN + WIDE * numbers.uniform(-1.6, 1.6, (8, 5))
    files = {"scale.bin": numpy.concatenate([MEAN, WIDE]).astype("<f4").tobytes(), "day.csv": text(lines)}
    assert "as of a variance; by the lines" in said(files, (lines - MEAN) / WIDE**0.5)
    variances = {"scale.bin": numpy.concatenate([MEAN, WIDE**2]).astype("<f4").tobytes()}
    assert said(files | variances, (lines - MEAN) / WIDE) == ""
    divided = said(files | variances, (lines - MEAN) / WIDE**2)
    assert "by the lines of the table is the variance" in divided
    few = files | {"day.csv": text(lines[:2])}
    assert said(few, (lines[:2] - MEAN) / WIDE**0.5) == "", "two lines don't say how wide columns are"
    alike = numpy.concatenate([MEAN, 0 * WIDE + 1.2]).astype("<f4").tobytes()
    level = MEAN + 1.1 * (lines - MEAN) / WIDE
    assert said({"scale.bin": alike, "day.csv": text(level)}, (level - MEAN) / 1.2**0.5) == ""


@pytest.mark.parametrize(
    "head, tail", [("id", "e"), ("No", "e"), ("patient_id", "e"), ("SampleID", "e"), ("a", "class")]
)
@pytest.mark.parametrize("seed", range(3))
def test_the_number_of_the_line_among_scaled_columns(head: str, tail: str, seed: int) -> None:
    numbers = numpy.random.default_rng(seed)
    lines = MEAN + WIDE * numbers.normal(size=(7, 5)) * [1, 1, 4, 1, 1]
    names = [head, "b", "c", "d", "e", "f"] if tail != "class" else ["a", "b", "c", "d", "e", tail]
    own = numpy.column_stack([845000 + numbers.permutation(7), lines])
    if tail == "class":
        own = numpy.column_stack([lines, numbers.integers(0, 2, 7)])
    files = SCALE | {"day.csv": ",".join(names).encode() + b"\n" + text(own)}
    wrong, right = (own[:, :5], own[:, 1:]) if tail != "class" else (own[:, 1:], own[:, :5])
    found = said(files, (wrong - MEAN) / WIDE)
    assert ("was sent" in found and "one place too early or late?" in found) or "by their own" in found
    assert said(files, (right - MEAN) / WIDE) == ""
    of_it = SCALE | {"day.csv": ("depth," + ",".join(names[1:])).encode() + b"\n" + text(own)}
    assert tail == "class" or "too early or late?" not in said(of_it, (wrong - MEAN) / WIDE)
    mean, wide = wrong.mean(axis=0), wrong.std(axis=0) + 0.1
    trained = {"scale.txt": text([mean, wide], " "), "day.csv": files["day.csv"]}
    assert said(trained, (wrong - mean) / wide) == "", "the model was trained on it"


LOW, HIGH = LINES.min(axis=0) - 0.3 * WIDE, LINES.max(axis=0) + 0.4 * WIDE
BY_RANGE: dict[str, Rows] = {
    "low was not taken away": lambda x: x / (HIGH - LOW),
    "each column was scaled twice": lambda x: ((x - LOW) / (HIGH - LOW) - LOW) / (HIGH - LOW),
    "divided by high, and low was not": lambda x: x / HIGH,
    "divided by high in place of high - low": lambda x: (x - LOW) / HIGH,
    "not divided by high - low": lambda x: x - LOW,
    "brackets are missing": lambda x: x - LOW / (HIGH - LOW),
    "made larger by low": lambda x: (x + LOW) / (HIGH - LOW),
}
RIGHT_RANGES: tuple[Rows, ...] = (
    lambda x: (x - LOW) / (HIGH - LOW),
    lambda x: 2 * (x - LOW) / (HIGH - LOW) - 1,
    lambda x: x,
)


@pytest.mark.parametrize("wrong", BY_RANGE)
def test_formulas_of_ranges(wrong: str) -> None:
    files = {"ends.txt": text([LOW, HIGH]), "day.csv": text(LINES)}
    assert wrong in said(files, BY_RANGE[wrong](LINES))
    assert wrong in said({"ends.txt": text([HIGH, LOW]), "day.csv": text(LINES)}, BY_RANGE[wrong](LINES))
    for right in RIGHT_RANGES:
        assert said(files, right(LINES)) == ""


def test_the_largest_alone_where_all_begin_at_0() -> None:
    files = {"ends.txt": text([0 * HIGH, HIGH]), "day.csv": text(LINES)}
    assert said(files, LINES / HIGH) == ""


@pytest.mark.parametrize("part", [0.0, 0.05, -0.1])
def test_the_width_of_a_range_beside_its_low_end(part: float) -> None:
    """Where low is near 0, its file may as well have high - low, as a right program takes it."""
    wide = HIGH - LOW
    low = part * wide
    lines = low + wide * numpy.random.default_rng(8).uniform(0.05, 0.9, LINES.shape)
    assert said({"ends.txt": text([low, wide]), "day.csv": text(lines)}, (lines - low) / wide) == ""


def test_means_that_are_hardly_larger_than_deviations() -> None:
    """Which of both lists are the means isn't sure then, and a formula that divides says it."""
    mean = numpy.array([0.11, 3.25, 0.31, 1.5, 2.5])
    wide = numpy.array([0.125, 1.125, 0.25, 1.7, 2.375])
    lines = mean + wide * numpy.array([[0.5, -0.25, 2.0, 1.25, 0.75], [1.5, 0.75, 0.3, 1.1, 0.6]])
    files = {"scale.txt": text([mean, wide], " "), "day.csv": text(lines)}
    assert "the square of the deviation" in said(files, (lines - mean) / wide**2)
    assert said(files, (lines - mean) / wide) == ""


@pytest.mark.parametrize("kind", ["<f4", "<f8"])
def test_lines_in_a_file_of_floats(kind: str) -> None:
    files = SCALE | {"day.bin": LINES.astype(kind).tobytes()}
    for wrong in ("made larger by the mean", "brackets are missing", "the mean was not taken away"):
        assert wrong in said(files, MISTAKES[wrong](LINES))
    assert said(files, (LINES - MEAN) / WIDE) == ""
    assert said(files, LINES[:, ::-1]) == ""


@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("gap", [0, 3])
def test_numbers_of_the_program(kind: str, gap: int) -> None:
    between = numpy.full(gap, 7.5)
    data = numpy.concatenate([[3e-12, 17.0, 255.0], MEAN, between, WIDE, [0.5, 100.0]]).astype(kind)

    def of_own(inputs: Any, numbers: Any = data) -> str:
        sheets = Sheets(lambda: [("day.csv", text(LINES))], own=lambda: [numbers])
        rows = (Tensor.from_numpy(numpy.array([row], "f4")) for row in inputs)
        return "; ".join(one for row in rows for one in sheets.set("x", row))

    for wrong, formula in MISTAKES.items():
        if "as they stand" in wrong or (gap and "not taken away" in wrong):
            continue
        expected = wrong if "exchanged" not in wrong else ""
        assert expected in of_own(formula(LINES))
    for right in RIGHT:
        assert of_own(right(LINES)) == ""
    assert of_own(LINES) == of_own((LINES - LOW) / (HIGH - LOW)) == ""
    ends = numpy.concatenate([LOW, between, HIGH]).astype(kind)
    assert "low was not taken away" in of_own(LINES / (HIGH - LOW), ends)
    assert of_own((LINES - LOW) / (HIGH - LOW), ends) == ""


@pytest.mark.parametrize("kind", ["text", "<f4", "<f8"])
@pytest.mark.parametrize("count", [2, 3, 7])
def test_a_batch_whose_columns_lie_one_behind_the_other(kind: str, count: int) -> None:
    lines = MEAN + WIDE * numpy.random.default_rng(4).uniform(-2, 2, (count, 5)).round(2)
    data = text(lines) if kind == "text" else lines.astype(kind).tobytes()
    files = SCALE | {"day.data": data}
    scaled = ((lines - MEAN) / WIDE).astype("f4")

    def of_batch(rows: Any) -> str:
        sheets = Sheets(lambda: [*files.items()])
        return "; ".join(sheets.set("x", Tensor.from_numpy(numpy.ascontiguousarray(rows))))

    assert "all of one column come first" in of_batch(scaled.T.reshape(count, 5))
    assert of_batch(scaled) == of_batch(scaled.T) == of_batch(scaled[:1]) == ""


@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_numbers_of_the_programs_instructions(kind: str) -> None:
    """Small arrays become constants, in turns or one list behind the other."""
    for numbers in (numpy.column_stack([MEAN, WIDE]).ravel(), numpy.concatenate([MEAN, WIDE])):
        stores = (f"({kind}.store (i32.const 0) ({kind}.const {one}))" for one in numbers)
        module = Module.from_text(f"(module (memory 1) (func {''.join(stores)}))")
        unapplied = Unapplied()
        unapplied.attach(module)
        sheets = Sheets(lambda: [("day.csv", text(LINES))], own=unapplied.numbers)
        wrong = MISTAKES["made larger by the mean"](LINES)[0]
        assert "made larger by the mean" in "".join(
            sheets.set("x", Tensor.from_numpy(wrong[None].astype("f4")))
        )
        right = ((LINES - MEAN) / WIDE)[0]
        assert not [*sheets.set("z", Tensor.from_numpy(right[None].astype("f4")))]


@pytest.mark.parametrize("titles", ["name weight limit", "name mean scale", "name min max"])
def test_lists_with_headings_are_left_to_those_that_read_them(titles: str) -> None:
    """A limit isn't the end of a range, and what isn't a scaler's has other uses."""
    rows = [f"{name} {low} {high}" for name, low, high in zip(NAMES, LOW, HIGH, strict=True)]
    files = {"limits.txt": "\n".join([titles, *rows]).encode(), "day.csv": text(LINES)}
    assert said(files, LINES / HIGH) == said(files, LINES - LOW) == ""


def test_ends_of_ranges_in_json() -> None:
    ends = f'{{"low": {LOW.tolist()}, "high": {HIGH.tolist()}}}'.encode()
    files = {"ends.json": ends, "day.csv": text(LINES)}
    assert "low was not taken away" in said(files, LINES / (HIGH - LOW))
    assert said(files, (LINES - LOW) / (HIGH - LOW)) == ""
    limits = {
        "limits.json": ends.replace(b"low", b"weight").replace(b"high", b"limit"),
        "day.csv": text(LINES),
    }
    assert said(limits, LINES / HIGH) == ""


FIELDS = [f"{one:.9g}" for one in LINES[0]]
RANGE = {"range.txt": text([MEAN - 3 * WIDE, MEAN + 3 * WIDE])}


def with_gap(mark: str, places: Sequence[int], *, at: str = "p1,") -> dict[str, bytes]:
    """Returns a table one line of which lacks some numbers, behind an id."""
    fields = [mark if place in places else one for place, one in enumerate(FIELDS)]
    head = "id," + ",".join(NAMES)
    return {"day.csv": "\n".join([head, at + ",".join(fields), at + text(LINES[1:]).decode()]).encode()}


@pytest.mark.parametrize("stands", [0.0, -999.0])
@pytest.mark.parametrize("mark", ["", "NA", "?", "n/a", "-"])
def test_a_missing_number_that_is_scaled_as_another(mark: str, stands: float) -> None:
    files = with_gap(mark, [2, 4])
    line = numpy.where(numpy.isin(numpy.arange(5), [2, 4]), stands, LINES[0])
    found = said(files | SCALE, [(line - MEAN) / WIDE])
    assert f"is empty in the line, and was sent as {stands:g}" in found.replace(f'"{mark}" in', "empty in")
    assert "usually replaced by the column's mean" in found
    low, high = MEAN - 3 * WIDE, MEAN + 3 * WIDE
    wide = said(files | RANGE, [(line - low) / (high - low)])
    assert ("a number of the range" in wide) is bool(stands), "0 is hardly beyond the ranges of these"


def test_missing_numbers_that_are_replaced() -> None:
    files, gap = with_gap("NA", [2, 4]), numpy.isin(numpy.arange(5), [2, 4])
    for instead in (MEAN, MEAN + 0.3 * WIDE, LINES[1]):
        assert said(files | SCALE, [(numpy.where(gap, instead, LINES[0]) - MEAN) / WIDE]) == ""
    assert said(files | SCALE, [numpy.where(gap, 0, (LINES[0] - MEAN) / WIDE)]) == ""
    near = {"scale.txt": text([MEAN, MEAN / 2], " ")}
    assert said(files | near, [(numpy.where(gap, 0, LINES[0]) - MEAN) / (MEAN / 2)]) == "", "0 is near"
    words = with_gap("low", [2, 4])
    assert said(words | SCALE, [(numpy.where(gap, 0, LINES[0]) - MEAN) / WIDE]) == "", "a kind"


def test_names_in_another_order_than_the_columns() -> None:
    order = [3, 0, 4, 1, 2]
    table = "\n".join([",".join(NAMES[one] for one in order), text(LINES[:, order]).decode()]).encode()
    files = SCALE | {"day.csv": table, "columns.txt": "\n".join(NAMES).encode()}
    found = said(files, (LINES[:, order] - MEAN) / WIDE)
    assert "columns.txt has the same names in another order" in found
    assert said(files, (LINES - MEAN) / WIDE) == ""
    assert said(files, (LINES[:, order] - MEAN[order]) / WIDE[order]) == "", "the lists were turned, too"
    own = {"columns.txt": "\n".join(NAMES[one] for one in order).encode()}
    assert "columns.txt" not in said(files | own, (LINES[:, order] - MEAN) / WIDE), "the file's own order"
    turned = SCALE | {"scale.txt": text([MEAN[order], WIDE[order]], " "), "day.csv": table}
    listed = turned | {"columns.txt": files["columns.txt"]}
    assert said(listed, (LINES[:, order] - MEAN[order]) / WIDE[order]) == "", "lists in the file's order"


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("titles", [("", ""), ("mean", "std")])
def test_headings_of_the_lists_in_another_order(titles: tuple[str, str], delimiter: str) -> None:
    """Columns are taken by their places, and the scaler's file has the names above its numbers."""
    order = [3, 0, 4, 1, 2]
    table = "\n".join([",".join(NAMES[one] for one in order), text(LINES[:, order]).decode()]).encode()

    def above(names: Sequence[str], rows: Any) -> bytes:
        first = [("what", *titles)] if titles[0] else [("", "", "")]
        lines = [names, *(map(str, row) for row in rows)]
        named = [([title] if title else []) + [*line] for title, line in zip(first[0], lines, strict=True)]
        return "\n".join(delimiter.join(line) for line in named).encode()

    files = {"day.csv": table, "scale.csv": above(NAMES, [MEAN, WIDE])}
    found = said(files, (LINES[:, order] - MEAN) / WIDE)
    assert "scale.csv has the same names in another order" in found
    assert said(files, (LINES - MEAN) / WIDE) == ""
    assert said(files, (LINES[:, order] - MEAN[order]) / WIDE[order]) == "", "each by its name"
    turned = {"scale.csv": above([NAMES[one] for one in order], [MEAN[order], WIDE[order]])}
    assert said(files | turned, (LINES[:, order] - MEAN[order]) / WIDE[order]) == ""
    other = {"scale.csv": above(NAMES, [MEAN[order], WIDE[order]])}
    assert said(files | other, (LINES[:, order] - MEAN[order]) / WIDE[order]) == "", "old names above them"


@pytest.mark.parametrize("delimiter", [",", ";"])
@pytest.mark.parametrize("titles", ["", "name,mean,std"])
def test_names_before_the_lists_in_another_order(titles: str, delimiter: str) -> None:
    """Columns are taken by their places, and the scaler's file has a line for each, with its name."""
    order = [3, 0, 4, 1, 2]
    table = "\n".join([",".join(NAMES[one] for one in order), text(LINES[:1, order]).decode()]).encode()

    def listed(places: Sequence[int]) -> bytes:
        rows = [f"{NAMES[one]},{MEAN[one]},{WIDE[one]}" for one in places]
        return "\n".join(filter(None, [titles, *rows])).replace(",", delimiter).encode()

    files = {"day.csv": table, "scale.csv": listed(range(5))}
    found = said(files, (LINES[:1, order] - MEAN) / WIDE)
    assert "scale.csv has the same names in another order" in found
    assert said(files, (LINES[:1] - MEAN) / WIDE) == "", "each by its name"
    assert said(files | {"scale.csv": listed(order)}, (LINES[:1, order] - MEAN[order]) / WIDE[order]) == ""

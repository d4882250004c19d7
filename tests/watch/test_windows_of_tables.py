"""Inputs of several lines of a table, and lines that are scaled: how they are laid out, by what they are
scaled, and whether the window moves. Each mistake has right twins."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn import Module
from pywasm_nn.interpreter.encode import encode
from pywasm_nn.nn.operation import NNEvent
from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.evidence import Evidence
from pywasm_nn.watch.origin.own_series import series_in
from pywasm_nn.watch.origin.tables import found_in, table_in
from tests.watch.test_false_alarms import reads

RANDOM = numpy.random.default_rng(21)
AXES = RANDOM.normal(0, 1, (80, 3)).round(4)
PHONE = numpy.column_stack([numpy.arange(80) * 20, AXES])
WINE = (RANDOM.normal(0, 1, (12, 6)) * [1, 3, 0.2, 50, 4, 9] + [13, 20, 2, 700, 5, 30]).round(3)
MEAN, DEVIATION = numpy.array([13.2, 21, 2.2, 740, 5.5, 28]), numpy.array([0.8, 3.3, 0.27, 310, 2.3, 14])


def csv(numbers: Any) -> bytes:
    heads = ",".join(f"h{one}" for one in range(numbers.shape[1]))
    lines = [",".join(f"{one:.10g}" for one in row) for row in numbers.tolist()]
    return "\n".join([heads, *lines]).encode() + b"\n"


def compiled(data: bytes) -> Module:
    """A program that has a text among its data."""
    text = "".join(f"\\{one:02x}" for one in b"%d lines" + bytes(4) + data + b"\0panic\0")
    return Module.from_bytes(encode(Module.from_text(f'(module (memory 4) (data (i32.const 64) "{text}"))')))


def hints(
    inputs: list[Any],
    data: bytes,
    module: Module | None = None,
    name: str = "x",
    *,
    reads_table: bool = False,
) -> list[str]:
    """The hints of a guest that reads a table, or has one in itself, and sends inputs one by one."""
    evidence = Evidence()
    if module is not None:
        evidence.attach(module)
    for event in reads(data, "table.csv") if module is None or reads_table else ():
        evidence.host_call(event)
    said = []
    for array in inputs:
        tensor = Tensor.from_numpy(numpy.ascontiguousarray(array, "f4"))
        spec = TensorSpec(name, tensor.dtype, tensor.shape)
        event = NNEvent("set_input", "", 0.0, None, None, 1, 1, None, 0, (spec,), (tensor,))
        said += list(evidence.nn_event(event, ()))
    return [text for rule, text in [*said, *evidence.finish()] if rule is not None]


@pytest.mark.parametrize("scale", [1.0, 0.02])
def test_columns_that_are_looked_up(scale: float) -> None:
    """A program that has all their names may look for them, in whatever order the file has them."""
    data = b"kind" + csv(WINE)[2:]
    sent = [row[::-1] * scale - (1 - scale) for row in WINE[:, 1:]]
    names = [f"h{one}" for one in range(1, 6)]

    def said(words: list[str]) -> bool:
        program = compiled("\0".join(words).encode())
        found = hints([row[None] for row in sent], data, program, reads_table=True)
        return any("the columns are in the reversed order" in text for text in found)

    assert said([]) and said(names[1:])
    assert said(["kind", *names]) is False


def wrong(array: Any) -> str:
    table = table_in(csv(PHONE))
    assert table is not None
    found = found_in(table, numpy.asarray(array, "f4"))
    return "" if found is None else found.wrong


def test_layouts_of_a_window() -> None:
    window = AXES[10:30]
    assert wrong(window[None]) == ""
    assert "numbers run on" in wrong(PHONE[10:].reshape(-1)[:60].reshape(1, 20, 3))
    assert "all of column 2" in wrong(window.T.reshape(1, 20, 3))
    assert wrong(window.T[None]) == "", "a shape that says so"
    assert wrong(window[:, [0, 2]][None]) == "", "an axis left out"
    assert wrong(PHONE[10:30][None]) == "", "all columns, the clock too"


@pytest.mark.parametrize(
    ("starts", "seen"), [((0, 0, 0, 0), 1), ((0, 20, 40, 60), 0), ((0, 0), 0), ((0,) * 5, 0)]
)
def test_windows_that_move(starts: tuple[int, ...], seen: int) -> None:
    said = hints([AXES[start : start + 20][None] for start in starts], csv(PHONE))
    assert sum("does each round go on" in hint for hint in said) == seen


LOAD = numpy.round(300 + 90 * numpy.sin(numpy.arange(80) / 4) + RANDOM.normal(0, 9, 80))
DAYS = b"day,load\n" + b"".join(b"%d,%d\n" % (at + 700, one) for at, one in enumerate(LOAD.astype(int)))


@pytest.mark.parametrize("code", ["ascii", "utf-16-le"])
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda at: LOAD[at : at + 24] / 400, ""),
        (lambda at: LOAD[at : at + 24][::-1] / 400, "reversed order, the last first"),
        (lambda at: numpy.roll(LOAD[at : at + 24] / 400, (at + 24) % 24), "a ring was sent as it lies"),
        (lambda at: (700.0 + at + numpy.arange(24)) / 400, 'was column 2 ("load") meant?'),
        (lambda at: RANDOM.normal(0, 1, 24), ""),
    ],
)
def test_a_table_in_the_program(make: Any, words: str, code: str) -> None:
    inputs = [make(at)[None] for at in (10, 17, 30, 41)]
    said = hints(inputs, b"", compiled(DAYS.decode().encode(code)))
    assert [one for one in said if words in one and "a table in the program" in one] if words else not said


@pytest.mark.parametrize("kind", ["<f4", "<f8", "<i4", "<i2", "<u2"])
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda at: LOAD[at : at + 24] / 400, ""),
        (lambda at: LOAD[at : at + 24][::-1] / 400, "reversed order, the last first"),
        (lambda at: numpy.roll(LOAD[at : at + 24] / 400, (at + 24) % 24), "a ring was sent as it lies"),
        (lambda at: RANDOM.normal(0, 1, 24), ""),
    ],
)
def test_an_array_in_the_program(make: Any, words: str, kind: str) -> None:
    array = LOAD.astype(kind).tobytes()
    inputs = [make(at)[None] for at in (10, 17, 30, 41)]
    said = hints(inputs, b"", compiled(bytes(4) + array + bytes(64) + b"not so many of them\0" * 9))
    assert bool(said) is bool(words)
    assert not words or any(words in one and "in the program" in one for one in said)


@pytest.mark.parametrize(
    ("name", "seen"), [("window", True), ("lags_oldest_first", False), ("newest", False)]
)
def test_an_input_whose_name_says_the_order(name: str, seen: bool) -> None:
    """A column without times may have the other one."""
    column = b"".join(b"%g\n" % one for one in LOAD)
    said = hints([LOAD[None, :24][:, ::-1] / 400], column, name=name)
    assert any("reversed order" in one for one in said) is seen


def test_windows_that_end_before_an_array_does() -> None:
    """What lies behind an array may be another one, so that no number of windows says that some are
    missing."""
    array = numpy.concatenate([LOAD, LOAD[::-1] + 3]).astype("<f4").tobytes()
    assert hints([LOAD[None, at : at + 20] for at in (0, 20, 40, 60)], b"", compiled(bytes(4) + array)) == []
    assert hints([LOAD[None, :20]] * 4, b"", compiled(bytes(4) + array)) == []


@pytest.mark.parametrize(
    "data",
    [
        RANDOM.normal(0, 9, 400).round(2).astype("<f4").tobytes(),
        (1000 + 8 * numpy.arange(200)).astype("<i4").tobytes(),
        RANDOM.integers(0, 1 << 16, 400).astype("<u2").tobytes(),
        b"the words of a longer text are no numbers, as all of their bytes are letters; " * 9,
        numpy.sin(numpy.arange(200) / 9).astype("<f4").tobytes(),
    ],
)
def test_data_that_are_no_series(data: bytes) -> None:
    """Noise, addresses, random bits, a text, and a table of sines, which nobody writes down."""
    assert [*series_in(compiled(bytes(4) + data))] == []


def test_a_short_text_is_no_table() -> None:
    few = b"\n".join(DAYS.splitlines()[:8])
    assert hints([LOAD[None, :7][:, ::-1]], b"", compiled(few)) == []


def lines(table: Any, mean: Any, deviation: Any) -> list[Any]:
    return [((row - mean) / deviation)[None] for row in table]


def test_a_stand_in_that_was_scaled() -> None:
    gaps = WINE.copy()
    gaps[2, 3] = gaps[4, 1] = -999
    assert any(
        "stands for a missing number" in hint for hint in hints(lines(gaps, MEAN, DEVIATION), csv(gaps))
    )
    filled = numpy.where(gaps == -999, MEAN, gaps)
    assert hints(lines(filled, MEAN, DEVIATION), csv(gaps)) == []


def test_the_mean_of_the_lines_that_are_sent() -> None:
    own = lines(WINE, WINE.mean(0), WINE.std(0))
    assert any("of these 12 lines" in hint for hint in hints(own, csv(WINE)))
    assert hints(lines(WINE, MEAN, DEVIATION), csv(WINE)) == []
    many = numpy.concatenate([WINE + RANDOM.normal(0, 0.1, WINE.shape).round(3) for _ in range(5)])
    assert hints(lines(many, many.mean(0), many.std(0)), csv(many)) == [], "perhaps those of the training"
    recording = ((WINE - WINE.mean(0)) / WINE.std(0))[None, :8]
    assert hints([recording], csv(WINE)) == [], "a recording may be scaled by itself"


def with_commas(column: Any) -> bytes:
    lines = [f"{at};{one:.3f}".replace(".", ",") for at, one in enumerate(column.tolist())]
    return "\n".join(["depth;moisture", *lines]).encode() + b"\n"


@pytest.mark.parametrize(
    ("column", "bend", "said"),
    [
        (numpy.linspace(0.11, 0.93, 24), lambda x: (x - x.mean()) / x.std(), "of all 24 numbers 0 is left"),
        (numpy.linspace(0.11, 0.93, 24), numpy.log, "or whose logarithm is none"),
        (numpy.linspace(7.11, 7.93, 24), lambda x: (x - x.mean()) / x.std(), "of all 24 numbers 7 is left"),
        (20 + 9 * numpy.sin(numpy.arange(24.0)), lambda x: (x - 21) / 7, "at which atof stops"),
    ],
)
def test_a_column_of_decimal_commas(column: Any, bend: Any, said: str) -> None:
    """Of which hardly anything is left where reading stops at the comma."""
    table = table_in(with_commas(column))
    assert table is not None
    with numpy.errstate(all="ignore"):
        cut, whole = (bend(one).astype("f4")[None] for one in (numpy.trunc(column), column.round(3)))
    found, right = found_in(table, cut), found_in(table, whole)
    assert found is not None and "the file has decimal commas" in found.wrong and said in found.wrong
    assert right is None or right.wrong == ""
    with_points = table_in(with_commas(column).replace(b",", b".").replace(b";", b","))
    assert with_points is not None and found_in(with_points, cut) is None, "another reason"
    with_gap = numpy.where(numpy.arange(24) == 5, numpy.nan, whole)
    found = found_in(table, with_gap.astype("f4"))
    assert found is None or found.wrong == ""

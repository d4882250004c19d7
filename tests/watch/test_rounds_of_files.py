"""What rounds make of a file: the line after the last one, one window of many, forecasts in another scale,
and memory that something else has used. Each mistake has right twins."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import DType, Tensor, TensorSpec
from pywasm_nn.watch.hints.foreign import overwritten
from pywasm_nn.watch.loops import Standing
from pywasm_nn.watch.order.ended import Ended
from pywasm_nn.watch.written.unscaled import Forecasts
from tests.watch.test_foreign import given

RNG = numpy.random.default_rng(4)
SPEC = TensorSpec("x", DType.F32, (1, 4))


def event(operation: str, array: Any = None) -> Any:
    tensors = () if array is None else (Tensor.from_numpy(numpy.asarray(array, "f4")),)
    return SimpleNamespace(
        error=None, context_id=1, graph_id=1, model="m", operation=operation, tensors=tensors, specs=(SPEC,),
        given=(), index=0,
    )  # fmt: skip


def wrote(text: str) -> Any:
    arguments = (("fd", 1), ("ciovs", [text.encode()]))
    return SimpleNamespace(name="fd_write", error=None, result=0, arguments=arguments)


ROWS = [[1.5, 2, 30, 4], [7, 8.25, 50, 6], [3, 5, 10, 9], [2.5, 1, 70, 8], [6, 6, 20, 5]]


def lines(rows: Any, heading: str = "") -> bytes:
    return (heading + "\n".join(",".join(map(str, row)) for row in rows) + "\n").encode()


@pytest.mark.parametrize(
    ("form", "moves", "seen"),
    [("{0}:00 {1:.1f} kW (was {2:.1f})\n", False, True), ("{0}:00 {1:.1f} kW (was {2:.1f})\n", True, False),
     ("run {0}: {1:.1f} in {3:.3f} ms\n", False, False), ("{1:.1f} kW\n", False, False)],
)  # fmt: skip
def test_one_window_beside_other_lines(form: str, moves: bool, seen: bool) -> None:
    rows = [[3 * at % 7 + 0.5, round(10.3 + 2.1 * at, 1)] for at in range(9)]
    standing = Standing(lambda: [("solar.csv", lines(rows))])
    for at in range(4):
        standing.nn_event(event("set_input", [[1, 2, 3, 4 + at * moves]]))
        standing.nn_event(event("compute"))
        standing.host_call(wrote(form.format(at, 182.4, rows[at + 4][1], 0.017 * at + 1.3)))
    assert ("beside each answer, 18.7 to 25.0" in "".join(text for _, text in standing.finish())) is seen


@pytest.mark.parametrize("heading", ["", "a,b,c,d\n"])
@pytest.mark.parametrize(
    ("sent", "seen"),
    [
        ([*ROWS, ROWS[-1]], True),
        (ROWS, False),
        ([ROWS[0], *ROWS], False),
        ([*ROWS[:2], *ROWS[1:]], False),
        ([*ROWS, ROWS[-1], ROWS[-1]], False),
    ],
)
def test_a_round_after_the_last_line(heading: str, sent: list[list[float]], *, seen: bool) -> None:
    ended = Ended(lambda: [("birds.csv", lines(ROWS, heading))])
    for row in sent:
        ended.nn_event(event("set_input", [row]))
        ended.nn_event(event("compute"))
    assert ("only after a read that failed" in "".join(text for _, text in ended.finish())) is seen


@pytest.mark.parametrize(
    ("form", "last", "seen"),
    [
        ("bird {}: {:.1f} g\n", "bird 6: 60.0 g\n", True),
        ("{}. {:.1f}\n", "6. 60.0\n", True),
        ("bird {}: {:.1f} g\n", "bird 6: 60.0 g\nmean of 6: 44.0 g\n", True),
        ("bird {}: {:.1f} g\n", "the last one again: 60.0 g\n", False),
        ("bird {}: {:.1f} g\n", "heaviest: bird 5, wings of 20 cm\n", False),
        ("bird {}: {:.1f} g\n", "bird 5: 60.0 g (identical)\n", False),
    ],
)
def test_the_last_line_is_asked_again(form: str, last: str, *, seen: bool) -> None:
    """A guest wants details of it, or to see whether the model says the same."""
    ended = Ended(lambda: [("birds.csv", lines(ROWS))])
    for number, row in enumerate([*ROWS, ROWS[-1]], 1):
        ended.nn_event(event("set_input", [row]))
        ended.nn_event(event("compute"))
        ended.host_call(wrote(form.format(number, 10.0 + 10 * number) if number <= len(ROWS) else last))
    assert ("only after a read that failed" in "".join(text for _, text in ended.finish())) is seen


def test_a_file_that_ends_with_the_same_line_twice() -> None:
    ended = Ended(lambda: [("birds.csv", lines([["id", *ROWS[0]], *ROWS, ROWS[-1]]))])
    for row in [*ROWS, ROWS[-1]]:
        ended.nn_event(event("set_input", [row]))
        ended.nn_event(event("compute"))
    assert [*ended.finish()] == []


@pytest.mark.parametrize(("moves", "count", "seen"), [(False, 6, True), (True, 6, False), (False, 3, False)])
@pytest.mark.parametrize("form", ["{} s: still\n", "window {} is still\n"])
def test_each_round_sends_its_own_window(form: str, count: int, *, moves: bool, seen: bool) -> None:
    rows = RNG.normal(size=(6 * 8 + 2, 3)).round(3)
    standing = Standing(lambda: [("walk.csv", lines(rows))])
    for at in range(count):
        first = 8 * at * moves
        standing.nn_event(event("set_input", rows[first : first + 8]))
        standing.nn_event(event("compute"))
        standing.host_call(wrote(form.format(2 * at)))
    assert ("added to the address" in "".join(text for _, text in standing.finish())) is seen


@pytest.mark.parametrize(
    ("form", "seen"), [("window {}: still\n", True), ("run {}: still\n", False), ("trial {}: still\n", False)]
)
def test_one_window_is_tried_as_often_as_there_are_others(form: str, *, seen: bool) -> None:
    """Whether a model always says the same of one window is seen in as many runs as anybody likes."""
    rows = RNG.normal(size=(6 * 8 + 2, 3)).round(3)
    standing = Standing(lambda: [("walk.csv", lines(rows))])
    for at in range(6):
        standing.nn_event(event("set_input", rows[:8]))
        standing.nn_event(event("compute"))
        standing.host_call(wrote(form.format(at)))
    assert bool([*standing.finish()]) is seen


SCALES = b"column,mean,std\nkw,320.25,67.5\ntemp,11.25,5.5\n"


@pytest.mark.parametrize(
    ("scale", "goes_back", "seen"),
    [
        ((5.5, 11.25), True, True),
        ((67.5, 320.25), True, False),
        ((1, 0), True, False),
        ((5.5, 11.25), False, False),
    ],
)
@pytest.mark.parametrize("form", ["in {} h: {:.0f}\n", "in {} h: {:.2f} kW\n"])
def test_a_forecast_in_the_scale_of_another_column(
    scale: tuple[float, float], form: str, *, goes_back: bool, seen: bool
) -> None:
    raw = RNG.normal(320, 67, 24).round(1)
    files = [
        ("load.csv", lines(zip(raw, RNG.normal(11, 5, 24).round(1), strict=True), "kw,temp\n")),
        ("s.csv", SCALES),
    ]
    forecasts, window = Forecasts(lambda: files), ((raw[-8:] - 320.25) / 67.5).astype("f4")
    for hour in range(5):
        answer = numpy.float32(numpy.sin(hour + 1))
        forecasts.nn_event(event("set_input", window[None]))
        forecasts.nn_event(event("compute", [[answer]]))
        forecasts.host_call(wrote(form.format(hour + 1, answer * scale[0] + scale[1])))
        window = numpy.append(window[1:], answer if goes_back else numpy.float32(0.25 * hour))
    assert ("by another column's numbers" in "".join(text for _, text in forecasts.finish())) is seen


@pytest.mark.parametrize("words", [b"penguin 1\0", b"row no 12", b"sample: 7"])
def test_a_short_text_in_place_of_few_elements(words: bytes) -> None:
    elements = numpy.array([[39.1, 18.7, 181, 3750]], "f4")
    assert overwritten(given(elements)) is None
    data = words + elements.tobytes()[len(words) :]
    said = overwritten(given(numpy.frombuffer(data, "f4").reshape(1, 4)))
    assert said is not None and "are a text" in said


def test_small_elements_are_no_text() -> None:
    for array in (RNG.normal(size=(500, 16)), RNG.integers(0, 5000, (500, 16)), RNG.random((500, 16)) * 1e-3):
        assert all(overwritten(given(row[None].astype("f4"))) is None for row in array)

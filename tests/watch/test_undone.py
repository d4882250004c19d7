"""Numbers that a guest writes as the model gives them, though they are logarithms or scaled."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import Tensor
from pywasm_nn.watch.written.undone import Undone

DAYS = 12 + 9 * numpy.sin(numpy.arange(80) / 6) + numpy.random.default_rng(1).normal(0, 0.4, 80)
TABLE = ("date,temperature\n" + "".join(f"day{i},{one:.1f}\n" for i, one in enumerate(DAYS))).encode()
NUMBERS = DAYS.round(1)


def hints(rounds: list[tuple[Any, float, str]], name: str = "y", late: bool = False) -> str:
    """The hint about rounds of an input, an answer and what is written."""
    undone = Undone(lambda: [("days.csv", TABLE)])

    def tell(operation: str, array: Any) -> None:
        spec = SimpleNamespace(name=name)
        more = {"error": None, "context_id": 0, "index": 0, "specs": (spec,)}
        tensors = (Tensor.from_numpy(numpy.asarray(array, "f4")),)
        undone.nn_event(SimpleNamespace(operation=operation, tensors=tensors, **more))  # type: ignore[arg-type]

    def write(text: str) -> None:
        arguments = (("fd", 1), ("ciovs", [text.encode()]))
        event = SimpleNamespace(name="fd_write", error=None, arguments=arguments, result=0)
        undone.host_call(event)  # type: ignore[arg-type]

    for window, answer, text in rounds:
        tell("set_input", [window])
        tell("get_output", numpy.atleast_2d(answer))
        if not late:
            write(text)
    if late:
        write("".join(text for *_, text in rounds))
    return "; ".join(text for _, text in undone.finish())


def forecasts(scale: float, level: float, undo: bool) -> list[tuple[Any, float, str]]:
    found = []
    for day in range(6):
        answer = (NUMBERS[day + 20] + 0.2 - level) / scale
        said = answer * scale + level if undo else answer
        found.append(((NUMBERS[day : day + 20] - level) / scale, answer, f"tomorrow {said:.2f} degrees\n"))
    return found


def test_answers_whose_powers_are_no_numbers() -> None:
    rounds = [
        (window * 1000, answer * 1000, f"{answer * 1000:.0f} MW\n")
        for window, answer, _ in forecasts(1, 0, undo=True)
    ]
    assert hints(rounds) == ""


@pytest.mark.parametrize("late", [False, True])
def test_a_forecast_in_the_scale_of_its_input(late: bool) -> None:
    assert "and the next number there is" in hints(forecasts(8, 10, undo=False), late=late)
    assert hints(forecasts(8, 10, undo=True), late=late) == ""
    assert hints(forecasts(1, 0, undo=False), late=late) == ""


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("form", ["{raw:.2f} {back:.2f}\n", "{back:.1f} degrees (model: {raw:.4f})\n"])
def test_what_the_model_gives_is_shown_beside_the_forecast(form: str, late: bool) -> None:
    rounds = [
        (window, answer, form.format(raw=answer, back=answer * 8 + 10))
        for window, answer, _ in forecasts(8, 10, undo=True)
    ]
    assert hints(rounds, late=late) == ""
    rounds, window = [], (NUMBERS[-20:] - 10) / 8
    for day in range(4):
        answer = float(numpy.float32(-0.42 - 0.31 * day))
        rounds.append((window, answer, form.format(raw=answer, back=answer * 8 + 10)))
        window = numpy.append(window[1:], answer)
    assert hints(rounds, late=late) == "", "put into the window"


@pytest.mark.parametrize(
    ("form", "undo", "seen"),
    [
        ("day {at}: {said:.0f} expected, came {came:.1f}", False, True),
        ("came {came:.1f}, the forecast was {said:.0f}", False, True),
        ("day {at}: {said:.0f} expected, came {came:.1f}", True, False),
        ("day {at}: warm {said:.0f}, came {came:.1f}", False, False),
        ("day {at}: {said:.0f} expected", False, False),
        ("day {at}: {other:.0f} expected, came {came:.1f}", False, False),
    ],
)
def test_a_forecast_that_is_rounded_in_the_scale_of_its_input(form: str, *, undo: bool, seen: bool) -> None:
    """Only lines with the number that came say what it is beside; zeros and ones may be a yes or no."""
    low, size = NUMBERS.min(), numpy.ptp(NUMBERS)
    rounds = []
    for day in range(0, 24, 4):
        window, came = (NUMBERS[day : day + 20] - low) / size, NUMBERS[day + 20]
        answer = (came + 0.3 - low) / size
        said = answer * size + low if undo else answer
        text = form.format(at=day + 300, said=said, came=came, other=1 - answer)
        rounds.append((window, answer, text + "\n"))
    assert ("as the model gives it, in the scale of the input" in hints(rounds, late=True)) is seen


@pytest.mark.parametrize(("undo", "back", "seen"), [(False, 1, True), (True, 1, False), (False, 2, False)])
def test_forecasts_that_are_put_into_the_window(undo: bool, back: int, seen: bool) -> None:
    rounds, window = [], (NUMBERS[-20:] - 10) / 8
    for day in range(4):
        answer = float(numpy.float32(-0.42 - 0.31 * day))
        rounds.append((window, answer, f"in {day} days {8 * answer + 10 if undo else answer:.1f} degrees\n"))
        window = numpy.append(window[1:], back * answer)
    assert ("into which it is put" in hints(rounds)) is seen
    assert seen or hints(rounds) == ""


def test_another_answer_is_no_forecast() -> None:
    rounds = [(window, -0.7 - 0.01 * at, f"{-0.7 - 0.01 * at:.2f}\n") for at, (window, *_) in enumerate(FEW)]
    assert hints(rounds) == ""


FEW = forecasts(8, 10, undo=True)


@pytest.mark.parametrize(
    ("name", "said", "seen"),
    [
        ("log_count", "3.72 bicycles", True),
        ("y_log1p", "3.72", True),
        ("log_count", "41 bicycles", False),
        ("log_count", "log of the count: 3.72", False),
        ("log_count", "raw 3.72, 41 bicycles", False),
        ("y_log1p", "3.7235 -> 40.41", False),
        ("log10dose", "3.72 (5290.5 mg)", False),
        ("logits", "3.72", False),
        ("log_probs", "3.72", False),
        ("logprice", "3.72", True),
        ("logIncome", "3.72", True),
        ("log10dose", "3.72", True),
        ("logodds", "3.72", False),
        ("logistic", "3.72", False),
        ("login_count", "3.72", False),
        ("catalog", "3.72", False),
        ("dialog_1", "3.72", False),
    ],
)
def test_a_logarithm(name: str, said: str, seen: bool) -> None:
    assert ("by its name it is a logarithm" in hints([([1.0, 2.0], 3.7235, said)], name)) is seen


@pytest.mark.parametrize("rounds", [1, 3])
@pytest.mark.parametrize(
    ("back", "said"),
    [
        (lambda y: y * 8.5 + 11.25, ""),
        (lambda y: y, ""),
        (lambda y: y * 8.5, ""),  # a model may give how much it changes
        (lambda y: y * 11.25 + 8.5, "(the two are exchanged)"),
        (lambda y: (y + 11.25) * 8.5, "plus 11.25 and then multiplied by 8.5"),
        (lambda y: y * 8.5 - 11.25, "times 8.5 minus 11.25"),
        (lambda y: (y - 11.25) / 8.5, "scaled once more"),
        (lambda y: y / 8.5 + 11.25, "divided by 8.5 plus 11.25"),
    ],
)
def test_a_forecast_that_is_brought_back_wrongly(back: Any, said: str, rounds: int) -> None:
    found = []
    for day in range(rounds):
        answer = (NUMBERS[day + 30] + 0.3137 - 11.25) / 8.5
        found.append(((NUMBERS[day : day + 20] - 11.25) / 8.5, answer, f"next {back(answer):.4f} degrees\n"))
    told = hints(found)
    assert (said in told and "times 8.5 plus 11.25 it is" in told) if said else told == ""
    assert hints([(one * 8.5 + 11.25, value, text) for one, value, text in found]) == "", "not scaled"


AHEAD = 12
DAILY = (20 + 3 * numpy.sin(numpy.arange(80) * 2 * numpy.pi / AHEAD)).round(1)


@pytest.mark.parametrize("column", [NUMBERS, DAILY])
@pytest.mark.parametrize(
    ("back", "said"),
    [
        (lambda y, mean: y * 2.5 + mean, ""),
        (lambda y, _: y * 2.5, "to be added, which makes"),
        (lambda y, mean: y * mean + 2.5, "(the two are exchanged)"),
        (lambda y, mean: y * 2.5 - mean, "times 2.5 minus"),
    ],
)
def test_several_steps_that_are_brought_back_wrongly(
    back: Any, said: str, column: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = "".join(f"day{i},{one:.1f}\n" for i, one in enumerate(column))
    monkeypatch.setitem(globals(), "TABLE", ("date,temperature\n" + lines).encode())
    mean = round(float(column.mean()) + (30 if column is NUMBERS else 0), 2)
    window, next_ = (column[:36] - mean) / 2.5, (column[36 : 36 + AHEAD] + 0.3137 - mean) / 2.5
    text = "".join(f"{at:02}:00 {one:.3f}\n" for at, one in enumerate(back(next_, mean)))
    told = hints([(window, next_, text)])
    assert said in told if said else told == ""
    if said.startswith("to be"):
        assert hints([(window, next_, f"changes: {text}")]) == ""


def test_steps_that_are_changes() -> None:
    """Numbers about nothing, of a window that isn't."""
    changes = numpy.diff(NUMBERS[36 : 37 + AHEAD]) / 8.5 + 0.0137
    text = "".join(f"{at:02}:00 {8.5 * one:.3f}\n" for at, one in enumerate(changes))
    for mean in (2.25, 60.0):
        assert hints([((NUMBERS[:36] - mean) / 8.5, changes, text)]) == ""

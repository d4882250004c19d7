"""Windows of a series into which answers are put in another scale, or at one place; and their right twins."""

from __future__ import annotations

from collections.abc import Callable
from struct import pack

import numpy
import pytest

from tests.watch.test_loops import Guest

MEAN, DEVIATION = 14.06, 4.77
LENGTH = 16


def scaled(number: float) -> float:
    return (number - MEAN) / DEVIATION


def unscaled(element: float) -> float:
    return element * DEVIATION + MEAN


def as_given(answer: float) -> float:
    return answer


def as_text(numbers: list[float]) -> bytes:
    return ("hour,degrees\n" + "".join(f"{at},{one:.1f}\n" for at, one in enumerate(numbers))).encode()


def as_floats(numbers: list[float]) -> bytes:
    return pack(f"<{len(numbers)}f", *numbers)


def as_tenths(numbers: list[float]) -> bytes:
    return pack(f"<{len(numbers)}h", *[round(10 * one) for one in numbers])


def hints(
    back: Callable[[float], float],
    kept: Callable[[list[float]], bytes] = as_text,
    *,
    seed: int = 0,
    made: Callable[[float], float] = scaled,
    model: Callable[[float], float] = as_given,
    columns: int = 1,
    newest_first: bool = False,
    length: int = LENGTH,
    grows: float = 1.0,
) -> str:
    """Hints at forecasts in turn. `made` scales the file's numbers, `model` the answers from the scale of the
    first of the window's columns; each answer is so many times as large as it should be beside the last."""
    rng = numpy.random.default_rng(seed)
    numbers = [round(float(one), 1) for one in 14 + 5 * numpy.sin(numpy.arange(40) / 4) + rng.normal(size=40)]
    guest = Guest(1, ["next"], [("station", kept(numbers))])
    window = numpy.array(
        [[made(one)] + [0.1 * at] * (columns - 1) for at, one in enumerate(numbers[-LENGTH:])]
    )
    window = window[::-1] if newest_first else window
    for step in range(5):
        answer = model(scaled(numbers[-1 - step] + 0.3 * step)) * grows**step
        guest.computes([window[None].astype("f4")], [numpy.array([[answer]], "f4")])
        row = numpy.array([[back(float(numpy.float32(answer)))] + [0.1 * (step + length)] * (columns - 1)])
        window = numpy.concatenate([row, window[:-1]] if newest_first else [window[1:], row])
    return guest.said


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kept", [as_text, as_floats, as_tenths])
@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("newest_first", [False, True])
def test_answers_are_put_back_unscaled(
    seed: int, kept: Callable[[list[float]], bytes], columns: int, newest_first: bool
) -> None:
    how = {"seed": seed, "columns": columns, "newest_first": newest_first}
    assert "is it put back in the numbers' scale?" in hints(unscaled, kept, **how)
    assert hints(as_given, kept, **how) == ""


@pytest.mark.parametrize("length", [6, 7, 10])
@pytest.mark.parametrize("kept", [as_text, as_floats, as_tenths])
def test_short_windows(length: int, kept: Callable[[list[float]], bytes]) -> None:
    assert "is it put back in the numbers' scale?" in hints(unscaled, kept, length=length)
    assert hints(as_given, kept, length=length) == hints(scaled, kept, length=length, model=unscaled) == ""


@pytest.mark.parametrize("seed", range(4))
def test_answers_in_the_files_scale(seed: int) -> None:
    """The window is scaled, and the model answers in degrees."""
    assert "has it to be scaled as they are?" in hints(as_given, seed=seed, model=unscaled)
    assert hints(scaled, seed=seed, model=unscaled) == ""


def as_json(numbers: list[float]) -> bytes:
    return f'{{"station": "b-2", "every": 5, "values": {[round(one, 1) for one in numbers]}}}'.encode()


@pytest.mark.parametrize("kept", [as_text, as_json])
def test_answers_that_run_away(kept: Callable[[list[float]], bytes]) -> None:
    """What is put in the wrong scale makes the next answers ever larger."""
    assert "has it to be scaled as they are?" in hints(as_given, kept, model=unscaled, grows=40)
    assert hints(scaled, kept, model=unscaled) == hints(as_given, kept, grows=40) == ""


@pytest.mark.parametrize("seed", range(4))
def test_answers_are_scaled_once_more(seed: int) -> None:
    assert "is it scaled once more?" in hints(scaled, seed=seed)


@pytest.mark.parametrize("seed", range(4))
def test_windows_that_are_not_scaled(seed: int) -> None:
    assert hints(as_given, seed=seed, made=as_given, model=unscaled) == ""
    assert hints(unscaled, seed=seed, made=as_given) == ""


@pytest.mark.parametrize("seed", range(4))
def test_measured_numbers_are_no_answers(seed: int) -> None:
    rng = numpy.random.default_rng(seed)
    assert hints(lambda _: float(rng.normal(3, 1)), seed=seed) == ""


@pytest.mark.parametrize("made", [scaled, as_given])
@pytest.mark.parametrize("end", [0, -1])
def test_a_window_that_does_not_move(made: Callable[[float], float], end: int) -> None:
    numbers = [round(float(one), 1) for one in numpy.random.default_rng(5).normal(14, 5, 40)]
    for is_series in (True, False):
        guest = Guest(1, ["next"], [("station", as_floats(numbers))])
        window = numpy.array([made(one) for one in numbers[-LENGTH:]], "f4")
        if not is_series:
            window[end] = 0  # what the model said before, beside what was measured
        for step in range(4):
            answer = numpy.float32(made(12 + step * step))
            guest.computes([window[None]], [numpy.array([[answer]], "f4")])
            window = window.copy()
            window[end] = answer
        assert ("only one at the end changes" in guest.said) is is_series
        assert is_series or guest.said == ""


@pytest.mark.parametrize("seed", range(4))
def test_scales_that_are_near_each_other(seed: int) -> None:
    """What is put lies in the window's range, in which the file's numbers lie, too."""
    rng = numpy.random.default_rng(seed)
    numbers = [float(numpy.float32(one)) for one in rng.random(40)]
    for back, seen in ((as_given, False), (lambda one: 0.4 * one + 0.3, True)):
        guest = Guest(1, ["next"], [("shares", as_floats(numbers))])
        window = numpy.array([(one - 0.3) / 0.4 for one in numbers[-LENGTH:]])
        for answer in (0.31, 0.44, 0.12, 0.4):
            guest.computes([window[None].astype("f4")], [numpy.array([[answer]], "f4")])
            window = numpy.append(window[1:], back(float(numpy.float32(answer))))
        assert ("is it put back in the numbers' scale?" in guest.said) is seen
        assert seen or guest.said == ""

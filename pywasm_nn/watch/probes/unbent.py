"""Forecasts of the root or the logarithm of a column: does the guest undo that before it writes them?

What is here: `unbent`. The window that was sent shows which of both the answers are of; whether it is undone
show answers at even distances, of which evenly growing numbers are written if it isn't. And `unraised`, for
models that take the logarithm of a window themselves: where the window is larger by a factor their forecast
is larger by the factor's logarithm. What is not: answers
whose name says that they are logarithms (`formulas.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..origin.runs_of_columns import room_of, run_of
from ..origin.tables import named, tables_in
from ..regex import regex
from ..spoken import Word
from ..whatif.views import Rescaled
from .asked import Asked, Given
from .formulas import is_left_as_it_is, said_of

FEWEST, MOST, MOST_COLUMNS = 8, 2048, 16
MOST_ANSWER = 512
AROUND = 1.0
"""Forecasts lie within the range of the window, and so many times that around it."""
CLEARLY = 10.0
"""Undone answers would be so many times as uneven as rounding makes those that are written."""
STEPS = (0.15, 0.5, 0.85)
SAID = regex(
    r"\b(?:log|ln|log1p|log10|sqrt|root|scaled|normali[sz]ed|standardi[sz]ed|errors?|mae|rms[a-z]*|chang\w*|delta"
    r"|diff\w*|returns?|growth)\b"
    r"|%|per ?cent|prob|confiden|score|share",
    re.IGNORECASE,
)
"""The guest says itself in what it writes, or writes errors, shares or by how much something changes."""
AHEAD = regex(
    r"forecast|next|predict|future|ahead|tomorrow"
    r"|\b(?:in|after) \d+ ?(?:h|min|days?|hours?|weeks?|months?)\b",
    re.IGNORECASE,
)
"""The guest, or the output's name, says of a number as it is that it is one to come."""
PLAIN = 0.05
FACTORS = (0.7, 0.8, 1.25, 1.5)
"""By these a window is multiplied, to see whether its forecast is a logarithm."""
BASES = (
    (2.718281828459045, "exp, or expm1 if it is of log1p"),
    (10.0, "10 to its power"),
    (2.0, "2 to its power"),
)
BELOW, APART, STEEP = 3.0, 0.25, (0.7, 1.3)
"""Numbers of a window are at least so many times a forecast that is a logarithm, which is within theirs, or
by so much of their range or of its own size beyond; and how many times its growth is that of a logarithm."""
COMES = regex(AHEAD.pattern + "|expect|predicted|vorhersage|prognose", re.IGNORECASE)


class Bend(Frozen):
    """A function that was applied to a column, its name, the function that undoes it, and words for that."""

    said: str
    undoing: str
    bend: Callable[[Any], Any]
    back: Callable[[Any], Any]


def bends() -> Sequence[Bend]:
    return (
        Bend("the square root", "squared", numpy.sqrt, numpy.square),
        Bend("the logarithm (log1p)", "given to expm1", numpy.log1p, numpy.expm1),
        Bend("the logarithm", "given to exp", numpy.log, numpy.exp),
        Bend("the cube root", "cubed", numpy.cbrt, lambda x: x**3),
    )


def unbent(asked: Asked) -> str:
    """Returns what is wrong with how forecasts are brought back, or "" if nothing is."""
    sent = window_of(asked)
    if sent is None or SAID.search(asked.control.text) or not numpy.ptp(sent):
        return ""
    window = sent.astype("f8")
    outputs = forecasts(asked, window)
    found = bent(asked, window, room_of(sent)) if outputs else None
    if found is None:
        return ""
    name, bend, slope, height = found
    for index, output in outputs:
        levels = [float(window.min() + step * numpy.ptp(window)) for step in STEPS]
        undone = [float(bend.back((level - height) / slope)) for level in levels]
        if grows_evenly(asked, index, output, levels, undone):
            return (
                f"{output.what}: the window is {bend.said} of {name}, scaled, and what the guest writes "
                f"grows evenly with the answer: is it to be {bend.undoing} after it was scaled back?"
            )
    return ""


def unraised(asked: Asked) -> str:
    """Returns what is wrong with forecasts that are logarithms of what their window has, by how they grow
    with it, and that are written as they are, or "" if there are none."""
    sent = window_of(asked)
    if sent is None or sent.min() <= 1 or SAID.search(asked.control.text):
        return ""
    for index, output in asked.fetched():
        if not COMES.search(output.what + asked.control.text) or output.array.dtype.kind != "f":
            continue
        undone = logarithm_of(asked, index, sent.astype("f8"))
        if undone and is_left_as_it_is(asked, index, output):
            return (
                f"{output.what}: {float(output.array.reshape(-1)[0]):.4g} is far below all numbers of the "
                f"window, {sent.min():.4g} to {sent.max():.4g}, and among their logarithms; the answer to a "
                "window that is larger by a factor is larger by the factor's logarithm, and the guest writes "
                f"it as it is: is it to be undone ({undone})?"
            )
    return ""


def logarithm_of(asked: Asked, index: int, window: Any) -> str:
    """Returns what undoes forecasts that are logarithms of a window, by the model's answers to it in other
    sizes, or "" if they are none."""
    first = asked.outputs[index].array.astype("f8")
    if first.size > MOST_ANSWER or first.min() <= 0 or window.min() < BELOW * first.max():
        return ""
    for base, undone in BASES:
        logs = numpy.log(window) / numpy.log(base)
        room = max(APART * numpy.ptp(logs), APART)
        if not logs.min() - room <= first.min() <= first.max() <= logs.max() + room:
            continue
        steps = []
        for factor in FACTORS:
            given = asked.answer_to(Rescaled(0.0, 1 / factor)).get(index)
            if given is None or given.size != first.size:
                return ""
            steps.append(float((given.reshape(-1) - first.reshape(-1)).mean()))
        by = numpy.log(FACTORS) / numpy.log(base)
        slope = float((by @ steps) / (by @ by))
        if STEEP[0] <= slope <= STEEP[1] and all(numpy.sign(by) == numpy.sign(steps)):
            return undone
    return ""


def window_of(asked: Asked) -> Any:
    """Returns the numbers of the only input that was kept, or None if they are no window of a column."""
    windows = [one.array.reshape(-1) for one in asked.sent if one.array is not None]
    if len(windows) != 1 or windows[0].dtype.kind != "f" or not FEWEST <= windows[0].size <= MOST:
        return None
    return windows[0] if numpy.isfinite(windows[0]).all() else None


def forecasts(asked: Asked, window: Any) -> list[tuple[int, Given]]:
    """The outputs that may have the next numbers of a window."""
    return [(at, one) for at, one in asked.fetched() if is_forecast(one, window)]


def is_forecast(output: Given, window: Any) -> bool:
    """Whether an answer may go on where a window ends."""
    array = output.array
    if array.dtype.kind != "f" or array.size > MOST_ANSWER:
        return False
    low, high = float(window.min()), float(window.max())
    room = AROUND * (high - low)
    return low - room <= float(array.min()) <= float(array.max()) <= high + room


def bent(asked: Asked, window: Any, room: float) -> tuple[str, Bend, float, float] | None:
    """Returns the column and its bend that a window goes on as, with the slope and height by which it was
    scaled, or None if it is the column itself, or none."""
    for file, table in tables_in(asked.files()):
        for column in range(min(table.numbers.shape[1], MOST_COLUMNS)):
            numbers = table.numbers[:, column]
            if run_of(numbers, window, room) >= 0:
                return None
            for bend in bends():
                with numpy.errstate(all="ignore"):
                    made = bend.bend(numbers)
                start = run_of(made, window, room)
                if start >= 0:
                    there = made[start : start + len(window)]
                    slope = float(numpy.ptp(window) / numpy.ptp(there))
                    height = float(window.mean() - slope * there.mean())
                    return f"{named(table, column)} of {file}", bend, slope, height
    return None


def grows_evenly(
    asked: Asked, index: int, output: Given, levels: Sequence[float], undone: Sequence[float]
) -> bool:
    """Whether all numbers that follow answers at even distances are at even distances, too, though they
    would clearly not be if they were undone."""
    arrays = [numpy.full(output.array.shape, level, output.array.dtype) for level in levels]
    said = said_of(asked, index, arrays)
    if not said or len({*map(len, said)}) != 1:
        return False
    moving = [words for words in zip(*said, strict=True) if len({word.text for word in words}) > 1]
    if not moving or not all(is_even(words, undone) for words in moving):
        return False
    steps = [(words[2].value - words[0].value) / (levels[2] - levels[0]) for words in moving]
    is_plain = any(abs(step - 1) <= PLAIN for step in steps)
    return not is_plain or AHEAD.search(output.what + asked.control.text) is not None


def is_even(words: Sequence[Word], undone: Sequence[float]) -> bool:
    """Whether three numbers are at even distances, and those that were undone would clearly not be."""
    one, two, three = (word.value for word in words)
    unit = max(word.unit for word in words)
    bow = abs(three - 2 * two + one)
    wanted = abs(undone[2] - 2 * undone[1] + undone[0]) * abs((three - one) / (undone[2] - undone[0]))
    return bow <= 2 * unit + 1e-3 * wanted and wanted >= CLEARLY * unit

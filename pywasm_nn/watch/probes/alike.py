"""Answers to several inputs at once, a row for each: the rules for one row, by answers whose rows are all
alike, and rows that are said of other inputs.

What is here: `misjudged` and `misplaced`. What is not: rows at other distances than theirs (`batches.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ..spoken import Spoken, Word, filled_lines, fit
from . import choosing, classes, shares
from .asked import Asked, Given
from .batches import changed

FEWEST, MOST, MOST_CLASSES = 2, 64, 4096
RULES: Sequence[Callable[[Asked], str]] = (classes.misplaced, shares.misused, choosing.mischosen)


def batches(asked: Asked) -> Iterator[tuple[int, Given]]:
    """The answers with a row for each input of a batch, of which the guest writes at least a line each."""
    lines = filled_lines(asked.control.text)
    for index, output in asked.fetched():
        shape = output.array.shape
        if len(shape) != 2 or not FEWEST <= shape[0] <= min(MOST, len(lines)) or shape[1] > MOST_CLASSES:
            continue
        if shape[1] > 1 and any(one.shape and one.shape[0] == shape[0] for one in asked.sent):
            yield index, output


def misjudged(asked: Asked) -> str:
    """Returns what is wrong with what is said of every input, or "" if nothing is."""
    for index, _ in batches(asked) if len(asked.outputs) == 1 else ():
        if (row := asked.of_row(index)) is not None:
            wrong = next(filter(None, (rule(row) for rule in RULES)), "")
            asked.kept += row.kept
            if wrong:
                return wrong
    return ""


def misplaced(asked: Asked) -> str:
    """Returns a hint about rows that are said of other inputs, and shares over all inputs, or "" if there are
    none."""
    for index, output in batches(asked):
        if wrong := elsewhere(asked, index, output) or across(asked, output):
            return f"{output.what}: {wrong}"
    return ""


def elsewhere(asked: Asked, index: int, output: Given) -> str:
    """The lines about inputs follow other rows than theirs: the last one first, or as a place that isn't
    multiplied by a row's length."""
    rows, count = output.array.shape
    base = followed(asked, index, output, None)
    found = [changed(base, followed(asked, index, output, row)) for row in range(rows)]
    about = sorted({line for lines in found for line in lines})
    if len(about) != rows or sum(map(len, found)) != rows:
        return ""
    order = [[about.index(line) for line in lines] for lines in found]
    if order == [[row] for row in range(rows)]:
        return ""
    if order == [[row] for row in reversed(range(rows))] and rows > FEWEST:
        return (
            f"of {rows} inputs the first is said to have the last row, and so on: are they taken backwards?"
        )
    for step in [*range(1, count), count + 1]:
        for first in range(count):
            places = [(line * step + first) // count for line in range(rows)]
            if len({*places}) > 1 and order == [
                [line for line, one in enumerate(places) if one == row] for row in range(rows)
            ]:
                return (
                    f"what the guest says of {rows} inputs follows rows {', '.join(map(str, places))}, as if "
                    f"they began {step} element{'s' * (step > 1)} after each other; they have {count} "
                    "elements each: is the number of the input not multiplied by that?"
                )
    return ""


def followed(asked: Asked, index: int, output: Given, other: int | None) -> list[str]:
    """Returns what is written if all rows have the same class and one row another."""
    rows, count = output.array.shape
    made = [row * count + (row != other) for row in range(rows)]
    return (asked.text(index, output.filled(made)) or "").splitlines()


def across(asked: Asked, output: Given) -> str:
    """The share of a class among the inputs in place of that among the classes."""
    array = output.array
    if array.dtype.kind != "f":
        return ""
    values = array.astype("f8")
    with numpy.errstate(all="ignore"):  # elements far below the largest have no share of any row
        powers, rows = numpy.exp(values - values.max()), numpy.arange(len(values))
        right, wrong = (powers / powers.sum(axis=axis, keepdims=True) for axis in (1, 0))
    for best in (values.argmax(axis=1), wrong.argmax(axis=1)):
        if len({*best.tolist()}) == 1:
            continue  # it may be asked which input is the likeliest of that class
        found = said(asked, wrong[rows, best])
        if found and not said(asked, right[rows, best]) and not said(asked, values[rows, best]):
            return (
                f"the guest says {found[0].text} of the first of {len(values)} inputs, the share of class "
                f"{best[0]} of that among all inputs; among the {array.shape[1]} classes it is "
                f"{right[0, best[0]]:.3g}: is softmax taken along the wrong axis?"
            )
    return ""


def said(asked: Asked, values: Any) -> list[Word]:
    """Returns the numbers at one place of all lines that are these values, as they are or in percent, or []
    if none."""
    lines = [[one for one in line if one.digits > 1] for line in Spoken(asked.control.text).lines]
    for place in range(min(map(len, lines), default=0)) if len(lines) == len(values) else ():
        for factor in (1.0, 100.0):
            words = [line[place] for line in lines]
            if fit(words, values, factor):
                return words if len({word.text for word in words}) > 1 else []
    return []

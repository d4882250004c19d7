"""An answer that is written as the model gives it, in the scale in which a window of a table was sent, though
what stands beside it is the column's own unit or name.

What is here: `unrestored`, for one answer as for many: the answer is made larger and less, and the number
must follow it one by one. What is not: numbers whose scale stands in a file (`amounts`), and many forecasts
without a unit, which are compared with the numbers that come next (`written/undone.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..origin.tables import Table, named, tables_in
from ..regex import regex
from ..spoken import fit
from ..units import UNITS, unit_in
from ..written.undone import placed
from .asked import Asked, Given
from .formulas import numbers
from .meant import WORD

MOST_VALUES, MOST_COLUMNS = 64, 8
MOST_OTHERS, FEWEST_MOST = 4, 6
"""At most `MOST_OTHERS` elements stand beside a window, which is at least `FEWEST_MOST` times as long."""
OUTSIDE, INSIDE = 0.25, 0.5
"""How far an answer lies beyond the column's numbers, and at most if it is brought back, in parts of their
range."""
ROUND = 1e-3
"""How far the logarithm of a power of ten is from a whole number, and what is taken away from 0."""
CHANGES = (7.0, -4.0, 0.0)
UNIT = regex(
    r"\s{0,2}(?:degrees?|deg|°|celsius|fahrenheit|kelvin|percent|%|[$€£¥]|eur\b|usd\b|euros?\b|dollars?\b|litres?|liters?"
    r"|([A-Za-z]{1,6}[23]?)\b(?:/[A-Za-z]{1,4}[23]?\b)?)",
    re.IGNORECASE,
)
"""What stands behind a number: a unit, or a word that may be one."""
CLEAR_UNITS = frozenset(UNITS) - {"in", "a", "s", "sec", "min", "ms"}
"""These units are no other words, and don't say when something is."""
MONEY = regex(r"[$€£¥]\s?$")
OTHER = regex(
    r"\b(?:(?:un)?(?:scaled|normali[sz]ed|standardi[sz]ed)|z|sigma|deviations?|chang\w*|delta|diff\w*|trend|rise|fall"
    r"|up|down|by|warmer|cooler|colder|hotter|higher|lower|more|less|anomal\w*|errors?|loss|scores?|class|prob\w*"
    r"|chance|risk|confidence|likel\w*|raw)\b",
    re.IGNORECASE,
)
"""Words for what isn't in the column's scale on purpose."""


class Scaled(Frozen):
    """A column of which a window was sent, less `centre` and divided by `width`."""

    table: Table
    column: int
    centre: float
    width: float

    @property
    def range(self) -> tuple[float, float]:
        values = self.table.numbers[:, self.column]
        return float(numpy.nanmin(values)), float(numpy.nanmax(values))


def unrestored(asked: Asked) -> str:
    """Returns a hint about a number in another scale than its unit says, or "" if there is none."""
    for index, output in asked.fetched():
        if output.array.dtype.kind != "f" or output.array.size > MOST_VALUES:
            continue
        scaled = [one for one in scaled_in(asked) if is_outside(one, float(output.array.reshape(-1)[0]))]
        if not scaled or OTHER.search(output.what.replace("_", " ")):
            continue
        said = followed(asked, index, output)
        if said is None:
            continue
        word, line, behind, before = said
        for one in scaled:
            if OTHER.search(line) or not is_named(one, line, behind, before) or is_converted(one, behind):
                continue
            value = float(output.array.reshape(-1)[0])
            sign = "less" if one.centre >= 0 else "plus"
            return (
                f'{output.what}: the guest writes "{line.strip()}" with the answer {word} as the model gives '
                f"it, in the scale of its input, {named(one.table, one.column)} {sign} "
                f"{abs(one.centre):.4g} divided by {one.width:.4g}: brought back it is "
                f"{value * one.width + one.centre:.4g}"
            )
    return ""


def scaled_in(asked: Asked) -> Iterator[Scaled]:
    """The columns that inputs were made of by a scale."""
    for sent in asked.sent:
        if sent.array is None or sent.array.dtype.kind != "f":
            continue
        flat = sent.array.reshape(-1).astype("f8")
        width = sent.shape[-1] if len(sent.shape) > 2 and 1 < sent.shape[-1] <= MOST_COLUMNS else 1
        for _, table in tables_in(asked.files()):
            for feature in range(width):
                window = flat[feature::width]
                found = placed(table, window)
                if found is None and width == 1:
                    found = next(filter(None, (placed(table, one) for one in most_of(window))), None)
                if found is not None and found[2]:
                    column, _, slope, height = found
                    yield Scaled(table, column, -height / slope, 1 / slope)


def most_of(window: Any) -> Iterator[Any]:
    """Yields the elements without a few at one end, such as those that say what hour comes next."""
    for others in range(1, MOST_OTHERS + 1):
        if len(window) - others >= FEWEST_MOST * others:
            yield window[:-others]
            yield window[others:]


def is_outside(scaled: Scaled, value: float) -> bool:
    """Whether an answer is none of a column's numbers, and would be if it was brought back."""
    low, high = scaled.range
    room, back = high - low, value * scaled.width + scaled.centre
    is_usual = low - OUTSIDE * room <= value <= high + OUTSIDE * room
    return not is_usual and low - INSIDE * room <= back <= high + INSIDE * room


def followed(asked: Asked, index: int, output: Given) -> tuple[str, str, str, str] | None:
    """Returns the only number that is the first element as it is: how it stands there, its line, and what is
    behind and before it, or None if there is none."""
    texts = [asked.text(index, output.array + output.array.dtype.type(change)) or "" for change in CHANGES]
    said = [numbers(text) for text in texts]
    if len({*map(len, said)}) > 1:
        return None
    value = float(output.array.reshape(-1)[0])
    places = [
        at
        for at, words in enumerate(zip(*said, strict=True))
        if fit(words, [value + change for change in CHANGES])
    ]
    if len(places) != 1:
        return None
    return around(texts[-1], said[-1][places[0]].text, [word.text for word in said[-1][: places[0]]])


def around(text: str, word: str, before: Sequence[str]) -> tuple[str, str, str, str]:
    """A number, its line, and what stands behind and before it there."""
    at = 0
    for one in before:
        at = text.index(one, at) + len(one)
    at = text.index(word, at)
    start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    end = end if end >= 0 else len(text)
    return word, text[start:end], text[at + len(word) : end], text[start:at]


def is_converted(scaled: Scaled, behind: str) -> bool:
    """Whether a column was only divided by a power of ten, and the number stands in a unit that isn't the
    column's own by its heading: so megawatts become gigawatts."""
    low, high = scaled.range
    power = float(numpy.log10(scaled.width)) if scaled.width > 0 else 0.5
    if abs(power - round(power)) > ROUND or abs(scaled.centre) > ROUND * max(abs(low), abs(high)):
        return False
    found = UNIT.match(behind)
    heading = scaled.table.headings[scaled.column] if scaled.table.headings else ""
    unit = found[1] if found is not None else None
    return bool(unit) and str(unit).lower() != unit_in(heading)[1]


def is_named(scaled: Scaled, line: str, behind: str, before: str) -> bool:
    """Whether a line says a number in a unit, or names the column."""
    found = UNIT.match(behind)
    is_unit = found is not None and (found[1] is None or found[1].lower() in CLEAR_UNITS)
    heading = scaled.table.headings[scaled.column] if scaled.table.headings else ""
    words = {one.lower() for one in WORD.findall(line)}
    return (
        is_unit or bool(MONEY.search(before)) or bool(words & {one.lower() for one in WORD.findall(heading)})
    )

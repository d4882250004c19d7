"""Windows of a log in which the lines of several sensors follow each other by turns, of which all were taken
for samples of one.

What is here: `mixed_kinds`. A column says of which sensor each line is, and the numbers jump from line to
line far more than among the lines of each sensor. What is not: kinds that follow each other in one series by
right, such as high and low tides, which no heading or name says to be sensors; and single numbers of sensors
in a fixed order, which may be what a model wants side by side.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from ...arrays import numpy
from ..origin.straight import line_of
from ..regex import regex
from ..sheets.sheet import Sheet
from .rings import laid_out, window_of

MOST_KINDS, FEWEST_LINES, FEWEST_TURNS = 8, 4, 4
"""Sensors, the lines of each in a window, and how often another one follows in it, at least."""
EXACT, ROUGHER = 1e-4, 2.0
"""Kinds that were sent are so near to those of the table. In some column, numbers of neighbouring lines are
so many times as far apart as neighbouring numbers of one sensor."""
HEADING = regex(
    r"(?:^|[_\W])(?:sensors?|source|devices?|channels?|probes?|stations?|nodes?|topics?)"
    r"(?:[_\W](?:id|name|type|kind))?$",
    re.IGNORECASE,
)
"""Headings of columns that say which sensor a line is of."""
SENSORS = regex(
    r"(?<![^\W_])(?:acc(?:el\w*)?|gyro?(?:scope)?|mag(?:net\w*)?|baro\w*|temp\w*|hum\w*|press\w*|grav\w*|ppg|ecg"
    r"|emg|eda|imu\d*|rotation|orientation)(?![^\W_])",
    re.IGNORECASE,
)
"""Names of sensors."""


def mixed_kinds(array: Any, sheets: Sequence[Sheet]) -> tuple[str, str]:
    """Returns the file and what is wrong with a window of it, or "" for both if nothing is."""
    for sheet in sheets:
        kinds = [*columns_of_kinds(sheet)]
        known = [at for at in range(sheet.numbers.shape[1]) if numpy.isfinite(sheet.numbers[:, at]).all()]
        for samples in laid_out(array) if kinds and known else ():
            window = window_of(samples.astype("f8"), sheet.numbers[:, known])
            if window is None or window.turned:
                continue
            for column, own in kinds:
                lines = slice(window.start, window.start + len(samples))
                if is_sent(samples, sheet.numbers[lines, column]):
                    continue
                there = own[lines]
                if said := in_turns(there, samples.shape[1]):
                    rougher = max(roughness(own, sheet.numbers[:, at]) for at in known if at != column)
                    if rougher >= ROUGHER:
                        return sheet.name, (
                            f"{len(samples)} lines that follow each other were taken for samples of one "
                            f"sensor, though {sheet.named(column)} says {said}: from one line to the next "
                            f"numbers change {rougher:.0f} times as much as among the lines of each; are "
                            "lines of one kind alone to be taken?"
                        )
    return "", ""


def columns_of_kinds(sheet: Sheet) -> Iterator[tuple[int, Sequence[str]]]:
    """The columns that say of which of a few sensors each line is."""
    for column in range(len(sheet.rows[0])):
        own = [row[column].strip(' "') for row in sheet.rows]
        kinds = {*own}
        if not 2 <= len(kinds) <= MOST_KINDS or not all(kinds):
            continue
        heading = sheet.headings[column] if sheet.headings else ""
        if HEADING.search(heading.strip(' "')) or all(SENSORS.search(one) for one in kinds):
            yield column, own


def is_sent(samples: Any, numbers: Any) -> bool:
    """Whether the kinds of lines were sent, too, so that the model knows them."""
    return any(line_of(one.astype("f8"), numbers, EXACT) is not None for one in samples.T)


def in_turns(there: Sequence[str], width: int) -> str:
    """Returns how many lines of a window are of which kind, or "" if they don't come by turns. Single numbers
    are left alone if their kinds go round in a fixed order."""
    kinds = sorted({*there}, key=[*there].index)
    counts = [there.count(one) for one in kinds]
    turns = sum(one != other for one, other in pairwise(there))
    goes_round = all(one == kinds[at % len(kinds)] for at, one in enumerate(there))
    if len(kinds) < 2 or min(counts) < FEWEST_LINES or turns < FEWEST_TURNS or (width == 1 and goes_round):
        return ""
    return " and ".join(f'"{one}" of {count} of them' for one, count in zip(kinds, counts, strict=True))


def roughness(own: Sequence[str], numbers: Any) -> float:
    """How many times as far from each other the numbers of neighbouring lines are as those of one kind."""
    kinds = numpy.array(own)
    apart = numpy.concatenate([abs(numpy.diff(numbers[kinds == one])) for one in sorted({*own})])
    return float(abs(numpy.diff(numbers)).mean() / max(float(apart.mean()), 1e-30)) if apart.size else 0.0

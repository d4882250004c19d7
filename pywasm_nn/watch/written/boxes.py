"""Boxes that a guest writes as two corners, the second of which lies above or left of the first, or of a size
below 0.

What is here: `inverted`, and `negative` sizes. What is not: x and y in the other order (`misplaced.py`), and
which boxes are kept (`probes/suppression.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..origin.locating import correlation
from ..regex import regex
from .misread import Fetched, Round

FEWEST, BOX = 2, 4
PART = 0.1
"""This part of the rows of an answer are no corners."""
BESIDE = 0.9
"""Places correlate so much with those beside them; sizes hardly follow places."""
MOSTLY, ROOM = 0.85, 0.05
"""This part of them are boxes that reach beyond the picture by no more than this part of it."""
LINES = regex(
    r"line|segment|edge|lane|vector|arrow|path|stroke|limb|bone|move|track|flow|match|shift", re.IGNORECASE
)
"""Words for things with two ends, either of which may be the higher one."""
_ONE = r"(-?\d+(?:\.\d+)?)"
_POINT = rf"[(\[]?{_ONE}\s*[,; ]\s*{_ONE}[)\]]?"
CORNERS = (
    regex(rf"(?<![\w.]){_POINT}(?:-|\s+-\s+|\s*(?:to|until|\u2013|->|\u2192|\.\.+)\s*){_POINT}(?![\w]|\.\d)"),
    regex(
        rf"\b(?:x1|x0|x_?min|left)\W{{1,3}}{_ONE}.{{1,4}}\b(?:y1|y0|y_?min|top)\W{{1,3}}{_ONE}.{{1,4}}"
        rf"\b(?:x2|x1|x_?max|right)\W{{1,3}}{_ONE}.{{1,4}}\b(?:y2|y1|y_?max|bottom)\W{{1,3}}{_ONE}",
        re.IGNORECASE,
    ),
)
"""Two points, and four sides."""


def corners(text: str) -> Iterator[tuple[float, float, float, float]]:
    """The boxes of a text."""
    for line in text.splitlines():
        if found := next(filter(None, (way.search(line) for way in CORNERS)), None):
            left, top, right, bottom = map(float, found.groups())
            yield left, top, right, bottom


SIZES = (
    regex(r"(?<![\w.])(-?\d+(?:\.\d+)?) ?(?:x|\u00d7) ?(-?\d+(?:\.\d+)?)(?![\w]|\.\d|\s*[=+])"),
    regex(rf"\b(?:w|width)\W{{0,2}}[ =:]{_ONE}.{{1,4}}\b(?:h|height)\W{{0,2}}[ =:]{_ONE}", re.IGNORECASE),
)
"""They match widths with heights, but no products, and no "by": numbers are changed by others, which may be
below 0."""
UNKNOWN = "-1"
"""A length of a shape that isn't known."""


def negative(of: Round) -> str:
    """Returns a hint about a width or height that is below 0, or "" if there is none."""
    if not any(output.numbers.ndim > 1 and output.numbers.size > BOX for output in of.outputs):
        return ""
    for way in SIZES:
        for found in way.finditer(of.text):
            if UNKNOWN not in found.groups() and min(map(float, found.groups())) < 0:
                return (
                    f'the guest says a size of "{found[0]}": are these other elements of the answer than the '
                    "width and height of a box, or not decoded?"
                )
    return ""


def inverted(of: Round) -> str:
    """Returns a hint about corners of which the second is not below and right of the first, or "" if there
    are none."""
    boxes = [*corners(of.text)]
    wrong = [one for one in boxes if one[2] < one[0] or one[3] < one[1]]
    output = next(filter(None, map(no_corners, of.outputs)), "")
    if len(wrong) < FEWEST or 2 * len(wrong) < len(boxes) or not output or LINES.search(of.text):
        return ""
    left, top, right, bottom = wrong[0]
    return (
        f"the guest says boxes from {left:g},{top:g} to {right:g},{bottom:g}, {len(wrong)} of {len(boxes)} "
        f"with the second corner above or left of the first; rows of {output} are no two corners either: are "
        "they the centre, width and height?"
    )


def no_corners(output: Fetched) -> str:
    """The output, if it has rows that begin with four numbers that aren't two corners, and may be the centre
    and size of a box that doesn't begin before the picture."""
    if output.numbers.shape[-1] < BOX or output.numbers.ndim < 2:
        return ""
    rows = output.rows
    apart = (rows[:, 2] < rows[:, 0]) | (rows[:, 3] < rows[:, 1])
    room = ROOM * abs(rows[:, :4]).max()
    if are_near(rows[:, 0], rows[:, 2]) and are_near(rows[:, 1], rows[:, 3]):
        return ""  # where something was and is, as of points that are followed
    inside = (rows[:, 0] >= rows[:, 2] / 2 - room) & (rows[:, 1] >= rows[:, 3] / 2 - room)
    return output.what if apart.mean() >= PART and inside.mean() >= MOSTLY else ""


def are_near(one: Any, other: Any) -> bool:
    """Returns whether the places in one column follow those in another one."""
    return len(one) > FEWEST and correlation(one, other) >= BESIDE

"""Parts of a picture that were cut at places which a table says.

What is here: `exchanged`.
"""

from __future__ import annotations

from collections.abc import Sequence

from .sheet import Sheet

ACROSS = ("x", "left", "x0", "x1", "xmin", "x_min", "column", "col")
DOWN = ("y", "top", "y0", "y1", "ymin", "y_min", "row")
NEAR = 1.0
"""Pixels by which a part may be off."""


def exchanged(part: tuple[int, int, int, int], sheets: Sequence[Sheet]) -> str:
    """Returns what is wrong with a part of a picture (rows and columns from, to), if it is at a place of a
    table with x and y exchanged, or "" if it isn't."""
    top, left = part[:2]
    for sheet in sheets:
        names = [name.lower() for name in sheet.headings]
        across, down = (
            next((names.index(one) for one in known if one in names), -1) for known in (ACROSS, DOWN)
        )
        if min(across, down) < 0:
            continue
        places = sheet.numbers[:, [across, down]].tolist()
        if any(abs(x - left) <= NEAR and abs(y - top) <= NEAR for x, y in places):
            return ""
        for x, y in places:
            if abs(x - top) <= NEAR and abs(y - left) <= NEAR and abs(x - y) > 2 * NEAR:
                return (
                    f"its part is at x {left} and y {top}; {sheet.name} has a place at x {x:g} and y {y:g}: "
                    "are x and y exchanged?"
                )
    return ""

"""Frames of a file that were read column by column, and sent as if row by row.

What is here: `turned`, and `roughness`, by which other rules, too, tell in which order numbers lie. What is
not: pictures that were turned (`resizing.py`).
"""

from __future__ import annotations

from typing import Any

LEAST = 8
"""Sides of a frame."""
SMOOTHER = 0.8
"""Neighbours differ by less than this part of what they do in the wrong order."""


def turned(array: Any) -> tuple[str, Any]:
    """Returns what is wrong if elements are numbers of a file in this order: those of a frame by its columns,
    which goes on more smoothly by its rows, or ("", None) if they are others. A guest that brings a file's
    columns into rows sends a smooth frame."""
    lengths = [length for length in array.shape if length != 1]
    if len(lengths) != 2 or min(lengths) < LEAST:
        return "", None
    height, width = lengths
    own = array.reshape(height, width).astype("f8")
    frame = own.reshape(width, height).T
    if rough(frame) > SMOOTHER * rough(own):
        return "", None
    return (
        f"its numbers are a frame of the file column by column, and the shape {height} x {width} says row by "
        "row: in the file's order they go on smoothly",
        frame.reshape(-1),
    )


def rough(frame: Any) -> float:
    """By how much neighbours differ, in both directions."""
    return roughness(frame) + roughness(frame.T)


def roughness(rows: Any) -> float:
    """By how much each row differs from the next one, on average."""
    return float(abs(rows[1:] - rows[:-1]).mean())

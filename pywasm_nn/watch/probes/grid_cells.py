"""Detectors whose answer has several numbers for each cell of a grid: all questions about the places of cells
and of the things in them.

What is here: `misplaced`, which finds out once what the guest writes of one cell and of those around it. What
is not: the questions (`cell_planes.py`, `cell_layouts.py`, `cell_steps.py`, `cell_pixels.py`,
`cell_sides.py`, `cell_offsets.py`, `cell_fractions.py`), cells of which only the number is written
(`cell_counts.py`), and sizes that are logarithms (`cell_sizes.py`).
"""

from __future__ import annotations

from . import cell_counts, cell_fractions, cell_layouts, cell_offsets, cell_pixels, cell_sides, cell_steps
from .asked import Asked
from .cell_planes import displaced, seen_in

QUESTIONS = (
    displaced, cell_fractions.unspread, cell_steps.misstepped, cell_pixels.unscaled, cell_sides.crossed,
    cell_offsets.crossed,
)  # fmt: skip


def misplaced(asked: Asked) -> str:
    """Returns what is wrong with places that are written of cells, or "" if nothing is known to be."""
    found = seen_in(asked)
    if (found is None or not cell_layouts.is_read(found[1])) and (wrong := cell_layouts.misread(asked)):
        return wrong
    if found is None:
        return cell_counts.uncounted(asked)
    return next(filter(None, (question(asked, *found) for question in QUESTIONS)), "")

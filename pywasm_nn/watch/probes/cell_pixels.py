"""Places of cells that a guest writes in the input's pixels, though the picture has another size.

What is here: `unscaled`. How far what is written moves with each cell says in which pixels it is. What is
not: boxes with scores (`drawn.py`), and guests that say to which size places belong.
"""

from __future__ import annotations

import re

from .asked import Asked, Placed
from .cell_planes import NEAR, Planes, Seen
from .drawn import LARGER, OF_THE_INPUT

LEAST = 2
"""The least width of a cell in pixels: places that move by less may be counted in cells."""


def unscaled(asked: Asked, planes: Planes, seen: Seen) -> str:
    """Returns what is wrong with places in the input's pixels, or "" if nothing is known to be."""
    placed = next((one.placed for one in asked.sent if one.placed is not None), None)
    text = asked.control.text
    if placed is None or not is_resized(placed) or OF_THE_INPUT.search(text):
        return ""
    high, wide = placed.input
    if any(re.search(rf"(?<![\w.]){one}(?![\w.])", text) for one in {wide, high}):
        return ""  # the size to which places belong is said
    cells = wide / planes.columns, high / planes.rows
    steps = seen.step(seen.beside), seen.step(seen.below)
    room = max(word.unit for word in seen.own) / 2 + NEAR * max(cells)
    if min(cells) < LEAST or any(abs(one - cell) > room for one, cell in zip(steps, cells, strict=True)):
        return ""
    height, width = placed.size
    across, down = width / placed.lies[3], height / placed.lies[2]
    return (
        f"{planes.what}: the guest writes places that move by {steps[0]:.4g} and {steps[1]:.4g} with each "
        f"cell, as in the {wide} x {high} pixels of the input; the picture has {width} x {height}: are they "
        f"not multiplied by {across:.4g} across and {down:.4g} down?"
    )


def is_resized(placed: Placed) -> bool:
    """Whether the whole picture was sent, in another size than its own in both directions."""
    height, width = placed.size
    by = height / placed.lies[2], width / placed.lies[3]
    return placed.part == (0, 0, height, width) and all(max(one, 1 / one) >= LARGER for one in by)

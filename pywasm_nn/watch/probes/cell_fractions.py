"""Offsets of a grid's cells that are shares of a cell, added to a place in pixels as if they were pixels.

What is here: `unspread`. How far what is written moves from cell to cell, and with an offset, is seen in
copies of the guest; that offsets are shares of a cell, in the answer. What is not: offsets that are logits
(`cell_planes.py`), and those of anchors (`offset_units.py`).
"""

from __future__ import annotations

from .asked import Asked
from .cell_planes import CHANGES, Planes, Seen, offsets_of

FEWEST, FEW = 3, 4
"""So many cells in which something was found, and so many numbers of these, are needed."""
LEAST, CHANCE = 0.3, 0.01
"""By how much shares differ at least, and how likely at most it is that pixels of a cell were as small."""
WIDE, NEAR, ROOM = 1.9, 0.05, 0.02
"""A cell has so many pixels at least; and how near numbers are to each other, and to 0 and 1."""


def unspread(asked: Asked, planes: Planes, seen: Seen) -> str:
    """Returns what is wrong with offsets that are added as pixels, or "" if nothing shows it."""
    picture = next((one for one in asked.pictures if one.height > planes.rows), None)
    found = planes.found
    if picture is None or len(found) < FEWEST:
        return ""
    strides = picture.width / planes.columns, picture.height / planes.rows
    steps = seen.step(seen.beside), seen.step(seen.below)
    if min(strides) < WIDE or not all(steps):
        return ""
    added = []
    offsets = offsets_of(planes, seen)
    for moved, step, stride in zip((seen.beside, seen.below), steps, strides, strict=True):
        plane = next((at for at, one in offsets.items() if {*one} == {*moved}), None)
        if plane is None:
            return ""
        word = next(iter(offsets[plane].items()))
        by = (word[1].value - seen.own[word[0]].value) / CHANGES[0]
        if abs(by * stride - step) > abs(NEAR * step) + stride * word[1].unit:
            return ""
        added.append(plane)
    values = found[:, added]
    are_shares = values.min() >= -ROOM and values.max() <= 1 + ROOM and values.max() - values.min() >= LEAST
    if values.size < FEW or not are_shares or (1 / min(strides)) ** values.size > CHANCE:
        return ""
    return (
        f"{planes.what}: what the guest writes moves by {steps[0]:.4g} with each cell, of {strides[0]:.4g} "
        f"pixels in the input, and by {steps[0] / strides[0]:.4g} with an offset that is larger by 1; where "
        f"something was found offsets are {values.min():.2g} to {values.max():.2g}, as shares of a cell are: "
        f"are they to be multiplied by {strides[0]:.4g}?"
    )

"""A part of a picture that one model gets begins where another model's answer says that something has its
middle.

What is here: `begins_at_a_middle`. Two numbers beside each other are where the part begins, and by the answer
to the picture's mirror image they are a middle. What is not: what is written of boxes (`drawn.py`), and parts
of which a table or an argument has the numbers (`sheets/boxes.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...records import Frozen
from .asked import Given, Placed

MOST, WITHIN = 16, 1.0
"""The most numbers of an answer about one thing, and how far one is at most from where the part begins, as it
was rounded."""
CLOSE, SHARES = 0.2, 1.5
"""How far a middle is from its place in the mirror image, in sides of the part, and the most of what may be
shares of a side."""


class Corner(Frozen):
    """Numbers of an output, in order across and down, that are where a part begins, by `scale` of each."""

    index: int
    places: tuple[int, int]
    scale: tuple[float, float]

    def of(self, array: Any) -> tuple[float, float]:
        """Returns the place that they say, across and down, in the picture."""
        flat = array.reshape(-1)
        across, down = (float(flat[at]) * by for at, by in zip(self.places, self.scale, strict=True))
        return across, down


def corners(cut: Placed, whole: Placed, outputs: Mapping[int, Given]) -> Iterator[Corner]:
    """The pairs of numbers of answers about a whole picture that are where a part of it begins."""
    (height, width), (top, left, bottom, right) = whole.size, cut.part
    is_whole = whole.part == (0, 0, height, width) and whole.lies == (0, 0, *whole.input)
    if cut.size != whole.size or not is_whole or min(top, left) <= WITHIN:
        return
    if bottom - top >= height or right - left >= width:
        return
    for index, output in outputs.items():
        array = output.array
        if array.dtype.kind != "f" or not len("xy") <= array.size <= MOST:
            continue
        is_share = abs(array).max() <= SHARES
        sides = (1, 1) if is_share else whole.input
        scale = width / sides[1], height / sides[0]
        for at in range(array.size - 1):
            for places in ((at, at + 1), (at + 1, at)):
                corner = Corner(index, places, scale)
                across, down = corner.of(array)
                if abs(across - left) < WITHIN and abs(down - top) < WITHIN:
                    yield corner


def begins_at_a_middle(
    cut: Placed, whole: Placed, outputs: Mapping[int, Given], mirrored: Callable[[], Mapping[int, Any]]
) -> str:
    """Returns what is wrong with a part that begins in the middle of what an answer is about, or "" if
    nothing is. `mirrored` gives the answer to the picture's mirror image, and is asked only if a part begins
    there."""
    top, left, bottom, right = cut.part
    for corner in corners(cut, whole, outputs):
        turned = mirrored().get(corner.index)
        output = outputs[corner.index]
        if turned is None or turned.shape != output.array.shape:
            return ""
        (across, down), (again, still) = corner.of(output.array), corner.of(turned)
        width = whole.size[1]
        is_middle = abs(across + again - width) <= CLOSE * (right - left)
        if is_middle and abs(down - still) <= CLOSE * (bottom - top):
            return (
                f"{output.what}: a part of the picture that is sent then begins at column {left}, row {top}, "
                f"as this answer says; it is {across:.3g} of {width} across, and {again:.3g} in the mirror "
                "image, as a middle is and no corner: is half of "
                f"{right - left} x {bottom - top} to be taken away first?"
            )
    return ""

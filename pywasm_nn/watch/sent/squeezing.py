"""Pictures that were squeezed into a model's input much more in one direction than in the other.

What is here: `squeezed`. What is not: how a picture was resized (`origin`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..facts import Picture, picture_of
from ..origin import Origin
from ..regex import regex

OF_CURVES = regex(
    r"(?<![a-z])(?:mel|spec(?:tro|tra|trum)?s?|spectrograms?|sonograms?|scalograms?|cqt|waterfalls?|ecg|plates?)"
    r"(?![a-z])",
    re.IGNORECASE,
)
"""A picture with such a name is as wide as something lasts, and networks are trained on it in a square."""
FEW_CLASSES = 4
MOST, MOST_OF_A_FREE = 2.2, 1.9
"""Nobody squeezes a picture more than this into a square, or into an input of any width."""
WHOLE = 0.95
"""A part that has at least so much of both sides is the picture without its edge."""
FARTHEST = 8.0
"""What was meant by a picture that is squeezed more than this into a square, nobody can say."""


def squeezed(
    found: Origin, shape: Sequence[int], wanted: Sequence[object] | None, classes: int = 0, names: str = ""
) -> str:
    """Returns what is wrong with the sides of a picture that was resized for an input of a shape, of which
    the model `wanted` one, or "" if nothing is. Models of no square may want what is squeezed, and so may
    those that choose one of few `classes` (0: others), such as how a text lies. `names`: those of the input
    and of the model."""
    picture = picture_of(shape)
    if found.resized is None or found.wrong or picture is None or wanted is None or len(wanted) < 3:
        return ""
    if OF_CURVES.search(found.source.name) or OF_CURVES.search(names):
        return ""
    wide, high, new_wide, new_high = found.resized
    free = free_sides(picture, wanted)
    is_free = any(free)
    if is_free and 0 < classes <= FEW_CLASSES:
        return ""
    if not is_free and is_cut_out(found):
        return ""
    if not is_free and (picture.width != picture.height or new_wide != new_high):
        return ""
    ratio = wide / new_wide / (high / new_high)
    by = max(ratio, 1 / ratio)
    if by < (MOST_OF_A_FREE if is_free else MOST) or (by > FARTHEST and not is_free):
        return ""
    if is_free and not free[ratio > 1]:  # the side that the model leaves open is longer than it has to be
        return ""
    if all(free) and (new_wide > wide) is not (new_high > high):  # made for another model's sides
        return ""
    how = "narrower" if ratio > 1 else "lower"
    instead = (
        "the model takes other sizes" if is_free else "was it to be cropped, or set in a border (letterbox)?"
    )
    return (
        f"{wide} x {high} pixels became {new_wide} x {new_high}, so that all is {by:.1f} times {how} than it "
        f"should be; {instead}"
    )


def free_sides(picture: Picture, wanted: Sequence[object]) -> list[bool]:
    """Tells by the shape that a model wants whether it leaves the height and the width of pictures open."""
    sides = wanted[-2:] if picture.planar else wanted[-3:-1]
    return [not isinstance(side, int) or side < 1 for side in sides]


def is_cut_out(found: Origin) -> bool:
    """Tells whether less than a picture was resized. It is a box of any shape around something then, and
    models of a second step are trained on such boxes in a square."""
    if found.part is None:
        return False
    top, left, bottom, right = found.part
    height, width = found.source.array.shape[:2]
    return bool(bottom - top < WHOLE * height or right - left < WHOLE * width)

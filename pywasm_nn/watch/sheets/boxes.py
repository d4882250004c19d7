"""Parts of a picture at places that a table or the guest's arguments list, as they are meant, and as mistakes
make them: a corner taken for width and height or the other way round, the middle taken for a corner, x and y
exchanged, rows looked up as far apart as the part is wide.

What is here: `listed`, `of_arguments`, `meant` and `mistaken`, and `misplaced` for parts that were found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from ...arrays import numpy
from ...records import Frozen
from ..regex import regex
from .sheet import Sheet

CORNERS, SIZES, MIDDLES = "corners", "sizes", "middles"
NAMES = {
    CORNERS: ("left top right bottom", "l t r b", "x0 y0 x1 y1", "x1 y1 x2 y2", "xmin ymin xmax ymax",
              "x_min y_min x_max y_max"),
    SIZES: ("x y w h", "x y width height", "left top width height", "l t w h"),
    MIDDLES: ("cx cy w h", "cx cy width height", "x_center y_center width height", "xc yc w h",
              "center_x center_y width height"),
}  # fmt: skip
"""Names of four columns of a table that say where a part is."""
MOST_PARTS, NEAR, MOST_SIDE = 16, 1.5, 1 << 20
"""So many parts of a list are compared, so many pixels may those that are found be off, and no picture is
larger."""


ARGUMENTS = "the guest's arguments"
WHOLE = regex(r"(?:--?[a-z_-]+=)?(\d{1,5}(?:[,:]\d{1,5})*)")
NUMBER = regex(r"\d+")


class Box(Frozen):
    """Four numbers of a list that say where a part is, in pixels: what they are called there, and whether the
    last two are a corner or a size, and the first two a corner or the middle ("": that isn't known)."""

    where: str
    names: tuple[str, ...]
    numbers: tuple[int, ...]
    kind: str


class Part(Frozen):
    """Where a part begins, its width and height, and how far apart its rows were looked up (0: as the
    picture's lie)."""

    left: int
    top: int
    width: int
    height: int
    stride: int = 0
    wrong: str = ""


def listed(sheets: Sequence[Sheet]) -> Iterator[Box]:
    """The parts that tables list."""
    for sheet in sheets:
        headings = [one.strip().strip('"').lower() for one in sheet.headings]
        known = ((kind, tuple(one.split())) for kind, several in NAMES.items() for one in several)
        kind, names = next(((kind, one) for kind, one in known if {*one} <= {*headings}), ("", ()))
        if not kind:
            continue
        rows = sheet.numbers[:, [headings.index(one) for one in names]]
        rows = rows[(numpy.abs(rows) < MOST_SIDE).all(axis=1)]  # and numbers
        for row in rows.round().astype(int).tolist():
            yield Box(sheet.name, names, tuple(row), kind)


def of_arguments(arguments: Sequence[str]) -> Iterator[Box]:
    """Four whole numbers that follow each other in the guest's arguments, or stand in one of them; or three,
    which are a corner and a side: of a square nobody knows whether the row or the column comes first."""
    several = [found for one in arguments if len(found := numbers_in(one)) > 2]
    alone = groupby((numbers_in(one) for one in arguments), key=lambda found: len(found) == 1)
    several += [[one for (one,) in run] for is_one, run in alone if is_one]
    for found in sorted(several, key=len, reverse=True)[:1]:
        one, other, third, *rest = [*found, 0, 0, 0][: max(len(found), 3)]
        if len(found) == 3:
            yield Box(ARGUMENTS, ("",) * 4, (one, other, third, third), "")
            yield Box(ARGUMENTS, ("",) * 4, (other, one, third, third), "")
        elif rest:
            yield Box(ARGUMENTS, ("",) * 4, (one, other, third, rest[0]), "")


def numbers_in(argument: str) -> list[int]:
    """The whole numbers of which an argument consists, as "3,60,40,24" and "--box=3,60,40,24" do."""
    found = WHOLE.fullmatch(argument)
    return [int(one) for one in NUMBER.findall(found[1])] if found else []


def meant(box: Box, _: int) -> Iterator[Part]:
    """The part as a list means it: of unknown numbers, in both ways."""
    one, other, third, last = box.numbers
    if box.kind in ("", CORNERS):
        yield Part(one, other, third - one, last - other)
        yield Part(one, other, third - one + 1, last - other + 1)
    if box.kind in ("", SIZES):
        yield Part(one, other, third, last)
    if box.kind == MIDDLES:
        yield Part(one - third // 2, other - last // 2, third, last)


def mistaken(box: Box, wide: int) -> Iterator[Part]:
    """The parts that mistakes make of it, in a picture so many pixels wide."""
    one, other, third, last = box.numbers
    says = f"{box.where} has " + ", ".join(
        f"{name} {number}" for name, number in zip(box.names, box.numbers, strict=True)
    )
    ends, begins = " and ".join(box.names[2:]), " and ".join(box.names[:2])
    if box.kind == CORNERS:
        said = f"{says}, and the part is {third} wide and {last} high: are {ends} taken for its sides?"
        yield Part(one, other, third, last, wrong=said)
    if box.kind == SIZES:
        said = (
            f"{says}, and the part ends at {third} and {last}: are {ends} taken for its lower right corner?"
        )
        yield Part(one, other, third - one, last - other, wrong=said)
    if box.kind == MIDDLES:
        said = f"{says}, and the part begins there: is its middle, {begins}, taken for its corner?"
        yield Part(one, other, third, last, wrong=said)
    for part in meant(box, wide):
        said = (
            f"rows of a part at column {part.left}, row {part.top} were looked up {part.width} pixels apart, "
            f"as far as the part is wide: those of the picture lie {wide} apart"
        )
        yield Part(part.left, part.top, part.width, part.height, part.width, said)
        if part.left != part.top:
            said = (
                f"the part begins at column {part.top}, row {part.left}, and {box.where} would have it at "
                f"column {part.left}, row {part.top}: are x and y exchanged?"
            )
            yield Part(part.top, part.left, part.width, part.height, wrong=said)


def misplaced(found: tuple[int, int, int, int], boxes: Sequence[Box], wide: int) -> str:
    """Returns what is wrong with a part of a picture of such a width that was found (rows and columns from,
    to), if a list has these parts, or "" if nothing is known to be wrong."""
    top, left, bottom, right = found
    own = left, top, right - left, bottom - top
    for parts in (meant, mistaken):
        for part in (part for box in boxes[:MOST_PARTS] for part in parts(box, wide) if not part.stride):
            there = part.left, part.top, part.width, part.height
            if all(abs(one - other) <= NEAR for one, other in zip(own, there, strict=True)):
                return part.wrong
    return ""

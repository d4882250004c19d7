"""Parts of pictures in the usual texts about them: COCO's JSON ("bbox": left, top, width, height), Pascal
VOC's XML (both corners), and YOLO's lines (a class, the middle, width and height as shares of the picture's).

What is here: `written_boxes`. What is not: tables with headings (`boxes.py`). Sources:
https://cocodataset.org/#format-data, https://docs.ultralytics.com/datasets/detect
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from ..regex import regex
from ..spoken import filled_lines
from ..surroundings import text_in
from .boxes import CORNERS, MIDDLES, SIZES, Box

MOST_BYTES = 1 << 18
NUMBER = r"\s*(-?\d+(?:\.\d+)?)\s*"
BBOX = regex(rf'"bbox"\s*:\s*\[{NUMBER},{NUMBER},{NUMBER},{NUMBER}\]')
CORNER = {one: regex(rf"<{one}>{NUMBER}</{one}>") for one in ("xmin", "ymin", "xmax", "ymax")}
LINE = regex(r"\d+((?: (?:0?\.\d+|[01]|1\.0+|0\.0+)){4})\s*")


def written_boxes(files: Sequence[tuple[str, bytes]], size: tuple[int, int]) -> Iterator[Box]:
    """The parts of a picture of a height and width that texts list."""
    for name, data in files:
        text = text_in(data, MOST_BYTES)
        for four in BBOX.findall(text):
            yield Box(name, ("x", "y", "width", "height"), rounded(four), SIZES)
        for four in zip(*(one.findall(text) for one in CORNER.values()), strict=False):
            yield Box(name, tuple(CORNER), rounded(four), CORNERS)
        if name.lower().endswith(".txt"):
            yield from of_shares(name, text, size)


def rounded(four: Sequence[str]) -> tuple[int, ...]:
    return tuple(round(float(one)) for one in four)


def of_shares(name: str, text: str, size: tuple[int, int]) -> Iterator[Box]:
    """Parts of which all lines of a text have the shares; of which pixels they are, programs round in several
    ways."""
    lines = filled_lines(text)
    found = [LINE.fullmatch(line) for line in lines]
    high, wide = size
    for line in found if all(found) else ():
        shares = [float(one) for one in line[1].split()] if line is not None else []
        pixels = [share * side for share, side in zip(shares, (wide, high, wide, high), strict=True)]
        for up in product((0, 1), repeat=2):
            middle = [int(one + 0.5 * up[0]) for one in pixels[:2]]
            sides = [int(one + 0.5 * up[1]) for one in pixels[2:]]
            yield Box(name, ("x_center", "y_center", "width", "height"), (*middle, *sides), MIDDLES)

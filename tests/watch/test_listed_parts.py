"""Parts of a picture at places that a table or the arguments list."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sent.listed_parts import misplaced_part
from pywasm_nn.watch.sheets.box_texts import written_boxes
from pywasm_nn.watch.sheets.boxes import Box, listed, misplaced, of_arguments
from pywasm_nn.watch.sheets.sheet import sheet_of

HIGH, WIDE = 90, 130
PIXELS = numpy.random.default_rng(6).integers(0, 256, (HIGH, WIDE, 3), "u1")
LISTS = {
    "corners": b"name,xmin,ymin,xmax,ymax\ncar,40,20,80,50\nvan,3,60,43,84\n",
    "sizes": b"x;y;w;h\n30;8;40;20\n50;12;64;36\n",
    "middles": b"cx,cy,width,height\n60,40,48,32\n30,24,24,16\n",
}


VOC = b"<object><bndbox><xmin>40</xmin><ymin>20</ymin>\n<xmax> 80 </xmax><ymax>50</ymax></bndbox></object>"
TEXTS = {
    "coco": ("coco.json", b'[{"id": 3, "bbox": [30, 8, 40, 20], "area": 800}, {"bbox":[50.0,12,64,36.2]}]'),
    "voc": ("a.xml", VOC),
    "yolo": ("a.txt", b"2 0.461538 0.444444 0.369231 0.355556\n0 0.230769 0.266667 0.184615 0.177778\n"),
}


def shrunk(part: Any, way: str) -> Any:
    """A part as f32[1,3,16,16]."""
    high, wide = part.shape[:2]
    rows, columns = numpy.arange(16) * high // 16, numpy.arange(16) * wide // 16
    if way == "nearest":
        made = part[rows][:, columns].astype("f8")
    else:
        ends = [*numpy.arange(1, 17) * high // 16], [*numpy.arange(1, 17) * wide // 16]
        made = numpy.array([[part[top:max(bottom, top + 1), left:max(right, left + 1)].mean(axis=(0, 1))
                             for left, right in zip(columns, ends[1], strict=True)]
                            for top, bottom in zip(rows, ends[0], strict=True)])  # fmt: skip
    return (made / 127.5 - 1).transpose(2, 0, 1)[None].astype("f4")


def clipped(left: int, top: int, wide: int, high: int) -> Any:
    rows, columns = numpy.arange(top, top + high), numpy.arange(left, left + wide)
    return PIXELS[rows.clip(0, HIGH - 1)][:, columns.clip(0, WIDE - 1)]


def table(name: str) -> list[Box]:
    sheet = sheet_of(f"{name}.csv", LISTS.get(name, b""))
    return [*listed([sheet] if sheet else []), *written_boxes([TEXTS.get(name, ("", b""))], (HIGH, WIDE))]


def said(part: Any, way: str, boxes: list[Box], arguments: tuple[str, ...] = ()) -> str:
    tensor = Tensor.from_numpy(shrunk(part, way))
    every = [*boxes, *of_arguments(arguments)]
    return misplaced_part(tensor, ("a.ppm", PIXELS), every, lambda: True)


@pytest.mark.parametrize("way", ["nearest", "means"])
@pytest.mark.parametrize(
    "name, box, words",
    [
        ("corners", (40, 20, 80, 50), "are xmax and ymax taken for its sides?"),
        ("sizes", (30, 8, 10, 12), "are w and h taken for its lower right corner?"),
        ("middles", (60, 40, 48, 32), "is its middle, cx and cy, taken for its corner?"),
        ("corners", (20, 40, 40, 30), "are x and y exchanged?"),
        ("coco", (30, 8, 10, 12), "are width and height taken for its lower right corner?"),
        ("voc", (40, 20, 80, 50), "are xmax and ymax taken for its sides?"),
        ("yolo", (60, 40, 48, 32), "is its middle, x_center and y_center, taken for its corner?"),
        ("coco", (50, 12, 64, 36), ""), ("voc", (40, 20, 40, 30), ""), ("yolo", (36, 24, 48, 32), ""),
        ("corners", (40, 20, 40, 30), ""), ("sizes", (50, 12, 64, 36), ""), ("middles", (18, 16, 24, 16), ""),
    ],
)  # fmt: skip
def test_corners_and_sizes(name: str, box: tuple[int, int, int, int], words: str, way: str) -> None:
    found = said(clipped(*box), way, table(name))
    assert words in found and bool(words) == bool(found)
    left, top, wide, high = box
    found = misplaced((top, left, top + high, left + wide), table(name), WIDE)
    assert words in found and bool(words) == bool(found)


@pytest.mark.parametrize("begins", [60 * WIDE + 3, 60 * 40 + 3])
@pytest.mark.parametrize("arguments", [(), ("crop", "3", "60", "40", "24"), ("crop", "3", "60", "43", "84")])
def test_rows_as_far_apart_as_the_part_is_wide(begins: int, arguments: tuple[str, ...]) -> None:
    flat = PIXELS.reshape(-1, 3)
    part = flat[begins + numpy.arange(24)[:, None] * 40 + numpy.arange(40)]
    sheets = [] if arguments else table("corners")
    assert "looked up 40 pixels apart" in said(part, "means", sheets, arguments)
    assert said(clipped(3, 60, 40, 24), "means", sheets, arguments) == ""


@pytest.mark.parametrize(
    "arguments", [("3,40,24,24",), ("a.ppm", "3", "40", "24"), ("--box=3,40,24", "0.5"), ("40", "3", "24")]
)
def test_parts_in_one_argument_and_squares(arguments: tuple[str, ...]) -> None:
    flat = PIXELS.reshape(-1, 3)
    part = flat[40 * 24 + 3 + numpy.arange(24)[:, None] * 24 + numpy.arange(24)]
    assert "column 3, row 40 were looked up 24 pixels apart" in said(part, "nearest", [], arguments)
    assert said(clipped(3, 40, 24, 24), "nearest", [], arguments) == ""
    exchanged = said(clipped(40, 3, 24, 24), "nearest", [], arguments)
    assert ("are x and y exchanged?" in exchanged) is ("3,40,24,24" in arguments) is bool(exchanged)


def test_other_pictures() -> None:
    other = numpy.random.default_rng(7).integers(0, 256, (24, 40, 3), "u1")
    assert said(other, "nearest", table("corners"), ("x", "3", "60", "40", "24")) == ""

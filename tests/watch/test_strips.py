"""Small pictures side by side in one, read as if each lay behind the one before; and read rightly."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin.strips import one_after_another
from tests.watch.test_origin import scene


def tiles(sheet: Any, height: int, width: int) -> Any:
    rows, columns = sheet.shape[0] // height, sheet.shape[1] // width
    split = sheet.reshape(rows, height, columns, width, -1).swapaxes(1, 2)
    return split.reshape(rows * columns, height, width, -1)


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize(
    ("size", "part", "channels", "scale"),
    [((28, 140), (28, 28), 1, 1 / 255), ((64, 96), (32, 32), 3, 1 / 127.5), ((24, 80), (24, 16), 3, 1.0)],
)
def test_pictures_side_by_side(size: Any, part: Any, channels: int, scale: float, planar: bool) -> None:
    sheet = (scene(7, *size)[..., :channels] // 3).astype("u1")
    sheet[:6] = 0  # there is nothing above the first one
    wrong, right = sheet.reshape(-1, *part, channels), tiles(sheet, *part)

    def said(pictures: Any) -> str:
        sent = pictures.transpose(0, 3, 1, 2) if planar else pictures
        sent = (sent * scale).astype("f4") if scale != 1 else numpy.ascontiguousarray(sent)
        return one_after_another(numpy.ascontiguousarray(sent), ("plate.bmp", sheet))

    assert f"the rows of one lie {size[1]} pixels apart, and not {part[1]}" in said(wrong)
    assert "stand side by side in plate.bmp" in said(wrong[2:3])
    assert said(right) == said(right[1:2]) == said(numpy.zeros_like(right)) == ""
    assert one_after_another(wrong * 0.5, ("other.bmp", sheet[:, :-1])) == "", "no strip of such pictures"


@pytest.mark.parametrize(
    ("size", "part"), [((8, 48), (8, 8)), ((28, 140), (28, 28)), ((12, 90), (12, 9)), ((16, 40), (8, 8))]
)
def test_pictures_whose_shape_has_no_channels(size: tuple[int, int], part: tuple[int, int]) -> None:
    sheet = (scene(7, *size)[..., :1] // 3).astype("u1")
    count = sheet.size // (part[0] * part[1])

    def said(pictures: Any, *shape: int) -> str:
        sent = ((255 - pictures.astype("f4")) / 255).reshape(*shape)
        return one_after_another(sent, ("zip.pgm", sheet))

    right, flat = tiles(sheet, *part), part[0] * part[1]
    assert f"the rows of one lie {size[1]} pixels apart, and not {part[1]}" in said(sheet, count, flat)
    assert f"pictures of {part[1]} x {part[0]} stand side by side" in said(sheet, count, *part)
    assert said(sheet.reshape(count, -1)[1:2], 1, flat) != ""
    beside = [sheet.ravel()[at : at + flat] for at in range(0, size[1], part[1])]
    assert "all pixels of each followed its first one" in said(numpy.stack(beside), len(beside), flat)
    assert "followed its first one" in said(beside[1], 1, 1, *part)
    assert said(right, count, flat) == said(right, count, *part) == said(right[:1], flat) == ""


@pytest.mark.parametrize("rows", [1, 2, 4])
def test_whole_rows_of_a_picture_are_no_pictures(rows: int) -> None:
    sheet = (scene(7, 16, 64)[..., :1] // 3).astype("u1")
    for wide in (64, 32):
        assert one_after_another((sheet / 255).reshape(-1, rows * wide), ("lines.pgm", sheet)) == ""

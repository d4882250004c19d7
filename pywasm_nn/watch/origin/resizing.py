"""Resizing and cropping of pictures, in the ways of the usual libraries.

What is here: functions from pixels [height, width, channels] as f32 to pixels of another size. What is not:
finding out which of them a guest used (`matching.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...arrays import numpy
from ...records import Frozen

Resize = Callable[[Any, int, int], Any]
"""Pixels, height and width to pixels of that size."""


def resized(picture: Any, height: int, width: int) -> Any:
    """Bilinear resizing of floats."""

    def places(new: int, old: int) -> tuple[Any, Any, Any]:
        at = ((numpy.arange(new) + 0.5) * old / new - 0.5).clip(0, old - 1)
        low = at.astype(int)
        return low, numpy.minimum(low + 1, old - 1), (at - low).astype("f4")

    top, bottom, down = places(height, picture.shape[0])
    left, right, across = places(width, picture.shape[1])
    rows = picture[top] * (1 - down)[:, None, None] + picture[bottom] * down[:, None, None]
    return rows[:, left] * (1 - across)[None, :, None] + rows[:, right] * across[None, :, None]


def nearest(picture: Any, height: int, width: int) -> Any:
    """The pixel at the rounded-down place, as a loop over `y * height / new_height` takes it."""
    rows = numpy.arange(height) * picture.shape[0] // height
    columns = numpy.arange(width) * picture.shape[1] // width
    return picture[rows][:, columns]


def nearest_centred(picture: Any, height: int, width: int) -> Any:
    """The pixel nearest to the centre of the new one, as in Pillow and OpenCV's exact mode."""
    rows = ((numpy.arange(height) + 0.5) * picture.shape[0] / height).astype(int)
    columns = ((numpy.arange(width) + 0.5) * picture.shape[1] / width).astype(int)
    return picture[rows][:, columns]


def blended(picture: Any, rows: Any, columns: Any) -> Any:
    """Bilinear interpolation at these rows and columns, which are fractions."""
    top, left = rows.astype(int), columns.astype(int)
    bottom = numpy.minimum(top + 1, picture.shape[0] - 1)
    right = numpy.minimum(left + 1, picture.shape[1] - 1)
    down, across = (rows - top).astype("f4")[:, None, None], (columns - left).astype("f4")[None, :, None]
    high = picture[top] * (1 - down) + picture[bottom] * down
    return high[:, left] * (1 - across) + high[:, right] * across


def uncentred(picture: Any, height: int, width: int) -> Any:
    """Bilinear at `y * height / new_height`, without half a pixel."""
    rows = numpy.arange(height) * (picture.shape[0] / height)
    return blended(picture, rows, numpy.arange(width) * (picture.shape[1] / width))


def corners(picture: Any, height: int, width: int) -> Any:
    """Bilinear with the corner pixels aligned."""
    rows = numpy.linspace(0, picture.shape[0] - 1, height)
    return blended(picture, rows, numpy.linspace(0, picture.shape[1] - 1, width))


def shares(old: int, new: int) -> Any:
    """The share of each old row in each new one, [new, old]."""
    edges = numpy.linspace(0, old, new + 1)
    upper = numpy.minimum(edges[1:, None], numpy.arange(1, old + 1)[None])
    lower = numpy.maximum(edges[:-1, None], numpy.arange(old)[None])
    part = numpy.maximum(upper - lower, 0).astype("f4")
    return part / part.sum(axis=1, keepdims=True)


def averaged(picture: Any, height: int, width: int) -> Any:
    """The mean of the area that each new pixel covers."""
    rows, columns = shares(picture.shape[0], height), shares(picture.shape[1], width)
    planes = [rows @ picture[..., channel] @ columns.T for channel in range(picture.shape[2])]
    return numpy.stack(planes, 2)


def pillows(name: str) -> Resize:
    """A filter of Pillow, which takes in every pixel when it makes a picture smaller."""

    def resize(picture: Any, height: int, width: int) -> Any:
        from PIL import Image

        method = getattr(Image.Resampling, name)
        planes = [Image.fromarray(picture[:, :, channel]) for channel in range(picture.shape[2])]
        return numpy.stack([numpy.asarray(plane.resize((width, height), method)) for plane in planes], 2)

    return resize


INTERPOLATIONS: dict[str, Resize] = {
    "bilinear": resized,
    "nearest pixel": nearest,
    "nearest pixel, centred": nearest_centred,
    "bilinear, not centred": uncentred,
    "bilinear, corners aligned": corners,
    "areas averaged": averaged,
}
WITH_PILLOW: dict[str, Resize] = {
    "bilinear as in Pillow": pillows("BILINEAR"),
    "bicubic as in Pillow": pillows("BICUBIC"),
    "Lanczos as in Pillow": pillows("LANCZOS"),
}


def interpolations() -> dict[str, Resize]:
    """All interpolations that can be had here, by name."""
    try:
        import PIL.Image  # noqa: F401 - asks whether it is there
    except ImportError:
        return INTERPOLATIONS
    return INTERPOLATIONS | WITH_PILLOW


class Geometry(Frozen):
    """A part of a picture (rows and columns from, to), resized to a size, perhaps smaller than the input, at
    a place in it. `said` continues "the picture, "."""

    said: str
    part: tuple[int, int, int, int]
    size: tuple[int, int]
    place: tuple[int, int] = (0, 0)
    turned: str = ""
    """How the part was turned after resizing: a key of TURNS."""

    @property
    def resizes(self) -> bool:
        top, left, bottom, right = self.part
        return (bottom - top, right - left) != self.size

    def made(self, picture: Any, resize: Resize, height: int, width: int) -> Any:
        """The pixels [height, width, channels]; NaN where the picture leaves the input empty."""
        top, left, bottom, right = self.part
        cut = picture[top:bottom, left:right]
        if self.resizes:
            cut = resize(numpy.ascontiguousarray(cut), *self.size)
        new = (height, width) if not swaps(self.turned) else (width, height)
        if cut.shape[:2] != new:
            empty = numpy.full((*new, picture.shape[2]), numpy.nan, "f4")
            row, column = self.place
            empty[row : row + cut.shape[0], column : column + cut.shape[1]] = cut[
                : new[0] - row, : new[1] - column
            ]
            cut = empty
        return TURNS[self.turned](cut)


def swaps(turn: str) -> bool:
    """Whether a turn swaps height and width."""
    return turn not in ("", "upside down", "mirrored", "turned by 180 degrees")


def mirrored(pixels: Any) -> Any:
    return pixels[:, ::-1]


def upside_down(pixels: Any) -> Any:
    return pixels[::-1]


def swapped(pixels: Any) -> Any:
    return pixels.swapaxes(0, 1)


def half_turned(pixels: Any) -> Any:
    return pixels[::-1, ::-1]


def turned_right(pixels: Any) -> Any:
    return pixels[::-1].swapaxes(0, 1)


def turned_left(pixels: Any) -> Any:
    return pixels[:, ::-1].swapaxes(0, 1)


def swapped_back(pixels: Any) -> Any:
    return pixels[::-1, ::-1].swapaxes(0, 1)


TURNS: dict[str, Callable[[Any], Any]] = {
    "": lambda pixels: pixels,
    "upside down": upside_down,
    "mirrored": mirrored,
    "rows and columns swapped": swapped,
    "turned by 180 degrees": half_turned,
    "turned right by 90 degrees": turned_right,
    "turned left by 90 degrees": turned_left,
    "rows and columns swapped, and both reversed": swapped_back,
}
"""What guests do to rows and columns, by name."""
BACK = {"turned right by 90 degrees": "turned left by 90 degrees"}
BACK |= {back: turn for turn, back in BACK.items()}
QUARTERS = frozenset(BACK)


def unturned(pixels: Any, turn: str) -> Any:
    """The pixels before they were turned."""
    return TURNS[BACK.get(turn, turn)](pixels)

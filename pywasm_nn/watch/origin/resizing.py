"""Resizing and cropping of pictures, in the ways of the usual libraries.

What is here: functions from pixels [height, width, channels] as f32 to pixels of another size. What is not:
finding out which of them a guest used (`matching.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...records import record

Resize = Callable[[Any, int, int], Any]
"""Pixels, height and width to pixels of that size."""


def resized(picture: Any, height: int, width: int) -> Any:
    """Bilinear resizing of floats."""
    import numpy

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
    import numpy

    rows = numpy.arange(height) * picture.shape[0] // height
    columns = numpy.arange(width) * picture.shape[1] // width
    return picture[rows][:, columns]


def nearest_centred(picture: Any, height: int, width: int) -> Any:
    """The pixel nearest to the centre of the new one, as in Pillow and OpenCV's exact mode."""
    import numpy

    rows = ((numpy.arange(height) + 0.5) * picture.shape[0] / height).astype(int)
    columns = ((numpy.arange(width) + 0.5) * picture.shape[1] / width).astype(int)
    return picture[rows][:, columns]


def blended(picture: Any, rows: Any, columns: Any) -> Any:
    """Bilinear interpolation at these rows and columns, which are fractions."""
    import numpy

    top, left = rows.astype(int), columns.astype(int)
    bottom = numpy.minimum(top + 1, picture.shape[0] - 1)
    right = numpy.minimum(left + 1, picture.shape[1] - 1)
    down, across = (rows - top).astype("f4")[:, None, None], (columns - left).astype("f4")[None, :, None]
    high = picture[top] * (1 - down) + picture[bottom] * down
    return high[:, left] * (1 - across) + high[:, right] * across


def uncentred(picture: Any, height: int, width: int) -> Any:
    """Bilinear at `y * height / new_height`, without half a pixel."""
    import numpy

    rows = numpy.arange(height) * (picture.shape[0] / height)
    return blended(picture, rows, numpy.arange(width) * (picture.shape[1] / width))


def corners(picture: Any, height: int, width: int) -> Any:
    """Bilinear with the corner pixels aligned."""
    import numpy

    rows = numpy.linspace(0, picture.shape[0] - 1, height)
    return blended(picture, rows, numpy.linspace(0, picture.shape[1] - 1, width))


def pillows(name: str) -> Resize:
    """A filter of Pillow, which takes in every pixel when it makes a picture smaller."""

    def resize(picture: Any, height: int, width: int) -> Any:
        import numpy
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
}
WITH_PILLOW: dict[str, Resize] = {
    "bilinear as in Pillow": pillows("BILINEAR"),
    "bicubic as in Pillow": pillows("BICUBIC"),
    "Lanczos as in Pillow": pillows("LANCZOS"),
    "areas averaged": pillows("BOX"),
}


def interpolations() -> dict[str, Resize]:
    """All interpolations that can be had here, by name."""
    try:
        import PIL.Image  # noqa: F401 - asks whether it is there
    except ImportError:
        return INTERPOLATIONS
    return INTERPOLATIONS | WITH_PILLOW


@record
class Geometry:
    """A part of a picture (rows and columns from, to), resized to a size, perhaps smaller than the input, at
    a place in it. `said` continues "the picture, "."""

    said: str
    part: tuple[int, int, int, int]
    size: tuple[int, int]
    place: tuple[int, int] = (0, 0)
    turned: str = ""
    """"upside down", "mirrored" or "rows and columns swapped"."""

    @property
    def resizes(self) -> bool:
        top, left, bottom, right = self.part
        return (bottom - top, right - left) != self.size

    def made(self, picture: Any, resize: Resize, height: int, width: int) -> Any:
        """The pixels [height, width, channels]; NaN where the picture leaves the input empty."""
        import numpy

        top, left, bottom, right = self.part
        cut = picture[top:bottom, left:right]
        if self.resizes:
            cut = resize(numpy.ascontiguousarray(cut), *self.size)
        if self.turned:
            cut = TURNS[self.turned](cut)
        if cut.shape[:2] == (height, width):
            return cut
        empty = numpy.full((height, width, picture.shape[2]), numpy.nan, "f4")
        row, column = self.place
        empty[row : row + cut.shape[0], column : column + cut.shape[1]] = cut
        return empty


TURNS: dict[str, Callable[[Any], Any]] = {
    "upside down": lambda pixels: pixels[::-1],
    "mirrored": lambda pixels: pixels[:, ::-1],
    "rows and columns swapped": lambda pixels: pixels.transpose(1, 0, 2),
}


def geometries(old: tuple[int, int], new: tuple[int, int]) -> Iterator[Geometry]:
    """The usual ways from a picture's size (height, width) to that of an input, the most frequent first."""
    height, width = old
    rows, columns = new
    whole = (0, 0, height, width)
    yield Geometry("" if old == new else f"resized to {columns} x {rows}", whole, new)
    if old != new:
        for share in (1.0, 0.875):
            side = min(height / rows, width / columns) * share
            tall, wide = round(side * rows), round(side * columns)
            top, left = (height - tall) // 2, (width - wide) // 2
            said = f"the middle {wide} x {tall} resized to {columns} x {rows}"
            yield Geometry(said, (top, left, top + tall, left + wide), new)
        scale = min(rows / height, columns / width)
        size = max(1, round(height * scale)), max(1, round(width * scale))
        for said, place in (
            ("in the middle", ((rows - size[0]) // 2, (columns - size[1]) // 2)),
            ("at the top left", (0, 0)),
        ):
            yield Geometry(f"fitted to {size[1]} x {size[0]} {said}", whole, size, place)
        if height >= rows and width >= columns:
            top, left = (height - rows) // 2, (width - columns) // 2
            yield Geometry(f"its middle {columns} x {rows}", (top, left, top + rows, left + columns), new)
            yield Geometry(f"its top left {columns} x {rows}", (0, 0, rows, columns), new)
    for turn in TURNS:
        size = new[::-1] if turn == "rows and columns swapped" else new
        said = turn if old == size else f"resized to {columns} x {rows}, {turn}"
        yield Geometry(said, whole, size, turned=turn)

"""Tiles that a guest cuts out of a picture one after the other, at a distance that isn't their size.

What is here: `Tiles`, which finds small inputs in a picture pixel by pixel. What is not: parts that are
resized (`origin`).

Tiles that overlap are often meant, by half or a quarter. But if as many as fit side by side into the picture
were cut, and each overlaps the one before by one pixel, the last pixels of the picture are in none. Tiles
with room between them are often meant, too. But if all that is drawn in each cell of the picture fits into a
tile, and is cut off in all of them, they lie beside what they are to show.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from operator import gt
from typing import Any

from ...arrays import numpy
from ..facts import picture_of
from ..origin.cut import MOST_PRODUCTS, found_at

LARGEST, FEWEST = 64, 4
"""The most rows and columns of a tile, and the fewest tiles that show their distance."""
TINY = 24
"""Larger tiles are found in other ways, too."""
LEAST = 12
"""Tiles of fewer pixels are found by chance."""
HUGE = 1e30
"""Elements of pictures are smaller, and are numbers."""
MOST_TILES = 256
GROUND, DRAWN, LEFT_OUT = 0.3, 0.25, 0.15
"""The part of a picture that is its ground; how far from that, as a part of the farthest, pixels are drawn;
and the part of those in a cell that a tile leaves out at least."""


class Tiles:
    """Gives a sentence at the end."""

    def __init__(self) -> None:
        self._found: dict[str, list[tuple[int, int]]] = {}
        """By picture, where tiles begin: rows and columns."""
        self._shown: dict[str, Any] = {}
        """By picture, its pixels in grey."""
        self._sizes: dict[str, tuple[int, int, int, int]] = {}
        """By picture, height and width of the tiles and of the picture."""

    def set(self, name: str, array: Any, picture: tuple[str, Any] | None) -> bool:
        """An input was set; `picture` is the name and the pixels of the last one that was read. Whether it is
        a part of that."""
        own = picture_of(array.shape)
        if picture is None or own is None or array.size != own.height * own.width * own.channels:
            return False
        file, pixels = picture
        sizes = own.height, own.width, *pixels.shape[:2]
        key = f"{name}: compared with {file}"
        places = self._found.setdefault(key, [])
        if not fits(*sizes) or len(places) >= MOST_TILES or not abs(array).max() < HUGE:
            return False
        grey = pixels[..., :3].astype("f8").mean(axis=2)
        flat = array.reshape(own.channels, -1) if own.planar else array.reshape(-1, own.channels).T
        tile = flat.astype("f8").mean(axis=0).reshape(own.height, own.width)
        place = found_at(tile, grey, places[-1] if places else (0, -1))
        if place is None or self._sizes.setdefault(key, sizes) != sizes:
            places.append((-1, -1))  # another thing: no row of tiles
            return False
        places.append(place)
        self._shown[key] = grey
        return max(own.height, own.width) <= TINY

    def is_followed(self, name: str) -> bool:
        """Whether all pictures in an input so far were tiles of one, so that the next may be one, too."""
        found = [places for key, places in self._found.items() if key.startswith(f"{name}: ")]
        return len(found) == 1 and bool(found[0]) and (-1, -1) not in found[0]

    def finish(self) -> Iterator[str]:
        """Yields what is wrong with the distances of tiles."""
        for key, places in self._found.items():
            if len(places) < FEWEST or (-1, -1) in places or key not in self._sizes:
                continue
            height, width, tall, wide = self._sizes[key]
            columns, rows = sorted({one for _, one in places}), sorted({one for one, _ in places})
            if len(columns) * len(rows) != len(places):
                continue
            wrong = stepped(columns, width, wide) or stepped(rows, height, tall)
            wrong = wrong or cut_off((rows, columns), (height, width), self._shown[key])
            if wrong:
                yield f"{key}, {wrong}"


def fits(height: int, width: int, tall: int, wide: int) -> bool:
    """Whether tiles are small enough, and smaller than the picture."""
    if height > tall or width > wide or (height, width) == (tall, wide):
        return False
    products = height * width * (tall - height + 1) * (wide - width + 1)
    return height * width >= LEAST and max(height, width) <= LARGEST and products <= MOST_PRODUCTS


def stepped(starts: list[int], size: int, whole: int) -> str:
    """Returns what is wrong with where tiles of a size begin, or "" if nothing is."""
    steps = {after - before for before, after in pairwise(starts)}
    if len(starts) < FEWEST or starts[0] or len(starts) != whole // size or whole % size or len(steps) != 1:
        return ""
    if (step := steps.pop()) != size - 1:
        return ""
    left = whole - starts[-1] - size
    return (
        f"tiles of {size} pixels are cut every {step} pixels: {len(starts)} of {size} are as many as the "
        f"{whole} pixels of the picture, but the last {left} of these are in none"
    )


def cut_off(starts: tuple[list[int], list[int]], size: tuple[int, int], grey: Any) -> str:
    """Returns what is wrong with where tiles begin in the cells of a picture, or "" if nothing is: all that
    is drawn in each cell would fit into a tile, and some of it is left out in each."""
    cells = [cell_of(one, length) for one, length in zip(starts, grey.shape, strict=True)]
    drawn = drawn_in(grey)
    if drawn is None or size == (*cells,) or any(map(gt, size, cells)):
        return ""
    parts = drawn.reshape(len(starts[0]), cells[0], len(starts[1]), cells[1]).swapaxes(1, 2)
    at = starts[0][0], starts[1][0]
    within = parts[:, :, at[0] : at[0] + size[0], at[1] : at[1] + size[1]].sum(axis=(2, 3))
    left_out = 1 - within / parts.sum(axis=(2, 3)).clip(1)
    ends = [numpy.flatnonzero(parts.any(axis=axes))[[0, -1]].tolist() for axes in ((0, 1, 3), (0, 1, 2))]
    first = [max(0, (begin + end + 1 - length) // 2) for (begin, end), length in zip(ends, size, strict=True)]
    is_inside = all(end - begin < length for (begin, end), length in zip(ends, size, strict=True))
    is_in_all = parts.any(axis=(2, 3)).all()
    if not is_inside or not is_in_all or not (left_out >= LEFT_OUT).all():
        return ""
    return (
        f"{left_out.size} tiles of {size[1]} x {size[0]} pixels begin at row {at[0]} and column {at[1]} of "
        f"each {cells[1]} x {cells[0]} pixels, and leave out {left_out.mean():.0%} of what is drawn there; "
        f"from row {first[0]} and column {first[1]} on they would hold all of it"
    )


def cell_of(starts: list[int], length: int) -> int:
    """Returns the side of the cells in each of which a tile begins, or 0 if there are no such ones."""
    cell = length // len(starts)
    is_even = length % len(starts) == 0 and {after - before for before, after in pairwise(starts)} <= {cell}
    return cell if is_even and starts[0] < cell else 0


def drawn_in(grey: Any) -> Any:
    """Where something is drawn on a picture's even ground, or None if it has none."""
    levels, counts = numpy.unique(grey, return_counts=True)
    if counts.max() < GROUND * grey.size:
        return None
    away = abs(grey - levels[counts.argmax()])
    return away > DRAWN * away.max()

"""Finds a picture at its usual places by some of its pixels, however little neighbouring ones have in common.

What is here: `at_points`, `are_at_points` for a picture of the input's size, and `between_bars` for inputs of
which it fills a part. What is not: parts that lie anywhere (`locating.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

from ...arrays import numpy
from ...records import Frozen, changed
from .locating import Place, blocks, usual_places
from .resizing import TURNS, swaps
from .shifted import has_edges

POINTS = 700
"""So many pixels are compared."""
NEAR, LIKE = 0.5, 0.9
"""The correlations of pixels some to the side of each other, and of the same ones, in the least like channel.
"""
STEPS = (1.0, 0.5, 0.25)
"""By how many pixels a place is moved to come nearer: sizes are rounded before parts are cut."""
SHORTER = 224 / 256
"""The part of the shorter side that is left where pictures are made a little larger than is cut out."""
MOVES = 4
SAME = 0.999
"""The correlation of the very bytes."""
SOME, MOST_SAMPLED = 4096, 65536
FARTHEST = 64
SIDES = 16
"""So many rows and columns are needed."""


def at_points(elements: Any, pixels: Any, *, exactly: bool = False) -> Place | None:
    """Returns the usual place of a picture [height, width, colours], turned in any way, that elements
    [height, width, channels] show, or None if there is none. `exactly`: they show no other one as well, and
    it is not turned, or mirrored."""
    height, width, _ = elements.shape
    if min(height, width) < SIDES:
        return None
    rows, columns = points_in(height, width)
    own = elements[rows, columns].astype("f8")
    own = own[:, own.std(axis=0) > 0]
    means = cache(partial(blocks, pixels))
    best: Place | None = None
    turns = ("", "mirrored") if exactly else TURNS
    for turn in turns if own.shape[1] else ():
        size = (width, height) if swaps(turn) else (height, width)
        points = placed(turn, (rows + 0.5) / height, (columns + 0.5) / width)
        like = comparing(own, means, turn, size, points)
        found = max(map(like, places(size, pixels.shape[:2])), key=lambda one: one.like)
        if found.like > NEAR and not exactly:
            found = nearest(found, like)
        if found.like > max(SAME if exactly else LIKE, best.like if best else 0.0):
            best = found
    return best


def points_in(height: int, width: int) -> tuple[Any, Any]:
    """The rows and columns of the pixels that are compared, the same each time."""
    order = numpy.random.default_rng(0)
    return order.integers(0, height, POINTS), order.integers(0, width, POINTS)


def are_at_points(elements: Any, pixels: Any) -> bool:
    """Whether elements [height, width, channels] are a picture of their size, pixel by pixel, as some
    show."""
    height, width, _ = elements.shape
    if pixels.shape[:2] != (height, width):
        return False
    rows, columns = points_in(height, width)
    own, there = (one[rows, columns].astype("f8") for one in (elements, pixels[..., :3]))
    return least_like(own, there) > SAME


class Inset(Frozen):
    """A part of an input, and the place of the picture that it shows."""

    part: tuple[slice, slice]
    place: Place


def between_bars(elements: Any, pixels: Any) -> Inset | None:
    """Returns which part of elements shows the whole picture, pixel by pixel, where the rest is filled with
    something: it keeps its shape, or its size, and lies at the top left or in the middle."""
    for part in insets(elements.shape[:2], pixels.shape[:2]):
        place = at_points(elements[part], pixels, exactly=True)
        if place is not None:
            return Inset(part, place)
    return None


def insets(new: tuple[int, int], old: tuple[int, int]) -> Iterator[tuple[slice, slice]]:
    """The rows and columns of an input in which a whole picture may lie that leaves some free."""
    scale = min(new[0] / old[0], new[1] / old[1])
    fitted = (round(scale * old[0]), round(scale * old[1]))
    for high, broad in dict.fromkeys((old, fitted)):
        if high > new[0] or broad > new[1] or (high, broad) == new:
            continue
        for top, left in dict.fromkeys(((0, 0), ((new[0] - high) // 2, (new[1] - broad) // 2))):
            yield slice(top, top + high), slice(left, left + broad)


def comparing(
    own: Any,
    means: Callable[[int, int], Any],
    turn: str,
    size: tuple[int, int],
    points: tuple[Any, Any],
) -> Callable[[Place], Place]:
    """A function that gives a place its turn, and how like the picture there is to pixels `own`. The other
    arguments are those of `sampled`."""

    @cache  # neighbours of neighbours are the same places again
    def like(place: Place) -> Place:
        there = sampled(means, place, size, *points)
        return changed(place, turn=turn, like=max(least_like(own, one) for one in there))

    return like


def nearest(place: Place, like: Callable[[Place], Place]) -> Place:
    """The place to the side of one that is most alike."""
    for step in STEPS:
        for _ in range(MOVES):
            moves = ((down, across) for down in (-step, 0, step) for across in (-step, 0, step))
            near = [
                like(Place(place.top + down, place.left + across, place.height, place.width))
                for down, across in moves
            ]
            best = max(near, key=lambda one: one.like)
            if best.like <= place.like:
                break
            place = best
    return place


def placed(turn: str, down: Any, across: Any) -> tuple[Any, Any]:
    """Where points of a picture that was turned lay before, as parts of its height and width."""
    corners = numpy.array([[0.0, 1.0], [2.0, 3.0]])
    turned = TURNS[turn](corners[..., None])[..., 0]
    first, below, beside = turned[0, 0], turned[1, 0], turned[0, 1]
    rows = divmod(first, 2), divmod(below, 2), divmod(beside, 2)
    start, to_below, to_beside = (numpy.array(one) for one in rows)
    place = start[:, None] + (to_below - start)[:, None] * down + (to_beside - start)[:, None] * across
    return place[0], place[1]


def places(new: tuple[int, int], old: tuple[int, int]) -> Iterator[Place]:
    """Usual places, the middle of a picture that was made a little larger than what is cut out, and the
    middle without any resizing."""
    yield from usual_places(new, old)
    if new[0] <= old[0] and new[1] <= old[1]:
        yield Place((old[0] - new[0]) // 2, (old[1] - new[1]) // 2, *new)
    side = SHORTER * min(old[0] / new[0], old[1] / new[1])
    high, broad = side * new[0], side * new[1]
    yield Place((old[0] - high) / 2, (old[1] - broad) / 2, high, broad)


def sampled(
    means: Callable[[int, int], Any], place: Place, size: tuple[int, int], down: Any, across: Any
) -> Iterator[Any]:
    """The colours of a picture at points of a part of it, [points, colours]: between pixels, at the nearest
    one, and between means of as many as a new pixel covers. `means` gives the picture by blocks."""
    covered = max(1, round(place.height / size[0])), max(1, round(place.width / size[1]))
    for tall, wide in dict.fromkeys(((1, 1), covered)):
        picture = means(tall, wide)
        rows = ((place.top + down * place.height) / tall - 0.5).clip(0, picture.shape[0] - 1)
        columns = ((place.left + across * place.width) / wide - 0.5).clip(0, picture.shape[1] - 1)
        top, left = rows.astype(int), columns.astype(int)
        bottom = numpy.minimum(top + 1, picture.shape[0] - 1)
        right = numpy.minimum(left + 1, picture.shape[1] - 1)
        below, beside = (rows - top)[:, None], (columns - left)[:, None]
        high = picture[top, left] * (1 - beside) + picture[top, right] * beside
        yield (
            high * (1 - below)
            + (picture[bottom, left] * (1 - beside) + picture[bottom, right] * beside) * below
        )
    pixels = means(1, 1)
    rows = (place.top + (down - 0.5 / size[0]) * place.height + 1e-6).astype(int).clip(0, pixels.shape[0] - 1)
    columns = (place.left + (across - 0.5 / size[1]) * place.width + 1e-6).astype(int)
    yield pixels[rows, columns.clip(0, pixels.shape[1] - 1)]


def least_like(own: Any, there: Any) -> float:
    """The correlation of the channel that is least like any colour."""
    a, b = own - own.mean(axis=0), there - there.mean(axis=0)
    size = numpy.sqrt((a * a).sum(axis=0))[:, None] * numpy.sqrt((b * b).sum(axis=0))[None]
    likeness = abs(a.T @ b) / numpy.maximum(size, 1e-30)
    return float(likeness.max(axis=1).min())


def begins_elsewhere(elements: Any, pixels: Any) -> tuple[str, Any] | None:
    """Returns what is wrong with elements [height, width, channels] that are the pixels of a picture of their
    size from some bytes before or after the first one, and the elements put right, or None for others."""
    height, width, channels = elements.shape
    if pixels.shape[:2] != (height, width) or channels not in (1, 3):
        return None
    own, there = elements.reshape(-1), pixels[..., :channels].reshape(-1)
    step = max(1, own.size // MOST_SAMPLED)
    some, its = own[::step].astype("f8"), there[::step].astype("f8")
    if not (some.std() and its.std()) or numpy.corrcoef(some, its)[0, 1] > SAME:
        return None
    own, there = own.astype("f8"), there.astype("f8")
    for by in range(1, FARTHEST + 1):
        for late in (True, False):
            mine, its = (own[by:], there[:-by]) if late else (own[:-by], there[by:])
            if any(not numpy.corrcoef(mine[:most], its[:most])[0, 1] > SAME for most in (SOME, own.size)):
                continue
            if has_edges(elements, pixels, by, late=late):
                return None
            rest = numpy.arange(by)
            mine = own[by:] if late else own[:-by]
            beyond = mine[-channels:][rest % channels] if late else mine[:channels][(rest - by) % channels]
            made = numpy.concatenate([mine, beyond] if late else [beyond, mine]).reshape(elements.shape)
            what = (
                "before the first pixel: a header, or a size, was"
                if late
                else "after the first pixel: too few were"
            )
            return f"the elements begin {by} bytes {what} taken for pixels", made
    return None

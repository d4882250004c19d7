"""Finds which part of a picture another picture shows: where, in which size, turned how.

What is here: `locate`, a search by normalised cross correlation over places, sizes and turns of small copies,
and `refined`, least squares on larger ones. What is not: colours (`colours.py`) and words (`matching.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...records import Frozen, changed
from ..budget import Left, always
from .resizing import TURNS, shares, swaps, unturned

SMALL = 48
"""The longer side of the copy of the picture that is searched."""
SIZES = 14
"""So many heights and widths are tried, in equal ratios."""
LEAST = 0.14
"""The smallest part that is searched for, of the picture's height and width."""
SQUEEZED, FAR = 2.2, 5.0
"""A part is squeezed by at most so much in one direction; and if it isn't found so."""
FEWEST = 4
"""A part has at least so many rows and columns of the small copy."""
KEPT = 3
"""So many places are refined."""
LIVELY = 0.05
"""A part deviates by at least this part of the picture's deviation."""
STEPS = 16
LARGER, LARGE, STRAIGHT = 96, 0.45, 1.35
"""Side, smallest part and squeezing for pictures of which nothing is left in a small copy, such as text."""
CLEARLY, SURELY = 0.55, 0.85
"""Correlations at a usual place, and after refining, with which nothing else is looked for."""
FULL = 0.99
FEWEST_PIXELS = 16
SURE, DOUBTFUL = 0.985, 0.5
"""Correlations at which no better place is looked for, and below which none is refined."""
COARSE, FINE = 56, 160
"""Rows and columns at which places are refined."""


class Place(Frozen):
    """A part of a picture: its upper left corner and size in pixels of the picture (fractions), how it was
    turned afterwards, and the correlation there, negative if the picture is inverted."""

    top: float
    left: float
    height: float
    width: float
    turn: str = ""
    like: float = 0.0

    def distance(self, other: Place) -> float:
        """The largest difference of the edges."""
        return max(
            abs(self.top - other.top),
            abs(self.left - other.left),
            abs(self.top + self.height - other.top - other.height),
            abs(self.left + self.width - other.left - other.width),
        )


class Copies:
    """A picture [height, width] with copies of it in other sizes, each of which is made once."""

    def __init__(self, picture: Any) -> None:
        self.picture = picture
        self.shape: tuple[int, int] = picture.shape
        self._small: dict[int, Any] = {}
        self._blocks: dict[tuple[int, int], Any] = {}
        self._scenes: dict[tuple[float, ...], Scene] = {}

    def small(self, most: int, turn: str = "") -> Any:
        """A copy that is averaged, so that it has at most so many rows and columns; unturned."""
        if most not in self._small:
            self._small[most] = small(self.picture, most)
        return unturned(self._small[most], turn)

    def blocks(self, tall: int, wide: int) -> Any:
        """Means of blocks of so many rows and columns, f64."""
        if (tall, wide) not in self._blocks:
            self._blocks[tall, wide] = blocks(self.picture, tall, wide).astype("f8")
        return self._blocks[tall, wide]

    def scene(self, side: int, least: float, squeezed: float) -> Scene:
        """A copy in which parts are searched for."""
        key = side, least, squeezed
        if key not in self._scenes:
            self._scenes[key] = Scene(self, side, SIZES, least, squeezed)
        return self._scenes[key]


def small(picture: Any, most: int) -> Any:
    """A picture [height, width] averaged, so that it has at most so many rows and columns."""
    return shrunk(picture, min(picture.shape[0], most), min(picture.shape[1], most))


def shrunk(picture: Any, height: int, width: int) -> Any:
    """A picture [height, width] in another size, each of whose pixels is a mean."""
    return shares(picture.shape[0], height) @ picture @ shares(picture.shape[1], width).T


def locate(
    template: Copies, picture: Copies, turns: tuple[str, ...] = tuple(TURNS), left: Left = always
) -> Place | None:
    """Returns where a template lies in a picture, or None if it surely isn't there."""
    rough: list[tuple[float, str, Place]] = []
    scene = picture.scene(SMALL, LEAST, SQUEEZED)
    for turn in turns:
        own = template.small(COARSE, turn)
        found = sorted(scene.candidates(own), key=lambda place: -abs(place.like))
        rough += [(abs(place.like), turn, place) for place in distinct(found)]
        if rough[0][1] == turn and rough[0][0] > SURE:
            break
    rough.sort(key=lambda one: -one[0])
    best: Place | None = None
    for like, turn, start in rough[:KEPT]:
        if like < DOUBTFUL:
            break
        place = changed(descended(template.small(COARSE, turn), picture, start), turn=turn)
        if best is None or abs(place.like) > abs(best.like):
            best = place
        if abs(place.like) > SURE or not left():
            break
    if (best is None or abs(best.like) < SURELY) and len(turns) > 1:
        for side, least, squeezed in ((LARGER, LARGE, STRAIGHT), (SMALL, LEAST, FAR)):
            if not left():
                break
            best = refined(picture.scene(side, least, squeezed), template, picture, best)
    if best is None:
        return None
    return changed(descended(template.small(FINE, best.turn), picture, best), turn=best.turn)


def refined(scene: Scene, template: Copies, picture: Copies, best: Place | None) -> Place | None:
    """The best place of a template, among those of a scene and one that is known."""
    found = sorted(scene.candidates(template.small(FINE)), key=lambda place: -abs(place.like))
    for start in distinct(found)[:2]:
        place = descended(template.small(COARSE), picture, start)
        place = descended(template.small(FINE), picture, place if place.like > start.like else start)
        if best is None or abs(place.like) > abs(best.like):
            best = place
    return best


def at_usual(template: Copies, filled: Copies, picture: Copies, turns: tuple[str, ...]) -> Place | None:
    """The best of the usual places (the whole picture, its middle in the template's shape, its top left, the
    part to which steps lead that were rounded down), if the template is clearly there as far as it is filled.
    """
    best: Place | None = None
    for turn in turns:
        wanted, there = template.small(FINE, turn), filled.small(FINE, turn).reshape(-1) > FULL
        size = template.shape[::-1] if swaps(turn) else template.shape
        for place in usual_places(size, picture.shape):
            like = likeness(wanted, there, picture, place)
            if abs(like) > max(CLEARLY, 0.0 if best is None else abs(best.like)):
                best = changed(place, like=like, turn=turn)
        if best is not None and abs(best.like) > SURE:
            break
    if best is None:
        return None
    known = filled.small(FINE, best.turn).reshape(-1) > FULL
    return changed(descended(template.small(FINE, best.turn), picture, best, known), turn=best.turn)


def usual_places(new: tuple[int, int], old: tuple[int, int]) -> list[Place]:
    """The usual places of a template of a size (height, width) in a picture of a size."""
    (tall, wide), (height, width) = new, old
    side = min(height / tall, width / wide)
    high, broad = side * tall, side * wide
    places = [
        Place(0, 0, height, width),
        Place((height - high) / 2, (width - broad) / 2, high, broad),
        Place(0, 0, high, broad),
        Place(0, 0, tall, wide),
        Place(0, 0, height // tall * tall, width // wide * wide),
    ]
    places = [place for place in places if min(place.height, place.width) > 0]
    return [place for place in places if place.height <= height and place.width <= width]


def likeness(wanted: Any, known: Any, picture: Copies, place: Place) -> float:
    """The correlation of a small template with a picture at a place, as it is."""
    tall, wide = wanted.shape
    down = max(1, int(place.height / tall)), max(1, int(place.width / wide))
    rows, columns = (numpy.arange(tall) + 0.5) / tall, (numpy.arange(wide) + 0.5) / wide
    near = Place(place.top / down[0], place.left / down[1], place.height / down[0], place.width / down[1])
    made, there = sampled(picture.blocks(*down), rows, columns, near)
    there &= known
    return correlation(made[there], wanted.reshape(-1)[there]) if there.any() else 0.0


def distinct(places: list[Place]) -> list[Place]:
    """The first places that are clearly different."""
    found: list[Place] = []
    for place in places:
        if all(place.distance(other) > 0.15 * max(place.height, place.width) for other in found):
            found.append(place)
        if len(found) == KEPT:
            break
    return found


class Scene:
    """A small copy of a picture, in which parts are searched for."""

    def __init__(self, picture: Copies, side: int, count: int, least: float, squeezed: float) -> None:
        self._count, self._least, self._squeezed = count, least, squeezed
        pixels = picture.small(side).astype("f4")
        self._pixels = pixels - pixels.mean()
        self.rows, self.columns = self._pixels.shape
        self._ratio = picture.shape[0] / self.rows, picture.shape[1] / self.columns
        self._spectrum = numpy.conj(numpy.fft.rfft2(self._pixels))
        self._sums, self._squares = integral(self._pixels), integral(self._pixels * self._pixels)
        self._quiet = LIVELY * float(self._pixels.std())
        self._deviations: dict[tuple[int, int], Any] = {}

    def candidates(self, template: Any) -> Iterator[Place]:
        """Returns, for each size, the best place by correlation."""
        aspect = template.shape[1] / template.shape[0] * self._ratio[0] / self._ratio[1]
        across = sizes(self.columns, self.rows * aspect, self._count, self._least)
        narrow = {wide: shares(template.shape[1], wide).T for wide in across}
        for tall in sizes(self.rows, self.columns / aspect, self._count, self._least):
            low = shares(template.shape[0], tall) @ template
            widths = [wide for wide in narrow if self._is_likely(tall, wide, aspect)]
            if not widths:
                continue
            stack = numpy.zeros((len(widths), tall, self.columns), "f4")
            for number, wide in enumerate(widths):
                part = low @ narrow[wide]
                part = part - part.mean()
                stack[number, :, :wide] = part / (float(numpy.sqrt((part * part).sum())) or 1.0)
            match = self._matches(stack)
            for number, wide in enumerate(widths):
                yield self._best(match[number], tall, wide)

    def _is_likely(self, tall: int, wide: int, aspect: float) -> bool:
        squeezed = wide / tall / aspect
        return 1 / self._squeezed <= squeezed <= self._squeezed or (tall, wide) == (self.rows, self.columns)

    def _matches(self, stack: Any) -> Any:
        """Returns what parts, padded to all columns, have in common with the scene at each row at which they
        fit, and each column, which count backwards: the spectrum of the picture is the conjugate one."""
        parts = numpy.fft.fft(numpy.fft.rfft(stack), n=self.rows, axis=1)
        fitting = -numpy.arange(self.rows - stack.shape[1] + 1) % self.rows
        rows = numpy.fft.ifft(self._spectrum * parts, axis=1).take(fitting, 1)
        return numpy.fft.irfft(rows, n=self.columns)

    def _best(self, match: Any, tall: int, wide: int) -> Place:
        across = -numpy.arange(self.columns - wide + 1) % self.columns
        there = match.take(across, 1) / self._deviation(tall, wide)
        row, column = divmod(int(abs(there).argmax()), there.shape[1])
        high, broad = self._ratio
        like = float(there[row, column])
        return Place(row * high, column * broad, tall * high, wide * broad, like=like)

    def _deviation(self, tall: int, wide: int) -> Any:
        """Returns the deviation of all windows of a size, which each template and turn of it is compared
        with."""
        if (tall, wide) not in self._deviations:
            count = tall * wide
            spread = windows(self._squares, tall, wide) - windows(self._sums, tall, wide) ** 2 / count
            self._deviations[tall, wide] = numpy.sqrt(numpy.maximum(spread, count * self._quiet**2))
        return self._deviations[tall, wide]


def sizes(most: int, other: float, count: int, least: float) -> list[int]:
    """Sizes in about equal ratios, and the one that the other side would have without squeezing."""
    step = least ** (1 / (count - 1))
    found = {max(FEWEST, round(most * step**number)) for number in range(count)} | {round(other)}
    return sorted({size for size in found if FEWEST <= size <= most} or {most}, reverse=True)


def integral(picture: Any) -> Any:
    """Sums over all rows above and columns to the left."""
    made = numpy.zeros((picture.shape[0] + 1, picture.shape[1] + 1))
    made[1:, 1:] = picture.astype("f8").cumsum(axis=0).cumsum(axis=1)
    return made


def windows(sums: Any, tall: int, wide: int) -> Any:
    """Sums over all windows of a size."""
    return sums[tall:, wide:] - sums[:-tall, wide:] - sums[tall:, :-wide] + sums[:-tall, :-wide]


def descended(template: Any, picture: Copies, place: Place, filled: Any = None) -> Place:
    """Gauss-Newton steps from a place; outliers count little, and what isn't filled not at all."""
    wanted = template.astype("f8")
    tall, wide = wanted.shape
    down = max(1, int(place.height / tall)), max(1, int(place.width / wide))
    scene = picture.blocks(*down)
    place = Place(place.top / down[0], place.left / down[1], place.height / down[0], place.width / down[1])
    rows, columns = (numpy.arange(tall) + 0.5) / tall, (numpy.arange(wide) + 0.5) / wide
    flat = wanted.reshape(-1)
    best, least = place, float("inf")
    known = numpy.ones(len(flat), bool) if filled is None else filled

    for _ in range(STEPS):
        made, there = sampled(scene, rows, columns, place)
        weights, apart = trusted(made, flat, there & known)
        if apart < least:
            best, least = place, apart
        down_slope, across = slopes(scene, rows, columns, place)
        moves = [down_slope, down_slope * rows[:, None], across, across * columns[None]]
        system = numpy.stack([made, numpy.ones(tall * wide), *(move.reshape(-1) for move in moves)], 1)
        weighted = (system * weights[:, None]).T
        normal = weighted @ system
        normal[numpy.diag_indices(6)] += 1e-9 * float(numpy.trace(normal)) + 1e-12
        answer = numpy.linalg.solve(normal, weighted @ flat)
        if not numpy.isfinite(answer).all() or abs(answer[0]) < 1e-12:
            break
        step = (answer[2:] / answer[0]).clip(-4, 4)
        place = Place(
            place.top + float(step[0]),
            place.left + float(step[2]),
            max(4.0, place.height + float(step[1])),
            max(4.0, place.width + float(step[3])),
        )
        if float(abs(step).max()) < 0.005:
            break
    made, there = sampled(scene, rows, columns, best)
    there &= known
    like = correlation(made[there], flat[there]) if there.sum() > 0.3 * known.sum() else 0.0
    return Place(
        best.top * down[0], best.left * down[1], best.height * down[0], best.width * down[1], like=like
    )


def trusted(made: Any, wanted: Any, there: Any) -> tuple[Any, float]:
    """Weights of pixels by how far they are from the line through all, and the usual distance."""
    count = int(numpy.count_nonzero(there))
    if count < FEWEST_PIXELS:
        return there.astype("f8"), float("inf")
    a, b = (made, wanted) if count == len(there) else (made[there], wanted[there])
    middle, other = a.mean(), b.mean()
    scale = float(((a - middle) * (b - other)).mean() / max(float(a.var()), 1e-12))
    apart = abs(scale * (made - middle) + other - wanted)
    known = apart if count == len(there) else apart[there]
    usual = float(numpy.median(known))
    weights = 1 / (1 + (apart / (3 * usual + 1e-9)) ** 2)
    weights[~there] = 0
    return weights, float(numpy.minimum(known, float(b.std())).mean())


def sampled(scene: Any, rows: Any, columns: Any, place: Place) -> tuple[Any, Any]:
    """The scene's pixels at a place, flat, and which of them lie in the scene."""
    down, across = points(rows, columns, place)
    inside = ((down > -1) & (down < scene.shape[0]))[:, None] & ((across > -1) & (across < scene.shape[1]))[
        None
    ]
    return between(between(scene, down, 0), across, 1).reshape(-1), inside.reshape(-1)


def slopes(scene: Any, rows: Any, columns: Any, place: Place) -> tuple[Any, Any]:
    """How the scene's pixels differ half a row, and half a column, before and after a place."""
    down, across = points(rows, columns, place)
    halves = (-0.5, 0.5)
    above, below = (points(rows, columns, changed(place, top=place.top + half))[0] for half in halves)
    left, right = (points(rows, columns, changed(place, left=place.left + half))[1] for half in halves)
    there = between(scene, down, 0)
    return (
        between(between(scene, below, 0), across, 1) - between(between(scene, above, 0), across, 1),
        between(there, right, 1) - between(there, left, 1),
    )


def points(rows: Any, columns: Any, place: Place) -> tuple[Any, Any]:
    """Rows and columns of a scene at a place."""
    return place.top + rows * place.height - 0.5, place.left + columns * place.width - 0.5


def between(scene: Any, at: Any, axis: int) -> Any:
    """The scene with other rows (axis 0) or columns (1): those between its own at these points."""
    most = scene.shape[axis]
    at = at.clip(0, most - 1)
    low = at.astype(int)
    beyond = at - low if axis else (at - low)[:, None]
    made = scene.take(low, axis)
    made *= 1 - beyond
    following = scene.take(numpy.minimum(low + 1, most - 1), axis)
    following *= beyond
    made += following
    return made


def blocks(picture: Any, tall: int, wide: int) -> Any:
    """Means of blocks of so many rows and columns, for each channel if there are several."""
    if tall == wide == 1:
        return picture
    height, width = picture.shape[0] // tall, picture.shape[1] // wide
    cut = picture[: height * tall, : width * wide]
    return cut.reshape(height, tall, width, wide, *picture.shape[2:]).mean(axis=(1, 3))


def correlation(one: Any, other: Any) -> float:
    """Returns the correlation of two arrays of one shape, or 0 where one is constant."""
    one, other = one - one.mean(), other - other.mean()
    spread = float(numpy.sqrt((one * one).mean())) * float(numpy.sqrt((other * other).mean()))
    return float((one * other).mean()) / spread if spread else 0.0

"""Points in pixels among many numbers: are they multiplied by a size though they are pixels, and read at the
distance that they have?

What is here: `mispointed`, and `mispointed_at_once`. All elements are made the same, and then each its own
number: that tells by how much written numbers are multiplied, and which elements they are, or how far apart
two are of which one is taken from the other. What is not: boxes with scores (`drawn.py`), and other numbers
that are made of several points (`point_kinds.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..facts import picture_of
from ..spoken import Word
from .asked import Asked, Given
from .formulas import numbers
from .point_kinds import Kinds, kinds_of

FEWEST, FEW, MOST = 24, 6, 1 << 14
"""So many elements an answer has; if its shape says how many a point has, fewer are enough."""
FINE, WIDE = 4096, 4
"""By so much elements differ that tell lengths from whole numbers, and the bytes of those that can."""
LEAST = 20.0
SIZES = range(16, 8193)
"""Sizes of pictures."""
UNITS = (100, 1000)
"""Whole numbers of smaller units are made by these."""
FAR = 4
"""So many times the input's size is beyond any point."""
ROOM = 0.5
"""Points may lie beyond the picture by this part of it."""
SPREAD = 0.1
PERIODS = range(2, 9)
FEWEST_PAIRS, SHOWN = 3, 4
ALIKE = 0.35
"""Elements of the same kind are so much nearer to each other than those beside each other."""


class Follows(Frozen):
    """A written number: its value for the answer itself, by how much an element is multiplied, and which
    element that is, or -1."""

    word: Word
    factor: float
    place: int


def mispointed(asked: Asked) -> str:
    """Returns what is wrong with points that are written, or "" if nothing is."""
    sides = [side for one in asked.sent if (side := side_of(one.shape))]
    for index, output in asked.fetched() if sides else ():
        array, period = output.array, declared(output)
        if array.dtype.kind != "f" or not (FEW if period else FEWEST) <= array.size <= MOST:
            continue
        flat = array.reshape(-1)
        in_pixels = flat.size >= FEWEST and are_pixels(places_in(flat), max(sides))
        if not in_pixels and not period:
            if are_in_pairs(asked.control.text) and (wrong := overlapping([*followed(asked, index, output)])):
                return f"{output.what}: {wrong}"
            continue
        found = [*followed(asked, index, output)]
        wrong = multiplied(found, max(sides)) if in_pixels else ""
        kinds = kinds_of(asked, index, output, period or period_of(flat))
        if not wrong and not kinds.are_right:  # a middle of two points follows what lies between them
            wrong = kinds.mixed or (stepped(found, flat) if in_pixels else "")
            wrong = wrong or misrowed(found, period, array.size) or kinds.astray or overlapping(found)
            wrong = wrong or across(asked, index, output, kinds, found)
        if wrong:
            return f"{output.what}: {wrong}"
    return ""


def mispointed_at_once(asked: Asked) -> str:
    """Returns what `mispointed` does if an answer is one row of points in pixels, else "". Little else can be
    wrong with such a row, and the rules before `mispointed` may take all of the time."""
    sides = [side for one in asked.sent if (side := side_of(one.shape))]
    rows = [one.array.reshape(-1) for _, one in asked.fetched() if len(one.lengths) == 1 and sides]
    rows = [one for one in rows if one.dtype.kind == "f" and FEWEST <= one.size <= MOST]
    are_points = any(period_of(one) and are_pixels(places_in(one), max(sides)) for one in rows)
    return mispointed(asked) if are_points else ""


def places_in(flat: Any) -> Any:
    """The first two numbers of each point, if it is plain how many a point has: others may be depths and
    shares; else all."""
    period = period_of(flat)
    return flat.reshape(-1, period)[:, :2] if period > 2 else flat


def declared(output: Given) -> int:
    """How many numbers an answer has for each point, if its shape says so; else 0."""
    lengths = output.lengths
    return lengths[-1] if len(lengths) == 2 and lengths[-1] in PERIODS and lengths[-1] < lengths[0] else 0


def side_of(shape: Sequence[int]) -> int:
    """Returns the longer side of an input that is a picture, or 0 if it is none."""
    picture = picture_of(shape)
    return 0 if picture is None else max(picture.height, picture.width)


def are_pixels(array: Any, side: int) -> bool:
    """Whether elements are places in a picture of this size, in pixels."""
    return bool(
        -ROOM * side < array.min()
        and SPREAD * side < array.max() < (1 + ROOM) * side
        and array.std() > SPREAD * side
    )


def followed(asked: Asked, index: int, output: Given) -> Iterator[Follows]:
    """The numbers that follow one element each along a line."""
    array = output.array
    reach = array.size - LEAST
    for own, low, high, rising in told(asked, index, output):
        factor = (high.value - low.value) / reach
        if abs(high.value - low.value) <= 2 * own.unit:
            continue
        place = (rising.value - low.value) / factor + LEAST
        near = abs(place - round(place)) <= 2 * own.unit / abs(factor)
        yield Follows(own, factor, round(place) if near and 0 <= place < array.size else -1)


def told(asked: Asked, index: int, output: Given, unit: int = 1) -> list[tuple[Word, ...]]:
    """Returns four words for each number that the guest writes: that of the answer itself, those of two
    answers whose elements are all equal, and that of one whose elements are their places times `unit`.
    Returns [] if the guest doesn't write as many numbers of each."""
    array = output.array
    ramp = (numpy.arange(array.size).reshape(array.shape) * unit).astype(array.dtype)
    ways = [numpy.full_like(array, one) for one in (LEAST, array.size)]
    texts = [asked.text(index, one) for one in (array, *ways, ramp)]
    said = [numbers(text) for text in texts if text]
    if len(said) < len(texts) or len({*map(len, said)}) > 1:
        return []
    return [*zip(*said, strict=True)]


def across(asked: Asked, index: int, output: Given, kinds: Kinds, found: Sequence[Follows]) -> str:
    """Widths and heights that are an element of one point less one of another kind of another point, which
    nobody means, where points of another length would make them such of the same kind, and begin with the
    elements that are written beside each other."""
    followed = [one for line in kinds.lines for one in line]
    said = told(asked, index, output) if followed and {round(one.factor, 2) for one in found} <= {1.0} else []
    apart = {at: by for at, words in enumerate(said) if (by := apart_by(words)) > kinds.period}
    if not apart or len(followed) != len(said) or output.array.dtype.itemsize < WIDE:
        return ""
    finer = told(asked, index, output, FINE)  # which tells a length that was rounded from a difference
    if len(finer) != len(said) or any(apart_by(finer[at], FINE) != by for at, by in apart.items()):
        return ""
    pairs = [one.place for one, other in pairwise(found) if one.place >= 0 and other.place == one.place + 1]
    wrong = [at for at in apart if (one := followed[at]) is not None and one.is_mixed]
    wrong = [at for at in wrong if apart[at] % kinds.period]
    steps = [step for step in PERIODS if all(one % step == 0 for one in (*apart.values(), *pairs))]
    steps = [step for step in steps if step % kinds.period and kinds.period % step]
    if not wrong or not steps:
        return ""
    return (
        f"{kinds}; {said[wrong[0]][0].text}, which the guest writes, is one of these less another, "
        f"{apart[wrong[0]]} elements away, which is another number of another point: is the number of a "
        f"point multiplied by {' or '.join([str(one) for one in steps])}, and not by {kinds.period}?"
    )


def apart_by(words: Sequence[Word], unit: int = 1) -> int:
    """How far the two elements are apart whose difference is written, as `told` says of it, or 0 if it is
    none."""
    own, low, high, rising = words
    steps = round(abs(rising.value) / unit)
    is_difference = max(abs(low.value), abs(high.value)) <= own.unit / 2
    return steps if is_difference and abs(abs(rising.value) - steps * unit) <= own.unit else 0


def multiplied(found: Sequence[Follows], side: int) -> str:
    """Pixels that are multiplied by a picture's size."""
    far = [
        one for one in found
        if is_size(one.factor, one.word.unit) and one.word.value > FAR * side and one.place >= 0
    ]  # fmt: skip
    if len(far) < 2 or len({round(one.factor) for one in far}) > 1:
        return ""
    factor, value = round(far[0].factor), far[0].word.value
    return (
        f"the guest writes {far[0].word.text}, which is {factor} times element {far[0].place} "
        f"({value / factor:.4g}): its elements are pixels of the input ({side} wide or high) already, and no "
        "shares of it"
    )


def is_size(factor: float, room: float) -> bool:
    """Whether a factor may be the size of a picture."""
    whole = round(factor)
    return whole in SIZES and whole not in UNITS and abs(factor - whole) <= room


def stepped(found: Sequence[Follows], flat: Any) -> str:
    """Pairs that begin at another element of a row each time."""
    period = period_of(flat)
    pairs = [one.place for one, other in pairwise(found) if one.place >= 0 and other.place == one.place + 1]
    pairs = [place for place in dict.fromkeys(pairs) if place - 1 not in pairs]
    steps = [step for step in PERIODS if step != period and all(place % step == 0 for place in pairs)]
    if not steps or not are_moving(pairs, period):
        return ""
    return (
        f"the guest writes pairs of elements that begin at {listed(pairs)}; its elements are alike in steps "
        f"of {period}, so that {len(flat)} are {len(flat) // period} points of {period} numbers: are points "
        f"taken to be {max(steps)} elements apart?"
    )


def misrowed(found: Sequence[Follows], period: int, size: int) -> str:
    """Pairs that begin at another column of the answer's rows each time, as rows of another length would."""
    places = [(one.place, other.place) for one, other in pairwise(found) if min(one.place, other.place) >= 0]
    pairs = [min(pair) for pair in dict.fromkeys(places) if abs(pair[0] - pair[1]) == 1]
    pairs = [place for place in dict.fromkeys(pairs) if place - 1 not in pairs]
    steps = [step for step in PERIODS if all(place % step == 0 for place in pairs)]
    steps = [step for step in steps if period % step]  # rows may have several points
    if not steps or not are_moving(pairs, period):
        return ""
    return (
        f"the guest writes pairs of elements that begin at {listed(pairs)}; its shape has {size // period} "
        f"rows of {period} numbers, so that they begin in different columns: are rows taken to be "
        f"{max(steps)} elements long?"
    )


def are_in_pairs(text: str) -> bool:
    """Whether enough lines have two numbers each, which don't all go on from the line before as ranges do."""
    pairs = [found for line in text.splitlines() if len(found := numbers(line)) == 2]
    ways = {one.value < other.value for one, other in pairs if one.value != other.value}
    return len(pairs) >= FEWEST_PAIRS and len(ways) > 1


def overlapping(found: Sequence[Follows]) -> str:
    """Pairs that begin with the element with which the one before ends, and are no ranges."""
    places = [one.place for one in found]
    pairs = [*zip(places[::2], places[1::2], strict=False)]
    are_beside = all(min(pair) >= 0 and pair[1] == pair[0] + 1 for pair in pairs)
    if len(pairs) < FEWEST_PAIRS or len(found) % 2 or not are_beside:
        return ""
    ways = {one.word.value < other.word.value for one, other in zip(found[::2], found[1::2], strict=True)}
    if len(ways) < 2 or any(other[0] != one[1] for one, other in pairwise(pairs)):
        return ""
    return (
        f"the guest writes pairs of elements of which each begins with the second one of the pair before "
        f"({listed([one for one, _ in pairs])}), so that x and y are the same elements: is the number of a "
        "point to be multiplied by 2?"
    )


def are_moving(pairs: Sequence[int], period: int) -> bool:
    """Whether enough pairs begin at several elements of rows of this length."""
    return bool(period) and len(pairs) >= FEWEST_PAIRS and len({place % period for place in pairs}) > 1


def listed(pairs: Sequence[int]) -> str:
    """The first of some places."""
    return ", ".join(map(str, pairs[:SHOWN]))


def period_of(flat: Any) -> int:
    """Returns after how many elements another one of the same kind follows, or 0 if that isn't plain."""
    beside = float(abs(numpy.diff(flat)).mean())
    steps = [step for step in PERIODS if flat.size % step == 0 and step < flat.size]
    apart = {step: float(abs(flat[step:] - flat[:-step]).mean()) for step in steps}
    near = [step for step, one in apart.items() if one <= ALIKE * beside]
    return near[0] if near and all(step % near[0] == 0 for step in near) else 0

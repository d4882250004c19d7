"""Which transformation lies between two arrays: another order, range or type, or an end that differs.

What is here: `transformation` from a reference to what was found, and the functions that make shares of
logits, `softmax` and `sigmoid`. What is not: pictures of another size (`matching.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations
from typing import Any

from ...arrays import numpy
from ..changes.arrangements import as_before, interleaved
from ..changes.rereadings import TITLES, is_plausible
from ..facts import Picture, picture_of
from .straight import line_through

RESIDUE = 0.01
"""Arrays are alike if they differ by less than this part of their deviation."""
TOGETHER = 0.03
"""How far probabilities may be from 1 together."""
FEWEST = 4
MOST_SHIFTED = 4
"""Elements may be shifted by so many places."""
MOST_AXES = 5


def transformation(found: Any, wanted: Any) -> str:
    """Returns what was done to the wanted array to get the found one: "channels reversed, times 255", or ""
    if nothing usual was. Both are arrays of numbers."""
    one, other = found.astype("f8"), wanted.astype("f8")
    if one.size < FEWEST or other.size < FEWEST:
        return ""
    with numpy.errstate(all="ignore"):
        if one.size == other.size:
            for said, made in (*orders(other, one.shape), *functions(other)):
                if (scaled := likeness(one, made.reshape(one.shape))) is not None:
                    return ", ".join(filter(None, (said, scaled)))
            if text := from_where(one.reshape(-1), other.reshape(-1)):
                return text
        return as_other_type(found, wanted)


def orders(array: Any, shape: tuple[int, ...]) -> Iterator[tuple[str, Any]]:
    """An array in other orders, with descriptions, the least changed first."""
    yield "", array
    picture = picture_of(array.shape)
    if picture is not None:
        yield from of_picture(array, picture)
    if array.shape != shape and sorted(array.shape) == sorted(shape) and len(shape) <= MOST_AXES:
        for axes in permutations(range(len(shape))):
            if tuple(array.shape[axis] for axis in axes) == shape:
                yield f"axes in the order {list(axes)}", array.transpose(axes)
    lines = [length for length in array.shape if length != 1]
    if len(lines) == 1:
        for by in range(1, MOST_SHIFTED + 1):
            for step in (by, -by):
                yield f"shifted by {step} places", shifted(array.reshape(-1), step)
        yield "in the opposite order", array.reshape(-1)[::-1]


def of_picture(array: Any, picture: Picture) -> Iterator[tuple[str, Any]]:
    """A picture in other orders; each with its channels reversed as well."""
    pixels = interleaved(array, picture)
    turns: dict[str, Callable[[Any], Any]] = {
        "": lambda one: one,
        "upside down": lambda one: one[:, ::-1],
        "mirrored": lambda one: one[:, :, ::-1],
        "rows and columns swapped": lambda one: one.transpose(0, 2, 1, 3),
    }
    there, lies = ("NCHW", "NHWC") if picture.planar else ("NHWC", "NCHW")
    for colours in ("", "channels reversed")[: 1 + (picture.channels >= 3)]:
        own = pixels[..., ::-1] if colours else pixels
        for said, turn in turns.items():
            words = ", ".join(filter(None, (colours, said)))
            if words:
                yield words, as_before(numpy.ascontiguousarray(turn(own)), picture, (array.size,))
        if picture.channels > 1:
            other = own if picture.planar else own.transpose(0, 3, 1, 2)
            yield ", ".join(filter(None, (colours, f"laid out as {lies} in place of {there}"))), other


def shifted(flat: Any, by: int) -> Any:
    """Elements moved to higher places; NaN, which equals anything, where nothing is known."""
    made = numpy.full(flat.shape, numpy.nan)
    if by > 0:
        made[by:] = flat[:-by]
    else:
        made[:by] = flat[-by:]
    return made


def functions(array: Any) -> Iterator[tuple[str, Any]]:
    """An array after functions that often end or don't end a model."""
    flat = array.reshape(-1)
    yield "after softmax", softmax(flat)
    if flat.min() > 0:
        yield "before softmax (its logarithm)", numpy.log(flat)
    yield "after the logistic function", sigmoid(flat)


def softmax(rows: Any) -> Any:
    """The shares of rows of logits, [..., classes]."""
    with numpy.errstate(all="ignore"):
        powers = numpy.exp(rows - rows.max(-1, keepdims=True))
        return powers / powers.sum(-1, keepdims=True)


def sigmoid(numbers: Any) -> Any:
    """The share of each logit alone."""
    with numpy.errstate(all="ignore"):
        return 1 / (1 + numpy.exp(-numbers))


def are_shares(rows: Any) -> bool:
    """Whether rows of elements, [..., classes], may be probabilities: none below 0, together 1."""
    return bool(rows.min() >= 0 and (abs(rows.sum(axis=-1) - 1) <= TOGETHER).all())


def likeness(found: Any, made: Any) -> str | None:
    """How the found elements come from the made ones by scale and shift, the same for all or for each
    channel: "" if they are equal, None if they don't."""
    there = numpy.isfinite(made) & numpy.isfinite(found)
    a, b = found[there], made[there]
    if len(a) < max(FEWEST, 0.5 * found.size) or not a.std() or not b.std():
        return None
    if abs(a - b).max() <= RESIDUE * a.std():
        return ""
    picture = picture_of(found.shape)
    parts = [(a, b)]
    if picture is not None and picture.channels > 1:
        one, other = interleaved(found, picture), interleaved(made, picture)
        planes = [(one[..., c].reshape(-1), other[..., c].reshape(-1)) for c in range(picture.channels)]
        parts.append(planes[0])
        rest = planes[1:]
    else:
        rest = []
    whole = fitted(*parts[0])
    if whole is not None:
        return whole
    each = [fitted(*part) for part in (parts[1:] + rest)]
    return "by channel " + "; ".join(filter(None, each)) if each and all(each) else None


def fitted(a: Any, b: Any) -> str | None:
    """Returns scale and shift as words, if they explain all, or None if they don't."""
    if not b.std() or not a.std():
        return None
    scale, shift = line_through(b, a)
    if abs(scale * b + shift - a).max() > 3 * RESIDUE * a.std():
        return None
    times = f"times {scale:.4g}" if abs(scale - 1) > 1e-3 else ""
    plus = f"plus {shift:.4g}" if abs(shift) > RESIDUE * float(a.std()) else ""
    return " ".join(filter(None, (times, plus))) or "nearly equal"


def from_where(found: Any, wanted: Any) -> str:
    """The element from which two arrays differ, if they are equal before it and hardly ever after."""
    alike = abs(found - wanted) <= RESIDUE * wanted.std()
    wrong = numpy.flatnonzero(~alike)
    if not len(wrong) or wrong[0] < max(FEWEST, found.size // 50):
        return ""
    first = int(wrong[0])
    rest = found[first:]
    if rest.min() == rest.max():
        value = float(rest[0])
        return f"from element {first:,} on all {value:.4g}" if value else f"from element {first:,} on zeros"
    return f"other from element {first:,} on" if alike[first:].mean() < 0.2 else ""


def as_other_type(found: Any, wanted: Any) -> str:
    """Says that the bytes of the found array are the wanted elements of another type."""
    data = found.tobytes()
    flat = wanted.reshape(-1)
    for dtype, title in TITLES.items():
        if len(data) % numpy.dtype(dtype).itemsize or dtype == found.dtype.str:
            continue
        read = numpy.frombuffer(data, dtype)
        count = min(read.size, flat.size)
        if count < FEWEST or not is_plausible(read[:count]):
            continue
        if likeness(read[:count].astype("f8"), flat[:count].astype("f8")) is not None:
            own = TITLES.get(found.dtype.str, found.dtype)
            return f"its elements as {title}, whose bytes were taken for {own}"
    return ""

"""Pixels that a guest has in itself: bytes of its data of which an input was made, as they lie there.

What is here: `own_pixels` and `own_bytes`, which find those of one input. An input doesn't say by which
mean and deviation it was made, so that the differences of its levels are looked for, modulo 256: so bytes
that were taken as signed are found, too. What is not: what is wrong with the input (`matching.py`,
`sent/raw_numbers.py`), and texts and series among a program's data (`constants.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

from ...arrays import numpy
from ...interpreter.module import Module
from ...records import Frozen
from ..changes.arrangements import interleaved
from ..facts import picture_of

MOST_DATA, MOST = 1 << 22, 1 << 18
"""The search takes this many bytes of data, and inputs of this many elements, at most."""
LEVELS, FEWEST, RUN = 256, 6, 6
"""Different bytes, the fewest levels of an input, and steps of a line that aren't 0."""
APART = 0.02
"""Elements may be off even levels by this part of the distance between two levels."""
TIMES = 17
"""Levels may be so many bytes apart at most: pixels of 4 bits are multiples of 17."""
STRIDES = {1: (1,), 3: (3, 4, 1)}
"""Maps the channels of an input to the numbers of bytes by which its pixels may lie apart."""
MOST_PLACES = 64
SMALL = 63
"""The largest number of 6 bits."""


class Line(Frozen):
    """Levels of a row or column of an input, of which `at` is the number; elements of a column that was sent
    lie in a row of the program's data if they are `exchanged`."""

    levels: Any
    at: int
    exchanged: bool


def own_pixels(module: Module, array: Any) -> bytes:
    """Returns the bytes of a module's data of which the picture of an input was made, with 1, 3 or 4 for each
    pixel, or b"" if there are none."""
    picture = picture_of(array.shape)
    if picture is None or array.size > MOST or picture.channels not in STRIDES:
        return b""
    planes = [levels_of(one) for one in numpy.moveaxis(interleaved(array, picture)[0], 2, 0)]
    known = [one for one in planes if one is not None]
    if len(known) < len(planes):
        return b""
    for data, stride in product(datas(module), STRIDES[picture.channels]):
        for base, exchanged in places(data, known[0], stride):
            if exchanged and picture.height != picture.width:
                continue  # a model may want columns
            start = together(data, known, stride, base, exchanged)
            if start is not None:
                return bytes(data[start : start + known[0].size * max(stride, len(known))])
    return b""


def own_bytes(module: Module, array: Any) -> bytes:
    """Returns the bytes of a module's data of which an input was made, one for each element in its order, or
    b"" if there are none. If they are small numbers, those of further inputs around them are among them."""
    levels = levels_of(array.reshape(1, -1)) if array.size <= MOST else None
    if levels is None:
        return b""
    for data in datas(module):
        for base, exchanged in places(data, levels, 1):
            if not exchanged:
                return bytes(with_others(data, base, array.size))
    return b""


def with_others(data: Any, base: int, size: int) -> Any:
    """The bytes of an input, with those of others before and behind it, as far as they are small numbers that
    differ, too."""
    first, end = base, base + size
    if are_small(data[first:end]):
        while first >= size and are_small(data[first - size : first]):
            first -= size
        while end + size <= len(data) and are_small(data[end : end + size]):
            end += size
    return data[first:end]


def are_small(octets: Any) -> bool:
    return bool(octets.max() <= SMALL) and len(numpy.unique(octets)) >= FEWEST


def datas(module: Module) -> Iterator[Any]:
    """The data of a module, as arrays of bytes."""
    left = MOST_DATA
    for one in module.datas:
        yield numpy.frombuffer(one.init[:left], "u1")
        left -= min(left, len(one.init))


def levels_of(plane: Any) -> Any:
    """Returns the elements of a plane as whole numbers from 0 on, or None if they aren't on even levels, as
    bytes are."""
    there = numpy.unique(plane)
    if not FEWEST <= len(there) <= LEVELS or not numpy.isfinite(there).all():
        return None
    steps = numpy.diff(there.astype("f8"))
    near = APART / LEVELS * steps.sum()
    step = 1.0 if plane.dtype.kind in "iu" else float(steps[steps > near].min())
    levels = (plane.astype("f8") - float(there[0])) / step
    whole = levels.round()
    if whole.max() >= LEVELS or abs(levels - whole).max() > APART * max(1.0, float(whole.max()) / LEVELS):
        return None
    return whole.astype("i8")


def places(data: Any, plane: Any, stride: int) -> Iterator[tuple[int, bool]]:
    """Yields where the pixels of a plane begin in data, and whether rows and columns are exchanged."""
    most = min(TIMES, (LEVELS - 1) // int(plane.max()))
    if len(data) <= stride * plane.size - stride:
        return
    steps = data[stride:] - data[:-stride]
    for line in lines_of(plane):
        across = len(line.levels)
        for times in range(1, most + 1):
            for at in runs(steps, numpy.diff(line.levels) * times, stride):
                base = at - line.at * across * stride
                if is_there(data, plane.T if line.exchanged else plane, stride, base, times):
                    yield base, line.exchanged


def lines_of(plane: Any) -> Iterator[Line]:
    """The row and the column of a plane in which most elements differ from the next ones."""
    for exchanged, rows in ((False, plane), (True, plane.T)):
        changes = (numpy.diff(rows, axis=1) != 0).sum(axis=1)
        best = int(changes.argmax()) if rows.shape[1] > 1 else 0
        if rows.shape[1] > 1 and changes[best] >= min(RUN, rows.shape[1] - 2):
            yield Line(rows[best], best, exchanged)


def runs(steps: Any, wanted: Any, stride: int) -> list[int]:
    """Returns the first places at which the steps of data, `stride` bytes apart, are these, modulo 256."""
    wanted = (wanted % LEVELS).astype("u1")
    last = len(steps) - stride * (len(wanted) - 1)
    if last <= 0:
        return []
    order = numpy.argsort(wanted == 0, kind="stable")  # those that aren't 0 say more
    first = int(order[0])
    found = numpy.flatnonzero(steps[first * stride : first * stride + last] == wanted[first])
    for at in order[1:].tolist():
        found = found[steps[found + at * stride] == wanted[at]]
        if not len(found):
            break
    return [int(at) for at in found[:MOST_PLACES]]


def is_there(data: Any, plane: Any, stride: int, base: int, times: int) -> bool:
    """Whether the pixels of a plane lie in data from a place on, row by row, whatever is added to all."""
    if base < 0 or base + (plane.size - 1) * stride >= len(data):
        return False
    shown = data[base : base + (plane.size - 1) * stride + 1 : stride]
    flat = plane.reshape(-1) * times
    return bool(((shown - shown[0]) == ((flat - flat[0]) % LEVELS).astype("u1")).all())


def together(data: Any, planes: Sequence[Any], stride: int, base: int, exchanged: bool) -> int | None:
    """Returns where the pixels of several planes begin, if the first of these lies at `base`, or None if the
    others lie nowhere near it."""
    own = [one.T if exchanged else one for one in planes]
    apart = prod(own[0].shape) if stride == 1 else 1
    for step in (apart, -apart) if len(own) > 1 else (0,):
        if all(
            any(is_there(data, one, stride, base + at * step, times) for times in range(1, TIMES + 1))
            for at, one in enumerate(own)
        ):
            return base + min(0, step * (len(own) - 1))
    return None

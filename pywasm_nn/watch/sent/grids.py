"""Parts of a grid of whole numbers in a file without a known format, such as heights or the slice of a scan,
that were shifted and scaled, perhaps by the part's own mean: numbers in the other byte order or without their
sign, and marks for "not measured" that were taken for numbers.

What is here: `misread_grid`. Rows of the input are looked for in the file, whatever their scale. What is not:
grids in a text (`text_grids.py`), and files that a text describes (`origin.laid_out`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, product
from typing import Any

from ...arrays import numpy
from ...nn.formats import KNOWN
from ...nn.tensor import Tensor
from ...records import Frozen
from ..facts import picture_of
from ..origin.raw_places import is_raw
from .marks import MARKS, marked

KINDS = ("<i2", ">i2", "<u2", ">u2", "<f4", ">f4", "<i4", ">i4")
MOST_BYTES, MOST_INPUT, MOST_FILES = 1 << 20, 1 << 20, 3
"""Bytes of a file and of an input that are looked at."""
FEWEST, FEWEST_ROWS, DIFFERENT = 8, 4, 8
"""The fewest elements of a row and rows, and different elements in a row that is looked for."""
NEAR, NEAR_FLOATS = 0.05, 1e-4
"""Elements that were scaled back may be so far from whole numbers, and from floats by so many parts of their
row's range."""
ROUNDED = 1e-6
"""Elements may be rounded by this part of the largest number."""
POINTS = 7
"""So many elements of a row are compared first."""
MOST_FITS, MOST_PLACES, MOST_ROWS = 256, 16, 3
MOSTLY = 0.75
"""The part of the rows that must be the file's; the others may have been mended."""
SMOOTHER, SPIKES = 0.35, 0.9
"""In the right order neighbours differ by less than this part of what they do in the other, relative to the
deviation; the largest differences are left out."""
NARROWER = 8.0
"""Numbers have so many times the range if they are read in the wrong order or without their sign."""
FEW, MANY = 16, 2
"""Higher bytes of a part have few values, which follow each other, and lower ones so many times as many."""


class Part(Frozen):
    """Where rows of `width` numbers lie in a file: the first number of the first one is number `start` from
    byte `offset` on, and the others follow each `stride` numbers; a row's numbers are `apart`. Row `one` is
    surely there."""

    offset: int
    start: int
    stride: int
    apart: int
    height: int
    width: int
    one: int

    def of(self, data: bytes, kind: str) -> Any:
        """The numbers as `kind`, [height, width]."""
        rows, columns = numpy.arange(self.height)[:, None], numpy.arange(self.width)
        return numbers_in(data, kind, self.offset)[self.start + rows * self.stride + columns * self.apart]


def misread_grid(tensor: Tensor, files: Sequence[tuple[str, bytes]], left: Callable[[], bool]) -> str:
    """Returns what is wrong with an input that is a part of a grid, or "" if nothing is known to be wrong."""
    rows, channels = rows_of(tensor)
    read = [one for one in reversed(files) if FEWEST <= len(one[1]) <= MOST_BYTES and is_raw(one[1])]
    known = [one for one in read if KNOWN.of_file(one[0]) is None]
    for (name, data), kind in product(known[:MOST_FILES] if rows is not None else (), KINDS):
        if not left():
            break
        with numpy.errstate(all="ignore"):
            part = located(rows, data, kind, channels, left)
        if part is not None:
            said = wrong_with(rows, part, data, kind)
            return said and f"compared with {name}, {said}"
    return ""


def rows_of(tensor: Tensor) -> tuple[Any, int]:
    """The rows of an input's first plane, and how many numbers a pixel has in a file; None for other
    inputs."""
    numbers = tensor.numbers() if tensor.nbytes <= MOST_INPUT else None
    shape = [one for one in tensor.shape if one != 1]
    if numbers is None or numbers.dtype.kind != "f" or not numpy.isfinite(numbers).all():
        return None, 1
    channels, picture = 1, picture_of(tensor.shape)
    plane = numbers
    if picture is not None and picture.channels > 1:
        lengths = (picture.height, picture.width)
        channels = 1 if picture.planar else picture.channels
        plane = numbers.reshape(-1)[: picture.channels * lengths[0] * lengths[1]]
        plane = plane[: lengths[0] * lengths[1]] if picture.planar else plane[::channels]
    elif len(shape) == 2:
        lengths = (shape[0], shape[1])
    else:
        return None, 1
    is_large = min(lengths) >= FEWEST_ROWS and lengths[1] >= FEWEST
    return (plane.reshape(lengths).astype("f8") if is_large else None), channels


def located(
    rows: Any, data: bytes, kind: str, apart: int, left: Callable[[], bool] = lambda: True
) -> Part | None:
    """Where rows lie in a file as numbers of a type, all shifted and scaled alike; None if they don't."""
    counts = [len({*row.tolist()}) for row in rows]
    lively = sorted((at for at in range(len(rows)) if counts[at] >= DIFFERENT), key=lambda at: -counts[at])
    if len(lively) < FEWEST_ROWS:
        return None
    offsets = {0, len(data) % int(kind[2])}
    tried = (
        (offset, one, numbers_in(data, kind, offset)) for offset in offsets for one in lively[:MOST_ROWS]
    )
    for offset, one, numbers in tried:
        if not left():
            break
        first = [*islice(places(rows[one], numbers, apart, kind), MOST_PLACES)]
        other = max(lively[: len(lively) // 2 + 1], key=lambda at: abs(at - one))
        second = [*islice(places(rows[other], numbers, apart, kind), MOST_PLACES)] if first else []
        for begins, ends in product(first, second):
            stride, rest = divmod(ends - begins, other - one)
            start = begins - stride * one
            last = start + stride * (len(rows) - 1)
            reach = (rows.shape[1] - 1) * apart
            if (
                rest
                or reach >= abs(stride)
                or min(start, last) < 0
                or max(start, last) + reach >= len(numbers)
            ):
                continue
            part = Part(offset, start, stride, apart, len(rows), rows.shape[1], one)
            if alike(rows, part.of(data, kind), one, kind).all(axis=1).mean() >= MOSTLY:
                return part
    return None


@lru_cache(4)
def numbers_in(data: bytes, kind: str, offset: int) -> Any:
    """The numbers of a type from a byte on."""
    count = (len(data) - offset) // int(kind[2])
    return numpy.nan_to_num(numpy.frombuffer(data, kind, count, offset).astype("f8"))


def places(row: Any, numbers: Any, apart: int, kind: str) -> Iterator[int]:
    """The numbers at which a row begins that was shifted and scaled."""
    last = len(numbers) - (len(row) - 1) * apart
    if last <= 0:
        return
    high, low = int(row.argmax()), int(row.argmin())
    fits = numpy.flatnonzero(numbers[high * apart :][:last] > numbers[low * apart :][:last])
    order = numpy.argsort(row)
    for at in order[numpy.linspace(0, len(row) - 1, POINTS).astype(int)[1:-1]].tolist():
        bottom = numbers[fits + low * apart]
        range_ = numbers[fits + high * apart] - bottom
        share = (row[at] - row[low]) / (row[high] - row[low])
        fits = fits[numpy.abs(numbers[fits + at * apart] - bottom - share * range_) <= near(range_, kind)]
    for begins in fits[:MOST_FITS].tolist():
        there = numbers[begins : begins + len(row) * apart : apart]
        if alike(row[None], there[None], 0, kind).all():
            yield begins


def near(range_: Any, kind: str) -> Any:
    """How far elements may be from numbers of a type, in a row of such a range."""
    return NEAR if kind[2] == "2" else NEAR_FLOATS * range_


def alike(rows: Any, numbers: Any, one: int, kind: str) -> Any:
    """Which elements are these numbers, by the scale and shift of one of the rows."""
    high, low = int(rows[one].argmax()), int(rows[one].argmin())
    range_ = numbers[one, high] - numbers[one, low]
    factor = range_ / (rows[one, high] - rows[one, low])
    off = numpy.abs((rows - rows[one, low]) * factor + numbers[one, low] - numbers)
    return off <= near(range_, kind) + ROUNDED * numpy.abs(numbers).max()


def wrong_with(rows: Any, part: Part, data: bytes, kind: str) -> str:
    """Returns what is wrong with how numbers were read, or "" if nothing is."""
    own = part.of(data, kind)
    said = "" if kind[1] == "f" else swapped(own, part, data, kind)
    if kind[1:] == "u2":
        return without_sign(own, part.of(data, f"{kind[0]}i2")) or said
    left = own[alike(rows, own, part.one, kind)]  # others were mended
    return said or marked(left, MARKS)


def swapped(own: Any, part: Part, data: bytes, kind: str) -> str:
    """Numbers that were read in the other byte order."""
    title = {"<": "little", ">": "big"}
    other, width = {"<": ">", ">": "<"}[kind[0]], kind[2]
    meant = min((part.of(data, f"{other}{sign}{width}") for sign in "iu"), key=lambda one: float(one.std()))
    is_smoother = rough(meant) < SMOOTHER * rough(own)
    if not is_smoother and not (width == "2" and is_swapped(own, meant)):
        return ""
    smooth = " and go on smoothly from one to the next" * is_smoother
    return (
        f"its numbers of {8 * int(width)} bits were read as {title[kind[0]]}-endian ({own.min():.0f} to "
        f"{own.max():.0f}); as {title[other]}-endian they are {meant.min():.0f} to {meant.max():.0f}"
        f"{smooth}: are the bytes of each in the opposite order?"
    )


def without_sign(own: Any, signed: Any) -> str:
    """Signed numbers that were read as unsigned."""
    if len({*signed[signed < 0].tolist()}) < DIFFERENT or spread(own) < NARROWER * spread(signed):
        return ""
    return (
        "its numbers of 16 bits are signed, and were read without their sign: those below 0 "
        f"({signed.min():.0f} to -1) became {own[signed < 0].min():.0f} and more"
    )


def spread(numbers: Any) -> float:
    return float(numbers.max() - numbers.min())


def is_swapped(own: Any, meant: Any) -> bool:
    """Whether the lower bytes of numbers are like higher ones: few, which follow each other."""
    words = own.astype("i4")
    lower, higher = numpy.unique((words & 255).astype("u1").view("i1")), numpy.unique(words >> 8)
    follow = len(lower) == int(lower.max()) - int(lower.min()) + 1
    is_few = 1 < len(lower) <= FEW and len(higher) >= MANY * len(lower)
    return follow and is_few and len(higher) >= DIFFERENT and spread(own) > NARROWER * spread(meant)


def rough(numbers: Any) -> float:
    """By how much neighbours differ, as a part of the numbers' deviation, but for the largest differences."""
    by = [numpy.abs(numpy.diff(numbers, axis=axis)).reshape(-1) for axis in (0, 1)]
    differences = numpy.sort(numpy.concatenate(by))
    kept = differences[: max(1, int(SPIKES * len(differences)))]
    return float(kept.mean() / max(numbers.std(), 1e-9))

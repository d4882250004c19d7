"""Whole slices and frames of numbers of 10, 12 or 16 bits that were cut off at the ends of a window, or bent
in another way: the order of bytes, and of the bits of numbers that share a byte.

What is here: `misread_slice`. Elements go up (or down) with the numbers that the guest read; by another
reading these may go on smoothly. What is not: parts that were scaled along a line (`grids.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.formats import KNOWN
from ...nn.tensor import Tensor
from ...records import Frozen
from ..origin.raw_places import is_raw
from .grids import rough, rows_of

MOST_BYTES, MOST_FILES, MOST_SLICES, MOST_HEADER = 1 << 22, 3, 64, 4096
BYTES = 2
DIFFERENT, MOSTLY = 4, 0.05
"""Different elements of a slice, and the part of them that the window must not have cut off."""
SMOOTHER = 0.35
"""In the right order neighbours differ by less than this part of what they do in the other, relative to the
deviation."""
SAME, FEW = 1e-6, 256
Unpack = Callable[[Any], Any]


class Packing(Frozen):
    """How numbers lie in bytes: `count` of them in `size` bytes [.., size], of which `unpack` makes numbers
    [.., count]."""

    said: str
    size: int
    count: int
    unpack: Unpack


def stacked(*numbers: Any) -> Any:
    return numpy.stack(numbers, axis=-1)


PACKINGS = (
    Packing("little-endian (the lower byte first)", 2, 1, lambda b: stacked(b[..., 0] | b[..., 1] << 8)),
    Packing("big-endian (the higher byte first)", 2, 1, lambda b: stacked(b[..., 0] << 8 | b[..., 1])),
    Packing(
        "two numbers of 12 bits in three bytes, the lower bits first", 3, 2,
        lambda b: stacked(b[..., 0] | (b[..., 1] & 15) << 8, b[..., 1] >> 4 | b[..., 2] << 4),
    ),
    Packing(
        "two numbers of 12 bits in three bytes, the higher bits first", 3, 2,
        lambda b: stacked(b[..., 0] << 4 | b[..., 1] >> 4, (b[..., 1] & 15) << 8 | b[..., 2]),
    ),
    Packing(
        "two numbers of 12 bits in three bytes, the lower four bits of both in the third (MIPI RAW12)", 3, 2,
        lambda b: stacked(b[..., 0] << 4 | b[..., 2] & 15, b[..., 1] << 4 | b[..., 2] >> 4),
    ),
    Packing(
        "four numbers of 10 bits in five bytes, the lower bits first", 5, 4,
        lambda b: stacked(*[(b[..., at] | b[..., at + 1] << 8) >> 2 * at & 1023 for at in range(4)]),
    ),
    Packing(
        "four numbers of 10 bits in five bytes, the lower two bits of all in the fifth (MIPI RAW10)", 5, 4,
        lambda b: stacked(*[b[..., at] << 2 | b[..., 4] >> 2 * at & 3 for at in range(4)]),
    ),
)  # fmt: skip


def misread_slice(tensor: Tensor, files: Sequence[tuple[str, bytes]], left: Callable[[], bool]) -> str:
    """Returns what is wrong with an input that is a whole slice of a file, or "" if nothing is known to be
    wrong."""
    rows, channels = rows_of(tensor)
    if rows is None or channels > 1 or len(numpy.unique(rows)) < DIFFERENT:
        return ""
    if ((rows > rows.min()) & (rows < rows.max())).mean() < MOSTLY:
        return ""
    read = [one for one in reversed(files) if len(one[1]) <= MOST_BYTES and is_raw(one[1] + b"\0")]
    for name, data in [one for one in read if KNOWN.of_file(one[0]) is None][:MOST_FILES]:
        for size, body in bodies(data, rows.size):
            if not left():
                return ""
            found = misordered(rows, size, body)
            if found is not None:
                return found and f"compared with {name}, {found}"
    return ""


def bodies(data: bytes, count: int) -> Iterator[tuple[int, Any]]:
    """The bytes [.., size] of each slice of so many numbers in a file, behind a header, by how many bytes go
    together."""
    for together, numbers in sorted({(one.size, one.count) for one in PACKINGS}):
        size, rest = divmod(count * together, numbers)
        slices, header = divmod(len(data), size)
        if rest or not slices or header > MOST_HEADER:
            continue
        for at in range(min(slices, MOST_SLICES)):
            body = numpy.frombuffer(data, "u1", size, header + at * size)
            yield together, body.reshape(-1, together).astype("i4")


def misordered(rows: Any, size: int, body: Any) -> str | None:
    """Returns what is wrong with how a slice's numbers were read, "" if nothing is, or None if it is another
    slice."""
    readings = [(one, one.unpack(body).reshape(rows.shape)) for one in PACKINGS if one.size == size]
    followed = [packing for packing, numbers in readings if follows(rows, numbers)]
    if not followed:
        return None
    roughness = {packing.said: rough(numbers) for packing, numbers in readings}
    best = min(PACKINGS, key=lambda one: roughness.get(one.said, float("inf")))
    own = followed[0]
    if best in followed or roughness[best.said] >= SMOOTHER * roughness[own.said]:
        return ""
    return (
        f"its numbers were read as {own.said}; by how smoothly they go on they are {best.said}: are the "
        f"{'bytes' if size == BYTES else 'bits'} taken in the wrong order?"
    )


def follows(elements: Any, numbers: Any) -> bool:
    """Whether elements go up or down with numbers, and are the same where these are: at first a few."""
    own, levels = elements.reshape(-1), numbers.reshape(-1)
    room = SAME * float(numpy.ptp(own))
    for step in (max(1, own.size // FEW), 1):
        order = numpy.argsort(levels[::step], kind="stable")
        steps, same = numpy.diff(own[::step][order]), numpy.diff(levels[::step][order]) == 0
        if not ((steps >= -room).all() or (steps <= room).all()):
            return False
        if not (numpy.abs(steps[same]) <= room).all():
            return False
    return True

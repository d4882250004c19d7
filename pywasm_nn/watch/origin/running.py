"""Sums and maxima that run on: a total that is not set back for each element has all elements before in it.

What is here: `running_pixels`, of pictures that were shrunk by boxes, and `running_levels`, of windows of a
signal. What is not: totals that run on from file to file (`bags.py`, `probes`), and pixels that are added to
those of the picture before (`sent/added.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from struct import error
from typing import Any

from ...arrays import numpy
from ..budget import Left
from ..changes.arrangements import as_before, interleaved
from ..changes.encodings import USUAL, decoded, encoded
from ..facts import picture_of
from .blended import traced_over
from .calculated import WAYS, Size
from .colours import shown_in
from .decoding import Source
from .interpolating import EXACT
from .tables import table_in
from .waves import wave_in

ROOM, WHITE, BEYOND, SPREAD = 1.0, 255.0, 1.1, 70.0
"""Pixels beyond black and white, so many times as far that a sum is none, and how far pixels are apart."""
MOST_AT_ONCE, MOST_ELEMENTS = 1 << 21, 1 << 18
"""Elements of larger pictures are not resized here, and larger inputs not looked at."""
FEWEST, MOST, FEW_VALUES = 6, 4096, 3
"""Elements that are levels of a signal, and how many of them are different ones."""
NEAR = 1e-4
"""How far levels may be from what they are made of, as a part of their range."""
STRAIGHT = 0.1
"""Elements whose steps differ by no more than this part of the largest one are made of anything constant."""
MOST_TRIED, MOST_BYTES, SMALLEST, LARGEST = 4, 1 << 22, 2, 1e9
MOST_OF_A_TABLE = 1 << 18
WIDTHS = tuple(1 << power for power in range(4, 14))
"""Usual samples of a window."""

Pixels = Callable[[Any], Any]
STEPS: Mapping[str, Pixels] = {
    "channel to channel": lambda one: less_before(one, 3),
    "column to column": lambda one: less_before(one, 2),
    "row to row": lambda one: less_before(one, 1),
    "pixel to pixel": lambda one: less_before(one.reshape(len(one), -1, one.shape[3]), 1).reshape(one.shape),
    "element to element": lambda one: less_before(one.reshape(len(one), -1), 1).reshape(one.shape),
    "pixel to pixel and plane to plane": lambda one: numpy.moveaxis(
        less_before(numpy.moveaxis(one, 3, 1).reshape(len(one), -1), 1).reshape(
            len(one), one.shape[3], *one.shape[1:3]
        ), 1, 3,
    ),
}  # fmt: skip
"""What pixels [n, height, width, channels] were before they were added up."""


def less_before(array: Any, axis: int) -> Any:
    """Elements less those before them along an axis."""
    return numpy.diff(array, axis=axis, prepend=0.0)


def running_pixels(array: Any, sources: Sequence[Source], left: Left) -> str:
    """Returns what is wrong with an input that is one of those pictures if each sum is taken to have those
    before in it, or "" if it isn't."""
    picture = picture_of(array.shape)
    shown = [one for one in sources if one.is_picture]
    if picture is None or array.dtype.kind != "f" or not shown or array.size > MOST_ELEMENTS:
        return ""
    for encoding in USUAL:
        if not encoding.fits(picture.channels):
            continue
        sums = interleaved(decoded(array, encoding, picture), picture)
        if not sums.max() > BEYOND * WHITE:
            continue
        for said, step in STEPS.items():
            if picture.channels == 1 and "channel" in said:
                continue
            made = step(sums)
            if made.min() < -ROOM or made.max() > WHITE + ROOM or numpy.ptp(made) < SPREAD:
                continue
            for source in shown:
                if way := shown_as(made[0], source) or shown_in_part(
                    encoded(as_before(made, picture, array.shape), encoding, picture), source, left
                ):
                    return (
                        f"its pixels are sums that run on from {said}: each less the one before is that "
                        f"of {source.name} ({way}): is the sum set back to 0 for each?"
                    )
    return ""


def shown_as(own: Any, source: Source) -> str:
    """Returns in which way pixels [height, width, channels] are the whole of a picture, or "" if they
    aren't."""
    if source.array.size > MOST_AT_ONCE:
        return ""
    size = Size(own.shape[0], own.shape[1], 0, 0)
    shown = shown_in(own.shape[2], source.array) * (WHITE / source.top)
    for name, way in WAYS.items():
        made = way(shown, numpy.arange(size.height), numpy.arange(size.width), size)
        for order in (1, -1):
            if made.shape == own.shape and abs(made[..., ::order] - own).mean() <= ROOM:
                return name
    return ""


def shown_in_part(array: Any, source: Source, left: Left) -> str:
    """Returns how an input came from a picture, or "" if it didn't, or there is no time to look."""
    found = traced_over(array.astype("f4"), source, left) if left() else None
    is_exact = found is not None and not found.wrong and found.apart <= EXACT
    return ", ".join(found.steps) if found is not None and is_exact else ""


def running_levels(array: Any, files: Sequence[tuple[str, bytes]], left: Left) -> str:
    """Returns what is wrong with an input that has a level of each window of a signal if each is taken to
    have those before in it, or "" if it hasn't."""
    flat = array.reshape(-1).astype("f8")
    if array.dtype.kind != "f" or not FEWEST <= flat.size <= MOST or len({*flat.tolist()}) < FEW_VALUES:
        return ""
    if abs(numpy.diff(flat, 2)).max() <= STRAIGHT * abs(numpy.diff(flat)).max():  # as times are
        return ""
    lengths = dict.fromkeys(one for one in (flat.size, *array.shape[-2:]) if one > 2 and not flat.size % one)
    steps = {one: numpy.diff(flat.reshape(-1, one), axis=1) for one in lengths}
    rising = [one for one, by in steps.items() if (by >= 0).all()]
    falling = [one for one, by in steps.items() if (by <= 0).all()]
    for name, data in [*reversed(files)][:MOST_TRIED] if rising or falling else ():
        for windows in windows_in(data, flat.size, array.shape):
            if not left():
                return ""
            for said, (level, run, law) in LEVELS.items():
                own = level(windows)
                for group in falling if said == MINIMA else rising:
                    total = run(own.reshape(-1, group), axis=1).reshape(-1)
                    if is_line(law(total), flat) and not is_line(law(own), flat):
                        return (
                            f"its elements never {'rise' if said == MINIMA else 'fall'}, and are {said} of "
                            f"windows of {windows.shape[1]} samples of {name}, each with those before it in "
                            f"it (over {group} elements): is that set back for each window?"
                        )
    return ""


def loudest(windows: Any) -> Any:
    return abs(windows).max(axis=1)


def highest(windows: Any) -> Any:
    return windows.max(axis=1)


def lowest(windows: Any) -> Any:
    return windows.min(axis=1)


def magnitudes(windows: Any) -> Any:
    return abs(windows).sum(axis=1)


def powers(windows: Any) -> Any:
    return (windows * windows).sum(axis=1)


def plain(levels: Any) -> Any:
    return levels


def logarithms(levels: Any) -> Any:
    return numpy.log(levels)


MINIMA = "minima"
Level = tuple[Pixels, Callable[..., Any], Pixels]
LEVELS: Mapping[str, Level] = {
    "maxima": (loudest, numpy.maximum.accumulate, plain),
    "largest samples": (highest, numpy.maximum.accumulate, plain),
    MINIMA: (lowest, numpy.minimum.accumulate, plain),
    "sums of magnitudes": (magnitudes, numpy.cumsum, plain),
    "sums of powers": (powers, numpy.cumsum, plain),
    "roots of sums of powers": (powers, numpy.cumsum, numpy.sqrt),
    "logarithms of sums of powers": (powers, numpy.cumsum, logarithms),
}
"""In words how a level is made of a window, how totals of it run on, and what is made of these."""


def is_line(made: Any, flat: Any) -> bool:
    """Whether elements are others times a factor and with a number added."""
    across, own = numpy.ptp(made), numpy.ptp(flat)
    if not 0 < across < numpy.inf:
        return False
    return bool(abs((made - made.min()) / across - (flat - flat.min()) / own).max() <= NEAR)


def windows_in(data: bytes, count: int, shape: Sequence[int]) -> Iterator[Any]:
    """So many windows [count, samples] of the signals that a file may hold."""
    for samples in signals_in(data):
        for step in dict.fromkeys((samples.size // count, *WIDTHS)):
            for width in (step, 2 * step):
                if width >= SMALLEST and (count - 1) * step + width <= samples.size:
                    whole = numpy.lib.stride_tricks.sliding_window_view(samples, width)
                    yield whole[::step][:count]
        for channels in {one for one in shape[-2:] if 1 < one < count}:
            width = samples.size // count
            if width >= SMALLEST:
                each = samples[: count * width].reshape(-1, width, channels)
                yield each.transpose(0, 2, 1).reshape(count, width)
                yield each.transpose(2, 0, 1).reshape(count, width)


def signals_in(data: bytes) -> Iterator[Any]:
    """The samples of a sound, or what the bytes of a file without a header may be, as f64."""
    if len(data) > MOST_BYTES:
        return
    if data[:4] == b"RIFF":
        with suppress(ValueError, error):
            yield wave_in(data).samples.reshape(-1).astype("f8")
        return
    table = table_in(data) if len(data) <= MOST_OF_A_TABLE else None
    if table is not None:
        numbers = table.numbers.astype("f8")
        columns = numbers[:, numpy.isfinite(numbers).all(axis=0)]
        yield from columns.T
        yield columns.reshape(-1)
        return
    for kind in ("<i2", "<f4", ">i2"):
        width = numpy.dtype(kind).itemsize
        if len(data) % width == 0:
            samples = numpy.frombuffer(data, kind)
            if samples.size and numpy.isfinite(samples).all() and abs(samples).max() < LARGEST:
                yield samples.astype("f8")

"""Rings of samples in a file whose records say where each begins, and which are sent as they lie.

What is here: `Heads`. The windows go on from their last sample to the first one, break somewhere inside, and
the file has just these places in front of or behind them; or all of a file is one window, and an argument
names this place. What is not: rings that the guest fills itself from a table (`rings.py`), and those that
break nowhere (`whatif/rings.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...arrays import numpy
from ..regex import regex
from .headed_rings import HeadedRings
from .rings import FEWEST, MOST, laid_out, level
from .torn import series_in

WINDOWS, LOOKS, DIFFERENT = 4, 12, 3
"""The fewest windows that break, the most that are looked at, and the fewest different places of breaks."""
BREAK, GOES_ON = 1.25, 0.5
"""How many times as large as all others the step at the break is, and the most of the step from the end to
the beginning, as a part of it."""
EXACT = 1e-4
"""How far the samples of a window are from a file's, each around 0 and of length 1."""
NUMBER = regex(r"(?<![\w.-])\d{1,4}(?![\w.])")
WIDTHS = ("<u4", "<u2", ">u4", ">u2")
MOST_DATA, MOST_PLACES = 1 << 18, 64
BEFORE = (0, -1)
"""What the head is, from the oldest sample on: that one, which is the next to be written over, or the newest
one before it."""


class Heads:
    """Follows the windows of each input."""

    def __init__(self, arguments: Sequence[str] = ()) -> None:
        self._named = {int(one) for text in arguments for one in NUMBER.findall(text)}
        """The whole numbers among the guest's arguments."""
        self._breaks: dict[Any, list[list[int]]] = {}
        """By an input and its shape, for each layout of a window where it breaks, or 0."""
        self._headed = HeadedRings()

    def set(self, key: Any, array: Any, files: Sequence[tuple[str, bytes]]) -> str:
        """Returns what is wrong with windows, with the file that says so, or "" if nothing is."""
        known = self._breaks.setdefault((key, array.shape), [])
        if len(known) >= LOOKS:
            return ""
        shown = [*laid_out(array)]
        known.append([break_of(one) for one in shown])
        if shown and (said := self._headed.set((key, array.shape), shown[0], files)):
            return said
        for samples, place in zip(shown, known[-1], strict=True):
            if place and {place, place - 1} & self._named and (name := whole_in(samples, files)):
                return by_argument(name, place, len(samples))
        for layout, samples in enumerate(shown):
            breaks = {number: found[layout] for number, found in enumerate(known) if found[layout]}
            if known[-1][layout] and len(breaks) >= WINDOWS and len({*breaks.values()}) >= DIFFERENT:
                for name, data in files:
                    if len(data) <= MOST_DATA and has_places(data, breaks, len(samples), array.size):
                        return sentence(name, [*breaks.values()], len(samples))
        return ""


def sentence(name: str, breaks: Sequence[int], count: int) -> str:
    """What is wrong, in words."""
    return (
        f"compared with {name}, windows of {count} samples go on from the last to the first one and break "
        f"inside, at samples {', '.join(map(str, breaks[:WINDOWS]))}, and just these numbers lie beside them "
        "in the file: rings were sent as they lie; each has to begin with its oldest sample"
    )


def by_argument(name: str, place: int, count: int) -> str:
    """What is wrong with one window, in words."""
    return (
        f"compared with {name}, its {count} samples, which are all of the file's, go on from the last to the "
        f"first one and break inside, at sample {place}, which the arguments name: a ring was sent as it "
        "lies; it has to begin with its oldest sample"
    )


def whole_in(samples: Any, files: Sequence[tuple[str, bytes]]) -> str:
    """Returns the name of a file whose numbers a window, [samples, channels], has all and in their order,
    or "" if there is none."""
    count, channels = samples.shape
    for name, _, numbers in series_in(files):
        for wide in {1, channels}:  # a table's column, or numbers of all channels in turns
            with numpy.errstate(all="ignore"):  # bytes that are no floats
                there = numbers[::wide].astype("f8")
            if len(there) == count and len(numbers) == count * wide and is_line(samples[:, 0], there):
                return name
    return ""


def is_line(column: Any, numbers: Any) -> bool:
    """Whether samples are numbers, perhaps scaled and moved."""
    if not numpy.isfinite(numbers).all() or not numpy.ptp(numbers):
        return False
    return bool(abs(level(column.astype("f8"), 0) - level(numbers, 0)).max() < EXACT)


def break_of(samples: Any) -> int:
    """Where a window [samples, channels] breaks while its end goes on at its beginning, or 0 if it doesn't
    so."""
    if not FEWEST <= len(samples) <= MOST:
        return 0
    own = level(samples.astype("f8"), 0)
    steps = numpy.linalg.norm(own - numpy.roll(own, 1, axis=0), axis=1)
    place = int(steps.argmax())
    others = numpy.delete(steps, place).max()
    is_break = place and steps[place] >= BREAK * others and steps[0] <= GOES_ON * steps[place]
    return place if is_break else 0


def has_places(data: bytes, breaks: Mapping[int, int], count: int, size: int) -> bool:
    """Whether a file has the places of windows, by their numbers, as whole numbers that lie as far apart as
    its records, of which each has so many elements at least."""
    for kind in WIDTHS:
        for before in BEFORE:
            wanted = {number: (place + before) % count for number, place in breaks.items()}
            if any(are_apart(data, kind, wanted, step) for step in steps_between(data, kind, wanted, size)):
                return True
    return False


def at(data: bytes, kind: str, value: int) -> list[int]:
    """Where a whole number lies among bytes."""
    found: list[int] = []
    wide, place = numpy.array(value, kind).tobytes(), -1
    while len(found) < MOST_PLACES and (place := data.find(wide, place + 1)) >= 0:
        found.append(place)
    return found


def steps_between(data: bytes, kind: str, wanted: Mapping[int, int], size: int) -> Iterator[tuple[int, int]]:
    """Yields where the number of window 0 would lie, and the bytes of a record, by the first two windows."""
    (first, one), (second, other) = [*wanted.items()][:2]
    for start in at(data, kind, one):
        for end in at(data, kind, other):
            step, rest = divmod(end - start, second - first)
            if not rest and step >= size and start - first * step >= 0:
                yield start - first * step, step


def are_apart(data: bytes, kind: str, wanted: Mapping[int, int], records: tuple[int, int]) -> bool:
    """Whether all numbers lie in their records."""
    start, step = records
    width = numpy.dtype(kind).itemsize
    places = {number: start + number * step for number in wanted}
    return all(
        data[place : place + width] == numpy.array(wanted[number], kind).tobytes()
        for number, place in places.items()
    )

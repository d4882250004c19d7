"""Windows of a sound, or of samples without a header, that begin so near to each other that its end is never
sent, so far apart that the last ones lie behind it, or that are all the same one.

What is here: `Steps`. It takes the places of the first two windows as they were found, and compares those
that follow with the samples at the places where they must lie then. What is not: finding a window in a file
(`origin.sequences`), samples that a model with a state misses (`sounds.py`), and tables (`series`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any

from ...nn.tensor import Tensor
from ...records import Frozen, changed
from ..origin import Origin
from ..origin.locating import correlation
from ..series.following import rounds_of
from ..series.near import WIDTHS, behind_the_end, too_near

FEWEST = 3
"""So many equal windows are no chance."""
MOST = 1 << 16
"""Elements of a window."""
EXACT = 0.9999
"""The correlation of the same samples."""


class Place(Frozen):
    """Where a window begins in the samples of a file, of which `samples` is one channel."""

    file: str
    start: int
    samples: Any
    has_header: bool


class Steps:
    """Gives hints when a guest has ended. `is_measured` says whether it writes of runs whose time or sameness
    is tried, which may all be of one window."""

    def __init__(self, is_measured: Callable[[], bool] = lambda: False) -> None:
        self._is_measured = is_measured
        self._count: dict[Any, int] = {}
        """By input, how many windows were sent."""
        self._sizes: dict[Any, int] = {}
        """By input, the elements of a window, or 0 if they differ or one lies elsewhere."""
        self._places: dict[Any, list[Place]] = {}
        self._inside: dict[Any, int] = {}
        """By input, how many windows lay in the file before the first one that reaches beyond its end."""

    def set(self, key: Any, tensor: Tensor) -> None:
        """An input was set. Its place may be told next."""
        number = self._count[key] = self._count.get(key, -1) + 1
        size = prod(tensor.shape)
        if self._sizes.setdefault(key, size) != size or size > MOST:
            self._sizes[key] = 0
        places = self._places.get(key, [])
        if number == 1 and len(places) == 1 and self._sizes[key]:
            places += next_after(places[0], tensor.numbers(), size)
        if not self._sizes[key] or number < 2:
            return
        if len(places) < 2:
            self._sizes[key] = 0
        elif not lies(tensor.numbers(), places, number):
            if begins_at(places, number) + size <= len(places[0].samples):
                self._sizes[key] = 0
            self._inside.setdefault(key, number)

    def found(self, key: Any, tensor: Tensor, found: Origin) -> None:
        """The place of the input that was set last was found."""
        places, span = self._places.setdefault(key, []), found.span
        numbers = tensor.numbers()
        if span is None or span[2] or numbers is None or span[1] - span[0] != len(numbers):
            return
        if not len(places) == self._count[key] < 2:
            return
        samples = found.source.array
        for channel in samples.reshape(len(samples), -1).T:
            if is_like(numbers, channel[span[0] : span[1]]):
                places.append(Place(found.source.name, span[0], channel, bool(found.source.rate)))
                return

    def finish(self) -> Iterator[str]:
        """Yields what is wrong with where windows began."""
        for key, places in self._places.items():
            size, count = self._sizes[key], self._count[key] + 1
            if not size or count < FEWEST or len(places) < 2 or len({one.file for one in places}) > 1:
                continue
            first, length = places[0], len(places[0].samples)
            step = places[1].start - first.start
            if key in self._inside:
                inside = self._inside[key]
                if said := behind_the_end(step, size, (count, inside), length - first.start):
                    yield f"compared with {first.file}, {said}"
            elif said := too_near([step * at for at in range(count)], count, size, length - first.start):
                yield f"compared with {first.file}, {said}"
            elif self._is_one_in_all(first, step, size, count) and not self._is_measured():
                yield (
                    f"{first.file} has {count} windows of {size:,} samples from sample {first.start} on, and "
                    f"the first one was sent in all {count} rounds: does each round begin at its own?"
                )

    def _is_one_in_all(self, first: Place, step: int, size: int, count: int) -> bool:
        """Whether one window of a raw file was sent as often as there are others."""
        left = len(first.samples) - first.start
        return not step and not first.has_header and count in rounds_of(left, size)


def lies(numbers: Any, places: list[Place], number: int) -> bool:
    """Whether a window lies as far behind the first as the step between the first two says."""
    at = begins_at(places, number)
    return numbers is not None and at >= 0 and is_like(numbers, places[0].samples[at : at + len(numbers)])


def next_after(first: Place, numbers: Any, size: int) -> list[Place]:
    """The place of a window at a whole number of lengths behind the first one, or [] if it lies at none."""
    for times in (1, *sorted(WIDTHS)):
        at = first.start + times * size
        if numbers is not None and is_like(numbers, first.samples[at : at + size]):
            return [changed(first, start=at)]
    return []


def begins_at(places: list[Place], number: int) -> int:
    """Returns where a window begins if it lies as far behind the first as the step between the first two
    says."""
    return places[0].start + number * (places[1].start - places[0].start)


def is_like(own: Any, samples: Any) -> bool:
    """Whether numbers are samples, scaled and moved."""
    alike = correlation(own.astype("f8"), samples.astype("f8")) if len(own) == len(samples) else 0.0
    return abs(alike) > EXACT

"""Parts of one picture that are cut, one after the other, at the places that the lines of a table say: are x
and y exchanged, so that what lies there is no part's?

What is here: `ExchangedPlaces`, which looks at all parts together when the guest has ended. What is not: one
part that is found in its picture (`places.py`): where x and y are exchanged there may be nothing but ground,
which lies anywhere, or the edge of the picture again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any

from ...arrays import numpy
from ...nn.operation import NNEvent
from ..facts import picture_of
from ..follower import Follower, inputs_of
from ..origin.readings import first
from ..surroundings import Files
from .places import ACROSS, DOWN
from .sheet import sheet_of

FEWEST, MOST, MOST_ELEMENTS = 2, 32, 1 << 16
"""The parts that have to be elsewhere, those that are kept, and elements of one."""
NEAR, SAME = 2, 1e-3
"""Exchanged places lie further apart than so many pixels; by how much, as a part of their range, equal pixels
may differ."""
RANGES: tuple[Callable[[Any], Any], ...] = (
    lambda pixels: pixels,
    lambda pixels: pixels / 255,
    lambda pixels: pixels / 127.5 - 1,
)
"""What guests make of pixels."""


class ExchangedPlaces(Follower):
    """Gives a hint when the guest has ended. `picture` gives the name and the pixels of the one that was read
    last."""

    def __init__(self, files: Files, picture: Callable[[], tuple[str, Any] | None]) -> None:
        self._files, self._picture = files, picture
        self._parts: list[Any] = []
        self._called = ""

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        for index, spec, tensor in inputs_of(event):
            shape = picture_of(tensor.shape)
            if index or shape is None or prod(tensor.shape) > MOST_ELEMENTS:
                continue
            numbers = tensor.numbers()
            if numbers is None or numbers.size != shape.channels * shape.height * shape.width:
                continue
            if len(self._parts) <= MOST:
                self._parts.append(first(numbers.reshape(tensor.shape), shape))
                self._called = spec.name

    def finish(self) -> Iterator[tuple[str, str]]:
        """The hint."""
        shown, parts = self._picture(), self._parts
        are_alike = len({one.shape for one in parts}) == 1
        if shown is None or not are_alike or not FEWEST <= len(parts) <= MOST or not is_telling(parts):
            return
        for name, data in self._files():
            places = places_in(name, data)
            if len(parts) <= len(places) and (at := exchanged(parts, places, shown[1])) is not None:
                x, y = places[at]
                yield (
                    "origin",
                    f'input 0 "{self._called}": {len(parts)} parts of {shown[0]} were cut at the places '
                    f"that {name} lists, each in its turn, but with x and y exchanged: part {at + 1}, at x "
                    f"{x} and y {y}, begins in row {x} and column {y}, and not in row {y} and column {x}",
                )
                return


def is_telling(parts: Sequence[Any]) -> bool:
    """Whether parts are not all the same, and one shows more than ground."""
    differ = any(not numpy.array_equal(one, parts[0]) for one in parts)
    return differ and any(float(numpy.ptp(one, axis=(0, 1)).max()) > 0 for one in parts)


def places_in(name: str, data: bytes) -> list[tuple[int, int]]:
    """The places across and down that a table lists by these names of columns, as whole numbers, or none."""
    sheet = sheet_of(name, data) if b"\0" not in data else None
    names = [one.strip().lower() for one in sheet.headings] if sheet is not None else []
    across, down = (next((names.index(one) for one in known if one in names), -1) for known in (ACROSS, DOWN))
    if sheet is None or min(across, down) < 0:
        return []
    numbers = sheet.numbers[:, [across, down]]
    is_whole = numpy.isfinite(numbers).all() and (numbers == numpy.rint(numbers)).all()
    return [(int(x), int(y)) for x, y in numbers.tolist()] if is_whole else []


def exchanged(parts: Sequence[Any], places: Sequence[tuple[int, int]], picture: Any) -> int | None:
    """Returns which part shows best that all were cut with x and y exchanged, or None if they weren't."""
    height, width, channels = parts[0].shape
    if picture.ndim != 3 or picture.shape[2] < channels or min(picture.shape[:2]) < max(height, width):
        return None
    pixels = picture[..., :channels].astype("f4")
    for ranged in RANGES:
        for shown in (ranged(pixels), ranged(pixels[..., ::-1])):
            for is_moved in (False, True):
                right = [cut(shown, y, x, parts[0].shape, is_moved=is_moved) for x, y in places]
                other = [cut(shown, x, y, parts[0].shape, is_moved=is_moved) for x, y in places]
                if not all(map(is_same, parts, other)):
                    continue
                apart = [
                    at for at, (part, one) in enumerate(zip(parts, right, strict=False))
                    if not is_same(part, one) and abs(places[at][0] - places[at][1]) > NEAR
                ]  # fmt: skip
                return apart[0] if len(apart) >= FEWEST else None
    return None


def cut(pixels: Any, top: int, left: int, shape: Sequence[int], *, is_moved: bool) -> Any:
    """A part of a picture that begins in this row and column. Beyond its edge the last pixels come again, or
    it `is_moved` to end there."""
    sides = []
    for begin, length, most in zip((top, left), shape[:2], pixels.shape[:2], strict=True):
        at = min(begin, most - length) if is_moved else begin
        sides.append(numpy.clip(at + numpy.arange(length), 0, most - 1))
    return pixels[numpy.ix_(*sides)]


def is_same(part: Any, other: Any) -> bool:
    """Whether two parts are equal, but for the last digits."""
    span = max(1e-6, float(abs(other).max()))
    return bool(abs(part - other).max() <= SAME * span)

"""Pixels that were divided as whole numbers before they became floats, so that all are 0, and white is 1.

What is here: `Divided`, for inputs in which nothing is left but what 0 becomes, or that and what white
becomes. What is not: bytes of the program (`emptied.py`), and resized pictures (`origin.unlike`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.deadline import paused
from ...nn.tensor import Tensor
from ..budget import Budget
from ..changes.encodings import USUAL, by_channel, per_channel
from ..facts import Picture, picture_of
from ..origin.decoding import Source
from ..origin.readings import first

COLOURS, LEVELS = 6, 16
"""Zeros and ones become at most so many numbers, two for each channel; and pictures of fewer different pixels
may have been made of zeros and ones."""
DARK = 16
"""A picture whose pixels are darker on average may be all black in a part."""
WHITE = 0.001
"""A picture of which more is white would not be black throughout."""
BETWEEN = 0.05
"""The least part of the pixels that are neither black nor white."""
NEAR = 1e-3


class Divided:
    """Gives hints about inputs that are set, and when a guest has ended. `last` gives the last picture that
    was read, as far as it may be in an input."""

    def __init__(self, last: Callable[[Any], Source | None], budget: Budget) -> None:
        self._last, self._budget = last, budget
        self._black: dict[Any, str] = {}
        """What to say of an input whose elements were all black the last time."""

    def set(self, key: Any, name: str, tensor: Tensor) -> Iterator[str]:
        """Yields what is wrong with an input."""
        before = self._black.pop(key, "")
        numbers, picture = tensor.numbers(), picture_of(tensor.shape)
        if numbers is None or picture is None or numbers.dtype.kind != "f":
            return
        array = numbers.reshape(tensor.shape)
        said = black_of(array, picture)
        if not said and len({*numbers[:: max(1, len(numbers) // 64)].tolist()}) > COLOURS:
            return
        with paused(), self._budget.comparing() as left:
            is_known = left()
            source = self._last(array) if is_known else None
        if said and before and not is_known:
            self._black[key] = before  # nothing but black was sent again
        if source is None or not is_lively(source):
            return
        if said and (source.array[..., :3] >= source.top).mean() <= WHITE:
            self._black[key] = (
                f"{name}: all elements are {said}, as of a black picture, and {source.name} is none: were "
                "its pixels divided as whole numbers (pixel / 255 is 0)?"
            )
        elif is_white_only(array, picture, source):
            in_each = " in each channel" if picture.channels > 1 else ""
            yield (
                f"{name}: its elements have only 2 different values{in_each}, and are the larger one where "
                f"pixels of {source.name} are {source.top}: were they divided as whole numbers (pixel / "
                f"{source.top} is 0 or 1)?"
            )

    @property
    def is_known(self) -> bool:
        """Whether it is known why the elements of an input are all black."""
        return bool(self._black)

    def finish(self) -> Iterator[str]:
        """Hints when a guest has ended: a warm-up is black, too."""
        yield from self._black.values()


def is_lively(source: Source) -> bool:
    """Whether a picture has many levels, and is not dark."""
    colours = source.array[..., :3]
    return bool(len(numpy.unique(colours)) >= LEVELS and colours.mean() >= DARK)


def black_of(array: Any, picture: Picture) -> str:
    """Returns the elements that black pixels become in a usual range, if all elements are those, and not 0,
    or "" for others."""
    channels = by_channel(array, picture)
    lows, highs = channels.min(axis=1).tolist(), channels.max(axis=1).tolist()
    if lows != highs or not any(lows):
        return ""
    for encoding in USUAL:
        if encoding.fits(picture.channels):
            means, deviations = per_channel(encoding, picture.channels)
            black = [-mean / deviation for mean, deviation in zip(means, deviations, strict=True)]
            for order in (black, black[::-1]):
                if all(abs(own - one) <= NEAR * abs(one) for own, one in zip(lows, order, strict=True)):
                    return ", ".join(f"{one:.4g}" for one in dict.fromkeys(lows))
    return ""


def is_white_only(array: Any, picture: Picture, source: Source) -> bool:
    """Whether elements are larger exactly where the pixels of a picture are white, which has the same size or
    was resized by taking the nearest ones."""
    own, pixels = first(array, picture), source.array[..., :3]
    if pixels.shape[2] != own.shape[2] or not min(own.shape[:2]):
        return False
    low, white = own.min(axis=(0, 1)), pixels >= source.top
    is_between = ((pixels > 0) & ~white).mean() >= BETWEEN
    if not white.any() or not is_between:
        return False
    if any(len({*own[..., one].reshape(-1).tolist()}) > 2 for one in range(own.shape[2])):
        return False
    lit = own > low
    return any(
        bool((shown == lit).all()) and bool(shown.any())
        for one in nearest(white, own.shape[:2])
        for shown in (one, one[..., ::-1])
    )


def nearest(pixels: Any, size: tuple[int, int]) -> Iterator[Any]:
    """A picture in another size, each pixel being the nearest one as programs take it: by its beginning, its
    middle, or as far as the corners are apart."""
    if pixels.shape[:2] == size:
        yield pixels
        return
    ways = []
    for have, want in zip(pixels.shape[:2], size, strict=True):
        places, apart = numpy.arange(want), (have - 1) / max(1, want - 1)
        middles = (2 * places + 1) * have // (2 * want)
        ways.append((places * have // want, middles, numpy.rint(places * apart).astype(int)))
    for rows, columns in zip(*ways, strict=True):
        yield pixels[rows][:, columns]

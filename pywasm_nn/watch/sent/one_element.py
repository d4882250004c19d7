"""Inputs of which all elements are made of one: a loop that reads the same pixel or number each time.

What is here: `OneElement`, by the first pixel or number of the file that was read, and by the guest's loops,
in which a byte is loaded from one address while the address of the store grows. What is not: elements that
are stored at one address (`emptied.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.deadline import paused
from ...nn.tensor import Tensor
from ..budget import Budget
from ..changes.encodings import USUAL, by_channel, per_channel
from ..facts import picture_of
from ..origin.decoding import Source
from ..sheets.sheet import sheet_of
from ..surroundings import Files
from .raw_numbers import raws

FEWEST, MOST = 8, 1 << 22
"""Elements of inputs of pixels that are looked at."""
FEWEST_NUMBERS = 4
"""The fewest elements of inputs of numbers of a table that are looked at."""
LEVELS = 8
"""A picture has so many different pixels at least."""
RARE = 0.1
"""At most this part of a picture is like its first pixel."""
COMMON = 0.5
"""At most this part of the bytes of a file is like its first byte."""
NEAR = 1e-4
USUAL_FILLS = (0.0, 1.0, -1.0, 0.5)
"""What buffers are filled with on purpose."""


class OneElement:
    """Gives hints when a guest has ended. `last` gives the last picture that was read, as far as it may be in
    an input, `files` the names and bytes of those that were read, and `is_stuck` says whether the guest has
    such a loop."""

    def __init__(
        self,
        last: Callable[[Any], Source | None],
        files: Files,
        budget: Budget,
        is_stuck: Callable[[], bool],
    ) -> None:
        self._last, self._files, self._budget, self._is_stuck = last, files, budget, is_stuck
        self._said: dict[Any, str] = {}
        """What to say of an input, if all of them are so; "" if one isn't."""

    def set(self, key: Any, name: str, tensor: Tensor) -> None:
        """An input was set."""
        numbers = tensor.numbers() if tensor.size <= MOST and self._said.get(key) != "" else None
        picture = picture_of(tensor.shape)
        if (
            numbers is None
            or numbers.size < FEWEST_NUMBERS
            or (picture is None and numbers.dtype.kind != "f")
        ):
            return
        array = numbers.reshape(tensor.shape)
        channels = by_channel(array, picture)
        if not (channels == channels[:, :1]).all():
            self._said[key] = ""
            return
        with paused(), self._budget.comparing() as left:
            said = self._of_pixels(array, channels[:, 0]) if left() and array.size >= FEWEST else ""
            said = said or (self._of_numbers(array) or self._of_bytes(array) if left() else "")
            alike = self._alike(array) if not said and array.size >= FEWEST and left() else ""
        if alike and self._is_stuck():  # a search, which has its own time
            said = (
                f"{alike}: the guest has a loop that loads its bytes from one address (i32.load8_u) while "
                "the address of the store grows: is the index left out of what is read?"
            )
        if said:
            self._said[key] = f"{name}: {said}"

    def _of_pixels(self, array: Any, values: Any) -> str:
        """Returns what is wrong with elements that are all made of one pixel of the picture that was read, or
        "" if nothing is."""
        source, what = self._last(array), self._alike(array)
        if source is None or not what:
            return ""
        colours = source.array[..., :3]
        pixel = colours[0, 0].astype("f8") * (255 / source.top)
        is_rare = (colours == colours[0, 0]).all(axis=2).mean() <= RARE  # a part of the ground may be sent
        if is_rare and 0 < pixel.min() <= pixel.max() < 255 and is_made_of(values, pixel):
            shown = ", ".join(f"{one:.4g}" for one in dict.fromkeys(values.tolist()))
            return f"{what}: they are {shown}, as of its first pixel: is the index left out of what is read?"
        return ""

    def _alike(self, array: Any) -> str:
        """Returns what to say of elements that are all alike if the picture that was read has many different
        pixels, or ""."""
        source = self._last(array)
        if source is None or len(numpy.unique(source.array[..., :3])) < LEVELS:
            return ""
        return f"all elements are alike, and {source.name} has many different pixels"

    def _of_numbers(self, array: Any) -> str:
        """Returns what is wrong with elements that are all the first number of a table's line, or "" if
        nothing is."""
        value = float(array.reshape(-1)[0])
        if value in USUAL_FILLS or array.size != array.shape[-1]:
            return ""
        for name, data in self._files():
            sheet = sheet_of(name, data)
            if sheet is None or sheet.numbers.shape[1] < array.size or len({*sheet.rows[0]}) < FEWEST_NUMBERS:
                continue
            if abs(sheet.numbers[0, 0] - value) <= NEAR * abs(value):
                return (
                    f"all elements are {value:g}, the first number of {name}: is the index left out of what "
                    "is read?"
                )
        return ""

    def _of_bytes(self, array: Any) -> str:
        """Returns what is wrong with elements that are all the first byte of a file in no known format, or ""
        if nothing is."""
        value = array.reshape(-1)[:1].astype("f8")
        if value[0] in USUAL_FILLS or array.size < FEWEST:
            return ""
        for raw, kind in raws(array.size, self._files()):
            part = numpy.frombuffer(raw.data, "u1", array.size, raw.header)
            is_rare = (part == part[0]).mean() <= COMMON and len(numpy.unique(part)) >= FEWEST_NUMBERS
            if kind == "u1" and is_rare and is_made_of(value, part[:1].astype("f8")):
                return (
                    f"all elements are {value[0]:.4g}, as of byte {raw.header} of {raw.name}, the first of "
                    f"{array.size} that are different: does the address of what is read not grow?"
                )
        return ""

    @property
    def is_known(self) -> bool:
        """Whether it is known why the elements of an input are all alike."""
        return any(self._said.values())

    def finish(self) -> Iterator[str]:
        """Hints when a guest has ended: a warm-up may be of one element, too."""
        yield from filter(None, self._said.values())


def is_made_of(values: Any, pixel: Any) -> bool:
    """Whether the only elements of each channel are a pixel in a usual range, perhaps with black and white
    swapped."""
    for encoding in USUAL:
        if len(pixel) not in (1, len(values)) or not encoding.fits(len(values)):
            continue
        means, deviations = per_channel(encoding, len(values))
        for shown in (pixel, pixel[::-1], 255 - pixel):
            made = (numpy.resize(shown, len(values)) - means) / deviations
            if (abs(values - made) <= NEAR * (1 + abs(made))).all():
                return True
    return False

"""Pictures that are sent turned, mirrored or without their colours: a mistake, unless the guest also sends
them as they are.

What is here: `Turned`. What is not: how a picture was turned (`origin`). Such a guest asks another model how
a text lies, or takes the mean of what a model says to a picture and to its mirror image, of which either may
come first.
"""

from __future__ import annotations

from collections.abc import Iterator
from zlib import crc32

from ...arrays import numpy
from ...nn.tensor import Tensor
from ..facts import picture_of
from ..origin import Origin

MIRRORED = "the picture is mirrored"


class Turned:
    """Knows which pictures were sent as they are; gives hints at mirror images at the end."""

    def __init__(self) -> None:
        self._as_is: set[str] = set()
        self._mirrored: dict[str, tuple[str, int]] = {}
        """By the name of the file, the hint at its mirror image, and the checksum of the image as it was."""

    def set(self, tensor: Tensor) -> None:
        """An input was set, of which no origin may be known."""
        total = crc32(tensor.view()) if self._mirrored else 0
        for file in [file for file, (_, whole) in self._mirrored.items() if whole == total]:
            self._as_is.add(file)
            del self._mirrored[file]

    def wrong(self, name: str, found: Origin, tensor: Tensor) -> str:
        """Returns what is wrong with an input of this origin, or "" if nothing is, or that is not known
        yet."""
        file = found.source.name
        if not found.varied:
            self._as_is.add(file)
            self._mirrored.pop(file, None)
        elif found.wrong == found.varied and file in self._as_is:
            return ""
        elif found.wrong == MIRRORED:
            self._mirrored.setdefault(
                file, (f"{name}: compared with {file}, {MIRRORED}", mirrored_sum(tensor))
            )
            return ""
        return found.wrong

    def finish(self) -> Iterator[str]:
        """Hints when a guest has ended."""
        yield from (hint for hint, _ in self._mirrored.values())


def mirrored_sum(tensor: Tensor) -> int:
    """The checksum of a picture's elements in the mirror."""
    numbers, picture = tensor.numbers(), picture_of(tensor.shape)
    if numbers is None or picture is None:
        return 0
    columns = -1 if picture.planar else -2
    return crc32(numpy.flip(numbers.reshape(tensor.shape), columns).tobytes())

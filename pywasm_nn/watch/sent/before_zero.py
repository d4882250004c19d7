"""Bytes of files of which only those before the first 0 are sent, and padding: a length that is a text's.

What is here: `BeforeZero`, for beginnings too short to be known among other bytes. What is not: longer ones
(`origin.bytewise`), and files that begin with a 0 (`sent/inputs.py`).

A program may well look at the first bytes of files alone. Then it sends as many of each; those before the
first 0 are 7 of one file and 8 of another. It sends them once: the same few bytes as the beginning and as the
end of a file that is much longer are those of a text's length, of one file alone, too. Of records of texts,
each filled up with zeros, the first one is what is before a 0, too: what follows there has no bytes that are
in no text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.tensor import Tensor
from ...records import Frozen
from ..surroundings import Files

FEWEST, MOST_ELEMENTS, MOST_LOOKS, MOST_FILES = 4, 1 << 16, 16, 8
"""Bytes before a 0 that are a beginning of a file by no chance; elements and inputs that are looked at, and
the last files that they are compared with."""
PADDED, FOLLOWING = 0.75, 24
"""The part of an input that is padding, and how many bytes of the file follow the first 0, at least."""
NO_TEXT, BINARY = bytes({*range(1, 32)} - {*b"\t\n\v\f\r\x1b"}), 0.02
"""Bytes that are in no text, and the least part of them in what follows the first 0."""
USUAL = 4
"""A program that sends the first bytes of files alone sends a multiple of so many."""


class Short(Frozen):
    """An input of a file's bytes before its first 0: the file, how many these are, and how many follow.
    `is_twice` if they are there as its beginning and as its end."""

    file: str
    count: int
    more: int
    is_twice: bool = False


class BeforeZero:
    """Gives a sentence when the guest has ended."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._looked: dict[Any, int] = {}
        self._found: dict[Any, list[Short]] = {}
        self._names: dict[Any, str] = {}
        self._longer: set[Any] = set()
        """Inputs of which one had other bytes, or more."""
        self._beyond: set[Any] = set()
        """Inputs of which one went on behind a 0 of its file."""

    def set(self, key: Any, name: str, tensor: Tensor) -> None:
        """An input was set."""
        looked = self._looked[key] = self._looked.get(key, 0) + 1
        numbers = tensor.numbers() if looked <= MOST_LOOKS and tensor.size <= MOST_ELEMENTS else None
        if numbers is None or numbers.dtype.kind not in "iu" or len(numbers) < 2 * FOLLOWING:
            return
        self._names[key] = name
        files = [one for one in self._files() if one[1]][-MOST_FILES:]
        found = short_of(numbers, files[::-1])
        if found is not None:
            self._found.setdefault(key, []).append(found)
        elif any(goes_beyond(numbers, data) for _, data in files):
            self._beyond.add(key)
        else:
            self._longer.add(key)

    def finish(self) -> Iterator[str]:
        """Yields what is wrong with inputs, when the guest has ended."""
        for key, found in self._found.items():
            counts = {one.count for one in found}
            differ = len(counts) > 1 or key in self._longer or found[0].count % USUAL
            are_told = differ or all(one.is_twice for one in found)
            if key not in self._beyond and are_told:
                one = max(found, key=lambda one: one.more)
                yield (
                    f"{self._names[key]}: only the {one.count} bytes of {one.file} before its first byte 0 "
                    f"are there, and {one.more:,} follow: was the length that of a text (strlen)?"
                )


def short_of(numbers: Any, files: Sequence[tuple[str, bytes]]) -> Short | None:
    """Returns of which file an input has only the bytes before the first 0, at one of its ends or both, or
    None if it has others."""
    padding = numbers[len(numbers) // 2]
    filled = numpy.flatnonzero(numbers != padding)
    if not FEWEST <= len(filled) <= (1 - PADDED) * len(numbers):
        return None
    for file, data in files:
        count = data.find(b"\0")
        rest = data[count:]
        if not FEWEST <= count <= len(numbers) or len(rest.strip(b"\0")) < FOLLOWING or not is_binary(rest):
            continue
        own = numpy.frombuffer(data[:count], "u1")
        for begins, ends in ((True, False), (True, True), (False, True)):
            made = numpy.full(len(numbers), padding)
            made[: count * begins] = own[: count * begins]
            if ends:
                made[len(made) - count :] = own
            if (made == numbers).all():
                return Short(file, count, len(rest), begins and ends)
    return None


def is_binary(data: bytes) -> bool:
    """Whether bytes that are in no text are among the ones that aren't 0."""
    plain = data.replace(b"\0", b"")
    return len(plain) - len(plain.translate(None, NO_TEXT)) >= BINARY * len(plain) > 0


def goes_beyond(numbers: Any, data: bytes) -> bool:
    """Whether an input begins with a file's bytes, and goes on behind the first 0 of these."""
    count = data.find(b"\0")
    own = numpy.frombuffer(data[: len(numbers)], "u1")
    reach = count + FOLLOWING
    return count >= 0 and len(own) >= reach and bool((own[:reach] == numbers[:reach]).all())

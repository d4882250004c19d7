"""The rest of a longer file behind a shorter one, in a buffer of bytes that was not cleared between the two.

What is here: `BytesBehind`, which compares an input, or a row of a batch, with the one before, and both with
the files that were read. Each byte may stand for any one number, the same in both inputs. What is not:
numbers of words and letters (`origin.remnants`), and sounds (`remains.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.formats import KNOWN
from ...nn.tensor import Tensor
from ..surroundings import Files

FEWEST, DIFFERENT = 24, 8
"""Bytes of the shorter file, and different ones among these, that are an input's elements by no chance."""
LEFT, LEFT_DIFFERENT = 4, 3
"""Elements that are left of the file before, and different ones among these."""
MOST, MOST_FILES, MOST_LOOKS = 1 << 16, 8, 16


class BytesBehind:
    """Keeps the last input of each kind. `files` gives the names and bytes of those that were read."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._before: dict[Any, Any] = {}
        self._looks: dict[Any, int] = {}

    def wrong(self, key: Any, tensor: Tensor) -> str:
        """Returns what is wrong with an input, or "" if nothing is."""
        flat = tensor.numbers() if FEWEST < tensor.size <= MOST else None
        looks = self._looks[key] = self._looks.get(key, 0) + 1
        if flat is None or looks > MOST_LOOKS:
            return ""
        pairs: list[tuple[Any, Any]] = []
        for row in rows_of(tensor.shape, flat):
            before, self._before[key] = self._before.get(key), row.copy()
            if before is not None and before.shape == row.shape and bool((before != row).any()):
                pairs.append((row, before))
        files = reversed(self._files()) if pairs else ()
        read = [one for one in files if KNOWN.of_file(one[0]) is None][:MOST_FILES]
        said = next(filter(None, (behind(one, read, *pair) for pair in pairs for one in read)), "")
        self._looks[key] = MOST_LOOKS if said else looks
        return said


def rows_of(shape: Sequence[int], flat: Any) -> Any:
    """The rows of a batch, or the only one."""
    is_batch = len(shape) == 2 and 1 < shape[0] <= MOST_LOOKS and shape[1] > FEWEST
    return flat.reshape(shape if is_batch else (1, -1))


def behind(one: tuple[str, bytes], read: Sequence[tuple[str, bytes]], flat: Any, before: Any) -> str:
    """Returns what is wrong if an input is this file and then the rest of another one, which the input before
    was, or "" if that is not so."""
    name, data = one
    for own in forms(data, len(flat)):
        known = numbers_of(own, flat)
        if known is None:
            continue
        for other, longer in read:
            for rest in (*forms(longer, len(flat)), *beginning(longer, before)):
                if other != name and len(rest) >= len(own) + LEFT and is_rest(own, rest, flat, before, known):
                    return (
                        f"its first {len(own)} elements are the bytes of {name}, and elements {len(own)} to "
                        f"{len(rest) - 1} behind these are still those of {other}, which the input (or row) "
                        "before was: the buffer was not cleared (or filled with padding) between the two"
                    )
        return ""
    return ""


def forms(data: bytes, most: int) -> Iterator[Any]:
    """The bytes of a file as they are, without blanks at their end, and without any around them, as far as
    they have room in an input."""
    for form in dict.fromkeys((data, data.rstrip(), data.strip())):
        if FEWEST <= len(form) <= most:
            yield numpy.frombuffer(form, "u1")


def beginning(data: bytes, before: Any) -> Iterator[Any]:
    """As many bytes of a file that is longer than an input as this begins with."""
    own = numpy.frombuffer(data[: len(before)], "u1") if len(data) > len(before) else ()
    others = numpy.flatnonzero(own != before) if len(own) else [0]
    count = int(others[0]) if len(others) else len(own)
    if count > FEWEST:
        yield own[:count]


def numbers_of(own: Any, flat: Any) -> Any:
    """Returns, by byte, the number that an input which begins with these bytes has for it, NaN for others, or
    None if it doesn't begin so."""
    known, first = numpy.full(256, numpy.nan), flat[: len(own)].astype("f8")
    known[own] = first
    count = len(numpy.unique(own))
    is_alike = bool((known[own] == first).all()) and count >= DIFFERENT
    return known if is_alike and len(numpy.unique(first)) == count else None


def is_rest(own: Any, rest: Any, flat: Any, before: Any, known: Any) -> bool:
    """Whether the input before was the longer file, whose end is still behind the shorter one."""
    left = slice(len(own), len(rest))
    if (rest[: len(own)] == own).all() or (flat[left] != before[left]).any():
        return False
    if len(numpy.unique(flat[left])) < LEFT_DIFFERENT:
        return False
    wanted = known[rest]
    return bool((numpy.isnan(wanted) | (wanted == before[: len(rest)].astype("f8"))).all())

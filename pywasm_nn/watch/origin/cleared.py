"""Inputs that were put, as zeros, into the memory into which a file was read, before all of its pixels were
copied: the file's buffer had been freed, or is the same one.

What is here: `cleared`, by where the bytes of a file were put, and `upper_rows` and `is_lively`, of pictures
whose upper rows are empty. What is not: inputs that stop being the picture further down (`pieces.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...arrays import numpy
from ..facts import picture_of
from .matching import Origin
from .read_files import File
from .readings import first

LEAST = 0.04
"""At least this part of an input is empty."""
ALPHA = 4
"""A pixel with alpha has this many bytes."""
LIVELY = 14.0
"""The deviation, in pixels, of a part that is not empty."""


def address_of(data: Any) -> int:
    """Returns the address of the bytes of a view or an array in this process."""
    array = data if hasattr(data, "__array_interface__") else numpy.frombuffer(data, "u1")
    return int(array.__array_interface__["data"][0])


def cleared(array: Any, found: Origin, files: Iterable[File]) -> str:
    """Returns what is wrong with a picture whose upper rows are empty, if the elements lie where the bytes of
    its file were put; or ""."""
    rows = upper_rows(array)
    file = next((one for one in files if one.name == found.source.name and one.puts), None)
    if not rows or file is None or not is_lively(found, rows):
        return ""
    if not (lies_in(array, file) or is_of_three_bytes(array, rows, found)):
        return ""
    return (
        f"its first {rows} rows of {picture_rows(array)} are empty, and the picture's are not: was the "
        "memory into which the file was read freed (or cleared) before all pixels were copied?"
    )


def lies_in(array: Any, file: File) -> bool:
    """Whether elements lie in memory into which a file was read."""
    begins, ends = address_of(array), address_of(array) + array.nbytes
    return any(begins < at + length and at < ends for at, length in file.puts)


def is_of_three_bytes(array: Any, rows: int, found: Origin) -> bool:
    """Whether pixels of three bytes, all 0, were put over those of four of the same picture, so that three
    quarters of these were gone before they were copied."""
    return found.source.array.shape[-1] == ALPHA and abs(4 * rows - 3 * picture_rows(array)) <= ALPHA


def picture_rows(array: Any) -> int:
    picture = picture_of(array.shape)
    return 0 if picture is None else picture.height


def upper_rows(array: Any) -> int:
    """Returns how many of a picture's upper rows have one colour, 0 if all have it or if these are few."""
    picture = picture_of(array.shape)
    if picture is None:
        return 0
    return even_rows(first(array, picture))


def even_rows(rows: Any) -> int:
    """Returns how many of the first rows have one element throughout, 0 if all have it or these are few."""
    others = numpy.flatnonzero((rows != rows[:1, :1]).reshape(len(rows), -1).any(axis=1))
    return int(others[0]) if len(others) and others[0] >= LEAST * len(rows) else 0


def is_lively(found: Origin, rows: int) -> bool:
    """Whether the part of a picture that lies at the first rows of an input is not empty."""
    if found.lies is None or not found.source.is_picture:
        return False
    pixels = found.source.array
    top, _, bottom, _ = found.part or (0, 0, len(pixels), 0)
    begins, _, height, _ = found.lies
    end = top + (bottom - top) * min(rows - begins, height) // max(1, height)
    return end - top >= 2 and float(pixels[top:end].astype("f4").std(axis=(0, 1)).max()) > LIVELY

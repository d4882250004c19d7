"""Inputs of the floats of a PFM file (a map of depths or heights, or a picture of wide range), whose rows go
up and whose scale says the order of bytes.

What is here: `misread_floats`, for maps of the input's size. What is not: headers that were taken for numbers
(`origin.runs`). Source: https://www.pauldebevec.com/Research/HDR/PFM/
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.tensor import Tensor
from ..origin.laid_out import are_of
from ..regex import regex

HEAD = regex(rb"(P[Ff])\s+(\d+)\s+(\d+)\s+(-?[0-9.]+)\s")
MOST_FILES, MOST = 4, 1 << 21
COLOURS = 3


def misread_floats(tensor: Tensor, files: Sequence[tuple[str, bytes]]) -> str:
    """Returns what is wrong with an input that is a map of floats, or "" if nothing is."""
    numbers = tensor.numbers() if tensor.size <= MOST else None
    if numbers is None or numbers.dtype.kind != "f":
        return ""
    for name, data in files[-MOST_FILES:]:
        head = HEAD.match(data)
        if head is None:
            continue
        width, height, channels = int(head[2]), int(head[3]), COLOURS if head[1] == b"PF" else 1
        count = width * height * channels
        planes = planes_of(numbers, tensor.shape, (channels, height, width))
        if planes is None or not count or len(data) < head.end() + 4 * count:
            continue
        order = "<" if float(head[4]) < 0 else ">"
        with numpy.errstate(all="ignore"):
            for wrong, own, is_turned in ways(order, head[4].decode()):
                read = numpy.frombuffer(data, f"{own}f4", count, head.end()).reshape(height, width, channels)
                rows = (read[::-1] if is_turned else read).transpose(2, 0, 1)
                if are_of(planes, rows.astype("f8")):
                    return wrong and f"compared with {name}, {wrong}"
    return ""


def ways(order: str, scale: str) -> Iterator[tuple[str, str, bool]]:
    """Yields what is wrong, the order of bytes, and whether the last row is taken for the top one: as it is
    meant, and as mistakes read it."""
    other, said = ("<", "little") if order == ">" else (">", "big")
    upside_down = "it is upside down: rows of PFM go from the bottom up"
    meant = "big" if order == ">" else "little"
    swapped = f"its bytes were read as {said}-endian; a scale of {scale} says that they are {meant}-endian"
    yield "", order, True
    yield upside_down, order, False
    yield swapped, other, True
    yield f"{swapped}; and {upside_down}", other, False


def planes_of(numbers: Any, shape: Sequence[int], wanted: tuple[int, int, int]) -> Any:
    """Returns an input as planes [channels, height, width], or None if it is no map of that size."""
    lengths = [one for one in shape if one != 1]
    channels, height, width = wanted
    if lengths in ([height, width], [channels, height, width]):
        return numbers.reshape(-1, height, width)
    if lengths == [height, width, channels]:
        return numbers.reshape(height, width, channels).transpose(2, 0, 1)
    return None

"""Inputs that have only the first bytes of a file: as many as a pointer has (`sizeof` of the buffer was asked
for where the buffer is a pointer), or as many as there are to be elements, of several bytes each.

What is here: `Begun`, and `only_begun`, which looks at one input. What is not: longer beginnings of a
picture (`pieces.py`, `tiny.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.formats import KNOWN
from ...nn.tensor import Tensor
from ..changes.encodings import HALF, RAW, SIGNED, UNIT
from ..facts import picture_of
from .bytewise import WHY
from .layouts import layout_of, packed_of
from .readings import first

POINTERS = (4, 8)
"""Bytes of an address, and of a double or a 64-bit one."""
FEWEST = 2
"""So many different bytes other than 0 are the same by no chance, with zeros behind them."""
MORE = 8
"""At least so many bytes that are not 0 must be missing."""
NEAR = 0.01
"""How far elements may be from the bytes, in pixels."""
MOST_HEADER, MOST, MOST_TRIED = 4096, 1 << 18, 4


class Begun:
    """Knows how many elements of inputs came before equal ones."""

    def __init__(self) -> None:
        self._filled: dict[tuple[int, ...], set[int]] = {}

    def wrong(self, tensor: Tensor, files: Sequence[tuple[str, bytes]]) -> str:
        """Returns what is wrong with an input, or "" if nothing is, or if others began with fewer or more
        bytes: a guest may ask a model about more and more of a file."""
        said = only_begun(tensor, files)
        numbers = tensor.numbers() if tensor.nbytes <= MOST else None
        if numbers is None or not numbers.size:
            return said
        flat = numbers.reshape(-1)
        differ = (flat != flat[-1]).nonzero()[0]
        count = int(differ[-1]) + 1 if len(differ) else 0
        filled = self._filled.setdefault(tensor.shape, set())
        filled |= {count} - {0}
        return said if len(filled) < 2 else ""


def only_begun(tensor: Tensor, files: Sequence[tuple[str, bytes]]) -> str:
    """Returns what is wrong with an input of which only so few elements come from the bytes of one of the
    files that were read last, or "" if they don't."""
    numbers = tensor.numbers()
    if numbers is None or not 2 * max(POINTERS) < numbers.size <= MOST:
        return ""
    read = [one for one in reversed(files) if KNOWN.of_file(one[0]) is None][:MOST_TRIED]
    said = (begun(numbers.reshape(tensor.shape), name, data) for name, data in read)
    return next(filter(None, said), "")


def begun(array: Any, name: str, data: bytes) -> str:
    picture = picture_of(array.shape)
    flat = array.reshape(-1) if picture is None else first(array, picture).reshape(-1)
    if (flat[max(*POINTERS, array.size // 4) :] != flat[-1]).any():
        return ""
    for start in starts_of(data):
        rest = numpy.frombuffer(data[start : start + array.nbytes], "u1")
        part = array.size // array.itemsize if array.itemsize > 1 else 0
        for count in {count for count in (*POINTERS, part) if 0 < count < len(flat)}:
            if numpy.count_nonzero(rest[count : array.size]) < MORE:
                continue
            if not is_begun(flat, rest, count) and (count == part or not is_raw(array, rest, count)):
                continue
            why = "was sizeof of a pointer taken for the size of the buffer?" if count in POINTERS else WHY
            return f"only the first {count} bytes of {name} are there, and nothing of the others: {why}"
    return ""


def starts_of(data: bytes) -> Iterator[int]:
    """Where numbers may begin in a file."""
    yield 0
    known = layout_of(data[:MOST_HEADER])
    packed = packed_of(data[:MOST_HEADER])
    if known is not None:
        yield known.first
    if packed is not None:
        yield packed.start


def is_begun(flat: Any, rest: Any, count: int) -> bool:
    """Whether elements are bytes in a usual range, behind which 0 follows."""
    wanted = rest[:count].astype("f8")
    if len({*wanted[wanted > 0].tolist()}) < FEWEST:
        return False
    for encoding in (UNIT, RAW, SIGNED, HALF):
        pixels = flat.astype("f8") * encoding.deviation[0] + encoding.mean[0]
        if (abs(pixels[:count] - wanted) < NEAR).all() and (abs(pixels[count:]) < NEAR).all():
            return True
    return False


def is_raw(array: Any, rest: Any, count: int) -> bool:
    """Whether the elements' own bytes are those of the file, or samples of 16 bits are scaled, behind which 0
    follows."""
    own = numpy.frombuffer(array.tobytes(), "u1")
    if len(rest) < array.nbytes // 2:
        return False
    wanted = rest[:count]
    if (own[:count] == wanted).all() and not own[count:].any():
        return array.itemsize > 1 and bool(len({*wanted.tolist()} - {0}) >= FEWEST)
    if array.dtype.kind != "f" or array.reshape(-1)[count // 2 :].any():
        return False
    samples = wanted.view("<i2") / 32768
    return bool((array.reshape(-1)[: count // 2] == samples.astype(array.dtype)).all() and samples.all())

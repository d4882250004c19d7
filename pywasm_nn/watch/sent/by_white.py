"""Numbers of a file that were divided by 255 as if they were pixels of 8 bits, though the largest of them is
15, 16, 31 or 63.

What is here: `by_white`. What is not: pictures that say themselves which number is white (`origin.ranges`),
and elements that were divided by 255 twice (`hints.values`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.tensor import Tensor

FEWEST, MOST, MOST_BYTES = 48, 1 << 14, 1 << 22
"""Elements of an input, and bytes of a file."""
TOPS = (15, 16, 31, 63)
"""The largest numbers of 4, 5 and 6 bits, and of pixels that were counted in 4 x 4 places."""
WAYS = (("divided by 255", 255.0, 0.0), ("divided by 256", 256.0, 0.0), ("brought to -1..1", 127.5, 1.0))
"""How pixels of 8 bits become elements: number / divisor - shift."""
NEAR, DIFFERENT = 0.01, 5
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
BYTE = 255


def by_white(tensor: Tensor, files: Sequence[tuple[str, bytes]]) -> str:
    """Returns what is wrong with an input of such numbers, or "" if nothing is known to be wrong."""
    numbers = tensor.numbers()
    if numbers is None or numbers.dtype.kind != "f" or not FEWEST <= numbers.size <= MOST:
        return ""
    for said, divisor, shift in WAYS:
        whole = (numbers.astype("f8") + shift) * divisor
        if not (numpy.isfinite(whole).all() and whole.min() + NEAR >= 0 and whole.max() <= TOPS[-1] + NEAR):
            continue
        if abs(whole - whole.round()).max() > NEAR or len(numpy.unique(whole.round())) < DIFFERENT:
            continue
        row = bytes(whole.round().astype("u1"))
        for name, data in files:
            top = next((max(own) for own in bytes_of(data) if row in own), 0)
            if top in TOPS:
                return (
                    f"compared with {name}, its numbers were {said} as if they went to 255, and the largest "
                    f"in the file is {top}: are they to be divided by {top}, or sent as they are?"
                )
    return ""


def bytes_of(data: bytes) -> Iterator[bytes]:
    """The numbers of a file, each as a byte: those that its bytes are, and those of a text."""
    if not FEWEST <= len(data) <= MOST_BYTES:
        return
    yield data
    if b"\0" not in data:
        found: list[Any] = [float(one) for one in NUMBER.findall(data)]
        yield bytes(int(one) if 0 <= one < BYTE and one == int(one) else BYTE for one in found)

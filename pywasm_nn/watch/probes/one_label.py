"""A label, one whole number, of which a guest reads the bytes as a float: small ones are then all 0.

What is here: `misread`. What is not: numbers that the guest writes as they are (`retyped.py`), and labels of
several inputs (`offsets.py`).
"""

from __future__ import annotations

from typing import Any

from .asked import Asked, Given

LABELS = (0, 1, 2)
FLOATS = {"<f4": "f32", "<f8": "f64"}
NEXT, LOW = 1.0, 0.25
"""As a float the first is another label than 0, and the second isn't; as whole numbers both are huge."""


def misread(asked: Asked) -> str:
    """What is wrong with the type as which a label is read; "" if nothing is known to be."""
    for index, output in asked.fetched():
        array = output.array
        if array.dtype.kind not in "iu" or array.size != 1 or array.dtype.itemsize < 4:
            continue
        texts = {asked.text(index, array * 0 + label) for label in LABELS}
        if len(texts) > 1 or None in texts:
            continue
        for kind, title in FLOATS.items():
            if array.dtype.itemsize < int(kind[2]):
                continue
            low, other = (asked.text(index, as_float(output, kind, value)) for value in (LOW, NEXT))
            if other is not None and low in texts and other not in texts:
                return (
                    f"{output.what}: the guest says the same of the labels 0, 1 and 2, and another thing of "
                    f"the bytes of 1.0 as {title}: the label is {array.dtype.name}, and is read as {title}, "
                    "as which all small labels are 0"
                )
    return ""


def as_float(output: Given, kind: str, value: float) -> Any:
    """An output whose first bytes are those of a float."""
    import numpy

    width = output.array.dtype.itemsize
    data = numpy.array([value], kind).tobytes().ljust(width, b"\0")
    return numpy.frombuffer(data, output.array.dtype).reshape(output.array.shape)

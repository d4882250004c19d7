"""A label, one whole number, of which a guest reads the bytes as a float (small ones are then all 0), or for
which it says the name beside its own.

What is here: `misread` and `misnamed`. What is not: numbers that the guest writes as they are (`retyped.py`),
and labels of several inputs (`offsets.py`).
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy
from ..classes import said_in
from .asked import Asked, Given

LABELS = (0, 1, 2)
FLOATS = {"<f4": "f32", "<f8": "f64"}
NEXT, LOW = 1.0, 0.25
"""As a float the first is another label than 0, and the second isn't; as whole numbers both are huge."""
MOST, FEWEST = 4, 2
"""So many labels are tried, and so many must be said by the name beside their own."""


def misread(asked: Asked) -> str:
    """Returns what is wrong with the type as which a label is read, or "" if nothing is."""
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
    width = output.array.dtype.itemsize
    data = numpy.array([value], kind).tobytes().ljust(width, b"\0")
    return numpy.frombuffer(data, output.array.dtype).reshape(output.array.shape)


def misnamed(asked: Asked) -> str:
    """Returns what is wrong with the name that stands for each label, or "" if nothing is. The model counts
    labels from 0 if this one is the place of the largest share."""
    for index, output in asked.fetched():
        array = output.array
        count = shares_beside(asked, array) if array.dtype.kind in "iu" and array.size == 1 else 0
        lists = [one for one in asked.lists if len(one.names) == count and not one.is_numbered]
        for one in lists[:1]:
            texts = [asked.text(index, array * 0 + label) or "" for label in range(min(count, MOST))]
            named = [{*said_in(one, text)} for text in texts]
            always = set.intersection(*named)
            for by in (-1, 1):
                off = [at for at, names in enumerate(named) if names - always == {at + by}]
                if len(off) < FEWEST or any(at in names - always for at, names in enumerate(named)):
                    continue
                at = off[-1]
                return (
                    f'{output.what}: the guest says "{one.names[at + by]}" of label {at}, which is '
                    f'"{one.names[at]}" in {one.file}, and so on: the model counts labels from 0 (label '
                    f"{int(array.reshape(-1)[0])} is the place of the largest share), and so does the list: "
                    "is 1 taken away, or added?"
                )
    return ""


def shares_beside(asked: Asked, label: Any) -> int:
    """Returns how many shares another output has, the largest of which is at the place of the label, or 0 if
    there is none."""
    place = int(label.reshape(-1)[0])
    for other in asked.outputs.values():
        array = other.array
        is_row = array.dtype.kind == "f" and len(other.lengths) == 1 and array.size > FEWEST
        if is_row and int(array.reshape(-1).argmax()) == place:
            return int(array.size)
    return 0

"""The bytes of an answer that are taken as the number of its elements: the guest reads beyond it.

What is here: `overread`. In copies get_output says fewer bytes than it has written: as many as the answer has
elements. What is not: a buffer's size that is taken for that of the answer (`beyond.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...arrays import numpy
from ..regex import regex
from .asked import NUMBER, Asked
from .stand_in import TOLD

WORD = regex(r"[^\s,;:]+")
FEWEST = 8
LONGER = 1.6
"""How much more a guest writes that reads beyond, at least."""
NEAR = 0.6
"""Numbers that are rounded."""
ORDINALS = {2: "half", 4: "quarter", 8: "eighth"}


def overread(asked: Asked) -> str:
    """Returns a hint about what a guest writes of what lies behind the answer, or "" if it keeps to the
    answer."""
    for index, output in asked.fetched():
        size, array = output.array.dtype.itemsize, output.array
        if array.dtype.kind != "f" or array.size < FEWEST or len(output.lengths) > 2:
            continue
        # Other models that vote get this answer, too: so without the shorter length as well.
        own, few = WORD.findall(asked.said({index: array}) or ""), said(asked, {}, size)
        if not few or not is_more(own, few, size):
            continue
        changed = said(asked, {index: with_other_last(array, output.lengths[-1])}, size)
        if changed and changed != few:
            return (
                f"{output.what}: the guest reads beyond its {array.size} elements: where get_output says a "
                f"{ORDINALS.get(size, 'part')} of its {array.nbytes} bytes, it still reads the last one: is "
                f"the number of bytes taken for that of the elements, which have {size} bytes each?"
            )
    return ""


def with_other_last(array: Any, length: int) -> Any:
    """The same answer with its last row, of several, turned round, or another last element."""
    rows = array.reshape(-1, length).copy()
    low, high = rows.min(), rows.max()
    if len(rows) > 1:
        rows[-1] = rows[-1, ::-1].copy()
    else:
        rows[-1, -1] = high + (high - low) if rows[-1, -1] < high else low - (high - low)
    return rows.reshape(array.shape)


def is_more(own: Sequence[str], few: Sequence[str], size: int) -> bool:
    """Whether what is written of all bytes is much longer than what is written of a part of them, and begins
    like that, or has other numbers, none of which is only how many there are."""
    if len(own) != len(few):
        return len(own) >= LONGER * len(few) and [*own[: len(few)]] == [*few]
    differ = [(one, other) for one, other in zip(own, few, strict=True) if one != other]
    return bool(differ) and not any(is_count(one, other, size) for one, other in differ)


def is_count(one: str, other: str, size: int) -> bool:
    """Whether of two words the other may be about this part of the one, or they are no numbers."""
    found = [NUMBER.search(word) for word in (one, other)]
    if found[0] is None or found[1] is None:
        return True
    if "." not in found[0][0] + found[1][0]:
        return int(found[1][0]) in (int(found[0][0]) // size, -(-int(found[0][0]) // size))
    all_, part = abs(float(found[0][0])), abs(float(found[1][0]))
    return part == 0 or NEAR * size <= all_ / part <= size / NEAR


def said(asked: Asked, changes: Mapping[int, Any], size: int) -> list[str]:
    """The words that a guest writes if it is told a part of the bytes."""
    return WORD.findall(asked.said({**changes, TOLD: numpy.array([size], "<u4")}) or "")

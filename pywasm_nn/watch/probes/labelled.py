"""A class by its name, from one output, and a share beside it, from another: is the share that of the class
whose name stands before it?

What is here: `mislabelled`, for which the first of the labels is made class 0 and class 1, and `of_another`,
for a share beside the largest class of the same output.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from ..origin.comparing import are_shares
from ..regex import regex
from ..spoken import Word
from .asked import Asked
from .meant import WORD

MOST_CLASSES, MOST_ROWS = 64, 1024
FIRST, SECOND = 0.83, 0.14
FEW, MOST_COLUMNS, LARGEST = 3, 10, 0.52
SHARE = regex(r"(?<![\w.])\d+\.\d+(?![\w]|\.\d)|(?<![\w.])\d+(?= ?%)")
OF_A_SHARE = frozenset({"with", "probability", "prob", "confidence", "conf", "sure", "certainty"})
"""Words for a share of the class that is said; a score may be that of one class, such as of a risk."""
DENIED = regex(r"(?:\b(?:no|non|not|never|other|against|un)\b|\b1 ?-)\W*$", re.IGNORECASE)


def mislabelled(asked: Asked) -> str:
    """Returns a hint about a share behind the name of another class, or "" if there is none."""
    outputs = dict(asked.fetched())
    for index, shares in outputs.items():
        array = shares.array
        count = array.shape[-1]
        if array.dtype.kind != "f" or array.ndim < 2 or not 2 <= count <= MOST_CLASSES:
            continue
        if array.min() < 0 or abs(array.reshape(-1, count).sum(axis=1) - 1).max() > SECOND:
            continue
        for place, labels in outputs.items():
            is_label = labels.array.dtype.kind in "iu" and labels.array.size == array.size // count
            if is_label and labels.array.size <= MOST_ROWS and (wrong := of(asked, index, place)):
                return f"{shares.what}: {wrong}"
    return ""


def of_another(asked: Asked) -> str:
    """Returns a hint about the same column's share behind each class, whichever is the largest, or "" if it
    isn't so."""
    for index, output in asked.fetched():
        array = output.array
        if array.dtype.kind != "f" or len(output.lengths) != 1 or not FEW <= array.size <= MOST_COLUMNS:
            continue
        if not are_shares(array.reshape(-1)):
            continue
        found = {place: column_of(asked, index, place) for place in (0, array.size // 2, array.size - 1)}
        columns = {column for column, _ in found.values()}
        words = {tuple(WORD.findall(text)) for _, text in found.values()}
        place = next((one for one in found if found[one][0] != one), 0)
        if len(columns) == 1 and None not in columns and len(words) == len(found) and behind(words):
            column, text = found[place]
            return (
                f'{output.what}: the guest writes "{text}" where class {place} has a share of {LARGEST}; '
                f"whichever class is the largest, the number is the share of class {column}: is that of the "
                "class that is said meant?"
            )
    return ""


def behind(words: Collection[Sequence[str]]) -> bool:
    """Whether nothing but a word for a share stands between the class and the number, or behind both: no
    other class of which the share may be."""
    always = set.intersection(*map(set, words))
    for line in words:
        last = max((at for at, word in enumerate(line) if word not in always), default=len(line))
        if any(word.lower() not in OF_A_SHARE for word in line[last + 1 :]):
            return False
    return True


def column_of(asked: Asked, index: int, place: int) -> tuple[int | None, str]:
    """Whose share is written if this class has the largest, and the line."""
    output = asked.outputs[index]
    made: Any = output.array.reshape(-1).copy()
    others = [column for column in range(made.size) if column != place]
    parts = [2 * at + 3 for at in range(len(others))]
    for column, part in zip(others, parts, strict=True):
        made[column] = (1 - LARGEST) * part / sum(parts)
    made[place] = LARGEST
    text = (asked.text(index, made.reshape(output.array.shape)) or "").strip()
    shares = SHARE.findall(text)
    if "\n" in text or len(shares) != 1:
        return None, text
    word = Word.of(shares[0])
    fits = [column for column, one in enumerate(made) if bool(word.fits(one)) or bool(word.fits(100 * one))]
    return fits[0] if len(fits) == 1 else None, text


def of(asked: Asked, index: int, place: int) -> str:
    lines = [line_of(asked, index, place, label) for label in (0, 1)]
    found = next((pair for pair in zip(*lines, strict=False) if pair[0] != pair[1]), None)
    if found is None:
        return ""
    words = [WORD.findall(line) for line in found]
    moved = [pair for pair in zip(*words, strict=False) if pair[0] != pair[1]]
    if len(words[0]) != len(words[1]) or len(moved) != 1:
        return ""
    names = moved[0]
    said = [named(line, names) for line in found]
    if None in said:
        return ""
    (first, column, text), (second, other, _) = [one for one in said if one is not None]
    if column == first or (first == second and other != column) or (first != second and other == second):
        return ""
    return (
        f'the guest writes "{text}" where class 0 has a share of {FIRST}, and says "{names[first]}" of label '
        f"{first}: is it the share of class {column}, or are the names exchanged?"
    )


def line_of(asked: Asked, index: int, place: int, label: int) -> list[str]:
    """Returns what is written if the first label is this one, and its shares are known."""
    shares: Any = asked.outputs[index].array.copy()
    labels: Any = asked.outputs[place].array.copy()
    row = shares.reshape(-1, shares.shape[-1])[0]
    row[:] = (1 - FIRST - SECOND) / max(1, len(row) - 2)
    row[:2] = FIRST, 1 - FIRST if len(row) == 2 else SECOND
    labels.reshape(-1)[0] = label
    return (asked.said({index: shares, place: labels}) or "").splitlines()


def named(line: str, names: Sequence[str]) -> tuple[int, int, str] | None:
    """The class whose name stands before the only share of a line, that whose share it is, and both."""
    shares = list(SHARE.finditer(line))
    if len(shares) != 1:
        return None
    word, before = Word.of(shares[0][0]), line[: shares[0].start()]
    columns = [
        column
        for column, values in enumerate(((FIRST,), (SECOND, 1 - FIRST)))
        if any(bool(word.fits(by * value)) for value in values for by in (1.0, 100.0))
    ]
    at = [before.rfind(name) for name in names]
    first = at.index(max(at))
    if len(columns) != 1 or max(at) < 0 or at[0] == at[1] or DENIED.search(before[: max(at)]):
        return None
    return first, columns[0], line[max(at) : shares[0].end()]

"""Answers that are vectors, of which a guest keeps several and says which is nearest to a later one, or how
near they are.

What is here: `farthest`, for which the later one is made one of those that are kept, and the opposite of it;
and `itself`, for which all are made far from each other, and the same. What is not: rows of one answer
(`compared_rows.py`), and many answers beside their numbers (`written/similar.py`).
"""

from __future__ import annotations

import re
from typing import Any

from ...arrays import numpy
from ..origin.comparing import are_shares
from ..regex import regex
from .asked import Asked, Given
from .compared_rows import ALIKE
from .nearest_rows import cone, is_looked_for
from .thresholds import DECIMAL

FEWEST, MOST, SMALL = 3, 64, 0.01
FEWEST_LINES = 2
"""So many lines at a guest's end are one for each later answer."""
TRIED = (0, 1, 2)
LENGTHS = range(8, 4097)
LARGE = 1000.0
"""How many times as long as the model's answer those that are tried are, so that no limit of a distance holds
them."""
MOST_COMPUTES = 16
SAME = regex(
    r"(?<![\d.])-?0\.0+(?![\d.])|(?<!not )\b(?:the same|similar|alike|match\w*|duplicates?|identical)\b",
    re.IGNORECASE,
)
"""Words and numbers by which guests say that two vectors are the same, beside those of `ALIKE`."""


def farthest(asked: Asked) -> str:
    """Returns a hint if the least like is said of the later one, or "" if it isn't so."""
    kept = kept_before(asked)
    if not FEWEST <= kept <= MOST or is_looked_for(asked.control.text):
        return ""
    for index, output in asked.fetched():
        length = output.array.shape[-1]
        if output.array.dtype.kind != "f" or length not in LENGTHS or are_shares(output.array.reshape(-1)):
            continue  # shares of classes are no vectors, and many guests say all of them at their end
        if length != output.array.size and len(output.lengths) > 2:
            continue
        if kept > len(TRIED) and (wrong := least_like(asked, index, kept)):
            return wrong
        if length < kept:
            continue
        alike = [said_of(asked, index, kept, place, 1) for place in TRIED]
        if not all(alike) or alike[1] != alike[2] or alike[0] == alike[1]:
            continue
        opposite = [said_of(asked, index, kept, place, -1) for place in TRIED]
        if all(opposite) and len({*opposite}) == len(TRIED):
            return (
                f'{output.what}: of {kept} answers that it keeps the guest says "{opposite[0]}" of one that '
                f'is the opposite of the first, and "{alike[0]}" of one that is the same: is the least like '
                "taken for the nearest (a similarity for a distance, or the other way round)?"
            )
    return ""


def kept_before(asked: Asked) -> int:
    """Returns how many answers a guest keeps before it says something of a later one; 0 if that isn't known.
    What it says may be written at its end only, a line for each of the later ones."""
    texts = asked.control.texts
    first = next((at for at, text in enumerate(texts) if text.strip()), 0)
    if 0 < first < len(texts) - 1:
        return first
    ending = asked.ending
    if ending is None or asked.round > 1 or any(text.strip() for text in ending.texts[:-1]):
        return first
    lines = [line for line in ending.text.splitlines() if line.strip()]
    return max(first if len(lines) < FEWEST_LINES else len(ending.texts) - len(lines), 0)


def least_like(asked: Asked, index: int, kept: int) -> str:
    """The same for so many answers that they are no right angles to each other: the first ones are near to
    each other, the last one is their opposite, and the rest lies beside them."""
    output = asked.outputs[index]
    rows = cone(kept, output.array.shape[-1], len(TRIED))

    def said(row: Any) -> str:
        made = [(output.array * 0 + one).astype(output.array.dtype) for one in (*rows, row)]
        return DECIMAL.sub("#", asked.series(index, made) or "").strip()

    alike = [said(rows[place]) for place in TRIED]
    if not alike[0] or len({*alike}) > 1:
        return ""
    opposite = [said(-rows[place]) for place in TRIED]
    if not all(opposite) or len({*opposite}) < len(TRIED):
        return ""
    first, other = (text.partition("\n")[0] for text in (opposite[0], alike[0]))
    return (
        f'{output.what}: of {kept} answers that it keeps the guest says "{first}" of one that is the '
        f'opposite of the first, and "{other}" of ones that are the same as each of several: is the '
        "least like taken for the nearest (a similarity for a distance, or the other way round)?"
    )


def itself(asked: Asked) -> str:
    """Returns a hint if vectors are said to be the same whatever they are, and the last one alone decides, or
    "" if it isn't so."""
    control = asked.ending
    if control is None or not control.is_whole or asked.round > 1 or control.texts[0].strip():
        return ""
    said = next((one for one in map(str.strip, control.text.splitlines()) if is_same(one)), "")
    count = len(control.texts) - (not control.texts[-1])
    if not said or not 1 < count <= MOST_COMPUTES:
        return ""
    for index, output in asked.fetched():
        if output.array.dtype.kind != "f" or len(output.lengths) != 1 or output.array.size not in LENGTHS:
            continue
        length = LARGE * max(1.0, float(numpy.linalg.norm(output.array.astype("f8"))))
        apart = [vector(output, at % output.array.size) * length for at in range(count)]
        alike = [apart[0]] * count  # an opposite is no vector of shares
        texts = {asked.series(index, one) for one in (apart, apart[::-1], alike)}
        text = texts.pop()
        if not texts and text is not None and any(map(is_same, text.splitlines())):
            broken = output.array * numpy.nan
            first, last = (asked.series(index, one) for one in ([broken, *apart[1:]], [*apart[:-1], broken]))
            if first == text and last not in (None, text):
                return (
                    f'{output.what}: the guest says "{said}" of any {count} answers, however far apart, '
                    "and only the last one changes that: do all lie in one buffer (static, or one array for "
                    "all), which the last answer fills?"
                )
    return ""


def is_same(line: str) -> bool:
    """Whether a line may say of two vectors that they are the same."""
    return ALIKE.search(line) is not None or SAME.search(line) is not None


def said_of(asked: Asked, index: int, kept: int, place: int, sign: int) -> str:
    """The first line that is written if the later answer is one that is kept, or its opposite."""
    output = asked.outputs[index]
    series = [vector(output, at) for at in range(kept)]
    text = asked.series(index, [*series, sign * series[place]]) or ""
    return DECIMAL.sub("#", text).strip().partition("\n")[0]


def vector(output: Given, place: int) -> Any:
    """An answer that is at a right angle to others, nearly."""
    made = output.array * 0 + output.array.dtype.type(SMALL)
    rows = made.reshape(1, -1) if len(output.lengths) == 1 else made  # elements may stand in a column
    rows[..., place] = 1
    return made

"""Boxes of which only the number is said: does it count several of one thing?

What is here: `uncounted`. Two rows get the same box, or one alone does. What is not: guests that write each
box with its score (`suppression.py`), and cells of a map (`heatmaps.py`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from ...arrays import numpy
from ..regex import regex
from .asked import NUMBER, WHOLE, Asked
from .counted_anchors import in_pixels
from .suppression import BOX, LESS, MORE, ON_PURPOSE, Boxes, boxes_of

FEWEST, MOST = 2, 512
"""How many boxes are said."""
OVER, PAIRS, LEFT = 0.7, 3, 0.8
"""Boxes that share so much of their area are of one thing: there are so many pairs of them, and without them
this part of all boxes is left at most."""
ALL_OVER = 0.85
"""The part that two boxes share of which one pair is enough."""
MOST_KINDS = 3
"""The most kinds that are tried until one is counted."""
PLACES = regex(r"\b(?:cell|hit|vote|position|window|tile|row|score|prior)s?\b", re.IGNORECASE)
"""Words of a guest that counts places or votes and not things."""
MOSTLY = 0.98
"""This part of the rows has two corners, or a middle and sizes."""
PLURAL = regex(r"(?:e?s|\(e?s\))\b")
NO_COUNT = regex(r"\s*(?:%|[mnu]?s\b|sec|px|pixel|fps|kb\b|mb\b|bytes)", re.IGNORECASE)
"""Units, which stand behind numbers that count no boxes."""


def uncounted(asked: Asked) -> str:
    """Returns what is wrong if a guest counts two boxes that are the same as two, or "" if it doesn't."""
    boxes = boxes_of(asked)
    if boxes is None or boxes.best is None or ON_PURPOSE.search(asked.control.text):
        return ""
    if not any(FEWEST <= said <= MOST for said in counts_in(asked.control.text).values()):
        return ""
    table = corners_of(boxes, asked)
    high, low = (MORE, 1.0) if boxes.scores.array.dtype.kind == "f" else (1.0, LESS)
    for best in surest_of_kinds(boxes) if table is not None else ():
        alone: tuple[Mapping[int, float], ...] = ({best: high}, {best: low}, {best ^ 1: low})
        texts = [asked.said(boxes.made(best, scores)) for scores in (*alone, {best: high, best ^ 1: low})]
        none = asked.said(boxes.made(best, {}))
        if texts[0] != texts[-1] or texts[0] != none:
            return of_copies(asked, boxes, table, best, [*texts, none])
    return ""  # none of these kinds is counted


def surest_of_kinds(boxes: Boxes) -> list[int]:
    """The surest row of each of a few kinds, the surest first."""
    scores = boxes.of_things()
    least = (scores.min() + scores.max()) / 2
    rows = [(float(scores[at, kind]), int(at)) for kind, at in enumerate(scores.argmax(axis=0))]
    sure = sorted((level, at) for level, at in rows if level >= least and at ^ 1 < boxes.count)
    return [at for _, at in sure[::-1][:MOST_KINDS]]


def of_copies(asked: Asked, boxes: Boxes, table: Any, best: int, texts: Sequence[str | None]) -> str:
    """The same of one row, by what is written of it alone, twice less sure, of two that are equal, and of
    none."""
    counts = [counts_in(text) for text in texts if text is not None]
    own = counts_in(asked.control.text)
    for key, said in own.items() if len(counts) == len(texts) else ():
        is_count = [one.get(key) for one in counts[:-1]] == [1, 1, 1, 2]
        if not is_count or not FEWEST <= said <= MOST or has_another(counts, key):
            continue
        if found := copies(asked, boxes, table, said, kind_of(asked, boxes, best, key)):
            pairs, left = found
            return (
                f"{boxes.scores.what}: the guest counts {said} boxes, and 2 if two rows have the same box; "
                f"{pairs} pair{'s' * (pairs > 1)} of the {said} surest rows {'have' if pairs > 1 else 'has'} "
                f"nearly the same one, and {left} would be left without: is non-maximum suppression missing?"
            )
    return ""


def has_another(counts: Sequence[Mapping[tuple[str, int], int]], key: tuple[str, int]) -> bool:
    """Whether two rows with the same box are counted once beside this number, so that it counts rows on
    purpose: in the same line, or by lines with boxes."""
    once = [
        other
        for other in counts[0]
        if [one.get(other, 0) for one in counts] == [1, 1, 1, 1, 0] and (other[0] == key[0] or not other[1])
    ]
    return bool(once)


def counts_in(text: str) -> dict[tuple[str, int], int]:
    """How many lines with boxes of each form a text has, and the whole numbers of its other lines by their
    forms."""
    found: dict[tuple[str, int], int] = defaultdict(int)
    for line in text.splitlines():
        shape = " ".join(PLURAL.sub("", NUMBER.sub("#", line)).split())
        numbers = NUMBER.findall(line)
        if len(numbers) >= BOX:
            found[shape, 0] += 1
        for place, match in enumerate(WHOLE.finditer(line), 1):
            if len(numbers) < BOX and not NO_COUNT.match(line[match.end() :]):
                found.setdefault((shape, place), int(match[0]))
    return found


def corners_of(boxes: Boxes, asked: Asked) -> Any:
    """Returns the corners of all rows' boxes, or None if they are relative to something else than cells that
    are known."""
    others = [one for index, one in boxes.outputs.items() if index != boxes.index]
    if others and (known := in_pixels(others[0], asked)) is not None:
        return around(known[:, :2], known[:, 2:])
    rows = boxes.rows(others[0].array if others else boxes.scores.array)[:, :BOX].astype("f8")
    if rows.shape[1] < BOX or (others and boxes.rows(others[0].array).shape[1] != BOX):
        return None
    first, second = rows[:, :2], rows[:, 2:]
    surest = boxes.of_things().max(axis=1)
    for some in (
        slice(None),
        surest >= (surest.min() + surest.max()) / 2,
    ):  # a model may know nothing of others
        if (second > first)[some].all(axis=1).mean() >= MOSTLY:
            return rows
        if (second > 0)[some].all(axis=1).mean() >= MOSTLY <= (first >= 0)[some].all(axis=1).mean():
            return around(first, second)
    return None


def around(middles: Any, sizes: Any) -> Any:
    """The corners of boxes by their middles and sizes."""
    return numpy.concatenate([middles - sizes / 2, middles + sizes / 2], axis=1)


def kind_of(asked: Asked, boxes: Boxes, best: int, key: tuple[str, int]) -> int | None:
    """Returns the class of a row if a number counts boxes of that class alone, or None if it counts all."""
    kinds = boxes.of_things().shape[1]
    if kinds < 2:
        return None
    made = boxes.made(best, {best: 1.0})
    row = boxes.rows(made[boxes.index])[best, boxes.columns]
    kind = int(row.argmax())
    row[:] = numpy.roll(row, 1)
    return None if counts_in(asked.said(made) or "").get(key) == 1 else kind


def copies(asked: Asked, boxes: Boxes, table: Any, count: int, kind: int | None) -> tuple[int, int] | None:
    """How many pairs of the boxes that are counted are of one thing, and how many boxes are left without
    these, or None if that may be so by chance."""
    for over, fewest in ((OVER, PAIRS), (ALL_OVER, 1)):
        pairs, left = alike(table, boxes, count, over, kind)
        is_place = fewest < PAIRS and PLACES.search(asked.control.text)
        if pairs >= fewest and left <= LEFT * count and not is_place:
            return pairs, left
    return None


def alike(table: Any, boxes: Boxes, count: int, over: float, kind: int | None) -> tuple[int, int]:
    """How many pairs of the surest rows, of one class or of all, are nearly the same box of the same class,
    and how many boxes are left if of these only the surest is kept."""
    scores = boxes.of_things()
    kinds, surest = scores.argmax(axis=1), scores.max(axis=1)
    rows = numpy.argsort(-surest, kind="stable")
    rows = rows[(kinds[rows] == kind) | (kind is None)][:count]
    near = shared(table[rows]) >= over
    near &= kinds[rows][:, None] == kinds[rows]
    kept: list[int] = []
    for at in range(len(rows)):
        if not near[at, kept].any():
            kept.append(at)
    return int(numpy.triu(near, 1).sum()), len(kept)


def shared(corners: Any) -> Any:
    """The part of their area that each two boxes share."""
    low = numpy.maximum(corners[:, None, :2], corners[None, :, :2])
    high = numpy.minimum(corners[:, None, 2:], corners[None, :, 2:])
    both = (high - low).clip(0).prod(axis=2)
    areas = (corners[:, 2:] - corners[:, :2]).clip(0).prod(axis=1)
    return both / numpy.maximum(areas[:, None] + areas - both, 1e-12)

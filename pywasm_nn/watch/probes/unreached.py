"""Elements from 0 to 1 that are compared with percents, or with bytes, so that none is ever enough; or their
sigmoid is with less than a half, so that all are.

What is here: `unreached`, for maps, rows of scores, one score, scores of boxes, and arguments in percent. All
elements are made the same, or one box gets a score. What is not: classes of which one is said (`classes.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from math import log
from typing import Any

from ..origin.comparing import are_shares as sum_to_one
from ..regex import regex
from .asked import Asked, Given, SpentError
from .shares import softened_again
from .suppression import Boxes, boxes_of
from .thresholds import alike

SMALLEST, LONG = 32, 4
"""The least height and width of a map, and so many times as long as wide is none whose size isn't known."""
FEWEST = 64
"""So many elements from 0 to 1 are shares, whatever they are called."""
SMALL, LARGE = 0.1, 0.9
"""Some shares of a map are below the first number, and some above the second."""
SHARES = regex(
    r"prob|score|conf|sigmoid|softmax|speech|voice|(?:^|[^a-z])vad(?:[^a-z]|$)|wake|keyword|mask|segment|heatmap"
    r"|tags?\b",
    re.IGNORECASE,
)
AMOUNTS = regex(r"dist|depth|height|anomal|err|diff|loss|flow|box|coord|offset|embed|feature", re.IGNORECASE)
"""Words for what may well be beyond 1."""
WITHIN = (1.0, 0.5)
LEAST, PERCENTS, BYTES = 8.0, 100.0, 255.0
"""A level that neither is compared with, and those up to which percents and bytes reach."""
BELOW, NEAR = (0.4, 0.3, 0.2), 0.002
"""Usual shares that all sigmoids of shares pass, and how near to their logit what is written changes."""
AROUND = (-0.5, 0.5, 1.5)
"""For scores that a model was trained to have from 0 to 1: the least element, and the range of the largest
one."""
PERCENT = regex(r"\d{1,3}(?:\.\d{1,2})?%?")
SAID = (b"percent", b"PERCENT", b"Percent", b"per cent")
"""Words by which a program says in what its argument is."""
PART = 0.5
"""Numbers of a box that are so much of the largest one are scores, too, such as that of any object."""


def unreached(asked: Asked) -> str:
    """Returns a hint about a comparison that no element from 0 to 1 passes, or "" if there is none."""
    boxes = boxes_of(asked)
    if boxes is not None and not is_map(boxes.scores):
        wrong = of_boxes(asked, boxes)
        return wrong and f"{boxes.scores.what}: its scores {wrong}"
    for index, output in asked.fetched():
        if wrong := by_sigmoid(asked, index, output):
            return f"{output.what}: its elements {wrong}"
        if are_shares(output, asked.model) and (
            wrong := level_of(asked.control.text, partial(alike, asked, index, output))
        ):
            return by_softmax(asked, index, output) or f"{output.what}: its elements {wrong}"
        if wrong := by_argument(asked, index, output):
            return f"{output.what}: {wrong}"
    return ""


def by_argument(asked: Asked, index: int, output: Given) -> str:
    """Returns what is wrong with an argument in percent with which elements around 0 to 1 are compared as it
    is, or "" if nothing is: they needn't be shares exactly, as the program says itself what it is."""
    array, own = output.array, asked.control.text
    if array.dtype.kind != "f" or array.size < FEWEST or AMOUNTS.search(output.what):
        return ""
    if array.min() < AROUND[0] or not AROUND[1] < array.max() < AROUND[2]:
        return ""
    say = partial(alike, asked, index, output)
    for word in asked.arguments:
        level = float(word.rstrip("%")) if PERCENT.fullmatch(word) else 0.0
        if not LEAST <= level <= PERCENTS:
            continue
        is_said = any(asked.holds(one) for one in SAID)
        if is_said and own == say(0.0) == say(0.98 * level) and say(1.02 * level) not in (own, None):
            times = asked.text(index, (100 * array).astype(array.dtype))
            if times not in (own, None):
                return (
                    f"its elements are from {array.min():.3g} to {array.max():.3g}, and what the guest "
                    f"writes changes where they pass {word}, an argument in percent: is it to be divided by "
                    "100?"
                )
    return ""


def is_one_map(output: Given) -> bool:
    """Whether an output may be a map, or a row, of shares, and no map for each of several classes."""
    return output.array.size >= FEWEST and len(output.lengths) <= 2


def changes_below(asked: Asked) -> bool:
    """Whether what is written of a map of shares is another thing if they are all far below 0."""
    for index, output in asked.fetched():
        if is_one_map(output) and are_shares(output, asked.model):
            return alike(asked, index, output, -LEAST) not in (None, asked.control.text)
    return False


def by_sigmoid(asked: Asked, index: int, output: Given) -> str:
    """Returns what is wrong with shares that all pass, since what is compared is their sigmoid, which is half
    or more of all of them, or "" if it isn't so: the same is written of all from 0 to 1, and it changes just
    at a logit below, of a usual share."""
    array, own = output.array, asked.control.text
    if (
        array.size < FEWEST
        or not are_shares(output, asked.model)
        or array.min() > SMALL
        or array.max() < LARGE
    ):
        return ""
    say = partial(alike, asked, index, output)
    logits = [log(share / (1 - share)) for share in BELOW]
    if say(-LEAST) in (own, None) or say(logits[0] + NEAR) != own:
        return ""  # its own are from 0 to 1, so that all above are alike
    at = next((at for at, logit in enumerate(logits) if say(logit - NEAR) != own), None)
    if at is None or say(logits[at] - NEAR) is None or say(logits[at] + NEAR) != own:
        return ""
    return (
        f"are shares from {array.min():.3g} to {array.max():.3g}, and the guest writes the same whatever "
        f"they are, and another thing below {logits[at]:.3f}, of which the sigmoid is {BELOW[at]:g}: is it "
        "the sigmoid of shares, which is half or more of all (sigmoid applied twice)?"
    )


def by_softmax(asked: Asked, index: int, output: Given) -> str:
    """Returns a hint about softmax of shares, which may be why none is ever enough, or "" if it isn't known:
    what is known without it is said even if there is no time for more questions."""
    if len(output.lengths) == 1 and sum_to_one(output.array.reshape(-1)):
        with suppress(SpentError):
            return softened_again(asked, index, output)
    return ""


def is_map(output: Given) -> bool:
    """Whether an output with rows and columns is a picture, and has no row for each box: of these there are
    many more than a box has numbers."""
    lengths = output.lengths or [1]
    is_picture = len(output.array.shape) >= len("NCHW") and min(lengths) >= SMALLEST
    return is_picture or (len(lengths) == 2 and max(lengths) < LONG * min(lengths))


def are_shares(output: Given, model: str) -> bool:
    """Whether elements are shares: by the output's name, or they are many from 0 to 1."""
    array = output.array
    name = output.what.partition('"')[2] + " " + model * (array.size == 1)
    if array.dtype.kind != "f" or array.min() < 0 or array.max() > 1 or AMOUNTS.search(name):
        return False
    is_wide = array.size >= FEWEST and array.min() <= SMALL and array.max() >= LARGE
    return bool(is_wide or (array.max() > 0 and SHARES.search(name)))


def level_of(own: str, say: Callable[[float], str | None]) -> str:
    """Returns what is wrong if the same as by the model's own answer is written of all levels from 0 to 1,
    and another thing of one that only percents or bytes reach, or "" if it isn't so."""
    if own != say(0.0) or any(say(level) != own for level in (*WITHIN, LEAST)):
        return ""
    for level, what in ((PERCENTS, "percents"), (BYTES, "bytes, which reach 255")):
        if say(level) not in (own, None):
            return (
                "are from 0 to 1, and the guest writes the same whatever they are, and another thing of "
                f"{level:.0f}: are they compared with {what}?"
            )
    return ""


def of_boxes(asked: Asked, boxes: Boxes) -> str:
    """Scores of boxes of which the guest finds none."""
    rows = boxes.rows(boxes.scores.array)[:, boxes.columns]
    within = (rows.min(axis=0) >= 0) & (rows.max(axis=0) <= 1)
    best = boxes.best
    if rows.dtype.kind != "f" or best is None or boxes.count < FEWEST:
        return ""
    shares = (within & (rows[best] >= PART * rows[best][within].max(initial=0.0))).nonzero()[0]

    def say(level: float) -> str | None:
        made: dict[int, Any] = boxes.made(best, {best: 1.0} if level else {})
        boxes.rows(made[boxes.index])[:, boxes.columns][best, shares] = level
        return asked.said(made)

    wrong = level_of(asked.control.text, say) if shares.size else ""
    nothing = {index: one.array * 0 for index, one in boxes.outputs.items()}
    return wrong if wrong and asked.said(nothing) == asked.control.text else ""

"""Scores of boxes that are written as the model gives them, though they are logits.

What is here: `unsquashed`. One box alone has a score, which is made less. What is not: thresholds
(`thresholds.py`), and logits that are written as probabilities by that word (`written/misread.py`).
"""

from __future__ import annotations

import re
from typing import Any

from ..origin.comparing import sigmoid
from ..regex import regex
from .asked import Asked
from .formulas import numbers
from .suppression import Boxes, boxes_of

FEWEST_ROWS, DIGITS = 32, 2
LEAST = 1.05
"""A number beyond this is no share."""
LESS = 0.83
ON_PURPOSE = regex(
    r"\b(?:logits?|raw|log-odds|unnormali[sz]ed|margins?|strength|response|svm)\b", re.IGNORECASE
)


def unsquashed(asked: Asked) -> str:
    """Returns a hint about a logit beside a box, or "" if there is none."""
    boxes = boxes_of(asked)
    if boxes is None or boxes.count < FEWEST_ROWS or (best := boxes.best) is None:
        return ""
    scores = boxes.rows(boxes.scores.array)[:, boxes.columns]
    if scores.min() >= 0 or scores.max() <= LEAST or ON_PURPOSE.search(asked.control.text):
        return ""
    if scores.dtype.kind != "f" or len(boxes.outputs) != 2:
        return ""
    value = float(scores[best].max())
    own, less = (said(asked, boxes, best, change) for change in (0.0, LESS))
    if len(own) != len(less):
        return ""
    for word, other in zip(own, less, strict=True):
        if word.digits > DIGITS and not word.is_whole and word.fits(value) and other.fits(value - LESS):
            return (
                f"{boxes.scores.what}: the guest writes {word.text} beside a box, which is its score as the "
                f"model gives it; {boxes.count} scores from {scores.min():.4g} to {scores.max():.4g} are "
                f"logits, of which a sigmoid makes shares: {float(sigmoid(value)):.3g}"
            )
    return ""


def said(asked: Asked, boxes: Boxes, best: int, change: float) -> list[Any]:
    """The numbers that are written of this box alone, with a score that is less by so much."""
    made = boxes.made(best, {best: 1.0})
    row = boxes.rows(made[boxes.index])[best, boxes.columns]
    row[row.argmax()] -= row.dtype.type(change)
    return numbers(asked.said(made) or "")

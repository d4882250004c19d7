"""The sigmoid of a sigmoid: of logits that are many scores, or one, in the number that a guest writes, or in
the level at which it says yes.

What is here: `written` and `passed`. One element gets several logits. What is not: the sigmoid of elements
that are shares already (`formulas.py`), and softmax (`shares.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import log

from ..origin.comparing import sigmoid
from ..spoken import PERCENT, Word
from .asked import Asked, Given
from .formulas import numbers, place_of
from .suppression import boxes_of
from .thresholds import DECIMAL, with_one

LOGITS = (1.9, 3.1, 5.5)
"""Their sigmoid's sigmoids differ in two digits, and pass any level that can be passed."""
LEVELS = (0.55, 0.6, 0.65, 0.7)
"""Usual shares that the sigmoid of a share can pass and need not."""
NEAR, FAR = 0.002, 9.0
"""How near to such a level's logit what is written changes, and what is far from all."""
OPEN, MOST = 0.5, 0.7311
"""The sigmoid of a share is from a half to that of 1."""


def written(asked: Asked) -> str:
    """Returns a hint if a number that is written is the sigmoid of a sigmoid for several logits, or "" if
    there is none."""
    if not any(may_be_squashed(word) for word in numbers(asked.control.text)):
        return ""
    once = [float(sigmoid(one)) for one in LOGITS]
    for output, say in of_logits(asked):
        said = [numbers(say(one) or "") for one in LOGITS]
        place = place_of(said, [float(sigmoid(one)) for one in once])
        if place is not None and all(place_of(said, right) is None for right in (once, LOGITS)):
            what = f"the guest writes {said[0][place].text} of {LOGITS[0]}"
            return told(output, f"{what}, which is the sigmoid of its sigmoid")
    return ""


def passed(asked: Asked) -> str:
    """Returns a hint if what is written changes at a logit of which the sigmoid's sigmoid is a usual level,
    or "" if it changes elsewhere."""
    for output, say in of_logits(asked):
        if passes := level_of(say):
            level, logit = passes
            what = f"what the guest writes changes where one passes {logit:.3f}"
            return told(output, f"{what}, of which the sigmoid's sigmoid is {level:g}")
    return ""


def of_logits(asked: Asked) -> Iterator[tuple[Given, Callable[[float], str | None]]]:
    """Yields the outputs that are logits, each with what is written if one element is a number."""
    boxes = boxes_of(asked)
    for index, output in asked.fetched():
        array = output.array
        is_place = boxes is not None and boxes.index != index
        if not is_place and array.dtype.kind == "f" and not 0 <= array.min() <= array.max() <= 1:
            yield output, with_one(asked, index, boxes)
            if boxes is not None and len(boxes.outputs) == 1:  # what looks like boxes may be a map
                yield output, with_one(asked, index, None)


def told(output: Given, what: str) -> str:
    """The hint about an output."""
    low, high = output.array.min(), output.array.max()
    return (
        f"{output.what}: its elements are logits, here from {low:.4g} to {high:.4g}, and {what}: sigmoid "
        f"applied twice, which makes {OPEN} to {MOST:.2f} of all of them"
    )


def may_be_squashed(word: Word) -> bool:
    """Whether a number, or a percent, with some digits is from a half to the sigmoid of 1."""
    return any(OPEN * by <= word.value <= MOST * by and not word.is_whole for by in (1.0, 100.0))


def level_of(say: Callable[[float], str | None]) -> tuple[float, float] | None:
    """Returns the usual level that the sigmoid's sigmoid passes where what is written changes, and the logit
    there, or None if it changes elsewhere."""

    def without_shares(logit: float) -> str | None:
        text = say(logit)
        return None if text is None else DECIMAL.sub("#", PERCENT.sub("#", text))

    below, above = without_shares(-FAR), without_shares(FAR)
    if None in (below, above) or below == above:
        return None
    logits = [log(share / (1 - share)) for share in (log(one / (1 - one)) for one in LEVELS)]
    if without_shares(logits[0] - NEAR) != below or without_shares(logits[-1] + NEAR) != above:
        return None
    for level, logit in zip(LEVELS, logits, strict=True):
        if without_shares(logit + NEAR) == above:
            return (level, logit) if without_shares(logit - NEAR) == below else None
    return None

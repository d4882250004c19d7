"""Models that answer with their input restored: is a sum of differences compared with a bound for their mean?

What is here: `of_sums`, which finds out with copies where the bound is, and `Errors`, which follows all
answers and knows at the end. What is not: which numbers are compared (`restored.py`).

A sum is right, too, if its bound is that of a sum. So all inputs have to be beyond it, most of which the
model restores well, and their means have to be below the same number, with a wide gap to those of the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...arrays import numpy
from ...nn.operation import NNEvent
from ...records import Frozen
from .asked import NUMBER, Asked, Given, Sent
from .restored import restorations
from .thresholds import DECIMAL

FEWEST, MOST, STEPS = 8, 1 << 12, 8
"""Elements of an input, at least; inputs that are kept; and how often the way to the bound is halved."""
ENOUGH, GAP = 6, 4
"""So many inputs are compared, and how many times those below the bound the means above it are."""
WELL, BADLY = 0.1, 0.25
"""Parts of an input's variance by which it differs if the model restores it, or doesn't."""
DIGITS = 10
"""Units of its last decimal that a number is large at least, if it is known by its digits."""


class Bound(Frozen):
    """A bound for sums of differences to this `power`, in what is written of an output of so many numbers."""

    what: str
    power: int
    limit: float
    count: int


def of_sums(asked: Asked) -> str:
    """Returns "", and keeps the bound with which a sum that is written is compared: only what follows tells
    whether it is one for means."""
    for index, output, _, own in restorations(asked):
        gaps = output.array.astype("f8") - own
        texts = NUMBER.findall(asked.control.text)
        for power in (2, 1):
            total = float((abs(gaps) ** power).sum())
            sums = [total, total**0.5][:power]
            if own.size < FEWEST or not any(is_written(one, text) for one in sums for text in texts):
                continue
            part = part_of(asked, index, output, gaps)
            if part:
                asked.bound = Bound(output.what, power, part**power * total, own.size)
                return ""
    return ""


def is_written(number: float, text: str) -> bool:
    """Whether a text is a number in decimals, of two digits at least."""
    unit = 10.0 ** -len(text.partition(".")[2])
    return abs(float(text) - number) <= 0.51 * unit and number >= DIGITS * unit


def part_of(asked: Asked, index: int, output: Given, gaps: Any) -> float:
    """The part of the differences from which on the same is written as of all of them, but for decimals, or 0
    if it is of none, too."""

    def said(part: float) -> str:
        array = output.array - (1 - part) * gaps
        return DECIMAL.sub("#", asked.text(index, array.astype(output.array.dtype)) or "")

    whole = said(1)
    if said(0) == whole:
        return 0
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if said(middle) == whole else (middle, high)
    return high


class Errors:
    """Follows answers that have the shape of an input; gives hints at the end."""

    def __init__(self) -> None:
        self._errors: dict[Any, list[tuple[float, float, float]]] = {}
        """By model, the means of differences and of their squares, and an input's variance."""
        self._bounds: dict[Any, Bound] = {}

    def computed(self, key: Any, event: NNEvent, sent: Iterable[Sent]) -> None:
        """A model has answered."""
        kept = self._errors.setdefault(key, [])
        for tensor in event.tensors if len(kept) < MOST else ():
            alike = [one.array for one in sent if one.shape == tensor.shape and one.array is not None]
            answer = tensor.numbers() if alike else None
            if answer is not None and answer.dtype.kind == "f" and answer.size >= FEWEST:
                own = alike[0].astype("f8").reshape(-1)
                gaps = abs(answer.astype("f8").reshape(-1) - own)
                kept.append((float(gaps.mean()), float((gaps**2).mean()), float(own.var())))

    def suppose(self, key: Any, bound: Bound | None) -> None:
        """Keep the bound with which sums are compared, if there is one."""
        if bound is not None:
            self._bounds[key] = bound

    def finish(self) -> Iterator[str]:
        for key, bound in self._bounds.items():
            kept = self._errors.get(key, [])
            if len(kept) < ENOUGH or not numpy.isfinite(kept).all():
                continue
            means = [one[bound.power - 1] for one in kept]
            low = [one for one, mean in zip(kept, means, strict=True) if mean < bound.limit]
            high = [one for one, mean in zip(kept, means, strict=True) if mean >= bound.limit]
            are_beyond = all(bound.count * mean >= bound.limit for mean in means)
            if not are_beyond or not high or len(low) < len(high) or not is_apart(low, high, bound.power):
                continue
            sums = "sum of the squares of its differences" if bound.power > 1 else "sum of its differences"
            yield (
                f"{bound.what}: it restores its input, and the guest says the {sums} (or its root), which is "
                f"beyond its bound for all {len(kept)} inputs, also for {len(low)} that the model restores; "
                f"the mean of the {bound.count} is below the same bound for these, and over {GAP} times as "
                f"large for the other {len(high)}: is the sum to be divided by {bound.count}?"
            )


def is_apart(
    low: list[tuple[float, float, float]], high: list[tuple[float, float, float]], power: int
) -> bool:
    """Whether a model restores some inputs well and others not, with a gap between their means."""
    well = all(square <= WELL * variance for _, square, variance in low)
    badly = all(square >= BADLY * variance for _, square, variance in high)
    return well and badly and min(one[power - 1] for one in high) >= GAP * max(one[power - 1] for one in low)

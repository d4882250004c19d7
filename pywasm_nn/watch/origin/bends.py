"""Columns of a table and their logarithms: which of both was scaled by the numbers of the other, and
logarithms that were scaled by the numbers of those to another base.

What is here: `BENDS`, and `unbent` and `to_another_base`, which say what is wrong. What is not: finding what
was taken away from a column, and by what it was divided (`elements.py`).

Scaled elements are around 0 and hardly ever far from it. If those of a column are all far away, and those of
its logarithm are not, by the same numbers, then the logarithm was meant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log
from typing import Any

from ...arrays import numpy


def logarithm(numbers: Any) -> Any:
    return numpy.log(numpy.where(numbers > 0, numbers, numpy.nan))


def logarithm_of_more(numbers: Any) -> Any:
    return numpy.log1p(numpy.where(numbers >= 0, numbers, numpy.nan))


BENDS: tuple[Callable[[Any], Any], ...] = (logarithm, logarithm_of_more)
FEWEST = 8
"""Fewer lines say nothing of a column's mean and deviation."""
FAR, NEAR, NARROW = 8.0, 1.0, 0.15
"""The least distance from 0 of elements that were scaled by other numbers, in the middle; the most by their
own on average; and the deviation of those that are scaled by far too large numbers."""
DEVIATIONS = 0.3, 3.0
BASES = {
    1 / log(10): ("natural logarithms (ln)", "log10"), log(10): ("log10", "natural logarithms (ln)"),
    1 / log(2): ("natural logarithms (ln)", "log2"), log(2): ("log2", "natural logarithms (ln)"),
}  # fmt: skip
"""By factor: logarithms to one base, multiplied by the factor, are logarithms to the other base. The guest
took the first ones, and the scaler has the means and deviations of the second ones."""
ODD, LIKELIER = 3.0, 2.0
"""Elements of logarithms to the wrong base are so far from 0 in the middle at least. With the right base the
logarithm of their width has to be so many times nearer to 0, which is that of 1."""
ALIKE = 2.0
"""In another unit mean and deviation are larger by about the same factor."""


def unbent(column: Any, taken: float, divided: float, *, is_bent: bool) -> str:
    """Returns what is wrong with a column of which (column - `taken`) / `divided` was sent, or with its
    logarithm (`is_bent`), or "" if nothing is. It continues "the column"."""
    known = column[numpy.isfinite(column)]
    if len(known) < FEWEST or not known.std() or abs(taken) < 1e-3 * abs(divided):
        return ""
    with numpy.errstate(all="ignore"):
        logs = [bend(known) for bend in BENDS]
        plain = (known - taken) / divided
        several = [(one - taken) / divided for one in logs if numpy.isfinite(one).all()]
    if is_bent:
        off = all(abs(numpy.median(one)) > FAR or one.std() < NARROW for one in several)
        if several and off and is_scaled(plain):
            return (
                f"was sent as (ln x - {taken:.4g}) / {divided:.4g}, around {several[0].mean():.2g}: these "
                f"are the mean and deviation of the column itself, by which it is around {plain.mean():.1g}"
            )
        return ""
    same = abs(known.mean() / taken) / max(known.std() / abs(divided), 1e-30)
    meant = [one for one in several if is_scaled(one)]
    if not meant or abs(numpy.median(plain)) < FAR or 1 / ALIKE < same < ALIKE:
        return ""
    return (
        f"was sent as (x - {taken:.4g}) / {divided:.4g}, up to {plain.max():.3g}: of its logarithm, ln x, "
        f"that is {meant[0].min():.2g} to {meant[0].max():.2g}; was the logarithm forgotten?"
    )


def to_another_base(columns: Sequence[Any], scales: Sequence[tuple[float, float]]) -> str:
    """Returns what is wrong with logarithms of columns of which (ln x - taken) / divided was sent, by these
    `scales`, or "" if nothing is. Two signs: by another base all columns lie around 0, and are about as wide
    as their deviations say, which they are not as sent. Another unit moves logarithms, and widens none."""
    if not columns or sum(map(len, columns)) < FEWEST or not all(taken for taken, _ in scales):
        return ""
    with numpy.errstate(all="ignore"):
        logs = [logarithm(one[numpy.isfinite(one)]) for one in columns]
    both = [*zip(logs, scales, strict=True)]
    sent = [(one - taken) / divided for one, (taken, divided) in both]
    if not all(numpy.isfinite(one).all() and len(one) > 1 for one in logs):
        return ""
    if any(abs(numpy.median(one)) < ODD for one in sent):
        return ""
    for factor, (own, meant) in BASES.items():
        other = [(one * factor - taken) / divided for one, (taken, divided) in both]
        apart = [abs(log(max(width_of(one), 1e-30))) for one in (sent, other)]
        if all(abs(one.mean()) < NEAR + 1 / len(one) for one in other) and LIKELIER * apart[1] < apart[0]:
            low, high = (edge(edge(one) for one in other) for edge in (min, max))
            (taken, divided), far = scales[0], numpy.median(abs(numpy.concatenate(sent)))
            return (
                f"{own} were taken, less {taken:.4g} and divided by {divided:.4g} (and so on), which are the "
                f"means and deviations of {meant}: elements are {far:.3g} from 0 in the middle, "
                f"and would be {low:.2g} to {high:.2g}"
            )
    return ""


def width_of(columns: Sequence[Any]) -> float:
    """The deviation of columns, each around its own mean."""
    return float(numpy.concatenate([one - one.mean() for one in columns]).std())


def is_scaled(elements: Any) -> bool:
    """Whether elements are around 0, with a deviation of about 1."""
    low, high = DEVIATIONS
    return abs(float(elements.mean())) < NEAR and low < float(elements.std()) < high

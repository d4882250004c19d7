"""The formula by which a program made elements of the powers of a sound, (log(power + floor) + more) / by,
with the numbers that somebody wrote; and the same with a logarithm to another base.

What is here: `formulas`, which finds such numbers, and `Formula`. What is not: how powers were made
(`features.py`), and elements that are logarithms as they are (`spectral.py`).

Any line has a slope and a height. So a formula is one only if all of its numbers have few digits: that by
which logarithms are divided, the one that is added, and the floor.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ...records import Frozen
from .features import Features, scales

BASES = {
    "ln": 1.0, "log10": 1 / math.log(10), "10 log10": 10 / math.log(10), "20 log10": 20 / math.log(10),
}  # fmt: skip
"""Logarithms, and how large they are beside natural ones."""
EXACT = 0.9999
"""The correlation of elements of which a formula is looked for."""
OFF = 5e-4
"""How far numbers may be from those that were written, as a part of these."""
NEVER = 1e-3
"""A number that is added is nearly nothing if it is smaller, in the unit of logarithms."""
SMALLEST, LARGEST = 1.5, 100.0
"""Programs divide logarithms by one of these."""
MOST_ADDED = 120.0
SEEN = 1e-3
"""A floor that is a smaller part of all powers shows nowhere."""


class Formula(Frozen):
    """(`base`(power + floor) + `more`) / `by`."""

    base: str
    more: float
    by: float

    def __str__(self) -> str:
        more = f" {'+' if self.more > 0 else '-'} {abs(self.more):g}" if self.more else ""
        inner = f"({self.base}{more})" if more else self.base
        return f"{inner} / {self.by:g}" if self.by != 1 else inner

    def moved(self, elements: Any, base: str) -> Any:
        """The elements with a logarithm to another base, all else as it is."""
        times, still = BASES[base] / BASES[self.base], self.more / self.by
        return times * (elements - still) + still


def in_other_bases(found: Features, elements: Any) -> Iterator[tuple[str, Any]]:
    """Yields elements with logarithms to other bases, each of them once: a change from decibels may also be
    described as one from the base of ten."""
    seen: set[float] = set()
    for formula in formulas(found):
        for base, size in BASES.items():
            times = round(size / BASES[formula.base], 4)
            if base != formula.base and times not in seen:
                seen.add(times)
                said = f"with {base} in place of {formula.base} in {formula}"
                yield said, formula.moved(elements, base)


def rounded(number: float, off: float) -> float | None:
    """The number with two digits that is so near, or None if there is none."""
    if not math.isfinite(number):
        return None
    near = float(f"{number:.2g}")
    return near if abs(number - near) <= off else None


def formulas(found: Features) -> Iterator[Formula]:
    """Yields the formulas by which features may have been made, each once."""
    if not found.is_log or found.like < EXACT or found.slope <= 0:
        return
    seen = set()
    softest = math.exp((float(found.layout.frames.min()) - found.height) / found.slope)
    is_seen = found.floor > SEEN * softest
    for base, size in BASES.items():
        power = size / 2 if found.is_magnitude and base == "20 log10" else size
        by = rounded(power / found.slope, OFF * power / found.slope)
        if by is None or not (SMALLEST <= by <= LARGEST or by == 1):
            continue
        for times in scales(found.recipe, magnitude=found.is_magnitude):
            more = found.height * by - power * math.log(times)
            near = 0.0 if abs(more) < NEVER * power else rounded(more, OFF * max(power, abs(more)))
            is_floor = not is_seen or is_power_of_ten(found.floor * times)
            formula = None if near is None else Formula(base, near, by)
            if formula is not None and is_floor and abs(near or 0) <= MOST_ADDED and formula not in seen:
                seen.add(formula)
                yield formula


def is_power_of_ten(number: float) -> bool:
    exponent = math.log10(number)
    return abs(exponent - round(exponent)) < OFF

"""What a local is in each of many rounds that combine it with values: running sums, and generators of numbers
(`x = x * a + c`) whose values are used as they come.

What is not here: what it is after all of them (`reductions.py`), and which locals these are
(`compile/analysis/reductions.py`).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .numeric import Array
from .reductions import ORDERLESS

ACCUMULATED: dict[str, Any] = {"sum": np.add, "add": np.add, **ORDERLESS}


def scan_of(kind: str) -> Any:
    """What computes the values of a local at the start of each round, of its value at the start of the first
    one, the numbers of the rounds, and what it is combined with."""
    return generated if kind == "horner" else partial(accumulated, ACCUMULATED[kind])


def accumulated(function: Any, start: Array, numbers: Array, *parts: Array) -> Array:
    """The values are combined in the order of the rounds, and in a round as they are listed."""
    rounds, count = numbers.size, len(parts)
    made = np.empty(rounds * count + 1, start.dtype)
    made[0] = start[0]
    for column, part in enumerate(parts):
        made[column + 1 :: count] = part
    return np.asarray(function.accumulate(made, dtype=made.dtype)[: rounds * count : count])


def generated(start: Array, numbers: Array, term: Array, factor: Array) -> Array:
    """Each round multiplies by the factor and adds the term, which don't change: start * factor^n + term *
    (1 + factor + ... + factor^(n - 1))."""
    powers = np.full(numbers.size, factor[0], start.dtype)
    powers[:1] = 1
    np.multiply.accumulate(powers, out=powers, dtype=powers.dtype)
    sums = np.add.accumulate(powers, dtype=powers.dtype)
    return np.asarray(start * powers + term * (sums - powers))

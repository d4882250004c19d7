"""Locals that rounds combine with values: sums, extremes, and the places where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...arrays.plan import Result
from .values import Refused

if TYPE_CHECKING:
    from .whole import Maker


def recurrence(maker: Maker, carried: dict[int, int]) -> list[tuple[int, Result]]:
    """What is to be done for locals that each round changes in terms of their value before."""
    if carried:
        raise Refused("has a local that depends on the round before")
    return []

"""Which of several pictures and sounds explains an input best.

What is here: `plainly`, without a mistake, `best_of`, and `rank`. What is not: how an input came from one of
them (`matching.py`, `windowed.py`, `spectral.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

from ..budget import Left, always, never
from .blended import traced_over
from .decoding import Source
from .interpolating import EXACT
from .matching import Origin
from .spectral import spectral
from .windowed import heard_in


def plainly(array: Any, files: Sequence[Sequence[Source]], left: Left) -> Origin | None:
    """Returns which of several pictures and sounds an input is without a mistake, or None: another one than
    the right one may fit with a mistake."""
    for source in chain.from_iterable(files):
        found = traced_over(array, source, never) if source.is_picture else None
        found = found or heard_in(array, source, never)
        if found is not None and not any(rank(found)[:2]):
            return found
        if not left():
            break
    return None


def best_of(array: Any, sources: Sequence[Source], left: Left = always) -> Origin | None:
    """Returns how an input came from one of the things in a file, or None. Pictures of one file, such as the
    frames of a film, may be so alike that another one than the right one fits with a mistake."""
    best: Origin | None = None
    for source in sources:
        found = traced_over(array, source, left) if source.is_picture else None
        found = found or heard_in(array, source, left) or spectral(array, source, left)
        if found is not None and (best is None or rank(found) < rank(best)):
            best = found
        if best is not None and not any(rank(best)[:2]):
            return best
        if not left():
            break
    return best


def is_exact(origin: Origin) -> bool:
    """Whether it is a mistake, and explains each element."""
    return bool(origin.wrong) and not origin.apart


def rank(origin: Origin) -> tuple[bool, bool, float]:
    """The less, the better an origin explains an input."""
    return origin.apart > EXACT, bool(origin.wrong), origin.apart

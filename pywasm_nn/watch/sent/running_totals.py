"""Vectors of counts of a text each, whose sums are those of all texts so far.

What is here: `sums_go_on` and, for texts in an unknown order, `in_order_of_sums`, which compare the sums of
vectors with how many words, letters, pairs and the like texts have: whatever is counted, wherever it is
counted to, and whatever the counts are divided by; and `shares_go_on`, for shares of anything. What is not:
vectors in which the places of the text before are still filled (`uncleared.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate, pairwise, product
from typing import Any

from ...arrays import numpy
from ..regex import regex

FEWEST, MANY, LEAST_SUM = 2, 3, 5
"""Vectors that are compared at least, those of which sums may be a few less or more than a text has, and
what a text has at least."""
STEPS = 3
"""Counts go up and down so many times at least."""
MOST_SUM, EXACT = 16, 1e-4
"""Shares add up to 1 in each of so many groups at most, such as colours, and by how much they are off."""
WHOLE = 0.02
"""Counts are whole numbers but for so much."""
ENDS = (-2, -1, 1, 2)
"""A text has this many pairs and triples fewer than letters, or more if marks stand for its ends."""


def matches(pattern: re.Pattern[str], text: str) -> int:
    """Returns how many parts of a text the pattern matches."""
    return len(pattern.findall(text))


MEASURES: tuple[Callable[[str], int], ...] = (
    *(
        partial(matches, regex(pattern))
        for pattern in (
            r"[^\W_]+(?:'[^\W_]+)?", r"\S+", r"[^\W\d_]+", r"[A-Za-z]+", r"\w{2,}", r"[^\W\d_]", r"[A-Za-z]",
            r"[a-z]", r"\S", r"[^\W_]",
        )
    ),
    len,
    lambda text: len(text.encode()),
)  # fmt: skip
"""Words, letters, characters and bytes."""


def sums_go_on(vectors: Sequence[Any], texts: Sequence[str]) -> tuple[int, int] | None:
    """Returns how many a vector counts, and how many its text has, if each one of several is the one before
    and the counts of its text, or None if it isn't. `texts` are those of the vectors."""
    if not FEWEST <= len(vectors) <= len(texts) or not all(one.min() >= 0 and one.any() for one in vectors):
        return None
    if (numpy.diff(vectors[-1]) != 0).sum() < STEPS:  # a mask of the words there are
        return None
    last: tuple[int, int] | None = None
    for sizes in measured(texts[: len(vectors)]):
        known = [*accumulate(sizes)]
        if min(sizes) < LEAST_SUM:
            continue
        if counted(vectors, sizes) is not None:
            return None  # as it is to be
        if (made := counted(vectors, known)) is not None and grow(made):
            last = known[-1], sizes[-1]
    return last


def measured(texts: Sequence[str]) -> Iterator[list[int]]:
    """Yields how many of something each text has; of several texts also a few less or more."""
    ends = (0, *ENDS) if len(texts) >= MANY else (0,)
    for by, measure in product(ends, MEASURES):
        yield [measure(text) + by for text in texts]


def counted(vectors: Sequence[Any], sums: Sequence[int]) -> list[Any] | None:
    """The vectors as whole numbers with these sums, or None if they aren't such, divided by anything."""
    are_whole = all((one == numpy.round(one)).all() for one in vectors)
    made = [one if are_whole else one * total / one.sum() for one, total in zip(vectors, sums, strict=True)]
    for one, total in zip(made, sums, strict=True):
        if abs(one.sum() - total) > WHOLE or abs(one - numpy.round(one)).max() > WHOLE:
            return None
    return made


def grow(counts: Sequence[Any]) -> bool:
    """Whether all counts are as many as those before, or more."""
    return all((other - one).min() > -WHOLE for one, other in pairwise(counts))


def shares_go_on(vectors: Sequence[Any]) -> int:
    """Returns to how much the first of several vectors of shares adds up, if the next ones add up to two,
    three and more times as much, and none of them is less than before, or 0 if that is not so."""
    total = float(vectors[0].sum()) if len(vectors) >= MANY else 0.0
    sums = [number * total for number in range(1, len(vectors) + 1)]
    are_shares = all((one != numpy.round(one)).sum() >= STEPS for one in vectors)
    is_whole = 0 < round(total) <= MOST_SUM and abs(total - round(total)) < EXACT
    if not is_whole or not are_shares or not numpy.allclose([one.sum() for one in vectors], sums, atol=EXACT):
        return 0
    rest = [other - one for one, other in pairwise([numpy.zeros(vectors[0].shape), *vectors])]
    are_others = all((abs(one - other) > EXACT).sum() >= STEPS for one, other in pairwise(rest))
    return round(total) if are_others and min(one.min() for one in rest) > -EXACT else 0


def in_order_of_sums(vectors: Sequence[Any], texts: Sequence[str]) -> list[str]:
    """Returns the texts of which each vector has as many more than the one before, or [] if there are none,
    or if texts have as many as the vectors themselves."""
    sums = [float(one.sum()) for one in vectors]
    grown = [other - one for one, other in zip([0.0, *sums], sums, strict=False)]
    found: list[str] = []
    for measure in MEASURES if len(vectors) >= MANY else ():
        sizes = {float(measure(text)): text for text in texts}
        if all(one in sizes for one in sums):
            return []
        own = [sizes[one] for one in grown if one in sizes]
        if len({*own}) == len(grown):
            found = own
    return found

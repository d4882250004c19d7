"""Vectors of counts that go on from text to text, where each was to begin with zeros.

What is here: `Uncleared`, which compares an input, or the rows of a batch, with the one before it, and the
texts that were read for both. What is not: what texts have in sum (`running_totals.py`), counts by a list of
words that the guest read (`origin.bags`), and pixels (`added.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.tensor import Tensor
from ..regex import regex
from ..spoken import filled_lines
from ..surroundings import Files
from .running_totals import FEWEST as FEWEST_SUMS
from .running_totals import in_order_of_sums, shares_go_on, sums_go_on

MOST_BYTES, MOST_TEXT = 1 << 19, 1 << 18
SHORTEST, LEAST, FULL = 8, 64, 0.5
"""Elements of a vector whose sum says what it counts, those of one whose places do, and the part of them that
may be counts: of letters all are there in any text."""
FEWEST = 6
"""Fewer counts are those of another text by chance."""
SAME, NEAR = 0.5, 1e-4
"""This part of the counts of the text before has not changed but for one scale, unless counts are few."""
IN_A_ROW = 4
"""Filled places that lie next to so many others, on average, are the letters of a text, and no counts."""
SPARSE = 0.1
"""Of so few filled places all those of the text before are none of another text by chance, however they were
weighed again."""
MOST_LOOKS = 8
ROWS, MOST_ROWS = 2, 64
"""So many rows of a batch must go on, of those that it has at most."""
WORD = regex(r"[^\W\d_]{2,}")
OTHERS = 0.5
"""This part of the words of a text must not be in the next one, which would go on with it on purpose."""


class Uncleared:
    """Keeps the last vector of counts, by input, and the files that had been read. `files` gives their names
    and bytes, `own` the texts that the guest has in itself or as arguments."""

    def __init__(self, files: Files, own: Callable[[], Sequence[str]] = tuple) -> None:
        self._files, self._own = files, own
        self._before: dict[Any, tuple[Any, int]] = {}
        self._looks: dict[Any, int] = {}
        self._every: dict[Any, list[Any]] = {}
        """Maps an input to its first vectors."""

    def wrong(self, key: Any, tensor: Tensor) -> str:
        """Returns what is wrong with the next input, or "" if nothing is."""
        numbers = tensor.numbers() if tensor.nbytes <= MOST_BYTES else None
        before, count = self._before.pop(key, (None, 0))
        self._looks[key] = self._looks.get(key, 0) + 1
        size = max(tensor.shape, default=0)
        if numbers is None or size < SHORTEST or self._looks[key] > MOST_LOOKS:
            return ""
        if numbers.size == size and (said := self._by_sums(key, numbers.reshape(-1).astype("f8"))):
            self._looks[key] = MOST_LOOKS
            return said
        if size < LEAST:
            return ""
        if numbers.size != size and (len(tensor.shape) != 2 or tensor.shape[0] > MOST_ROWS):
            return ""
        own = numbers.reshape(-1, size).astype("f8")
        read = [(name, data) for name, data in self._files() if b"\0" not in data]
        self._before[key] = own, len(read)
        if before is None or before.shape != own.shape:
            return ""
        look = self._looks[key]
        others = [row for row in range(len(own)) if (own[row] != before[row]).any()]  # the last are unfilled
        if len(others) < min(len(own), ROWS) or not goes_on(before[others], own[others]):
            return ""
        texts = [texts_of(read, count, look, row, len(own)) for row in others]
        if not all(pair is not None and is_another(*pair) for pair in texts):
            return ""
        self._looks[key] = MOST_LOOKS
        what = "it is the input" if len(own) == 1 else f"each of {len(others)} rows is that of the batch"
        return (
            f"{what} before and the counts of another text added to it: all {(before[others] > 0).sum()} "
            "places that were filled still are, though most words of the text before are not in this one: "
            "the counts have to be set to 0 before each text"
        )

    def _by_sums(self, key: Any, own: Any) -> str:
        """Returns what is wrong with an input that counts what all texts so far have, or "" if it doesn't."""
        every = self._every.setdefault(key, [])
        every.append(own)
        if len(every) < FEWEST_SUMS or len(every) < self._looks[key] or len({*map(len, every)}) > 1:
            return ""
        if not numpy.isfinite(every).all() or own.min() < 0 or not own[every[-2] > 0].all():
            return ""
        if total := shares_go_on(every):
            return (
                f"its shares add up to {own.sum():.0f}, those of the first input to {total}, and with each "
                f"they are {total} more, none less than before: the counts have to be set to 0 before each"
            )
        read = [text(data) for _, data in self._files() if len(data) <= MOST_TEXT and b"\0" not in data]
        lists = [*map(filled_lines, read), read[-len(every) :], in_order_of_sums(every, self._own())]
        for texts in lists:
            found = sums_go_on(every, texts)
            if found is not None and is_another(*texts[len(every) - 2 : len(every)]):
                return (
                    f"it counts {found[0]}, as many as the {len(every)} texts so far have, this one has "
                    f"{found[1]}, and none is less than before: the counts have to be set to 0 before each "
                    "text"
                )
        return ""


def goes_on(before: Any, own: Any) -> bool:
    """Whether counts are those before with others added, perhaps divided by their length."""
    filled = before > 0
    if min(before.min(), own.min()) < 0 or not filled.any() or not numpy.isfinite(own).all():
        return False
    before, own, filled = (one.reshape(-1) for one in (before, own, filled))
    places = numpy.flatnonzero(filled)
    runs = 1 + int((numpy.diff(places) > 1).sum())  # a mask is one run
    if not FEWEST <= len(places) < IN_A_ROW * runs:
        return False
    if (own > 0).mean() > FULL or len(numpy.unique(own[own > 0])) < 2:
        return False
    ratio = own[filled] / before[filled]
    least = float(ratio.min())
    if not least or (own > 0).sum() <= len(places):
        return False
    return bool((own > 0).mean() <= SPARSE or (ratio <= least * (1 + NEAR)).mean() >= SAME)


def texts_of(
    read: Sequence[tuple[str, bytes]], count: int, look: int, row: int = 0, rows: int = 1
) -> tuple[str, str] | None:
    """Returns the texts of a row of the input before and of this one: two files, of which the last was read
    in between, or two lines of the only file, or None if that isn't known. `count` files had been read
    before, and it is the input with the number `look`, of so many rows."""
    if 0 < count < len(read):
        return (text(read[count - 1][1]), text(read[-1][1])) if rows == 1 else None
    lines = filled_lines(text(read[-1][1])) if read else []
    before, own = (rows * (look - back) + row for back in (2, 1))
    return (lines[before], lines[own]) if 0 <= before < own < len(lines) else None


def text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def is_another(before: str, own: str) -> bool:
    """Whether a text lacks most of the words of the one before."""
    words = {word.lower() for word in WORD.findall(before)}
    rest = words - {word.lower() for word in WORD.findall(own)}
    return len(rest) >= FEWEST // 2 and len(rest) >= OTHERS * len(words)

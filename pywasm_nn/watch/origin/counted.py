"""From which number on the characters or words of a text are counted, and how many the model knows.

What is here: `Counted`, and `counted`, which finds it. What is not: whether the model is surer of others
(`whatif.counting`), and words that are in another order (`vocabulary.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from ...records import Frozen
from .characters import alphabet_in, lines, number_of_first
from .vocabulary import WORD, words_in

LONG, DIFFERENT = 8, 5
"""Parts of a text, and different ones, of which fewer have such numbers by chance."""
FEW_WORDS, FEW_DIFFERENT = 4, 3
MOST_TEXTS, MOST_ELEMENTS = 64, 1 << 12
FEWEST_LEFT = 3
"""So many equal elements at the end fill the rest of an input."""


class Counted(Frozen):
    """The first of `count` characters or words has the number `first`; those of a text end at element `end`
    of an input, whose rest is `filled` with a number (None: there is no rest). `what` is in `where`."""

    first: int
    count: int
    end: int
    filled: int | None
    what: str
    where: str
    is_backwards: bool = False
    """Whether the text lies from the last element on, so that `end` counts from there, too."""

    def beyond(self, rows: int) -> str:
        """Returns what is wrong if the last one has no row in a table of so many, or "" if it has."""
        last = self.first + self.count - 1
        if last != rows or self.first < 1:
            return ""
        return (
            f"the first of the {self.count} {self.what} of {self.where} has the number {self.first}, so the "
            f"last one has {last}; the model's table has {rows} rows, 0 to {rows - 1}: are they to be "
            f"counted from {self.first - 1}?"
        )


def counted(
    files: Sequence[tuple[str, bytes]],
    alphabets: Sequence[Mapping[str, int]],
    texts: Sequence[str],
    row: Sequence[int],
) -> Counted | None:
    """Returns how the numbers of an input count the characters or words of one of the texts, or None if they
    don't."""
    read = [(name, data.decode("utf-8", "replace")) for name, data in files if b"\0" not in data]
    for where, what, places in known(files, read, alphabets):
        others = [*(text for name, text in read if name != where), *texts]
        for text in islice(lines(others), MOST_TEXTS):
            if what == "characters":
                found = first_of([places.get(one) for one in text], row, LONG, DIFFERENT)
                found = found or first_of([places.get(one) for one in text.lower()], row, LONG, DIFFERENT)
            else:
                parts = [places.get(one) for one in WORD.findall(text.lower())]
                found = first_of(parts, row, FEW_WORDS, FEW_DIFFERENT)
            if found is not None:
                first, end = found
                rest = {*row[end:]}
                filled = rest.pop() if len(rest) == 1 and len(row) - end >= FEWEST_LEFT else None
                return Counted(first, len(places), end, filled, what, where)
    return None


def known(
    files: Sequence[tuple[str, bytes]],
    read: Sequence[tuple[str, str]],
    alphabets: Sequence[Mapping[str, int]],
) -> Iterator[tuple[str, str, Mapping[str, int]]]:
    """Where characters or words are counted, what, and their places."""
    for name, text in read:
        if alphabet := alphabet_in(text):
            yield name, "characters", alphabet
    for one in alphabets:
        yield "the program's data", "characters", one
    for name, data in files:
        if (vocabulary := words_in(data)) is not None and not vocabulary.has_pieces:
            yield name, "words", vocabulary.numbers


def first_of(
    places: Sequence[int | None], row: Sequence[int], long: int, different: int
) -> tuple[int, int] | None:
    """The number of the first place, and where a text ends, if its parts have these places and all unknown
    ones one number."""
    places = places[: len(row)]
    if len(places) < long or len({*places} - {None}) < different:
        return None
    first = number_of_first(row, places)
    return None if first is None else (first, len(places))

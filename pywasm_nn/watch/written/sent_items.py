"""Scores that are written beside the name of another thing than the one they are about.

What is here: `SentItems`, for guests that send the numbers of the things of a list, such as films, and write
some of the scores with names: where the place of a score among those that were sent is taken for the thing's
number, or the row of a thing in its list for the number in front of its name. What is not: rows of a table
with columns (`other_lines.py`), and what somebody knows already (`known_items.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ...records import Frozen
from ..follower import Follower, inputs_of, only_answer
from ..sheets.numbered import Listing, listed
from ..spoken import NUMBER, Heard, Word, filled_lines
from ..surroundings import Files, text_in

FEWEST, MOST, MOST_ROUNDS, MOST_BYTES = 6, 4096, 32, 1 << 18
"""Things that are scored, computes, and bytes of a list."""
FEWEST_LINES, DIGITS = 3, 2
"""Names that are written with scores, and digits of a score."""


class Round(Frozen):
    """The things of a compute by their numbers, their scores, and where the text that was written later
    begins."""

    items: tuple[int, ...]
    scores: Any
    begins: int


class Written(Frozen):
    """A row of a list whose name was written, and the places of the compute's scores that may be the one
    beside it."""

    row: int
    of: Round
    places: tuple[int, ...]

    def fits(self, item: Callable[[int], int]) -> bool:
        """Whether one of the scores is that of an item by its row."""
        return any(self.of.items[place] == item(self.row) for place in self.places)


class SentItems(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._items: dict[Any, tuple[int, ...]] = {}
        """By context, the different whole numbers of its last input that has several."""
        self._rounds: list[Round] = []
        self._heard = Heard()

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None or len(self._rounds) >= MOST_ROUNDS:
            return
        for _, _, tensor in inputs_of(event):
            numbers = tensor.numbers() if FEWEST <= tensor.size <= 8 * MOST else None
            if numbers is not None and numbers.dtype.kind in "iu":
                items = tuple(numbers.reshape(-1).tolist())
                if FEWEST <= len({*items}) == len(items):
                    self._items[event.context_id] = items
        if event.operation.startswith("get_output"):
            scores, items = only_answer(event.tensors), self._items.get(event.context_id, ())
            if scores is not None and scores.dtype.kind == "f" and scores.size == len(items) > 0:
                self._rounds.append(Round(items, scores.reshape(-1).copy(), len(self._heard.data)))

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._rounds:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        if not self._rounds:
            return
        parts = self._heard.parts([one.begins for one in self._rounds])
        texts = [*zip(self._rounds, parts, strict=True)]
        for name, data in self._files():
            listing = listed(name, text_in(data, MOST_BYTES))
            if listing is None:
                continue
            found = [line for one, text in texts for line in written_in(text, one, listing)]
            if len(found) < FEWEST_LINES or sent_right(found, listing):
                continue
            if said := by_places(found, listing) or by_numbers(found, listing):
                yield "answer", said
                return


def written_in(text: str, one: Round, listing: Listing) -> Iterator[Written]:
    """The lines of a text that have a name of a list and a score of a compute."""
    for line in filled_lines(text):
        rows = [row for row, name in enumerate(listing.names) if name in line]
        if not rows:
            continue
        row = max(rows, key=lambda one: len(listing.names[one]))
        name = re.escape(listing.names[row])
        words = [Word.of(number) for number in NUMBER.findall(re.sub(name, " ", line))]
        fits = [word.fits(one.scores) for word in words if word.digits >= DIGITS and not word.is_whole]
        places = numpy.flatnonzero(numpy.any(fits, axis=0)).tolist() if fits else []
        if places:
            yield Written(row, one, tuple(places))


def by_places(found: Sequence[Written], listing: Listing) -> str:
    """Returns what is wrong if the names are those of the places that scores have among the things that were
    sent, fewer than the list has, or "" if they aren't."""
    is_part = all(len(one.of.items) < len(listing.names) for one in found)
    if not is_part or any(one.row not in one.places for one in found):
        return ""
    one = next(one for one in found if not one.fits(lambda row: row))
    item = one.of.items[one.row]
    return (
        f'the guest writes "{listing.names[one.row]}", row {one.row} of {listing.file}, beside the score at '
        f"place {one.row} of the answer; the {len(one.of.items)} things that were sent have {item} there"
        f"{named(item, listing)}: is a place among those taken for the number of a thing?"
    )


def by_numbers(found: Sequence[Written], listing: Listing) -> str:
    """Returns what is wrong if all rows of a list were sent, and the names are those with the rows' numbers
    in front, or "" if they aren't."""
    rows, numbers = {*range(len(listing.names))}, listing.numbers
    if (
        len(found) < FEWEST_LINES
        or any({*one.of.items} != rows for one in found)
        or sent_right(found, listing)
    ):
        return ""
    if not all(one.fits(lambda row: numbers[row]) for one in found):
        return ""
    one = next(one for one in found if not one.fits(lambda row: row))
    item = numbers[one.row]
    return (
        f'the guest writes "{listing.names[one.row]}", whose number in {listing.file} is {item}, beside the '
        f"score of thing {item}{named(item, listing)}: the rows 0 to {len(rows) - 1} of the list were sent, "
        "and its numbers have gaps; is a row taken for a number?"
    )


def sent_right(found: Sequence[Written], listing: Listing) -> bool:
    """Whether most names are those of the things that were sent, by their rows or by their numbers."""
    is_row = [one.fits(lambda row: row) for one in found]
    are_rows = all({*one.of.items} == {*range(len(listing.names))} for one in found)
    if not are_rows and all(one.fits(lambda row: listing.numbers[row]) for one in found):
        return True
    return 2 * sum(is_row) >= len(found)


def named(item: int, listing: Listing) -> str:
    """Returns what a list has in the row of a thing, in words."""
    return f', which is "{listing.names[item]}" in row {item}' if item < len(listing.names) else ""

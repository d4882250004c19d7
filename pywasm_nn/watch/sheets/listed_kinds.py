"""Kinds that are sent as their places in a list that was read, of as many as the model has: counted from 1,
or numbered in another order than the list's.

What is here: `otherwise_numbered`, and `ones_elsewhere` for zeros and a one. What is not: kinds of which no
list was read (`orders.py`), and grades (`grades.py`).

A model may have been trained on numbers by the alphabet. So another order than the list's is a mistake only
if the list is named after what is sent: then it is there to number it. A list that was never read counts for
zeros and a one if it stands in JSON beside means and deviations: these are of the model's training.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any

from ...records import Frozen
from ..origin.delimited import delimiter_of, fields_of
from ..regex import regex
from ..spoken import filled_lines
from ..surroundings import text_in
from .orders import kinds
from .scaler_files import SAYS
from .sheet import Sheet

KINDS, MOST_KINDS, MOST_BYTES = 3, 512, 1 << 18
"""The fewest different kinds that are sent, the most that a list has, and the most bytes of a searched
file."""
FEWEST_LETTERS = 4
"""The fewest letters of a name that is searched for in others: a shorter one is a part of many."""
ENDS = regex(r"[_ -]*(?:ids?|no|nr|number|index|idx|s)$")
PLAIN = regex(r"[^a-z0-9]+")


class Listed(Frozen):
    """Different words of a list: the file, what the list is called there, and the words."""

    file: str
    called: str
    words: tuple[str, ...]

    @property
    def shown(self) -> str:
        return self.file if self.called == self.file else f'"{self.called}" in {self.file}'

    def is_of(self, name: str) -> bool:
        return is_of(self.called, name)


class Words(Frozen):
    """A column of a text: its name, or "" if it has none, and its fields."""

    heading: str
    fields: tuple[str, ...]

    def has(self, ids: Sequence[int], numbers: Mapping[str, int]) -> bool:
        """Whether words that follow each other have these numbers."""
        there = [numbers.get(one) for one in self.fields]
        starts = range(len(there) - len(ids) + 1)
        return any(there[start : start + len(ids)] == [*ids] for start in starts)


def otherwise_numbered(
    count: int, ids: Sequence[int], files: Sequence[tuple[str, bytes]], called: str = ""
) -> str:
    """Returns what is wrong with the numbers of kinds, of which a model has so many, or "" if nothing is
    known to be. `called` is the name of the input."""
    if not 2 < count <= MOST_KINDS or len({*ids}) < KINDS:
        return ""
    for listed in lists_of(files):
        name, words = listed.shown, listed.words
        if len(words) != count:
            continue
        places = {word: place for place, word in enumerate(words)}
        texts = [filled_lines(text_in(data, MOST_BYTES)) for other, data in files if other != listed.file]
        columns = [one for lines in texts for one in columns_of(lines)]
        columns = [one for one in columns if {*one.fields} & places.keys()]
        if any(one.has(ids, places) for one in columns):
            return ""
        for column in columns:
            for shift, by in ((1, "counted from 1"), (-1, "one too small")):
                if column.has(ids, {word: place + shift for word, place in places.items()}):
                    return (
                        f"is the place in {name} of a word of each line, {by}: the model has {count} kinds, "
                        f'as many as the list, and "{words[0]}" is 0'
                    )
            is_its_own = listed.is_of(called) or listed.is_of(column.heading)
            if is_its_own and (said := in_another_order(name, words, column, ids)):
                return said
    return ""


def in_another_order(name: str, words: Sequence[str], column: Words, ids: Sequence[int]) -> str:
    """Returns what is wrong if the words of a list are numbered in another order than its own, or "" if they
    aren't, or the column has others."""
    if not {*column.fields[1:]} <= {*words}:
        return ""
    for how, order in other_orders(words, column.fields):
        numbers = {word: place for place, word in enumerate(order)}
        if not column.has(ids, numbers):
            continue
        word = next(one for one in order if numbers[one] != words.index(one) and numbers[one] in ids)
        return (
            f'is a word of each line, numbered {how} ("{word}" is {numbers[word]}); {name} has as many as '
            f'the model, {len(words)}, in another order, where "{word}" is {words.index(word)}'
        )
    return ""


def other_orders(words: Sequence[str], fields: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """How else the words of a list, which are those of a column, may be numbered."""
    yield "by the alphabet", sorted(words)
    yield "by the alphabet", sorted(words, key=str.lower)
    yield "as they appear in the lines", [*dict.fromkeys(one for one in fields if one in {*words})]
    yield "from the last to the first", [*words][::-1]


def ones_elsewhere(
    sheet: Sheet,
    rows: Any,
    lines: Sequence[int],
    files: Sequence[tuple[str, bytes]],
    unread: Callable[[], Iterable[tuple[str, bytes]]] = tuple,
) -> str:
    """Returns what is wrong with zeros and a one for the kinds of a column whose ones are at the places of
    another order than that of a list named after it, or "" if nothing is. `unread` gives texts that the guest
    could open and never did."""
    found = [(column, texts) for column, texts in kinds(sheet) if len({texts[at] for at in lines}) >= KINDS]
    for column, texts in found if sheet.headings else ():
        own, heading = [texts[line] for line in lines], sheet.headings[column]
        known = [one for one in lists_of(files) if one.is_of(heading) and {*texts} <= {*one.words}]
        for listed in known or of_training(unread(), heading, texts):
            name, words = listed.shown, listed.words
            ones = [*one_hot(rows, len(words))]
            if [words.index(one) for one in own] in ones:
                return ""
            for how, order in other_orders(words, texts):
                if {*own} <= {*order} and [order.index(one) for one in own] in ones:
                    word = next(one for one in own if order.index(one) != words.index(one))
                    return (
                        f"the kinds of {sheet.named(column)} are zeros and a one, numbered {how} "
                        f'("{word}" is at {order.index(word)}); {name}, which has as many as there are '
                        f"elements for them, has them in another order, with that at {words.index(word)}"
                    )
    return ""


def of_training(files: Iterable[tuple[str, bytes]], heading: str, texts: Sequence[str]) -> Iterator[Listed]:
    """The lists of just these kinds that are called as a column, in JSON with means and deviations."""
    for listed in lists_of([one for one in files if SAYS.search(text_in(one[1], MOST_BYTES))]):
        if listed.called == heading and {*texts} == {*listed.words}:
            yield listed


def one_hot(rows: Any, count: int) -> Iterator[list[int]]:
    """The places of ones in elements that follow each other, as many as there are kinds."""
    for element in range(rows.shape[1] - count + 1):
        block = rows[:, element : element + count]
        if ((block == 0) | (block == 1)).all() and (block.sum(axis=1) == 1).all():
            yield [int(one) for one in block.argmax(axis=1)]


def lists_of(files: Sequence[tuple[str, bytes]]) -> Iterator[Listed]:
    """The files that are lists of different words, and the lists of JSON by their names."""
    for name, data in files:
        if words := words_in(data):
            yield Listed(name, name, words)
        for called, words in named_in(data):
            yield Listed(name, called, words)


@lru_cache(32)
def named_in(data: bytes) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The lists of different words in JSON, by what they are called; () of anything else."""
    try:
        known = json.loads(text_in(data, MOST_BYTES)) if data.lstrip()[:1] == b"{" else {}
    except ValueError:
        return ()
    found, left = [], [known]
    while left:
        for called, one in left.pop().items():
            if isinstance(one, dict):
                left.append(one)
            elif isinstance(one, list) and all(isinstance(word, str) for word in one):
                found += [(called, tuple(one))] if are_kinds(one) else []
    return tuple(found)


@lru_cache(32)
def words_in(data: bytes) -> tuple[str, ...]:
    """The different words of a list, one a line or all in one; () of anything else."""
    lines = filled_lines(text_in(data, MOST_BYTES))
    if len(lines) == 1:
        lines = [*fields_of(lines[0], delimiter_of(lines[0]))]
    words = tuple(one.strip() for one in lines)
    return words if are_kinds(words) else ()


def are_kinds(words: Sequence[str]) -> bool:
    return KINDS <= len(words) <= MOST_KINDS and len({*words}) == len(words)


def columns_of(lines: Sequence[str]) -> Iterator[Words]:
    """The columns of a table."""
    delimiter = next((one for one in (";", "\t", ",") if lines and one in lines[0]), None)
    if delimiter is None:
        return
    rows = [[one.strip().strip('"') for one in line.split(delimiter)] for line in lines]
    for column in zip(*rows, strict=False):
        yield Words(column[0], column)


def is_of(file: str, name: str) -> bool:
    """Whether a file is named after something."""
    one, other = plain(PurePosixPath(file).stem), plain(name)
    return min(len(one), len(other)) >= FEWEST_LETTERS and (one in other or other in one)


def plain(name: str) -> str:
    """A name without marks, and without what says that it is a number."""
    return PLAIN.sub("", ENDS.sub("", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).strip().lower()))

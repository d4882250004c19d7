"""Means and deviations, or the ends of ranges, in files that a guest read: one reader for each way in which
files have them.

What is here: lists without names (`lists_of`), columns with headings (`scalers`), lines that have the names
of columns (`lines_by_name`), and any two numbers of a line (`pairs_in`, `named_pairs`). What is not: numbers
with names in JSON and in settings (`amounts/scales.py`), and what was made with the numbers (`by_lists.py`,
`by_scaler.py`, `scales.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import permutations
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..origin.delimited import delimiter_of, fields_of
from ..origin.scalers import lists_in
from ..origin.tables import as_number
from ..regex import regex
from ..surroundings import text_in
from .sheet import Sheet

MOST_FILE, MOST_SHORT = 1 << 13, 1 << 16
"""Bytes of a file of lists, and of one with two numbers in each line."""
MOST_LISTS, MOST_PAIRS, MOST_LINES, MOST_IN_LINE = 8, 256, 32, 4
FEWEST_NAMES = 3
PAIR, MANY = 2, 4
"""Lists of a file of means and deviations, and of JSON; more are lines of data."""
LETTER = regex(r"[A-Za-z]")
MIDDLE = regex(r"^(?:means?|avg|average|mu|centers?|centres?)_?$", re.IGNORECASE)
WIDTH = regex(r"^(?:scales?|std_?(?:dev)?|stdev|sd|sigma|dev|deviations?)_?$", re.IGNORECASE)
LOW = regex(r"^(?:(?:data_?)?min(?:imum)?|lo|low|lower)_?$", re.IGNORECASE)
HIGH = regex(r"^(?:(?:data_?)?max(?:imum)?|hi|high|upper)_?$", re.IGNORECASE)
USUAL, TYPICAL, LEAST = 6.0, 2.0, 0.2
"""Deviations of numbers by their own mean: at most, and in the middle at most and at least."""
WIDER = 0.25
"""New numbers may lie so far beyond a range."""
MOSTLY = 0.9
LARGE_RAW = 3.0
"""Numbers of a file are so many times as large as scaled ones."""
NEARER = 0.8
"""So many numbers are nearer to their mean than to their deviation."""
LIKELIER, SURELY = 0.25, 12.0
"""How much likelier numbers are by a mean and a deviation than by the two exchanged, in the logarithm: each
on average, and all together."""
SAYS = regex(
    r"mean|std|deviation|sigma|scal|norm|standard|centre|center|(?<![a-z])(?:dev|stats?|mu)(?![a-z])",
    re.IGNORECASE,
)
"""Words in a file of means and deviations, or in its name."""
ENDS = regex(r"(?<![a-z])(?:min|max|low|high|range|lower|upper)(?:imum)?s?(?![a-z])", re.IGNORECASE)
EXPONENT = regex(r"(?<=\d)[eE](?=[-+]?\d)")
Pair = tuple[float, float, str]
"""Two numbers that may be a mean and a deviation, and the name of the file that has them."""


class Lists(Frozen):
    """A mean and a deviation for each element, and where they stand."""

    where: str
    means: Any
    deviations: Any
    is_named: bool
    is_bare: bool = False
    """Whether nothing else stands there: neither headings nor names, but in JSON those of scalers."""

    def is_range_of(self, lines: Any) -> bool:
        """Whether the lists are the ends of ranges in which the numbers of lines lie, and not nearly all at
        one end."""
        share = (lines - self.means) / (self.deviations - self.means)
        known = numpy.isfinite(lines).all() and (self.deviations > self.means).all()
        return bool(known and share.min() > -WIDER and share.max() < 1 + WIDER and numpy.ptp(share) > WIDER)

    def is_of(self, lines: Any) -> bool:
        """Whether the lists are the means and deviations of lines, or the ends of their ranges."""
        return self.fits(lines) or self.is_range_of(lines)

    @property
    def both(self) -> tuple[Any, Any]:
        """The means and the deviations."""
        return self.means, self.deviations

    def fits(self, lines: Any) -> bool:
        """Whether the numbers of lines are usual ones by these means and deviations."""
        if not numpy.isfinite(lines).all() or not (self.deviations > 0).all():
            return False
        off = abs(lines - self.means)
        size = off / self.deviations
        nearer = (off < abs(lines - self.deviations)).mean()
        is_usual = size.max() < USUAL and LEAST < numpy.median(size) < TYPICAL
        return bool(is_usual and (nearer >= NEARER or self.is_likelier(lines)))

    def is_likelier(self, lines: Any) -> bool:
        """Whether it is the first list that has the means, by how likely all numbers of lines are. Many
        columns are as wide as they are high. Of the ends of a range neither list has them."""
        turned = Lists(self.where, self.deviations, self.means, self.is_named)
        if self.is_range_of(lines) or turned.is_range_of(lines) or not (self.means > 0).all():
            return False
        more = turned.unlikeliness(lines) - self.unlikeliness(lines)
        return bool(more.mean() >= LIKELIER and more.sum() >= SURELY)

    def unlikeliness(self, lines: Any) -> Any:
        """The logarithm of how unlikely each number of lines is, but for what is the same in all."""
        return ((lines - self.means) / self.deviations) ** 2 / 2 + numpy.log(self.deviations)

    def may_fit(self, lines: Any) -> bool:
        """Whether most numbers of lines are usual ones by these means and deviations, which may be exchanged
        otherwise: enough where a formula makes exactly the input of these."""
        if not numpy.isfinite(lines).all() or not (self.deviations > 0).all():
            return False
        size = abs(lines - self.means) / self.deviations
        return bool(numpy.quantile(size, MOSTLY) < USUAL and LEAST < numpy.median(size) < TYPICAL)


@lru_cache(16)
def lists_of_text(data: bytes) -> tuple[Any, ...]:
    """The lists of numbers in a text, none in other bytes."""
    return () if b"\0" in data else tuple(lists_in(data.decode("utf-8", "replace")))


def lists_of(files: Sequence[tuple[str, bytes]], width: int) -> Iterator[Lists]:
    """Two lists of so many numbers, each of which may be the means and the other the deviations. Behind or
    before them may be those of the answer."""
    known: list[tuple[str, Any, bool, bool]] = []
    for name, data in files:
        if len(data) > MOST_FILE:
            continue
        lists = lists_of_text(data)
        found = [one for one in lists if len(one) == width] or [*as_floats(data, width)]
        longer = [one for one in lists if len(one) == width + 1]
        is_named = bool(SAYS.search(name) or SAYS.search(data.decode("utf-8", "replace")))
        if len(longer) == PAIR:
            yield from with_answer(name, longer, is_named=is_named)
        named = is_named and len(found) <= (MANY if data.lstrip().startswith(b"{") else PAIR)
        bare = is_bare(data)
        known += [(name, one, named, bare) for one in found if numpy.isfinite(one).all()]
    for (one, means, *first), (other, deviations, *second) in permutations(known[:MOST_LISTS], 2):
        where = one if one == other else f"{one} and {other}"
        is_named, is_alone = (a and b for a, b in zip(first, second, strict=True))
        yield Lists(where, means, deviations, is_named, is_alone)


def is_bare(data: bytes) -> bool:
    """Whether a file has nothing but numbers, or is JSON with the words of a scaler."""
    if is_binary(data):
        return True
    text = data.decode("utf-8", "replace")
    is_json = text.lstrip().startswith("{") and bool(SAYS.search(text) or ENDS.search(text))
    return is_json or not LETTER.search(EXPONENT.sub("", text))


def with_answer(name: str, both: Sequence[Any], *, is_named: bool) -> Iterator[Lists]:
    """Means and deviations of which the last, or the first, are those of the answer."""
    for part in (slice(None, -1), slice(1, None)):
        for means, deviations in permutations(both, PAIR):
            if numpy.isfinite(means).all() and numpy.isfinite(deviations).all():
                yield Lists(name, means[part], deviations[part], is_named)


def is_binary(data: bytes) -> bool:
    """Whether bytes are no text. Floats of a few decimals have zeros, others may have none."""
    try:
        return any(one < " " and one not in "\t\n\r\f" for one in data.decode("utf-8"))
    except UnicodeDecodeError:
        return True


def as_floats(data: bytes, width: int) -> Iterator[Any]:
    """The halves of a file of twice as many floats, and every second one."""
    for kind, size in (("<f4", 4), ("<f8", 8)):
        if len(data) == 2 * width * size and is_binary(data):
            numbers = numpy.frombuffer(data, kind).astype("f8")
            yield from (numbers[:width], numbers[width:], numbers[::2], numbers[1::2])


class Scaler(Frozen):
    """A file with two numbers for each element: a mean and a deviation, or the ends of a range."""

    file: str
    names: tuple[str, ...]
    titles: tuple[str, str]
    one: Any
    other: Any
    is_range: bool

    def before(self, rows: Any) -> Any:
        """Returns what elements, [lines, elements], were before they were scaled rightly."""
        return self.one + rows * (self.other - self.one if self.is_range else self.other)


def scalers(sheets: Sequence[Sheet], width: int) -> Iterator[Scaler]:
    """The files that have two numbers for each of so many elements."""
    for sheet in sheets:
        if len(sheet.rows) != width or width < FEWEST_NAMES or not sheet.headings:
            continue
        for first, second in ((MIDDLE, WIDTH), (LOW, HIGH)):
            places = [
                next((at for at, one in enumerate(sheet.headings) if at and way.match(one)), 0)
                for way in (first, second)
            ]
            one, other = (sheet.numbers[:, place] for place in places)
            is_range = first is LOW
            apart = other - one if is_range else other
            if all(places) and numpy.isfinite(one).all() and bool((apart > 0).all()):
                titles = sheet.headings[places[0]], sheet.headings[places[1]]
                names = tuple(row[0] for row in sheet.rows)
                yield Scaler(sheet.name, names, titles, one, other, is_range)


def lines_by_name(scale: Sheet, headings: Sequence[str]) -> dict[str, Any]:
    """The numbers of each line that begins with the name of a column, if there are two at least."""
    found = {
        row[0]: known_of(numbers[1:])
        for row, numbers in zip(scale.rows, scale.numbers, strict=True)
        if row[0] in headings
    }
    return {name: numbers for name, numbers in found.items() if len(numbers) >= PAIR}


def pairs_in(sheet: Sheet) -> Iterator[tuple[float, float]]:
    """Any two of the first numbers of a line, in either order, of which the second may be a deviation."""
    for line in sheet.numbers[:MOST_LINES]:
        own = known_of(line)[:MOST_IN_LINE].tolist()
        yield from ((one, other) for one in own for other in own if other)


def known_of(line: Any) -> Any:
    """The numbers of a line, without the fields that hold none."""
    return line[numpy.isfinite(line)]


def named_pairs(files: Sequence[tuple[str, bytes]]) -> Iterator[Pair]:
    """The numbers of each line of short files that has two of them and a name, in either order."""
    left = MOST_PAIRS
    for name, data in files:
        for line in text_in(data, MOST_SHORT).splitlines()[:MOST_PAIRS]:
            numbers = [one for one in map(as_number, fields_of(line, delimiter_of(line))) if one == one]
            if len(numbers) == PAIR and LETTER.search(line):
                left -= 1
                yield numbers[0], numbers[1], name
                yield numbers[1], numbers[0], name
            if not left:
                return

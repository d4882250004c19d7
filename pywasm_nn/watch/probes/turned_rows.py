"""Outputs of rows and columns of which a guest says what goes on for a while, or all in all (notes, words,
events): does it follow rows that are as long as columns?

What is here: `exchanged`. Whole rows and columns are made the largest elements in turn; or the elements of
each change their places, which leaves its sum, its largest and how many are large as they are. And
`mixed_up`, for a few series (channels) of which a line each is written: something goes on for a while in one
after the other. And `numbered`, for a guest that says the number of what goes on: rows of the other length
are numbered in turn. What is not: guests that say the row or column of the largest element (`maps.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...arrays import numpy
from .asked import NUMBER, WHOLE, Asked, Given, places_that_differ
from .thresholds import DECIMAL

FEWEST, LONG, TRIED, FEW = 8, 6, 3, 5
"""Rows and columns that an output has, how many times as many of one there may be, and those of each that are
tried, or the orders of their elements, and how many that follow each other."""

STEPS = 4
"""A text that says the same at this many places says it of steps."""
MOST_SERIES, SHORTEST, TIMES, MOST_CLASSES, MOST_KINDS = 8, 12, 3, 32, 8
"""The most series, the fewest steps, how many times as many of these there are, the most numbers of a step,
and how many of them are tried."""


def mixed_up(asked: Asked) -> str:
    """Returns a hint if the line about each of a few series follows elements that are those of all series, as
    if the first axis of the answer were the second one, or "" if that isn't so."""
    for index, output in asked.fetched():
        if not are_series(asked, output):
            continue
        steps, count = sorted(output.lengths[:2], reverse=True)
        for kind in range(output.array.size // (steps * count))[:MOST_KINDS]:
            of = Lines(asked, index, output, kind)
            if of.are_told_by(of.in_turns) or not of.nothing:
                break
            if of.are_told_by(of.beside):
                first, second = output.lengths[:2]
                shape = ",".join(map(str, output.array.shape))
                return (
                    f"{output.what}: the answer [{shape}] has {first} times {second}, and each line about "
                    f"one of {count} series follows elements as if it had {second} times {first}: what "
                    "goes on in a series alone changes the line of another one: are the two axes exchanged?"
                )
    return ""


def are_series(asked: Asked, output: Given) -> bool:
    """Whether an output has steps of a few series, as many as an input has, or a series for each step."""
    lengths = output.lengths
    if output.array.dtype.kind != "f" or not len("TC") <= len(lengths) <= len("TCK"):
        return False
    count, steps = sorted(lengths[:2])
    is_long = count <= MOST_SERIES and steps >= max(SHORTEST, TIMES * count)
    return is_long and lengths[2:] <= [MOST_CLASSES] and any(count in one.shape for one in asked.sent)


class Lines:
    """The lines of a guest in which something changes if an element is large at steps of one series."""

    def __init__(self, asked: Asked, index: int, output: Given, kind: int) -> None:
        self._asked, self._index, self._output, self._kind = asked, index, output, kind
        self._first, self._second = output.lengths[:2]
        self._steps, self._count = max(output.lengths[:2]), min(output.lengths[:2])
        self.nothing = (asked.text(index, output.filled(())) or "").splitlines()

    def _rows(self, series: int, *, is_inner: bool) -> range:
        """The rows of a series between a third and a half of its steps, which lie one behind the other, or
        in turns with those of the others."""
        start, end = self._steps // 3, self._steps // 2
        if is_inner:
            return range(start * self._count + series, end * self._count + series, self._count)
        return range(series * self._steps + start, series * self._steps + end)

    def in_turns(self, series: int) -> range:
        """The rows of a series as the answer has them."""
        return self._rows(series, is_inner=self._first > self._second)

    def beside(self, series: int) -> range:
        """Those as if the axes were exchanged."""
        return self._rows(series, is_inner=self._first < self._second)

    def are_told_by(self, rows: Callable[[int], range]) -> bool:
        """Whether the line about each series, and no other, follows these rows, and says the same but for a
        number."""
        width = self._output.array.size // (self._steps * self._count)
        found = []
        for series in sorted({0, self._count // 2, self._count - 1}):
            places = [row * width + self._kind for row in rows(series)]
            text = self._asked.text(self._index, self._output.filled(places))
            lines = (text or "").splitlines()
            changed = places_that_differ(lines, self.nothing)
            if len(lines) != len(self.nothing) or len(changed) != 1:
                return False
            found.append((changed[0], lines[changed[0]]))
        forms = {NUMBER.sub("#", line) for _, line in found}
        columns = [*zip(*(NUMBER.findall(line) for _, line in found), strict=False)]
        same = [len({*column}) == 1 for column in columns]
        is_in_order = [at for at, _ in found] == sorted({at for at, _ in found})
        return is_in_order and len(forms) == 1 and same.count(False) <= 1 <= same.count(True)


def numbered(asked: Asked) -> str:
    """Returns a hint if the guest numbers rows, or columns, of the other length in turn, and none of those
    that the answer has, or "" if that isn't so. All answers of one shape are made the same ones, as a guest
    may take the strongest of them."""
    maps = [one for one in asked.fetched() if is_map(one[1].lengths)]
    for lengths in dict.fromkeys((*one.lengths,) for _, one in maps):
        alike = {index: one for index, one in maps if (*one.lengths,) == lengths}
        height, width = lengths
        if max(lengths) % min(lengths) in {0, 1, min(lengths) - 1}:
            continue  # the first elements of the one's rows are numbered in turn by the other, too
        if not any(are_counted(asked, alike, height, is_column=one) for one in (False, True)):
            continue
        if not any(are_counted(asked, alike, width, is_column=one) for one in (True, False)):
            return (
                f"{next(iter(alike.values())).what}: the guest says the number of each row, or column, that "
                f"goes on without change as if rows had {height} elements, and of none of the answer's own: "
                f"they have {width} ({height} rows of {width}): are rows and columns exchanged?"
            )
    return ""


def are_counted(asked: Asked, alike: Mapping[int, Given], length: int, *, is_column: bool) -> bool:
    """Whether the same is written of whole rows, or columns, of answers whose rows have this length, but for
    numbers that go up, or down, by 1 from each to the next."""
    output = next(iter(alike.values()))
    size = output.array.size
    count = length if is_column else size // length
    lines = (count // 2, count // 2 + 1, count // 4, count - 1)
    first: list[int] = []
    for line in lines:
        places = range(line, size, length) if is_column else range(line * length, (line + 1) * length)
        text = asked.said({index: one.filled(places) for index, one in alike.items()}) or ""
        numbers = [int(one) for one in WHOLE.findall(text)]
        first = first or numbers
        steps = {one - other for one, other in zip(numbers, first, strict=False)} - {0}
        apart = line - lines[0]
        is_step = steps in ({apart}, {-apart}) if apart else bool(numbers)
        if len(numbers) != len(first) or not is_step:
            return False
    return True


def exchanged(asked: Asked) -> str:
    """Returns a hint if something else is said of each row that an answer would have if rows and columns were
    exchanged, and nothing, or what makes no sense, of those that it has, or "" if that isn't so."""
    for index, output in asked.fetched():
        if is_map(output.lengths) and only_turned(asked, index, output):
            height, width = output.lengths
            return (
                f"{output.what}: the guest says another thing of each row as if rows had {height} elements, "
                f"and none of rows or columns as they are; they have {width} ({height} rows of {width}): are "
                "rows and columns exchanged?"
            )
        if is_map(output.lengths) and summed_up_otherwise(asked, index, output):
            height, width = output.lengths
            return (
                f"{output.what}: the guest says the same if elements change their places within rows, or "
                f"columns, as if rows had {height}, and another thing if they do within its own; they have "
                f"{width} ({height} rows of {width}): are rows and columns exchanged?"
            )
        if is_map(output.lengths) and only_turned_neighbours(asked, index, output):
            height, width = output.lengths
            return (
                f"{output.what}: the guest tells neighbouring rows, or columns, apart as if rows had "
                f"{height} elements, and not those of the answer; they have {width} ({height} rows of "
                f"{width}): are rows and columns exchanged?"
            )
        if is_map(output.lengths) and (length := told_at_each_step(asked, index, output)):
            height, width = output.lengths
            return (
                f"{output.what}: the guest says one thing at all of several steps of a row, or column, in "
                f"which nothing changes, as if rows had {length} elements, and of none of the answer's own: "
                f"they have {width} ({height} rows of {width}): are rows and columns exchanged?"
            )
    return ""


def told_at_each_step(asked: Asked, index: int, output: Given) -> int:
    """Returns the length of rows other than the answer's by which a guest reads it that says something of
    each of several steps, or 0 if it doesn't: of a row or column that goes on without change it says one
    thing at all of them, another for each, which it says of none of the answer's own at more than a few."""
    height, width = output.lengths
    own = max((said_at(asked, index, output, width, is_column=one) for one in (True, False)), default=0)
    if own >= STEPS or max(height, width) % min(height, width) == 0:
        return 0
    turned = max(said_at(asked, index, output, height, is_column=one) for one in (False, True))
    return height if turned >= max(STEPS, 2 * own) else 0


def said_at(asked: Asked, index: int, output: Given, length: int, *, is_column: bool) -> int:
    """At how many places of a text the same words, three at most, are said of a whole column, or row, of an
    answer whose rows have this length, and others of each other; 0 if different ones are."""
    texts = [text.split() for text in said(asked, index, output, length, is_column=is_column) if text]
    if len(texts) < TRIED or len({*map(len, texts)}) > 1:
        return 0
    words = Counter(column for column in zip(*texts, strict=True) if len({*column}) > 1)
    is_each = any(len({*column}) == TRIED for column in words) and len(words) <= TRIED
    return min(words.values()) if is_each and len({*words.values()}) == 1 else 0


def summed_up_otherwise(asked: Asked, index: int, output: Given) -> bool:
    """Whether the guest says the same if elements change their places within rows, or columns, of the other
    length, and other things if they do within those that the answer has."""
    height, width = output.lengths
    if max(height, width) % min(height, width) == 0:
        return False  # rows of the one length are parts of the others
    own, turned = (output.array.reshape(shape) for shape in ((height, width), (width, height)))

    def texts(table: Any, axis: int) -> Iterator[str | None]:
        for seed in range(TRIED):
            mixed = numpy.random.default_rng(seed).permuted(table, axis=axis)
            yield asked.text(index, mixed.reshape(output.array.shape))

    said = asked.control.text
    is_same = any(all(one == said for one in texts(turned, axis)) for axis in (1, 0))
    others = [{*texts(own, axis)} for axis in (1, 0)] if is_same else [{said}]
    return all(said not in some and len(some) == TRIED for some in others)


def only_turned_neighbours(asked: Asked, index: int, output: Given) -> bool:
    """Whether another thing is said of each of several rows, or columns, of the other length that follow each
    other, and the same of their first halves, while neighbours in the answer are never told apart. What is
    said is such as the surest key, which there always is; when it begins doesn't count."""
    height, width = output.lengths
    if max(height, width) % min(height, width) == 0:
        return False  # rows of the one length are parts of the others

    def told(length: int, *, is_column: bool) -> Iterator[bool]:
        """Of parts of the answer, whether another thing is said of each line there."""
        for lines in neighbours(output.array.size, length, is_column=is_column):
            yield are_neighbours_told(asked, [output.filled(one) for one in lines], index)

    def held(*, is_column: bool) -> Iterator[bool]:
        for lines in neighbours(output.array.size, height, is_column=is_column):
            yield are_halves_told(asked, [output.filled(one) for one in lines], index)

    if any(any(told(width, is_column=is_column)) for is_column in (True, False)):
        return False
    ways = (True, False)
    return any(all(told(height, is_column=one)) and all(held(is_column=one)) for one in ways)


def are_neighbours_told(asked: Asked, lines: Sequence[Any], index: int) -> bool:
    """Whether another thing is said of each of some answers."""
    said: set[str] = set()
    for array in lines:
        text = asked.text(index, array)
        if text is None or (text := DECIMAL.sub("#", text)) in said:
            return False
        said.add(text)
    return True


def are_halves_told(asked: Asked, lines: Sequence[Any], index: int) -> bool:
    """Whether the same is said of each of some answers if the later half of its largest elements is among the
    smallest."""
    for array in lines:
        half = array.copy().reshape(-1)
        places = numpy.flatnonzero(half == half.max())
        half[places[len(places) // 2 :]] = half.min()
        texts = {DECIMAL.sub("#", asked.text(index, one) or "") for one in (array, half.reshape(array.shape))}
        if len(texts) > 1:
            return False
    return True


def neighbours(size: int, length: int, *, is_column: bool) -> Iterator[list[range]]:
    """The places of a few rows, or columns, that follow each other, in two parts of an answer whose rows have
    this length."""
    count = length if is_column else size // length
    for first in (count // 4, count // 2):
        few = range(first, min(first + FEW, count))
        yield [
            range(one, size, length) if is_column else range(one * length, (one + 1) * length) for one in few
        ]


def is_map(lengths: Sequence[int]) -> bool:
    """Whether an output has rows and columns, and no row for each of many boxes."""
    return len(lengths) == 2 and FEWEST <= min(lengths) < max(lengths) <= LONG * min(lengths)


def only_turned(asked: Asked, index: int, output: Given) -> bool:
    """Whether only rows, or columns, of the other length are told apart, and nothing is said of the columns,
    or rows, that are as long. What goes on in an answer's own rows begins and ends anywhere in the others."""
    height, width = output.lengths
    nothing = asked.text(index, output.filled(()))
    if nothing is None:
        return False
    for is_column in (False, True):
        across = said(asked, index, output, width, is_column=not is_column)
        if any(one != nothing for one in across):
            continue
        if are_told_apart([*said(asked, index, output, width, is_column=is_column)], nothing):
            return False
        if are_told_apart([*said(asked, index, output, height, is_column=is_column)], nothing):
            return True
    return False


def are_told_apart(texts: Sequence[str | None], nothing: str) -> bool:
    """Whether another thing is said each time, with the same numbers, but for one at most."""
    known = [one for one in texts if one is not None and len(one.split()) > len(nothing.split())]
    numbers = [NUMBER.findall(one) for one in known]
    if len({*known}) < TRIED or len({*map(len, numbers)}) > 1:
        return False
    same = [len({*column}) == 1 for column in zip(*numbers, strict=True)]
    return same.count(False) <= 1 <= same.count(True)


def said(asked: Asked, index: int, output: Given, length: int, *, is_column: bool) -> Iterator[str | None]:
    """Yields what the guest writes of whole columns, or rows, of an answer whose rows have this length."""
    size = output.array.size
    count = length if is_column else size // length
    for number in (count // 4, count // 2 + 1, count - 1):
        start, step = (number, length) if is_column else (number * length, 1)
        end = size if is_column else start + length
        yield asked.text(index, output.filled(range(start, end, step)))

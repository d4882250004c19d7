"""An answer with a row for each of several inputs: is each row read where it lies?

What is here: `unaligned`. All rows are made to have the same class as the largest, as they lie and as they
would with rows of another length: then the guest says the same of each input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..origin.comparing import are_shares
from ..regex import regex
from ..spoken import filled_lines
from .asked import Asked, Given, OneOutput, places_that_differ
from .classes import KINDS, LEAST
from .thresholds import DECIMAL

FEWEST_ROWS, MOST_ROWS, FEWEST = 3, 64, 3
MOST_CLASSES = 4096
TOKEN = regex(r"[^\s,;:()\[\]|=/]+")
Places = Callable[[int], list[int]]
"""Maps a class to the places of its elements."""


def unaligned(asked: Asked) -> str:
    """Returns what is wrong with the places from which a guest takes rows, or "" if nothing is."""
    for index, output in asked.fetched():
        lengths = output.lengths
        if len(lengths) != 2 or not FEWEST_ROWS <= lengths[0] <= MOST_ROWS:
            continue
        if FEWEST <= lengths[1] <= MOST_CLASSES and (wrong := Rows(asked, index, output).wrong()):
            return f"{output.what}: {wrong}"
    return ""


class Rows(OneOutput):
    """What a guest writes of the rows of one output."""

    def __init__(self, asked: Asked, index: int, output: Given) -> None:
        super().__init__(asked, index, output)
        self._rows, self._classes = output.lengths
        self._size = output.array.size
        self._follows = False
        """Whether what is said depends on the class that is the largest."""

    def wrong(self) -> str:
        lines = filled_lines(self._asked.control.text)
        if len(lines) < self._rows and not any(len(line) >= self._rows for line in lines):
            return ""
        own = self._units(self._at(self._classes), self._rows)
        if not self._follows:
            return self._across() or self._smallest()
        if own is not None and are_equal(own):
            return self._beside() or self._unseen()
        for length, rows in self._others():
            first = max(1, self._classes - length)  # what is there once in each row, also if rows overlap
            found = self._units(self._at(length), rows, first if first + 1 < length else 1)
            if found is not None and are_equal(found):
                return (
                    f"what the guest says of {self._rows} inputs follows it as if its rows had {length} "
                    f"elements; they have {self._classes}: is the distance from row to row another?"
                )
        if self._by_one():
            return (
                f"the rows that the guest reads of {self._rows} inputs begin one element after the other; "
                f"they have {self._classes} elements each: is the number of the input not multiplied by that?"
            )
        if across := self._across():
            return across
        return self._stepped(own or ())

    def _across(self) -> str:
        """The answer is read by columns."""
        found = self._units(lambda one: [one * self._rows + row for row in range(self._rows)], self._rows)
        if found is None or not are_equal(found):
            return ""
        return (
            f"what the guest says of {self._rows} inputs follows it as if the first elements of all came "
            f"first, then the second ones; each input has a row of {self._classes} elements"
        )

    def _smallest(self) -> str:
        """The smallest of shares, or of what has a name of classes, is said of each input; of distances and
        of amounts it may be meant."""
        output, values = self._output, self._output.array.astype("f8").reshape(self._rows, self._classes)
        is_of_classes = are_shares(values) or (values.min() < 0 and KINDS.search(output.what))
        if not is_of_classes or not self._asked.is_batch(output) or LEAST.search(self._asked.control.text):
            return ""
        found = self._units(self._at(self._classes), self._rows, lowest=True)
        if found is None or not are_equal(found):
            return ""
        one, two = self._at(self._classes)(1), self._at(self._classes)(2)
        of_each, of_both = (
            {self._written(output.filled(places, lowest=True)) for places in ways}
            for ways in ((one, two), ([*one, *two],))
        )
        if not of_both <= of_each:  # such as the second one of all others, which are equal
            return ""
        return (
            f"the guest says the smallest element and not the largest of each of {self._rows} inputs, "
            "whichever that is"
        )

    def _beside(self) -> str:
        """Each row is said of the input beside its own."""
        every = [self._lines(self._at(self._classes)(one)) for one in (1, 2)]
        lines = changed(*every)
        if len(lines) != self._rows:
            return self._all_by_first() if len(lines) == 1 else ""
        moved = []
        middle = max(1, self._rows // 2 - 1)
        for row in (middle, middle + 1):
            places = [
                place + (place // self._classes == row) for place in self._at(self._classes)(1)
            ]  # class 2 in this row, and class 1 in all others
            found = changed(every[0], self._lines(places))
            if not found and self._first_alone(every[0], lines):
                return self._left_out()
            if len(found) != 1 or found[0] not in lines:
                return ""
            moved.append(lines.index(found[0]) - row)
        if moved not in ([1, 1], [-1, -1]) or middle + 2 >= self._rows:
            return ""
        beside = "next" if moved[0] > 0 else "one before"
        return (
            f"of {self._rows} inputs each row is said of the {beside}: is the answer of input i taken from "
            f"row i {'-' if moved[0] > 0 else '+'} 1?"
        )

    def _all_by_first(self) -> str:
        """As many words or letters of one line as there are inputs, which follow the first row alone: one
        that is said of one input isn't said so often."""
        if not self._asked.is_batch(self._output):
            return ""
        same, other = (self._at(self._classes)(one) for one in (1, 2))
        every, first = self._lines(other), self._lines([*other[:1], *same[1:]])
        moved = [self._lines([*same[:row], other[row], *same[row + 1 :]]) for row in range(1, self._rows)]
        return self._left_out() if first == every and {*map(tuple, moved)} == {(*self._lines(same),)} else ""

    def _left_out(self) -> str:
        return (
            f"what the guest says of all {self._rows} inputs follows the row of the first one: is the number "
            "of the input left out of the place that is read?"
        )

    def _unseen(self) -> str:
        """The last class of each row changes nothing, though the one before it does: the first one is said,
        as it is of equal elements. A guest may say the last one of these, and the last number of a point may
        be how sure it is."""
        last = self._classes - 1
        if len([*self._asked.fetched()]) > 1:
            return ""  # the last class of boxes often says that there is none
        base, other, own = map(
            self._whole, ([], self._at(self._classes)(last - 1), self._at(self._classes)(last))
        )
        if not base or base != own or base == other or not self._is_of_first(own):
            return ""
        return (
            f"if the last element, {last}, of all {self._rows} rows is the largest, the guest says what it "
            "says of equal ones: does the search end too early?"
        )

    def _is_of_first(self, text: str) -> bool:
        """Whether a text says class 0 wherever class 1 would be said otherwise."""
        zero, one = (TOKEN.findall(self._whole(self._at(self._classes)(place))) for place in (0, 1))
        said = TOKEN.findall(text)
        return len(zero) == len(one) == len(said) and all(
            word == first for word, first, second in zip(said, zero, one, strict=True) if first != second
        )

    def _whole(self, places: Sequence[int]) -> str:
        """Returns what is written, without decimals, if these elements are the largest."""
        return DECIMAL.sub("#", self._written(self._output.filled(places)))

    def _first_alone(self, base: Sequence[str], lines: Sequence[int]) -> bool:
        """Whether each line is about another input, and all change with the first row."""
        places = [place + (place < self._classes) for place in self._at(self._classes)(1)]
        is_of_one = len({base[line] for line in lines}) < len(lines)
        return not is_of_one and changed(base, self._lines(places)) == list(lines)

    def _lines(self, places: Sequence[int]) -> list[str]:
        return self._written(self._output.filled(places)).splitlines()

    def _stepped(self, own: Sequence[tuple[tuple[str, ...], ...]]) -> str:
        if not (length := self._distance(own)):
            return ""
        what = "one element after the other" if length == 1 else f"{length} elements after each other"
        return (
            f"the rows that the guest reads of {self._rows} inputs begin {what}; they have {self._classes} "
            "elements each: is the number of the input not multiplied by that?"
        )

    def _others(self) -> Iterator[tuple[int, int]]:
        """Other lengths of a row, and how many such rows lie in the answer."""
        sent = {one.shape[-1] for one in self._asked.sent if one.shape[:1] == (self._rows,)}
        others = [one.lengths[-1] for one in self._asked.outputs.values() if one.lengths]
        near = [self._classes - 1, self._classes + 1, self._classes - 2, self._classes + 2, self._rows]
        for length in dict.fromkeys([*near, *others, *sent]):
            rows = min(self._rows, 1 + (self._size - self._classes) // length)
            few = FEWEST_ROWS - (self._rows == FEWEST_ROWS or length in sent)
            if length != self._classes and length >= FEWEST and rows >= few:
                yield length, rows

    def _distance(self, units: Sequence[tuple[tuple[str, ...], ...]]) -> int:
        """Returns the other distance between rows at which each class is always said in the same way, if
        every row is said to be class 1, and then class 2, or 0 if there is none."""
        for length in (1, self._classes - 1, self._classes + 1, 2 * self._classes):
            rows = min(len(units), (self._size - self._classes) // length + 1)
            said: dict[int, set[tuple[str, ...]]] = {}
            for row in range(rows):
                for one, words in zip((1, 2), units[row], strict=True):
                    said.setdefault((one - length * row) % self._classes, set()).add(words)
            known = [next(iter(one)) for one in said.values() if len(one) == 1]
            if rows > FEWEST_ROWS and len(said) > 2 and len({*known}) == len(said):
                return length
        return 0

    def _by_one(self) -> bool:
        """Whether what is said of one element is said by each input of the one before that."""
        last = min(self._classes - 2, self._rows)
        units = self._units(lambda one: [last - 2 + one], self._rows)
        if units is None or last < FEWEST_ROWS:
            return False
        first, second = zip(*units, strict=True)
        return second[1:last] == first[: last - 1] and len({*first[:last]}) == last

    def _at(self, length: int) -> Places:
        """Where the elements of a class are if rows have this length."""
        return lambda one: list(range(one, self._size, length))

    def _units(
        self, places: Places, rows: int, first: int = 1, *, lowest: bool = False
    ) -> list[tuple[tuple[str, ...], ...]] | None:
        """Returns what is said of each of the first rows for two classes that are the largest in all (or the
        smallest, if that is `lowest`), or None if that isn't found in the texts."""
        made = [self._output.filled(places(one), lowest=lowest) for one in (first, first + 1)]
        texts = [self._asked.text(self._index, one) for one in made]
        if texts[0] is None or texts[1] is None or texts[0] == texts[1]:
            return None
        self._follows = True
        units = said_of(texts[0], texts[1], self._rows, len(places(first)))
        return None if units is None else units[:rows]


def changed(one: Sequence[str], other: Sequence[str]) -> list[int]:
    """Returns the lines that differ, or [] if there are more in one."""
    return places_that_differ(one, other) if len(one) == len(other) else []


def are_equal(units: Sequence[tuple[tuple[str, ...], ...]]) -> bool:
    """Whether the same is said of all, of two classes in two ways."""
    return len({*units}) == 1 and units[0][0] != units[0][1]


def said_of(one: str, other: str, rows: int, inside: int = 0) -> list[tuple[tuple[str, ...], ...]] | None:
    """By row, what is said of it in two texts and not in both. If so many as are `inside` the answer are
    said in lines that follow each other, the others lie behind it."""
    pairs = [*zip(one.splitlines(), other.splitlines(), strict=False)]
    changed = [pair for pair in pairs if pair[0] != pair[1]]
    first = next((at for at, pair in enumerate(pairs) if pair[0] != pair[1]), 0)
    is_cut = 1 < len(changed) == inside < rows <= len(pairs) - first
    if len(changed) == rows or (is_cut and changed == pairs[first : first + inside]):
        return [differing(*pair) for pair in changed]
    if len(changed) != 1:
        return None
    tokens = [TOKEN.findall(line) for line in changed[0]]
    moved = [pair for pair in zip(*tokens, strict=False) if pair[0] != pair[1]]
    if len(tokens[0]) == len(tokens[1]) and moved and len(moved) % rows == 0:
        of_each = batched(moved, len(moved) // rows)  # such as a class and how sure it is
        return [(tuple(one for one, _ in pairs), tuple(other for _, other in pairs)) for pairs in of_each]
    if len(moved) == 1 and len(moved[0][0]) == len(moved[0][1]) == rows:
        return [((first,), (second,)) for first, second in zip(*moved[0], strict=True)]
    return None


def batched(pairs: Sequence[tuple[str, str]], count: int) -> list[Sequence[tuple[str, str]]]:
    """Parts of so many."""
    return [pairs[at : at + count] for at in range(0, len(pairs), count)]


def differing(one: str, other: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of two lines that the other one doesn't have there, or, if it has more, at all."""
    first, second = TOKEN.findall(one), TOKEN.findall(other)
    if len(first) == len(second):
        pairs = [pair for pair in zip(first, second, strict=True) if pair[0] != pair[1]]
        return tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)
    return tuple(word for word in first if word not in second), tuple(
        word for word in second if word not in first
    )

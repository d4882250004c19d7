"""Numbers of rows that a model looks up (users, films, words), of which two inputs may be exchanged or all be
counted from 1.

What is here: `Lookups`, which compares the numbers of a compute with the model's tables, with the names
beside numbers in files and arguments, and with how many lines a list of names has. What is not: kinds in one
input with other elements (`wanted.py`), places in lists (`sheets/listed_kinds.py`), and words of a
vocabulary (`origin.vocabulary`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations, permutations
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.formats.format import Column, rows_of_tables
from ...nn.operation import NNEvent
from ...nn.tensor import TensorSpec
from ..follower import Follower
from ..regex import regex
from ..sheets import numbered
from ..sheets.listed_kinds import is_of, otherwise_numbered, plain
from ..sheets.sheet import sheet_of
from ..spoken import Heard, filled_lines
from ..surroundings import Files, text_in

MOST_ELEMENTS, MOST_ROUNDS, MOST_BYTES = 64, 8, 1 << 16
"""Elements of an input, computes and bytes of a file that are compared."""
FEWEST_ROWS, FEWEST_SENT = 3, 3
FEWEST_LISTED, MOST_LISTED = 8, 1 << 12
"""Rows of a table of which all are asked about at once."""
PAIR = regex(r"([A-Za-z][\w-]*?)[_ -]?(?:id|no|nr|number|index|idx)?\s*[:= ]\s*(-?\d{1,9})(?![\w.])")
"""A name and a number, as in `--user=17` and "user_id": 17."""
NUMBERED = regex(r"\s*\"?(\d{1,9})\"?\s*(?=[|,;:\t ]|$)")
"""The number with which a line of a list begins."""

HEADINGS = regex(r"^[^\d,;\t|]+(?:[,;\t|][^\d,;\t|]+)+$")
"""A line of headings, which have no digits."""
ARGUMENT = regex(r"(?<![\w.-])\d{1,9}(?![\w.])")
"""A whole number among arguments."""

Numbers = Mapping[int, tuple[int, ...]]


class Lookups(Follower):
    """Gives hints as pairs of a rule's name and a sentence."""

    def __init__(self, files: Files = tuple, arguments: Sequence[str] = ()) -> None:
        self._files = files
        self._arguments = arguments
        self._rows: dict[int | None, dict[int, int]] = {}
        """By graph and an input's index, the rows of the table in which it is looked up."""
        self._given: dict[int | None, dict[int, tuple[int, ...]]] = {}
        """By context, the numbers of its inputs."""
        self._rounds: dict[int | None, list[Numbers]] = {}
        """By graph, the numbers of its computes."""
        self._heard = Heard()
        self._done: set[int | None] = set()
        self._singles: dict[int | None, tuple[Sequence[TensorSpec], dict[int, list[int]]]] = {}
        """By graph of which nothing is said yet, its inputs and the numbers that they got one at a time."""

    def loaded(self, graph: int | None, columns: Mapping[int, Sequence[Column]]) -> None:
        """A model was loaded; `columns` say what it knows of its inputs' elements."""
        self._rows[graph] = rows_of_tables(columns)

    def nn_event(self, event: NNEvent) -> Iterator[tuple[str, str]]:
        """Hints after an operation, also after one that failed."""
        given = self._given.setdefault(event.context_id, {})
        if event.operation.startswith("set_input") and event.index is not None and event.tensors:
            given[event.index] = whole_in(event.tensors[0])
        if event.operation != "compute" or event.graph is None:
            return
        given.update({index: whole_in(tensor) for index, _, tensor in event.given})
        self._keep_singles(event.graph_id, event.graph.inputs, given)
        if event.graph_id in self._done:
            return
        rounds = self._rounds.setdefault(event.graph_id, [])
        rounds.append({index: numbers for index, numbers in given.items() if numbers})
        if len(rounds) > MOST_ROUNDS:
            self._done.add(event.graph_id)
            return
        rows, specs = self._rows.get(event.graph_id, {}), event.graph.inputs
        said = numbers_for_rows(rows, specs, rounds[-1], self._files) or beyond(rows, specs, rounds[-1])
        said = said or only_first(specs, rounds[-1]) or self._by_names(rows, specs, rounds)
        said = said or self._by_lists(rows, specs, rounds[-1])
        said = said or self._by_files(rows, specs, rounds)
        if not said and event.error is not None:
            said = refused(rows, specs, rounds[-1])
        if said:
            self._done.add(event.graph_id)
            self._singles[event.graph_id][1].clear()
            rounds.clear()
            yield "metadata", said

    def _keep_singles(self, graph: int | None, specs: Sequence[TensorSpec], given: Numbers) -> None:
        _, kept = self._singles.setdefault(graph, (specs, {}))
        for index, numbers in given.items():
            if len(numbers) == 1 and len(kept.setdefault(index, [])) < MOST_LISTED:
                kept[index].append(numbers[0])

    def host_call(self, event: HostEvent) -> None:
        """A host function returned: the guest may have written."""
        if self._rounds:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended, about pairs that were sent one at a time, and what is written."""
        for graph, (specs, kept) in self._singles.items():
            given = {index: (*numbers,) for index, numbers in kept.items()}
            said = self._by_lists(self._rows.get(graph, {}), specs, given)
            if said := said or self._by_words(specs, self._rounds.get(graph, [])[:MOST_ROUNDS]):
                yield "metadata", said
                return

    def _by_words(self, specs: Sequence[TensorSpec], rounds: Sequence[Numbers]) -> str:
        """Returns a hint about an input that got one number, which the guest's own words give to another
        input, while that one got many, or "" if none did."""
        said = {(plain(name), int(number)) for name, number in PAIR.findall(self._heard.text)}
        for one, other in permutations(rounds[0] if rounds else (), 2):
            own, theirs = plain(specs[one].name), plain(specs[other].name)
            pairs = [({*each.get(one, ())}, {*each.get(other, ())}) for each in rounds]
            if specs[one].dtype != specs[other].dtype or not own or not theirs or own == theirs:
                continue
            if any(len(single) != 1 or len(many) < FEWEST_LISTED for single, many in pairs):
                continue
            numbers = {number for single, _ in pairs for number in single}
            if all((theirs, number) in said and (own, number) not in said for number in numbers):
                number = max(numbers)
                return (
                    f'input {one} "{specs[one].name}" got {number} with each element, and the guest writes '
                    f'"{theirs} {number}"; input {other} "{specs[other].name}" got {len(pairs[-1][1])} '
                    "different numbers: are the two inputs exchanged?"
                )
        return ""

    def _by_names(
        self, rows: Mapping[int, int], specs: Sequence[TensorSpec], rounds: Sequence[Numbers]
    ) -> str:
        """Returns a hint about two inputs that got each other's numbers, by the names beside them, or "" if
        none did."""
        for one, other in combinations(rounds[0], 2):
            names = plain(specs[one].name), plain(specs[other].name)
            if specs[one].dtype != specs[other].dtype or not all(names) or names[0] == names[1]:
                continue
            pairs = [(each.get(one, ()), each.get(other, ())) for each in rounds]
            if any(len(first) != 1 or len(second) != 1 for first, second in pairs):
                continue
            for where, known in self._named(*names):
                sent = [(first[0], second[0]) for first, second in pairs]
                if all(own[::-1] in known and own not in known for own in sent):
                    return (
                        f'input {one} "{specs[one].name}" got {sent[-1][0]} and input {other} '
                        f'"{specs[other].name}" {sent[-1][1]}; {where} says {names[0]} {sent[-1][1]} and '
                        f"{names[1]} {sent[-1][0]}: are the two inputs exchanged?"
                    )
            has_tables = one in rows and other in rows
            if has_tables and (said := self._by_one_name(specs, (one, other), pairs)):
                return said
        return ""

    def _by_one_name(
        self, specs: Sequence[TensorSpec], places: Sequence[int], pairs: Sequence[tuple[Any, Any]]
    ) -> str:
        """Returns a hint about two inputs that got each other's numbers by a table of two columns of which
        only one has the name of an input, or "". The inputs are the table's numbers as they stand, or less
        1."""
        sent = [(first[0], second[0]) for first, second in pairs]
        if len({*sent}) < FEWEST_SENT or all(one == other for one, other in sent):
            return ""
        names = [plain(specs[at].name) for at in places]
        for file, data in self._files():
            sheet = sheet_of(file, data) if len(data) <= MOST_BYTES else None
            columns = [plain(heading) for heading in sheet.headings] if sheet is not None else []
            if sheet is None or len(columns) != 2 or len({*columns} & {*names}) != 1:
                continue
            at = next(place for place in (0, 1) if columns[place] in names)
            lines = sheet.numbers[:, [at, 1 - at] if names[0] == columns[at] else [1 - at, at]].tolist()
            for less in (0, 1):
                own = {(one - less, other - less) for one, other in lines}
                if all(pair[::-1] in own and pair not in own for pair in {*sent} if pair[0] != pair[1]):
                    first, second = (one + less for one in sent[-1])
                    called = [f'input {place} "{specs[place].name}"' for place in places]
                    mine = first if names[1] == columns[at] else second
                    return (
                        f"{called[0]} got {sent[-1][0]} and {called[1]} {sent[-1][1]}; in {file} "
                        f'"{sheet.headings[at]}" is {mine} there, and "{sheet.headings[1 - at]}" '
                        f"{first + second - mine}: are the two inputs exchanged?"
                    )
        return ""

    def _by_lists(self, rows: Mapping[int, int], specs: Sequence[TensorSpec], given: Numbers) -> str:
        """Returns a hint about an input that got each row of another one's table, which has as many as a list
        has lines, while that one got a single number, or "" if none did."""
        for index, numbers in given.items():
            count, room = len(numbers), rows.get(index, 0)
            if not FEWEST_LISTED <= count < room or [*numbers] != [*range(count)]:
                continue
            for other, theirs in given.items():
                alike = other != index and specs[other].dtype == specs[index].dtype
                if not alike or rows.get(other) != count or len({*theirs}) != 1:
                    continue
                lists = (name for name, data in self._files() if count in lines_in(data))
                if name := next(lists, ""):
                    return (
                        f'input {index} "{specs[index].name}" got 0 to {count - 1}, and its table in the '
                        f'model has {room} rows; that of input {other} "{specs[other].name}", which got '
                        f"{theirs[0]} each time, has {count}, as many as {name} has lines: are the two "
                        "inputs exchanged?"
                    )
        return ""

    def _named(self, one: str, other: str) -> Iterator[tuple[str, set[tuple[int, int]]]]:
        """Where numbers stand beside both names, and all such pairs."""
        for name, data in self._files():
            if len(data) > MOST_BYTES or b"\0" in data:
                continue
            sheet = sheet_of(name, data)
            columns = [plain(heading) for heading in sheet.headings] if sheet is not None else []
            if sheet is not None and columns.count(one) == 1 == columns.count(other):
                numbers = sheet.numbers[:, [columns.index(one), columns.index(other)]].tolist()
                yield name, {(int(a), int(b)) for a, b in numbers if a == a and b == b}
                continue
            found: dict[str, list[int]] = {}
            with suppress(ValueError):
                collect(json.loads(data), found)
            if len(found.get(one, ())) == len(found.get(other, ())) > 0:
                yield name, {*zip(found[one], found[other], strict=True)}
        pairs = {plain(key): int(number) for key, number in PAIR.findall(" ".join(self._arguments))}
        if one in pairs and other in pairs:
            yield "its arguments", {(pairs[one], pairs[other])}

    def _by_files(
        self, rows: Mapping[int, int], specs: Sequence[TensorSpec], rounds: Sequence[Numbers]
    ) -> str:
        """Returns a hint about an input that is a column which goes from 1 to as many as there are rows, or
        "" if none is."""
        for index in rounds[0]:
            count, name = rows.get(index, 0), plain(specs[index].name)
            sent = [one for each in rounds for one in each.get(index, ())]
            if count < FEWEST_ROWS or not name or not sent:
                continue
            if len({*sent}) == 1 and (said := self._chosen(count, sent[0], name)):
                return f'input {index} "{specs[index].name}" {said}'
            if len(sent) < FEWEST_SENT or len({*sent}) < 2:
                continue
            if said := otherwise_numbered(count, sent, self._files(), specs[index].name):
                return f'input {index} "{specs[index].name}" {said}'
            files = self._files()
            lists = (listed(*file, sent, count, specs[index].name, files) for file in files)
            if said := next(filter(None, lists), ""):
                return f'input {index} "{specs[index].name}" {said}'
            for file, own in self._columns(name):
                less = [one - 1 for one in own]
                if min(own) != 1 or max(own) != count or not follows(sent, own) or follows(sent, less):
                    continue
                return (
                    f'input {index} "{specs[index].name}" is sent as it stands in {file}, where it goes '
                    f"from 1 to {count}; the model's table has {count} rows, 0 to {count - 1}: take 1 away"
                )
        return ""

    def _columns(self, name: str) -> Iterator[tuple[str, list[int]]]:
        """The whole numbers of each file's column of this name; -1 for others."""
        for file, data in self._files():
            sheet = sheet_of(file, data) if len(data) <= MOST_BYTES else None
            columns = [plain(heading) for heading in sheet.headings] if sheet is not None else []
            if sheet is not None and columns.count(name) == 1:
                there = sheet.numbers[:, columns.index(name)].tolist()
                yield file, [int(one) if one == one else -1 for one in there]

    def _chosen(self, count: int, number: int, name: str) -> str:
        """Returns what is wrong if the only number that is sent is one of the arguments, and a column of its
        name has all from 1 to as many as there are rows, or "" if that isn't so."""
        arguments = {int(one) for one in ARGUMENT.findall(" ".join(self._arguments))}
        if number not in arguments or number + 1 in arguments:  # the larger one may be meant, less 1
            return ""
        for file, own in self._columns(name):
            if {*own} == {*range(1, count + 1)}:
                return (
                    f"is {number}, as it stands in the arguments; in {file} these go from 1 to {count}, and "
                    f"the model's table has {count} rows, 0 to {count - 1}: take 1 away"
                )
        return ""


def whole_in(tensor: Any) -> tuple[int, ...]:
    """Returns the elements of a short tensor of whole numbers, or of a longer one that has the same in all or
    counts from 0, or () for any other."""
    numbers = tensor.numbers() if tensor.size <= MOST_BYTES else None
    if numbers is None or numbers.dtype.kind not in "iu" or not numbers.size:
        return ()
    if numbers.size > MOST_ELEMENTS:
        if numbers.size <= MOST_LISTED and (numbers.ravel() == numpy.arange(numbers.size)).all():
            return (*range(numbers.size),)
        return (int(numbers.flat[0]),) * 2 if (numbers == numbers.flat[0]).all() else ()
    return tuple(int(one) for one in numbers.tolist())


def lines_in(data: bytes) -> Sequence[int]:
    """How many lines of names a file has, with its first line and without it, which may be one of headings;
    () if it is no list of names."""
    if len(data) > MOST_BYTES or b"\0" in data:
        return ()
    lines = filled_lines(text_in(data, MOST_BYTES))
    if not all(any(map(str.isalpha, line)) for line in lines):
        return ()
    return (len(lines), len(lines) - 1) if lines and HEADINGS.search(lines[0]) else (len(lines),)


def listed(
    file: str, data: bytes, sent: Sequence[int], count: int, called: str, files: Sequence[tuple[str, bytes]]
) -> str:
    """Returns what is wrong if the numbers of a list that go from 1 to as many as there are rows were sent as
    they stand there or in another file, the last one perhaps brought back into the table, or "" if they
    weren't."""
    lines = filled_lines(text_in(data, MOST_BYTES))
    found = [NUMBERED.match(line) for line in lines]
    if found and found[0] is None:
        found = found[1:]
    own = [int(one[1]) for one in found if one is not None]
    if len(own) != len(found) or sorted(own) != [*range(1, count + 1)]:
        return ""
    less = [one - 1 for one in own]
    wrapped, clamped = [one % count for one in own], [min(one, count - 1) for one in own]
    is_whole = any([*sent[:count]] == one for one in (wrapped, clamped))
    if follows(sent, less):
        return ""
    if is_whole or (is_of(file, called) and follows(sent, own)):
        end = f"; {count} became {wrapped[own.index(count)] if 0 in sent else count - 1}" if is_whole else ""
        return (
            f"is sent as it stands in {file}, where it goes from 1 to {count}{end}; the model's table has "
            f"{count} rows, 0 to {count - 1}: take 1 away"
        )
    others = [one for one in files if one[0] != file]
    other = next((name for name, column in columns_of(others, file) if follows(sent, column)), "")
    return other and (
        f"is sent as it stands in {other}; in {file} these numbers go from 1 to {count}, and the model's "
        f"table has {count} rows, 0 to {count - 1}: take 1 away"
    )


def columns_of(files: Sequence[tuple[str, bytes]], named: str) -> Iterator[tuple[str, list[int]]]:
    """The columns of whole numbers in files whose headings are what a list is named after."""
    for file, data in files:
        sheet = sheet_of(file, data) if len(data) <= MOST_BYTES else None
        if sheet is None:
            continue
        for heading, there in zip(sheet.headings, sheet.numbers.T, strict=False):
            if is_of(named, heading) and numpy.isfinite(there).all() and (there % 1 == 0).all():
                yield file, [int(one) for one in there]


def follows(sent: Sequence[int], column: Sequence[int]) -> bool:
    """Whether numbers follow each other in a column."""
    return any([*column[at : at + len(sent)]] == [*sent] for at in range(len(column) - len(sent) + 1))


def collect(value: Any, found: dict[str, list[int]]) -> None:
    """The whole numbers of a value of JSON, by their plain names."""
    inside = value.items() if isinstance(value, dict) else ()
    for name, one in inside:
        if isinstance(one, int) and not isinstance(one, bool):
            found.setdefault(plain(name), []).append(one)
    for one in value if isinstance(value, list) else [each for _, each in inside]:
        if isinstance(one, dict | list):
            collect(one, found)


def numbers_for_rows(
    rows: Mapping[int, int],
    specs: Sequence[TensorSpec],
    given: Numbers,
    files: Files,
) -> str:
    """Returns a hint about numbers, some of them beyond a model's table, that stand in front of the names of
    a list with as many lines as the table has rows, or "" if there are none."""
    for index, numbers in given.items():
        count = rows.get(index, 0)
        if count < FEWEST_ROWS or max(numbers) < count:
            continue
        for name, data in files():
            listing = numbered.listed(name, text_in(data, MOST_BYTES))
            if listing is None or len(listing.numbers) != count or not {*numbers} <= {*listing.numbers}:
                continue
            row = listing.numbers.index(max(numbers))
            return (
                f'input {index} "{specs[index].name}" is {max(numbers)}, the number in front of '
                f'"{listing.names[row]}" in {name}, where numbers have gaps; the model\'s table has {count} '
                f"rows, 0 to {count - 1}, as many as the list, and this one's row is {row}: is the row to be "
                "sent?"
            )
    return ""


def only_first(specs: Sequence[TensorSpec], given: Numbers) -> str:
    """Returns a hint about an input of pairs of which only the first element is filled, where the other input
    has a different number in each, or "" if there is none."""
    for (index, numbers), (other, theirs) in permutations(given.items(), 2):
        count = len(numbers)
        is_alone = count == len(theirs) >= FEWEST_LISTED and numbers[0] and not any(numbers[1:])
        if is_alone and len({*theirs}) == count and specs[index].dtype == specs[other].dtype:
            return (
                f'input {index} "{specs[index].name}" is {numbers[0]}, and 0 in all {count - 1} elements '
                f'behind; input {other} "{specs[other].name}" has another number in each: is each pair to '
                f"have the same {numbers[0]} (an array's first value does not fill the rest)?"
            )
    return ""


def beyond(rows: Mapping[int, int], specs: Sequence[TensorSpec], given: Numbers) -> str:
    """Returns a hint about numbers of rows that a model doesn't have, though another table has them, or all
    but one, or "" if there are none."""
    for index, numbers in given.items():
        count = rows.get(index, 0)
        if count < FEWEST_ROWS or 0 <= min(numbers) <= max(numbers) < count:
            continue
        name = f'input {index} "{specs[index].name}"'
        has = f"the model's table for it has {count} rows, 0 to {count - 1}"
        for other, theirs in given.items():
            room = rows.get(other, 0)
            alike = len(theirs) == len(numbers) and specs[other].dtype == specs[index].dtype
            if other != index and alike and 0 <= min(theirs) <= max(theirs) < count <= max(numbers) < room:
                return (
                    f'{name} is {max(numbers)}, and {has}; that of input {other} "{specs[other].name}", '
                    f"which is {max(theirs)}, has {room}: are the two inputs exchanged?"
                )
        if max(numbers) == count and min(numbers) > 0:
            return f"{name} is {count}, and {has}: are they counted from 1?"
        if min(numbers) == -1 and max(numbers) < count - 1:
            return f"{name} has -1, and {has}: was 1 taken away from numbers that are counted from 0?"
    return ""


def refused(rows: Mapping[int, int], specs: Sequence[TensorSpec], given: Numbers) -> str:
    """Returns a hint about numbers that a model couldn't look up, as its table ends before them, or "" if
    there are none."""
    for index, numbers in given.items():
        count = rows.get(index, 0)
        above = [at for at, number in enumerate(numbers) if number >= count >= FEWEST_ROWS]
        if not above:
            continue
        at, kinds = above[0], {numbers[one] for one in above}
        said = (
            f'input {index} "{specs[index].name}": element {at} is {numbers[at]}, and the model\'s table for '
            f"it has {count} rows, 0 to {count - 1}, so that it can't be looked up"
        )
        if len(kinds) == 1 and len(above) < len(numbers):
            return f"{said}: is {numbers[at]} what stands for all that isn't in a list? Send a row for these"
        return f"{said} ({len(above)} of {len(numbers)} elements are too large)"
    return ""

"""How a short input came from a table of numbers that the guest read: which line or column it is.

What is here: `table_in` and `tables_in`, which read lines of numbers (CSV, or with blanks), and `found_in`.
What is not: the fields of a line (`delimited.py`), pictures (`matching.py`) and sounds (`sequences.py`), and
numbers that the guest scaled: only whoever made the model knows how.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...records import Frozen, changed
from ..regex import regex
from .clocks import TIMES, is_clock
from .delimited import COMMENT, lines_in
from .runs_of_columns import CLOSE, room_of, run_of
from .time_order import direction

MOST_TEXT = 1 << 20
MOST_LINES = 20_000
MOST_ELEMENTS = 4096
FEWEST = 3
"""Fewer elements, or fewer different ones, are in many tables by chance."""
MATRIX = 2
"""Lines in an input of more dimensions follow each other in time."""
FEW_OF_A_COLUMN = 8
"""Fewer elements that follow each other in a column are in many tables by chance."""
MOST_BENT = 1 << 18
"""Numbers of all windows of a table of which logarithms and differences are compared."""
DECIMAL_COMMA = regex(r"\s*\"?[-+]?\d+,\d+\"?\s*")
NEAR = 1e-5
"""Elements are those of the table within this part of them: they went through f32."""
CHANCE = 0.003
"""A line is the one that is meant if fewer are like it by chance."""
WITH_DECIMALS = 0.02
"""Numbers with decimals are rarer than this, whatever the few lines of a table say."""
ANSWERS = frozenset({"class", "label", "target", "y", "species", "category", "answer", "output"})
"""Headings of columns that a model is to find out."""

KINDS = ANSWERS - {"target", "output"}
"""These headings name kinds. A target to be reached, or an output, may be a measured input as well."""
COORDINATES = frozenset({"x", "z"})
"""Headings beside which "y" is no answer."""
COUNTED = frozenset({
    "", "id", "index", "idx", "no", "nr", "number", "row", "line", "t", "time", "timestamp", "date",
})  # fmt: skip
"""Headings of columns that say which line it is, and that models don't get."""
NUMBERED = COUNTED - {"t", "time", "timestamp", "date"}
"""The headings among them of numbers that tell a model nothing; a time may tell it something."""
IDENTIFIED = frozenset({"", "id"})
"""Columns with these headings number lines also if their numbers stand in any order."""
CODES = regex(
    r"(?:^|[^a-z])(?:id|code|kind|type|category|group|zone|region|country|store|shop|station|item|product|brand"
    r"|user|customer|sensor)s?$"
)
"""The ends of headings of columns whose whole numbers name something, such as a row of an embedding."""
SENTINELS = frozenset({-99.0, -999.0, -9999.0})
"""What stands for a missing number in tables; 999 may be a price."""
REVERSED = "it is in the reversed order, the last first"
COLUMNS_REVERSED = "the columns are in the reversed order"


class Table(Frozen):
    """The numbers of a table, [lines, columns], NaN where there is none; the numbers of its lines in the
    file, from 1; the headings, or ()."""

    numbers: Any
    lines: tuple[int, ...]
    headings: tuple[str, ...] = ()

    has_commas: bool = False
    """Whether decimals have a comma."""
    direction: int = 0
    """1 if its lines go on in time, -1 if the first is the newest, 0 if that isn't known."""

    def falling(self, column: int) -> list[int]:
        """The other columns that fall from each line to the next: axes, along which this one is a curve."""
        falls = (numpy.diff(self.numbers, axis=0) < 0).all(axis=0)
        return [at for at in numpy.flatnonzero(falls).tolist() if at != column]

    def __str__(self) -> str:
        return f"{len(self.lines)} lines of {self.numbers.shape[1]} numbers"


class Part(Frozen):
    """The part of a table that an input is, and what is wrong with that. If it is one line as it is, or
    several that follow each other, `columns` are the first one and their number, and `window` says of several
    lines which of so many such windows."""

    said: str
    wrong: str = ""
    columns: tuple[int, int] | None = None
    window: tuple[int, int] = (1, 1)
    varied: str = ""
    """The part of `wrong` that a guest may do on purpose to lines that it also sends as they are."""
    at: tuple[int, int] | None = None
    """The first line in the table, from 0, and how many follow each other."""


def table_in(data: bytes) -> Table | None:
    """The table in the bytes of a file, None if they are something else."""
    lines = lines_in(data, MOST_TEXT, MOST_LINES, one_delimiter=False)
    if lines is None:
        return None
    rows = {at: [as_number(one) for one in lines.fields[at]] for at in lines.whole}
    kept = {at: row for at, row in rows.items() if any(value == value for value in row)}
    if len(kept) < max(2, len(rows) - 1):
        return None
    first = min(rows, default=0)
    is_first = all(map(COMMENT.match, lines.texts[:first]))
    headings = lines.fields[first] if rows and is_first and first not in kept else ()
    commas = any(DECIMAL_COMMA.fullmatch(one) for at in kept for one in lines.fields[at])
    numbers = tuple(lines.numbers[at] for at in kept)
    times = direction(headings, (lines.fields[at] for at in kept))
    return Table(numpy.array([*kept.values()], "f8"), numbers, headings, commas, times)


def tables_in(files: Iterable[tuple[str, bytes]], most: float = math.inf) -> Iterator[tuple[str, Table]]:
    """Yields the tables among files of at most so many bytes, each with the file's name before it."""
    for name, data in files:
        table = table_in(data) if len(data) <= most else None
        if table is not None:
            yield name, table


def as_number(text: str) -> float:
    try:
        text = text.strip().strip('"')
        return float(text.replace(",", ".") if DECIMAL_COMMA.fullmatch(text) else text)
    except ValueError:
        return float("nan")


def found_in(table: Table, array: Any) -> Part | None:
    """The part of a table that an input of numbers is, None if it is none."""
    if array.dtype.kind not in "fiu" or not FEWEST <= array.size <= MOST_ELEMENTS:
        return None
    flat = array.reshape(-1).astype("f8")
    if not numpy.isfinite(flat).all():
        return cut_to_nothing(table, flat)
    if len(numpy.unique(flat)) < FEWEST:
        return None
    width = array.shape[-1] if FEWEST <= array.shape[-1] < len(flat) else len(flat)
    rows = flat.reshape(-1, width)
    if array.dtype == "f2":
        with numpy.errstate(over="ignore"):
            table = changed(table, numbers=table.numbers.astype("f2").astype("f8"))
    room = room_of(array)
    may_be_turned = array.ndim > MATRIX and len(rows) == width  # a row of a series for each channel
    found = line_of(table, rows) or (None if may_be_turned else by_columns(table, rows))
    found = found or column_of(table, flat, room)
    is_window = found is not None and found.columns is not None and len(rows) >= FEW_OF_A_COLUMN
    if found is not None and is_window and array.ndim > MATRIX and table.direction < 0:
        return changed(found, wrong=NEWEST_FIRST, columns=None)
    return found or bent_backwards(table, flat, room)


def line_of(table: Table, rows: Any) -> Part | None:
    """Lines from the first row on, as they are, backwards, or without their decimals."""
    count, columns = rows.shape[1], table.numbers.shape[1]
    mistaken: Part | None = None
    for start in range(columns - count + 1):
        part = table.numbers[:, start : start + count]
        readings = (
            (part, ""),
            (part[:, ::-1], COLUMNS_REVERSED),
            (numpy.trunc(part), cut_off(table)),
        )
        for reading, wrong in readings:
            equal = numpy.isclose(reading, rows[0], rtol=NEAR, atol=0).all(axis=1)
            if not equal.any():
                continue
            line = int(equal.argmax())
            said = f"line {table.lines[line]}, columns {start + 1} to {start + count}"
            wrong = wrong or columns_wrong(table, start, count) or stand_in(table, rows[0], start)
            wrong = wrong or backwards(table, rows, start, line) or runs_on(table, rows, start, line)
            wrong = wrong or clock_sent(table, start, count, len(rows))
            window = window_of(table, rows, start, line)
            is_whole = len(rows) == 1 or same(part[line : line + len(rows)], rows)
            whole = (start, count) if is_whole and not wrong else None
            found = Part(said, wrong, whole, window, at=(line, len(rows)) if is_whole else None)
            if not wrong:
                return found
            if by_chance(reading, line, range(count)) < CHANCE:
                mistaken = mistaken or found
    return mistaken


def is_begun(part: Part) -> bool:
    """Whether only the first of several rows is known to be a line."""
    return part.columns is None and not part.wrong


def by_chance(numbers: Any, number: int, columns: Sequence[int]) -> float:
    """How many lines have these numbers of a line by chance: small whole numbers are in many lines."""
    expected = float(len(numbers))
    for column in {*columns} - {-1}:
        one = numbers[number, column]
        reach = float(numpy.nanmax(numbers[:, column]) - numpy.nanmin(numbers[:, column]))
        rare = WITH_DECIMALS if one != numpy.round(one) else 1 / (1 + reach)
        expected *= min(float((numbers[:, column] == one).mean()), rare)
    return expected


def cut_off(table: Table) -> str:
    """Returns what is wrong where decimals are missing."""
    why = "the file has decimal commas, at which atof stops" if table.has_commas else "atoi for atof?"
    return f"the decimals were cut off ({why})"


def named(table: Table, column: int) -> str:
    """A column by its number, from 1, and its heading."""
    name = table.headings[column].strip('"') if table.headings else ""
    return f"column {column + 1}" + (f' ("{name}")' if name else "")


def heads(table: Table) -> list[str]:
    """Returns the headings in lower case, without quotes and the sign of a comment, or [] if there are
    none."""
    return [name.strip('"').lower().lstrip("# ") for name in table.headings]


def is_answer(table: Table, column: int) -> bool:
    """Whether a column may be what the model is to find out, or the number of the line."""
    if not table.headings:
        return column in (0, table.numbers.shape[1] - 1)
    return heads(table)[column] in ANSWERS | COUNTED


def is_code(table: Table, column: int) -> bool:
    """Whether a column's numbers name things: a model that looks them up gets them as they are."""
    there = table.numbers[:, column]
    known = there[numpy.isfinite(there)]
    is_named = bool(table.headings) and CODES.search(heads(table)[column]) is not None
    return is_named and bool((known == known.round()).all())


def stand_in(table: Table, row: Any, start: int) -> str:
    """Returns a hint if a number that stands for a missing one was sent as if it were one, or "" if none
    was."""
    for index, one in enumerate(row.tolist()):
        if one not in SENTINELS:
            continue
        there = table.numbers[:, start + index]
        others = there[numpy.isfinite(there) & (there != one)]
        if len(others) >= FEWEST and not 2 * others.min() - others.max() <= one <= 2 * others.max():
            return (
                f"{named(table, start + index)} is {one:g}, which stands for a missing number, and was sent"
            )
    return ""


def columns_wrong(table: Table, start: int, count: int) -> str:
    """Returns what is wrong with the choice of columns that follow each other, or "" if nothing is."""
    return answers_in(table, start, count) or number_in(table, start, count)


def clock_sent(table: Table, start: int, count: int, lines: int) -> str:
    """Returns what is wrong if columns of so many lines of a recording are sent that begin with the time, and
    others behind them are not, or "" if that is not so."""
    behind, names = range(start + count, table.numbers.shape[1]), heads(table)
    if lines < FEW_OF_A_COLUMN or not behind or any(names and names[one] in ANSWERS for one in behind):
        return ""
    if not is_clock(table.numbers[:, start], names[start] if names else ""):
        return ""
    first, last = named(table, start), named(table, behind[-1])
    return (
        f"{first}, which only says when each line is, was sent as the first of {count} numbers, and {last} "
        "was not: are the columns read one place too early?"
    )


def number_in(table: Table, start: int, count: int) -> str:
    """Returns a hint if the number of the line is among the columns, and another column isn't, or "" if there
    is no such mistake."""
    names = heads(table)
    sent = [column for column in range(start, start + count) if names and numbers_lines(table, column)]
    left = [column for column in not_sent(table, start, count) if names[column] not in ANSWERS]
    if not sent or not left:
        return ""
    one, other = named(table, sent[0]), named(table, left[0])
    return f"{one}, which is the number of the line, was sent, and {other} was not"


def numbers_lines(table: Table, column: int) -> bool:
    """Whether a column numbers the lines: it has a name that says so, and no number twice, and its numbers go
    up unless they are identifiers. Numbers of an index, or of rows of a grid, needn't."""
    name, there = heads(table)[column], table.numbers[:, column]
    known = there[numpy.isfinite(there)]
    if name not in NUMBERED or len(numpy.unique(known)) < len(known):
        return False
    return name in IDENTIFIED or bool((numpy.diff(known) > 0).all())


def not_sent(table: Table, start: int, count: int) -> list[int]:
    """Columns of numbers that were not sent, but for those that number the lines; without headings nobody
    knows which do."""
    names = heads(table)
    others = [*range(start), *range(start + count, len(names))] if names else []
    return [
        column
        for column in others
        if names[column] not in COUNTED and numpy.isfinite(table.numbers[:, column]).any()
    ]


def answers_in(table: Table, start: int, count: int) -> str:
    """Returns a hint if the answer is among the columns, and another column isn't, or "" if there is no such
    mistake."""
    names = heads(table)
    sent, left = names[start : start + count], names[:start] + names[start + count :]
    answers = ANSWERS - {"y"} if COORDINATES & {*names} else ANSWERS
    told = [name for name in sent if name in answers]
    missed = not_sent(table, start, count)
    if not told or not missed or any(name in answers for name in left):
        return ""
    if not may_be_told(table, names.index(told[0]), missed[0]):
        return ""
    return f'the column "{told[0]}", which is the answer, was sent, and "{names[missed[0]]}" was not'


def may_be_told(table: Table, answer: int, missed: int) -> bool:
    """Whether a column that is named as an answer may be one: it is the last column, or the first. The first
    one must have fewer different numbers, all of them kinds, than the column that was not sent. Otherwise
    that may be the answer, as `survived` is in a table that begins with the class of each passenger."""
    names = heads(table)
    is_known = numpy.isfinite(table.numbers).any(axis=0)
    columns = [column for column, name in enumerate(names) if is_known[column] and name not in COUNTED]
    if answer == columns[-1]:
        return True
    own, other = (
        numpy.unique(table.numbers[:, at][numpy.isfinite(table.numbers[:, at])]) for at in (answer, missed)
    )
    are_kinds = names[answer] in KINDS and bool((own % 1 == 0).all())
    return answer == columns[0] and are_kinds and len(own) < len(other)


def same(there: Any, wanted: Any) -> bool:
    """Whether numbers of a table are those of an input, in the same shape."""
    return there.shape == wanted.shape and bool(numpy.isclose(there, wanted, rtol=NEAR, atol=0).all())


def backwards(table: Table, rows: Any, start: int, line: int) -> str:
    """Returns a hint if the lines follow in the reversed order, or "" if they don't."""
    count = len(rows)
    if count < FEWEST or line + 1 < count or table.direction < 0 or has_unread_times(table):
        return ""
    if same(table.numbers[line + 1 - count : line + 1, start : start + rows.shape[1]][::-1], rows):
        return "its lines are in the reversed order, the last one first"
    return ""


def runs_on(table: Table, rows: Any, start: int, line: int) -> str:
    """Returns a hint if lines were copied on and on, though they have more numbers than the input's rows, or
    "" if that is not so."""
    count, width = rows.shape[1], table.numbers.shape[1]
    there = table.numbers[line:].reshape(-1)[start : start + rows.size]
    if len(rows) < FEWEST or width <= count or not same(there, rows.reshape(-1)):
        return ""
    return (
        f"numbers run on: rows of the input have {count}, and {width} of each line were copied, "
        f"{named(table, (start + count) % width)} first in the second row"
    )


def window_of(table: Table, rows: Any, start: int, line: int) -> tuple[int, int]:
    """Which of the windows of a table several rows are, from 1, and how many there are."""
    count = len(rows)
    part = table.numbers[line : line + count, start : start + rows.shape[1]]
    if count < FEW_OF_A_COLUMN or not same(part, rows):
        return 1, 1
    return line // count + 1, len(table.lines) // count


def by_columns(table: Table, rows: Any) -> Part | None:
    """Columns one after the other, in an input whose rows are lines."""
    count, width = rows.shape
    if not FEWEST < count <= len(table.lines) or width > table.numbers.shape[1] or width < 2:
        return None
    lines = rows.reshape(width, count).T
    for start in range(table.numbers.shape[1] - width + 1):
        there = table.numbers[:, start : start + width]
        equal = numpy.isclose(there, lines[0], rtol=NEAR, atol=0).all(axis=1)
        for line in numpy.flatnonzero(equal).tolist():
            part = there[line : line + count]
            if same(part, lines):
                said = f"lines {table.lines[line]} to {table.lines[line + count - 1]}, column by column"
                return Part(
                    said,
                    f"all of {named(table, start)} comes first, then all of {named(table, start + 1)}: the "
                    f"shape says {count} rows of {width} numbers, a line each",
                )
    return None


def column_of(table: Table, flat: Any, room: float = CLOSE) -> Part | None:
    """Numbers that follow each other in a column, perhaps scaled, in the order of the file or reversed. They
    may be off by `room` deviations."""
    count = len(flat)
    if not FEW_OF_A_COLUMN <= count <= len(table.lines) or flat.std() == 0:
        return None
    for wanted in (flat, flat[::-1]):
        for column in range(table.numbers.shape[1]):
            place = run_of(table.numbers[:, column], wanted, room)
            if place >= 0:
                wrong = NEWEST_FIRST if table.direction < 0 else ""
                wrong = wrong if wanted is flat else reversed_in(table, column)
                return of_run(table, column, place, count, wrong)
    for column, numbers in enumerate(numpy.trunc(table.numbers.T)) if table.has_commas else ():
        place = run_of(numbers, flat, room)
        if place >= 0:
            return of_run(table, column, place, count, cut_off(table))
    return None


def of_run(table: Table, column: int, place: int, count: int, wrong: str, made: str = "") -> Part:
    first, last = table.lines[place], table.lines[place + count - 1]
    name = f' ("{table.headings[column]}")' if table.headings else ""
    return Part(f"column {column + 1}{name}, lines {first} to {last}{made}", wrong)


def bent_backwards(table: Table, flat: Any, room: float) -> Part | None:
    """The same of what was made of a column's numbers (logarithms, differences), in the reversed order."""
    if len(flat) < FEW_OF_A_COLUMN or table.numbers.size * len(flat) > MOST_BENT or flat.std() == 0:
        return None
    for said, bend in BENT.items():
        columns = [bend(numbers) for numbers in table.numbers.T]
        if any(len(one) >= len(flat) and run_of(one, flat, room) >= 0 for one in columns):
            return None
        for column, numbers in enumerate(columns):
            for wanted in (flat[::-1], -flat[::-1]):
                place = run_of(numbers, wanted, room) if len(numbers) >= len(flat) else -1
                if place >= 0:
                    return of_run(table, column, place, len(flat), reversed_in(table, column), f", {said}")
    return None


def reversed_in(table: Table, column: int) -> str:
    """Returns what is wrong with a column from its last number to its first, or "" if an axis rises so, or
    the lines have times that nobody can read."""
    unknown = table.direction < 0 or table.falling(column) or has_unread_times(table)
    return "" if unknown else REVERSED


def has_unread_times(table: Table) -> bool:
    """Whether a column of times is in words of which it isn't known in which direction they go."""
    texts = ~numpy.isfinite(table.numbers).any(axis=0)
    named = zip(heads(table), texts.tolist(), strict=False)
    return not table.direction and any(is_text and name in TIMES for name, is_text in named)


def cut_to_nothing(table: Table, flat: Any) -> Part | None:
    """The column of decimal commas of which so little is left that nothing can be worked out: elements are no
    numbers because the deviation of zeros is 0, or their logarithm none. None if it isn't so."""
    count = len(table.lines)
    if not table.has_commas or count < FEW_OF_A_COLUMN or len(flat) > count or numpy.isfinite(flat).any():
        return None
    for column, numbers in enumerate(table.numbers.T):
        known = numbers[numpy.isfinite(numbers)]
        left = numpy.unique(numpy.trunc(known))
        if len(known) == count and len(left) == 1 and numpy.ptp(known):
            wrong = f"{cut_off(table)}: of all {count} numbers {left[0]:g} is left, whose deviation is 0" + (
                ", or whose logarithm is none" if left[0] <= 0 else ""
            )
            return Part(f"column {column + 1}", wrong)
    return None


def positive(numbers: Any) -> Any:
    return numpy.where(numbers > 0, numbers, numpy.nan)


NEWEST_FIRST = (
    "its lines go back in time, and were sent in this order, the newest first: does the model want the "
    "oldest first?"
)
BENT: dict[str, Callable[[Any], Any]] = {
    "their logarithms": lambda x: numpy.log(positive(x)),
    "their logarithms (log1p)": lambda x: numpy.log1p(numpy.where(x >= 0, x, numpy.nan)),
    "their roots": lambda x: numpy.sqrt(numpy.where(x >= 0, x, numpy.nan)),
    "their differences": numpy.diff,
    "their relative changes": lambda x: numpy.diff(x) / numpy.where(x == 0, numpy.nan, x)[:-1],
    "differences of their logarithms": lambda x: numpy.diff(numpy.log(positive(x))),
}
"""What is made of a series before it is scaled."""

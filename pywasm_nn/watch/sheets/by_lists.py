"""One line of a table, scaled by two lists of numbers in a file, one number for each element, without names.

What is here: `of_lists`, and `of_program` for a line that is in the program, too. That an input is exactly
what a formula makes of a line and of the file's numbers says by which it was scaled, so that one line is
enough. What is not: the formulas (`formulas.py`), how files have these lists (`scaler_files.py`), those of
the program (`own_lists.py`), files that name their numbers (`by_scaler.py`), and scalers whose numbers are in
no file (`origin.scalers`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..origin.delimited import delimiter_of, fields_of
from ..origin.lined import rows_of_floats
from ..origin.tables import ANSWERS, Table, columns_wrong, heads, named, not_sent
from ..regex import regex
from ..spoken import filled_lines
from ..surroundings import text_in
from .exchanged_lists import among, in_another_order, own_lines
from .formulas import (
    EXACT,
    FEWEST,
    FEWEST_LINES,
    RIGHTLY,
    are_deviations,
    by_formula,
    by_root_of,
    is_clearly,
    same,
    unlike_width,
)
from .instructed import lists_of_constants
from .missing import mark_in, stood_in, swallowed, text_as_zero, without_marks
from .named import FAR, unlike_list
from .own_lists import lists_behind, runs_in
from .scaler_files import Lists, is_binary, lists_of
from .scanned import stopped
from .sheet import number_of, sheet_of

MOST_BYTES, MOST_LINES, MOST_STARTS = 1 << 18, 256, 3
FEW = 10.0
"""A whole number below this is in many lines."""
AWAY = 3.0
"""How many deviations the average of a column is off that was scaled by another one's numbers."""
AN_ID = regex(r"(?:^|[ _.-])(?:id|uid|nr|no)$|(?:patient|sample|record|case|subject)id$")
KINDS = 20
"""Classes are whole numbers below this."""
AS_PAIRS = "it has two lists one behind the other, which were read as pairs"
AS_HALVES = "it has pairs, which were read as two lists one behind the other"
AS_IS, BEGUN, RIGHT = "as it is", "begun", "rightly"


class Lines(Frozen):
    """The numbers of lines, NaN where there is none, their texts, and the headings, or ()."""

    numbers: Any
    raw: tuple[str, ...]
    headings: tuple[str, ...] = ()


class Found(Frozen):
    """How an input came from a line: `RIGHT`, `AS_IS`, with its first numbers alone (`BEGUN`), or what is
    wrong; "" if that isn't known. `said` is what is wrong with it, of the second and third what may be."""

    how: str = ""
    said: str = ""


def of_lists(files: Sequence[tuple[str, bytes]], row: Any, own: Callable[[], Iterable[Any]] = tuple) -> Found:
    """How an input came from a line of one file, by the numbers in others, or by those that the program
    has (`own`)."""
    if len(row) < FEWEST or not numpy.isfinite(row).all():
        return Found()
    with numpy.errstate(all="ignore"):
        for name, data in reversed(files):
            lines = lines_in(data) or raw_lines(data, len(row))
            others = [one for one in files if one[1] != data]
            if lines is None or lines.numbers.shape[1] < len(row):
                continue
            found = compared(lines, row, [*lists_of(others, len(row))], others)
            if not found.how:
                found = by_own(lines, row, own())
            if found.how:
                at = f"compared with {name}, {found.said}" if found.said else ""
                return Found(found.how, at)
    return Found()


def of_measured(files: Sequence[tuple[str, bytes]], row: Any) -> Found:
    """The same of an input with kinds behind or before what was measured, as zeros and ones that nobody
    scales: the lists are shorter by these, and a line has words in their place."""
    for part in measured(row):
        if next(lists_of(files, len(part)), None) is not None:
            found = of_lists(files, part)
            if found.how not in ("", BEGUN):
                return found
    return Found()


def measured(row: Any) -> Iterator[Any]:
    """The parts of an input from its beginning on, or to its end, without the zeros and ones beside them."""
    are_kinds = (row == 0) | (row == 1)
    for width in range(FEWEST, len(row)):
        if are_kinds[width:].all():
            yield row[:width]
        if are_kinds[:-width].all():
            yield row[-width:]


def by_own(lines: Lines, row: Any, own: Iterable[Any]) -> Found:
    """What is wrong with a line that was scaled by numbers of the program."""
    width, runs = len(row), runs_in(own, len(row))
    for start in range(min(MOST_STARTS, lines.numbers.shape[1] - width + 1) if runs else 0):
        window = lines.numbers[:, start : start + width]
        for lists in lists_behind(window, row, runs):
            if said := by_formula(window, row, lists) or in_another_order(window, row, lists):
                return Found("formula", said)
    return Found()


def of_program(texts: Iterable[bytes], row: Any, own: Sequence[Any]) -> str:
    """Returns what is wrong with an input that is a line of a table among a program's texts, or of its
    numbers, scaled by others of these, or "" if nothing is."""
    if len(row) < FEWEST or not numpy.isfinite(row).all() or not row.any():
        return ""
    with numpy.errstate(all="ignore"):
        for text in texts:
            lines = lines_in(text)
            found = Found() if lines is None else by_own(lines, row, own)
            if found.said:
                return f"compared with a table in the program, {found.said}"
        return among(own_lines(own, row), row)


def by_constants(files: Sequence[tuple[str, bytes]], row: Any, own: Callable[[], Any]) -> str:
    """What is wrong with an input that is a line of a file, scaled by numbers in a program's instructions, or
    "" if nothing is."""
    width, constants = len(row), own()
    with numpy.errstate(all="ignore"):
        for name, data in reversed(files) if len(constants) and numpy.isfinite(row).all() else ():
            if (lines := lines_in(data) or raw_lines(data, width)) is None:
                continue
            for start in range(min(MOST_STARTS, lines.numbers.shape[1] - width + 1)):
                window = lines.numbers[:, start : start + width]
                for lists in lists_of_constants(window, row, constants):
                    if said := by_formula(window, row, lists):
                        return f"compared with {name}, {said}"
    return ""


@lru_cache(16)
def lines_in(data: bytes) -> Lines | None:
    """Returns the lines of a file, or None if it is no table, which may have a single line."""
    if (sheet := sheet_of("", data)) is not None:
        return Lines(sheet.numbers[:MOST_LINES], sheet.raw[:MOST_LINES], sheet.headings)
    texts = filled_lines(text_in(data, MOST_BYTES))
    if len(texts) != 1:
        return None
    fields = fields_of(texts[0], delimiter_of(texts[0]))
    return Lines(numpy.array([[number_of(one) for one in fields]], "f8"), (texts[0],))


def raw_lines(data: bytes, width: int) -> Lines | None:
    """Returns the lines of a file of floats and nothing else, or None if it is no such file."""
    numbers = rows_of_floats(data, width) if is_binary(data) else None
    return None if numbers is None else Lines(numbers[:MOST_LINES], ())


def compared(
    lines: Lines, row: Any, every: Sequence[Lists], others: Sequence[tuple[str, bytes]] = ()
) -> Found:
    width, numbers = len(row), lines.numbers
    windows = [numbers[:, start : start + width] for start in range(numbers.shape[1] - width + 1)]
    for start, window in enumerate(windows):
        for lists in every:
            if said := by_the_other_width(window, row, lists):
                return Found("formula", said)
            if is_right(window, row, lists):
                said = mark_in(window, row, lists) or beside(windows, start, lists)
                said = said or by_headings(lines, start, lists)
                said = said or unlike_list(lines.headings, start, window, lists, others)
                if said := said or in_another_order(window, row, lists):
                    return Found("columns", said)
                said = next(filter(None, (misgrouped(window, row, one) for one in every)), "")
                return Found("groups", said) if said else Found(RIGHT)
    has_gaps = bool(every) and not numpy.isfinite(numbers).all()
    fields = [fields_of(one, delimiter_of(one)) for one in lines.raw] if has_gaps else []
    for start, window in enumerate(windows):
        texts = [one[start : start + width] for one in fields]
        for lists in every:
            said = by_formula(window, row, lists) or of_gaps(window, texts, row, lists)
            if said := said or text_as_zero(windows, start, row, lists):
                return Found("formula", said)
        for lists in [one for one in every if one.fits(window)]:
            if said := misgrouped(window, row, lists):
                return Found("formula", said)
            if lists.is_named and same(window, row):
                return Found(AS_IS, as_it_is(lists))
    if not lines.raw:
        return Found()
    if said := unread(lines, row, [one for one in every if any(map(one.is_of, windows))]):
        return Found("scan", said)
    if not row[1] and row[0] == int(row[0]) and abs(row[0]) < FEW:
        return Found()
    said = stopped(lines.raw, numbers, row, EXACT * (1 + abs(row)))
    return Found(BEGUN, said) if said else Found()


def of_gaps(window: Any, texts: Sequence[Sequence[str]], row: Any, lists: Lists) -> str:
    """Returns what is wrong with fields of a line in which no number stands, or "" if nothing is."""
    if not texts or numpy.isfinite(window).all() or any(len(one) != len(row) for one in texts):
        return ""
    return stood_in(window, texts, row, lists) or swallowed(window, texts, row, lists)


def is_right(window: Any, row: Any, lists: Lists) -> bool:
    """Whether an input is a line that was scaled by a usual formula, and not with the two lists exchanged."""
    fitting = [formula for formula in RIGHTLY if same(formula(window, *lists.both), row)]
    is_range = lists.is_bare and lists.is_range_of(window) and not lists.may_fit(window)
    if not fitting or (is_range and fitting == RIGHTLY[:1]):
        return False
    turned, known = Lists(lists.where, lists.deviations, lists.means, lists.is_named), without_marks(window)
    is_turned = turned.fits(known) or are_deviations(known, turned)
    return lists.fits(known) or not is_turned or not same(RIGHTLY[0](window, *lists.both), row)


def misgrouped(window: Any, row: Any, lists: Lists) -> str:
    """Returns what is wrong with an input that was scaled by a file's numbers as they are grouped otherwise
    than in the file, or "" if it wasn't: by its groups the line is usual, and by the others it isn't."""
    if not lists.is_of(window):
        return ""
    formula = RIGHTLY[0] if lists.fits(window) else RIGHTLY[1]
    for said, first, second in regrouped(*lists.both):
        if same(formula(window, first, second), row) and not Lists("", first, second, False).is_of(window):
            return (
                f"each column was scaled by other numbers of {lists.where} than its own: {said}; the first "
                f"column's are {lists.means[0]:g} and {lists.deviations[0]:g}, and it was scaled by "
                f"{first[0]:g} and {second[0]:g}"
            )
    return ""


def regrouped(one: Any, other: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yields what is wrong, and the two lists that come of it: of those that lie one behind the other pairs,
    and of those that lie in pairs the two halves."""
    for first, second in ((one, other), (other, one)):
        behind, beside = numpy.concatenate([first, second]), numpy.stack([first, second], 1).reshape(-1)
        for said, parts in ((AS_PAIRS, behind.reshape(-1, 2).T), (AS_HALVES, beside.reshape(2, -1))):
            yield said, parts[0], parts[1]
            yield said, parts[1], parts[0]


def by_the_other_width(window: Any, row: Any, lists: Lists) -> str:
    """Returns what is wrong with an input that was divided by the roots of deviations, or by variances, as
    the lines of the table tell which of them a file has, or "" if it wasn't."""
    fitting = [formula for formula in RIGHTLY if same(formula(window, *lists.both), row)]
    rooted = Lists(lists.where, lists.means, lists.deviations**0.5, lists.is_named)
    if fitting == [by_root_of] and are_widths(window, lists, rooted):
        return (
            f"each column was divided by the root of its second number in {lists.where}, as of a variance; "
            "by the lines of the table it is the deviation itself: is (x - mean) / deviation meant?"
        )
    if fitting == RIGHTLY[:1] and are_widths(window, rooted, lists):
        return (
            f"each column was divided by its second number in {lists.where}, which by the lines of the table "
            "is the variance: is its root to be taken, (x - mean) / sqrt(variance)?"
        )
    return ""


def are_widths(window: Any, own: Lists, other: Lists) -> bool:
    """Whether the columns of a table are about as wide as the second numbers of one, and not of the other."""
    off = window - own.means
    if len(off) < FEWEST_LINES or not numpy.isfinite(off).all() or not (own.deviations > 0).all():
        return False
    wide = numpy.sqrt((off**2).mean(axis=0))
    return is_clearly(*(unlike_width(wide, one.deviations) for one in (own, other)))


def by_headings(lines: Lines, start: int, lists: Lists) -> str:
    """Returns a hint if columns were scaled by numbers that aren't theirs, and their headings say that the
    answer or the number of the line is among them while another column isn't; "" if that is not so."""
    width = len(lists.means)
    off = (lines.numbers[:, start : start + width] - lists.means) / lists.deviations
    if len(lines.headings) != lines.numbers.shape[1] or not (abs(off.mean(axis=0)).max() > AWAY):
        return ""
    table = Table(lines.numbers, (), lines.headings)
    wrong = columns_wrong(table, start, width) or id_among(table, start, abs(off.mean(axis=0)))
    if not wrong:
        return ""
    place = int(abs(off.mean(axis=0)).argmax())
    return (
        f"{wrong}: column {start + place + 1} was scaled by {lists.means[place]:g} and "
        f"{lists.deviations[place]:g} of {lists.where}, by which it is {abs(off[:, place]).max():,.0f} "
        "deviations away: are the columns read one place too early or late?"
    )


def id_among(table: Table, start: int, away: Any) -> str:
    """Returns what is wrong if a column of ids was sent, which is as many deviations away as `away` says, and
    another column wasn't, or "" if that is not so. Sent as they are, ids may choose rows of a model."""
    names = heads(table)
    ids = [at for at, one in enumerate(away) if AN_ID.search(names[start + at]) and one > AWAY]
    left = [at for at in not_sent(table, start, len(away)) if names[at] not in ANSWERS]
    left = [at for at in left if not AN_ID.search(names[at])]
    if not ids or not left:
        return ""
    return f"{named(table, start + ids[0])}, an id, was sent, and {named(table, left[0])} was not"


def as_it_is(lists: Lists) -> str:
    return (
        f"its numbers were sent as they stand, though {lists.where}, which was read, has a mean and a "
        f"deviation for each ({lists.means[0]:g} and {lists.deviations[0]:g} for the first): are they "
        "never applied, (x - mean) / deviation?"
    )


def unread(lines: Lines, row: Any, every: Sequence[Lists]) -> str:
    """Of a line only the first numbers were read, and scaled with zeros behind them."""
    for mean, by in (lists.both for lists in every):
        for before, unit in ((row * by + mean, by), (row * (by - mean) + mean, abs(by - mean))):
            room = EXACT * (unit + abs(before))
            if said := stopped(lines.raw, lines.numbers, before, room):
                return said
    return ""


def beside(windows: Sequence[Any], start: int, lists: Lists) -> str:
    """Returns a hint about columns that were scaled by the numbers of those beside them, or "" if they
    weren't."""
    size = abs((windows[start] - lists.means) / lists.deviations)
    fitting = [at for at, window in enumerate(windows) if lists.fits(window)]
    # By the formula it is known which list has the means: of columns with small means others are as near.
    fitting = fitting or [at for at, window in enumerate(windows) if lists.may_fit(window)]
    if not (size.max() > FAR) or len(fitting) != 1 or fitting[0] == start:
        return ""
    right, width = fitting[0], len(lists.means)
    later, last = right > start, start if right < start else start + width
    sent, left = (start, last) if later else (start + width - 1, right)
    numbers = windows[start][:, 0 if later else -1]
    is_whole = bool((numbers == numpy.rint(numbers)).all() and (numbers >= 0).all())
    is_id = is_whole and len({*numbers.tolist()}) == len(numbers) > 1
    what = "the class, or the number of the line" if is_whole and (numbers < KINDS).all() else "an id"
    why = f" (is column {sent + 1} {what}?)" if what != "an id" or is_id else ""
    return (
        f"column {start + 1} was scaled by {lists.means[0]:g} and {lists.deviations[0]:g}, the first numbers "
        f"in {lists.where}, which are those of column {right + 1} by their size (up to {size.max():.0f} "
        f"deviations away, and {abs((windows[right] - lists.means) / lists.deviations).max():.1f} by "
        f"their own): column {sent + 1} was sent{why}, and column {left + 1} was not"
    )

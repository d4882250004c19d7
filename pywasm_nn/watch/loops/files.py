"""A state that goes on from one series to another, which is none of its continuation.

What is here: `kept_state`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from ...arrays import numpy
from ..origin.tables import Table, table_in
from ..regex import regex
from .round import Round

Files = Sequence[tuple[str, bytes]]
TIMES = (
    r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?"
    r"|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|spring"
    r"|summer|autumn|fall|winter|history|hist|past|warm_?up|burn_?in|yesterday|today|live|now|recent|latest"
)
"""These words name times that follow each other, or what is read to begin with."""
NUMBERED = regex(
    r"[\W\d_]+|(?<![a-z])(?:part|chunk|one|two|three|first|second|third|begin|end|am|pm|[a-d]"
    rf"|{TIMES})(?![a-z])"
)
"""Parts of names that differ where files continue each other."""
PIECE = regex(
    rf"(?<![a-z])(?:{TIMES}|part|chunk|piece|block|seg\w*|section|split|log|batch|begin|end|am|pm|days?"
    r"|nights?|weeks?|months?|years?|hours?|dates?|shifts?|cycles?|sessions?|runs?|laps?)(?![a-z])|\d{5}",
    re.IGNORECASE,
)
"""Words in the names of files that continue one series."""
DATE = regex(rb"\b\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?")
"""It matches dates, also with a time, that sort as they follow each other."""
SOUND = b"RIFF"
MOST_FIELDS = 64
"""A raw record has no more numbers than these."""
EVEN = 1e-3
"""The steps of a number that counts differ by less than this part of their size."""
FEWEST_LINES, TREND, AGAIN, LEAST_STEPS = 8, 0.7, 0.5, 2.0
"""The fewest lines of each of two series; the least correlation of a column with the numbers of its lines, by
which it goes one way; and how far it goes back between the two, as a part of its way and in its largest
steps."""


def kept_state(rounds: Sequence[Round], pairs: Sequence[tuple[int, int]], files: Callable[[], Files]) -> str:
    """Returns a hint about a state that wasn't set back to how it began when another series was read, or ""
    if there is none."""
    before, now = rounds[-2], rounds[-1]
    new = [path for path in now.opened[len(before.opened) :] if path not in before.opened]
    if len(new) != 1 or not before.opened:
        return ""
    for index, output in pairs:
        first, last, mine = (
            rounds[0].inputs.get(index), before.outputs.get(output), now.inputs.get(index)
        )  # fmt: skip
        if mine is None or last is None or not mine.equals(last) or mine.equals(first) or len(rounds) < 4:
            continue
        read, states = files(), {index for index, _ in pairs}
        old = before_of(new[0], before.opened, read) or raw_before(new[0], rounds, states, dict(read))
        if old is not None:
            return (
                f"{mine.what} goes on from {old} to {new[0]}, which was read since then: should each series "
                "begin with the state that the first one began with?"
            )
    return ""


def before_of(new: str, opened: Sequence[str], files: Files) -> str | None:
    """The series that was read before another one of the same kind, which doesn't continue it."""
    old = last_of_kind(new, opened)
    if old is None:
        return None
    may_continue = NUMBERED.sub("", old.lower()) == NUMBERED.sub("", new.lower())
    data = dict(files)
    one, other = data.get(old, b""), data.get(new, b"")
    if one == other:
        return None
    if one.startswith(SOUND) and other.startswith(SOUND):
        return None if may_continue else old
    tables = table_in(one), table_in(other)
    if tables[0] is None or tables[1] is None:
        return None
    is_later = continues(tables[0], tables[1]) or is_dated_later(one, other)
    if is_later or not alike(tables[0], tables[1]):
        return None
    if not may_continue:
        return old
    return old if not PIECE.search(new) and begins_again(tables[0], tables[1]) else None


def last_of_kind(new: str, opened: Sequence[str]) -> str | None:
    """Returns the file with the same ending that was opened last, or None."""
    kind = PurePosixPath(new).suffix
    return next((path for path in reversed(opened) if PurePosixPath(path).suffix == kind), None)


def raw_before(
    new: str, rounds: Sequence[Round], states: Container[int], files: Mapping[str, bytes]
) -> str | None:
    """Returns the series of raw records that was read before another one which doesn't continue it, or None.
    Both are sent from their first record on. Records of the older file are left behind the last one that was
    sent, or numbers jump between the two files as they do nowhere in either."""
    old = last_of_kind(new, rounds[-2].opened)
    records = [[one for index, one in each.inputs.items() if index not in states] for each in rounds]
    if old is None or PIECE.search(PurePosixPath(new).name) or any(len(one) != 1 for one in records):
        return None
    first, last, now = (records[at][0].flat for at in (0, -2, -1))
    data = [files.get(name, b"") for name in (old, new)]
    are_whole = all(one and len(one) % now.nbytes == 0 for one in data)
    if now.dtype.kind != "f" or now.size > MOST_FIELDS or not are_whole or data[0] == data[1]:
        return None
    one, other = (numpy.frombuffer(each, now.dtype).reshape(-1, now.size) for each in data)
    if min(len(one), len(other)) < FEWEST_LINES or (one[0] != first).any() or (other[0] != now).any():
        return None
    at = next((place for place, row in enumerate(one) if (row == last).all()), -1)
    with numpy.errstate(all="ignore"):
        most = abs(numpy.concatenate([numpy.diff(one, axis=0), numpy.diff(other, axis=0)])).max(axis=0)
        jumps = bool((abs(now - last) > LEAST_STEPS * most).any())
    return old if at >= 0 and (at < len(one) - 1 or jumps) else None


def alike(one: Table, other: Table) -> bool:
    """Whether two tables have the same columns."""
    return one.headings == other.headings and one.numbers.shape[1] == other.numbers.shape[1]


def continues(one: Table, other: Table) -> bool:
    """Whether a column that rises, as of times, goes on in the other table."""
    for column in range(min(one.numbers.shape[1], other.numbers.shape[1])):
        first, second = one.numbers[:, column], other.numbers[:, column]
        steps = numpy.diff(first)
        if steps.size and (steps > 0).all() and 0 < second[0] - first[-1] <= 2 * steps.max():
            return True
    return False


def is_dated_later(one: bytes, other: bytes) -> bool:
    """Returns whether the dates of a file go up, and those of the other one all come later."""
    dates, others = (DATE.findall(data) for data in (one, other))
    return len(dates) > 1 and dates == sorted(dates) and bool(others) and dates[-1] < min(others)


def begins_again(one: Table, other: Table) -> bool:
    """Whether a column goes the same way in both tables, and goes back between them, which a series that goes
    on doesn't. Lines that are only counted may be counted anew in each file."""
    if min(len(one.numbers), len(other.numbers)) < FEWEST_LINES:
        return False
    for first, second in zip(one.numbers.T, other.numbers.T, strict=True):
        steps = numpy.concatenate([numpy.diff(first), numpy.diff(second)])
        if not numpy.isfinite(steps).all() or numpy.ptp(steps) <= EVEN * abs(steps).max():
            continue
        ways = trend(first), trend(second)
        back, way = second[0] - first[-1], first[-1] - first[0]
        is_same = min(map(abs, ways)) > TREND and ways[0] * ways[1] > 0
        if is_same and -back * way >= AGAIN * way**2 and abs(back) > LEAST_STEPS * abs(steps).max():
            return True
    return False


def trend(column: Any) -> float:
    """The correlation of a column with the numbers of its lines."""
    return float(numpy.corrcoef(column, numpy.arange(len(column)))[0, 1]) if numpy.ptp(column) else 0.0

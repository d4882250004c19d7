"""A state that goes on from one series to another, which is none of its continuation.

What is here: `kept_state`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath

from ...arrays import numpy
from ..origin.tables import Table, table_in
from .round import Round

Files = Sequence[tuple[str, bytes]]
NUMBERED = re.compile(
    r"[\W\d_]+|(?<![a-z])(?:part|chunk|one|two|three|first|second|third|begin|end|am|pm|[a-d])(?![a-z])"
)
"""Parts of names that differ where files continue each other."""
SOUND = b"RIFF"


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
        if (old := before_of(new[0], before.opened, files())) is not None:
            return (
                f"{mine.what} goes on from {old} to {new[0]}, which was read since then: should each series "
                "begin with the state that the first one began with?"
            )
    return ""


def before_of(new: str, opened: Sequence[str], files: Files) -> str | None:
    """The series that was read before another one of the same kind, which doesn't continue it."""
    old = next(
        (path for path in reversed(opened) if PurePosixPath(path).suffix == PurePosixPath(new).suffix), None
    )
    if old is None or NUMBERED.sub("", old.lower()) == NUMBERED.sub("", new.lower()):
        return None
    data = dict(files)
    one, other = data.get(old, b""), data.get(new, b"")
    if one == other:
        return None
    if one.startswith(SOUND) and other.startswith(SOUND):
        return old
    tables = table_in(one), table_in(other)
    if tables[0] is None or tables[1] is None:
        return None
    return None if continues(tables[0], tables[1]) or not alike(tables[0], tables[1]) else old


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

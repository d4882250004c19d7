"""Finds one state that two series share, which are read in turns from two files or two columns of a file.
Each gets what the other one's state became, in a context of its own or in the same one.

What is here: `Shared`. What is not: series that follow each other (`files.py`), and two states of one context
(`states.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

from ...arrays import numpy
from ..origin.runs_of_columns import run_of
from ..origin.tables import Table, table_in, tables_in
from .files import Files, before_of
from .round import Round

ROUNDS = 3
"""The number of rounds in a row in which each of two contexts must get the other one's state."""
TURNS, MOST_ELEMENTS = 24, 64
"""The number of rounds of one context that are compared with two tables, and the most elements of a round."""
ROUGHER, NEARER = 1.5, 0.6
"""Numbers that two columns give in turns jump by more than the first factor times what a column moves. An
answer is nearer to the next number of its column than to the next that is sent, by the second factor."""
EVEN = 1e-3
"""Hours and other numbers that count go in steps that differ by less than this part of their range."""


class Shared:
    """Compares the states of the contexts of one graph."""

    def __init__(self, files: Callable[[], Files]) -> None:
        self._files = files
        self._last: dict[int | None, tuple[int | None, Round]] = {}
        """By graph, the last compute and its context."""
        self._taken: Counter[tuple[int | None, int | None, int]] = Counter()
        """In how many rounds in a row a context got the state that another one's became."""
        self._data: dict[int | None, list[tuple[Any, Any]]] = {}
        """Maps a context to the data of its first rounds, as long as the state goes on, each with the answers
        that are single numbers."""

    def computed(
        self, graph: int | None, number: int | None, rounds: Sequence[Round], pairs: Sequence[tuple[int, int]]
    ) -> str:
        """Returns a hint about a state that two contexts share, though they read different series, or "" if
        there is none. `rounds` are the last ones of a context, whose number is given."""
        other, before = self._last.get(graph, (number, rounds[-1]))
        self._last[graph] = number, rounds[-1]
        if len(rounds) < 2:
            return ""
        if other == number:
            return self._in_turns(number, rounds, pairs)
        for index, output in pairs:
            mine, its = rounds[-1].inputs.get(index), before.outputs.get(output)
            own = rounds[-2].outputs.get(output)
            if mine is None or its is None or not mine.equals(its) or mine.equals(own):
                self._taken[number, other, index] = 0
                continue
            self._taken[number, other, index] += 1
            if min(self._taken[number, other, index], self._taken[other, number, index]) < ROUNDS:
                continue
            if apart := self._series(rounds[-1].opened):
                return (
                    f"{mine.what} of context {number} was given {its.what} of context {other}, and the other "
                    f"way round, in each of {ROUNDS} rounds, though {apart[0]} and {apart[1]} were read, "
                    "which are two series: does each of them need a state of its own?"
                )
        return ""

    def _in_turns(self, number: int | None, rounds: Sequence[Round], pairs: Sequence[tuple[int, int]]) -> str:
        """Returns a hint about one context whose data are lines of two tables in turns, while the state goes
        on, or "" if they aren't."""
        before, now = rounds[-2:]
        kept, places = self._data.setdefault(number, []), {index for index, _ in pairs}
        if len(kept) > TURNS:
            return ""
        goes_on = all(
            one is not None and one.equals(before.outputs.get(output))
            for one, output in ((now.inputs.get(index), output) for index, output in pairs)
        )
        data = [one.flat for index, one in now.inputs.items() if index not in places]
        if not goes_on or not data or sum(map(len, data)) > MOST_ELEMENTS:
            kept.clear()
            return ""
        answers = numbers_in(now, {output for _, output in pairs})
        kept.append((numpy.concatenate(data).astype("f8"), answers))
        if len(kept) != TURNS or len({len(one) for one, _ in kept}) > 1:
            return ""
        rows = numpy.stack([one for one, _ in kept])
        apart = self._series(now.opened)
        if apart is None:
            return self._of_columns(rows, [one for _, one in kept])
        tables = dict(self._files())
        one, other = (table_in(tables[name]) for name in apart)
        if one is None or other is None or not are_in_turns(rows, one, other):
            return ""
        return (
            f"its data are lines of {apart[0]} and {apart[1]} in turns, which are two series, and one state "
            "goes on through both: does each of them need a state of its own?"
        )

    def _of_columns(self, rows: Any, answers: Sequence[Any]) -> str:
        """Returns a hint if two columns of a table are sent in turns, and the model forecasts the next number
        of each, or "" if not."""
        if len({len(one) for one in answers}) > 1 or not forecasts_own(rows, numpy.stack(answers)):
            return ""
        for name, table in tables_in(self._files()):
            found = columns_in_turns(rows, table)
            if found is not None:
                first, second = sorted(found)
                return (
                    f"its data are the numbers of columns {first + 1} and {second + 1} of {name} in turns, "
                    "its answers are nearer to the next number of the same column than to the next that is "
                    "sent, and one state goes on through both: does each column need a state of its own?"
                )
        return ""

    def _series(self, opened: Sequence[str]) -> tuple[str, str] | None:
        """Two files of one kind that were opened, and don't continue each other."""
        files = self._files()
        for place, new in enumerate(opened):
            if (old := before_of(new, opened[:place], files)) is not None:
                return old, new
        return None


def are_in_turns(rows: Any, one: Table, other: Table) -> bool:
    """Whether an element of every second row follows a column of one table, that of the others a column of
    the other one, and neither both."""
    halves = [[rows[at::2, place] for place in range(rows.shape[1])] for at in (0, 1)]
    own = [[any(follows(table, flat) for flat in half) for table in (one, other)] for half in halves]
    return own in ([[True, False], [False, True]], [[False, True], [True, False]])


def follows(table: Table, flat: Any) -> bool:
    """Returns whether a column of a table has numbers in a row that go on as these do, but not evenly."""
    return any(run_in(column, flat) >= 0 for column in table.numbers.T)


def numbers_in(now: Round, states: set[int]) -> Any:
    """Returns the answers of a round that are single numbers, and no states."""
    flat = [one.flat for index, one in now.outputs.items() if index not in states]
    return numpy.array([float(one[0]) for one in flat if one.size == 1 and one.dtype.kind == "f"])


def forecasts_own(rows: Any, answers: Any) -> bool:
    """Returns whether rows jump from one to the next, and some answer is near the number two rows on, but not
    near that of the next row, which a model that knows both series in turns would forecast."""
    for flat in rows.T:
        own, across = abs(flat[2:] - flat[:-2]).mean(), abs(numpy.diff(flat)).mean()
        for said in answers.T if across > ROUGHER * own > 0 else ():
            ahead, beside = abs(said[:-2] - flat[2:]).mean(), abs(said[:-2] - flat[1:-1]).mean()
            if ahead < NEARER * beside:
                return True
    return False


def columns_in_turns(rows: Any, table: Table) -> tuple[int, int] | None:
    """Returns the two columns of a table whose numbers an element of the rows has in turns, or None. The
    second column may begin in the next line."""
    for place in range(rows.shape[1]):
        one, other = ([run_in(column, rows[at::2, place]) for column in table.numbers.T] for at in (0, 1))
        for pair in permutations(range(len(one)), 2):
            if one[pair[0]] >= 0 and other[pair[1]] - one[pair[0]] in (0, 1):
                return pair
    return None


def run_in(column: Any, flat: Any) -> int:
    """Returns from which number on a column goes on as numbers do, scaled or not, or -1 if it doesn't, or if
    they go evenly."""
    return run_of(column, flat) if numpy.ptp(numpy.diff(flat)) >= EVEN * numpy.ptp(flat) else -1

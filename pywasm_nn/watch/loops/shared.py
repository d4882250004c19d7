"""One state for two series that are read in turns: each gets what the other one's became, in a context of
its own or in the same one.

What is here: `Shared`. What is not: series that follow each other (`files.py`), and two states of one context
(`states.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from ...arrays import numpy
from ..origin.runs_of_columns import run_of
from ..origin.tables import Table, table_in
from .files import Files, before_of
from .round import Round

ROUNDS = 3
"""The number of rounds in a row in which each of two contexts must get the other one's state."""
TURNS, MOST_ELEMENTS = 24, 64
"""The number of rounds of one context that are compared with two tables, and the most elements of a round."""
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
        self._data: dict[int | None, list[Any]] = {}
        """By context, the data of its first rounds, as long as the state goes on."""

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
        kept.append(numpy.concatenate(data).astype("f8"))
        apart = self._series(now.opened) if len(kept) == TURNS else None
        if apart is None or len({len(one) for one in kept}) > 1:
            return ""
        tables = dict(self._files())
        one, other = (table_in(tables[name]) for name in apart)
        if one is None or other is None or not are_in_turns(numpy.stack(kept), one, other):
            return ""
        return (
            f"its data are lines of {apart[0]} and {apart[1]} in turns, which are two series, and one state "
            "goes on through both: does each of them need a state of its own?"
        )

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
    """Whether numbers are, scaled or not, those of a column that follow each other and do not go evenly."""
    if numpy.ptp(numpy.diff(flat)) < EVEN * numpy.ptp(flat):
        return False
    return any(run_of(column, flat) >= 0 for column in table.numbers.T)

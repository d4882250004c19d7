"""Asks a model about a batch that was filled column by column, though the shape says row by row.

What is here: `columns_of`, which sees that elements lie in runs as long as the batch has rows, each of one
kind, and `Filled`, which asks the model about the rows that these make. What is not: batches whose lines
stand in a table (`origin/tables.py`), and windows, whose neighbours say their order (`series`).

Two signs are needed. Numbers lie around one level in each run, and jump where the next one begins, while the
columns of the batch as it was sent have no levels of their own; and to rows made of the runs the model gives
more different answers, or is far surer of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from .asking import MOST, Runs
from .sureness import Answer, mean

FEWEST_ROWS, MOST_COLUMNS, MOST_ELEMENTS = 5, 64, 1 << 12
TOLD, FEW, UNTOLD = 0.5, 3.0, 0.25
"""Parts of the variance: the least that lies between runs, what is added to that for few elements (divided by
their number), and the most that lies between columns as sent."""
MOVED = 0.75
"""Between runs that begin half a run later lies at most this part of what lies between the runs."""
CHANCE, ROOM = 1.6, 0.03
"""Within the runs, places must tell hardly more than by chance: at most so many times that, and so much
more."""
SURE, TIMES, NEARLY = 0.85, 2.0, 0.03
"""How sure answers to the rows are on average; how many times as large the doubt about those as sent is; and
by how much less sure answers may be if more of them differ."""


def columns_of(array: Any) -> Any:
    """Returns the rows of a batch, [rows, columns], whose columns lie one behind the other, or None if they
    don't."""
    rows, columns = array.shape if array.ndim == 2 else (0, 0)
    is_one = FEWEST_ROWS <= rows != columns and 2 <= columns <= MOST_COLUMNS and array.size <= MOST_ELEMENTS
    if not is_one or array.dtype.kind != "f" or not numpy.isfinite(array).all():
        return None
    flat = array.reshape(-1).astype("f8")
    runs = flat.reshape(columns, rows)
    if not (runs.std(axis=1) > 0).any() or levels(flat.reshape(rows, columns)) > UNTOLD:
        return None
    told, moved = levels(runs.T), levels(numpy.roll(flat, rows // 2).reshape(columns, rows).T)
    apart = runs - runs.mean(axis=1, keepdims=True)
    apart /= numpy.maximum(apart.std(axis=1, keepdims=True), 1e-12)
    chance = (rows - 1) / (array.size - 1)
    if (
        told < TOLD + FEW / array.size
        or moved > MOVED * told
        or levels(apart.reshape(rows, columns).T) > CHANCE * chance + ROOM
    ):
        return None
    return numpy.ascontiguousarray(array.reshape(columns, rows).T)


def levels(table: Any) -> float:
    """Which part of the variance of a table, [rows, columns], is that of its columns' means."""
    variance = float(table.var())
    return float(table.mean(axis=0).var()) / variance if variance else 0.0


class Filled:
    """Asks once about each model."""

    def __init__(self) -> None:
        self._asked: set[Any] = set()

    def rows(self, graph: Any, given: Sequence[Tensor]) -> Any:
        """Returns the rows to ask about, or None if there are none."""
        numbers = given[0].numbers() if len(given) == 1 and graph not in self._asked else None
        found = None if numbers is None else columns_of(numbers.reshape(given[0].shape))
        if found is not None:
            self._asked.add(graph)
        return found


def filled_by_columns(
    graph: Graph,
    inputs: Sequence[Tensor],
    rows: Any,
    sent: Sequence[Answer],
    seconds: float,
    most: float = MOST,
) -> str:
    """Returns a sentence if a model of one input knows the rows better than those that were sent, or "" if
    it doesn't. Raises NNError."""
    with Runs(graph, inputs, most, seconds=seconds) as runs:
        found = runs.rows(0, rows)
    few, many = (len({one.place for one in each}) for each in (sent, found))
    if len(found) != len(rows) or len(sent) != len(rows) or many < 2 or mean(found) < SURE:
        return ""
    is_more = many > few and mean(found) >= mean(sent) - NEARLY
    if not is_more and 1 - mean(sent) < TIMES * (1 - mean(found)):
        return ""
    count, width = rows.shape
    return (
        f'input 0 "{graph.inputs[0].name}": its elements lie in {width} runs of {count}, each around a level '
        f"of its own, as if all of the first column came first; the shape says {count} rows of {width}. With "
        f"a row of each place of the runs there are {many} different answers, {mean(found):.2f} sure on "
        f"average, as sent {few}, {mean(sent):.2f}: is element (row, column) put at column * {count} + row?"
    )

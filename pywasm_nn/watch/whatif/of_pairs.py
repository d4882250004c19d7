"""Asks a model about counts of pairs (of letters, of states, of bases) whose table was filled the wrong way
round: the second of a pair times the number of kinds, and the first added.

What is here: `chained`, which tells a table of the pairs or triples that follow one another in a sequence,
`Pairs`, which keeps rows of them, and `turned_round`. What is not: n-grams by a list (`gram_shares.py`).

Of such a table a row and the column of the same kind have the same sum, for what a pair ends with, the next
one begins with; so the elements say what they are, but not which way round they lie. That says the model,
which is surer of all rows turned round, and says no fewer different things.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from .asking import MOST, Runs
from .sureness import MOST_SURE, Answer, is_far_surer, mean

FEWEST_KINDS, MOST_ELEMENTS, FEWEST_PAIRS, MOST_ROWS, LOOKS = 4, 1 << 15, 12, 6, 12
"""Kinds of what is counted, elements of a row, different pairs in it, rows that are asked about, and inputs
that are looked at."""
FEWEST, ORDERS = 3, (2, 3)
"""Rows that are asked about before the guest has ended; what is counted: pairs, and triples."""
ENDS, UNEVEN = 2, 0.02
"""A sequence has two ends, at which the sums differ by one; how far shares may be from even ones."""
ONE = 1e-3
"""Sums that differ by a smaller part of an element's share are the same."""
LEAST, SURE, FAR, DOUBTS = 0.5, 0.8, 0.8, 2.0
"""How sure each answer is the other way round, and all are on average; how sure those as sent are at most, as
a part of that, and how many times as large the doubt about them is."""
SURER, ALONE, MIXED = 0.9, 0.7, 3
"""The same of one or two rows; and so many random orders of the kinds are asked about then."""


def chained(row: Any) -> Any:
    """Returns a row of counts, or of their shares, as the table of pairs or triples that it is, or None if it
    is none or lies the same both ways round."""
    if numpy.count_nonzero(row) < FEWEST_PAIRS or row.min() < 0 or not numpy.isfinite(row).all():
        return None
    for order in ORDERS:
        kinds = round(row.size ** (1 / order))
        if kinds < FEWEST_KINDS or kinds**order != row.size:
            continue
        table = row.reshape((kinds,) * order)
        apart = abs(table.sum(axis=-1) - table.sum(axis=0))
        ends = apart[apart > ONE * row.sum() / row.size]
        if ends.size:  # where sums are apart by one
            counts = row / ends.min()
            is_counted = abs(counts - counts.round()).max() <= UNEVEN
            if ends.size > ENDS or ends.max() > (1 + UNEVEN) * ends.min() or not is_counted:
                continue
        if (table != table.T).any():
            return table
    return None


class Kept:
    """Rows of one graph, each as its table, with the answers to them."""

    def __init__(self, event: NNEvent, looked: int = 0) -> None:
        self.event, self.looked = event, looked
        self.tables: list[Any] = []
        self.sent: list[Answer] = []
        self.given: Sequence[Tensor] = ()


class Pairs:
    """By graph, the first rows that are such tables, until the model is asked about them."""

    def __init__(self) -> None:
        self._kept: dict[Any, Kept] = {}

    def take(self, event: NNEvent, given: Sequence[Tensor], answers: Sequence[Answer]) -> Kept | None:
        """An input was computed. Returns the first rows if they are enough to ask about, and are doubted."""
        graph = event.graph_id
        kept = self._kept.setdefault(graph, Kept(event))
        kept.looked += 1
        numbers = given[0].numbers() if kept.looked <= LOOKS and answers else None
        if numbers is None or numbers.size > MOST_ELEMENTS * len(answers) or numbers.size % len(answers):
            return None
        for row, answer in zip(numbers.reshape(len(answers), -1).astype("f8"), answers, strict=True):
            table = chained(row) if len(kept.tables) < MOST_ROWS else None
            if table is not None and not any((table == one).all() for one in kept.tables):
                kept.tables.append(table)
                kept.sent.append(answer)
        kept.event, kept.given = event, given
        if len(kept.tables) < FEWEST or mean(kept.sent) > FAR:
            return None
        self._kept[graph] = Kept(event, LOOKS)
        return kept

    def has_any(self, graph: Any) -> bool:
        """Whether some rows of a graph may be asked about later."""
        return graph in self._kept and bool(self._kept[graph].tables)

    def rest(self) -> list[Kept]:
        """The rows of graphs that weren't asked about."""
        rest = [one for one in self._kept.values() if one.tables and mean(one.sent) <= FAR]
        self._kept.clear()
        return rest


def turned_round(graph: Graph, kept: Kept, seconds: float, most: float = MOST) -> str:
    """A sentence if a model of one input is surer of tables of pairs whose kinds are exchanged, or "". Raises
    NNError."""
    given = kept.given[0]
    array = given.numpy()
    found: list[Answer] = []
    with Runs(graph, kept.given, most, seconds=seconds) as runs:
        for table in kept.tables:
            one = answer_to(runs, table.T, array)
            if one is None:
                break
            found.append(one)
        sent = kept.sent[: len(found)]
        if len(found) < min(FEWEST, len(kept.tables)) or not are_meant(sent, found):
            return ""
        if len(found) < FEWEST and is_sure_of_any(runs, kept.tables[0], array, found[0]):
            return ""
    what = "pairs" if kept.tables[0].ndim == 2 else "triples"
    kinds = len(kept.tables[0])
    return (
        f'input 0 "{graph.inputs[0].name}": its elements count the {what} of {kinds} kinds that follow one '
        f"another in a sequence; with the first and the last kind of each exchanged the answers are "
        f"{mean(found):.2f} sure on average, as sent {mean(sent):.2f}: is the place first * {kinds} "
        f"+ second, and not second * {kinds} + first?"
    )


def answer_to(runs: Runs, table: Any, array: Any) -> Answer | None:
    """Returns the answer to a table in place of an input. A batch has the same one in all its rows, as a
    model may want just so many."""
    count = array.size // table.size
    made = numpy.tile(table.reshape(-1), count).astype(array.dtype).reshape(array.shape)
    return runs.changed(0, made) if count == 1 else next(iter(runs.rows(0, made)), None)


def is_sure_of_any(runs: Runs, table: Any, array: Any, found: Answer) -> bool:
    """Whether a model is as sure of one table, the other way round, if its kinds are in random orders: then
    it is sure of anything."""
    order, sures = numpy.random.default_rng(0), []
    for _ in range(MIXED):
        turned = table.T
        kinds = order.permutation(len(table))
        for axis in range(turned.ndim):
            turned = turned.take(kinds, axis)
        other = answer_to(runs, turned, array)
        sures.append(1.0 if other is None else other.sure)
    return sum(sures) / MIXED > FAR * found.sure


def are_meant(sent: Sequence[Answer], found: Sequence[Answer]) -> bool:
    """Whether answers are surer than those as sent, say other things, and no fewer different ones."""
    if all(one.place == other.place for one, other in zip(sent, found, strict=True)):
        return False
    if len({one.place for one in found}) < len({one.place for one in sent}) - 1:
        return False
    if any(one.margin > MOST_SURE for one in found):
        return False
    if len(found) < FEWEST:
        pairs = zip(sent, found, strict=True)
        return all(
            two.sure >= SURER and (one.sure <= ALONE * two.sure or is_far_surer(two, one))
            for one, two in pairs
        )
    are_sure = min(one.sure for one in found) >= LEAST and mean(found) >= SURE
    return are_sure and mean(sent) <= FAR * mean(found) and 1 - mean(sent) >= DOUBTS * (1 - mean(found))

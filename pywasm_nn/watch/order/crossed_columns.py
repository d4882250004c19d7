"""Two inputs that got each other's column of a table, by words in the names of the inputs and in the headings
of the columns: indoor and outdoor, or the same words.

What is here: `CrossedColumns`, for windows, and for one number in each of several computes. What is not:
files of their own (`assigned.py`), and elements of one input (`sheets/named.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from ...arrays import numpy
from ...nn.operation import NNEvent
from ...records import Frozen
from ..follower import Follower, inputs_of
from ..origin.runs_of_columns import room_of, run_of
from ..origin.tables import Table, heads, named, tables_in
from ..surroundings import Files
from .crossed import contradicted_words, parts

FEWEST, DIFFERENT, MOST, MOST_COMPUTES, MOST_TEXT = 5, 3, 4096, 64, 1 << 18
"""Numbers of an input, or of it in all computes, different ones, and bytes of an input; computes that are
looked at; and bytes of a file."""


class Column(Frozen):
    """A column that an input is a part of, and its heading."""

    file: str
    said: str
    heading: str


class CrossedColumns(Follower):
    """Gives a hint at the end."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._set: dict[Any, dict[int, tuple[str, Any]]] = {}
        """By context, the names and elements of inputs."""
        self._computed: list[dict[int, tuple[str, Any]]] = []

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None or len(self._computed) >= MOST_COMPUTES:
            return
        kept = self._set.setdefault(event.context_id, {})
        for index, spec, tensor in inputs_of(event):
            numbers = tensor.numbers() if tensor.size <= MOST else None
            kept.pop(index, None)
            if numbers is not None and numbers.dtype.kind == "f":
                kept[index] = spec.name, numbers.reshape(-1).copy()
        if event.operation == "compute" and len(kept) > 1:
            self._computed.append(dict(kept))

    def finish(self) -> Iterator[tuple[str, str]]:
        """The hint, if both inputs are columns of one table, and their names say that these are exchanged."""
        shared = sorted(set.intersection(*map(set, self._computed))) if self._computed else []
        names = {index: self._computed[0][index][0] for index in shared}
        if len({*names.values()}) < len(names) or len(names) < 2:
            return
        known = [*tables_in(self._files(), MOST_TEXT)]
        columns = {index: column_of([one[index][1] for one in self._computed], known) for index in shared}
        for first, second in combinations(shared, 2):
            one, other = columns[first], columns[second]
            if one is None or other is None or one.file != other.file or one.heading == other.heading:
                continue
            if are_exchanged((names[first], names[second]), (one.heading, other.heading)):
                yield (
                    "origin",
                    f'input {first} "{names[first]}" is {one.said} of {one.file}, and input {second} '
                    f'"{names[second]}" is {other.said}: are the two inputs exchanged?',
                )
                return


def column_of(given: Sequence[Any], tables: Sequence[tuple[str, Table]]) -> Column | None:
    """Returns the only column that an input is a part of, or None if there is none, or several."""
    own = numpy.concatenate(given) if all(one.size == 1 for one in given) else given[0]
    if own.size < FEWEST or len(numpy.unique(own)) < DIFFERENT:
        return None
    found = [one for name, table in tables for one in columns_in(table, name, own)]
    return found[0] if len({one.heading for one in found}) == 1 else None


def columns_in(table: Table, name: str, own: Any) -> Iterator[Column]:
    """The columns with a heading of which numbers are a part, in their order or turned."""
    for column, heading in enumerate(heads(table)):
        there = table.numbers[:, column]
        if len(there) >= own.size and any(
            run_of(there, one, room_of(own)) >= 0 for one in (own.astype("f8"), own[::-1].astype("f8"))
        ):
            yield Column(name, named(table, column), heading)


def are_exchanged(names: tuple[str, str], headings: tuple[str, str]) -> bool:
    """Whether the names of two inputs say that each has the column of the other."""
    (first, second), (one, other) = (tuple(map(parts, each)) for each in (names, headings))
    return (first == other and second == one) or contradicted_words(first, second, one, other)

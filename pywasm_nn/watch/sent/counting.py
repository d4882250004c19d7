"""Characters and words that a guest counts from another number than its model does.

What is here: `Counting`, which compares how an input counts with the rows of the model's table. What is not:
how it counts (`origin.counted`), and rows of users and the like (`lookups.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...nn.formats.format import Column, rows_of_tables
from ...nn.tensor import Tensor
from ...records import changed
from ..origin.counted import MOST_ELEMENTS, Counted, counted
from ..origin.following import Origins

MOST_LOOKS = 4
"""So many inputs of each kind are looked at."""


class Counting:
    """Follows inputs that are looked up in a table."""

    def __init__(self, origins: Origins) -> None:
        self._origins = origins
        self._rows: dict[int | None, Mapping[int, int]] = {}
        self._looked: dict[Any, int] = {}

    def loaded(self, graph: int | None, columns: Mapping[int, Sequence[Column]]) -> None:
        """A model was loaded; `columns` say what it knows of its inputs' elements."""
        self._rows[graph] = rows_of_tables(columns)

    def rows(self, graph: int | None, index: int) -> int:
        """How many rows the table has in which an input is looked up; 0: unknown."""
        return self._rows.get(graph, {}).get(index, 0)

    def set(self, graph: int | None, index: int, tensor: Tensor) -> tuple[str, Counted | None]:
        """Returns what is wrong with how an input counts, or how it counts if the model is to be asked about
        it."""
        rows, looked = self.rows(graph, index), self._looked.get((graph, index), 0)
        numbers = tensor.numbers() if rows and looked < MOST_LOOKS else None
        if numbers is None or numbers.dtype.kind not in "iu" or numbers.size > MOST_ELEMENTS:
            return "", None
        self._looked[graph, index] = looked + 1
        origins = self._origins
        texts = [*origins.arguments, *origins.constants]
        files, alphabets, row = origins.files(), [*origins.alphabets.values()], numbers.tolist()
        how = counted(files, alphabets, texts, row)
        if how is None and (back := counted(files, alphabets, texts, row[::-1])) is not None:
            how = changed(back, is_backwards=True)
        if how is None:
            return "", None
        wrong = how.beyond(rows)
        return wrong, None if wrong else how

"""`NamedAfter`: what the last input of each context shows, by the name of the file that it came from, or by a
label beside it.

What is here: which file that is. What is not: the names of classes (`depicted.py`), and the search for a file
(`origin`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...interpreter.runtime.deadline import paused
from ..budget import Budget
from ..depicted import Depicted, Names
from ..origin import Origin
from ..whatif.several import Shows
from .labels_beside import Label, label_beside


class NamedAfter:
    """Keeps the files that inputs came from."""

    def __init__(self, names: Names, budget: Budget) -> None:
        self._names, self._budget = names, budget
        self._came: dict[int | None, str] = {}
        """By context, the file of its last input of which that is known."""
        self._labels: dict[int | None, Label | None] = {}
        """By context, the label of its last input, if a file of labels lies beside the pictures."""
        self._read = 0
        """How many pictures, sounds and the like were read before the last input."""

    def read(self, context: int | None, media: Sequence[tuple[int, str, int]]) -> None:
        """An input is set, before which these were read. If one of them is new, the input probably comes from
        that, also where nobody looks for its elements in the file, or finds them there."""
        if len(media) == self._read + 1:
            self._came[context] = media[-1][1]
        self._read = len(media)

    def found(self, context: int | None, origin: Origin, place: Path | None) -> None:
        """It is known how the input came from a file, which the host has at a place."""
        self._came[context] = origin.source.name
        self._labels[context] = label_beside(origin, place)

    def shows(self, context: int | None, count: int) -> Shows:
        """Returns what the last input of a context shows by its file's name, if there are so many classes."""
        file, label = self._came.pop(context, ""), self._labels.pop(context, None)

        def shows() -> Depicted | None:
            if label is not None and (found := label.depicted(count)) is not None:
                return found
            with paused(), self._budget.comparing() as left:
                return self._names.depicted(file, count, may_count=True) if left() else None

        return shows

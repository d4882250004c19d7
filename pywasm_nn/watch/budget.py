"""`Budget`: how long a trace may search for where inputs came from, and ask the model again.

What is here: the only clock that these searches ask. What is not: the bounds on their work (how many files,
sizes, recipes and changes are tried), which end nearly all of them before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import thread_time

Left = Callable[[], bool]
"""Whether there is time for another step of a search."""

INFERENCES = 12
"""All searches and questions take at most so many times as long as one inference of the guest."""
SEARCHING, ASKING = 1.5, 0.5
"""Seconds for searches and for questions that there are even if inferences are short."""
SHARE = 0.6
"""One search takes at most this part of the time that is left: another input may be worth it."""

LEAST = 0.1
"""Searches are not begun with less."""


def always() -> bool:
    """There is always time."""
    return True


def never() -> bool:
    """Only the first step of a search is taken."""
    return False


class Budget:
    """The time that one guest's trace has. Time of the processor, so that a busy machine changes nothing."""

    def __init__(self) -> None:
        self._one = 0.0
        self._searched = self._asked = 0.0
        self._end: float | None = None

    def inferred(self, seconds: float | None) -> None:
        """The guest's model took so long. The longest inference counts."""
        self._one = max(self._one, seconds or 0.0)

    @contextmanager
    def searching(self) -> Iterator[Left]:
        """A search begins, which asks what it is given whether it may go on."""
        began = thread_time()
        left = max(SEARCHING, INFERENCES * self._one - max(ASKING, self._asked)) - self._searched
        end = began + (SHARE * left if left > LEAST else 0.0)
        try:
            yield lambda: thread_time() < end
        finally:
            self._searched += thread_time() - began

    def for_asking(self) -> float:
        """The seconds that are left for questions to the model."""
        return max(ASKING, INFERENCES * self._one - self._searched) - self._asked

    def asked(self, seconds: float) -> None:
        """Questions took so long."""
        self._asked += seconds

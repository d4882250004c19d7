"""Files that are read line by line: is the model run once more after the last one?

What is here: `Ended`. What is not: files that are read in pieces (`streams.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any
from zlib import crc32

from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ..follower import Follower
from ..loops.standing import MEASURED
from ..origin.tables import table_in
from ..regex import regex
from ..spoken import Heard, filled_lines
from ..surroundings import Files

WHOLE = regex(r"(?<![\w.,])\d+(?![\w]|[.,]\d)")
"""It matches whole numbers, which may count the lines."""
FEWEST, MOST = 4, 4096
"""Lines of a file."""
MOST_BYTES, MOST_FILE = 1 << 16, 1 << 18


class Ended(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._given: dict[Any, dict[int, int]] = {}
        """By context, the checksum of each input."""
        self._sums: dict[Any, list[int]] = {}
        """By model, the checksum of the inputs of each compute."""
        self._heard = Heard()

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._sums:
            self._heard.add(event)

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None:
            return
        if event.operation.startswith("set_input") and event.index is not None and event.tensors:
            view = event.tensors[0].view()
            given = self._given.setdefault(event.context_id, {})
            given[event.index] = crc32(view[:MOST_BYTES])
        elif event.operation == "compute":
            sums = self._sums.setdefault((event.graph_id, event.model), [])
            if len(sums) <= MOST:
                sums.append(hash(tuple(sorted(self._given.get(event.context_id, {}).items()))))

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        for sums in self._sums.values():
            count = len(sums) - 1
            if count < FEWEST or sums[-1] != sums[-2] or any(one == two for one, two in pairwise(sums[:-1])):
                continue
            if not is_told_again(self._heard.text, count):
                continue
            for name, data in self._files():
                if lines_in(data) == count:
                    yield (
                        "stale",
                        f"{name} has {count} lines for the model, which was run {count + 1} times, the last "
                        "time on the same input again: was the end of the file noticed only after a read "
                        "that failed (while not feof)?",
                    )
                    return


def is_told_again(text: str, count: int) -> bool:
    """Returns whether a guest that writes a line or more of each of so many inputs repeats the last line, but
    for whole numbers. A guest that asks of an input on purpose once more says so, or something else of it."""
    lines = [WHOLE.sub("#", one.strip()) for one in filled_lines(text)]
    if MEASURED.search(text):
        return False
    return len(lines) <= count or any(one == two for one, two in pairwise(lines[count - 1 :]))


def lines_in(data: bytes) -> int:
    """How many lines a file has, of which the last two differ: those of numbers, if it is a table; else 0."""
    if len(data) > MOST_FILE or b"\0" in data:
        return 0
    lines = filled_lines(data)
    if len(lines) < FEWEST or lines[-1] == lines[-2] or max(Counter(lines).values()) > len(lines) / 2:
        return 0
    table = table_in(data)
    return len(lines) if table is None else len(table.numbers)

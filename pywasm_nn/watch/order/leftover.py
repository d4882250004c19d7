"""The last batch of a file, which has fewer items than the others: does the guest also write of rows that
have none?

What is here: `Leftover`. What is not: pieces of a file that are one input each (`streams.py`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ..follower import Follower
from ..origin.tables import table_in
from ..spoken import Heard, filled_lines
from ..surroundings import Files
from .streams import header_of

MOST_BYTES = 1 << 20
IDX = 16
"""Bytes of the header of an IDX file."""
DIGIT = re.compile(r"\d")


class Leftover(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._last: dict[Any, list[Any]] = {}
        """By model and input, the last two batches."""
        self._sets: Counter[Any] = Counter()
        self._heard = Heard()

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None or not event.operation.startswith("set_input") or not event.tensors:
            return
        tensor = event.tensors[0]
        numbers = tensor.numbers() if tensor.nbytes <= MOST_BYTES else None
        if numbers is None or len(tensor.shape) < 2 or tensor.shape[0] < 2:
            return
        key = event.graph_id, event.model, event.index
        last = self._last.setdefault(key, [])
        last.append(numbers.reshape(tensor.shape[0], -1).copy())
        del last[:-2]
        self._sets[key] += 1

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._sets:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        lines = groups(self._heard.text)
        for key, last in self._last.items():
            sets, items = self._sets[key], len(last[-1])
            if len(last) < 2 or last[0].shape != last[1].shape or sets * items not in lines:
                continue
            for name, count in self._counts(last[-1]):
                rest = count - items * (sets - 1)
                if 0 < rest < items and count not in lines and is_left(last, rest):
                    yield (
                        "stale",
                        f"{name} has {count} items, which were sent in {sets} batches of {items}, so "
                        f"that the last one has {rest}; the guest writes {sets * items} lines: rows from "
                        f"{rest} on of the last answer belong to the batch before, or to nothing",
                    )
                    return

    def _counts(self, batch: Any) -> Iterator[tuple[str, int]]:
        """How many items each file has."""
        size = batch.shape[1]
        for name, data in self._files():
            table = table_in(data)
            if table is not None and table.numbers.shape[1] >= size:
                yield name, len(table.numbers)
                continue
            for width in {1, batch.itemsize}:
                for header in {0, IDX, header_of(data)}:
                    count, rest = divmod(len(data) - header, width * size)
                    if not rest and count > 1:
                        yield name, count


def groups(text: str) -> set[int]:
    """How many lines of one kind a text has: those that begin alike, up to a number, or have as many
    words."""
    lines = [line.strip() for line in filled_lines(text)]
    found = Counter(DIGIT.split(one)[0] if DIGIT.search(one) else str(len(one.split())) for one in lines)
    return {*found.values()}


def is_left(last: Sequence[Any], rest: int) -> bool:
    """Whether the rows behind the first ones are those of the batch before, or have nothing."""
    before, now = (one[rest:] for one in last)
    return bool((before == now).all() or (now == now.flat[0]).all())

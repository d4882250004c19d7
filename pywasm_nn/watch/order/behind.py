"""Inputs that are set after compute in each round, so that each answer is that to the input before.

What is here: `Behind`. What is not: answers that are fetched before compute (`early.py`), buffers that are
filled after set_input (`hints`), and lines that are written before their answer (`probes/series.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from zlib import crc32

from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ..follower import Follower

READING = ("fd_read", "fd_pread", "path_open")


FEWEST = 3
"""So many answers at least are fetched behind the input of their round."""
MOST_BYTES = 1 << 20
"""Tensors that begin alike for so long are the same."""


def sum_of(tensor: Tensor) -> int:
    return crc32(tensor.view()[:MOST_BYTES])


class Turns:
    """What happened in one context."""

    def __init__(self) -> None:
        self.waits: dict[int, tuple[str, int]] = {}
        """Inputs that were set since the last compute: their names, and a sum of their bytes."""
        self.computed: dict[int, int] = {}
        """Sums of the inputs of the last compute."""
        self.first: dict[int, int] = {}
        """Sums of the inputs of the first compute."""
        self.answers: set[int] = set()
        """Sums of what was answered: a state is set after compute, too."""
        self.computes = 0
        self.is_set = False
        """Whether any input was set."""
        self.set_since = False
        """Whether any was since the last compute."""
        self.fetched = False
        self.begins_without = False
        """The first compute had no input."""
        self.begins_twice = False
        """The inputs of the first compute were set again behind it."""
        self.read_before = 0
        """Computes between which and their inputs a file was read."""
        self.has_read = False
        self.begins_empty = False
        """The first compute had a buffer of one value (to warm up), and so had the next one."""
        self.took_empty = False
        """The answer to that was fetched with an input set already, and none computed."""
        self.behind = 0
        """Computes whose answer was fetched with the next input set already."""
        self.in_turn = False
        """An answer was fetched before the next input was set, other than that of the warm-up."""

    def set(self, index: int, name: str, tensor: Tensor) -> None:
        sum_ = sum_of(tensor)
        numbers = tensor.numbers()
        is_empty = numbers is not None and bool((numbers == numbers.reshape(-1)[:1]).all())
        self.waits.pop(index, None)
        self.set_since = True
        if sum_ not in self.answers and not is_empty:  # a buffer that is cleared
            self.waits[index] = name, sum_
        if self.computes == 1 and self.first.get(index) == sum_:
            self.begins_twice = True
        self.is_set = True
        self.has_read = False

    def compute(self, event: NNEvent) -> None:
        if not self.computes:
            self.first = {index: sum_ for index, (_, sum_) in self.waits.items()}
            self.begins_empty = self.is_set and not self.waits
        elif self.computes == 1:
            self.begins_empty = self.begins_empty and not self.set_since
        self.set_since = False
        self.computed |= {index: sum_ for index, (_, sum_) in self.waits.items()}
        self.computes += 1
        self.read_before += self.has_read
        self.answers |= {sum_of(tensor) for tensor in event.tensors}
        self.waits, self.fetched, self.has_read = {}, False, False

    def fetch(self) -> None:
        if self.computes > 1 and not self.fetched:
            self.took_empty = self.took_empty or bool(self.waits and not self.computed)
            self.behind += bool(self.waits)
            self.in_turn = self.in_turn or not self.waits
        self.fetched = True

    def wrong(self) -> str:
        """Returns what is wrong with the order of calls, or "" if nothing is."""
        waits = [
            (index, name) for index, (name, sum_) in self.waits.items() if self.computed.get(index) != sum_
        ]
        is_twice = self.begins_twice and self.computes > 1
        is_read = self.computes > 1 and self.read_before >= self.computes - 1
        # A guest that fetches an answer while the next input waits may stop before that one is computed. But
        # it has no need to compute an empty input again, nor of the answer to that.
        is_empty = self.begins_empty and self.took_empty and self.behind >= FEWEST and not self.in_turn
        is_behind = self.begins_without or is_twice or is_read or is_empty
        if not waits or not self.fetched or not is_behind:
            return ""
        index, name = waits[0]
        begins = " (the first is computed twice)" if is_twice else ""
        begins = " (the first is computed with an empty one)" if is_empty else begins
        begins = " (the first compute has none)" if self.begins_without else begins
        count = self.computes - is_empty
        rounds = "after compute" if count == 1 else f"after each of {count} computes"
        return (
            f'input {index} "{name}" is set {rounds}, so that each answer is that to the input before'
            f"{begins}, and the last one was never computed: set_input has to come before compute"
        )


class Behind(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self) -> None:
        self._turns: dict[int | None, Turns] = {}

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if event.name in READING and event.error is None:
            for turns in self._turns.values():
                turns.has_read = bool(turns.waits)

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        turns = self._turns.setdefault(event.context_id, Turns())
        if event.operation == "compute" and not turns.is_set and not event.given:
            turns.begins_without = True
        if event.error is not None:
            return
        if event.operation.startswith("set_input") and event.index is not None and event.tensors:
            turns.set(event.index, event.specs[0].name, event.tensors[0])
        elif event.operation == "compute":
            turns.compute(event)
        elif event.operation.startswith("get_output"):
            turns.fetch()

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        if wrong := next(filter(None, (one.wrong() for one in self._turns.values())), ""):
            yield "stale", wrong

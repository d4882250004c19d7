"""Several contexts that were mixed up: one is computed, and another one's answer fetched; or one gets an
input, and another one is computed.

What is here: `Contexts`, which counts what is done with each. What is not: answers that are fetched too early
(`early.py`), and runs on inputs from before (`rounds.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from zlib import crc32

from ...nn.operation import NNEvent
from ..follower import Follower

MOST_CONTEXTS = 64
MOST_BYTES = 1 << 16
"""Bytes of an input that are compared."""


class Context:
    """What was done with a context so far."""

    def __init__(self) -> None:
        self.inputs: set[int] = set()
        """It holds the checksums of the inputs, but for those of zeros, with which guests warm up."""
        self.sets = 0
        """It counts how often one of these was set."""
        self.waits = False
        """Whether an input was set since the last compute."""
        self.computes = 0
        self.again = 0
        """Computes without a new input."""
        self.is_fetched = False
        """Whether any answer was ever fetched."""
        self.fetched: Counter[int] = Counter()
        """By output, how often it was fetched since the last compute."""
        self.more = 0
        """How often an answer was fetched that had been fetched before."""


class Contexts(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self) -> None:
        self._contexts: dict[int, Context] = {}

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        number = event.context_id
        if event.error is not None or number is None:
            return
        if number not in self._contexts and len(self._contexts) >= MOST_CONTEXTS:
            return
        one = self._contexts.setdefault(number, Context())
        if event.operation.startswith("set_input") and event.tensors:
            data = event.tensors[0].view()[:MOST_BYTES]
            if data.tobytes().strip(b"\0"):
                one.inputs.add(crc32(data))
                one.sets += 1
            one.waits = True
        elif event.operation == "compute":
            one.again += not one.waits and not event.given
            one.computes += 1
            one.waits = False
            one.is_fetched = one.is_fetched or event.delivered
            one.fetched.clear()
        elif event.operation.startswith("get_output"):
            index = event.index or 0
            one.more += one.fetched[index] > 0
            one.fetched[index] += 1
            one.is_fetched = True

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        for number, one in self._contexts.items():
            for other, two in self._contexts.items():
                if number == other or not one.inputs - two.inputs:
                    continue
                if one.computes and not one.is_fetched and two.more == one.computes:
                    yield (
                        "stale",
                        f"context {number} was computed {times(one.computes)}, and its answer never fetched; "
                        f"that of context {other} was fetched {times(two.more)} more than it was computed: "
                        "does get_output name the context that was computed?",
                    )
                    return
                # More computes than inputs are a measurement of how long one takes.
                if not one.computes and 0 < two.again <= one.sets:
                    yield (
                        "stale",
                        f"context {number} got an input and was never computed; context {other} was computed "
                        f"{times(two.again)} without a new one: does compute name the context that got the "
                        "input?",
                    )
                    return


def times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"

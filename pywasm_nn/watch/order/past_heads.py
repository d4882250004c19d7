"""Windows of a stream with a few elements of the window before in front of them: are these its last ones?

What is here: `PastHeads`, which sees that they are its first ones. What is not: pieces in front that stay as
they were at the beginning (`loops/going_on.py`), and windows that overlap as a whole.

Stacks of frames are left alone, in which the same numbers may rightly stand one place further to the front in
each input: there more than the first elements come again, or all parts are equally long.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...nn.operation import NNEvent
from ..follower import Follower, inputs_of

FEWEST, FEWEST_KINDS = 3, 4
"""Inputs of which this is seen, and different elements in front of each of these."""
MOST, MOST_ROUNDS, MOST_TRIED = 1 << 16, 64, 64
"""Elements of an input, inputs that are compared, and places at which its first element may have been."""
SHORTEST, WIDEST = 4, 16
"""Elements in front of a window, at least, and channels that may lie one behind the other."""
PARTS = 4
"""An input of no more equal parts than these may be a stack of frames and of their differences."""


class PastHeads(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self) -> None:
        self._last: dict[Any, Any] = {}
        """By context and input, its last tensor, as channels."""
        self._rounds: Counter[Any] = Counter()
        self._seen: dict[Any, Counter[int]] = {}
        """For each input a count of windows by the number of elements in front that were the first ones of
        the window before: 0 if none were, and -1 if the elements don't tell."""
        self._names: dict[Any, str] = {}

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        for index, spec, tensor in inputs_of(event) if event.error is None else ():
            key = event.context_id, index
            is_kept = 2 * SHORTEST < tensor.size <= MOST and self._rounds[key] < MOST_ROUNDS
            numbers = tensor.numbers() if is_kept else None
            if numbers is None or numbers.dtype.kind not in "fiu":
                continue
            self._rounds[key] += 1
            channels, last = as_channels(numbers.reshape(tensor.shape).copy()), self._last.get(key)
            if last is not None and last.shape == channels.shape:
                self._seen.setdefault(key, Counter())[heads(last, channels)] += 1
                self._names[key] = f'input {index} "{spec.name}"'
            self._last[key] = channels

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        for key, seen in self._seen.items():
            found = {count: times for count, times in seen.items() if count >= 0}
            if len(found) == 1 and max(found) > 0 and max(found.values()) >= FEWEST:
                count = max(found)
                width = self._last[key].shape[1] - count
                yield (
                    "stale",
                    f"{self._names[key]}: in front of each of {found[count] + 1} windows of {width} elements "
                    f"are the first {count} of the window before, and not its last {count}, which this one "
                    f"goes on from: is what is kept copied from element {width} of the input on (the end of "
                    "the buffer), and not from where the window begins?",
                )
                return


def as_channels(array: Any) -> Any:
    """An input as rows that go on along their elements: several channels, or all as one."""
    lengths = [one for one in array.shape if one > 1]
    if len(lengths) == 2 and lengths[0] <= WIDEST and lengths[0] < lengths[1]:
        return array.reshape(lengths)
    return array.reshape(1, -1)


def heads(last: Any, now: Any) -> int:
    """Returns how many elements in front of a window are the first ones of the window before, 0 if none are,
    or -1 if the elements don't tell."""
    size = now.shape[1]
    places = numpy.flatnonzero((last == now[:, :1]).all(axis=0))
    counts = [int(one) for one in places if SHORTEST <= one <= size // 2]
    for count in counts if len(counts) <= MOST_TRIED else ():
        front = now[:, :count]
        is_same = (front == last[:, count : 2 * count]).all() and (front != last[:, -count:]).any()
        if (
            not is_same
            or len(numpy.unique(front)) < FEWEST_KINDS
            or (size <= PARTS * count and not size % count)
        ):
            continue
        behind = last[:, 2 * count : 2 * count + SHORTEST]
        if (now[:, count : count + behind.shape[1]] != behind).any():
            return count
    return -1 if (now[:, :SHORTEST] == now[:, :1]).all() else 0

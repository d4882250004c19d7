"""Masks of words that keep the ones of longer texts before.

What is here: `StaleMasks`, which counts the words and the ones of each compute. What is not: a mask that
doesn't fit its text whatever was before (`hints/words.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from ...arrays import numpy
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ..follower import Follower, Said, inputs_of

SHORTEST, LONGEST = 4, 4096
"""Elements of a text."""
FEWEST, MOST = 2, 256
"""Texts that are shorter than the ones of their mask, and computes that are compared."""
MASK = "mask"

Lengths = tuple[int, int]
"""How many elements a text has before its zeros, and with how many ones its mask begins."""


class StaleMasks(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self) -> None:
        self._inputs: dict[Any, dict[int, tuple[str, Any]]] = {}
        """By context, the names and elements of its inputs of one row, by their indices."""
        self._lengths: dict[tuple[Any, str, str], list[Lengths | None]] = {}
        """By context and the names of a mask and its text, the lengths of both in each compute; None where
        they are no such pair."""

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None:
            return
        inputs = self._inputs.setdefault(event.context_id, {})
        for index, spec, tensor in inputs_of(event):
            inputs[index] = f'input {index} "{spec.name}"', row_of(tensor)
        if event.operation == "compute":
            self._computed(event.context_id, inputs)

    def _computed(self, context: Any, inputs: dict[int, tuple[str, Any]]) -> None:
        for mask, shown in inputs.values():
            for words, numbers in inputs.values():
                if MASK not in mask.lower() or MASK in words.lower() or shown is None or numbers is None:
                    continue
                kept = self._lengths.setdefault((context, mask, words), [])
                if shown.size == numbers.size and len(kept) < MOST:
                    kept.append(lengths_of(shown, numbers))

    def finish(self) -> Iterator[Said]:
        """A hint when the guest has ended."""
        for (_, mask, words), kept in self._lengths.items():
            lengths = [one for one in kept if one is not None]
            longest = [*accumulate((text for text, _ in lengths), max)]
            short = [(text, ones) for text, ones in lengths if text < ones]
            if len(short) < FEWEST or len(lengths) < len(kept) or [one for _, one in lengths] != longest:
                continue
            said = (
                f"{mask}: it has {short[0][1]} ones for a text of {short[0][0]} words in {words}, as many as "
                f"the longest text before (so in {len(short)} of {len(kept)} computes): is it to be filled "
                "with zeros for each text?"
            )
            yield "stale", said
            return


def row_of(tensor: Tensor) -> Any:
    """The elements of an input of one text, or None for any other."""
    if not SHORTEST <= max(tensor.shape, default=0) <= LONGEST or tensor.size > 8 * LONGEST:
        return None
    numbers = tensor.numbers()
    return None if numbers is None or numbers.size != max(tensor.shape) else numbers.reshape(-1).copy()


def lengths_of(shown: Any, numbers: Any) -> Lengths | None:
    """Returns the lengths of a text and of its mask, or None if they are none: the mask has other numbers
    than ones and then zeros, or the text is no row of whole numbers."""
    ones = int(numpy.count_nonzero(shown))
    if numbers.dtype.kind not in "iu" or (shown[:ones] != 1).any() or numbers.min() < 0:
        return None
    filled = numpy.flatnonzero(numbers)
    return (int(filled[-1]) + 1 if len(filled) else 0), ones

"""Two inputs that are the same in each round, though they were two in the first one: a frame and the one
before it, of which only the address was kept.

What is here: `SameFrame`. What is not: rounds that send the same as others (`rounds.py`), several frames in
one input (`planes`), and files that two inputs got from each other (`crossed.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...nn.operation import NNEvent
from ...records import Frozen
from ..follower import Follower, inputs_of
from .crossed import IN_TIME, parts, which_of

ROUNDS, FEWEST_ELEMENTS, MOST_BYTES = 4, 16, 1 << 22
"""The fewest rounds, and the elements of an input that is looked at."""


class Frame(Frozen):
    """An input: what it is called, its shape and its bytes, and whether all of its elements are equal."""

    name: str
    shape: tuple[int, ...]
    data: bytes
    is_even: bool

    def is_twin(self, other: Frame) -> bool:
        """Whether another one is of the same kind."""
        return self.shape == other.shape and len(self.data) == len(other.data)


class Pair:
    """Follows two inputs of one context from round to round."""

    def __init__(self) -> None:
        self.begins_apart = False
        """Whether the two differed in the first round."""
        self.rounds = 0
        self.same = 0
        """Rounds in which they were the same, and no even ones."""
        self.last = b""
        self.is_standing = False
        """Whether the second was once the same as in the round before."""

    def add(self, one: Frame, other: Frame) -> None:
        """A compute with the two."""
        is_same = one.data == other.data
        if self.rounds == 0:
            self.begins_apart = not is_same
        self.is_standing |= other.data == self.last
        self.rounds += 1
        self.same += is_same and not other.is_even
        self.last = other.data

    @property
    def is_one_frame(self) -> bool:
        """Whether both moved on together in all rounds, from the second one at the latest."""
        enough = self.rounds >= ROUNDS and not self.is_standing
        return enough and self.same == self.rounds - self.begins_apart


class SameFrame(Follower):
    """Gives a hint at the end."""

    def __init__(self) -> None:
        self._frames: dict[int | None, dict[int, Frame]] = {}
        self._pairs: dict[tuple[int | None, int, int], Pair] = {}
        self._named: dict[tuple[int | None, int, int], tuple[str, str]] = {}

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None:
            return
        frames = self._frames.setdefault(event.context_id, {})
        has_pairs = event.graph is not None and len(event.graph.inputs) > 1
        for index, spec, tensor in inputs_of(event) if has_pairs else ():
            frames.pop(index, None)
            numbers = tensor.numbers() if tensor.nbytes <= MOST_BYTES else None
            if numbers is not None and numbers.size >= FEWEST_ELEMENTS:
                frames[index] = Frame(spec.name, tensor.shape, bytes(tensor.view()), is_even(numbers))
        if event.operation == "compute":
            for index, one in frames.items():
                for place, other in frames.items():
                    if index < place and one.is_twin(other):
                        key = event.context_id, index, place
                        self._pairs.setdefault(key, Pair()).add(one, other)
                        self._named[key] = one.name, other.name
        elif event.operation == "finalize_execution_context":
            frames.clear()

    def finish(self) -> Iterator[tuple[str, str]]:
        """The hint when the guest has ended. Inputs that are the same from the first round on may be so on
        purpose, unless their names say that one is older."""
        for (context, index, place), pair in self._pairs.items():
            names = self._named[context, index, place]
            told = which_of(*map(parts, names))
            are_in_time = told is not None and told[0] == IN_TIME
            if pair.is_one_frame and (pair.begins_apart or are_in_time):
                when = "from the second compute on" if pair.begins_apart else "in each compute"
                yield (
                    "stale",
                    f'inputs {index} "{names[0]}" and {place} "{names[1]}" hold the same bytes {when} '
                    f"({pair.rounds} in all), and other ones in each: does the one of before point to the "
                    "buffer of the newest one, and is it to be a copy?",
                )
                return


def is_even(numbers: Any) -> bool:
    """Whether all elements are equal."""
    return bool((numbers == numpy.ravel(numbers)[0]).all())

"""Models with a state that a guest sends back from compute to compute, and guests that forget to.

What is here: `Feedback`, which compares the inputs of computes that follow each other. What is not: buffers
(`hints.gather`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from zlib import crc32

from ..nn.operation import NNEvent
from ..nn.tensor import TensorSpec
from .regex import regex

ROUNDS = 8
"""After so many computes a state would have changed."""
OVERLAP = 8
"""Windows move on by at least this part of their length."""
MOST_BYTES = 1 << 20
WARM_UP = 1
"""The number of times that the largest element may change before it stays."""
BETWEEN = regex(r"[^a-z0-9]+")
NEXT = frozenset({"next", "new", "out", "output", "n", "after", "updated", "t1"})
STEPS = NEXT | {"in", "input", "old", "prev", "previous", "last", "before", "t", "t0"}
"""Words of names that say which of two steps something belongs to."""
WORDS = ("state", "hidden", "memory", "cache", "cell")


class Feedback:
    """Follows inputs and computes; gives hints as pairs of a rule's name and a sentence."""

    def __init__(
        self,
        loud: Callable[[int], str] = lambda _: "",
        silent_channel: Callable[[], str] = str,
        has_data: Callable[[], bool] = lambda: True,
    ) -> None:
        """`loud` names a sound that the guest read, of which not all of so many first samples are silent; ""
        for none. `silent_channel` says that one of its channels is silent, and another isn't. `has_data`
        tells whether the guest has data from somewhere; one that makes them itself may hold an input, as a
        switch that is on, or begin at the same state again."""
        self._loud, self._has_data = loud, has_data
        self._silent_channel = silent_channel
        self._empty: dict[int | None, dict[int, int]] = {}
        """By context, inputs whose elements are all 0, and how many elements that are."""
        self._ever: dict[int | None, set[int]] = {}
        """By context, inputs that had other elements than 0 in some round."""
        self._silent: dict[tuple[int | None, int], tuple[str, str]] = {}
        """By context and input, the hint at elements that were all 0 so far: silence may precede a sound."""
        self._sums: dict[int | None, dict[int, int]] = {}
        """By context, the checksum of each input's elements."""
        self._same: dict[int | None, dict[int, int]] = {}
        """By context and input, how many computes ended with the same elements."""
        self._changes: dict[int | None, Counter[int]] = {}
        """By context and input, how many computes had other elements than the one before."""
        self._before: dict[int | None, dict[int, int]] = {}
        self._set: dict[int | None, dict[int, int]] = {}
        """By context and input, how many computes there were when it was set last."""
        self._computes: Counter[int | None] = Counter()
        self._done: set[int | None] = set()

    def nn_event(self, event: NNEvent) -> Iterator[tuple[str, str]]:
        """Hints after an operation."""
        if event.error is not None or event.context_id in self._done or event.graph is None:
            return
        if event.operation.startswith("set_input") and event.index is not None and event.tensors:
            view = event.tensors[0].view()
            if view.nbytes <= MOST_BYTES:
                self._sums.setdefault(event.context_id, {})[event.index] = crc32(view)
                self._set.setdefault(event.context_id, {})[event.index] = self._computes[event.context_id]
                empty = self._empty.setdefault(event.context_id, {})
                numbers = event.tensors[0].numbers()
                empty.pop(event.index, None)
                if numbers is not None and not numbers.any():
                    empty[event.index] = numbers.size
                else:
                    self._ever.setdefault(event.context_id, set()).add(event.index)
                    self._silent.pop((event.context_id, event.index), None)
        elif event.operation == "compute":
            yield from self._computed(event, event.graph.inputs, event.graph.outputs)

    def leave(self, context: int | None) -> None:
        """Say nothing more of a context: what is wrong with its states is known."""
        self._done.add(context)

    def _computed(
        self, event: NNEvent, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...]
    ) -> Iterator[tuple[str, str]]:
        number = event.context_id
        pairs = states(inputs, outputs)
        if not pairs or len(inputs) < 2:
            self._done.add(number)
            return
        self._compare(number)
        now, same, changes = self._before[number], self._same[number], self._changes[number]
        others = [index for index in now if all(index != one for one, _ in pairs)]
        for index, output in pairs:
            moves = [one for one in others if same.get(one, 0) < ROUNDS // 2]
            if same.get(index, 0) >= ROUNDS and moves and self._has_data():
                self._done.add(number)
                yield (
                    "state",
                    (
                        f'input {index} "{inputs[index].name}" was the same in {ROUNDS} computes: output '
                        f'{output} "{outputs[output].name}" is what it becomes, and has to be sent back'
                    ),
                )
                return
        stuck = [one for one in others if same.get(one, 0) >= ROUNDS and inputs[one].shape != ()]
        goes_on = any(same.get(one, 0) < ROUNDS // 2 for one in others)  # a decoder beside what was encoded
        is_state_moved = all(same.get(index, 0) < ROUNDS // 2 for index, _ in pairs)
        if stuck and not goes_on and is_state_moved and self._has_data():
            largest = max(stuck, key=lambda one: elements(inputs[one]))
            if changes[largest] > WARM_UP:
                return  # some of what was measured is the same
            since = self._computes[number] - self._set.get(number, {}).get(largest, 0)
            if elements(inputs[largest]) == 1 and since < ROUNDS:
                return  # a single number may be measured again
            zeros = self._empty.get(number, {}).get(largest, 0)
            if zeros and largest in self._ever.get(number, ()):
                return  # the silence behind a sound
            said = self._stuck(bool(zeros), same[largest] * zeros // OVERLAP)
            if said and elements(inputs[largest]) == max(elements(inputs[one]) for one in others):
                hint = "state", f'input {largest} "{inputs[largest].name}" {said}'
                if zeros:
                    self._silent[number, largest] = hint
                else:
                    self._done.add(number)
                    yield hint

    def _compare(self, number: int | None) -> None:
        """Compares the inputs of a compute with those of the one before in the same context."""
        now, before = self._sums.get(number, {}), self._before.get(number)
        same = self._same.setdefault(number, {})
        changes = self._changes.setdefault(number, Counter())
        for index in now:
            is_same = before is not None and before.get(index) == now[index]
            same[index] = same.get(index, 1) + 1 if is_same else 1
            changes[index] += before is not None and not is_same
        self._before[number] = dict(now)
        self._computes[number] += 1

    def finish(self) -> Iterator[tuple[str, str]]:
        """Hints when a guest has ended."""
        yield from self._silent.values()

    def _stuck(self, is_empty: bool, count: int) -> str:
        """The mistake behind data that stay the same. "" for silence, unless the guest read a sound that is
        loud in its first `count` samples."""
        if not is_empty:
            return (
                f"was the same in {ROUNDS} computes while the state went on: does the guest advance in its "
                "data?"
            )
        if channel := self._silent_channel():
            return f"was all 0 in {ROUNDS} computes: {channel}"
        name = self._loud(count)
        return name and (
            f"was all 0 in {ROUNDS} computes, and {name} is no silence: were its samples divided as whole "
            "numbers (sample / 32768 is 0)?"
        )


def elements(spec: TensorSpec) -> int:
    """The number of elements that a model declares, at least."""
    count = 1
    for length in spec.shape or ():
        count *= length if isinstance(length, int) and length > 0 else 1
    return count


def states(inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...]) -> list[tuple[int, int]]:
    """Pairs of an input and the output that is its next value, by their names and shapes."""
    found = []
    for index, given in enumerate(inputs):
        name = given.name.lower()
        for place, answer in enumerate(outputs):
            alike = answer.name.lower().startswith(name) or any(
                word in name and word in answer.name.lower() for word in WORDS
            )
            named = any(word in name for word in WORDS) or name in ("h", "c", "h0", "c0", "hx", "cx")
            is_next = given.shape == answer.shape and is_next_of(answer.name.lower(), name)
            if (is_next or (alike and named)) and given.dtype == answer.dtype:
                found.append((index, place))
                break
    return found


def is_next_of(answer: str, given: str) -> bool:
    """Whether an output is by its name what an input becomes: `m` and `m_next`, `old_z` and `new_z`."""
    both = [[word for word in BETWEEN.split(name) if word] for name in (answer, given)]
    after, before = ([word for word in words if word not in STEPS] for words in both)
    return answer != given and bool(after) and after == before and bool({*both[0]} & NEXT)

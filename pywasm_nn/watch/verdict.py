"""Checks whether a run has problems: hints, failed inference, or unexpected outputs.

What is here: observers that collect problems, as lines for users. What is not: options and exit codes
(`cli/verdict.py`), and formats for CI (`annotations.py`).
"""

from __future__ import annotations

from typing import Any

from ..arrays import numpy
from ..interpreter.runtime.observe import Observer
from ..nn.operation import NNEvent
from ..nn.statistics import distances
from ..nn.tensor import Tensor
from ..printable import printable
from ..records import Frozen
from . import events
from .follower import inputs_of
from .origin import Source, heard, traced, transformation

LEVELS = ("hint", "error")


class Problems:
    """A sink for a `Trace` that collects failed operations of wasi-nn as lines; at the level "hint" also
    hints."""

    def __init__(self, level: str) -> None:
        """Raises ValueError for a level that is not in LEVELS."""
        if level not in LEVELS:
            raise ValueError(f"no level {level!r}; there are {', '.join(LEVELS)}")
        self.level = level
        self.lines: list[str] = []

    def __call__(self, event: events.Event) -> None:
        match event:
            case events.Hint() if self.level == "hint":
                self.lines.append(f"hint {event.rule}: {event.text}")
            case events.Inference() if event.error is not None:
                self.lines.append(f"{event.operation}({event.arguments}) -> {event.failure}")


class Wanted(Frozen):
    """The expected value of an output: the elements of the array, within the tolerance. `index` is the
    output's index, `path` is the array's file, for messages."""

    index: int
    path: str
    array: Any
    tolerance: float


class WantedInput(Frozen):
    """An expected input, by name or index as text: a picture, a sound or an array. An array's elements must
    be the input's, within RELATIVE of their deviation."""

    input: str
    source: Source


RELATIVE = 0.01
MOST_INPUT = 256 << 20
"""Bytes of inputs that are kept."""


class Inputs(Observer):
    """Keeps the inputs that a guest set last."""

    wants = frozenset({"nn"})

    def __init__(self) -> None:
        self._given: dict[int, tuple[str, Tensor]] = {}

    def nn_event(self, event: NNEvent) -> None:
        if event.error is not None:
            return
        for index, spec, tensor in inputs_of(event):
            if tensor.nbytes <= MOST_INPUT:
                copy = Tensor(tensor.dtype, tensor.shape, bytes(tensor.view()))
                self._given[index] = spec.name, copy

    def compared(self, wanted: WantedInput) -> tuple[str, bool]:
        """How an input came from what was expected, as a line, and whether that is a problem."""
        title = f"input {wanted.input}"
        found = next(
            (pair for index, pair in self._given.items() if wanted.input in (str(index), pair[0])), None
        )
        source = wanted.source
        if found is None:
            names = ", ".join(printable(name, 60) for name, _ in self._given.values())
            return f"{title} was not set; set were {names or 'none'}", True
        name, tensor = found
        title = f'input "{printable(name, 60)}" {tensor}'
        numbers = tensor.numbers()
        if numbers is None:
            return f"{title} has no numbers to compare", True
        array = numbers.reshape(tensor.shape)
        origin = traced(array, source) if source.is_picture else heard(array, source)
        if origin is not None:
            mistake = f": {origin.wrong}" if origin.wrong else ""
            return f"{title} is {origin}{mistake}", bool(mistake)
        if source.is_picture:
            return f"{title} doesn't come from {source.name} ({source.said})", True
        if array.shape == source.array.shape and is_equal(array, source.array):
            return f"{title} equals {source.name}", False
        change = transformation(array, source.array)
        what = f"is {source.name} {change}" if change else "is another one, by no usual change"
        return f"{title} should equal {source.name} ({source.said}): it {what}", True


def is_equal(found: Any, wanted: Any) -> bool:
    with numpy.errstate(all="ignore"):
        apart = abs(found.astype("f8") - wanted.astype("f8"))
        return bool((apart <= RELATIVE * max(float(wanted.astype("f8").std()), 1e-12)).all())


class Answers(Observer):
    """Keeps the outputs of the last compute of a run."""

    wants = frozenset({"nn"})

    def __init__(self) -> None:
        self.computes = 0
        self._outputs: dict[int, tuple[str, Tensor]] = {}

    def nn_event(self, event: NNEvent) -> None:
        if event.error is not None:
            return
        if event.operation == "compute":
            self.computes += 1
            pairs = enumerate(zip(event.specs, event.tensors, strict=False))
            self._outputs = {index: (spec.name, tensor) for index, (spec, tensor) in pairs}
        elif event.operation.startswith("get_output") and event.index is not None and event.tensors:
            self._outputs[event.index] = event.specs[0].name, event.tensors[0]

    def differs(self, wanted: Wanted) -> str:
        """Returns the difference between the output and the expected one, as a line, or "" if there is
        none."""
        title = f"output {wanted.index}"
        found = self._outputs.get(wanted.index)
        if found is None:
            what = f"the model has {len(self._outputs)} outputs" if self.computes else "nothing was computed"
            return f"{title} should equal {wanted.path}: {what}"
        name, tensor = found
        title = f'{title} "{printable(name, 60)}" {tensor}'
        numbers = tensor.numbers()
        if numbers is None or tensor.shape != wanted.array.shape:
            shape = ",".join(map(str, wanted.array.shape))
            return f"{title} should equal {wanted.path}, which is {wanted.array.dtype}[{shape}]"
        one, other = numbers.reshape(-1), wanted.array.reshape(-1)
        apart = distances(one, other)
        beyond = ~(apart <= wanted.tolerance)
        if not beyond.any():
            return ""
        apart[numpy.isnan(apart)] = numpy.inf
        place = int(numpy.where(beyond, apart, -1.0).argmax())
        indices = ",".join(map(str, numpy.unravel_index(place, tensor.shape)))
        values = f"{float(one[place]):.7g} and not {float(other[place]):.7g}"
        return (
            f"{title} should equal {wanted.path} within {wanted.tolerance:g}: {int(beyond.sum())} of "
            f"{one.size} elements differ, the most at [{indices}]: {values}{self._changed(numbers, wanted)}"
        )

    def _changed(self, numbers: Any, wanted: Wanted) -> str:
        """Which usual change lies between an output and the expected one, if any does."""
        change = transformation(numbers.reshape(wanted.array.shape), wanted.array)
        return f"; it is the expected one {change}" if change else ""

"""Checks whether a run has problems: hints, failed inference, or unexpected outputs.

What is here: observers that collect problems, as lines for users. What is not: options and exit codes
(`cli/verdict.py`), and formats for CI (`annotations.py`).
"""

from __future__ import annotations

from typing import Any

from ..interpreter.runtime.observe import Observer
from ..nn.operation import NNEvent
from ..nn.statistics import distances
from ..nn.tensor import Tensor
from ..printable import printable
from ..records import record
from . import events

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


@record
class Wanted:
    """The expected value of an output: the elements of the array, within the tolerance. `index` is the
    output's index, `path` is the array's file, for messages."""

    index: int
    path: str
    array: Any
    tolerance: float


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
        """The difference between the output and the expected one, as a line; "" if there is none."""
        import numpy

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
            f"{one.size} elements differ, the most at [{indices}]: {values}"
        )

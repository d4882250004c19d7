"""Folds computes that repeat, where a trace is read for its hints: those should be on the first screen.

What is here: `Folding`, a sink before `text.Lines`. What is not: hints alone (`hints_only.py`), and other
formats, which have all events.
"""

from __future__ import annotations

from collections import Counter

from . import events
from .text import Lines

SHOWN = 2
"""So many computes that are alike are shown, and so many lines of where one input came from."""


class Folding:
    """A sink that passes events to `lines`. Operations from a set_input to the last get_output after it are a
    round; of rounds that are alike but for their numbers two are passed on, and the others counted. One that
    a hint is about is shown."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._round: list[tuple[object, ...]] = []
        self._last: tuple[tuple[object, ...], ...] = ()
        self._alike = 0
        """How many rounds like the last one there were, one after the other."""
        self._is_held = False
        self._held: list[events.Event] = []
        """The events of this round, while it is like the last one."""
        self._computes = 0
        """How many computes were left out."""
        self._origins: Counter[str] = Counter()
        self._before = ""
        """The operation before."""

    def __call__(self, event: events.Event) -> None:
        if isinstance(event, events.Inference):
            self._operation(event)
            return
        if isinstance(event, events.Origin):
            input_ = event.text.partition('": ')[0]
            self._origins[input_] += 1
            if self._is_held and self._origins[input_] > SHOWN:
                return
        self._show()
        self._lines(event)

    def flush(self) -> None:
        """Say how many computes were left out."""
        self._computes += sum(
            isinstance(one, events.Inference) and one.operation == "compute" for one in self._held
        )
        self._held = []
        self._counted()
        self._lines.flush()

    def catch_up(self) -> None:
        """Write what is held back; call this before something else is written to the same place."""
        self._show()
        self._lines.catch_up()

    def _operation(self, event: events.Inference) -> None:
        if event.error is not None or not event.operation.startswith(("set_input", "compute", "get_output")):
            self._show()
            self._round, self._last, self._alike, self._before = [], (), 0, ""
            self._lines(event)
            return
        if begins(event.operation, self._before):
            self._next()
        self._before = event.operation
        self._round.append(key_of(event))
        if self._is_held and self._round[-1:] != [*self._last[len(self._round) - 1 : len(self._round)]]:
            self._show()
        if self._is_held:
            self._held.append(event)
        else:
            self._lines(event)

    def _next(self) -> None:
        """A round has ended, and the next one begins."""
        ended = tuple(self._round)
        if self._held and ended != self._last:
            self._show()
        self._alike = self._alike + 1 if ended == self._last else 1
        self._computes += bool(self._held)
        self._round, self._last, self._held = [], ended, []
        self._is_held = bool(ended) and self._alike >= SHOWN

    def _show(self) -> None:
        """Show what was held back of this round, and its rest."""
        held, self._held, self._is_held = self._held, [], False
        self._counted()
        for event in held:
            self._lines(event)

    def _counted(self) -> None:
        if self._computes:
            self._lines.folded(self._computes)
        self._computes = 0


def begins(operation: str, before: str) -> bool:
    """Whether an operation is the first one of a round."""
    if operation.startswith("set_input"):
        return not before.startswith("set_input")
    return operation == "compute" and before in ("compute", "get_output")


def key_of(event: events.Inference) -> tuple[object, ...]:
    """A key that is equal for rounds that are alike."""
    tensors = tuple((tensor.dtype, tensor.shape) for tensor in event.tensors)
    return event.operation, event.context, event.index, tensors

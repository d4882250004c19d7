"""`Trace`: an observer that writes a line for everything it was asked to show.

What is here: levels, and what has to be remembered between events. What is not: how lines look (`text.py`,
`nn.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..interpreter.module import Module
from ..interpreter.observe import HostEvent, InstructionEvent, Observer
from . import text

if TYPE_CHECKING:
    from ..nn.operation import NNEvent

LEVELS = ("host", "nn", "calls", "instr")
SESSION_TELLS = frozenset({"wasi_ephemeral_nn", "wasi_nn"})
"""Namespaces all of whose calls are operations of the session, which says more about them."""


class Trace(Observer):
    """Writes events of the `levels` (names of LEVELS) of one instance of `module`, a line at a time.

    The level `nn` comes from the inference session: give `nn_event` to `NN` as its observer.
    """

    def __init__(self, module: Module, levels: Iterable[str], write: Callable[[str], None]) -> None:
        self.levels = frozenset(levels)
        self.wants = self.levels & {"host", "calls", "instr"}
        self._labels = text.Labels(module)
        self._write = write
        self._number = 0
        self._funcidx = -1

    def host_call(self, event: HostEvent) -> None:
        if not (event.module in SESSION_TELLS and "nn" in self.levels):
            self._write(text.host_line(event))

    def enter(self, funcidx: int, arguments: Sequence[Any], depth: int) -> None:
        type_ = self._labels.type(funcidx)
        self._funcidx = -1
        called = f"{self._labels.function(funcidx)}({text.typed(arguments, type_.params)})"
        self._write(text.call_line(depth, called))

    def leave(self, funcidx: int, results: Sequence[Any], depth: int) -> None:
        type_ = self._labels.type(funcidx)
        self._funcidx = -1
        values = text.typed(results, type_.results)
        self._write(text.call_line(depth, f"{self._labels.function(funcidx)} returns {values}".rstrip()))

    def instruction(self, event: InstructionEvent) -> None:
        self._number += 1
        label = self._labels.function(event.funcidx) if event.funcidx != self._funcidx else ""
        self._funcidx = event.funcidx
        returns = self._returns(event)
        self._write(text.instruction_line(self._number, event, self._labels, label, returns))
        if returns:
            self._funcidx = -1

    def _returns(self, event: InstructionEvent) -> str:
        """ "returns 9" for the instruction that ends a function."""
        if event.op.name != "return" and (
            event.op.name != "end" or event.offset != self._labels.last_offset(event.funcidx)
        ):
            return ""
        results = self._labels.type(event.funcidx).results
        values = event.stack[len(event.stack) - len(results) :]
        return f"returns {text.typed(values, results)}".rstrip() if len(values) == len(results) else "returns"

    def nn_event(self, event: NNEvent) -> None:
        """An operation of wasi-nn ended."""
        from .nn import line

        self._write(line(event))

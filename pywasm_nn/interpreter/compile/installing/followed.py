"""Calls of compiled functions, told to an observer: functions around those of an instance that is watched.

What is here: what these tell, and the depth they count. What is not: their code (`stubs.py`), and blocks,
which are told from inside (`lowering/emitter.py`).
"""

from __future__ import annotations

from typing import Any

from ....errors import ExhaustionError, TrapKind, WasmException
from ...runtime.instance import Instance

NAMES = ("entered", "returned", "raised", "block")
"""What the functions around others call, and what blocks do."""


class Calls:
    """Tells the observer of an instance which of its functions are entered and left."""

    def __init__(self, instance: Instance) -> None:
        self._observer = instance.observer
        self._most = instance.limits.call_depth
        self._types = instance.module.func_types
        self._depth = 0
        self._unwound: list[tuple[int, int]] = []
        """Functions that an exception has left, and how deep they were: told once somebody has caught it, as
        nobody may.
        """

    def _settle(self) -> None:
        for funcidx, depth in self._unwound:
            self._observer.leave(funcidx, (), depth)
        self._unwound.clear()

    def entered(self, funcidx: int, arguments: tuple[Any, ...]) -> None:
        """A function is entered. Raises ExhaustionError: Python's own limit leaves room for twice as many."""
        if not self._depth:
            self._unwound.clear()
        self._settle()
        if self._depth >= self._most:
            raise ExhaustionError(TrapKind.CALL_STACK_EXHAUSTED)
        self._depth += 1
        self._observer.enter(funcidx, arguments, self._depth)

    def block(self, funcidx: int, offset: int) -> None:
        """A basic block begins."""
        self._settle()
        self._observer.block(funcidx, offset)

    def returned(self, funcidx: int, result: Any, step: Any = None) -> None:
        """A function returned `result`; the slot `step` if it was left by a tail call."""
        self._settle()
        depth, self._depth = self._depth, self._depth - 1
        count = len(self._types[funcidx].results)
        results: tuple[Any, ...] = ()
        if count and not (step is not None and result is step):
            results = result if count > 1 else (result,)
        self._observer.leave(funcidx, results, depth)

    def raised(self, funcidx: int, error: BaseException) -> None:
        """A function was left by what was raised."""
        if isinstance(error, WasmException):
            self._unwound.append((funcidx, self._depth))
        self._depth -= 1

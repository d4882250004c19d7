"""Reports calls of compiled functions to an observer, by wrappers around the functions of a watched instance.

What is here: the functions that the wrappers call, and the call depth. What is not: the wrappers' code
(`stubs.py`), and basic blocks, which the compiled code itself reports (`lowering/emitter.py`).
"""

from __future__ import annotations

from typing import Any

from ....errors import ExhaustionError, TrapKind, WasmException
from ...runtime.instance import Instance

NAMES = ("entered", "returned", "raised", "block")
"""The functions that wrappers and basic blocks call."""


class Calls:
    """Reports to an instance's observer which functions are entered and left."""

    def __init__(self, instance: Instance) -> None:
        self._observer = instance.observer
        self._most = instance.limits.call_depth
        self._types = instance.module.func_types
        self._depth = 0
        self._unwound: list[tuple[int, int]] = []
        """Functions that an exception has left, with their depths: they are reported when the exception is
        caught, as it may never be.
        """

    def _settle(self) -> None:
        for funcidx, depth in self._unwound:
            self._observer.leave(funcidx, (), depth)
        self._unwound.clear()

    def entered(self, funcidx: int, arguments: tuple[Any, ...]) -> None:
        """Enter a function. Raises ExhaustionError at the call depth limit; Python's own limit allows twice
        as many frames."""
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
        """A function returned `result`, which is the slot `step` if it made a tail call."""
        self._settle()
        depth, self._depth = self._depth, self._depth - 1
        count = len(self._types[funcidx].results)
        results: tuple[Any, ...] = ()
        if count and not (step is not None and result is step):
            results = result if count > 1 else (result,)
        self._observer.leave(funcidx, results, depth)

    def raised(self, funcidx: int, error: BaseException) -> None:
        """An exception has left a function."""
        if isinstance(error, WasmException):
            self._unwound.append((funcidx, self._depth))
        self._depth -= 1

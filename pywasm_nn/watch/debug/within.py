"""The debugger in a component: it stops in one of the core modules.

What is not here: the debugger (`debugger.py`).
"""

from __future__ import annotations

from typing import Any

from ...interpreter.module import Module
from ...interpreter.runtime.observe import HostEvent, Observer
from .debugger import Debugger


class Elsewhere(Observer):
    """For the other core modules: reports only ends of calls, which may have entered the component there."""

    def __init__(self, debugger: Debugger) -> None:
        self._debugger = debugger

    def ended(self, error: BaseException) -> None:
        self._debugger.ended(error)


class Within(Observer):
    """Watches a component: the instances of one core module step by step, and the host calls of all."""

    def __init__(self, debugger: Debugger, module: Module) -> None:
        self.wants = debugger.wants
        self._debugger = debugger
        self._module = module

    def inside(self, module: Module) -> Observer:
        return self._debugger if module is self._module else Elsewhere(self._debugger)

    def host_call(self, event: HostEvent) -> None:
        self._debugger.host_call(event)

    def nn_event(self, event: Any) -> None:
        self._debugger.nn_event(event)

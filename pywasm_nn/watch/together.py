"""Several observers as one.

What is not here: observers that handle events themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..interpreter.module import Module
from ..interpreter.runtime.observe import HostEvent, InstructionEvent, Observer, StandIn, Watched


class Together(Observer):
    """Passes each event to several observers of one instance."""

    def __init__(self, observers: Sequence[Observer]) -> None:
        self.wants = frozenset().union(*(observer.wants for observer in observers))
        self._observers = observers

    @property
    def stand_in(self) -> StandIn | None:
        return next((one.stand_in for one in self._observers if one.stand_in is not None), None)

    def _observing(self, level: str) -> Iterable[Observer]:
        return (observer for observer in self._observers if level in observer.wants)

    def inside(self, module: Module) -> Observer:
        return Together([observer.inside(module) for observer in self._observers])

    def on_thread(self, number: int, module: Module) -> Observer:
        return Together([observer.on_thread(number, module) for observer in self._observers])

    def attach(self, instance: Watched) -> None:
        for observer in self._observers:
            observer.attach(instance)

    def host_call(self, event: HostEvent) -> None:
        for observer in self._observing("host"):
            observer.host_call(event)

    def nn_event(self, event: Any) -> None:
        for observer in self._observing("nn"):
            observer.nn_event(event)

    def waiting(self, size: int) -> None:
        for observer in self._observing("nn"):
            observer.waiting(size)

    def enter(self, funcidx: int, arguments: Sequence[Any], depth: int) -> None:
        for observer in self._observing("calls"):
            observer.enter(funcidx, arguments, depth)

    def leave(self, funcidx: int, results: Sequence[Any], depth: int) -> None:
        for observer in self._observing("calls"):
            observer.leave(funcidx, results, depth)

    def block(self, funcidx: int, offset: int) -> None:
        for observer in self._observing("blocks"):
            observer.block(funcidx, offset)

    def instruction(self, event: InstructionEvent) -> None:
        for observer in self._observing("instr"):
            observer.instruction(event)

    def ended(self, error: BaseException) -> None:
        for observer in self._observers:
            observer.ended(error)


def together(observers: Sequence[Observer]) -> Observer | None:
    """Returns one observer for all of them, or None if there is none."""
    if len(observers) > 1:
        return Together(observers)
    return observers[0] if observers else None

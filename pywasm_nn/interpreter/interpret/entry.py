"""Entry points into the machine: an interpreted function as a Python callable of exact arity."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from ..runtime.instance import Instance
from .machine import Machine
from .stepped import SteppedMachine
from .watched import WatchedMachine


class Open(threading.local):
    """The innermost running machine of a thread."""

    machine: Machine | None = None


OPEN = Open()


def enter(instance: Instance, funcidx: int, arguments: Sequence[Any]) -> Any:
    """Run a function of the instance on a machine of its own. `arguments` are canonical values; returns None,
    one value, or a tuple."""
    func, outer = instance.funcs[funcidx], OPEN.machine
    kind = kind_for(instance) if instance.followed else Machine
    machine = OPEN.machine = kind(func, arguments, outer)
    try:
        results = machine.run()
    finally:
        OPEN.machine = outer
    if len(results) > 1:
        return results
    return results[0] if results else None


def kind_for(instance: Instance) -> type[Machine]:
    """The kind of machine for an instance whose observer watches its functions."""
    if instance.observer.away:
        return Machine
    return SteppedMachine if instance.watches("steps") else WatchedMachine


@cache
def entry_maker(arity: int) -> Callable[[Instance, int], Callable[..., Any]]:
    """Makes entries with exactly `arity` parameters: a variadic call would use C stack."""
    names = ", ".join(f"a{i}" for i in range(arity))
    values = f"({names},)" if arity else "()"
    namespace: dict[str, Any] = {"enter": enter}
    source = f"""def make(instance, funcidx):
    def entry({names}):
        return enter(instance, funcidx, {values})
    return entry
"""
    exec(compile(source, f"<entry of {arity}>", "exec"), namespace)
    made: Callable[[Instance, int], Callable[..., Any]] = namespace["make"]
    return made


def make_entry(instance: Instance, index: int) -> Callable[..., Any]:
    """The callable for the defined function `index`."""
    funcidx = instance.module.imported_funcs + index
    return entry_maker(len(instance.module.func_types[funcidx].params))(instance, funcidx)

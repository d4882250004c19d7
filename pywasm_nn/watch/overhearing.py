"""What a host function does with a guest, overheard: the parts of memory that it views, the functions that it
calls back.

What is here: `Overheard`, a guest for a host function, which tells a `Listening`. What is not: recording
(`cassette.recording`), and the debugger's ledger (`debug.ledger`), which listen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from ..errors import CassetteError
from ..interpreter.runtime.instance import Func, Instance


class Listening:
    """Learns of what a host function does with a guest (`Overheard`)."""

    def touch(self, name: str, memory: Any, address: int, count: int) -> None:
        """The host is about to view this part of the guest's memory, and perhaps to write to it."""
        raise NotImplementedError

    def reentering(self, export: str, arguments: Sequence[Any]) -> AbstractContextManager[list[Any]]:
        """The host calls the guest back; the list receives the function's results."""
        raise NotImplementedError


class Overheard:
    """An instance for a host function; the listener learns of memory views and calls back."""

    __slots__ = ("_instance", "_listener", "exports")

    def __init__(self, instance: Instance, listener: Listening) -> None:
        put = object.__setattr__
        put(self, "_instance", instance)
        put(self, "_listener", listener)
        put(self, "exports", OverheardExports(instance, listener))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._instance, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._instance, name, value)

    def exported_memory(self, name: str) -> OverheardMemory | None:
        memory = self._instance.exported_memory(name)
        return None if memory is None else OverheardMemory(name, memory, self._listener)


class OverheardMemory:
    """A memory for a host function (`host.Memory`)."""

    __slots__ = ("_memory", "_touch")

    def __init__(self, name: str, memory: Any, listener: Listening) -> None:
        self._memory = memory
        self._touch = partial(listener.touch, name, memory)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._memory, name)

    def bind(self, namespace: dict[str, Any], memidx: int) -> None:
        """Raises CassetteError: generated code would write without a view that the listener learns of."""
        raise CassetteError("functions that are lowered by the canonical ABI can't be recorded")

    def view(self, address: int, count: int) -> memoryview:
        view: memoryview = self._memory.view(address, count)
        self._touch(address, count)
        return view

    def read(self, address: int, count: int) -> bytes:
        self._touch(address, count)
        data: bytes = self._memory.read(address, count)
        return data

    def write(self, address: int, data: bytes | memoryview) -> None:
        self._touch(address, memoryview(data).nbytes)
        self._memory.write(address, data)


class OverheardExports:
    """A guest's exports for a host function; the listener learns of calls to them."""

    def __init__(self, instance: Instance, listener: Listening) -> None:
        self._exports = instance.exports
        self._listener = listener

    def __contains__(self, name: object) -> bool:
        return name in self._exports

    def __iter__(self) -> Iterator[str]:
        return iter(self._exports)

    def __getitem__(self, name: str) -> Any:
        found = self._exports[name]
        return OverheardFunc(name, found, self._listener) if isinstance(found, Func) else found


class OverheardFunc(Func):
    """A function of the guest that the host may call back."""

    __slots__ = ("_listener", "_name")

    def __init__(self, name: str, func: Func, listener: Listening) -> None:
        super().__init__(func.deftype, func.callable, func.instance, func.funcidx)
        self._name = name
        self._listener = listener

    def call(self, *arguments: Any) -> Any:
        with self._listener.reentering(self._name, arguments) as results:
            result = super().call(*arguments)
            results.append(result)
        return result


def changed_part(before: bytes, after: bytes) -> tuple[int, int]:
    """The start and end of the part in which two byte strings of equal length differ."""
    return same_at_start(before, after), len(after) - same_at_start(before[::-1], after[::-1])


def same_at_start(one: bytes, other: bytes) -> int:
    """The number of equal bytes before the first difference, or before the end of the shorter piece."""
    start, stop = 0, min(len(one), len(other))
    while start < stop:
        middle = (start + stop + 1) // 2
        if one[start:middle] == other[start:middle]:
            start = middle
        else:
            stop = middle - 1
    return start

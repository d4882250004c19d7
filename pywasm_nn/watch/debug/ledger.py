"""The answers of a guest's hosts: when the guest goes over a call once more, the answer comes from
here, so that no host is asked twice.

The entries are one list in the order of events; a call back into the guest lies between the entries of the
call that makes it, and makes entries of its own. What is not here: files of such answers (`watch.cassette`),
and when the guest goes back (`timeline.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...interpreter.runtime.instance import Instance
from ...interpreter.runtime.memory import Memory
from ...records import Frozen
from ..overhearing import Listening, Overheard, changed_part

WHOLE = 1 << 21
"""Memories of so many bytes are compared as a whole, in case a host function has written past its view."""


class Asked(Frozen):
    """A call of a host function begins."""

    function: Callable[..., Any]


class Written(Frozen):
    """The host has written to a memory, given by its index."""

    memidx: int
    address: int
    data: bytes


class Reentered(Frozen):
    """The host calls an export of the guest."""

    export: str
    arguments: tuple[Any, ...]


class Heard(Frozen):
    """Something to tell the debugger again."""

    tell: Callable[[], None]


class Ended(Frozen):
    """The call returned, or raised an error."""

    result: Any
    error: Exception | None
    last_host_call: Any


Entry = Asked | Written | Reentered | Heard | Ended


class Ledger(Listening):
    """The answers that one instance got, and which of them comes next."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.next = 0
        self.asking = 0
        """The number of host functions that are running now."""
        self._before: dict[tuple[int, int, int], bytes] = {}
        """Bytes that the running host function has viewed, as they were, by memory, address and count."""
        self._instance: Instance | None = None
        self.on_write: Callable[[Memory, int, int], None] = lambda memory, address, count: None
        """Called when the host has written so many bytes to memory 0, also if that is repeated."""
        self.on_end: Callable[[], None] = lambda: None
        """Called when a call has ended; it may raise an exception instead of the call's result."""

    @property
    def is_past(self) -> bool:
        """Whether the next answer is known."""
        return self.next < len(self.entries)

    def forget_future(self) -> None:
        """The guest goes another way from here on."""
        del self.entries[self.next :]

    def around(
        self, instance: Instance, bind: Callable[[Any], Callable[..., Any]], begins: Callable[[], None]
    ) -> Callable[..., Any]:
        """The callable for a host function; `bind` makes the function for an instance, and `begins` is called
        before the host is asked; it may raise an exception instead."""
        self._instance = instance
        function = bind(Overheard(instance, self))

        def call(*flat: Any) -> Any:
            try:
                if self.is_past:
                    return self._repeat(instance, function, flat)
                begins()
                return self._ask(instance, function, flat)
            finally:
                self.on_end()

        return call

    def add(self, entry: Entry) -> None:
        self.entries.append(entry)
        self.next = len(self.entries)

    # Asking the host

    def _ask(self, instance: Instance, function: Callable[..., Any], flat: Sequence[Any]) -> Any:
        begin, outer = self.next, self._before
        self.add(Asked(function))
        self._begin(instance)
        self.asking += 1
        try:
            try:
                result = function(*flat)
            except Exception as error:
                self._look()
                self.add(Ended(None, error, instance.last_host_call))
                raise
            self._look()
            self.add(Ended(result, None, instance.last_host_call))
            return result
        except BaseException as error:
            if not isinstance(error, Exception):  # the call is abandoned
                self.next = begin
                self.forget_future()
            raise
        finally:
            self.asking -= 1
            self._before = outer

    def _begin(self, instance: Instance) -> None:
        self._before = {}
        for memidx, memory in enumerate(instance.mems):
            if memory.size <= WHOLE:
                self._before[memidx, 0, memory.size] = memory.read(0, memory.size)

    def touch(self, name: str, memory: Any, address: int, count: int) -> None:
        """The host is about to view this part of the guest's memory, and perhaps to write to it."""
        assert self._instance is not None  # whose memory it is
        memidx = self._instance.mems.index(memory)
        place = memidx, address, count
        if memory.size > WHOLE and count and place not in self._before and address + count <= memory.size:
            self._before[place] = memory.read(address, count)

    def _look(self) -> None:
        """Find out which of the viewed parts have changed."""
        assert self._instance is not None
        for (memidx, address, count), before in self._before.items():
            after = self._instance.mems[memidx].read(address, count)
            if after != before:
                start, stop = changed_part(before, after)
                self.add(Written(memidx, address + start, after[start:stop]))
                if not memidx:
                    self.on_write(self._instance.mems[0], address + start, stop - start)
        self._before = {}

    @contextmanager
    def reentering(self, export: str, arguments: Sequence[Any]) -> Iterator[list[Any]]:
        """The host calls the guest back; the list receives the function's results."""
        self._look()
        self.add(Reentered(export, tuple(arguments)))
        try:
            yield []
        finally:
            if self._instance is not None:
                self._begin(self._instance)

    # Without the host

    def _repeat(self, instance: Instance, function: Callable[..., Any], flat: Sequence[Any]) -> Any:
        asked = self.entries[self.next]
        if not isinstance(asked, Asked) or asked.function is not function:
            self.forget_future()
            return self._ask(instance, function, flat)
        self.next += 1
        while True:
            entry = self.entries[self.next]
            self.next += 1
            match entry:
                case Written():
                    instance.mems[entry.memidx].write(entry.address, entry.data)
                    if not entry.memidx:
                        self.on_write(instance.mems[0], entry.address, len(entry.data))
                case Heard():
                    entry.tell()
                case Reentered():
                    self._reenter(instance, entry)
                case Ended():
                    instance.last_host_call = entry.last_host_call
                    if entry.error is not None:
                        raise entry.error.with_traceback(None)
                    return entry.result

    def _reenter(self, instance: Instance, entry: Reentered) -> None:
        """Call the guest back. The host has handled the guest's error, if there was one."""
        try:
            instance.exports[entry.export].call(*entry.arguments)
        except Exception:
            return

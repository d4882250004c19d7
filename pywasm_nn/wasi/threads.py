"""Threads of a guest (https://github.com/WebAssembly/wasi-threads): `thread-spawn` starts a Python thread
with an instance of its own, which shares the imported memories.

The threads of a guest are one program: a trap, an exit, a limit or Ctrl-C on any of them ends all, and so
does the end of the first thread. Fuel and host calls are counted together; the deadline of the call that
started a thread applies to it, too. One thread at a time is in the host's functions, except for those that
only wait. Only the error that ends a program is explained: the stacks of all threads, each fifty thousand
frames deep, would take as many times as long.

What is not here: atomic instructions and waiting at an address (`interpreter.runtime.memory`).
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from threading import Event, RLock, Thread, current_thread
from time import monotonic
from typing import Any

from ..errors import GuestExit, WasmError
from ..interpreter.module import Module
from ..interpreter.runtime.group import Group
from ..interpreter.runtime.instance import Engine, Extern, HostFunc, Instance, Lookup
from ..interpreter.runtime.link import instantiate
from ..interpreter.runtime.memory import Flavour, Memory, create_memory
from ..interpreter.runtime.observe import Observer
from ..interpreter.types import I32, ExternKind, FuncType, MemType
from ..limits import Limits
from ..namespaces import THREAD_SPAWN
from ..records import changed

START = "wasi_thread_start"
"""The export that a new thread calls."""
FOREVER = 1e9
"""Seconds for guests without a limit: they must look whether another thread has ended them."""
REFUSED = 0xFFFFFFFF
"""The result, -1 as an i32, of thread-spawn if there can be no more threads."""
PATIENT = frozenset({"poll_oneoff", "sched_yield"})
"""Functions that change nothing of the host and may wait for long."""
AGAIN = 0.05
"""Seconds after which calls that began meanwhile are ended, too."""
LEAVING = 5.0
"""Seconds that the end of a program waits for threads that are in a function of the host."""


class Stopped(BaseException):
    """Raised on the threads of a program that has been ended on another one; it leaves no guest."""


class ThreadGroup(Group):
    """What the instance on one thread may spend."""

    def __init__(self, threads: Threads) -> None:
        super().__init__(threads.limits)
        self._threads = threads

    def in_place_of(self, error: BaseException) -> BaseException | None:
        return self._threads.in_place_of(error, self)


class Threads:
    """The threads of one program, and what its instances share."""

    def __init__(
        self,
        module: Module,
        lookup: Lookup,
        make_engine: Callable[[Observer | None], Engine],
        limits: Limits,
        flavour: Flavour | None,
        observer: Observer | None = None,
    ) -> None:
        """`lookup` finds the imports that are not about threads, bound to each instance anew; `observer`
        watches the first thread."""
        self.module = module
        self.limits = limits if limits.seconds is not None else changed(limits, seconds=FOREVER)
        self.group = ThreadGroup(self)
        """Of the first instance."""
        self._lookup = lookup
        self._make_engine = make_engine
        self._observer = observer
        self._flavour = flavour or Flavour.default()
        self._lock = RLock()
        """Held while the state below changes."""
        self._in_host = RLock()
        """Held by the thread that is in a function of the host."""
        self._memories: dict[tuple[str, str], Memory] = {}
        self._groups: list[Group] = [self.group]
        self._running: set[Thread] = set()
        self._leaving: set[Thread] = set()
        """Threads whose guest has ended; Python may not have ended them yet."""
        self._started = 0
        self._stopping = False
        self._ended: BaseException | None = None
        """Why they were stopped, once `_told` is set: to explain a deep stack takes a while."""
        self._told = Event()

    def lookup(self, module: str, name: str) -> Extern | None:
        """An import of an instance on any of the threads."""
        if (module, name) == THREAD_SPAWN:
            return HostFunc(FuncType((I32,), (I32,)), lambda instance: self.spawn, module, name)
        found = self._lookup(module, name)
        if isinstance(found, HostFunc) and name not in PATIENT:
            return changed(found, bind=partial(self._alone, found))
        return self._memory(module, name) if found is None else found

    def _alone(self, function: HostFunc, instance: Instance) -> Callable[..., Any]:
        """A function of the host that only one thread is in at a time."""
        call = function.bind(instance)

        def alone(*arguments: Any) -> Any:
            with self._in_host:
                return call(*arguments)

        return alone

    def _memory(self, module: str, name: str) -> Memory | None:
        """The shared memory that the guest imports by this name, made when it is first asked for."""
        place = module, name
        for import_ in self.module.imported(ExternKind.MEMORY):
            type_ = import_.type
            if (import_.module, import_.name) == place and isinstance(type_, MemType) and type_.shared:
                if place not in self._memories:
                    made = create_memory(type_, self.limits.memory, self._flavour, self.group.memories)
                    self._memories[place] = made
                return self._memories[place]
        return None

    def spawn(self, argument: int) -> int:
        """Start a thread that calls `wasi_thread_start` with its number and `argument`. Returns the number,
        from 1 on, or REFUSED. Raises Stopped if the program has been ended."""
        with self._lock:
            if self._stopping:
                raise Stopped
            if len(self._running) >= self.limits.threads:
                return REFUSED
            number = self._started + 1
            context, begun = copy_context(), Event()  # the caller's deadlines apply to the new thread
            work = partial(context.run, self._run, number, argument, begun)
            thread = Thread(target=work, name=f"{self.module.name} thread {number}", daemon=True)
            self._running.add(thread)
            try:
                thread.start()
            except RuntimeError:  # the process can't have more, or this Python has none
                self._running.discard(thread)
                return REFUSED
            except BaseException:  # Ctrl-C, before the thread began or while `start` waited for it
                if not begun.wait(LEAVING):
                    self._running.discard(thread)
                raise
            self._started = number
        return number

    def _run(self, number: int, argument: int, begun: Event) -> None:
        """The work of a thread."""
        begun.set()
        try:
            group = self._new_group()
            try:
                observer = None if self._observer is None else self._observer.on_thread(number, self.module)
                instance = instantiate(
                    self.module,
                    self.lookup,
                    self._make_engine(observer),
                    flavour=self._flavour,
                    observer=observer,
                    group=group,
                )
                with instance:
                    instance.exports[START](number, argument)
            finally:
                with self._lock:
                    self._groups.remove(group)
        except Stopped:
            pass  # another thread tells why
        except BaseException as error:
            if isinstance(error, WasmError):
                error.thread = number
            self.end(error.with_traceback(None))
        finally:
            with self._lock:
                self._running.discard(current_thread())
                self._leaving = {thread for thread in self._leaving if thread.is_alive()} | {current_thread()}

    def _new_group(self) -> Group:
        """A group of a further thread: it spends what the first one has."""
        group = ThreadGroup(self)
        group.purse, group.host_calls = self.group.purse, self.group.host_calls
        group.memories, group.tables = self.group.memories, self.group.tables
        group.report = self.group.report
        with self._lock:
            if self._stopping:
                raise Stopped
            self._groups.append(group)
        return group

    def in_place_of(self, error: BaseException, group: Group) -> BaseException | None:
        """See `Group.in_place_of`. The first other thread that fails stops all, and is the one that tells
        why; the program's first thread waits for that."""
        if group is self.group:
            if not isinstance(error, Stopped):
                return None
            self._told.wait()
            return self._ended
        if group.running > 1 or self._stop():  # the host may catch what leaves an inner call
            return None
        return Stopped()

    def _stop(self) -> bool:
        """Stop all threads. Returns whether nobody had done so before."""
        with self._lock:
            if self._stopping:
                return False
            self._stopping = True
        self._end_calls()
        return True

    def _end_calls(self) -> None:
        """End the calls that run on all threads now."""
        with self._lock:
            deadlines = {id(due): due for group in self._groups for due in group.store.root().deadlines}
        for deadline in deadlines.values():
            deadline.end(Stopped)

    def end(self, reason: BaseException) -> None:
        """End all threads; the call that runs on the first one raises `reason`. Only the first reason
        counts."""
        with self._lock:
            self._ended = self._ended or reason
        self._told.set()
        self._stop()

    def close(self) -> None:
        """End what still runs, because the first thread has ended, and free the shared memories."""
        self.end(GuestExit(0))
        with self._lock:
            left = [*self._running, *self._leaving]
        last = monotonic() + LEAVING
        for thread in left:
            while thread.is_alive() and monotonic() < last:
                self._end_calls()  # one may have begun since
                thread.join(AGAIN)
        for memory in self._memories.values():
            memory.close()

"""Functions and instances, and the only way for the host to call a guest.

What is here: functions, host functions, instances (https://webassembly.github.io/spec/core/exec/runtime.html).
What is not: making instances (`link.py`), globals and tags (`externs.py`), and running a function's body: an
`Engine`, chosen at instantiation, makes a callable from a validated function.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, Self

from ...brief import counted, listed, named
from ...checks import refuse
from ...errors import BusyError, GuestExit, HostError, InterruptionError, Trap, TrapKind, WasmError
from ...printable import printable
from ...records import Frozen
from ..defining import define_func
from ..instructions.cells import NAMES
from ..module import Export, Module
from ..pace import Patience, pieces, unhurried
from ..types import DefType, ExternKind, FuncType, RefType, ValType, val_type
from .alarm import ONE_THREAD
from .deadline import Timing, left_to_all
from .depth import CALL_DEPTH
from .externs import Global, NamedGlobal, Tag, canonical, references_checked
from .group import Group
from .heap import Heap, Reaching, store_of
from .memory import Flavour, Memory
from .meter import Meter
from .observe import Observer
from .payment import PAYING, Payment
from .room import Rooms
from .store import Store
from .table import Table
from .values import from_guest, results_from_guest, results_to_guest

if TYPE_CHECKING:
    from ...frames import CallToHost


NUMBERS = (int, float)
"""Classes of values that aren't references."""
RUNNING = "the instance is running and can't be closed now"


class Engine(Protocol):
    """Makes what a module defines, and runs its functions."""

    name: str
    foreign: str
    """The engine outside this package that owns the memories and tables of its guests; "" for none."""
    keeps_state: bool
    """Whether all state of an instance is in objects of this package, so that it can be copied."""

    @property
    def ready(self) -> Collection[int]:
        """The functions that calls have made, by funcidx; none if `prepare` does nothing."""

    def define(self, instance: Instance) -> None:
        """Make what the module defines: add functions, tables, memories, tags and globals to the index
        spaces, which have the imports already, and copy the segments. The start function is called later.

        A function is a `Func` whose callable takes canonical values, of exact arity, and returns None, one
        value, or a tuple. An entry that is neither exported nor needed for the start may be anything.
        """

    def prepare(self, instance: Instance, index: int) -> Callable[..., Any]:
        """The callable of the defined function `index` for a call from the host. What was left for the first
        call is done now, so that the call itself needs no extra stack."""

    def begin_anew(self, instance: Instance) -> None:
        """Forget the functions made so far: those called from now on are made again, with the counting that
        `meter.counts` asks for, or trap if the instance refuses calls. Running frames stay as they are."""

    def python_frames(self, call_depth: int) -> int:
        """The maximum of Python frames that so many guest frames take."""

    def explain(self, error: BaseException) -> tuple[BaseException, Collection[Instance]]:
        """The error for the caller of a guest: a trap with frames, or the error itself if it is a bug; and
        the instances that were running."""

    def dismiss(self, error: BaseException) -> Collection[Instance]:
        """The instances whose functions were running, for an error that nobody gets: its traceback is
        freed."""

    def told(self, error: BaseException, innermost: Any) -> WasmError | None:
        """The error that the guest's caller will get for an exception in the function `innermost` (an
        `activations.Activation`); None if it is no failure of the guest."""

    def summary(self, instance: Instance) -> str:
        """A line for users about the functions that were called."""


class Func(Reaching):
    """A function and its type. Call it with Python values; `callable` takes canonical values. `instance` is
    None for a host function."""

    __slots__ = ("callable", "code", "deftype", "funcidx", "instance", "tail", "type")
    lent = False
    """Whether each instance that imports it gets a function of its own."""

    def __init__(
        self,
        deftype: DefType,
        callable_: Callable[..., Any],
        instance: Instance | None = None,
        funcidx: int = -1,
    ) -> None:
        self.deftype = deftype
        self.type: FuncType = deftype.composite  # type: ignore[assignment] # as validated
        self.callable = callable_
        self.instance = instance
        self.funcidx = funcidx
        self.code: Any = None
        """The body as `interpret` has prepared it, once it has run interpreted."""
        self.tail: Any = None
        """The callable that `compile` uses for tail calls, once there has been one."""

    @staticmethod
    def of(
        params: Sequence[ValType | str], results: Sequence[ValType | str], function: Callable[..., Any]
    ) -> Func:
        """A function of the host with explicit types, as in `Func.of(["i32", "f64"], ["i64"], f)`, instead of
        annotations. It gets integers signed, and returns None, one result, or a tuple. If it is a coroutine
        function, the guest waits for its result.

        Raises TypeError if `function` can't be called, ValueError for an unknown type.
        """
        if not callable(function):
            raise TypeError(f"function must be callable, got {type(function).__name__}")
        for name, types in (("params", params), ("results", results)):
            if isinstance(types, str) or not isinstance(types, Sequence):
                raise refuse(name, 'a list of types, as ["i32", "f64"]', types)
        type_ = FuncType(tuple(map(val_type, params)), tuple(map(val_type, results)))
        from .awaiting import is_asynchronous, waiting

        owner = getattr(function, "__qualname__", "host function")
        called = waiting(function, owner, left_to_all) if is_asynchronous(function) else function

        def call(*arguments: Any) -> Any:
            try:
                given = called(*map(from_guest, type_.params, arguments))
                return references_checked(type_.results, results_to_guest(type_.results, given))
            except (WasmError, GuestExit):
                raise
            except Exception as error:
                raise HostError(owner, error) from error

        if any(isinstance(result, RefType) for result in type_.results):
            return GivingFunc.lent_to_all(define_func(type_), call)
        return Func(define_func(type_), call)

    def __call__(self, *arguments: Any) -> Any:
        """Call from the host. Integers may be signed or unsigned; results are signed: None, one value, or a
        tuple.

        Raises Trap, LimitError, HostError, WasmException or GuestExit; TypeError and ValueError for arguments
        that don't fit.
        """
        params = self.type.params
        if len(arguments) != len(params):
            wanted = counted(len(params), "argument")
            raise TypeError(f"the function takes {wanted} {self.type}, got {len(arguments)}")
        try:
            values = canonical(params, arguments)
        except (TypeError, ValueError) as error:
            raise type(error)(f"arguments {self.type}: {error}") from None
        return results_from_guest(self.type.results, self.call(*values))

    async def call_async(self, *arguments: Any) -> Any:
        """Call from the host as `__call__` does, on a thread of asyncio, so that other tasks continue
        meanwhile.

        Cancelling doesn't stop the guest: give it a deadline. If Python has no threads (Pyodide), other tasks
        wait.
        """
        if sys.platform in ONE_THREAD:
            return self(*arguments)
        import asyncio

        from .awaiting import called_for

        return await asyncio.to_thread(called_for, asyncio.get_running_loop(), self, arguments)

    def call(self, *arguments: Any) -> Any:
        """Call from the host with canonical values."""
        if self.instance is None:
            return self.callable(*arguments)
        return self.instance.enter(self, arguments)

    @property
    def store(self) -> Store | None:
        """The store of its instance; None for a host function."""
        return None if self.instance is None else self.instance.store

    @property
    def origin(self) -> Func:
        """The function without the instance that exports it again: what other instances import."""
        return self

    def __repr__(self) -> str:
        return named("func", f"{self.funcidx if self.funcidx >= 0 else 'of the host'} {self.type}")


def of_origin(name: str) -> Any:
    """A property that is the origin's attribute."""
    return property(
        lambda self: getattr(self.origin, name), lambda self, value: setattr(self.origin, name, value)
    )


class ExportedAgain(Func):
    """An import of an instance that exports it again. A call from the host is a call of that instance: its
    limits apply, and it must not be closed. For guests it is the imported function."""

    __slots__ = ("exporter", "origin")
    callable, code, deftype, funcidx, instance, store, tail, type = map(
        of_origin, ("callable", "code", "deftype", "funcidx", "instance", "store", "tail", "type")
    )

    def __init__(self, func: Func, exporter: Instance) -> None:
        self.origin = func.origin  # type: ignore[misc] # a slot in place of the property
        self.exporter = exporter

    def call(self, *arguments: Any) -> Any:
        return self.exporter.enter(self.origin, arguments)


class GivingFunc(Func):
    """A function of the host that returns references. Instances that can call it share a store with
    everything that its results can lead to."""

    __slots__ = ("_store", "lent")

    def __init__(self, deftype: DefType, callable_: Callable[..., Any], store: Store | None = None) -> None:
        super().__init__(deftype, callable_)
        self._store = store
        self.lent = False

    @staticmethod
    def lent_to_all(deftype: DefType, callable_: Callable[..., Any]) -> GivingFunc:
        """A function that belongs to no instance yet. It gets a store once it is in an object that instances
        share."""

        def call(*arguments: Any) -> Any:
            result = callable_(*arguments)
            if made._store is not None:
                for value in result if result.__class__ is tuple else (result,):
                    made._store.join(store_of(value))
            return result

        made = GivingFunc(deftype, call)
        made.lent = True
        return made

    @property
    def store(self) -> Store:
        if self._store is None:
            self._store = Store()
        return self._store


class HostFunc(Frozen):
    """A function of the host before it is imported. `bind` makes the callable for the importing instance."""

    type: FuncType
    bind: Callable[[Instance], Callable[..., Any]]
    module: str = ""
    name: str = ""


class UntypedFunc(Frozen):
    """A function of the host without a type of its own: `of` makes a function for the type of an import.
    Raises LinkError if the function can't have that type."""

    of: Callable[[FuncType], HostFunc]


Extern = Func | HostFunc | UntypedFunc | Table | Memory | Global | Tag
"""Objects that can be imported."""
Lookup = Callable[[str, str], Extern | None]
"""Finds an import by module and name."""
SPACES: Mapping[ExternKind, str] = {
    ExternKind.FUNC: "funcs",
    ExternKind.TABLE: "tables",
    ExternKind.MEMORY: "mems",
    ExternKind.GLOBAL: "globals",
    ExternKind.TAG: "tags",
}
"""The attribute of an instance that is an index space."""


def end(*all_: Payment | Timing | None) -> None:
    """End what a call pays, and its deadline, where it has them."""
    for one in all_:
        if one is not None:
            one.end()


class InstanceState(Frozen):
    """The complete mutable state of an instance at one moment; structures and arrays only by reference,
    without their contents."""

    memories: tuple[bytes, ...]
    globals: tuple[Any, ...]
    tables: tuple[tuple[Any, ...], ...]
    datas: tuple[bytes, ...]
    elems: tuple[tuple[Any, ...], ...]


class Exports:
    """The exports of an instance: `exports.name` or `exports["any name"]`."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._exports = {export.name: export for export in instance.module.exports}

    def __getitem__(self, name: str) -> Any:
        """The Func, Memory, Table, Global or Tag of that name. Raises KeyError."""
        export = self._exports[name]
        found = self._instance.extern(export)
        if export.index < self._instance.module.imported_funcs and isinstance(found, Func):
            return ExportedAgain(found, self._instance)
        return found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in self._exports:
            raise AttributeError(
                f"the module exports no {name!r}; it exports {listed(list(self), 20) or 'nothing'}"
            )
        return self[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._exports)

    def __len__(self) -> int:
        return len(self._exports)

    def __contains__(self, name: object) -> bool:
        return name in self._exports

    def __repr__(self) -> str:
        return named("Exports", listed(list(self)) or "none")


class Instance:
    """An instance of a module. Made by `link.instantiate`; as a context manager it closes itself at the end.

    Only one thread at a time may run it, together with all instances that have functions of each other: by
    import, in a shared table or global, or by a reference. A call from another thread raises BusyError.
    `namespace` holds the globals of the Python functions that engines generate for this instance.
    """

    def __init__(
        self, module: Module, engine: Engine, group: Group, flavour: Flavour, observer: Observer | None
    ) -> None:
        self.module = module
        self.engine = engine
        self.group = group
        self.limits = group.limits
        self.flavour = flavour
        self.observer: Observer = Observer() if observer is None else observer
        self.followed = any(map(self.watches, ("calls", "instr", "steps")))
        """Whether an observer watches its functions, and not only its host calls."""
        self.funcs: list[Func] = []
        self.tables: list[Table] = []
        self.mems: list[Memory] = []
        self.globals: list[Global | NamedGlobal] = []
        self.tags: list[Tag] = []
        self.datas: list[bytes] = []
        self.elems: list[Sequence[Any]] = []
        self.namespace: dict[str, Any] = {
            **NAMES,
            "instance": self,
            "memory_init": self.memory_init,
            "data_drop": self.data_drop,
            "table_init": self.table_init,
            "elem_drop": self.elem_drop,
            "ref_func": self.funcs.__getitem__,
        }
        self.meter = Meter(group, self.namespace, self.watches("blocks"))
        self.meter.made_anew = partial(engine.begin_anew, self)
        self.store = group.store
        self.heap = self.namespace["heap"] = Heap(self.datas, self.elems, group.alive)
        self.namespace["block"] = self.observer.block
        self.exports = Exports(self)
        self._closers: list[Callable[[], None]] = []
        self.last_host_call: tuple[Callable[..., CallToHost], *tuple[Any, ...]] | None = None
        """A function that describes the call, the result, why it failed or "", and the core arguments."""
        self.rooms = Rooms("_start" in self.exports)

    def __repr__(self) -> str:
        state = f", {self.refusal}" if self.refusal else ""
        exports = listed(list(self.exports)) or "nothing"
        text = f"{printable(self.module.name, 60)}: engine {self.engine.name}, exports {exports}{state}"
        return named("Instance of", text)

    @property
    def fuel(self) -> int | None:
        """The remaining instructions of `Limits.fuel`, None without a limit. May be set between calls; raises
        ValueError if the instance was made without a limit."""
        return self.group.fuel

    @fuel.setter
    def fuel(self, amount: int) -> None:
        self.group.fuel = amount

    @property
    def refusal(self) -> TrapKind | None:
        """Why the instance can't be called any more, or None."""
        return self.group.refusal

    def watches(self, level: str) -> bool:
        """Whether the instance's observer wants events of this level."""
        return level in self.observer.wants

    def extern(self, export: Export) -> Func | Table | Memory | Global | NamedGlobal | Tag:
        space: Sequence[Any] = getattr(self, SPACES[export.kind])
        found: Func | Table | Memory | Global | NamedGlobal | Tag = space[export.index]
        return found

    @property
    def memory(self) -> Memory:
        """The exported memory `memory`, or else memory 0. Raises WasmError if there is none."""
        memory = self.exported_memory("memory") or (self.mems[0] if self.mems else None)
        if memory is None:
            raise WasmError("the module has no memory")
        return memory

    def exported_memory(self, name: str) -> Memory | None:
        """The memory exported under this name, or None."""
        for export in self.module.exports:
            if export.name == name and export.kind is ExternKind.MEMORY:
                return self.mems[export.index]
        return None

    # Calls from the host

    def enter(self, func: Func, arguments: Sequence[Any]) -> Any:
        """Call a function of this instance with canonical values, or a component's function that calls
        functions of this instance. Errors are converted by `Engine.explain`."""
        group = self.group
        if group.refusal is not None:
            raise group.refused()
        store, timing, payment = self.store.take(), None, None
        group.running += 1
        try:
            for value in arguments:
                if value.__class__ not in NUMBERS:
                    store.join(store_of(value))
                    store = store.root()
            timing = Timing.of(store, group.seconds)
            if PAYING or store.counts:
                payment = Payment.of(store, group.purse)
            function = func.callable
            if func.instance is self and func.funcidx >= 0:
                function = self.engine.prepare(self, func.funcidx - self.module.imported_funcs)
            frames = self.engine.python_frames(self.limits.call_depth)
            return CALL_DEPTH.call(frames, self.limits.host_reentry, function, arguments, self.rooms)
        except BaseException as error:
            if explained := group.in_place_of(error):
                running = self.engine.dismiss(error)
            else:
                explained, running = self.engine.explain(error)
                self.tell_host_call(explained)
            if not isinstance(explained, WasmError | GuestExit) or isinstance(explained, InterruptionError):
                group.poison(explained)
                for instance in running:
                    instance.group.poison(explained)
            if group.running == 1:
                group.tell_refused(explained)
                self.observer.ended(explained)
        finally:
            group.running -= 1
            try:
                end(payment, timing)
            except BaseException:  # of a signal's handler: neither stays on those who call next
                end(payment, timing)
                raise
            finally:  # what runs for ever can't be closed
                store.give()
        # Not raised in `except`: as its context, the first error would keep the guest's frames and memory.
        try:
            raise explained
        finally:
            del explained  # which breaks the cycle of this frame and the traceback

    def tell_host_call(self, error: BaseException) -> None:
        """Add the last host call to an error that leaves the guest, unless an inner call has added one."""
        if isinstance(error, WasmError) and error.host_call is None and self.last_host_call is not None:
            tell, *about = self.last_host_call
            error.host_call = tell(*about)

    def admit(self, values: Any) -> Any:
        """Let values from the host, one or a tuple, in: the instance shares a store with all they lead to."""
        for value in values if values.__class__ is tuple else (values,):
            if value.__class__ not in NUMBERS:
                self.store.join(store_of(value))
        return values

    # Instructions that use the instance

    def memory_init(
        self, memidx: int, dataidx: int, target: int, source: int, count: int, patience: Patience = unhurried
    ) -> None:
        data, memory = self.datas[dataidx], self.mems[memidx]
        if source + count > len(data):
            beyond = f"{count} bytes at {source} of a segment that has {len(data)}"
            raise Trap(TrapKind.OUT_OF_BOUNDS_MEMORY, beyond)
        from_, to = memoryview(data)[source : source + count], memory.view(target, count)
        for piece in pieces(count, patience):
            to[piece] = from_[piece]

    def data_drop(self, dataidx: int) -> None:
        self.datas[dataidx] = b""

    def table_init(
        self,
        tableidx: int,
        elemidx: int,
        target: int,
        source: int,
        count: int,
        patience: Patience = unhurried,
    ) -> None:
        self.tables[tableidx].init(target, self.elems[elemidx], source, count, patience)

    def elem_drop(self, elemidx: int) -> None:
        self.elems[elemidx] = ()

    # State and end

    def snapshot(self) -> InstanceState:
        """A copy of all mutable state, for `restore`, without frames. Raises BusyError while another thread
        runs the instance, WasmError if the engine can't copy state."""
        self.check_state()
        with self.store.turn():
            return InstanceState(
                tuple(bytes(memory.buffer) for memory in self.mems),
                tuple(global_.raw for global_ in self.globals),
                tuple(tuple(table.elements) for table in self.tables),
                tuple(self.datas),
                tuple(map(tuple, self.elems)),
            )

    def restore(self, state: InstanceState) -> None:
        """Restore a snapshot. Raises ValueError, before anything is changed, if a memory has grown since, and
        BusyError while another thread runs the instance."""
        with self.store.turn():
            self._restore(state)

    def _restore(self, state: InstanceState) -> None:
        if any(memory.size != len(saved) for memory, saved in zip(self.mems, state.memories, strict=True)):
            raise ValueError("a memory has grown since the snapshot, and linear memory never shrinks")
        for memory, saved in zip(self.mems, state.memories, strict=True):
            memory.write(0, saved)
        for global_, value in zip(self.globals, state.globals, strict=True):
            global_.raw = value
        for table, elements in zip(self.tables, state.tables, strict=True):
            table.restore(elements)
        self.datas[:] = state.datas
        self.elems[:] = state.elems

    def check_state(self) -> None:
        """Raises WasmError if the engine has state that can't be copied."""
        if not self.engine.keeps_state:
            raise WasmError(f"engine {self.engine.name} can't copy state: run on compile or interpret")

    def on_close(self, callback: Callable[[], None]) -> None:
        """Call `callback` when the instance is closed; the last one added is called first."""
        self._closers.append(callback)

    def close(self) -> None:
        """Release memory, files and models. Later calls trap. Closing twice does nothing. Raises BusyError
        while this instance, or one that shares functions with it, runs."""
        try:
            store = self.store.take()
        except BusyError as error:
            raise BusyError(RUNNING) from error
        try:
            if store.depth > 1:
                raise BusyError(RUNNING)
            self.abandon()
        finally:
            store.give()

    def abandon(self) -> None:
        """Close an instance that nobody has a reference to yet, without checking whether it runs."""
        self.group.refuse(TrapKind.CLOSED)
        while self._closers:
            self._closers.pop()()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

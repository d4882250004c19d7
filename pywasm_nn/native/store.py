"""A store of wasmtime: the instances that share memories, tables and globals, and how they are called.

What is here: `NativeStore`, which owns wasmtime's objects, calls guests, lets them call the host and carries
exceptions across. It lives as long as anything refers to it, also a view of a memory. What is not: making
instances (`engine.py`), conversion of values (`crossing.py`), reading traps (`failure.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import addressof, byref, c_uint64, c_void_p
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Any, NoReturn

from ..errors import LinkError, Trap, TrapKind, WasmException
from ..interpreter.defining import define_func
from ..interpreter.runtime.group import Group
from ..interpreter.runtime.instance import Func, Instance
from ..interpreter.runtime.payment import is_paid
from ..interpreter.runtime.quota import Purse
from ..interpreter.types import DefType, FuncType
from . import failure as failure_module
from .binding import EPOCH_CALL, FREE, HOST_CALL, Binding, binding
from .code import Machine
from .crossing import NAMES, call_code, count_of, host_code, words
from .exceptions import Tags
from .failure import failure, of_type, running_at, type_of
from .stack import Room

if TYPE_CHECKING:
    from .memory import NativeMemory

HOST = b"pywasm-nn: a host function raised an exception"
UNLIMITED = (1 << 63) - 1


class NativeFunc(Func):
    """A function of a guest in wasmtime."""

    __slots__ = ("native", "native_store")

    def __init__(
        self, deftype: DefType, instance: Instance, funcidx: int, store: NativeStore, native: Any
    ) -> None:
        self.native_store = store
        self.native = native
        """wasmtime's structure, which stays where it is."""
        super().__init__(deftype, store.callable_for(native, deftype.composite, instance), instance, funcidx)


class Owned:
    """A store of wasmtime, freed with the last reference to this: a view of a memory is one, too."""

    __slots__ = ("_forget", "_free", "pointer")

    def __init__(self, api: Binding, pointer: int, forget: Any) -> None:
        self.pointer = pointer
        self._free = api.store_delete
        self._forget = forget
        """wasmtime calls this while it frees the store."""

    def __del__(self) -> None:
        self._free(self.pointer)


class NativeStore:
    """Guests that can share objects, in one store of wasmtime."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.api: Binding = binding()
        self._objects: dict[int, Any] = {}
        """Objects of external references, by number."""
        self._forget = FREE(partial(forget, self._objects))
        pointer = self.api.store_new(machine.pointer, None, None)
        self.owned: Owned | None = Owned(self.api, pointer, self._forget)
        """None when all instances are closed."""
        self._context: int = self.api.store_context(pointer)
        self.instances: dict[int, tuple[Instance, int]] = {}
        """Open instances by id, with the number of bytes by which wasmtime sees their code moved."""
        self._counts: dict[Group, tuple[int, int]] = {}
        """How many memories and tables each group has defined."""
        self._most = UNLIMITED, UNLIMITED
        """The largest memory in bytes, and the largest table."""
        self._call = self.api.func_call_unchecked
        self._exception: BaseException | None = None
        """The exception of a host function, on its way through wasmtime."""
        self._funcs: dict[int, Func] = {}
        """Functions by wasmtime's pointer."""
        self._lent: dict[int, tuple[Func, Any]] = {}
        """Functions of hosts, by id, with wasmtime's structure."""
        self._kept: list[Any] = []
        """Callbacks, which must live as long as guests can run."""
        self._numbers = 0
        self._room = Room()
        self.tags = Tags(self)
        self.bound: list[NativeMemory] = []
        """Memories whose names are in namespaces of generated code: of components."""
        self.unheld: set[str] = set()
        """Limits that a caller may have, and that the code isn't compiled for."""
        self._purse: Purse | None = None
        """The fuel of the running guest."""
        if machine.variant.time:
            self._kept.append(EPOCH_CALL(self._look))
            self.api.store_epoch_deadline_callback(pointer, self._kept[-1], None, None)
            self.api.context_set_epoch_deadline(self._context, 1)

    @property
    def context(self) -> int:
        """wasmtime's pointer. Raises Trap if all instances are closed."""
        if self.owned is None:
            raise Trap(TrapKind.CLOSED)
        return self._context

    def enter(self, instance: Instance, shift: int) -> None:
        """An instance is made in this store."""
        self.instances[id(instance)] = instance, shift
        self._limit(instance)
        if self.machine.variant.time:
            instance.meter.when_halted(self._wake, self)

    def leave(self, instance: Instance) -> None:
        """An instance is closed. The last one frees the store."""
        self.instances.pop(id(instance), None)
        if not self.instances:
            self.owned = None
            self._funcs.clear()
            self._lent.clear()

    def _limit(self, instance: Instance) -> None:
        """Hold an instance's limits. wasmtime knows one maximum for all memories of a store, and one for all
        tables: where a group has several, it is lower, so that all together stay within the total."""
        memories, tables = self._counts.get(instance.group, (0, 0))
        memories += len(instance.module.mems)
        tables += len(instance.module.tables)
        self._counts[instance.group] = memories, tables
        limits, (memory, table) = instance.limits, self._most
        memory = min(memory, limits.memory, limits.memory_total // max(memories, 1))
        table = min(table, limits.table, limits.table_total // max(tables, 1))
        self._most = memory, table
        assert self.owned is not None  # as an instance is being made
        self.api.store_limiter(self.owned.pointer, memory, table, UNLIMITED, UNLIMITED, UNLIMITED)

    # Time

    def _wake(self, store: object) -> None:
        """Make running guests look at their deadlines. Called on the thread of the clock."""
        self.api.engine_increment_epoch(self.machine.pointer)

    def _check_time(self) -> None:
        """Raise DeadlineError if the time is over."""
        for instance, _ in list(self.instances.values()):
            instance.meter.check()

    def _look(self, context: int, data: int, more: Any, kind: Any) -> int:
        """Called by wasmtime, on the guest's thread, after `_wake` of any store."""
        try:
            self._check_time()
        except BaseException as error:
            self._exception = error
            stopped: int = self.api.error_new(HOST)
            return stopped
        more[0], kind[0] = 1, 0
        return 0

    # Calls

    def callable_for(self, native: Any, type_: Any, instance: Instance) -> Callable[..., Any]:
        """A Python function that calls a guest's function with canonical values."""
        return FunctionType(
            call_code(type_),
            self.names() | {
                "func": addressof(native),
                "keep": native,
                "instance": instance,
                "invoke": partial(self.invoke_paid, instance) if self.machine.variant.fuel else self.invoke,
                "refused": refused, "unheld": self.unheld, "check_held": self.check_held,
                "Words": words(count_of(type_)),
            },
        )  # fmt: skip

    def names(self) -> dict[str, Any]:
        """Names for generated code that converts values."""
        return NAMES | {
            "func_in": self.func_in, "func_out": self.func_out,
            "bound": self.bound,
            "look_for_growth": self.look_for_growth,
            "timed": self.machine.variant.time, "check_time": self._check_time,
            "extern_in": self.extern_in, "extern_out": self.extern_out,
        }  # fmt: skip

    def invoke(self, func: int, raw: Any, count: int) -> None:
        """Call a function of a guest. Raises what a host function raised, or a trap or limit."""
        if not self._room.enough:
            self._room.look(self.machine.variant.stack)
        trap = c_void_p()
        error = self._call(self.context, func, raw, count, byref(trap))
        if error or trap.value:
            # The traceback of the exception tells `failure.activations` what ran.
            running = running_at(error, trap.value, list(self.instances.values()))
            risen = failure(error, trap.value, running)
            raised, self._exception = self._exception or self.tags.caught(), None
            try:
                raise risen if raised is None else raised
            finally:
                del raised, risen

    def check_holds(self, *, seconds: bool, fuel: bool = False) -> None:
        """Raises LinkError if a guest with these limits would run code that was compiled without them."""
        held = self.machine.variant
        for name, wanted, has in (("seconds", seconds, held.time), ("fuel", fuel, held.fuel)):
            if wanted and not has:
                raise without(name, "what is imported belongs to a guest that")

    def find_unheld(self, instance: Instance) -> None:
        """A caller may have limits from now on: note which of them the code can't hold."""
        held, counts = self.machine.variant, instance.meter.counts
        wanted = {"seconds": counts.time and not held.time, "fuel": counts.fuel and not held.fuel}
        self.unheld.update(name for name, is_wanted in wanted.items() if is_wanted)

    def check_held(self, instance: Instance) -> None:
        """Raises LinkError if this call has a limit that the code can't hold."""
        if "seconds" in self.unheld and instance.meter.patience() is not None:
            raise without("seconds", "the guest that is called")
        if "fuel" in self.unheld and is_paid():
            raise without("fuel", "the guest that is called")

    def look_for_growth(self) -> None:
        """Bind the names of memories again that a guest has grown."""
        for memory in self.bound:
            memory.bind_again()

    # Fuel

    @property
    def held(self) -> int:
        """The fuel that the running guest has left, in wasmtime's unit."""
        left = c_uint64()
        self.api.context_get_fuel(self.context, byref(left))
        return left.value

    @held.setter
    def held(self, amount: int) -> None:
        self.api.context_set_fuel(self.context, min(amount, UNLIMITED))

    def invoke_paid(self, instance: Instance, func: int, raw: Any, count: int) -> None:
        """The same as `invoke`, with the fuel of the instance that the host calls."""
        purse, around = instance.group.purse or Purse(UNLIMITED), self._purse
        if purse is around:
            self.invoke(func, raw, count)
            return
        if around is not None:
            around.collect()
        purse.lend(self)
        self._purse = purse
        try:
            self.invoke(func, raw, count)
        finally:
            purse.collect()
            self._purse = around
            if around is not None:
                around.lend(self)

    # The host

    def host_function(self, type_: FuncType, function: Callable[..., Any]) -> Any:
        """wasmtime's structure for a Python function of canonical values."""
        made = FunctionType(host_code(type_), self.names() | {"function": function, "risen": self.risen})
        callback = HOST_CALL(made)
        self._kept.append(callback)
        native = self.api.layouts.wasmtime_func_t()
        with of_type(type_) as pointer:
            self.api.func_new_unchecked(self.context, pointer, callback, None, None, byref(native))
        return native

    def risen(self, error: BaseException) -> int:
        """A trap that stands for an exception. A guest can catch only a WasmException."""
        if isinstance(error, WasmException):
            try:
                return self.tags.thrown(error)
            except BaseException as failed:
                error = failed
        self._exception = error
        trap: int = self.api.trap_new(HOST, len(HOST))
        return trap

    def imported(self, func: Func) -> Any:
        """wasmtime's structure for a function that a guest imports or gets."""
        func = func.origin
        if isinstance(func, NativeFunc):
            if func.native_store is self:
                return func.native
            func.native_store.check_holds(seconds=self.machine.variant.time)
        if id(func) not in self._lent:
            self._lent[id(func)] = func, self.host_function(func.type, func.callable)
        return self._lent[id(func)][1]

    # References

    def know(self, func: Func, native: Any) -> None:
        """Remember a function for references to it."""
        self._funcs[self.api.func_to_raw(self.context, byref(native))] = func

    def func_in(self, raw: int) -> Func | None:
        """The function for a reference from wasmtime."""
        if not raw:
            return None
        if raw not in self._funcs:
            native = self.api.layouts.wasmtime_func_t()
            self.api.func_from_raw(self.context, raw, byref(native))
            deftype = define_func(type_of(self.api.func_type(self.context, byref(native))))
            owner = next(iter(self.instances.values()))[0]
            self._funcs[raw] = NativeFunc(deftype, owner, -1, self, native)
        return self._funcs[raw]

    def func_out(self, func: Func | None) -> int:
        """A reference for wasmtime."""
        if func is None:
            return 0
        native = self.imported(func)
        raw: int = self.api.func_to_raw(self.context, byref(native))
        self._funcs.setdefault(raw, func)
        return raw

    def extern_in(self, raw: int) -> Any:
        """The object of an external reference."""
        raw &= 0xFFFFFFFF
        if not raw:
            return None
        found = self.api.layouts.wasmtime_externref_t()
        self.api.externref_from_raw(self.context, raw, byref(found))
        object_ = self.object_at(found)
        self.api.externref_unroot(byref(found))
        return object_

    def object_at(self, reference: Any) -> Any:
        """The object of wasmtime's structure for a reference."""
        return self._objects.get(self.api.externref_data(self.context, byref(reference)))

    def extern_out(self, value: Any) -> int:
        """An external reference to an object."""
        if value is None:
            return 0
        made = self.api.layouts.wasmtime_externref_t()
        self.root(value, made)
        raw: int = self.api.externref_to_raw(self.context, byref(made))
        self.api.externref_unroot(byref(made))
        return raw

    def root(self, value: Any, place: Any) -> None:
        """Put a reference to an object into wasmtime's structure."""
        self._numbers += 1
        self._objects[self._numbers] = value
        if not self.api.externref_new(self.context, self._numbers, self._forget, byref(place)):
            raise MemoryError


def without(name: str, guest: str) -> LinkError:
    """The error for a guest that runs without a limit where there is one."""
    return LinkError(
        f"engine wasmtime can't hold Limits.{name}: {guest} was made without it; "
        f"give that one Limits.{name} too"
    )


def forget(objects: dict[int, Any], number: int) -> None:
    """wasmtime has no reference to this object any more."""
    objects.pop(number, None)


def refused(instance: Instance) -> NoReturn:
    """Raise the trap of an instance that can't be called any more."""
    raise instance.group.refused()


failure_module.INVOKE = NativeStore.invoke.__code__

"""The engine: makes instances in wasmtime, and refuses what it can't hold.

What is here: `WasmtimeEngine`. What is not: running (`store.py`) and compiling (`code.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from ctypes import byref, c_void_p
from functools import partial
from typing import Any

from ..errors import LinkError, WasmError
from ..interpreter.engine import FOREIGN, BaseEngine
from ..interpreter.module import Export, Module
from ..interpreter.runtime.externs import Global, Tag
from ..interpreter.runtime.instance import Func, Instance
from ..interpreter.runtime.memory import Memory
from ..interpreter.runtime.table import Table
from ..interpreter.types import EXTERNREF, FUNCREF, ExternKind, FuncType, NumType, ValType
from ..limits import Limits
from . import installed
from .binding import binding, message_of
from .code import Code, code_of, machine, variant_for
from .crossing import is_func
from .externs import Elements, NativeGlobal, NativeTable, moved_global, moved_table, put
from .failure import activations, failure, val_type_pointer
from .memory import NativeMemory, moved
from .store import NativeFunc, NativeStore

FRAMES = 10_000
"""Python frames for host functions; the guest itself needs none."""
NUMBERS = {
    ExternKind.FUNC: 0,
    ExternKind.GLOBAL: 1,
    ExternKind.TABLE: 2,
    ExternKind.MEMORY: 3,
    ExternKind.TAG: 5,
}
"""wasmtime's numbers for kinds of objects."""
FIELDS = {
    ExternKind.FUNC: "func",
    ExternKind.GLOBAL: "global_",
    ExternKind.TABLE: "table",
    ExternKind.MEMORY: "memory",
    ExternKind.TAG: "tag",
}
"""wasmtime's names of them."""
UNSEEN = frozenset({"calls", "blocks", "instr", "steps"})
"""Levels of observers that native code doesn't report."""

if activations not in FOREIGN:
    FOREIGN.append(activations)


class WasmtimeEngine(BaseEngine):
    """Runs guests in wasmtime."""

    name = "wasmtime"
    keeps_state = False
    ready: Collection[int] = ()
    foreign = "wasmtime"

    def __init__(self, shared: list[NativeStore]) -> None:
        """`shared` is the guest's store, once it has one."""
        self._code: Code | None = None
        self._shared = shared
        binding()  # says what is missing before anything else is done

    def define(self, instance: Instance) -> None:
        """See `runtime.instance.Engine`. Raises LinkError for what this engine can't run or hold."""
        refuse(instance)
        memories, tables = own_objects(instance)
        store = store_for(instance, self._shared)
        self._shared[:] = [store]
        self._code = code = code_of(instance.module, store.machine.variant, instance.meter.patience)
        store.enter(instance, code.prepared.shift)
        instance.on_close(lambda: store.leave(instance))
        found = exports_of(store, made(store, instance, code))
        for index, memory in enumerate(memories, len(instance.mems)):
            native = found(code.prepared.memories[index]).memory
            memory.attach(store, kept(store.api.layouts.wasmtime_memory_t, native), instance.flavour)
            instance.mems.append(memory)
            instance.on_close(memory.close)
        for index, tag in enumerate(instance.module.tags, len(instance.tags)):
            instance.tags.append(Tag(instance.module.deftype(tag.typeidx)))
            native = found(code.prepared.tags[index]).tag
            store.tags.know(instance.tags[-1], kept(store.api.layouts.wasmtime_tag_t, native))
        exports = (*instance.module.exports, *code.prepared.globals)
        self._add_exports(instance, store, tables, exports, found)
        if code.prepared.start is not None:
            start = instance.module.start
            assert start is not None  # as prepared
            if instance.funcs[start] is None:
                instance.funcs[start] = self._func(instance, store, start, found(code.prepared.start).func)

    def _add_exports(
        self,
        instance: Instance,
        store: NativeStore,
        tables: list[NativeTable],
        exports: Sequence[Export],
        found: Callable[[str], Any],
    ) -> None:
        """Fill the index spaces with the exported objects."""
        module, layouts = instance.module, store.api.layouts
        imported_tables = len(instance.tables)
        instance.tables += tables
        nothing: Any = None
        for space, types in (
            (instance.funcs, module.func_typeidxs),
            (instance.globals, module.global_types),
        ):
            space += [nothing] * (len(types) - len(space))
        for export in exports:
            index = export.index
            if export.kind is ExternKind.FUNC and instance.funcs[index] is None:
                instance.funcs[index] = self._func(instance, store, index, found(export.name).func)
            elif export.kind is ExternKind.GLOBAL and instance.globals[index] is None:
                native = kept(layouts.wasmtime_global_t, found(export.name).global_)
                instance.globals[index] = NativeGlobal.at(module.global_types[index], store, native)
            elif export.kind is ExternKind.TABLE and index >= imported_tables:
                native = kept(layouts.wasmtime_table_t, found(export.name).table)
                tables[index - imported_tables].attach(
                    Elements(store, native, module.table_types[index].element)
                )
                instance.store.join(tables[index - imported_tables].store)

    def _func(self, instance: Instance, store: NativeStore, funcidx: int, found: Any) -> Func:
        module = instance.module
        native = kept(store.api.layouts.wasmtime_func_t, found)
        func = NativeFunc(module.deftype(module.func_typeidxs[funcidx]), instance, funcidx, store, native)
        store.know(func, native)
        return func

    def prepare(self, instance: Instance, index: int) -> Callable[..., Any]:
        """All functions are compiled."""
        return instance.funcs[instance.module.imported_funcs + index].callable

    def begin_anew(self, instance: Instance) -> None:
        """Each call from the host looks whether the instance refuses it, and whether it has a limit that the
        code, which stays as it is, can't hold."""
        for store in self._shared:
            store.find_unheld(instance)

    def python_frames(self, call_depth: int) -> int:
        return FRAMES

    def summary(self, instance: Instance) -> str:
        """A line for users."""
        how = "" if self._code is None else ", compiled" if self._code.fresh else ", from the cache"
        return f"engine wasmtime {installed()}: {len(instance.module.funcs)} functions{how}"


def refuse(instance: Instance) -> None:
    """Raises LinkError for an observer, a limit or a module that wasmtime can't serve as other engines do."""
    if unseen := sorted(level for level in UNSEEN if instance.watches(level)):
        raise LinkError(
            f"engine wasmtime can't observe {', '.join(unseen)}, only host and nn: use compile or interpret"
        )
    if instance.limits.seconds is not None and not instance.meter.counts.time:
        raise LinkError(
            "engine wasmtime can't hold Limits.seconds: native code looks at the time only when another "
            "thread says so, and this Python has no threads; use compile or interpret"
        )
    for reason in reasons(instance.module, instance.limits):
        raise LinkError(f"engine wasmtime can't run {instance.module.name or 'the module'}: {reason}")


def reasons(module: Module, limits: Limits) -> Iterator[str]:
    """Why wasmtime can't run a module here. Exceptions lie in memory of wasmtime's own, for which the limit
    of a memory counts."""
    if any(not isinstance(type_.composite, FuncType) for type_ in module.deftypes):
        yield "it has structures or arrays, for which Limits.heap can't be held"
    if module.tag_types and limits.heap < min(limits.memory, limits.memory_total):
        yield "it has exceptions, for which a Limits.heap below Limits.memory can't be held"
    if any(memory.shared for memory in module.mem_types):
        yield "it has a shared memory"
    crossing = [type_.type for type_ in module.import_types] + [type_.type for type_ in module.export_types]
    crossing += module.tag_types
    if any(not crosses(type_) for whole in crossing for type_ in parts(whole)):
        yield "references that aren't funcref or externref cross its border"


def parts(type_: Any) -> Iterable[ValType]:
    """The types of values in the type of an import or export."""
    if isinstance(type_, FuncType):
        return (*type_.params, *type_.results)
    return [part for part in (getattr(type_, "element", None), getattr(type_, "type", None)) if part]


def crosses(type_: ValType) -> bool:
    return isinstance(type_, NumType) or type_ in (FUNCREF, EXTERNREF)


def own_objects(instance: Instance) -> tuple[list[NativeMemory], list[NativeTable]]:
    """The module's own memories and tables, before wasmtime makes them. Raises LimitError."""
    module, limits, group = instance.module, instance.limits, instance.group
    memories = [NativeMemory(type_, limits.memory, group.memories) for type_ in module.mems]
    for memory in memories:
        memory.is_host_owned = False
    types = module.table_types[len(instance.tables) :]
    return memories, [NativeTable(type_, limits.table, None, group.tables) for type_ in types]


def engines_of_a_guest() -> Callable[[], WasmtimeEngine]:
    """A function that makes engines for the instances of one guest, such as a component, in one store."""
    return partial(WasmtimeEngine, [])


def store_for(instance: Instance, shared: Sequence[NativeStore]) -> NativeStore:
    """The store for a new instance: that of the first import that lives in wasmtime, else the guest's own if
    it is open, else a new one."""
    found = [store for extern in (*instance.mems, *instance.tables, *instance.globals, *instance.funcs)
             if (store := store_of(extern)) is not None]  # fmt: skip
    found += [store for store in shared if store.owned is not None]
    for store in found:
        paid = instance.limits.fuel is not None and store is found[0]  # where its own code will run
        store.check_holds(seconds=instance.meter.counts.time, fuel=paid)
    if found:
        return found[0]
    variant = variant_for(instance.limits, instance.meter.counts.time)
    return NativeStore(machine(variant))


def store_of(extern: Any) -> NativeStore | None:
    """The store in which an object lives; None for objects of the host and of other engines."""
    match extern:
        case NativeMemory() | NativeFunc():
            return extern.native_store
        case NativeTable() if isinstance(extern.elements, Elements):
            return extern.elements.store
        case NativeGlobal():
            return extern.native[0]
    return None


def made(store: NativeStore, instance: Instance, code: Code) -> Any:
    """A new instance of wasmtime. Raises Trap if a segment doesn't fit."""
    api = store.api
    externs = (api.layouts.wasmtime_extern_t * max(len(instance.module.imports), 1))()
    counts = dict.fromkeys(ExternKind, 0)
    spaces: dict[ExternKind, Any] = {
        ExternKind.FUNC: instance.funcs, ExternKind.TABLE: instance.tables,
        ExternKind.MEMORY: instance.mems, ExternKind.GLOBAL: instance.globals, ExternKind.TAG: instance.tags,
    }  # fmt: skip
    for extern, import_ in zip(externs, instance.module.imports, strict=False):
        object_ = spaces[import_.kind][counts[import_.kind]]
        counts[import_.kind] += 1
        if store_of(object_) not in (None, store) and import_.kind is not ExternKind.FUNC:
            raise LinkError(
                f"{import_.module}::{import_.name} and another import belong to guests that share nothing in "
                "wasmtime: let one of them import from the other"
            )
        extern.kind = NUMBERS[import_.kind]
        setattr(extern.of, FIELDS[import_.kind], native_of(store, instance, object_))
    given = api.layouts.wasmtime_instance_t()
    trap = c_void_p()
    error = api.instance_new(
        store.context, code.pointer, externs, len(instance.module.imports), byref(given), byref(trap)
    )
    if trap.value:
        raise failure(None, trap.value, ())
    if error:
        raise failure(error, None, ())
    return given


def native_of(store: NativeStore, instance: Instance, object_: Any) -> Any:
    """wasmtime's structure for an import. Objects of the host move into wasmtime."""
    match object_:
        case NativeMemory():
            return object_.native
        case NativeTable():
            return object_.elements.native  # type: ignore[attr-defined] # as attached
        case NativeGlobal():
            return object_.native[1]
        case Func():
            return store.imported(object_)
        case Tag():
            return store.tags.native(object_)
        case Global():
            return native_global(store, object_)
        case Table():
            return native_table(store, object_)
        case Memory():
            return native_memory(store, instance, object_)
    raise LinkError(f"engine wasmtime can't import {object_!r}")


def native_global(store: NativeStore, global_: Global) -> Any:
    """A global of the host in wasmtime."""
    api = store.api
    native, value = api.layouts.wasmtime_global_t(), put(store, global_.type.type, global_.raw)
    type_ = api.wasm_globaltype_new(val_type_pointer(global_.type.type), global_.type.mutable)
    error = api.global_new(store.context, type_, byref(value), byref(native))
    api.wasm_globaltype_delete(type_)
    if error:
        raise LinkError(message_of(error))
    if global_.type.mutable:
        moved_global(global_, store, native)
    return native


def native_memory(store: NativeStore, instance: Instance, memory: Memory) -> Any:
    """A memory of the host in wasmtime."""
    package, layouts = store.api.package, store.api.layouts
    maximum = memory.type.size.maximum
    type_ = package.MemoryType(
        package.Limits(memory.pages, maximum),
        is_64=memory.type.addrtype.bits == 64,
        page_size_log2=memory.type.page.bit_length() - 1,
    )
    native = layouts.wasmtime_memory_t()
    error = store.api.memory_new(store.context, type_.ptr(), byref(native))
    if error:
        raise LinkError(message_of(error))
    moved(memory, store, native, instance.flavour)
    return native


def native_table(store: NativeStore, table: Table) -> Any:
    """A table of the host in wasmtime."""
    package, layouts = store.api.package, store.api.layouts
    is_func_ = is_func(table.type.element)
    element = package.ValType.funcref() if is_func_ else package.ValType.externref()
    type_ = package.TableType(element, package.Limits(len(table), table.type.size.maximum))
    native, null = layouts.wasmtime_table_t(), put(store, table.type.element, None)
    error = store.api.table_new(store.context, type_.ptr(), byref(null), byref(native))
    if error:
        raise LinkError(message_of(error))
    moved_table(table, Elements(store, native, table.type.element))
    return native


def exports_of(store: NativeStore, given: Any) -> Callable[[str], Any]:
    """A function that finds an export of wasmtime's instance by name."""
    item = store.api.layouts.wasmtime_extern_t()

    def found(name: str) -> Any:
        raw = name.encode()
        if not store.api.instance_export_get(store.context, byref(given), raw, len(raw), byref(item)):
            raise WasmError(f"wasmtime shows no export {name}")
        return item.of

    return found


def kept(layout: Any, found: Any) -> Any:
    """A copy of a structure, which stays where it is."""
    return layout.from_buffer_copy(found)

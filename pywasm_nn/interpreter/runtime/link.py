"""Makes an instance of a module (https://webassembly.github.io/spec/core/exec/modules.html#instantiation).

Imports are matched with the module's types, memories, tables and globals are made, segments are copied, and
the start function is called. What is not here: the objects themselves (`instance.py`, `memory.py`,
`table.py`) and constant expressions (`constants.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from typing import Any

from ...errors import LinkError
from ...limits import DEFAULTS, Limits
from ...printable import printable
from ..datas import data_list
from ..defining import define_func
from ..matching import matches_global, matches_heap, matches_table
from ..module import Import, Module
from ..namespace import Namespace
from ..pace import STRIDE, paced, pieces, uncollected
from ..types import DefType, ExternKind, FuncType, GlobalType, MemType, RefType, TableType, ValType
from .constants import evaluate
from .deadline import Timing
from .externs import Global, NamedGlobal, Tag, becomes_name
from .group import Group
from .instance import Engine, Extern, Func, GivingFunc, HostFunc, Instance, Lookup, UntypedFunc
from .memory import Flavour, Memory, create_memory
from .observe import Observer
from .slices import NOTHING
from .table import Table

MakeCallables = Callable[[range], Iterable[Callable[..., Any]]]
"""Makes the callables of the defined functions at some indices."""
MOST_NAMED = 40
"""The number of missing imports that a message names."""
MANY_FUNCS = 1000
"""The number of functions from which on switching the garbage collector off is worth it."""
LONGEST_NAME = 100
"""Longer names are cut in messages."""


def instantiate(
    module: Module,
    lookup: Lookup,
    engine: Engine,
    *,
    limits: Limits | None = None,
    flavour: Flavour | None = None,
    observer: Observer | None = None,
    group: Group | None = None,
) -> Instance:
    """Make an instance of a validated module.

    `lookup` finds imports; `group` is the group of the instance, by default a new one with `limits`. Raises
    LinkError for a missing or mistyped import, LimitError if the module exceeds the limits or instantiation
    takes longer than a call may, Trap if a segment doesn't fit or the start function traps.
    """
    instance = Instance(
        module, engine, group or Group(limits or DEFAULTS), flavour or Flavour.default(), observer
    )
    instance.observer.attach(instance)
    timing = Timing.alone(instance.store, instance.meter)
    try:
        for import_, found in paced(found_imports(module, lookup), instance.meter.patience):
            add_import(instance, import_, found)
        engine.define(instance)
        if module.start is not None:
            instance.enter(instance.funcs[module.start], ())
    except BaseException:
        # Functions that are already in a table or global of another instance must stay callable.
        if not any(import_.kind in (ExternKind.TABLE, ExternKind.GLOBAL) for import_ in module.imports):
            instance.abandon()
        raise
    finally:
        if timing is not None:
            timing.end()
    return instance


def found_imports(module: Module, lookup: Lookup) -> list[tuple[Import, Extern]]:
    """Every import with its value. Raises LinkError, which names all missing imports."""
    found = [(import_, lookup(import_.module, import_.name)) for import_ in module.imports]
    if missing := [import_ for import_, given in found if given is None]:
        names = dict.fromkeys((import_.module, import_.name) for import_ in missing)
        raise LinkError(missing_text(module, missing), tuple(names))
    return [(import_, given) for import_, given in found if given is not None]


def missing_text(module: Module, missing: Sequence[Import]) -> str:
    """The first missing import; if there are several, a list of all below it, grouped by namespace."""
    first = ""
    spaces: dict[str, dict[str, None]] = {}
    for import_ in missing[:MOST_NAMED]:
        space, name = names_of(import_)
        first = first or f"unknown import {space}::{name}"
        what = f"    {name}: {import_.kind.keyword} {module.import_type(import_)}"
        spaces.setdefault(space, {})[what] = None
    if len(missing) <= MOST_NAMED and sum(map(len, spaces.values())) == 1:
        return first
    lines = [line for space, names in spaces.items() for line in (f"  {space}", *names)]
    if len(missing) > MOST_NAMED:
        lines.append(f"  ... {len(missing) - MOST_NAMED} more")
    return "\n".join([f"{first} and {len(missing) - 1} more:", *lines])


def add_import(instance: Instance, import_: Import, found: Extern) -> None:
    if isinstance(found, UntypedFunc) and import_.kind is ExternKind.FUNC:
        deftype = instance.module.deftype(import_.type)  # type: ignore[arg-type] # a function's is an index
        assert isinstance(deftype.composite, FuncType)  # as validated
        found = host_func(instance, found.of(deftype.composite), deftype)
    elif isinstance(found, HostFunc):
        found = host_func(instance, found, define_func(found.type))
    elif isinstance(found, Func) and found.instance is None and instance.watches("steps"):
        function = found.callable
        seen = instance.observer.hosting(instance, lambda caller: function, import_.module)
        found = hosted(instance, seen, found.deftype, found.type)
    wanted = import_.type if isinstance(import_.type, int | MemType) else instance.module.closed(import_.type)
    problem = below(instance, wanted, found) if import_.exact else ""
    problem = problem or MATCHERS[import_.kind](instance, wanted, found)
    if problem:
        raise LinkError(f"incompatible import type for {'::'.join(names_of(import_))}: {problem}")


def names_of(import_: Import) -> tuple[str, str]:
    """The module and the name as messages show them."""
    return printable(import_.module, LONGEST_NAME), printable(import_.name, LONGEST_NAME)


def host_func(instance: Instance, given: HostFunc, deftype: DefType) -> Func:
    """A function of the host for the instance that imports it."""
    function = instance.observer.hosting(instance, given.bind, given.module)
    return hosted(instance, function, deftype, given.type)


def hosted(instance: Instance, function: Callable[..., Any], deftype: DefType, type_: FuncType) -> Func:
    """The same for a function that is bound already."""
    if not any(map(may_lead_to_functions, type_.results)):
        return Func(deftype, function)
    return GivingFunc(deftype, admitting(instance, function, type_), instance.store)


def admitting(instance: Instance, function: Callable[..., Any], type_: FuncType) -> Callable[..., Any]:
    """A host function; the instance shares a store with all references that it returns."""
    names = ", ".join(f"a{number}" for number in range(len(type_.params)))
    # Of exact arity, because a variadic call would use C stack.
    made: Callable[..., Any] = eval(
        f"lambda {names}: admit(function({names}))", {"function": function, "admit": instance.admit}
    )
    return made


def may_lead_to_functions(type_: ValType) -> bool:
    """Whether a value of this type may lead a guest to a function. An external reference may be a structure
    of another guest."""
    return isinstance(type_, RefType)


def below(instance: Instance, wanted: Any, found: Extern) -> str:
    """Why a function can't be imported as one of exactly the wanted type; "" if it can."""
    type_ = instance.module.deftype(wanted)
    if not isinstance(found, Func) or found.deftype is type_:
        return ""
    return f"wants exactly {type_}, got {found.deftype}"


def import_func(instance: Instance, wanted: Any, found: Extern) -> str:
    type_ = instance.module.deftype(wanted)
    if not isinstance(found, Func):
        return f"wants a function {type_}"
    if not matches_heap(found.deftype, type_):
        return f"wants {type_}, got {found.deftype}"
    if found.lent:  # so instances on several threads may import it
        found = hosted(instance, found.callable, found.deftype, found.type)
    instance.store.join(found.store)
    add_func(instance, found)
    return ""


def import_table(instance: Instance, wanted: TableType, found: Extern) -> str:
    if not isinstance(found, Table):
        return f"wants a table {wanted}"
    if not matches_table(found.type, len(found), wanted):
        return f"wants a table {wanted}, got {len(found)} elements of {found.type}"
    if reason := belongs(instance, found):
        return reason
    add_table(instance, found)
    return ""


def belongs(instance: Instance, found: Table | Memory) -> str:
    """Why the instance's engine can't use a table or memory of another engine; "" if it can."""
    if found.foreign in ("", instance.engine.foreign):
        return ""
    return f"it belongs to a guest of engine {found.foreign}"


def import_memory(instance: Instance, wanted: MemType, found: Extern) -> str:
    if not isinstance(found, Memory):
        return f"wants a memory {wanted}"
    if (found.type.shared, found.type.addrtype, found.type.page) != (
        wanted.shared,
        wanted.addrtype,
        wanted.page,
    ) or not wanted.size.accepts(found.pages, found.type.size.maximum):
        return f"wants a memory {wanted}, got {found.pages} pages of {found.type}"
    if found.flavour is not instance.flavour:
        return f"wants a memory of flavour {instance.flavour.value}, got one of flavour {found.flavour.value}"
    if reason := belongs(instance, found):
        return reason
    add_memory(instance, found)
    return ""


def import_global(instance: Instance, wanted: GlobalType, found: Extern) -> str:
    if not isinstance(found, Global):
        return f"wants a global {wanted}"
    if not matches_global(found.type, wanted):
        return f"wants a global {wanted}, got {found.type}"
    instance.store.join(found.store)
    instance.namespace[Namespace.global_(len(instance.globals))] = found
    instance.globals.append(found)
    return ""


def import_tag(instance: Instance, wanted: Any, found: Extern) -> str:
    type_ = instance.module.deftype(wanted)
    if not isinstance(found, Tag):
        return f"wants a tag {type_}"
    if found.deftype is not type_:
        return f"wants a tag {type_}, got {found.deftype}"
    add_tag(instance, found)
    return ""


MATCHERS: dict[ExternKind, Any] = {
    ExternKind.FUNC: import_func,
    ExternKind.TABLE: import_table,
    ExternKind.MEMORY: import_memory,
    ExternKind.GLOBAL: import_global,
    ExternKind.TAG: import_tag,
}


def add_func(instance: Instance, func: Func) -> None:
    instance.namespace[Namespace.func(len(instance.funcs))] = func.callable
    instance.funcs.append(func)


def add_table(instance: Instance, table: Table) -> None:
    instance.store.join(table.store)
    instance.namespace[Namespace.table(len(instance.tables))] = table
    instance.tables.append(table)


def add_memory(instance: Instance, memory: Memory) -> None:
    index = len(instance.mems)
    instance.namespace[Namespace.memory(index)] = memory
    instance.mems.append(memory)
    memory.bind(instance.namespace, index)
    instance.on_close(lambda: memory.unbind(instance.namespace))


def add_tag(instance: Instance, tag: Tag) -> None:
    instance.namespace[Namespace.tag(len(instance.tags))] = tag
    instance.tags.append(tag)


def define(instance: Instance, make_callables: MakeCallables) -> None:
    """`Engine.define` for engines whose objects are those of this package."""
    with uncollected(len(instance.module.funcs), MANY_FUNCS):
        add_funcs(instance, make_callables)
    add_definitions(instance)
    copy_segments(instance)


def add_funcs(instance: Instance, make_callables: MakeCallables) -> None:
    """Add the defined functions: `add_func` for thousands at a time."""
    module, namespace, funcs = instance.module, instance.namespace, instance.funcs
    typeidxs, first = module.func_typeidxs, module.imported_funcs
    for piece in pieces(len(module.funcs), instance.meter.patience, STRIDE):
        made = [*make_callables(range(piece.start, piece.stop))]
        funcidxs = range(first + piece.start, first + piece.stop)
        namespace.update(zip(map(Namespace.func, funcidxs), made, strict=True))
        deftypes = map(module.deftypes.__getitem__, typeidxs[funcidxs.start : funcidxs.stop])
        funcs += map(Func, deftypes, made, repeat(instance), funcidxs)


def add_definitions(instance: Instance) -> None:
    """Add the defined tables, memories, tags and globals."""
    module, group = instance.module, instance.group
    patience = instance.meter.patience
    table_types = module.table_types[len(instance.tables) :]
    for table, type_ in zip(paced(module.tables, patience), table_types, strict=True):
        element = None if table.init is None else evaluate(instance, table.init)
        add_table(instance, Table(type_, instance.limits.table, element, group.tables))
    for mem_type in module.mems:
        memory = create_memory(mem_type, instance.limits.memory, instance.flavour, group.memories, patience)
        memory.is_host_owned = False
        add_memory(instance, memory)
    for tag in module.tags:
        add_tag(instance, Tag(module.deftype(tag.typeidx)))
    seen_outside = {export.index for export in module.exports if export.kind is ExternKind.GLOBAL}
    for global_ in paced(module.globals, patience):
        index, value = len(instance.globals), evaluate(instance, global_.init)
        wanted = module.global_types[index]
        if becomes_name(wanted, global_.init) and index not in seen_outside:
            instance.globals.append(NamedGlobal(wanted, value, instance.namespace, Namespace.global_(index)))
        else:
            made = instance.namespace[Namespace.global_(index)] = Global(wanted, value)
            instance.store.join(made.store)
            instance.globals.append(made)


def copy_segments(instance: Instance) -> None:
    module = instance.module
    patience = instance.meter.patience
    for elem in paced(module.elems, patience):
        if elem.funcidxs is None:
            elements = tuple([evaluate(instance, init) for init in paced(elem.init, patience)])
        else:
            elements = tuple(map(instance.funcs.__getitem__, paced(elem.funcidxs, patience)))
        instance.elems.append(elements)
    datas = data_list(module)
    instance.datas += datas.inits
    for elemidx, elem in enumerate(module.elems):
        if elem.mode is not None:
            target = evaluate(instance, elem.mode.offset)
            instance.table_init(elem.mode.index, elemidx, target, 0, len(elem.init))
        if elem.mode is not None or elem.declarative:
            instance.elem_drop(elemidx)
    memory = instance.mems[0].buffer if instance.mems else NOTHING
    for dataidx, place in enumerate(paced(datas.places, patience)):
        if place is not None:
            init = datas.inits[dataidx]
            if isinstance(place, int):
                end = place + len(init)
                if end <= len(memory):  # without a call: there may be thousands
                    memory[place:end] = init
                    instance.datas[dataidx] = b""
                    continue
                memidx, target = 0, place
            else:
                memidx, target = place.index, evaluate(instance, place.offset)
            instance.mems[memidx].view(target, len(init))[:] = init
            instance.data_drop(dataidx)

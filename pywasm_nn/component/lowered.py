"""Interfaces of the host for core modules that import them directly, lowered by the canonical ABI, without a
component around them.

What is here: `Lowered`, which makes imports from interfaces, under both manglings of names. An instance that
imports them takes the role of the component that would contain it: its own memory and allocator, found by
name on first use, and its own handles. What is not: the interfaces.
https://github.com/WebAssembly/component-model/blob/main/design/mvp/CanonicalABI.md
https://github.com/WebAssembly/component-model/pull/378 (names with `cm32p2`)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from ..errors import Trap, TrapKind
from ..interpreter.runtime.instance import Func, HostFunc, Instance
from ..interpreter.types import I32, FuncType
from ..records import Frozen
from .canonical.adapters import Lowering, lowered_lines
from .canonical.context import Context
from .canonical.helpers import Area, Realloc, trap
from .handles import HandleTable
from .imports import Host, Running
from .interface import Bound, Interface, resolved
from .runtime import ComponentInstance, HostFunction, Tree

REALLOC = ("cm32p2_realloc", "cabi_realloc")
"""The guest's allocator under both manglings."""
REALLOC_TYPE = FuncType((I32, I32, I32, I32), (I32,))
DROP_TYPE = FuncType((I32,))


class Mangling(Frozen):
    """The spelling of the component model's names in core imports and exports."""

    prefix: str
    memory: str
    before: str
    after: str

    def drop(self, resource: str) -> str:
        """The name of the function that drops a resource."""
        return f"{self.before}{resource}{self.after}"

    def dropped(self, name: str) -> str:
        """The resource that a function of this name drops; the unchanged name if it drops none."""
        return name.removeprefix(self.before).removesuffix(self.after)


LEGACY = Mangling("", "memory", "[resource-drop]", "")
STANDARD32 = Mangling("cm32p2|", "cm32p2_memory", "", "_drop")


def mangling_of(module: str) -> Mangling:
    """The mangling in a namespace of imports."""
    return STANDARD32 if module.startswith(STANDARD32.prefix) else LEGACY


def core_names(interface: Interface, mangling: Mangling) -> Iterator[str]:
    """Names of the functions that core modules import from an interface."""
    yield from interface.functions
    yield from map(mangling.drop, interface.resources)


def core_type(interface: Interface, mangling: Mangling, name: str) -> FuncType | None:
    """The core type of an imported function; None for an unknown name."""
    if name in interface.functions:
        return interface.type(name).lowered(I32)
    return DROP_TYPE if name in map(mangling.drop, interface.resources) else None


def core_namespaces(interfaces: Mapping[str, Interface]) -> dict[str, list[str]]:
    """The names that core modules import from interfaces (given by name with version), by namespace."""
    return {
        f"{mangling.prefix}{name}": [*core_names(interface, mangling)]
        for mangling in (LEGACY, STANDARD32)
        for name, interface in interfaces.items()
    }


class Lowered:
    """The imports of one host for core instances. They share its handles, like everything else in it.

    `interface` returns an interface by its name with version, None for an unknown one; `world` creates the
    interfaces' functions for one instance.
    """

    def __init__(
        self, interface: Callable[[str], Interface | None], world: Callable[[Running], Host], handles: int
    ) -> None:
        self.interface = interface
        self.world = world
        self.handles = HandleTable(handles)
        self._importers: dict[tuple[Instance, Mangling], Importer] = {}

    def lookup(self, module: str, name: str) -> HostFunc | None:
        """The import, or None for an unknown interface or function."""
        mangling = mangling_of(module)
        path = module.removeprefix(mangling.prefix)
        interface = self.interface(path)
        type_ = None if interface is None else core_type(interface, mangling, name)
        if type_ is None:
            return None
        return HostFunc(
            type_, lambda instance: self._importer(instance, mangling).function(path, name), module, name
        )

    def _importer(self, instance: Instance, mangling: Mangling) -> Importer:
        known = self._importers.get((instance, mangling))
        if known is None:
            known = self._importers[instance, mangling] = Importer(self, instance, mangling)
            instance.on_close(lambda: self._forget(instance, mangling))
        return known

    def _forget(self, instance: Instance, mangling: Mangling) -> None:
        del self._importers[instance, mangling]


class Importer:
    """A core instance that imports from a host, in the role of the component that would contain it."""

    def __init__(self, host: Lowered, instance: Instance, mangling: Mangling) -> None:
        self.instance = instance
        self.mangling = mangling
        tree = Tree(instance.limits, instance.observer, group=instance.group)
        self._world = host.world(tree)
        tree.add(instance)
        self._component = ComponentInstance(tree, None)
        self._component.handles = host.handles
        self._context = Context(None, None, "utf8", tree.lifted, resolved, self._component.names(), tree.face)
        self._has_memory = False

    def function(self, interface: str, name: str) -> Callable[..., Any]:
        """The core function for a function of an interface, or for dropping a resource."""
        found: Bound = self._world.lookup(interface)
        if name not in found.interface.functions:
            resource = self.mangling.dropped(name)
            self._component.places[found[resource]] = f"{found.interface.name} {resource}"
            return self._component.dropper(found[resource])
        function: HostFunction = found[name]
        type_, callee = function.type, function.callable_for(self._component)
        lowering = Lowering(type_, self._context, callee, hosted=True, views=function.views)
        core = type_.lowered(I32)
        flat = len(core.params) == sum(len(param.flat(I32)) for param in type_.params)
        points = any(part.points for part in (*type_.params, *type_.results))

        def write(name: str) -> list[str]:
            if points or not flat:
                self._need_memory()
            return lowered_lines(name, lowering, len(core.params))

        return self._context.later(len(core.params), write)

    def _need_memory(self) -> None:
        """Find the memory, which exists once the instance has its exports. Traps if there is none."""
        if self._has_memory:
            return
        instance, context, name = self.instance, self._context, self.mangling.memory
        memory = instance.exported_memory(name)
        if memory is None:
            raise Trap(TrapKind.OUT_OF_BOUNDS_MEMORY, f"the guest exports no memory {name!r}")
        if memory.type.addrtype is not I32:
            trap(f"the memory {name!r} has addresses of 64 bits, functions are lowered to 32")
        context.attach(Area(memory, realloc_of(instance), self._component.tree.lifted), "utf8")
        instance.on_close(partial(memory.unbind, context.namespace))
        self._has_memory = True


def realloc_of(instance: Instance) -> Realloc:
    """The guest's allocator; a function that traps if the guest exports none."""
    for name in filter(instance.exports.__contains__, REALLOC):
        exported = instance.exports[name]
        if isinstance(exported, Func) and exported.type == REALLOC_TYPE:
            return exported.callable

    def missing(*arguments: int) -> int:
        trap(f"the guest exports no function {' or '.join(REALLOC)} {REALLOC_TYPE}")

    return missing

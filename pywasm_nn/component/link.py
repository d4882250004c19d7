"""From a valid component to an instance, by processing its definitions in order.

What is here: `instantiate`, and finding imports. What is not: checking types, which validation has done; only
the embedder's values are checked here.
https://github.com/WebAssembly/component-model/blob/main/design/mvp/Explainer.md#instance-definitions
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import LimitError, LinkError
from ..interpreter.module import Module
from ..interpreter.pace import Patience, paced, unhurried
from ..interpreter.runtime.deadline import Timing
from ..interpreter.runtime.instance import Engine, Func
from ..interpreter.runtime.link import instantiate as instantiate_core
from ..interpreter.runtime.memory import Flavour
from ..interpreter.runtime.observe import Observer
from ..limits import Limits
from ..records import Frozen
from .builtins import builtin, unsupported
from .canonical.adapters import Lifting, Lowering, lowered
from .canonical.context import Context
from .canonical.faces import face
from .canonical.helpers import ASYNC
from .handles import ResourceType
from .imports import Finder, Host, Item, Missing, Running, member, missing_text
from .runtime import ComponentFunc, ComponentInstance, HostFunction, LiftedFunc, Tree
from .syntax import (
    Builtin,
    ComponentDef,
    CoreExportAlias,
    CoreInlineExports,
    CoreInstantiate,
    CoreModuleDef,
    CoreTypeDef,
    Export,
    ExportAlias,
    Import,
    InlineExports,
    Instantiate,
    Lift,
    Lower,
    Options,
    OuterAlias,
    ResourceDef,
    TypeDef,
)
from .types import ComponentType, Compound, Extern, FuncType, Resource, Sort, Step


class Closure(Frozen):
    """A component, and the scope in which it was defined."""

    type: ComponentType
    scope: Linking | None


class Settings(Frozen):
    """How to instantiate core modules, and the hosts."""

    engine: Callable[[], Engine]
    limits: Limits
    flavour: Flavour | None
    observer: Observer | None
    hosts: tuple[Callable[[Running], Host], ...] = ()
    """Functions that create hosts of interfaces for the component."""
    face: Callable[[Compound], Any] = face
    """Returns the Python class of a type."""


def instantiate(
    type_: ComponentType, given: Mapping[str, Any], settings: Settings
) -> tuple[Tree, Mapping[str, Item]]:
    """The instance of a component and its exports.

    `given` are the imports by name, see `imports.py`. Raises LinkError that lists all missing imports,
    LimitError, Trap if a core module's start traps.
    """
    tree = Tree(settings.limits, settings.observer, settings.face)
    timing = Timing.of(tree.group.store, settings.limits.seconds)
    try:
        return tree, linked(type_, given, settings, tree, unhurried if timing is None else timing.look)
    except BaseException:
        tree.close()
        raise
    finally:
        if timing is not None:
            timing.end()


def linked(
    type_: ComponentType, given: Mapping[str, Any], settings: Settings, tree: Tree, patience: Patience
) -> Mapping[str, Item]:
    """The exports of a new instance of a component, in this tree."""
    instance = ComponentInstance(tree, None)
    arguments, missing = found(type_, given, settings, instance)
    if missing:
        raise LinkError(missing_text(missing))
    linking = Linking(instance, None, settings, arguments, patience)
    linking.link(type_)
    return linking.exports


def found(
    type_: ComponentType, given: Mapping[str, Any], settings: Settings, instance: ComponentInstance
) -> tuple[Mapping[str, Item], list[Missing]]:
    """The imports of an instance, and the missing ones."""
    missing: list[Missing] = []
    finder = Finder(instance, missing)
    offered = offers(type_, given, [make(instance.tree) for make in settings.hosts])
    arguments = {
        name: finder.found(offered if name in offered else given, name, extern)
        for name, extern in type_.imports.items()
    }
    return arguments, missing


def unprovided(type_: ComponentType, settings: Settings) -> list[Missing]:
    """The imports that the hosts don't provide."""
    tree = Tree(settings.limits)
    try:
        return found(type_, {}, settings, ComponentInstance(tree, None))[1]
    finally:
        tree.close()


def offers(type_: ComponentType, given: Mapping[str, Any], hosts: Sequence[Host]) -> Mapping[str, Any]:
    """The hosts' values for imports that the embedder doesn't give."""
    offered = {}
    for name in type_.imports:
        if member(given, name) is None:
            offered[name] = next((value for host in hosts if (value := host.lookup(name)) is not None), None)
    return {name: value for name, value in offered.items() if value is not None}


class Linking:
    """The index spaces of one component instance while its definitions are processed; nested components may
    refer to them."""

    def __init__(
        self,
        instance: ComponentInstance,
        parent: Linking | None,
        settings: Settings,
        arguments: Mapping[str, Item],
        patience: Patience,
    ) -> None:
        self.patience = patience
        self.instance = instance
        self.parent = parent
        self.settings = settings
        self.arguments = arguments
        self.spaces: dict[Sort, list[Any]] = {sort: [] for sort in Sort}
        self.exports: dict[str, Item] = {}
        self._contexts: dict[tuple[Any, ...], Context] = {}

    def link(self, type_: ComponentType) -> None:
        """Process the definitions. Raises LimitError if there are too many."""
        self.instance.tree.begin(len(type_.steps))
        for step in paced(type_.steps, self.patience):
            LINKS[type(step.content)](self, step, step.content)

    def get(self, sort: Sort, index: int) -> Any:
        return self.spaces[sort][index]

    def item(self, sort: Sort, index: int) -> Item:
        return Item(sort, self.get(sort, index))

    def learn(self, extern: Any, item: Item) -> None:
        """Record the resource types of an item for the resources in its type."""
        if isinstance(extern.type, Resource):
            self.instance.resources.setdefault(extern.type.origin, item.value)
        elif extern.sort is Sort.INSTANCE:
            for name, inner in extern.type.exports.items():
                self.learn(inner, item.value[name])

    # Core modules

    def core_module(self, step: Step, given: CoreModuleDef) -> None:
        self.spaces[Sort.CORE_MODULE].append(given.module)

    def core_instance(self, step: Step, given: CoreInstantiate) -> None:
        tree, settings = self.instance.tree, self.settings
        if len(tree.cores) >= settings.limits.instances:
            raise LimitError(
                "instances", f"the component has more than {settings.limits.instances} instances"
            )
        spaces = {name: self.get(Sort.CORE_INSTANCE, index) for name, index in given.arguments}
        module: Module = self.get(Sort.CORE_MODULE, given.module)
        if any(memory.shared for memory in module.mem_types):
            raise LinkError(f"{module.name} has a memory that is shared: {ASYNC}")
        core = instantiate_core(
            module,
            lambda first, second: spaces[first][second],
            settings.engine(),
            limits=settings.limits,
            flavour=settings.flavour,
            observer=None if settings.observer is None else settings.observer.inside(module),
            group=tree.group,
        )
        tree.add(core)
        self.spaces[Sort.CORE_INSTANCE].append(core.exports)

    def core_exports(self, step: Step, given: CoreInlineExports) -> None:
        exports = {name: self.get(item.sort, item.index) for name, item in given.exports}
        self.spaces[Sort.CORE_INSTANCE].append(exports)

    def core_alias(self, step: Step, given: CoreExportAlias) -> None:
        self.spaces[given.sort].append(self.get(Sort.CORE_INSTANCE, given.instance)[given.name])

    def core_type(self, step: Step, given: CoreTypeDef) -> None:
        """Does nothing: core types matter only for validation."""

    # Components and instances

    def component(self, step: Step, given: ComponentDef) -> None:
        self.spaces[Sort.COMPONENT].append(Closure(step.added, self))

    def instantiation(self, step: Step, given: Instantiate) -> None:
        closure: Closure = self.get(Sort.COMPONENT, given.component)
        arguments = {name: self.item(item.sort, item.index) for name, item in given.arguments}
        inner = Linking(
            ComponentInstance(self.instance.tree, self.instance),
            closure.scope,
            self.settings,
            arguments,
            self.patience,
        )
        for name, extern in closure.type.imports.items():
            inner.learn(extern, arguments[name])
        inner.link(closure.type)
        self.spaces[Sort.INSTANCE].append(inner.exports)
        self.learn(Extern(Sort.INSTANCE, step.added), Item(Sort.INSTANCE, inner.exports))

    def instance_exports(self, step: Step, given: InlineExports) -> None:
        exports = {name.text: self.item(item.sort, item.index) for name, item in given.exports}
        self.spaces[Sort.INSTANCE].append(exports)

    def alias(self, step: Step, given: ExportAlias) -> None:
        self.spaces[given.sort].append(self.get(Sort.INSTANCE, given.instance)[given.name].value)

    def outer_alias(self, step: Step, given: OuterAlias) -> None:
        scope = self
        for _ in range(given.count):
            assert scope.parent is not None  # as validated
            scope = scope.parent
        if given.sort is not Sort.CORE_TYPE:
            self.spaces[given.sort].append(scope.get(given.sort, given.index))

    def type(self, step: Step, given: TypeDef) -> None:
        if not isinstance(given.type, ResourceDef):
            self.spaces[Sort.TYPE].append(step.added)
            return
        destructor = given.type.destructor
        made = ResourceType(
            step.added.origin.name,
            self.instance,
            None if destructor is None else self.get(Sort.CORE_FUNC, destructor).callable,
        )
        self.instance.resources[step.added.origin] = made
        self.spaces[Sort.TYPE].append(made)

    # Imports and exports

    def import_(self, step: Step, given: Import) -> None:
        item = self.arguments[given.name.text]
        self.learn(Extern(item.sort, step.added), item)
        self.spaces[item.sort].append(item.value)

    def export(self, step: Step, given: Export) -> None:
        item = self.item(given.item.sort, given.item.index)
        self.learn(Extern(item.sort, step.added), item)
        self.spaces[item.sort].append(item.value)
        self.exports[given.name.text] = item

    # Canonical definitions

    def context(self, options: Options) -> Context:
        """The namespace for functions with these options; functions with the same memory, allocator and
        encoding share it."""
        key = options.memory, options.realloc, options.encoding
        if key not in self._contexts:
            instance = self.instance
            memory = None if options.memory is None else self.get(Sort.CORE_MEMORY, options.memory)
            made = self._contexts[key] = Context(
                memory,
                None if options.realloc is None else self.get(Sort.CORE_FUNC, options.realloc).callable,
                options.encoding or "utf8",
                instance.tree.lifted,
                instance.resolve,
                instance.names(),
                instance.tree.face,
            )
            if memory is not None:  # released when the tree is closed
                instance.tree.on_close(lambda: memory.unbind(made.namespace))
        return self._contexts[key]

    def lift(self, step: Step, given: Lift) -> None:
        type_: FuncType = step.added
        core: Func = self.get(Sort.CORE_FUNC, given.function)
        post_return = given.options.post_return
        lifting = Lifting(
            type_,
            self.context(given.options),
            unsupported("an asynchronously lifted function") if given.options.is_async else core.callable,
            None if post_return is None else self.get(Sort.CORE_FUNC, post_return).callable,
        )
        self.spaces[Sort.FUNC].append(LiftedFunc(lifting, self.instance))

    def lower(self, step: Step, given: Lower) -> None:
        func: ComponentFunc = self.get(Sort.FUNC, given.function)
        if given.options.is_async:
            function = unsupported("an asynchronously lowered function")
        else:
            context, callee = self.context(given.options), func.callable_for(self.instance)
            hosted = isinstance(func, HostFunction)
            # Python sees the types of the outermost component, which have names.
            type_ = func.type if isinstance(func, HostFunction) and func.is_given else step.note
            lowering = Lowering(type_, context, callee, hosted, func.views)
            function = lowered(lowering, len(step.added.composite.params))
        self.spaces[Sort.CORE_FUNC].append(Func(step.added, function))

    def builtin(self, step: Step, given: Builtin) -> None:
        self.spaces[Sort.CORE_FUNC].append(Func(step.added, builtin(step, self.instance)))


LINKS: Mapping[type, Callable[[Linking, Step, Any], None]] = {
    CoreModuleDef: Linking.core_module,
    CoreInstantiate: Linking.core_instance,
    CoreInlineExports: Linking.core_exports,
    CoreTypeDef: Linking.core_type,
    CoreExportAlias: Linking.core_alias,
    ComponentDef: Linking.component,
    Instantiate: Linking.instantiation,
    InlineExports: Linking.instance_exports,
    ExportAlias: Linking.alias,
    OuterAlias: Linking.outer_alias,
    TypeDef: Linking.type,
    Lift: Linking.lift,
    Lower: Linking.lower,
    Builtin: Linking.builtin,
    Import: Linking.import_,
    Export: Linking.export,
}
"""How each kind of definition is linked."""

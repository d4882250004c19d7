"""A component as data: its definitions in the order of the binary, with unresolved indices.

What is here: frozen records that the decoder creates and the validator and linker read. What is not: types
with resolved indices (`types.py`).
https://github.com/WebAssembly/component-model/blob/main/design/mvp/Binary.md
"""

from __future__ import annotations

from collections.abc import Iterator

from ..interpreter.module import Import as CoreImport
from ..interpreter.module import Module
from ..interpreter.types import GlobalType, MemType, RecType, TableType
from ..interpreter.types import ValType as CoreValType
from ..records import Frozen
from .types import Kind, Prim, Sort

ValueRef = Prim | int
"""A reference to a value type: a primitive type, or the index of a type."""


class SortIdx(Frozen):
    """An index, and its index space."""

    sort: Sort
    index: int

    def __str__(self) -> str:
        return f"{self.sort.value} {self.index}"


class ExternName(Frozen):
    """The name of an import or export with its attributes, None for missing ones."""

    text: str
    implements: str | None = None
    version_suffix: str | None = None
    external_id: str | None = None
    repeated: bool = False
    """Whether an attribute is given twice."""


# Types


class CompoundDef(Frozen):
    """A value type, like `types.Compound`; the only part of a handle is the index of its resource."""

    kind: Kind
    labels: tuple[str, ...] = ()
    parts: tuple[ValueRef | None, ...] = ()
    length: int | None = None


class FuncDef(Frozen):
    """A function type: labels and types of the parameters, and the type of the result, if there is one."""

    labels: tuple[str, ...]
    params: tuple[ValueRef, ...]
    result: ValueRef | None
    is_async: bool


class ResourceDef(Frozen):
    """A resource type: the core type of representations, and the core function that destroys a resource."""

    representation: CoreValType
    destructor: int | None


class ComponentTypeDef(Frozen):
    """A component type: its declarators in order."""

    declarators: tuple[Definition, ...]


class InstanceTypeDef(Frozen):
    """An instance type: its declarators in order, without imports."""

    declarators: tuple[Definition, ...]


class CoreOuterAlias(Frozen):
    """In a core module type: an alias of a core type `count` scopes out."""

    count: int
    index: int


class CoreExportDecl(Frozen):
    """In a core module type: an export. For functions and tags `type` is the index of a core type."""

    name: str
    sort: Sort
    type: int | TableType | MemType | GlobalType


class ModuleTypeDef(Frozen):
    """A core module type: its declarators in order."""

    declarators: tuple[RecType | ModuleTypeDef | CoreOuterAlias | CoreImport | CoreExportDecl, ...]


class ExternDef(Frozen):
    """The type of an import or export. `type` is the index of a type of the sort; for a type the index of an
    equal type, or None for any resource; for a value its type."""

    sort: Sort
    type: ValueRef | None
    equal: bool = False
    """Whether a value must equal another value, whose index is `type`."""


# Definitions


class CoreModuleDef(Frozen):
    """A core module, decoded."""

    module: Module


class CoreInstantiate(Frozen):
    """A core instance of a module; arguments are core instances, by the module part of imports' names."""

    module: int
    arguments: tuple[tuple[str, int], ...]


class CoreInlineExports(Frozen):
    """A core instance that consists of existing definitions."""

    exports: tuple[tuple[str, SortIdx], ...]


class CoreTypeDef(Frozen):
    """A core type, or a recursive group of core types."""

    type: RecType | ModuleTypeDef


class ComponentDef(Frozen):
    """A nested component."""

    component: Component


class Instantiate(Frozen):
    """An instance of a component."""

    component: int
    arguments: tuple[tuple[str, SortIdx], ...]


class InlineExports(Frozen):
    """An instance that consists of existing definitions."""

    exports: tuple[tuple[ExternName, SortIdx], ...]


class ExportAlias(Frozen):
    """An export of an instance."""

    sort: Sort
    instance: int
    name: str


class CoreExportAlias(Frozen):
    """An export of a core instance."""

    sort: Sort
    instance: int
    name: str


class OuterAlias(Frozen):
    """An alias of a definition `count` scopes out."""

    sort: Sort
    count: int
    index: int


class TypeDef(Frozen):
    """A definition in the index space of types."""

    type: Prim | CompoundDef | FuncDef | ComponentTypeDef | InstanceTypeDef | ResourceDef


class Options(Frozen):
    """Options of a canonical definition; None for missing ones."""

    encoding: str | None = None
    memory: int | None = None
    realloc: int | None = None
    post_return: int | None = None
    is_async: bool = False
    callback: int | None = None
    repeated: str = ""
    """The name of an option that is given twice; empty if there is none."""


class Lift(Frozen):
    """A function of the component that lifts a core function."""

    function: int
    options: Options
    type: int


class Lower(Frozen):
    """A core function that lowers a function of the component."""

    function: int
    options: Options


class Builtin(Frozen):
    """A core function that the host defines, and its immediates in order; their meanings depend on the name
    (`binary.BUILTINS`)."""

    name: str
    immediates: tuple[int | ValueRef | CoreValType | Options | None, ...] = ()


class Start(Frozen):
    """A function to call when the component is instantiated."""

    function: int
    arguments: tuple[int, ...]
    results: int


class ValueDef(Frozen):
    """A constant value, still in its binary form."""

    type: ValueRef
    data: bytes


class Import(Frozen):
    """An import of the component."""

    name: ExternName
    type: ExternDef


class Export(Frozen):
    """An export of the component, with its ascribed type, if there is one."""

    name: ExternName
    item: SortIdx
    type: ExternDef | None


class ExportDecl(Frozen):
    """In a component or instance type: an export."""

    name: ExternName
    type: ExternDef


Content = (
    CoreModuleDef
    | CoreInstantiate
    | CoreInlineExports
    | CoreTypeDef
    | ComponentDef
    | Instantiate
    | InlineExports
    | ExportAlias
    | CoreExportAlias
    | OuterAlias
    | TypeDef
    | Lift
    | Lower
    | Builtin
    | Start
    | ValueDef
    | Import
    | Export
    | ExportDecl
)


class Definition(Frozen):
    """A definition or declarator, and its offset in the binary."""

    offset: int
    content: Content


class Custom(Frozen):
    """A custom section, uninterpreted."""

    name: str
    data: bytes


class Component(Frozen):
    """A decoded component: immutable, shared by any number of instances and threads."""

    definitions: tuple[Definition, ...]
    customs: tuple[Custom, ...] = ()
    name: str = ""
    """The component's name, only for messages."""


def core_modules(component: Component) -> Iterator[Module]:
    """The core modules in a component and in nested components; a module that occurs twice is there twice."""
    for definition in component.definitions:
        if isinstance(definition.content, CoreModuleDef):
            yield definition.content.module
        elif isinstance(definition.content, ComponentDef):
            yield from core_modules(definition.content.component)

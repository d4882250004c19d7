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
from ..records import record
from .types import Kind, Prim, Sort

ValueRef = Prim | int
"""A reference to a value type: a primitive type, or the index of a type."""


@record
class SortIdx:
    """An index, and its index space."""

    sort: Sort
    index: int

    def __str__(self) -> str:
        return f"{self.sort.value} {self.index}"


@record
class ExternName:
    """The name of an import or export with its attributes, None for missing ones."""

    text: str
    implements: str | None = None
    version_suffix: str | None = None
    external_id: str | None = None
    repeated: bool = False
    """Whether an attribute is given twice."""


# Types


@record
class CompoundDef:
    """A value type, like `types.Compound`; the only part of a handle is the index of its resource."""

    kind: Kind
    labels: tuple[str, ...] = ()
    parts: tuple[ValueRef | None, ...] = ()
    length: int | None = None


@record
class FuncDef:
    """A function type: labels and types of the parameters, and the type of the result, if there is one."""

    labels: tuple[str, ...]
    params: tuple[ValueRef, ...]
    result: ValueRef | None
    is_async: bool


@record
class ResourceDef:
    """A resource type: the core type of representations, and the core function that destroys a resource."""

    representation: CoreValType
    destructor: int | None


@record
class ComponentTypeDef:
    """A component type: its declarators in order."""

    declarators: tuple[Definition, ...]


@record
class InstanceTypeDef:
    """An instance type: its declarators in order, without imports."""

    declarators: tuple[Definition, ...]


@record
class CoreOuterAlias:
    """In a core module type: an alias of a core type `count` scopes out."""

    count: int
    index: int


@record
class CoreExportDecl:
    """In a core module type: an export. For functions and tags `type` is the index of a core type."""

    name: str
    sort: Sort
    type: int | TableType | MemType | GlobalType


@record
class ModuleTypeDef:
    """A core module type: its declarators in order."""

    declarators: tuple[RecType | ModuleTypeDef | CoreOuterAlias | CoreImport | CoreExportDecl, ...]


@record
class ExternDef:
    """The type of an import or export. `type` is the index of a type of the sort; for a type the index of an
    equal type, or None for any resource; for a value its type."""

    sort: Sort
    type: ValueRef | None
    equal: bool = False
    """Whether a value must equal another value, whose index is `type`."""


# Definitions


@record
class CoreModuleDef:
    """A core module, decoded."""

    module: Module


@record
class CoreInstantiate:
    """A core instance of a module; arguments are core instances, by the module part of imports' names."""

    module: int
    arguments: tuple[tuple[str, int], ...]


@record
class CoreInlineExports:
    """A core instance that consists of existing definitions."""

    exports: tuple[tuple[str, SortIdx], ...]


@record
class CoreTypeDef:
    """A core type, or a recursive group of core types."""

    type: RecType | ModuleTypeDef


@record
class ComponentDef:
    """A nested component."""

    component: Component


@record
class Instantiate:
    """An instance of a component."""

    component: int
    arguments: tuple[tuple[str, SortIdx], ...]


@record
class InlineExports:
    """An instance that consists of existing definitions."""

    exports: tuple[tuple[ExternName, SortIdx], ...]


@record
class ExportAlias:
    """An export of an instance."""

    sort: Sort
    instance: int
    name: str


@record
class CoreExportAlias:
    """An export of a core instance."""

    sort: Sort
    instance: int
    name: str


@record
class OuterAlias:
    """An alias of a definition `count` scopes out."""

    sort: Sort
    count: int
    index: int


@record
class TypeDef:
    """A definition in the index space of types."""

    type: Prim | CompoundDef | FuncDef | ComponentTypeDef | InstanceTypeDef | ResourceDef


@record
class Options:
    """Options of a canonical definition; None for missing ones."""

    encoding: str | None = None
    memory: int | None = None
    realloc: int | None = None
    post_return: int | None = None
    is_async: bool = False
    callback: int | None = None
    repeated: str = ""
    """The name of an option that is given twice; empty if there is none."""


@record
class Lift:
    """A function of the component that lifts a core function."""

    function: int
    options: Options
    type: int


@record
class Lower:
    """A core function that lowers a function of the component."""

    function: int
    options: Options


@record
class Builtin:
    """A core function that the host defines, and its immediates in order; their meanings depend on the name
    (`binary.BUILTINS`)."""

    name: str
    immediates: tuple[int | ValueRef | CoreValType | Options | None, ...] = ()


@record
class Start:
    """A function to call when the component is instantiated."""

    function: int
    arguments: tuple[int, ...]
    results: int


@record
class ValueDef:
    """A constant value, still in its binary form."""

    type: ValueRef
    data: bytes


@record
class Import:
    """An import of the component."""

    name: ExternName
    type: ExternDef


@record
class Export:
    """An export of the component, with its ascribed type, if there is one."""

    name: ExternName
    item: SortIdx
    type: ExternDef | None


@record
class ExportDecl:
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


@record
class Definition:
    """A definition or declarator, and its offset in the binary."""

    offset: int
    content: Content


@record
class Custom:
    """A custom section, uninterpreted."""

    name: str
    data: bytes


@record
class Component:
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

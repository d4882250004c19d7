"""A component as data: its definitions in the order in which they stand, with indices as they are written.

What is here: frozen records that the decoder makes, and validator and linker read. What is not: types with
their indices resolved (`types.py`).
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
"""A value type where one is used: a primitive one, or an index of a type."""


@record
class SortIdx:
    """An index, and the index space that it counts in."""

    sort: Sort
    index: int

    def __str__(self) -> str:
        return f"{self.sort.value} {self.index}"


@record
class ExternName:
    """The name of an import or export with its attributes, None where there is none."""

    text: str
    implements: str | None = None
    version_suffix: str | None = None
    external_id: str | None = None
    repeated: bool = False
    """Whether an attribute is given twice."""


# Types


@record
class CompoundDef:
    """A value type, as `types.Compound`; a handle's one part is the index of its resource."""

    kind: Kind
    labels: tuple[str, ...] = ()
    parts: tuple[ValueRef | None, ...] = ()
    length: int | None = None


@record
class FuncDef:
    """A function type: labels and types of the parameters, the result's type if there is a result."""

    labels: tuple[str, ...]
    params: tuple[ValueRef, ...]
    result: ValueRef | None
    is_async: bool


@record
class ResourceDef:
    """A resource type: the core type that represents a resource, and the core func that destroys one."""

    representation: CoreValType
    destructor: int | None


@record
class ComponentTypeDef:
    """A component type: its declarators in order."""

    declarators: tuple[Definition, ...]


@record
class InstanceTypeDef:
    """An instance type: its declarators in order, none of which is an import."""

    declarators: tuple[Definition, ...]


@record
class CoreOuterAlias:
    """In a core module type: a core type of an enclosing scope, so many scopes out."""

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
    """The type of an import or export. `type` is the index of a type of the sort; for a type that of the type
    that it equals, or None: any resource; for a value its type."""

    sort: Sort
    type: ValueRef | None
    equal: bool = False
    """Whether a value is bound to be equal to another one, whose index `type` is then."""


# Definitions


@record
class CoreModuleDef:
    """A core module, decoded."""

    module: Module


@record
class CoreInstantiate:
    """A core instance of a module; arguments are core instances, by the first name of imports."""

    module: int
    arguments: tuple[tuple[str, int], ...]


@record
class CoreInlineExports:
    """A core instance that is made of what there is."""

    exports: tuple[tuple[str, SortIdx], ...]


@record
class CoreTypeDef:
    """Core types: one, or those of a recursive group."""

    type: RecType | ModuleTypeDef


@record
class ComponentDef:
    """A component within the component."""

    component: Component


@record
class Instantiate:
    """An instance of a component."""

    component: int
    arguments: tuple[tuple[str, SortIdx], ...]


@record
class InlineExports:
    """An instance that is made of what there is."""

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
    """A definition of an enclosing scope, so many scopes out."""

    sort: Sort
    count: int
    index: int


@record
class TypeDef:
    """A definition in the index space of types."""

    type: Prim | CompoundDef | FuncDef | ComponentTypeDef | InstanceTypeDef | ResourceDef


@record
class Options:
    """Options of a canonical definition; None where one isn't given."""

    encoding: str | None = None
    memory: int | None = None
    realloc: int | None = None
    post_return: int | None = None
    is_async: bool = False
    callback: int | None = None
    repeated: str = ""
    """The name of an option that is given twice, if there is one."""


@record
class Lift:
    """A function of the component's from a core function."""

    function: int
    options: Options
    type: int


@record
class Lower:
    """A core function from a function of the component's."""

    function: int
    options: Options


@record
class Builtin:
    """A core function that the host defines, and its immediates in order: what each of them is depends on the
    name (`binary.BUILTINS`)."""

    name: str
    immediates: tuple[int | ValueRef | CoreValType | Options | None, ...] = ()


@record
class Start:
    """A function that is called when the component is instantiated."""

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
    """What the component wants from outside."""

    name: ExternName
    type: ExternDef


@record
class Export:
    """What the component gives; with the type that it is ascribed, if there is one."""

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
    """A definition or declarator, and where it begins in the binary (bytes)."""

    offset: int
    content: Content


@record
class Custom:
    """A custom section, kept as it is."""

    name: str
    data: bytes


@record
class Component:
    """A decoded component: immutable, shared by any number of instances and threads."""

    definitions: tuple[Definition, ...]
    customs: tuple[Custom, ...] = ()
    name: str = ""
    """What people call it: for messages only."""


def core_modules(component: Component) -> Iterator[Module]:
    """The core modules in a component and in the components in it, each as often as it is written."""
    for definition in component.definitions:
        if isinstance(definition.content, CoreModuleDef):
            yield definition.content.module
        elif isinstance(definition.content, ComponentDef):
            yield from core_modules(definition.content.component)

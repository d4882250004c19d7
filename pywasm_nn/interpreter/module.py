"""A module as data (https://webassembly.github.io/spec/core/syntax/modules.html).

What is here: frozen records. Decoder and text parser make them; validator, engines, encoder and printer read
them. Floats are kept as bits. Function bodies of a binary module are decoded on first use.
What is not: run-time objects (`runtime`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar, overload

from ..brief import counted, listed, named, sized
from ..errors import InvalidError
from ..printable import printable
from ..records import Frozen
from ..tuples import NamedTuple
from .defining import Reading, define
from .instructions import OPS, Op
from .pace import FEW, Patience, paced, unhurried
from .types import (
    I64,
    DefType,
    Exact,
    ExternKind,
    FuncType,
    GlobalType,
    HeapType,
    MemType,
    RecType,
    RefType,
    Replace,
    SubType,
    TableType,
    TypeIdx,
    ValType,
)

if TYPE_CHECKING:
    from ..sources import Sources


class HasTypes(Protocol):
    """A type that may contain other types."""

    def replaced(self, by: Replace) -> Self: ...


T = TypeVar("T", bound=HasTypes)

ExternType = FuncType | TableType | MemType | GlobalType


class MemArg(NamedTuple):
    """Immediate of loads and stores. `align` is the exponent: an alignment of 4 bytes is 2."""

    align: int
    offset: int
    memidx: int = 0


class Catch(NamedTuple):
    """A clause of try_table: the tag that it catches (None: any exception), whether the branch carries an
    exnref after the values, and the label."""

    tagidx: int | None
    ref: bool
    label: int


class BlockType(NamedTuple):
    """Immediate of structured instructions: a type index, or no parameters and at most one result."""

    typeidx: int | None = None
    result: ValType | None = None


class FieldArg(NamedTuple):
    """Immediate of instructions on one field of a structure."""

    typeidx: int
    fieldidx: int


class CastArg(NamedTuple):
    """Immediate of branches on a cast: the label, the operand's type, and the target type."""

    label: int
    source: RefType
    target: RefType


class Body(Frozen):
    """A sequence of instructions as parallel tuples, with the final `end`.

    `imms[i]` is None, the only immediate, or a tuple of immediates, depending on the row of `ops[i]`.
    """

    ops: tuple[Op, ...]
    imms: tuple[Any, ...]

    @property
    def offsets(self) -> tuple[int, ...]:
        """Byte offsets of the instructions in the module; empty unless the function comes from a binary
        module."""
        return ()

    def __iter__(self) -> Iterator[tuple[Op, Any]]:
        return zip(self.ops, self.imms, strict=True)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Body):
            return NotImplemented
        return (self.ops, self.imms) == (other.ops, other.imms)

    def __hash__(self) -> int:
        return hash((self.ops, self.imms))


class FuncBody(Body):
    """The body of a function of a binary module."""

    find_offsets: Callable[[], tuple[int, ...]]
    kept_offsets: tuple[int, ...] | None = None

    @property
    def offsets(self) -> tuple[int, ...]:
        """Computed on first use."""
        offsets = self.kept_offsets
        if offsets is None:
            offsets = self.find_offsets()
            object.__setattr__(self, "kept_offsets", offsets)
        return offsets


class Func(Frozen):
    """A function of the module. `locals` are runs (count, type) as in the binary format, so a run of 2^32
    costs nothing until it is used.

    `read_body` decodes the body within the given patience; the result is kept until `forget_body`. `offset`
    and `size` (bytes) are its position in the module.
    """

    typeidx: int
    locals: tuple[tuple[int, ValType], ...]
    read_body: Callable[[Patience], Body]
    offset: int = 0
    size: int = 0
    kept_body: Body | None = None

    @property
    def body(self) -> Body:
        """The instructions. Raises MalformedError if they can't be decoded."""
        return self.load(unhurried)

    def load(self, patience: Patience) -> Body:
        """The instructions, for a call that waits. Raises MalformedError and DeadlineError."""
        body = self.kept_body
        if body is None:
            body = self.read_body(patience)
            object.__setattr__(self, "kept_body", body)
        return body

    def forget_body(self) -> None:
        """Release the instructions, forty times as large as their bytes. The next use decodes them again."""
        object.__setattr__(self, "kept_body", None)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Func):
            return NotImplemented
        return (self.typeidx, self.locals, self.body) == (other.typeidx, other.locals, other.body)

    def __hash__(self) -> int:
        return hash((self.typeidx, self.locals))


class FuncList(Sequence[Func]):
    """Functions that are made on first use; equal to a tuple of the same functions."""

    typeidxs: Sequence[int]
    """The type index of each function."""

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Sequence) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))


class Import(Frozen):
    """An import as written. For functions and tags `type` is a type index, otherwise the type itself.
    `exact` says that a function must have exactly this type, none below it."""

    module: str
    name: str
    kind: ExternKind
    type: int | TableType | MemType | GlobalType
    exact: bool = False


class ImportType(Frozen):
    """An import with its full type: `type` is a FuncType (also for a tag), TableType, MemType or GlobalType,
    and prints in the text format. `exact` as for `Import`."""

    module: str
    name: str
    kind: ExternKind
    type: ExternType
    exact: bool = False

    @property
    def type_text(self) -> str:
        """The type as it prints."""
        return f"(exact {self.type})" if self.exact else str(self.type)

    def __str__(self) -> str:
        return printable(f"{self.kind.keyword} {self.module}::{self.name} {self.type_text}")


class ExportType(Frozen):
    """An export with its full type; see `ImportType`."""

    name: str
    kind: ExternKind
    type: ExternType

    def __str__(self) -> str:
        return printable(f"{self.kind.keyword} {self.name} {self.type}")


class Export(Frozen):
    """A name for the item at this index of its index space."""

    name: str
    kind: ExternKind
    index: int


class Global(Frozen):
    """A global with its constant initialiser."""

    type: GlobalType
    init: Body


class Tag(Frozen):
    """A tag of exceptions: their values are the parameters of the type."""

    typeidx: int


class Table(Frozen):
    """A table defined in the module, with the constant initialiser of its elements, if any."""

    type: TableType
    init: Body | None = None


class Active(Frozen):
    """A segment copied at instantiation: into table or memory `index`, at the value of `offset`."""

    index: int
    offset: Body


class FuncRefs(Sequence[Body]):
    """Expressions `ref.func`, made of funcidxs on first use; equal to a tuple of the same expressions."""

    def __init__(self, funcidxs: Sequence[int]) -> None:
        self.funcidxs = funcidxs

    def __len__(self) -> int:
        return len(self.funcidxs)

    @overload
    def __getitem__(self, index: int) -> Body: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Body, ...]: ...

    def __getitem__(self, index: int | slice) -> Body | tuple[Body, ...]:
        if isinstance(index, slice):
            return tuple(map(func_ref, self.funcidxs[index]))
        return func_ref(self.funcidxs[index])

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Sequence) else NotImplemented

    __hash__ = FuncList.__hash__

    def __repr__(self) -> str:
        return named("references to", counted(len(self), "function"))


def func_ref(funcidx: int) -> Body:
    """The constant expression for a reference to a function."""
    return Body((OPS["ref.func"], OPS["end"]), (funcidx, None))


class Elem(Frozen):
    """An element segment: constant expressions for references. With `mode` None it is passive, or
    `declarative`."""

    type: RefType
    init: Sequence[Body]
    mode: Active | None = None
    declarative: bool = False

    @property
    def funcidxs(self) -> Sequence[int] | None:
        """The functions to which it refers, if it has only their indices; else None."""
        return getattr(self.init, "funcidxs", None)


class Data(Frozen):
    """A data segment; with `mode` None it is passive."""

    init: bytes
    mode: Active | None = None


class Custom(Frozen):
    """A custom section, unchanged."""

    name: str
    data: bytes


class CodeCache:
    """Stores code that engines made from a module's function bodies, for all its instances. This class keeps
    it in memory only."""

    folder: Any = None
    """The folder that stores the code for later processes, None: no folder."""

    def __init__(self) -> None:
        self._made: dict[tuple[int, Any], Any] = {}
        self.native: dict[Any, Any] = {}
        """Code of the whole module, made by engines outside this package, by variant."""

    def get(self, index: int, variant: Any) -> Any:
        """The code of the defined function `index` in this variant, or None."""
        return self._made.get((index, variant))

    def add(self, index: int, variant: Any, made: Any) -> None:
        """Store the code of a function."""
        self._made[index, variant] = made

    def names(self, variant: Any) -> Iterable[str]:
        """Names that the stored code of a variant needs in an instance's namespace."""
        return ()

    @property
    def proves_valid(self) -> bool:
        """Whether stored code proves that the module's sections are valid."""
        return False

    def save(self) -> None:
        """Does nothing."""

    def native_code(self, label: str) -> bytes | None:
        """The kept native code of the whole module, by everything else on which it depends, or None."""
        return None

    def keep_native(self, label: str, code: bytes) -> None:
        """Keep native code for other processes, if there is a folder."""


TYPES_OF: Mapping[ExternKind, str] = {
    ExternKind.FUNC: "func_types",
    ExternKind.TABLE: "table_types",
    ExternKind.MEMORY: "mem_types",
    ExternKind.GLOBAL: "global_types",
    ExternKind.TAG: "tag_types",
}
"""The attribute of a module that has the types of an index space."""


class Remembering:
    """A base with a `__dict__`, which cached properties need."""

    locate: partial[None] | None = None
    """Adds line and column in the module's text to an error about an instruction; None for a binary."""


class Module(Remembering, Frozen):
    """A decoded module: immutable, shared by any number of instances and threads.

    `funcs`, `tables`, `mems`, `tags` and `globals` have the module's own definitions; index spaces begin with
    the imports, and the properties below give whole index spaces. Fields have types as written, with type
    indices; methods and properties give closed types, with a `DefType` for each index, and raise InvalidError
    for an unknown index.
    """

    types: tuple[RecType, ...] = ()
    imports: tuple[Import, ...] = ()
    funcs: Sequence[Func] = ()
    tables: tuple[Table, ...] = ()
    mems: tuple[MemType, ...] = ()
    tags: tuple[Tag, ...] = ()
    globals: tuple[Global, ...] = ()
    exports: tuple[Export, ...] = ()
    start: int | None = None
    elems: tuple[Elem, ...] = ()
    datas: Sequence[Data] = ()
    data_count: int | None = None
    customs: tuple[Custom, ...] = ()
    data: bytes = b""
    """The binary that the module was decoded from; empty if it was parsed from text."""
    name: str = ""
    """A name for messages, usually the name of the file."""
    code_offset: int = 0
    """The offset of the code section's contents in the binary; debug information is relative to it."""
    features: tuple[str, ...] = ()
    """The features that it was decoded with, as changes of the default ones (`interpreter.features`)."""

    # Two modules are equal whatever their file, their name and the switches are.
    _values = attrgetter(
        "types", "imports", "funcs", "tables", "mems", "tags", "globals", "exports", "start", "elems",
        "datas", "data_count", "customs",
    )  # fmt: skip

    @cached_property
    def code_cache(self) -> CodeCache:
        """The code that engines made of its functions."""
        return CodeCache()

    def use_code(self, cache: CodeCache) -> None:
        """Use stored code from `cache`."""
        vars(self)["code_cache"] = cache

    def __repr__(self) -> str:
        counts = [counted(len(self.funcs), "function"), counted(len(self.imports), "import")]
        exports = [f"exports {listed([e.name for e in self.exports])}" if self.exports else "no exports"]
        size = [sized(len(self.data))] if self.data else []
        return named("Module", f"{printable(self.name, 60)}: {', '.join(size + counts + exports)}")

    def custom(self, name: str) -> bytes | None:
        """The contents of the first custom section of this name."""
        return next((custom.data for custom in self.customs if custom.name == name), None)

    @cached_property
    def sources(self) -> Sources:
        """Its source lines, kept for the next backtrace."""
        from ..sources import Sources

        return Sources(self)

    def imported(self, kind: ExternKind) -> tuple[Import, ...]:
        if not self.imports:  # as in most of the ten thousand modules that a component may have
            return ()
        return tuple([i for i in self.imports if i.kind is kind])

    @cached_property
    def subtypes(self) -> tuple[SubType, ...]:
        """The definition of every type, as written."""
        return tuple([subtype for rectype in self.types for subtype in rectype.subtypes])

    @cached_property
    def deftypes(self) -> tuple[DefType, ...]:
        """All types of the module."""
        return self.defined_types(unhurried)

    def define_types(self, patience: Patience) -> None:
        """Make `deftypes` now, with checks of the time."""
        if "deftypes" not in self.__dict__:
            self.__dict__["deftypes"] = self.defined_types(patience)

    def defined_types(self, patience: Patience) -> tuple[DefType, ...]:
        known: list[DefType] = []
        same: dict[int, tuple[DefType, ...]] = {}
        """Types of groups without indices of their own types, by the group's id: groups may recur."""

        def find(index: int) -> DefType:
            if index >= len(known):
                raise InvalidError(f"unknown type {index}")
            return known[index]

        for rectype in paced(self.types, patience, FEW):
            defined = same.get(id(rectype))
            if defined is None:
                start = len(known)
                reading = Reading(find, start, start + len(rectype.subtypes))
                defined = define(rectype, reading)
                if not reading.found_own:
                    same[id(rectype)] = defined
            known += defined
        return tuple(known)

    def deftype(self, typeidx: int) -> DefType:
        """The type at this index."""
        if typeidx >= len(self.deftypes):
            raise InvalidError(f"unknown type {typeidx}")
        return self.deftypes[typeidx]

    def func_type(self, typeidx: int) -> FuncType:
        """The type at this index, which must be a function type."""
        type_ = self.deftype(typeidx).composite
        if not isinstance(type_, FuncType):
            raise InvalidError(f"type mismatch: type {typeidx} is no function type")
        return type_

    def closed(self, type_: T) -> T:
        """A closed type, from a type as written in this module."""
        return type_.replaced(self.close_heap)

    def close_heap(self, heap: HeapType) -> HeapType:
        if isinstance(heap, TypeIdx):
            return self.deftype(heap.index)
        return heap.replaced(self.close_heap) if isinstance(heap, Exact) else heap

    def import_type(self, import_: Import) -> ExternType:
        """The closed type of an import; for functions and tags a FuncType."""
        if isinstance(import_.type, int):
            return self.func_type(import_.type)
        return import_.type if isinstance(import_.type, MemType) else self.closed(import_.type)

    @cached_property
    def import_types(self) -> tuple[ImportType, ...]:
        """The imports in order, with closed types."""
        return tuple(
            [ImportType(i.module, i.name, i.kind, self.import_type(i), i.exact) for i in self.imports]
        )

    @cached_property
    def export_types(self) -> tuple[ExportType, ...]:
        """The exports in order, with closed types."""
        return tuple([ExportType(e.name, e.kind, self.types_of(e.kind)[e.index]) for e in self.exports])

    @cached_property
    def imported_funcs(self) -> int:
        """The number of imported functions, which is the funcidx of the first defined function."""
        return len(self.imported(ExternKind.FUNC))

    def is_exact(self, funcidx: int) -> bool:
        """Whether the type of a function is known exactly: it is defined here, or imported so."""
        return funcidx >= self.imported_funcs or self.imported(ExternKind.FUNC)[funcidx].exact

    @cached_property
    def func_typeidxs(self) -> tuple[int, ...]:
        """Type index of every function, imports first."""
        imported: list[Any] = [i.type for i in self.imported(ExternKind.FUNC)]
        funcs = self.funcs
        return (*imported, *(funcs.typeidxs if isinstance(funcs, FuncList) else [f.typeidx for f in funcs]))

    @cached_property
    def func_types(self) -> tuple[FuncType, ...]:
        """Type of every function, imports first."""
        types = {typeidx: self.func_type(typeidx) for typeidx in dict.fromkeys(self.func_typeidxs)}
        return tuple(map(types.__getitem__, self.func_typeidxs))

    @cached_property
    def tag_types(self) -> tuple[FuncType, ...]:
        """Type of every tag, imports first."""
        imported: list[Any] = [i.type for i in self.imported(ExternKind.TAG)]
        return tuple(map(self.func_type, [*imported, *(t.typeidx for t in self.tags)]))

    def types_of(self, kind: ExternKind) -> Sequence[FuncType | TableType | MemType | GlobalType]:
        """The types of an index space, imports first."""
        found: Sequence[FuncType | TableType | MemType | GlobalType] = getattr(self, TYPES_OF[kind])
        return found

    @cached_property
    def declared_refs(self) -> frozenset[int]:
        """Functions that `ref.func` in bodies may refer to: in exports, globals, tables, element segments.

        https://webassembly.github.io/spec/core/valid/modules.html (the context's refs)
        """
        bodies = [g.init for g in self.globals] + [t.init for t in self.tables if t.init is not None]
        found: set[int] = set()
        for elem in self.elems:
            if elem.funcidxs is None:
                bodies += elem.init
            else:
                found.update(elem.funcidxs)
        found.update(imm for body in bodies for op, imm in body if op.name == "ref.func")
        found |= {e.index for e in self.exports if e.kind is ExternKind.FUNC}
        return frozenset(found)

    @cached_property
    def table_types(self) -> tuple[TableType, ...]:
        imported: list[Any] = [i.type for i in self.imported(ExternKind.TABLE)]
        return tuple(map(self.closed, (*imported, *(t.type for t in self.tables))))

    @cached_property
    def mem_types(self) -> tuple[MemType, ...]:
        imported: list[Any] = [i.type for i in self.imported(ExternKind.MEMORY)]
        return (*imported, *self.mems)

    @cached_property
    def has_memory64(self) -> bool:
        """Whether any memory has addresses of 64 bits."""
        return any(memory.addrtype is I64 for memory in self.mem_types)

    @cached_property
    def global_types(self) -> tuple[GlobalType, ...]:
        imported: list[Any] = [i.type for i in self.imported(ExternKind.GLOBAL)]
        return tuple(map(self.closed, (*imported, *(g.type for g in self.globals))))

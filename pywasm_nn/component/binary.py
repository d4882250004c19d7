"""Bytes to `syntax.Component` (https://github.com/WebAssembly/component-model/blob/main/design/mvp/Binary.md).

What is here: `decode`, which accepts exactly the binary format and gives every definition its offset. Core
modules are decoded by `interpreter.binary`, and their function bodies when first called. What is not:
validation.

No memory is allocated only because the input claims a length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from ..errors import MalformedError
from ..interpreter.binary import decode as decode_module
from ..interpreter.binary.leb128 import UNEXPECTED_END, read_name, read_s33, read_size
from ..interpreter.binary.sections import COMPONENT_PREAMBLE, ModuleReader
from ..interpreter.module import CodeCache, Module
from ..interpreter.pace import Patience, paced_range, unhurried
from ..interpreter.types import ExternKind
from .naming import named
from .syntax import (
    Builtin,
    Component,
    ComponentDef,
    ComponentTypeDef,
    CompoundDef,
    Content,
    CoreExportAlias,
    CoreExportDecl,
    CoreInlineExports,
    CoreInstantiate,
    CoreModuleDef,
    CoreOuterAlias,
    CoreTypeDef,
    Custom,
    Definition,
    Export,
    ExportAlias,
    ExportDecl,
    ExternDef,
    ExternName,
    FuncDef,
    Import,
    InlineExports,
    InstanceTypeDef,
    Instantiate,
    Lift,
    Lower,
    ModuleTypeDef,
    Options,
    OuterAlias,
    ResourceDef,
    SortIdx,
    Start,
    TypeDef,
    ValueDef,
    ValueRef,
)
from .types import PRIM_BY_CODE, Kind, Sort

T = TypeVar("T")
CodeOf = Callable[[bytes, Sequence[str]], CodeCache]
"""Finds what is kept of the code of a module, by its bytes and features."""

DEEPEST = 100
"""The deepest nesting of components, and of types of components, instances and modules."""
CORE_SORTS = {
    0x00: Sort.CORE_FUNC,
    0x01: Sort.CORE_TABLE,
    0x02: Sort.CORE_MEMORY,
    0x03: Sort.CORE_GLOBAL,
    0x04: Sort.CORE_TAG,
    0x10: Sort.CORE_TYPE,
    0x11: Sort.CORE_MODULE,
    0x12: Sort.CORE_INSTANCE,
}
IN_CORE = frozenset(CORE_SORTS.values())
SORTS = {0x01: Sort.FUNC, 0x02: Sort.VALUE, 0x03: Sort.TYPE, 0x04: Sort.COMPONENT, 0x05: Sort.INSTANCE}
ALIASED_OUTSIDE = (Sort.CORE_MODULE, Sort.CORE_TYPE, Sort.TYPE, Sort.COMPONENT)
ENCODINGS = {0x00: "utf8", 0x01: "utf16", 0x02: "latin1+utf16"}
BUILTINS: Mapping[int, tuple[str, tuple[str, ...]]] = {
    0x02: ("resource.new", ("u32",)),
    0x03: ("resource.drop", ("u32",)),
    0x04: ("resource.rep", ("u32",)),
    0x05: ("task.cancel", ()),
    0x06: ("subtask.cancel", ("flag",)),
    0x09: ("task.return", ("result", "options")),
    0x0A: ("context.get", ("core_type", "u32")),
    0x0B: ("context.set", ("core_type", "u32")),
    0x0C: ("thread.yield", ("flag",)),
    0x0D: ("subtask.drop", ()),
    0x0E: ("stream.new", ("u32",)),
    0x0F: ("stream.read", ("u32", "options")),
    0x10: ("stream.write", ("u32", "options")),
    0x11: ("stream.cancel-read", ("u32", "flag")),
    0x12: ("stream.cancel-write", ("u32", "flag")),
    0x13: ("stream.drop-readable", ("u32",)),
    0x14: ("stream.drop-writable", ("u32",)),
    0x15: ("future.new", ("u32",)),
    0x16: ("future.read", ("u32", "options")),
    0x17: ("future.write", ("u32", "options")),
    0x18: ("future.cancel-read", ("u32", "flag")),
    0x19: ("future.cancel-write", ("u32", "flag")),
    0x1A: ("future.drop-readable", ("u32",)),
    0x1B: ("future.drop-writable", ("u32",)),
    0x1C: ("error-context.new", ("options",)),
    0x1D: ("error-context.debug-message", ("options",)),
    0x1E: ("error-context.drop", ()),
    0x1F: ("waitable-set.new", ()),
    0x20: ("waitable-set.wait", ("flag", "u32")),
    0x21: ("waitable-set.poll", ("flag", "u32")),
    0x22: ("waitable-set.drop", ()),
    0x23: ("waitable.join", ()),
    0x24: ("backpressure.inc", ()),
    0x25: ("backpressure.dec", ()),
    0x26: ("thread.index", ()),
    0x27: ("thread.new-indirect", ("u32", "u32")),
    0x28: ("thread.resume-later", ()),
    0x29: ("thread.suspend", ("flag",)),
    0x2A: ("thread.suspend-then-resume", ("flag",)),
    0x2B: ("thread.yield-then-resume", ("flag",)),
    0x2C: ("thread.suspend-then-promote", ("flag",)),
    0x2D: ("thread.yield-then-promote", ("flag",)),
    0x40: ("thread.spawn-ref", ("flag", "u32")),
    0x41: ("thread.spawn-indirect", ("flag", "u32", "u32")),
    0x42: ("thread.available-parallelism", ("flag",)),
}
"""Builtins by opcode, with methods of the reader for their immediates. The meaning of a `flag` depends on the
builtin: async, cancellable or shared."""


def decode(
    data: bytes,
    name: str = "",
    into: type[Module] = Module,
    features: Sequence[str] = (),
    patience: Patience = unhurried,
    code_of: CodeOf | None = None,
) -> Component:
    """The component that `data` encodes; its core modules are instances of `into`. `name` is for messages,
    and the start of the names of core modules; `features` are those of core modules, and `code_of` finds
    what is kept of their code. Raises MalformedError, or what `patience` raises."""
    try:
        made = ComponentReader(data, into, features, patience, code_of).component(0, len(data), 0)
    except IndexError:  # readers don't check for the end of the data
        raise MalformedError(UNEXPECTED_END, len(data)) from None
    return named(made, name)


class ComponentReader(ModuleReader):
    """Reads one component from front to back; types and limits are encoded as in core modules."""

    def __init__(
        self,
        data: bytes,
        into: type[Module],
        features: Sequence[str],
        patience: Patience,
        code_of: CodeOf | None,
    ) -> None:
        super().__init__(data, features, patience)
        self.into = into
        self.code_of = code_of
        self.depth = 0

    def component(self, start: int, stop: int, depth: int) -> Component:
        """The component at data[start:stop], nested in `depth` others."""
        if depth > DEEPEST:
            raise MalformedError(f"components are nested more than {DEEPEST} deep", start)
        self.pos = start
        if self.data[start : min(start + len(COMPONENT_PREAMBLE), stop)] != COMPONENT_PREAMBLE:
            raise MalformedError("magic header not detected, or no version and layer of a component", start)
        self.pos += len(COMPONENT_PREAMBLE)
        definitions: list[Definition] = []
        customs: list[Custom] = []
        while self.pos < stop:
            section = self.byte()
            size = self.read(read_size)
            begin, end = self.pos, self.pos + size
            if end > stop:
                raise MalformedError(UNEXPECTED_END, begin)
            self.section(section, begin, end, definitions, customs, depth)
            if self.pos != end:
                raise MalformedError("section size mismatch", begin)
        return Component(tuple(definitions), tuple(customs))

    def section(
        self,
        section: int,
        begin: int,
        end: int,
        definitions: list[Definition],
        customs: list[Custom],
        depth: int,
    ) -> None:
        """Read the contents of one section."""
        if section == 0:
            name = self.read(read_name)
            if self.pos > end:
                raise MalformedError(UNEXPECTED_END, begin)
            customs.append(Custom(name, self.take(end - self.pos)))
        elif section == 1:
            definitions.append(Definition(begin, CoreModuleDef(self.core_module(begin, end))))
            self.pos = end
        elif section == 4:
            inner = self.component(begin, end, depth + 1)
            definitions.append(Definition(begin, ComponentDef(inner)))
        elif section == 9:
            definitions.append(self.definition(self.start))
        else:
            contents: dict[int, Callable[[], Content]] = {
                2: self.core_instance,
                3: self.core_type_definition,
                5: self.instance,
                6: self.alias,
                7: lambda: TypeDef(self.deftype()),
                8: self.canonical,
                10: lambda: Import(self.extern_name(), self.extern_type()),
                11: self.export_definition,
                12: self.value,
            }
            if section not in contents:
                raise MalformedError("malformed section id", begin)
            for _ in paced_range(self.u32(), self.patience):
                definitions.append(self.definition(contents[section]))

    def definition(self, read: Callable[[], Content]) -> Definition:
        offset = self.pos
        return Definition(offset, read())

    def core_module(self, begin: int, end: int) -> Module:
        try:
            data = self.data[begin:end]
            code = None if self.code_of is None else self.code_of(data, self.features)
            return decode_module(
                data, into=self.into, features=self.features, patience=self.patience, code=code
            )
        except MalformedError as error:
            outer = MalformedError(f"core module: {error.message}", begin + max(error.offset, 0))
            outer.proposal, outer.feature = error.proposal, error.feature
            raise outer from error

    # Small things

    def flag(self) -> int:
        return self.choice("a flag", {0: 0, 1: 1})

    def choice(self, what: str, choices: Mapping[int, T]) -> T:
        """The choice for the next byte."""
        byte = self.byte()
        if byte not in choices:
            raise self.malformed(f"invalid leading byte (0x{byte:x}) for {what}")
        return choices[byte]

    def optional(self, read: Callable[[], T]) -> T | None:
        return read() if self.choice("an optional", {0: False, 1: True}) else None

    def name(self) -> str:
        return self.read(read_name)

    def nested(self, read: Callable[[], T]) -> T:
        """Read something that may contain another of its kind."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.malformed(f"types are nested more than {DEEPEST} deep")
        read_ = read()
        self.depth -= 1
        return read_

    def core_sort(self) -> Sort:
        return self.choice("a core sort", CORE_SORTS)

    def sort(self) -> Sort:
        if self.data[self.pos] == 0:
            self.pos += 1
            return self.core_sort()
        return self.choice("a sort", SORTS)

    def sort_index(self) -> SortIdx:
        return SortIdx(self.sort(), self.u32())

    def extern_name(self) -> ExternName:
        kind = self.choice("a name", {0: 0, 1: 1, 2: 2})
        text = self.name()
        if kind < 2:
            return ExternName(text)
        names = {0: "implements", 1: "version_suffix", 2: "external_id"}
        attributes = self.vector(lambda: (self.choice("an attribute", names), self.name()))
        found = dict(attributes)
        return ExternName(text, **found, repeated=len(found) < len(attributes))

    # Instances and aliases

    def core_instance(self) -> CoreInstantiate | CoreInlineExports:
        if self.choice("a core instance", {0: True, 1: False}):
            return CoreInstantiate(self.u32(), self.vector(self.core_argument))
        return CoreInlineExports(self.vector(lambda: (self.name(), SortIdx(self.core_sort(), self.u32()))))

    def core_argument(self) -> tuple[str, int]:
        name = self.name()
        self.choice("the sort of an argument", {0x12: None})
        return name, self.u32()

    def instance(self) -> Instantiate | InlineExports:
        if self.choice("an instance", {0: True, 1: False}):
            return Instantiate(self.u32(), self.vector(lambda: (self.name(), self.sort_index())))
        return InlineExports(self.vector(lambda: (self.extern_name(), self.sort_index())))

    def alias(self) -> ExportAlias | CoreExportAlias | OuterAlias:
        begin = self.pos
        sort = self.sort()
        kind = self.choice("an alias", {0: 0, 1: 1, 2: 2})
        if kind == 2:
            if sort not in ALIASED_OUTSIDE:
                raise MalformedError(f"a {sort.value} can't be aliased from outside", begin)
            return OuterAlias(sort, self.u32(), self.u32())
        if kind == 1 and sort not in IN_CORE:
            raise MalformedError(f"no core instance exports a {sort.value}", begin)
        if kind == 0 and sort in IN_CORE and sort is not Sort.CORE_MODULE:
            raise MalformedError(f"no instance exports a {sort.value}", begin)
        return (CoreExportAlias if kind else ExportAlias)(sort, self.u32(), self.name())

    # Types

    def core_type_definition(self) -> CoreTypeDef:
        return CoreTypeDef(self.core_type())

    def core_type(self) -> Any:
        """A recursive group of types, or a module type: both can begin with the byte 0x50."""
        byte = self.data[self.pos]
        if byte == 0x50:
            self.pos += 1
            return ModuleTypeDef(self.nested(lambda: self.vector(self.module_declarator)))
        if byte == 0x00:
            self.pos += 1
            if self.data[self.pos] != 0x50:
                raise MalformedError("malformed core type", self.pos)
        return self.rectype()

    def module_declarator(self) -> Any:
        readers: dict[int, Callable[[], Any]] = {
            0: super().import_,
            1: self.core_type,
            2: self.core_outer_alias,
            3: self.core_export,
        }
        return self.choice("a module declarator", readers)()

    def core_outer_alias(self) -> CoreOuterAlias:
        self.choice("the sort of a core alias", {0x10: None})
        self.choice("a core alias", {0x01: None})
        return CoreOuterAlias(self.u32(), self.u32())

    def core_export(self) -> CoreExportDecl:
        name, kind = self.name(), self.externkind("malformed export kind")
        readers: dict[ExternKind, tuple[Sort, Callable[[], Any]]] = {
            ExternKind.FUNC: (Sort.CORE_FUNC, self.u32),
            ExternKind.TABLE: (Sort.CORE_TABLE, self.tabletype),
            ExternKind.MEMORY: (Sort.CORE_MEMORY, self.memtype),
            ExternKind.GLOBAL: (Sort.CORE_GLOBAL, self.globaltype),
            ExternKind.TAG: (Sort.CORE_TAG, self.tagtype),
        }
        sort, read = readers[kind]
        return CoreExportDecl(name, sort, read())

    def value_type(self) -> ValueRef:
        offset = self.pos
        code = self.read(read_s33)
        if code >= 0:
            return code
        prim = PRIM_BY_CODE.get(code & 0x7F) if code >= -0x40 else None
        if prim is None:
            raise MalformedError("malformed value type", offset)
        return prim

    def labelled(self) -> tuple[str, ValueRef]:
        return self.name(), self.value_type()

    def case(self) -> tuple[str, ValueRef | None]:
        label, type_ = self.name(), self.optional(self.value_type)
        self.choice("the end of a case", {0: None})
        return label, type_

    def result_list(self) -> ValueRef | None:
        if self.choice("a result", {0: True, 1: False}):
            return self.value_type()
        self.choice("the end of no results", {0: None})
        return None

    def deftype(self) -> Any:
        byte = self.data[self.pos]
        if byte in PRIM_BY_CODE:
            self.pos += 1
            return PRIM_BY_CODE[byte]
        one = self.value_type
        readers: dict[int, Callable[[], Any]] = {
            0x72: lambda: labelled_def(Kind.RECORD, self.vector(self.labelled)),
            0x71: lambda: labelled_def(Kind.VARIANT, self.vector(self.case)),
            0x70: lambda: CompoundDef(Kind.LIST, (), (one(),)),
            0x67: lambda: CompoundDef(Kind.LIST, (), (one(),), self.u32()),
            0x6F: lambda: CompoundDef(Kind.TUPLE, (), self.vector(one)),
            0x6E: lambda: CompoundDef(Kind.FLAGS, self.vector(self.name)),
            0x6D: lambda: CompoundDef(Kind.ENUM, self.vector(self.name)),
            0x6B: lambda: CompoundDef(Kind.OPTION, (), (one(),)),
            0x6A: lambda: CompoundDef(Kind.RESULT, (), (self.optional(one), self.optional(one))),
            0x69: lambda: CompoundDef(Kind.OWN, (), (self.u32(),)),
            0x68: lambda: CompoundDef(Kind.BORROW, (), (self.u32(),)),
            0x66: lambda: CompoundDef(Kind.STREAM, (), (self.optional(one),)),
            0x65: lambda: CompoundDef(Kind.FUTURE, (), (self.optional(one),)),
            0x63: lambda: CompoundDef(Kind.MAP, (), (one(), one())),
            0x40: partial(self.func_type, False),
            0x43: partial(self.func_type, True),
            0x41: lambda: ComponentTypeDef(self.nested(lambda: self.vector(self.component_declarator))),
            0x42: lambda: InstanceTypeDef(self.nested(lambda: self.vector(self.instance_declarator))),
            0x3F: lambda: ResourceDef(self.core_value_type(), self.optional(self.u32)),
        }
        return self.choice("a type", readers)()

    def func_type(self, is_async: bool) -> FuncDef:
        params = self.vector(self.labelled)
        labels, types = tuple(label for label, _ in params), tuple(type_ for _, type_ in params)
        return FuncDef(labels, types, self.result_list(), is_async)

    def core_value_type(self) -> Any:
        return self.read(self.types.valtype)

    def component_declarator(self) -> Definition:
        if self.data[self.pos] == 0x03:
            self.pos += 1
            return self.definition(lambda: Import(self.extern_name(), self.extern_type()))
        return self.instance_declarator()

    def instance_declarator(self) -> Definition:
        readers: dict[int, Callable[[], Content]] = {
            0x00: self.core_type_definition,
            0x01: lambda: TypeDef(self.deftype()),
            0x02: self.alias,
            0x04: lambda: ExportDecl(self.extern_name(), self.extern_type()),
        }
        return self.definition(self.choice("a declarator", readers))

    def extern_type(self) -> ExternDef:
        byte = self.byte()
        if byte == 0x00:
            self.choice("an extern type's core sort", {0x11: None})
            return ExternDef(Sort.CORE_MODULE, self.u32())
        if byte == 0x02:
            if self.choice("a value's bound", {0: True, 1: False}):
                return ExternDef(Sort.VALUE, self.u32(), equal=True)
            return ExternDef(Sort.VALUE, self.value_type())
        if byte == 0x03:
            return ExternDef(Sort.TYPE, self.u32() if self.choice("a type's bound", {0: 1, 1: 0}) else None)
        if byte not in SORTS:
            raise self.malformed(f"invalid leading byte (0x{byte:x}) for an extern type")
        return ExternDef(SORTS[byte], self.u32())

    # Everything else

    def canonical(self) -> Lift | Lower | Builtin:
        opcode = self.byte()
        if opcode in (0, 1):
            self.choice("the sort of a canonical definition", {0: None})
            function, options = self.u32(), self.options()
            return Lower(function, options) if opcode else Lift(function, options, self.u32())
        if opcode not in BUILTINS:
            raise self.malformed(f"invalid leading byte (0x{opcode:x}) for a canonical definition")
        name, immediates = BUILTINS[opcode]
        readers: dict[str, Callable[[], Any]] = {
            "u32": self.u32,
            "flag": self.flag,
            "result": self.result_list,
            "options": self.options,
            "core_type": self.core_value_type,
        }
        return Builtin(name, tuple([readers[immediate]() for immediate in immediates]))

    def options(self) -> Options:
        found: dict[str, Any] = {}
        repeated = ""
        for _ in range(self.u32()):
            name, value = self.option()
            if name in found:
                repeated = name
            found[name] = value
        return Options(**found, repeated=repeated)

    def option(self) -> tuple[str, Any]:
        byte = self.byte()
        if byte in ENCODINGS:
            return "encoding", ENCODINGS[byte]
        if byte == 0x06:
            return "is_async", True
        indices = {0x03: "memory", 0x04: "realloc", 0x05: "post_return", 0x07: "callback"}
        if byte not in indices:
            raise self.malformed(f"invalid leading byte (0x{byte:x}) for a canonical option")
        return indices[byte], self.u32()

    def start(self) -> Start:
        return Start(self.u32(), self.vector(self.u32), self.u32())

    def export_definition(self) -> Export:
        return Export(self.extern_name(), self.sort_index(), self.optional(self.extern_type))

    def value(self) -> ValueDef:
        type_ = self.value_type()
        return ValueDef(type_, self.take(self.read(read_size)))


def labelled_def(kind: Kind, pairs: tuple[tuple[str, ValueRef | None], ...]) -> CompoundDef:
    return CompoundDef(kind, tuple(label for label, _ in pairs), tuple(type_ for _, type_ in pairs))

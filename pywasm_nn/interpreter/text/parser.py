"""Text to `module.Module` (https://webassembly.github.io/spec/core/text/modules.html).

A module is read twice: first only names, because definitions may be used before they appear, then everything.
What is here: fields and their abbreviations. Instructions are in `instructions.py`, types in `cursor.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...errors import InvalidError, MalformedError
from ..instructions import OPS
from ..module import Active, Body, Custom, Data, Elem, Export, Func, Global, Import, Module, Table, Tag
from ..types import (
    FUNCREF,
    I32,
    I64,
    SOME_FUNC,
    ExternKind,
    GlobalType,
    MemType,
    NumType,
    RecType,
    RefType,
    SizeRange,
    SubType,
    TableType,
    ValType,
)
from .annotations import Annotations
from .cursor import Cursor
from .excerpt import line_and_column
from .instructions import InstructionParser, typeuse
from .lexer import tokenize
from .names import name_section
from .scopes import Scope, Space, identifier

_KINDS = {kind.keyword: kind for kind in ExternKind}
_SEGMENTS = {"table": "elem", "memory": "data"}
"""Inline parts of a definition that count as a segment of their own."""
_IMPORT_KIND = 5
"""The word number of the kind in `( import "module" "name" ( kind`."""
_ZERO = {type_: Body((OPS[f"{type_}.const"], OPS["end"]), (0, None)) for type_ in (I32, I64)}


def parse(text: str, name: str = "", features: Sequence[str] = ()) -> Module:
    """The module in a text, with or without `(module ...)` around its fields. `name` is for messages,
    `features` are for decoding the module's bytes; here only "-memory64" counts.

    Ids of the module, its functions and locals become a custom section `name`, so that backtraces show them.
    Raises MalformedError with line and column.
    """
    cursor = Cursor(tokenize(text), features=features)
    if cursor.enter("module"):
        module = parse_module(cursor, name)
        if cursor.words[cursor.at]:
            cursor.fail("the end of the text")
        return module
    return parse_fields(cursor, name)


def text_of(data: bytes) -> str:
    """Decode the bytes of a text. Raises MalformedError if they aren't UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise MalformedError("malformed UTF-8 encoding", error.start) from None


def parse_module(cursor: Cursor, name: str = "") -> Module:
    """Parse the rest after `(module`: `$id? field* )`."""
    module_id = cursor.optional_id()
    module = ModuleParser(cursor).module(module_id, name)
    cursor.expect(")")
    return module


def locate(text: str, error: InvalidError, instr: int) -> None:
    """Add line and column to an error about an instruction of a module that was made from this text."""
    tokens = tokenize(text)
    cursor = Cursor(tokens)
    parser = ModuleParser(cursor, error.func)
    parser.module(cursor.optional_id() if cursor.enter("module") else None, "")
    error.line, error.column = line_and_column(text, tokens.starts[parser.places[instr]])


def parse_fields(cursor: Cursor, name: str = "") -> Module:
    """Parse fields without `(module ...)` around them, up to the end of the text."""
    module = ModuleParser(cursor).module(None, name)
    if cursor.words[cursor.at]:
        cursor.fail("a field of a module")
    return module


class ModuleParser:
    """Parses the fields of one module."""

    def __init__(self, cursor: Cursor, located: int = -1) -> None:
        """`located` is the funcidx of the function whose instructions get `places`."""
        self.cursor = cursor
        self.located = located
        self.places: list[int] = []
        self.scope = Scope()
        cursor.types = self.scope.spaces["type"]
        self.imports: list[Import] = []
        self.funcs: list[Func] = []
        self.tables: list[Table] = []
        self.mems: list[MemType] = []
        self.tags: list[Tag] = []
        self.globals: list[Global] = []
        self.exports: list[Export] = []
        self.elems: list[Elem] = []
        self.datas: list[Data] = []
        self.start: int | None = None
        self.uses_data = False
        self.local_names: dict[int, dict[int, str]] = {}
        self.indices = dict.fromkeys(ExternKind, 0)
        self.fields: list[int] = []
        """The words at which fields begin."""
        self.func_places: dict[int, int] = {}
        """The funcidx by the word after the id, or where an id would be."""
        self.bodies: list[range] = []
        """The words of each function's definition."""

    def module(self, module_id: str | None, name: str) -> Module:
        """Parse all fields up to a `)` or the end of the text."""
        cursor, first = self.cursor, self.cursor.at
        self._collect_names()
        last = cursor.at
        cursor.at = first
        while cursor.words[cursor.at] == "(":
            self.fields.append(cursor.at)
            cursor.at += 1
            field = FIELDS.get(cursor.words[cursor.at])
            if field is None:
                cursor.fail("a field of a module")
            cursor.at += 1
            field(self)
            cursor.expect(")")
        return Module(
            types=tuple(self.scope.types),
            imports=tuple(self.imports),
            funcs=tuple(self.funcs),
            tables=tuple(self.tables),
            mems=tuple(self.mems),
            tags=tuple(self.tags),
            globals=tuple(self.globals),
            exports=tuple(self.exports),
            start=self.start,
            elems=tuple(self.elems),
            datas=tuple(self.datas),
            data_count=len(self.datas) if self.uses_data else None,
            customs=self._customs(module_id, first, last),
            name=name,
            features=tuple(cursor.features),
        )

    def _customs(self, module_id: str | None, first: int, last: int) -> tuple[Custom, ...]:
        found = Annotations(self.cursor.tokens, first, last)
        customs = found.customs((*self.fields, last))
        module_name, func_names = found.names(self.func_places)
        found.check_hints(self.bodies)
        named = self.scope.spaces["func"].names() | func_names
        names = name_section(module_name or module_id, named, self.local_names)
        if names is not None and all(c.name != "name" for c in customs):
            customs.append(Custom("name", names))
        return tuple(customs)

    # First reading: names and types.

    def _collect_names(self) -> None:
        cursor, spaces = self.cursor, self.scope.spaces
        groups: list[list[int]] = []
        while cursor.words[cursor.at] == "(":
            at, keyword = cursor.at, cursor.words[cursor.at + 1]
            cursor.skip()
            after = cursor.at
            cursor.at = at + 2
            if keyword == "import" and after - at > _IMPORT_KIND:
                keyword = cursor.words[at + _IMPORT_KIND]
                cursor.at = at + _IMPORT_KIND + 1
            space = spaces.get(keyword)
            if space is not None:
                self._define(space)
                if keyword == "type":
                    groups.append([cursor.at])
                elif keyword in _SEGMENTS and self._holds(_SEGMENTS[keyword], after):
                    spaces[_SEGMENTS[keyword]].define(None)
            elif keyword == "rec":
                groups.append(self._collect_group())
            cursor.at = after
        after = cursor.at
        for group in groups:
            self._rectype(group)
        cursor.at = after

    def _collect_group(self) -> list[int]:
        """Define the names in a recursive group. Returns the positions of its definitions."""
        cursor, found = self.cursor, []
        while cursor.opens("type"):
            at = cursor.at
            cursor.at += 2
            self._define(self.scope.spaces["type"])
            found.append(cursor.at)
            cursor.at = at
            cursor.skip()
        if cursor.words[cursor.at] != ")":
            cursor.fail("'(type'")
        return found

    def _define(self, space: Space) -> None:
        if self.cursor.words[self.cursor.at].startswith("$"):
            self.cursor.read(lambda word: space.define(identifier(word)))
        else:
            space.define(None)

    def _holds(self, keyword: str, after: int) -> bool:
        """Whether the field that ends before `after` has a child `(keyword`."""
        cursor = self.cursor
        while cursor.at < after - 1:
            if cursor.opens(keyword):
                return True
            if cursor.words[cursor.at] == "(":
                cursor.skip()
            else:
                cursor.at += 1
        return False

    def _rectype(self, places: list[int]) -> None:
        cursor = self.cursor
        subtypes: list[SubType] = []
        for cursor.at in places:
            fields = self.scope.fields[len(self.scope.subtypes) + len(subtypes)] = Space("field")
            subtypes.append(cursor.subtype(fields.define))
            cursor.expect(")")
        self.scope.add_types(RecType(tuple(subtypes)))

    # Second reading: everything, in order.

    def _type(self) -> None:
        """Skip a type: the first reading has defined it."""
        self.cursor.optional_id()
        self._skip_all()

    def _rec(self) -> None:
        """Skip a recursive group: the first reading has defined its types."""
        self._skip_all()

    def _skip_all(self) -> None:
        """Skip lists, as many as come."""
        while self.cursor.words[self.cursor.at] == "(":
            self.cursor.skip()

    def _import(self) -> None:
        cursor = self.cursor
        at = cursor.at - 1
        module, name = cursor.name(), cursor.name()
        cursor.expect("(")
        kind = _KINDS.get(cursor.words[cursor.at])
        if kind is None:
            cursor.fail("what to import")
        cursor.at += 1
        cursor.optional_id()
        if kind is ExternKind.FUNC:
            self.func_places[cursor.at] = self.indices[kind]
        self._imported(module, name, kind, at)
        cursor.expect(")")

    def _imported(self, module: str, name: str, kind: ExternKind, at: int) -> None:
        """Read the type of an import, and add the import."""
        defined = {
            "function": self.funcs, "table": self.tables, "memory": self.mems,
            "tag": self.tags, "global": self.globals,
        }  # fmt: skip
        for what, definitions in defined.items():
            if definitions:
                raise self.cursor.error(f"import after {what}", at)
        exact = kind is ExternKind.FUNC and self.cursor.enter("exact")
        type_ = _EXTERN_TYPES[kind](self)
        if exact:
            self.cursor.expect(")")
        self.imports.append(Import(module, name, kind, type_, exact))
        self.indices[kind] += 1

    def _import_func(self) -> int:
        names = Space("local")
        typeidx = typeuse(self.cursor, self.scope, names.define)
        self._name_locals(names)
        return typeidx

    def _abbreviated(self, kind: ExternKind) -> bool:
        """Read id and inline exports, then an inline import; returns whether there is one, which ends the
        definition.

        https://webassembly.github.io/spec/core/text/modules.html#abbreviations
        """
        cursor = self.cursor
        cursor.optional_id()
        if kind is ExternKind.FUNC:
            self.func_places[cursor.at] = self.indices[kind]
        while cursor.enter("export"):
            self.exports.append(Export(cursor.name(), kind, self.indices[kind]))
            cursor.expect(")")
        if not cursor.enter("import"):
            return False
        at = cursor.at - 1
        module, name = cursor.name(), cursor.name()
        cursor.expect(")")
        self._imported(module, name, kind, at)
        return True

    def _func(self) -> None:
        if self._abbreviated(ExternKind.FUNC):
            return
        names = Space("local")
        typeidx = typeuse(self.cursor, self.scope, names.define)
        locals_ = self.cursor.params("local", names.define)
        parser = InstructionParser(self.cursor, self.scope, names)
        body = parser.body()
        self.bodies.append(range(self.fields[-1], self.cursor.at))
        if self.indices[ExternKind.FUNC] == self.located:
            self.places = parser.places
        self.uses_data = self.uses_data or parser.uses_data
        self._name_locals(names)
        self.funcs.append(Func(typeidx, runs(locals_), lambda _: body))
        self.indices[ExternKind.FUNC] += 1

    def _name_locals(self, names: Space) -> None:
        if names.indices:
            self.local_names[self.indices[ExternKind.FUNC]] = names.names()

    def _table(self) -> None:
        if self._abbreviated(ExternKind.TABLE):
            return
        cursor, at = self.cursor, self.cursor.at
        addrtype = cursor.addrtype()
        if cursor.has_reftype():
            element = cursor.reftype()
            if not cursor.enter("elem"):
                cursor.fail("'(elem'")
            bare = cursor.has_index()
            init = self._funcidxs() if bare else self._elem_exprs(element)
            cursor.expect(")")
            self._active_elem(SOME_FUNC if bare and element == FUNCREF else element, init, addrtype)
            self.tables.append(Table(TableType(element, SizeRange(len(init), len(init)), addrtype)))
        else:
            cursor.at = at
            type_ = cursor.tabletype()
            has_init = cursor.words[cursor.at] != ")"
            self.tables.append(Table(type_, self._expression() if has_init else None))
        self.indices[ExternKind.TABLE] += 1

    def _active_elem(self, element: RefType, init: tuple[Body, ...], addrtype: NumType) -> None:
        self.elems.append(Elem(element, init, Active(self.indices[ExternKind.TABLE], _ZERO[addrtype])))

    def _memory(self) -> None:
        if self._abbreviated(ExternKind.MEMORY):
            return
        at, addrtype = self.cursor.at, self.cursor.addrtype()
        page = self.cursor.pagesize()
        if self.cursor.enter("data"):
            init = self.cursor.strings()
            self.cursor.expect(")")
            pages = -(-len(init) // page)
            self.datas.append(Data(init, Active(self.indices[ExternKind.MEMORY], _ZERO[addrtype])))
            self.mems.append(MemType(SizeRange(pages, pages), addrtype, page=page))
        else:
            self.cursor.at = at
            self.mems.append(self.cursor.memtype())
        self.indices[ExternKind.MEMORY] += 1

    def _tag(self) -> None:
        if self._abbreviated(ExternKind.TAG):
            return
        self.tags.append(Tag(self._tagtype()))
        self.indices[ExternKind.TAG] += 1

    def _tagtype(self) -> int:
        return typeuse(self.cursor, self.scope, Space("parameter").define)

    def _global(self) -> None:
        if self._abbreviated(ExternKind.GLOBAL):
            return
        type_ = self.cursor.globaltype()
        self.globals.append(Global(type_, self._expression()))
        self.indices[ExternKind.GLOBAL] += 1

    def _export(self) -> None:
        cursor = self.cursor
        name = cursor.name()
        cursor.expect("(")
        kind = _KINDS.get(cursor.words[cursor.at])
        if kind is None:
            cursor.fail("what to export")
        cursor.at += 1
        self.exports.append(Export(name, kind, cursor.index(self.scope.spaces[kind.keyword])))
        cursor.expect(")")

    def _start(self) -> None:
        if self.start is not None:
            raise self.cursor.error("multiple start sections", self.cursor.at - 1)
        self.start = self.cursor.index(self.scope.spaces["func"])

    def _expression(self) -> Body:
        """Instructions up to a `)`."""
        return InstructionParser(self.cursor, self.scope).body()

    def _wrapped(self, keyword: str) -> Body:
        """Read `(keyword expr)`, or one instruction in parentheses."""
        if not self.cursor.enter(keyword):
            return InstructionParser(self.cursor, self.scope).folded()
        body = self._expression()
        self.cursor.expect(")")
        return body

    def _use(self, keyword: str) -> int:
        """Read an optional `(table x)` or `(memory x)`, or the index alone as in older texts; the default
        is 0."""
        if self.cursor.has_index():
            return self.cursor.index(self.scope.spaces[keyword])
        if not self.cursor.enter(keyword):
            return 0
        index = self.cursor.index(self.scope.spaces[keyword])
        self.cursor.expect(")")
        return index

    def _elem(self) -> None:
        """https://webassembly.github.io/spec/core/text/modules.html#element-segments"""
        cursor = self.cursor
        cursor.optional_id()
        if cursor.words[cursor.at] == "declare":
            cursor.at += 1
            self.elems.append(Elem(*self._elem_list(), declarative=True))
            return
        if not cursor.has_index() and (cursor.words[cursor.at] != "(" or cursor.has_reftype()):
            self.elems.append(Elem(*self._elem_list()))
            return
        written = cursor.opens("table")
        table = self._use("table")
        mode = Active(table, self._wrapped("offset"))
        if not written and (cursor.has_index() or cursor.words[cursor.at] == ")"):
            self.elems.append(Elem(SOME_FUNC, self._funcidxs(), mode))
        else:
            self.elems.append(Elem(*self._elem_list(), mode))

    def _elem_list(self) -> tuple[RefType, tuple[Body, ...]]:
        cursor = self.cursor
        if cursor.words[cursor.at] == "func":
            cursor.at += 1
            return SOME_FUNC, self._funcidxs()
        element = cursor.reftype()
        return element, self._elem_exprs(element)

    def _funcidxs(self) -> tuple[Body, ...]:
        functions, init = self.scope.spaces["func"], []
        while self.cursor.has_index():
            funcidx = self.cursor.index(functions)
            init.append(Body((OPS["ref.func"], OPS["end"]), (funcidx, None)))
        return tuple(init)

    def _elem_exprs(self, element: RefType) -> tuple[Body, ...]:
        init = []
        while self.cursor.words[self.cursor.at] == "(":
            init.append(self._wrapped("item"))
        return tuple(init)

    def _data(self) -> None:
        cursor = self.cursor
        cursor.optional_id()
        mode = None
        if cursor.words[cursor.at] == "(" or cursor.has_index():
            memory = self._use("memory")
            mode = Active(memory, self._wrapped("offset"))
        self.datas.append(Data(cursor.strings(), mode))


def runs(locals_: list[ValType]) -> tuple[tuple[int, ValType], ...]:
    """Runs of equal types as (count, type), as in the binary format."""
    counted: list[tuple[int, ValType]] = []
    for type_ in locals_:
        if counted and counted[-1][1] == type_:
            counted[-1] = (counted[-1][0] + 1, type_)
        else:
            counted.append((1, type_))
    return tuple(counted)


_EXTERN_TYPES: dict[ExternKind, Callable[[ModuleParser], int | TableType | MemType | GlobalType]] = {
    ExternKind.FUNC: ModuleParser._import_func,
    ExternKind.TABLE: lambda parser: parser.cursor.tabletype(),
    ExternKind.MEMORY: lambda parser: parser.cursor.memtype(),
    ExternKind.GLOBAL: lambda parser: parser.cursor.globaltype(),
    ExternKind.TAG: ModuleParser._tagtype,
}

FIELDS: dict[str, Callable[[ModuleParser], Any]] = {
    "type": ModuleParser._type,
    "rec": ModuleParser._rec,
    "import": ModuleParser._import,
    "func": ModuleParser._func,
    "table": ModuleParser._table,
    "memory": ModuleParser._memory,
    "tag": ModuleParser._tag,
    "global": ModuleParser._global,
    "export": ModuleParser._export,
    "start": ModuleParser._start,
    "elem": ModuleParser._elem,
    "data": ModuleParser._data,
}

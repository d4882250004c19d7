"""`module.Module` to text: standard, indented, one instruction a line.

Parsing the output gives an equal module, except for details that the text format can't express: an unneeded
data count, and adjacent runs of locals of the same type. What is here: fields, types, and one printer for
each kind of immediate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

from ...errors import InvalidError
from ...printable import LONGEST
from ..instructions import Imm, Op
from ..module import BlockType, Body, Catch, Custom, Data, Elem, Func, MemArg, Module
from ..names import Names
from ..types import SOME_FUNC, CompType, ExternKind, FuncType, RefType, SubType, ValType
from .instructions import OPTIONAL, TYPED, natural_align
from .literals import bytes_text, float_text, id_text, integer_text, name_text, vector_text
from .names import name_section

_INDENT = "  "
_DEEPEST = 40
"""The maximum of indentation levels: code nested a million deep must not print as 10^12 spaces."""
_MOST_LOCALS = 10_000_000
"""The maximum of locals in a module that are printed: the binary format has counts, the text has not."""
_MOST_VALUES = 64
"""The maximum of parameters and results that are repeated where a type is used."""
_DATA_LINE = 64
"""Bytes of data on one line."""
_MNEMONICS = {row: mnemonic for mnemonic, row in TYPED.items()}


def print_module(module: Module) -> str:
    """The module as text.

    Raises MalformedError if a body can't be decoded, InvalidError if it has too many locals to print.
    """
    return "\n".join(Printer(module).lines()) + "\n"


def print_instruction(op: Op, imm: Any, module: Module | None = None) -> str:
    """One instruction, such as "local.get 0"; with a module, functions by name. For many, keep a
    `Printer`."""
    return Printer(module or Module()).instruction(op, imm)


class Printer:
    """Prints the parts of one module."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.names = Names(module, shown=str)

    def instruction(self, op: Op, imm: Any) -> str:
        """One instruction and its immediates."""
        mnemonic = _MNEMONICS.get(op.name, op.name)
        kinds = op.imms
        if not kinds:
            return mnemonic
        if len(kinds) == 1:
            return f"{mnemonic} {text}" if (text := PRINTERS[kinds[0]](self, imm, op)) else mnemonic
        parts = list(zip(kinds, imm, strict=True))
        # Optional indices, which default to 0, come first; they are left out only together.
        optional = [part for part in parts if part[0] in OPTIONAL]
        kept = optional if any(value for _, value in optional) else []
        order = kept + [part for part in parts if part[0] not in OPTIONAL]
        texts = (PRINTERS[kind](self, value, op) or "0" * (kind in OPTIONAL) for kind, value in order)
        return " ".join(filter(None, [mnemonic, *texts]))

    def func(self, funcidx: int) -> str:
        """A function's id if it has a unique one, else its index."""
        name = self._func_ids.get(funcidx)
        return str(funcidx) if name is None else id_text(name)

    @cached_property
    def _func_ids(self) -> dict[int, str]:
        return _distinct(self.names.functions, len(self.module.func_typeidxs))

    def blocktype(self, type_: BlockType) -> str:
        """Type of a block; parameters and results are repeated if the module has the type."""
        if type_.typeidx is not None:
            return self.typeuse(type_.typeidx)
        return "" if type_.result is None else f"(result {type_.result})"

    def typeuse(self, typeidx: int) -> str:
        """A type by index, followed by its parameters and results."""
        return " ".join(filter(None, [f"(type {typeidx})", self._signature(typeidx, {})]))

    def _signature(self, typeidx: int, names: dict[int, str]) -> str:
        if not self._repeats(typeidx):
            return ""
        return " ".join(_parts(self._func_type(typeidx) or FuncType(), names))

    def _repeats(self, typeidx: int) -> bool:
        """Whether uses of a type repeat it. Long types aren't repeated: a million uses would make the text
        huge."""
        type_ = self._func_type(typeidx)
        return type_ is not None and len(type_.params) + len(type_.results) <= _MOST_VALUES

    def _func_type(self, typeidx: int) -> FuncType | None:
        """The function type at this index as written, None if it is another kind of type."""
        subtypes = self.module.subtypes
        type_ = subtypes[typeidx].composite if typeidx < len(subtypes) else None
        return type_ if isinstance(type_, FuncType) else None

    def lines(self) -> Iterator[str]:
        """The module, line by line."""
        module_name = self.names.module
        yield f"(module {id_text(module_name)}" if module_name else "(module"
        fields = (
            self._types(), self._imports(), self._funcs(), self._tables(), self._memories(), self._tags(),
            self._globals(), self._exports(), self._start(), self._elems(), self._datas(), self._customs(),
        )  # fmt: skip
        for lines in fields:
            for line in lines:
                yield _INDENT + line
        yield ")"

    def _types(self) -> Iterator[str]:
        index = 0
        for rectype in self.module.types:
            lines = []
            for subtype in rectype.subtypes:
                lines.append(f"(type (;{index};) {subtype_text(subtype)})")
                index += 1
            if len(lines) == 1:
                yield lines[0]
                continue
            yield "(rec"
            for line in lines:
                yield _INDENT + line
            yield ")"

    def _imports(self) -> Iterator[str]:
        counts: Counter[ExternKind] = Counter()
        for entry in self.module.imports:
            index = counts[entry.kind]
            counts[entry.kind] += 1
            if not isinstance(entry.type, int):
                what = f"{entry.kind.keyword} (;{index};) {entry.type}"
            elif entry.kind is ExternKind.TAG:
                what = f"tag (;{index};) {self.typeuse(entry.type)}"
            else:
                what = f"func {self._func_head(index, entry.type, entry.exact)}"
            yield f"(import {name_text(entry.module)} {name_text(entry.name)} ({what}))"

    def _func_head(self, funcidx: int, typeidx: int, exact: bool = False) -> str:
        name, signature = self._func_ids.get(funcidx), self._signature(typeidx, self._local_ids(funcidx))
        use = " ".join(filter(None, ["exact" * exact, f"(type {typeidx})", signature]))
        parts = [id_text(name) if name else "", f"(;{funcidx};)", f"({use})" if exact else use]
        return " ".join(filter(None, parts))

    def _local_ids(self, funcidx: int) -> dict[int, str]:
        if not self._repeats(self.module.func_typeidxs[funcidx]):
            return {}
        return _distinct(self.names.locals.get(funcidx, {}), self._local_count(funcidx))

    def _local_count(self, funcidx: int) -> int:
        """The number of parameters and locals of a function."""
        type_ = self._func_type(self.module.func_typeidxs[funcidx]) or FuncType()
        index = funcidx - self.module.imported_funcs
        runs = self.module.funcs[index].locals if index >= 0 else ()
        return len(type_.params) + sum(count for count, _ in runs)

    def _funcs(self) -> Iterator[str]:
        total = sum(count for func in self.module.funcs for count, _ in func.locals)
        if total > _MOST_LOCALS:
            raise InvalidError(f"too many locals to write out: {total}")
        for funcidx, func in enumerate(self.module.funcs, self.module.imported_funcs):
            head = f"(func {self._func_head(funcidx, func.typeidx)}"
            lines = [*self._locals(funcidx, func), *self._body(func.body)]
            yield head if lines else head + ")"
            for line in lines:
                yield _INDENT + line
            if lines:
                yield ")"

    def _locals(self, funcidx: int, func: Func) -> Iterator[str]:
        type_ = self._func_type(func.typeidx)
        first = len(type_.params) if type_ else 0
        names = {index - first: name for index, name in self._local_ids(funcidx).items() if index >= first}
        flat = [type_ for count, type_ in func.locals for _ in range(count)]
        if flat:
            yield " ".join(_declared("local", flat, names))

    def _body(self, body: Body) -> Iterator[str]:
        """The instructions of a function without the final `end`; comments name the target block of
        branches."""
        depth = 0
        for op, imm in list(body)[:-1]:
            text = self.instruction(op, imm)
            depth -= op.closes
            line = _INDENT * min(depth, _DEEPEST) + text
            if Imm.BLOCKTYPE in op.imms:
                line += f"  ;; label = @{depth + 1}"
            elif Imm.LABEL in op.imms and isinstance(imm, int) and imm < depth:
                line += f" (;@{depth - imm};)"
            depth += op.opens
            yield line

    def _tables(self) -> Iterator[str]:
        first = len(self.module.imported(ExternKind.TABLE))
        for index, table in enumerate(self.module.tables, first):
            init = "" if table.init is None else self._expression(table.init)
            yield " ".join(filter(None, [f"(table (;{index};) {table.type}", init])) + ")"

    def _memories(self) -> Iterator[str]:
        first = len(self.module.imported(ExternKind.MEMORY))
        for index, type_ in enumerate(self.module.mems, first):
            yield f"(memory (;{index};) {type_})"

    def _tags(self) -> Iterator[str]:
        first = len(self.module.imported(ExternKind.TAG))
        for index, tag in enumerate(self.module.tags, first):
            yield f"(tag (;{index};) {self.typeuse(tag.typeidx)})"

    def _globals(self) -> Iterator[str]:
        first = len(self.module.imported(ExternKind.GLOBAL))
        for index, entry in enumerate(self.module.globals, first):
            yield (
                " ".join(filter(None, [f"(global (;{index};) {entry.type}", self._expression(entry.init)]))
                + ")"
            )

    def _exports(self) -> Iterator[str]:
        for entry in self.module.exports:
            index = self.func(entry.index) if entry.kind is ExternKind.FUNC else str(entry.index)
            yield f"(export {name_text(entry.name)} ({entry.kind.keyword} {index}))"

    def _start(self) -> Iterator[str]:
        if self.module.start is not None:
            yield f"(start {self.func(self.module.start)})"

    def _elems(self) -> Iterator[str]:
        for index, elem in enumerate(self.module.elems):
            mode = ["declare"] if elem.declarative else self._active("table", elem)
            yield f"(elem {' '.join([f'(;{index};)', *mode, *self._elem_list(elem)])})"

    def _elem_list(self, elem: Elem) -> list[str]:
        if elem.type == SOME_FUNC and all(
            [op.name for op in b.ops] == ["ref.func", "end"] for b in elem.init
        ):
            return ["func", *(self.func(body.imms[0]) for body in elem.init)]
        return [str(elem.type), *(self._wrapped("item", body) for body in elem.init)]

    def _active(self, space: str, segment: Elem | Data) -> list[str]:
        """The table or memory of an active segment, and the offset."""
        if segment.mode is None:
            return []
        index = [f"({space} {segment.mode.index})"] if segment.mode.index else []
        return [*index, self._wrapped("offset", segment.mode.offset)]

    def _expression(self, body: Body) -> str:
        """Instructions of a constant expression, on one line."""
        texts = [self.instruction(op, imm) for op, imm in list(body)[:-1]]
        return f"({texts[0]})" if len(texts) == 1 else " ".join(texts)

    def _wrapped(self, keyword: str, body: Body) -> str:
        """`(keyword ...)`; a single instruction doesn't need it."""
        text = self._expression(body)
        return text if len(body.ops) == 2 else f"({keyword} {text})"

    def _datas(self) -> Iterator[str]:
        for index, data in enumerate(self.module.datas):
            head = " ".join(["(data", f"(;{index};)", *self._active("memory", data)])
            lines = list(_data_lines(data.init))
            if len(lines) <= 1:
                yield " ".join([head, *lines]) + ")"
                continue
            yield head
            for line in lines:
                yield _INDENT + line
            yield ")"

    def _customs(self) -> Iterator[str]:
        """Custom sections, except a name section that the printed ids will produce again."""
        for custom in self.module.customs[:-1] if self._ids_say_names() else self.module.customs:
            yield f"(@custom {name_text(custom.name)} {bytes_text(custom.data)})"

    def _ids_say_names(self) -> bool:
        module = self.module
        locals_ = {}
        for funcidx in range(len(module.func_typeidxs)):
            if ids := self._local_ids(funcidx):
                locals_[funcidx] = ids
        section = name_section(self.names.module or None, self._func_ids, locals_)
        named = [custom for custom in module.customs if custom.name == "name"]
        return section is not None and named == [Custom("name", section)] == list(module.customs[-1:])


def subtype_text(type_: SubType) -> str:
    """A type definition."""
    text = composite_text(type_.composite)
    for clause, other in (("descriptor", type_.descriptor), ("describes", type_.describes)):
        text = text if other is None else f"({clause} {other}) {text}"
    if type_.final and not type_.supers:
        return text
    return f"({' '.join(['sub', *['final'] * type_.final, *map(str, type_.supers), text])})"


def composite_text(type_: CompType) -> str:
    return f"({' '.join(['func', *_parts(type_, {})])})" if isinstance(type_, FuncType) else str(type_)


def _parts(type_: FuncType, names: dict[int, str]) -> list[str]:
    return [*_declared("param", type_.params, names), *_declared("result", type_.results, {})]


def _declared(keyword: str, types: Iterable[ValType], names: dict[int, str]) -> list[str]:
    """Parameters, results or locals: each named one separately, adjacent unnamed ones together."""
    groups: list[list[str]] = []
    together = False
    for index, type_ in enumerate(types):
        name = names.get(index)
        if name is not None:
            groups.append([id_text(name), str(type_)])
        elif together:
            groups[-1].append(str(type_))
        else:
            groups.append([str(type_)])
        together = name is None
    return [f"({keyword} {' '.join(group)})" for group in groups]


def _data_lines(data: bytes) -> Iterator[str]:
    for start in range(0, len(data), _DATA_LINE):
        yield bytes_text(data[start : start + _DATA_LINE])


def _distinct(names: dict[int, str], size: int) -> dict[int, str]:
    """Names that can be ids: non-empty, not very long, unique, and of an existing index."""
    counts = Counter(names.values())
    return {
        index: name
        for index, name in names.items()
        if 0 < len(name) <= LONGEST and counts[name] == 1 and index < size
    }


def _memarg(memarg: MemArg, op: Op) -> str:
    parts = [str(memarg.memidx)] if memarg.memidx else []
    parts += [f"offset={memarg.offset}"] if memarg.offset else []
    parts += [f"align={1 << memarg.align}"] if memarg.align != natural_align(op) else []
    return " ".join(parts)


def _catch(clause: Catch) -> str:
    keyword = ("catch" if clause.tagidx is not None else "catch_all") + ("_ref" if clause.ref else "")
    tag = "" if clause.tagidx is None else f"{clause.tagidx} "
    return f"({keyword} {tag}{clause.label})"


PRINTERS: dict[Imm, Callable[[Printer, Any, Op], str]] = {
    Imm.LABEL: lambda printer, imm, op: str(imm),
    Imm.LABELS: lambda printer, imm, op: " ".join(map(str, imm)),
    Imm.LOCAL: lambda printer, imm, op: str(imm),
    Imm.GLOBAL: lambda printer, imm, op: str(imm),
    Imm.FUNC: lambda printer, imm, op: printer.func(imm),
    Imm.TABLE: lambda printer, imm, op: str(imm or ""),
    Imm.MEMORY: lambda printer, imm, op: str(imm or ""),
    Imm.TYPE: lambda printer, imm, op: printer.typeuse(imm),
    Imm.TAG: lambda printer, imm, op: str(imm),
    Imm.ELEM: lambda printer, imm, op: str(imm),
    Imm.DATA: lambda printer, imm, op: str(imm),
    Imm.BLOCKTYPE: lambda printer, imm, op: printer.blocktype(imm),
    Imm.CATCHES: lambda printer, imm, op: " ".join(map(_catch, imm)),
    Imm.MEMARG: lambda printer, imm, op: _memarg(imm, op),
    Imm.HEAPTYPE: lambda printer, imm, op: str(imm),
    Imm.TYPEIDX: lambda printer, imm, op: str(imm),
    Imm.FIELD: lambda printer, imm, op: f"{imm.typeidx} {imm.fieldidx}",
    Imm.COUNT: lambda printer, imm, op: str(imm),
    Imm.CASTTYPE: lambda printer, imm, op: str(RefType(imm, op.takes_null)),
    Imm.CAST: lambda printer, imm, op: f"{imm.label} {imm.source} {imm.target}",
    Imm.VALTYPES: lambda printer, imm, op: f"(result {' '.join(map(str, imm))})",
    Imm.I32: lambda printer, imm, op: integer_text(imm, 32),
    Imm.I64: lambda printer, imm, op: integer_text(imm, 64),
    Imm.F32: lambda printer, imm, op: float_text(imm, 32),
    Imm.F64: lambda printer, imm, op: float_text(imm, 64),
    Imm.V128: lambda printer, imm, op: vector_text(imm),
    Imm.LANE: lambda printer, imm, op: str(imm),
    Imm.LANES: lambda printer, imm, op: " ".join(map(str, imm)),
    Imm.ZERO: lambda printer, imm, op: "",
}

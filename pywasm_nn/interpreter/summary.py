"""A summary of a module in lines of text: imports, exports, and the features of WebAssembly that it uses.

What is not here: the module as text (`text.printer`), and the meaning of its imports to a host.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..errors import WasmError
from ..limits import PAGE
from ..markup import paragraph, table
from ..printable import printable
from .instructions import Op
from .module import Module
from .types import I64, ExternKind

SCALARS = ("i32", "i64")
LANES = ("i8x16", "i16x8", "i32x4", "i64x2", "f32x4", "f64x2")
AGGREGATES = ("struct", "array", "i31", "any", "extern")
DESCRIPTORS = "custom descriptors"
LEGACY_EXCEPTIONS = "legacy exceptions"
RELAXED = (0xFD, 0x100)
"""The first code of relaxed SIMD, which has those behind it of the prefix."""
BULK = ("memory.copy", "memory.fill", "memory.init", "data.drop", "table.copy", "table.init", "elem.drop")
REFERENCES = ("ref.null", "ref.is_null", "ref.func", "select_t")
TABLES = ("get", "set", "grow", "size", "fill")
TAIL_CALLS = ("return_call", "return_call_indirect", "return_call_ref")
TYPED = ("call_ref", "return_call_ref", "ref.as_non_null", "br_on_null", "br_on_non_null")
EXCEPTIONS = ("throw", "throw_ref", "try_table")
CASTS = ("br_on_cast", "br_on_cast_fail")
BY_INSTRUCTION: dict[str, Callable[[Op], bool]] = {
    "sign extension": lambda op: op.verb == "extend" and op.part > 0 and op.kind in SCALARS,
    "saturating conversions": lambda op: op.verb == "trunc_sat" and op.kind in SCALARS,
    "bulk memory": lambda op: op.name in BULK,
    "reference types": lambda op: op.name in REFERENCES or (op.kind == "table" and op.verb in TABLES),
    "SIMD": lambda op: op.kind == "v128" or op.kind in LANES,
    "relaxed SIMD": lambda op: op.code[0] == RELAXED[0] and op.code >= RELAXED,
    "atomics": lambda op: op.feature == "threads",
    "wide arithmetic": lambda op: op.feature == "wide-arithmetic",
    DESCRIPTORS: lambda op: op.feature == "custom-descriptors",
    "tail calls": lambda op: op.name in TAIL_CALLS,
    "exceptions": lambda op: op.name in EXCEPTIONS,
    LEGACY_EXCEPTIONS: lambda op: op.feature == "legacy-exceptions",
    "typed function references": lambda op: op.name in TYPED,
    "garbage collection": lambda op: (
        op.kind in AGGREGATES
        or (op.kind == "ref" and op.verb in ("i31", "eq", "test", "cast"))
        or op.name in CASTS
    ),
}
"""Features that are newer than the first version of WebAssembly, by their instructions."""


def imports_of(module: Module) -> Iterator[tuple[str, str, str, str]]:
    """Kind, unescaped module and name, and type of every import."""
    for imp in module.import_types:
        yield imp.kind.keyword, imp.module, imp.name, imp.type_text


def exports_of(module: Module) -> Iterator[tuple[str, str, str]]:
    """Kind, unescaped name, and type of every export."""
    for export in module.export_types:
        yield export.kind.keyword, export.name, str(export.type)


def features_of(module: Module) -> list[str]:
    """Features of the module's instructions and types beyond the first version. Raises MalformedError if a
    body can't be decoded."""
    used = {op for func in module.funcs for op in func.body.ops}
    found = [feature for feature, has in BY_INSTRUCTION.items() if any(map(has, used))]
    described = any(type_.descriptor is not None for type_ in module.subtypes)
    if DESCRIPTORS not in found and (described or any(wanted.exact for wanted in module.imports)):
        found.append(DESCRIPTORS)
    if any(len(getattr(type_.composite, "results", ())) > 1 for type_ in module.subtypes):
        found.append("multi-value")
    if len(module.mem_types) > 1:
        found.append("multi-memory")
    addrtypes = [mem.addrtype for mem in module.mem_types] + [table.addrtype for table in module.table_types]
    if I64 in addrtypes:
        found.append("64-bit memories and tables")
    if any(mem.page != PAGE for mem in module.mem_types):
        found.append("custom page sizes")
    shared = [i.type for i in module.imported(ExternKind.GLOBAL)]
    shared += [module.global_types[e.index] for e in module.exports if e.kind is ExternKind.GLOBAL]
    if any(getattr(type_, "mutable", False) for type_ in shared):
        found.append("mutable globals in and out")
    return found


def html(module: Module) -> str:
    """The summary for a notebook."""
    try:
        features = ", ".join(features_of(module)) or "none beyond the first version"
    except WasmError as error:
        features = f"unknown, {error}"
    exports, imports = (
        (tuple(map(printable, row)) for row in rows) for rows in (exports_of(module), imports_of(module))
    )
    exported = table(("export", "name", "type"), exports, len(module.exports))
    imported = table(("import", "module", "name", "type"), imports, len(module.imports))
    return (
        paragraph(f"{printable(module.name) or 'module'}: {sizes_of(module)}; features: {features}")
        + exported
        + imported
    )


def sizes_of(module: Module) -> str:
    """The size of the module in a few words."""
    count, size = len(module.funcs), sum(len(data.init) for data in module.datas)
    return f"{count} function{'s' * (count != 1)}, {size} byte{'s' * (size != 1)} of data"

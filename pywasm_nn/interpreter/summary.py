"""A summary of a module in lines of text: imports, exports, and the features of WebAssembly that it uses.

What is not here: the module as text (`text.printer`), and the meaning of its imports to a host.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import WasmError
from ..markup import paragraph, table
from ..printable import printable
from .module import Module
from .types import I64, ExternKind

FEATURES_BY_PREFIX = {
    "sign extension": (
        "i32.extend8_s",
        "i32.extend16_s",
        "i64.extend8_s",
        "i64.extend16_s",
        "i64.extend32_s",
    ),
    "saturating conversions": ("i32.trunc_sat", "i64.trunc_sat"),
    "bulk memory": ("memory.copy", "memory.fill", "memory.init", "data.drop", "table.copy", "table.init"),
    "reference types": (
        "ref.null",
        "ref.is_null",
        "ref.func",
        "table.get",
        "table.set",
        "table.grow",
        "table.size",
        "table.fill",
        "select_t",
    ),
    "SIMD": ("v128.", "i8x16.", "i16x8.", "i32x4.", "i64x2.", "f32x4.", "f64x2."),
    "relaxed SIMD": (
        "i8x16.relaxed_",
        "i16x8.relaxed_",
        "i32x4.relaxed_",
        "f32x4.relaxed_",
        "f64x2.relaxed_",
    ),
    "atomics": ("memory.atomic.", "atomic.fence", "i32.atomic.", "i64.atomic."),
    "tail calls": ("return_call",),
    "exceptions": ("throw", "try_table"),
    "typed function references": ("call_ref", "return_call_ref", "ref.as_non_null", "br_on_n"),
    "garbage collection": (
        "struct.",
        "array.",
        "i31.",
        "ref.i31",
        "ref.eq",
        "ref.test",
        "ref.cast",
        "br_on_cast",
        "any.convert_extern",
        "extern.convert_any",
    ),
}
"""Features that are newer than the first version of WebAssembly, by the prefixes of their instructions."""


def imports_of(module: Module) -> Iterator[tuple[str, str, str, str]]:
    """Kind, unescaped module and name, and type of every import."""
    for imp in module.import_types:
        yield imp.kind.keyword, imp.module, imp.name, str(imp.type)


def exports_of(module: Module) -> Iterator[tuple[str, str, str]]:
    """Kind, unescaped name, and type of every export."""
    for export in module.export_types:
        yield export.kind.keyword, export.name, str(export.type)


def features_of(module: Module) -> list[str]:
    """Features of the module's instructions and types beyond the first version. Raises MalformedError if a
    body can't be decoded."""
    used = {op.name for func in module.funcs for op in func.body.ops}
    found = [
        feature
        for feature, beginnings in FEATURES_BY_PREFIX.items()
        if any(name.startswith(beginnings) for name in used)
    ]
    if any(len(getattr(type_.composite, "results", ())) > 1 for type_ in module.subtypes):
        found.append("multi-value")
    if len(module.mem_types) > 1:
        found.append("multi-memory")
    addrtypes = [mem.addrtype for mem in module.mem_types] + [table.addrtype for table in module.table_types]
    if I64 in addrtypes:
        found.append("64-bit memories and tables")
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

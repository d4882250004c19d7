"""`inspect`: what a module wants from outside, what it offers, and which parts of WebAssembly it uses.

What is not here: which imports this host provides (`provided.py`).
"""

from __future__ import annotations

from collections.abc import Iterator

import click

from ..interpreter.module import Module
from ..interpreter.names import printable
from ..interpreter.types import I64, ExternKind
from .failure import Exit
from .load import load
from .terminal import print_text

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
"""Features after the first version of WebAssembly, by the beginnings of their instructions."""
EXTENSIONS = frozenset(
    [
        "load_by_name_with_config",
        "unload",
        "finalize_execution_context",
        "compute_single",
        "get_output_single",
        "fini_single",
    ]
)
"""Functions that WasmEdge added to wasi-nn."""


@click.command(name="inspect")
@click.argument("module")
def command(module: str) -> int:
    """Show imports, exports and features of MODULE, and which dialect of wasi-nn it was built for."""
    loaded = load(module)
    sizes = f"{len(loaded.funcs)} functions, {sum(len(d.init) for d in loaded.datas)} bytes of data"
    print_text(f"{loaded.name}: {sizes}")
    for title, lines in (
        ("imports", list(imports_of(loaded))),
        ("exports", list(exports_of(loaded))),
        ("features", features_of(loaded)),
    ):
        print_text(f"{title}:" + ("" if lines else " none"))
        for line in lines:
            print_text(f"  {line}")
    print_text(f"wasi-nn: {dialect_of(loaded)}")
    return Exit.OK


def imports_of(module: Module) -> Iterator[str]:
    for imp in module.imports:
        what = module.func_type(imp.type) if isinstance(imp.type, int) else imp.type
        yield f"{imp.kind.keyword:<7} {printable(imp.module)} {printable(imp.name)}  {what}"


def exports_of(module: Module) -> Iterator[str]:
    for export in module.exports:
        type_ = module.types_of(export.kind)[export.index]
        yield f"{export.kind.keyword:<7} {printable(export.name)}  {type_}"


def features_of(module: Module) -> list[str]:
    """Features that the module's instructions and types use beyond the first version."""
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


def dialect_of(module: Module) -> str:
    """Which wasi-nn the guest was built for, by the names that it imports."""
    names = {(i.module, i.name) for i in module.imports}
    namespaces = {namespace for namespace, _ in names}
    if "wasi_ephemeral_nn" in namespaces:
        extra = sorted(
            name for namespace, name in names if namespace == "wasi_ephemeral_nn" and name in EXTENSIONS
        )
        ours = ", and functions of pywasm_nn" if "pywasm_nn" in namespaces else ""
        return "WITX (wasi_ephemeral_nn)" + (f" with WasmEdge's {', '.join(extra)}" if extra else "") + ours
    if "wasi_nn" in namespaces:
        return "WAMR's older namespace (wasi_nn)"
    lowered = sorted(namespace for namespace in namespaces if "wasi:nn/" in namespace)
    if lowered:
        version = lowered[0].partition("@")[2] or "without a version"
        mangling = "standard32" if lowered[0].startswith("cm32p2|") else "legacy"
        return f"the component interface (wasi:nn, {version}), {mangling} mangling"
    return "not used"

"""`inspect`: the summary of a module (`interpreter.summary`) and its dialect of wasi-nn; for a component its
world as WIT, its core modules, and the imports that this host lacks.

What is not here: the imports that this host provides (`provided.py`).
"""

from __future__ import annotations

import json
from typing import Any

import click

from ..brief import sized
from ..components import Component
from ..interpreter.module import Module
from ..interpreter.summary import exports_of, features_of, imports_of, sizes_of
from ..printable import printable
from .complete import files
from .failure import Exit
from .load import EVERYTHING, load_any
from .terminal import print_lines, print_text


@click.command(name="inspect")
@click.argument("module", shell_complete=files)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def command(module: str, as_json: bool) -> int:
    """Show imports, exports and features of MODULE, and the dialect of wasi-nn that it was built for."""
    loaded = load_any(module, EVERYTHING)
    if isinstance(loaded, Component):
        show_component(loaded, as_json)
        return Exit.OK
    if as_json:
        print_lines(json.dumps(described(loaded), indent=2))
        return Exit.OK
    print_text(f"{loaded.name}: {sizes_of(loaded)}")
    for title, lines in (
        (
            "imports",
            [
                f"{kind:<7} {printable(space)} {printable(name)}  {type_}"
                for kind, space, name, type_ in imports_of(loaded)
            ],
        ),
        (
            "exports",
            [f"{kind:<7} {printable(name)}  {type_}" for kind, name, type_ in exports_of(loaded)],
        ),
        ("features", features_of(loaded)),
    ):
        print_text(f"{title}:" + ("" if lines else " none"))
        for line in lines:
            print_text(f"  {line}")
    print_text(f"wasi-nn: {dialect_of(loaded)}")
    return Exit.OK


def described(module: Module) -> dict[str, Any]:
    """The same as data; names are unescaped, because JSON escapes them."""
    keys = ("kind", "module", "name", "type")
    return {
        "module": module.name,
        "sizes": sizes_of(module),
        "imports": [dict(zip(keys, row, strict=True)) for row in imports_of(module)],
        "exports": [dict(zip(("kind", "name", "type"), row, strict=True)) for row in exports_of(module)],
        "features": features_of(module),
        "wasi-nn": dialect_of(module),
    }


def show_component(component: Component, as_json: bool) -> None:
    """Print the summary of a component."""
    from ..nn import NN
    from ..wasi import Wasi

    missing = component.missing(Wasi(), NN())
    modules = {module.name: len(module.data) for module in component.core_modules}
    if as_json:
        told = {
            "component": component.name,
            "bytes": len(component.data),
            "imports": list(component.imports),
            "exports": list(component.exports),
            "core modules": modules,
            "missing": missing,
            "wit": component.wit(),
        }
        print_lines(json.dumps(told, indent=2))
        return
    print_text(f"{component.name}: a component of {sized(len(component.data))}")
    print_text(f"core modules:{'' if modules else ' none'}")
    for name, size in modules.items():
        print_text(f"  {sized(size):>9} {name}")
    print_text(f"imports that this host lacks:{'' if missing else ' none'}")
    for one in missing:
        print_text(f"  {one}")
    print_lines(component.wit())


def dialect_of(module: Module) -> str:
    """The dialect of wasi-nn that the guest was built for, by the names of its imports."""
    names = {(i.module, i.name) for i in module.imports}
    namespaces = {namespace for namespace, _ in names}
    if "wasi_ephemeral_nn" in namespaces:
        from ..nn.witx import EXTENSIONS

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

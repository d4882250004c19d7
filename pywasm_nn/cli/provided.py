"""What a module can import here, for somebody whose module wants something else."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches

from ..interpreter.module import Import, Module
from ..printable import printable

MOST = 8
"""So many missing imports are named."""


def namespaces() -> dict[str, Collection[str]]:
    """Functions that the command line provides, by namespace."""
    from ..nn.provider import FACES
    from ..wasi.preview1 import preview1

    functions = set(preview1)
    faces = {name: set(face) for name, face in FACES.items()}
    return {"wasi_snapshot_preview1": functions, "wasi_unstable": functions, **faces}


def help_for(module: Module) -> str:
    """Which imports of a module are missing, and what there is instead; empty if none is."""
    provided = namespaces()
    missing = [i for i in module.imports if i.name not in provided.get(i.module, ())]
    if not missing:
        return ""
    lines = [
        f"missing: {imp.kind.keyword} {printable(imp.module)}::{printable(imp.name)}{meant(imp, provided)}"
        for imp in missing[:MOST]
    ]
    if len(missing) > MOST:
        lines.append(f"... {len(missing) - MOST} more")
    return "\n".join([*lines, *listed(provided)])


def meant(wanted: Import, provided: Mapping[str, Collection[str]]) -> str:
    """What somebody may have meant who wants this."""
    near = get_close_matches(wanted.name, provided.get(wanted.module, ()), 1)
    if near:
        return f" (there is {near[0]})"
    elsewhere = [namespace for namespace, functions in provided.items() if wanted.name in functions]
    nearest = get_close_matches(wanted.module, elsewhere, 1, cutoff=0)
    return f" ({nearest[0]} has it)" if nearest else ""


def listed(namespaces: Iterable[str]) -> list[str]:
    """Namespaces as lines: those of interfaces, which are many, by package and version."""
    plain, versions = list[str](), dict[str, dict[str, None]]()
    for namespace in namespaces:
        package, interface, rest = namespace.partition("/")
        if not interface:
            plain.append(namespace)
        else:
            version = rest.partition("@")[2] or "without a version"
            versions.setdefault(package.rpartition("|")[2], {})[version] = None
    return [
        f"provided here: {', '.join(plain)}",
        *(f"and interfaces of {package}: {', '.join(there)}" for package, there in versions.items()),
    ]

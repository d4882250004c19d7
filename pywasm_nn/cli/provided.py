"""What a module can import here, for somebody whose module wants something else."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

from ..interpreter.module import Module
from ..interpreter.names import printable

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
    """Which imports of a module are missing, and what there is instead."""
    provided = namespaces()
    missing = [i for i in module.imports if i.name not in provided.get(i.module, ())]
    lines = []
    for imp in missing[:MOST]:
        near = get_close_matches(imp.name, provided.get(imp.module, ()), 1)
        hint = f" (there is {near[0]})" if near else ""
        lines.append(f"missing: {imp.kind.keyword} {printable(imp.module)}::{printable(imp.name)}{hint}")
    if len(missing) > MOST:
        lines.append(f"... {len(missing) - MOST} more")
    return "\n".join([*lines, f"provided here: {', '.join(provided)}"])

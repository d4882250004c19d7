"""The imports that this host provides, for messages about modules that need others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches

from ..errors import LinkError
from ..interpreter.module import Import, Module
from ..interpreter.runtime.link import LONGEST_NAME
from ..namespaces import THREAD_SPAWN
from ..printable import printable
from ..records import Frozen
from .failure import Unlinkable
from .host_files import HostFile

ELSEWHERE = {
    "wasmedge_tensorflow": "WasmEdge's TensorFlow of before wasi-nn: build the guest with wasi-nn",
    "wasmedge_tensorflowlite": "WasmEdge's TensorFlow Lite of before wasi-nn: build the guest with wasi-nn",
    "wasmedge_image": "WasmEdge's pictures of before wasi-nn: decode in the guest",
    "wasmedge_process": "WasmEdge's processes, which no guest gets here",
    "wasmedge_httpsreq": "WasmEdge's HTTP requests, which no guest gets here",
    "wasmedge_opencvmini": "WasmEdge's OpenCV: decode in the guest",
    "wasmedge_ffmpeg": "WasmEdge's FFmpeg: decode in the guest",
    "wasmedge_stablediffusion": "WasmEdge's Stable Diffusion: a model of one's own comes as a backend",
    "wasi_ephemeral_crypto_common": "wasi-crypto, which isn't here",
    "wasix_32v1": "WASIX of wasmer: build for wasm32-wasip1",
    "wbg": "wasm-bindgen for JavaScript: build for wasm32-wasip1",
    "__wbindgen_placeholder__": "wasm-bindgen for JavaScript: build for wasm32-wasip1",
    "gojs": "Go for JavaScript: build with GOOS=wasip1",
    "go": "Go for JavaScript: build with GOOS=wasip1",
}
"""Well-known namespaces that this host lacks: what they are, and what to do instead."""
MOST = 8
"""The number of missing imports that a message names."""


class Given(Frozen):
    """What options provide: all names by namespace, and the files of --host."""

    names: Mapping[str, Collection[str]] = {}
    files: Sequence[HostFile] = ()


NOTHING = Given()


def namespaces() -> dict[str, Collection[str]]:
    """Functions that the command line provides, by namespace."""
    from ..component.lowered import core_namespaces
    from ..nn.interfaces import INTERFACES
    from ..nn.provider import FACES
    from ..wasi.p2.world import all_interfaces
    from ..wasi.preview1 import preview1

    functions = set(preview1)
    faces = {name: set(face) for name, face in FACES.items()}
    lowered = core_namespaces({**INTERFACES, **all_interfaces()})
    plain = {
        "wasi_snapshot_preview1": functions,
        "wasi_unstable": functions,
        THREAD_SPAWN[0]: {THREAD_SPAWN[1]},
    }
    return {**plain, **faces, **lowered}


def missing(module: Module, given: Mapping[str, Collection[str]]) -> list[Import]:
    """Imports of a module that neither the command line nor `given` provides."""
    provided = namespaces()
    return [
        imp
        for imp in module.imports
        if imp.name not in provided.get(imp.module, ()) and imp.name not in given.get(imp.module, ())
    ]


def unlinkable(module: Module, error: LinkError, name: str = "", given: Given = NOTHING) -> Unlinkable:
    """The failure to link a module, as a message; `name` distinguishes several modules, `given` is what the
    options provide."""
    wanted = [imp for imp in module.imports if (imp.module, imp.name) in error.missing]
    what = str(error)
    if wanted:
        space, function = (printable(part, LONGEST_NAME) for part in error.missing[0])
        what = f"unknown import {space}::{function}"  # the help names the others
    text = help_for(wanted, module.imports, given)
    return Unlinkable(f"can't link{printable(f' {name}'.rstrip())}: {what}", text, in_lines=True)


def help_for(wanted: Sequence[Import], imports: Sequence[Import], given: Given) -> str:
    """Help about missing imports, of all `imports` of a module; "" if none are missing."""
    if not wanted:
        return ""
    provided = namespaces()
    known = {**provided, **given.names}
    lines = [
        f"missing: {imp.kind.keyword} {printable(imp.module)}::{printable(imp.name)}{meant(imp, known)}"
        for imp in wanted[:MOST]
    ]
    if len(wanted) > MOST:
        lines.append(f"... {len(wanted) - MOST} more")
    spaces = dict.fromkeys(imp.module for imp in wanted)
    lines += renamed(wanted, imports, given.files) or [
        "--preload NAME=MODULE or --host FILE.py provides them, --unknown-imports runs without them"
    ]
    lines += [f"{space} is {ELSEWHERE[space]}" for space in spaces if space in ELSEWHERE]
    return "\n".join([*lines, *listed(provided)])


def renamed(wanted: Sequence[Import], imports: Sequence[Import], files: Iterable[HostFile]) -> list[str]:
    """How functions of --host that aren't given, or in another namespace than the module wants, become those
    that it wants; empty if there are none."""
    lines = []
    for file in files:
        moved = next((imp for imp in wanted if file.expression(imp.name)), None)
        if moved is None:
            continue
        spaces: dict[str, list[str]] = {}
        for imp in [imp for imp in imports if file.expression(imp.name)][:MOST]:
            pair = f'"{printable(imp.name)}": {printable(file.expression(imp.name))}'
            spaces.setdefault(imp.module, []).append(pair)
        text = ", ".join(f'"{printable(space)}": {{{", ".join(pairs)}}}' for space, pairs in spaces.items())
        there = f"{printable(moved.module)}.{printable(moved.name)}"
        lines.append(
            f"{printable(file.reason(moved.name))}; IMPORTS = {{{text}}} at its end provides it as {there}"
        )
    return lines


def meant(wanted: Import, provided: Mapping[str, Collection[str]]) -> str:
    """A similar import that this host provides, in parentheses, or ""."""
    near = get_close_matches(wanted.name, provided.get(wanted.module, ()), 1)
    if near:
        return f" (there is {near[0]})"
    elsewhere = [namespace for namespace, functions in provided.items() if wanted.name in functions]
    nearest = get_close_matches(wanted.module, elsewhere, 1, cutoff=0)
    return f" ({nearest[0]} has it)" if nearest else ""


def listed(namespaces: Iterable[str]) -> list[str]:
    """Namespaces as lines; namespaces of interfaces, which are many, are grouped by package."""
    plain, versions = list[str](), dict[str, dict[str, None]]()
    packages: dict[str, list[str]] = {}
    for namespace in namespaces:
        package, interface, rest = namespace.partition("/")
        if not interface:
            plain.append(namespace)
        else:
            version = rest.partition("@")[2] or "without a version"
            versions.setdefault(package.rpartition("|")[2], {})[version] = None
    for package, there in versions.items():
        names = list(there)
        text = ", ".join(names) if len(names) <= MOST else f"{names[0]} to {names[-1]}"
        packages.setdefault(text, []).append(package)
    return [
        f"provided here: {', '.join(plain)}",
        *(f"and interfaces of {', '.join(names)}: {text}" for text, names in packages.items()),
    ]

"""Imports on the command line besides WASI and inference: other modules (--preload), functions of a Python
file (--host), Emscripten's functions, and stand-ins for the rest (--unknown-imports).

What is not here: WASI and inference themselves, what a Python file gives (`host_files.py`), and reporting
missing imports (`provided.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from ..api import Module, Provider
from ..errors import InvalidError, LinkError, MalformedError, Trap, TrapKind
from ..interpreter.module import Import
from ..interpreter.runtime.instance import Func, Instance
from ..interpreter.runtime.observe import Observer
from ..interpreter.types import ExternKind, FuncType, NumType, ValType
from ..linker import Linker
from . import options
from .asked import Asked
from .emscripten import served
from .failure import Failure
from .host_files import HostFile, Named, together
from .load import EVERYTHING, load
from .provided import Given, missing, unlinkable


def preload(text: str) -> tuple[str, str]:
    """Read NAME=MODULE."""
    name, equals, path = text.partition("=")
    if not name or not equals or not path:
        raise options.misused(f"--preload {text}: write NAME=MODULE, as in math=math.wasm")
    return name, path


@contextmanager
def blaming(paths: Sequence[str]) -> Iterator[None]:
    """A function of these files that can't be an import, for example by its annotations, is a mistake in an
    option."""
    try:
        yield
    except (TypeError, NameError) as error:
        raise options.misused(f"--host {', '.join(paths)}: {error}") from None


def completed(module: Module, found: Named, unknown: str | None) -> Named:
    """Further imports for a module that already has `found`: Emscripten's functions, and stand-ins if asked
    for."""
    more: Named = {}
    for import_ in missing(module, found):
        function = served(module, import_)
        if function is None and unknown and import_.kind is ExternKind.FUNC and isinstance(import_.type, int):
            function = stand_in(import_, module.func_type(import_.type), unknown)
        if function is not None:
            more.setdefault(import_.module, {})[import_.name] = function
    return more


def instance_of(
    module: Module, providers: Sequence[Provider | None], asked: Asked, stack: ExitStack,
    observer: Observer | None, settings: dict[str, Any],
) -> Instance:  # fmt: skip
    """The instance of a module with all imports that the options provide; the stack closes it."""
    linker = stack.enter_context(Linker(*providers, **settings))
    files = [HostFile(path) for path in asked.host]
    found = together(files)
    with blaming(asked.host):
        define(linker, found)
    for name, path in map(preload, asked.preload):
        library = library_at(path)
        define(linker, completed(library, found, asked.unknown_imports))
        try:
            exports = linker.instantiate(library, name).exports
        except LinkError as error:
            raise unlinkable(library, error, path, Given(found, files)) from None
        found.setdefault(name, {}).update((export, exports[export]) for export in exports)
    define(linker, completed(module, found, asked.unknown_imports))
    try:
        return linker.instantiate(module, observer=observer)
    except LinkError as error:
        raise unlinkable(module, error, given=Given(found, files)) from None


def library_at(path: str) -> Module:
    """The module for --preload. Raises Failure, which names the module in question."""
    try:
        return load(path, features=EVERYTHING)
    except (MalformedError, InvalidError) as error:
        raise Failure(f"{path}: {error}") from None


def define(linker: Linker, names: Named) -> None:
    """Define imports in the linker. Existing definitions stay."""
    for space, functions in names.items():
        for name, function in functions.items():
            with suppress(ValueError):
                linker.define(space, name, function)


def stand_in(import_: Import, type_: FuncType, what: str) -> Func:
    """A function that traps, or returns zeros."""

    def trap(*arguments: Any) -> Any:
        raise Trap(TrapKind.UNREACHABLE, f"nobody provides {import_.module}::{import_.name}")

    def zero(*arguments: Any) -> Any:
        values = tuple(map(zero_of, type_.results))
        return values if len(values) > 1 else values[0] if values else None

    return Func.of(type_.params, type_.results, trap if what == "trap" else zero)


def zero_of(type_: ValType) -> Any:
    if not isinstance(type_, NumType):
        return None
    return 0.0 if type_.name.startswith("f") else 0

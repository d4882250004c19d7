"""Loads the module that the user named, with a clear message for any other kind of file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..interpreter.binary.sections import MAGIC, VERSION
from ..printable import printable
from .failure import Failure
from .options import misused

if TYPE_CHECKING:
    from ..api import Module
    from ..components import Component
    from ..interpreter.compile.cache import CodeFolder


def read(path: str) -> bytes:
    """The bytes of a file. Raises Failure."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        raise Failure(f"{path}: there is no such file", similar(path)) from None
    except IsADirectoryError:
        raise Failure(f"{path} is a directory, not a module") from None
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None


def similar(path: str, *kinds: str) -> str:
    """The files of some kinds, modules unless it is said, in the folder of a missing file."""
    from pathlib import Path

    here = Path(path).parent
    try:
        found = sorted(str(p) for pattern in kinds or ("*.wasm", "*.wat") for p in here.glob(pattern))
    except OSError:
        return ""
    return f"{'files' if kinds else 'modules'} in {here}: {', '.join(found[:8])}" if found else ""


EVERYTHING = ("all",)
"""The features for commands that only look at a module."""


def features_in(texts: Iterable[str]) -> tuple[str, ...]:
    """Read the values of --features: names between commas. Raises click.UsageError."""
    words = tuple(word for text in texts for word in text.split(","))
    if words:
        from ..interpreter.features import chosen

        try:
            chosen(words)
        except ValueError as error:
            raise misused(f"--features: {error}") from None
    return words


def load_any(path: str, features: Sequence[str] = ()) -> Module | Component:
    """A module or a component. Raises Failure, MalformedError, InvalidError."""
    return load_component(path, features=features) or load(path, features=features)


def load_component(
    path: str, cache: CodeFolder | None = None, features: Sequence[str] = ()
) -> Component | None:
    """A component, with the code of its core modules cached in `cache`; None if the file is something else or
    can't be read. Raises MalformedError, InvalidError."""
    from ..api import is_component

    try:
        if not is_component(path):
            return None
    except OSError:
        return None
    from ..components import Component

    return Component.from_bytes(read(path), os.path.basename(path), cache=cache, features=features)


def load(path: str, cache: CodeFolder | None = None, features: Sequence[str] = ()) -> Module:
    """A module in the binary or the text format, or a component's core module, as `app.wasm/main`. Its code
    is cached in `cache`. Raises Failure, MalformedError, InvalidError."""
    from ..api import Module, is_text

    if (inner := core_module(path, cache, features)) is not None:
        return inner
    data = read(path)
    name = os.path.basename(path)
    if data.startswith(MAGIC + VERSION):
        return Module.from_bytes(data, name, cache=cache, features=features)
    if is_text(data):
        return Module.from_text(data.decode("utf-8", "replace"), name, cache=cache, features=features)
    from ..recognise import describe

    raise Failure(f"{path}: {describe(data)}")


def core_module(path: str, cache: CodeFolder | None, features: Sequence[str]) -> Module | None:
    """The core module of a component, given by a path that continues after the component's file; None if
    there is no such component. Raises Failure if the component has no core module of this name."""
    found = core_module_within(path, cache, features)
    return found and found[1]


def core_module_within(
    path: str, cache: CodeFolder | None = None, features: Sequence[str] = ()
) -> tuple[Component, Module] | None:
    """The same core module, together with its component."""
    file = path
    while file and not os.path.exists(file):
        file = os.path.dirname(file)
    if file == path or not os.path.isfile(file):
        return None
    component = load_component(file, cache, features)
    if component is None:
        return None
    wanted = component.name + path[len(file) :].replace(os.sep, "/")
    known = {module.name: module for module in component.core_modules}
    if wanted not in known:
        names = ", ".join(map(printable, known)) or "none"
        raise Failure(f"there is no core module {printable(wanted)}", f"there are: {names}")
    return component, known[wanted]

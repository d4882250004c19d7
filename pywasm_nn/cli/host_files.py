"""Python files of --host: the imports that each gives, and what else it has that could be one.

What is not here: linking them (`imports.py`), and the message about imports that are missing (`provided.py`).
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from types import MethodType, ModuleType
from typing import Any

import click

from ..imports import importable
from ..interpreter.runtime.instance import Func, HostFunc, UntypedFunc
from ..plugin import executed
from .failure import Failure
from .load import similar

Named = dict[str, dict[str, Any]]
"""Imports by namespace and name."""
FUNCTIONS = Func, HostFunc, UntypedFunc, MethodType, partial
"""Kinds of functions that don't say in which module they were made."""


class HostFile:
    """A Python file: it gives its mapping IMPORTS by namespace, or else all its public functions as `env`.

    Raises Failure and click.UsageError.
    """

    def __init__(self, path: str) -> None:
        if not Path(path).is_file():
            raise Failure(f"--host: there is no file {path}", similar(path, "*.py"))
        try:
            self._module = executed(path)
        except ValueError as error:
            raise click.UsageError(f"--host {error}") from None
        self.path = path
        self._names = {name: value for name, value in vars(self._module).items() if not is_pythons(name)}
        functions = {
            name: value for name, value in self._names.items() if is_given(name, value, self._module)
        }
        given = getattr(self._module, "IMPORTS", {"env": functions})
        if not isinstance(given, Mapping) or not all(isinstance(one, Mapping) for one in given.values()):
            raise click.UsageError(
                f"--host {path}: IMPORTS has functions by namespace and name, as in "
                'IMPORTS = {"env": {"log": log}}'
            )
        self.given: Named = {namespace: dict(names) for namespace, names in given.items()}

    def expression(self, name: str) -> str:
        """The expression by which the file's code reaches what it gives by this name, or else has by it; ""
        if it has nothing that could be an import."""
        value = self._names.get(name)
        for namespace, names in self.given.items():
            if name in names and names[name] is not value:
                return f'IMPORTS["{namespace}"]["{name}"]'
        if is_importable(value):
            return name
        module = self._beside(name)
        return f"{module}.{name}" if module else ""

    def reason(self, name: str) -> str:
        """By which namespace the file gives this name, or why it doesn't give it, as a sentence."""
        for namespace, names in self.given.items():
            if name in names:
                return f"{self.path} provides {namespace}.{name}"
        value = self._names.get(name)
        if not is_importable(value):
            return f"{self.path} imports {self._beside(name)}, which has {name}"
        if name.startswith("_"):
            return f"{self.path} keeps {name}, which begins with _, to itself"
        if "IMPORTS" in self._names:
            return f"{self.path} has {name}, which its IMPORTS leaves out"
        module = home(name, value, self._module) or (inspect.isroutine(value) and value.__module__)
        return f"{self.path} has {name}" + (f" from {module}" if module else ", which is no function")

    def _beside(self, name: str) -> str:
        """The module that has a function of this name and that the file has imported from its own folder; ""
        if there is none."""
        folder = searched_by(self._module)
        for module_name, module in self._names.items():
            is_beside = isinstance(module, ModuleType) and folder_of(vars(module)) == folder
            if is_beside and inspect.isroutine(vars(module).get(name)):
                return module_name
        return ""


def together(files: Iterable[HostFile]) -> Named:
    """The imports of all files; the last one wins."""
    found: Named = {}
    for file in files:
        for namespace, names in file.given.items():
            found.setdefault(namespace, {}).update(names)
    return found


def is_pythons(name: str) -> bool:
    """Whether this is a name that each module has, as `__file__`."""
    return name.startswith("__") and name.endswith("__")


def is_given(name: str, value: object, file: ModuleType) -> bool:
    """Whether this is a public function that was made in the file."""
    if name.startswith("_"):
        return False
    if isinstance(value, FUNCTIONS):
        return home(name, value, file) is None
    is_own = getattr(value, "__module__", None) == file.__name__
    return is_own and callable(value) and not inspect.isclass(value)


def home(name: str, value: object, file: ModuleType) -> str | None:
    """The name of another module from which a file has imported an object that it calls `name`; None if there
    is none. Only modules beside the file are looked through for another name: there are thousands of
    others."""
    folder = searched_by(file)
    for module_name, module in [*sys.modules.items()]:
        names = vars(module) if isinstance(module, ModuleType) and module is not file else {}
        if names.get(name) is value:
            return module_name
        if folder_of(names) == folder and any(other is value for other in [*names.values()]):
            return module_name
    return None


def searched_by(file: ModuleType) -> str:
    """The folder in which a file's imports are looked for."""
    return os.path.dirname(os.path.realpath(file.__file__ or ""))


def folder_of(names: Mapping[str, Any]) -> str:
    """The folder of a module with these names; "" if it is built in."""
    return os.path.dirname(names.get("__file__") or "")


def is_importable(value: object) -> bool:
    """Whether a value could be an import."""
    if callable(value):
        return not inspect.isclass(value)
    try:
        importable(value, "", "")  # type: ignore[arg-type] # this is the question
    except TypeError:
        return False
    return True

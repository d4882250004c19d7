"""A user's own classes and files, named as `file.py:Name`.

What is not here: their use (`nn.registry`, `watch.monitors`).
"""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any


class PluginError(ValueError):
    """A user's plugin that can't be loaded."""


def made(place: str, what: str) -> Any:
    """An object of a class in a Python file, made by calling the class without arguments. Raises PluginError
    with the reason; `what` names the expected kind in the message, for example "backend".
    """
    path, colon, name = place.rpartition(":")
    if not colon or not path:
        raise PluginError(f"{place!r} names no {what}: write file.py:Name")
    if not Path(path).is_file():
        raise PluginError(f"{place!r} names no {what}: there is no file {path}")
    spec = spec_from_file_location(Path(path).stem, path)
    if spec is None or spec.loader is None:
        raise PluginError(f"{place!r} names no {what}: {path} is no Python file; write file.py:Name")
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        return getattr(module, name)()
    except Exception as error:
        raise PluginError(f"{place}: {type(error).__name__}: {error}") from error


def executed(path: str) -> ModuleType:
    """A Python file as a module. Raises ValueError with the reason."""
    spec = spec_from_file_location(Path(path).stem, path) if Path(path).is_file() else None
    if spec is None or spec.loader is None:
        raise ValueError(f"{path}: this is no Python file")
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ValueError(f"{path}: {type(error).__name__}: {error}") from error
    return module

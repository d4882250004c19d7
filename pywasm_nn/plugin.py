"""A user's own classes and files, named as `file.py:Name`, and those of installed packages.

What is not here: their use (`nn.registry`, `watch.monitors`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib.machinery import PathFinder
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Kind = TypeVar("Kind")
METADATA = (".dist-info", ".egg-info")
UNREADABLE = FileNotFoundError, NotADirectoryError, PermissionError
"""What `importlib.metadata` passes over."""


class PluginError(ValueError):
    """A user's plugin that can't be loaded."""


def made(place: str, kind: type[Kind]) -> Kind:
    """An object of a class in a Python file, made by calling the class (or a function) without arguments.
    Raises PluginError with the reason, and with the file's classes of this kind if another thing was named.
    """
    what = kind.__name__.lower()
    path, colon, name = place.rpartition(":")
    if not (colon and path) or Path(place).is_file():
        raise PluginError(f"{place!r} names no {what}: write file.py:Name{named_in(place, kind)}")
    if not Path(path).is_file():
        raise PluginError(f"{place!r} names no {what}: there is no file {path}")
    if (load := loader(path)) is None:
        raise PluginError(f"{place!r} names no {what}: {path} is no Python file; write file.py:Name")
    try:
        module = load()
        maker = getattr(module, name, None)
        is_other = isinstance(maker, type) and not issubclass(maker, kind)
        thing = None if maker is None or is_other else maker()
    except Exception as error:
        raise PluginError(f"{place}: {failed(error)}") from error
    if maker is None:
        raise PluginError(f"{place}: {path} has no {name}{classes_of(module, kind)}")
    if not isinstance(thing, kind):
        raise PluginError(f"{place} is no {kind.__name__}{classes_of(module, kind)}")
    return thing


def classes_of(module: ModuleType, kind: type) -> str:
    """The classes of a kind that a file defines, as the end of a message."""
    found = [
        name
        for name, thing in vars(module).items()
        if isinstance(thing, type) and issubclass(thing, kind) and thing.__module__ == module.__name__
    ]
    return f"; the {kind.__name__}s there: {', '.join(found) or 'none'}"


def named_in(path: str, kind: type) -> str:
    """The classes of a kind in a Python file, if it is one and can be executed, as the end of a message."""
    with suppress(ValueError):
        return classes_of(executed(path), kind)
    return ""


def executed(path: str) -> ModuleType:
    """A Python file as a module. Raises ValueError with the reason."""
    load = loader(path) if Path(path).is_file() else None
    if load is None:
        raise ValueError(f"{path}: this is no Python file")
    try:
        return load()
    except Exception as error:
        raise ValueError(f"{path}: {failed(error)}") from error


def loader(path: str) -> Callable[[], ModuleType] | None:
    """Executes a file as a module; None if it is no Python file. It may import what lies beside it, as with
    `python FILE`, but gets an installed module where one has the same name."""
    spec = spec_from_file_location(Path(path).stem, path)
    if spec is None or spec.loader is None:
        return None
    executing, module = spec.loader.exec_module, module_from_spec(spec)

    def load() -> ModuleType:
        look_beside(Path(path).resolve().parent)
        executing(module)
        return module

    return load


class Beside(str):
    """The folder of a user's file on `sys.path`, where it stands behind all others."""


def look_beside(folder: Path) -> None:
    """Let imports find what lies in a folder, and not modules of the same names beside another file of the
    user's."""
    others = [place for place in sys.path if isinstance(place, Beside) and place != str(folder)]
    usual = [place for place in sys.path if not isinstance(place, Beside)]
    sys.path[:] = [*usual, *([] if str(folder) in usual else [Beside(folder)]), *others]
    theirs = tuple([os.path.join(other, "") for other in others])
    for name, module in [*sys.modules.items()] if others else ():
        file, top = getattr(module, "__file__", None) or "", name.partition(".")[0]
        if file.startswith(theirs) and ((folder / f"{top}.py").exists() or (folder / top).is_dir()):
            del sys.modules[name]


def failed(error: Exception) -> str:
    """Why a user's file failed: "ZeroDivisionError: division by zero (own.py:12)"."""
    return f"{type(error).__name__}: {error}{where(error.__traceback__)}"


def last_place(traceback: TracebackType | None) -> tuple[str, str]:
    """The last place in a user's file, or in a file beside it, as "own.py:12" and the name of the function
    there; "" and "" if there is none. A user's file is no module that was imported (`loader`); of imported
    ones elsewhere the cause's traceback tells more."""
    place, function = "", ""
    folders = {str(one) for one in sys.path if isinstance(one, Beside)}
    while traceback is not None:
        frame, line, traceback = traceback.tb_frame, traceback.tb_lineno, traceback.tb_next
        scope = frame.f_globals
        imported, file = sys.modules.get(scope.get("__name__", "")), scope.get("__file__")
        if file is None:
            continue
        here = os.path.dirname(os.path.realpath(file))
        if getattr(imported, "__dict__", None) is not scope or here in folders:
            place, function = f"{os.path.basename(file)}:{line}", frame.f_code.co_name
            folders.add(here)
    return place, function


def where(traceback: TracebackType | None) -> str:
    """The last place in a user's file as " (own.py:12)"; "" if there is none."""
    place, _ = last_place(traceback)
    return f" ({place})" if place else ""


def entry_points(group: str) -> Iterable[EntryPoint]:
    """The entry points of installed packages in a group. Raises OSError if they can't be looked for now."""
    others = [one for one in sys.meta_path if hasattr(one, "find_distributions") and one is not PathFinder]
    if not others and not any(declares(place, group.encode()) for place in sys.path):
        return ()
    from importlib import metadata  # its import alone takes five times as long as the look

    return metadata.entry_points(group=group)


def declares(place: str, group: bytes) -> bool:
    """Whether a package in a place of `sys.path` may have entry points in a group: its files speak of it, or
    the place is no directory, but an archive."""
    try:
        names = os.listdir(place or ".")
    except NotADirectoryError:
        return True
    except UNREADABLE:
        return False
    for name in names:
        if name.lower().endswith(METADATA) or name == "EGG-INFO":
            with suppress(*UNREADABLE), open(os.path.join(place, name, "entry_points.txt"), "rb") as file:
                if group in file.read():
                    return True
    return False

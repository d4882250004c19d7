"""Advice for a person whose guest ended with an error: files that the guest can't see, and options of
pywasm-nn among the guest's arguments.

What is not here: hints from the guest's host calls (`wasi.hints`, `watch.hints`). Imported when a guest has
failed, or got an unknown option.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches

from ..api import Module
from ..printable import printable
from ..wasi import Dir
from .split import Split, Takes, is_option

MOST_FILES = 3
"""The number of files that advice names."""
MOST_ENTRIES = 2000
"""The number of entries of a directory that are examined."""
SHORTEST = 4
"""The shortest file name that is searched for in a program's data: shorter names occur there by chance."""
CLOSE = 0.8
"""The similarity from which on an option counts as a misspelling of another."""


# Files


def unseen_files(
    arguments: Sequence[str], given: Sequence[Dir], name: str, modules: Iterable[Module]
) -> list[str]:
    """A line for each directory with files that the guest needs (by its arguments or data) and can't see.
    `name` is the guest's name, `modules` are its core modules."""
    words = [value for word in arguments for value in (word, word.partition("=")[2]) if value]
    found = [path for path in dict.fromkeys(words) if os.path.isfile(path) and not visible(path, given)]
    if found:
        said = "the guest was told"
    elif not given:
        found, said = list(named_in(name, modules)), "the program names"
    folders: dict[str, list[str]] = {}
    for path in found[:MOST_FILES]:
        folders.setdefault(os.path.dirname(path) or ".", []).append(f'"{printable(path)}"')
    return [
        f"{said} {' and '.join(paths)}, which {'is' if len(paths) == 1 else 'are'} here, but in no directory "
        f"that it was given: --dir {printable(folder)}"
        for folder, paths in folders.items()
    ]


def visible(path: str, given: Iterable[Dir]) -> bool:
    """Whether the guest's path leads to one of its preopened directories."""
    wanted = os.path.normpath(path).replace(os.sep, "/")
    for place in given:
        start = os.path.normpath(place.guest).replace(os.sep, "/")
        if start == "/" or wanted == start or wanted.startswith(f"{start}/"):
            return True
        if start == "." and not os.path.isabs(path) and not wanted.startswith("../"):
            return True
    return False


def named_in(program: str, modules: Iterable[Module]) -> Iterator[str]:
    """Files in the working directory, or in its direct subdirectories, that a program's data names."""
    texts = [data.init for module in modules for data in module.datas]
    for name in entries("."):
        if os.path.isdir(name):
            if any(f"{name}/".encode(errors="surrogateescape") in text for text in texts):
                yield from (path for path in entries(name) if is_named(path, texts))
        elif name != program and is_named(name, texts):
            yield name


def is_named(path: str, texts: Iterable[bytes]) -> bool:
    looked_for = path.encode(errors="surrogateescape")
    is_long = len(os.path.basename(path)) >= SHORTEST and "." in path
    return is_long and any(looked_for in text for text in texts) and os.path.isfile(path)


def entries(folder: str) -> list[str]:
    """Paths in a directory, in the form that a guest uses."""
    try:
        with os.scandir(folder) as found:
            names = sorted(entry.name for entry, _ in zip(found, range(MOST_ENTRIES), strict=False))
    except OSError:
        return []
    return names if folder == "." else [f"{folder}/{name}" for name in names]


# Options


def reads_arguments(module: Module) -> bool:
    """Whether the program reads its arguments."""
    return any(imp.name in ("args_get", "get-arguments") for imp in module.imports)


def lost_options(shared: Split, known: Mapping[str, Takes], module: Module) -> list[str]:
    """Notes before the run: the guest's first argument is almost an option of pywasm-nn, or the program
    doesn't read its arguments at all."""
    if shared.explicit or not shared.guest or not is_option(shared.guest[0]):
        return []
    name = shared.guest[0].partition("=")[0]
    near = nearest(name, known)
    meant = f"; did you mean {near}?" if near else ""
    if not reads_arguments(module):
        return [f"{name} is no option of pywasm-nn, and {module.name} asks for no arguments{meant}"]
    if near:
        return [
            f"{name} is no option of pywasm-nn, so the guest gets it{meant} (-- before it avoids this note)"
        ]
    return []


def misplaced_options(shared: Split, known: Mapping[str, Takes]) -> list[str]:
    """Notes after a failure: options of pywasm-nn among the guest's arguments, or a first argument that is an
    unknown option."""
    if shared.explicit or not shared.guest:
        return []
    ours = [word for word in shared.guest if word.startswith("--") and word.partition("=")[0] in known]
    if ours:
        return [
            f'the guest got {ours[0].partition("=")[0]}, as it stands behind "{shared.guest[0]}"; options of '
            "pywasm-nn stand before the guest's arguments"
        ]
    first = shared.guest[0].partition("=")[0]
    if first.startswith("--") and not nearest(first, known):
        return [f"the guest got {first}, which is no option of pywasm-nn"]
    return []


def nearest(name: str, known: Iterable[str]) -> str:
    """The option that a long option is probably a misspelling of, or ""."""
    if not name.startswith("--") or name in known:
        return ""
    return next(iter(get_close_matches(name, [one for one in known if one.startswith("--")], 1, CLOSE)), "")

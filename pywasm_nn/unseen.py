"""Notes for a person whose program ended with an error: files of the working directory that the program needs
and can't see.

What is not here: files in its own directories (`wasi.hints`). Imported when a program has failed.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence

from .interpreter.module import Module
from .printable import printable

COMMAND, PYTHON = "--dir {0}", 'dirs={{"{0}": "{0}"}}'
"""How a directory is given."""
MOST_FILES = 3
"""The number of files that a note names."""
MOST_ENTRIES = 2000
"""The number of entries of a directory that are examined."""
OPENERS = ("path_open", "[method]descriptor.open-at")
"""Imports that open files, one of each version of WASI; programs that never open one lack it."""
SHORTEST = 4
"""The shortest file name that is searched for in a program's data: shorter names occur there by chance."""


def unseen_files(
    arguments: Sequence[str],
    given: Collection[str],
    way: str,
    name: str = "",
    modules: Collection[Module] = (),
    *,
    guess: bool = True,
) -> list[str]:
    """A line for each directory with files that the guest needs (by its arguments or data) and can't see.
    `given` are the guest's paths of its directories, `way` is how one is given, `name` is the guest's name,
    and `modules` are its core modules, whose data is searched too if `guess` is true.
    """
    if modules and not any(imp.name in OPENERS for module in modules for imp in module.imports):
        return []  # no directory would help
    words = [value for word in arguments for value in (word, word.partition("=")[2]) if value]
    found = [path for path in dict.fromkeys(words) if os.path.isfile(path) and not visible(path, given)]
    if found:
        said = "the guest was told"
    elif guess and not given:
        found, said = list(named_in(name, modules)), "the program names"
    folders: dict[str, list[str]] = {}
    for path in found[:MOST_FILES]:
        folders.setdefault(os.path.dirname(path) or ".", []).append(f'"{printable(path)}"')
    return [
        f"{said} {' and '.join(paths)}, which {'is' if len(paths) == 1 else 'are'} here, but in no directory "
        f"that it was given: {way.format(printable(folder))}"
        for folder, paths in folders.items()
    ]


def visible(path: str, given: Iterable[str]) -> bool:
    """Whether the guest's path leads to one of its preopened directories."""
    wanted = os.path.normpath(path).replace(os.sep, "/")
    for place in given:
        start = os.path.normpath(place).replace(os.sep, "/")
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

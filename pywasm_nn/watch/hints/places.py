"""Rules about files: models that exist, but not where the guest looks.

What is here: functions of names and of the results of `find`. Only `find` reads directories, and it gives up
in large ones.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from ...nn.formats import KNOWN, Formats
from ...nn.models import naming
from ..facts import Load, Missing
from ..surroundings import Surroundings

MOST_ENTRIES = 2000
"""The number of directory entries that a search examines."""
MOST_NAMES = 6
"""The number of models of a directory that a hint names."""
DEEPEST = 3
"""How many levels of subdirectories are searched."""


def find(directory: Path, name: str) -> Path | None:
    """The file of this name in a directory or not far below it."""
    seen = 0
    queue = [(directory, 0)]
    while queue:
        folder, depth = queue.pop(0)
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            seen += 1
            if seen > MOST_ENTRIES:
                return None
            try:
                if entry.name == name and entry.is_file():
                    return Path(entry.path)
                if depth < DEEPEST and not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
                    queue.append((Path(entry.path), depth + 1))
            except OSError:
                continue
    return None


def inside(path: str, directories: Mapping[str, Path]) -> Path | None:
    """Returns the host path of a guest's path, or None if it is in none of the guest's directories."""
    plain = os.path.normpath(path).replace(os.sep, "/").lstrip("/")
    for guest, host in sorted(directories.items(), key=lambda pair: -len(pair[0])):
        start = os.path.normpath(guest).replace(os.sep, "/").lstrip("/")
        if start in ("", "."):
            return host / plain
        if plain == start or plain.startswith(start + "/"):
            return host / plain[len(start) :].lstrip("/")
    return None


def elsewhere(missing: Missing, given: Surroundings, here: Path) -> str | None:
    """A model file that the guest names and can't open, and that exists in another directory."""
    if not given.formats.of_file(missing.guest):
        return None
    place = inside(missing.guest, given.directories)
    if place is not None and place.exists():
        return None
    name = PurePosixPath(missing.guest).name
    for guest, host in given.directories.items():
        if found := find(host, name):
            path = PurePosixPath(guest, *found.relative_to(host).parts)
            return f'the guest names "{missing.guest}"; among its directories that file is "{path}"'
    parent = PurePosixPath(missing.guest).parent
    where = "which is in none of its directories" if place is None else "which isn't there"
    plain = here / missing.guest.lstrip("/")
    if found := plain if plain.is_file() else find(here, name):
        folder = found.parent.relative_to(here)
        return f'the guest names "{missing.guest}", {where}; give it one: --dir {folder}::{parent}'
    if not given.directories:
        return f'the guest names "{missing.guest}" and was given no directory: --dir HOST::{parent}'
    return None


def unopened(given: Surroundings) -> str:
    """For a guest that failed without opening a file: the guest's C library refuses paths outside the
    preopened directories itself, so the host never sees the attempt.
    """
    if not given.directories:
        return (
            "no model was loaded and no file asked for; the guest was given no directory: --dir HOST::GUEST"
        )
    models = {guest: models_in(host, given.formats) for guest, host in given.directories.items()}
    has = "; ".join(f"{guest}: {', '.join(names) or 'no models'}" for guest, names in models.items())
    return (
        "no model was loaded and no file asked for; paths that the guest can open begin with one of these "
        f"({has})"
    )


def models_in(directory: Path, formats: Formats) -> list[str]:
    """The first few models in a directory."""
    try:
        names = sorted(entry.name for entry in os.scandir(directory) if formats.of_file(entry.name))
    except OSError:
        return []
    return names[:MOST_NAMES]


def unnamed(load: Load, given: Surroundings) -> str | None:
    """A model that the guest loads by name, and that exists as an unnamed file in a directory of the
    guest."""
    if load.error != "not_found" or load.name is None:
        return None
    stem = PurePosixPath(load.name).name
    formats = given.formats
    wanted = [stem] if formats.of_file(stem) else [stem + suffix for suffix in formats.suffixes]
    for host in given.directories.values():
        for name in wanted:
            if found := find(host, name):
                option = (
                    naming(load.name, str(found))
                    if formats.is_path(load.name)
                    else f"--models {found.parent}"
                )
                return f'no model is named "{load.name}"; {found} becomes one with {option}'
    return None


def names_in(data: Iterable[bytes], formats: Formats = KNOWN) -> list[str]:
    """Model files that are named in a program's data, each once."""
    named = r"[\w./+-]{1,200}(?:" + "|".join(map(re.escape, formats.suffixes)) + r")(?![\w.])"
    found: dict[str, None] = {}
    for piece in data:
        for match in re.finditer(named.encode(), piece):
            found.setdefault(match[0].decode("ascii", "replace"))
    return list(found)

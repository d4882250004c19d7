"""The directories and arguments that a guest was started with, and the files that it has read, for hints.

What is here: `Surroundings`, `is_file` for an argument, `files_in` for a directory, and `text_in` for a
file's bytes. What is not: the hints (`hints.places`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from ..records import Frozen

if TYPE_CHECKING:
    from ..nn.formats import Formats

Files = Callable[[], Sequence[tuple[str, bytes]]]
"""Gives the names and bytes of the files that a guest has read so far."""


class Surroundings(Frozen):
    """What the host gave a guest: directories (the guest's path to the host's path) and arguments. `formats`
    are the model formats that the host can load."""

    directories: Mapping[str, Path]
    arguments: tuple[str, ...]
    formats: Formats


def is_file(argument: str, directories: Sequence[Path]) -> bool:
    """Whether an argument names a file in one of a guest's directories, which lie there on the host. The
    first parts of the path may be the guest's name of that directory."""
    parts = PurePosixPath(argument.lstrip("/")).parts
    ways = [Path(*parts[at:]) for at in range(len(parts)) if ".." not in parts]
    return any((folder / way).is_file() for folder in directories for way in ways)


def files_in(folder: Path) -> Iterator[Path]:
    """The files in a folder, and in the folders in it."""
    try:
        entries = sorted(os.scandir(folder), key=lambda one: one.name)
    except OSError:
        return
    for entry in entries:
        if entry.is_file(follow_symlinks=False):
            yield Path(entry.path)
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            with os.scandir(entry.path) as inside:
                yield from (Path(one.path) for one in inside if one.is_file(follow_symlinks=False))


def text_in(data: bytes, most: int) -> str:
    """Returns the text that a file's bytes are, or "" if they are none, or more than `most`."""
    return data.decode("utf-8", "replace") if len(data) <= most and b"\0" not in data else ""

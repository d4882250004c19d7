"""Trees of files that guests change."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path


def below(directory: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Every entry below a directory, with its path from there. Tests compare trees thousands of times, so no
    `Path` is made for an entry."""
    folders = [""]
    while folders:
        prefix = folders.pop()
        with os.scandir(os.path.join(directory, prefix)) as entries:
            for entry in entries:
                yield prefix + entry.name, entry
                if entry.is_dir(follow_symlinks=False):
                    folders.append(f"{prefix}{entry.name}/")

"""Inputs of nothing but zeros, after a file of data could not be opened.

What is here: `Unopened`. What is not: models that are not where the guest looks (`places.py`), and zeros that
have another cause (`values.py`). A file that isn't there may be one that needn't be: a hint asks for another
one beside it that the guest never opened, and that is what it meant by its name or by its size.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from ..facts import Compute
from ..surroundings import Surroundings
from .places import MOST_ENTRIES, inside
from .values import is_zero

NEAR, MOST = 0.7, 8
"""How alike the names of two files are that are mistaken for one another, and how many files that aren't
there are remembered."""


class Unopened:
    """Remembers the files that a guest asked for."""

    def __init__(self) -> None:
        self._missing: dict[str, None] = {}
        self._opened: set[str] = set()
        """Names, without their folders."""

    def asked(self, path: str, *, failed: bool) -> None:
        """The guest asked for a file, by its whole path."""
        if failed and len(self._missing) < MOST:
            self._missing[path] = None
        elif not failed:
            self._opened.add(PurePosixPath(path).name)

    def why(self, compute: Compute, given: Surroundings | None) -> str:
        """Returns why an input of a compute may be all zeros, or "" if no file says so."""
        empty = [one for one in compute.inputs if is_zero(one)]
        sizes = [one.tensor.size for one in empty]
        if given is None or not empty:
            return ""
        for path in self._missing:
            name = PurePosixPath(path).name
            place = inside(path, given.directories)
            if given.formats.of_file(path) or name in self._opened or place is None or place.exists():
                continue
            for other, size in beside(place):
                is_meant = size in sizes or is_near(name, other)
                if is_meant and other not in self._opened and given.formats.of_file(other) is None:
                    return (
                        f"{empty[0]}: all {empty[0].tensor.elements} elements are 0, and the guest asked for "
                        f'"{path}", which isn\'t there: is "{other}" meant, which lies beside it, and is it '
                        "looked at whether opening a file failed?"
                    )
        return ""


def beside(place: Path) -> Iterator[tuple[str, int]]:
    """The names and sizes of files beside one that isn't there that are of its kind and hold something."""
    try:
        with os.scandir(place.parent) as entries:
            for _, entry in zip(range(MOST_ENTRIES), entries, strict=False):
                if Path(entry.name).suffix.lower() == place.suffix.lower() and entry.is_file():
                    size = entry.stat().st_size
                    if size:
                        yield entry.name, size
    except OSError:
        return


def is_near(name: str, other: str) -> bool:
    """Whether one of two names is taken for the other: other capitals, a plural, a letter more."""
    from difflib import SequenceMatcher  # slow to import, needed where a file isn't there

    one, two = (PurePosixPath(each).stem.lower() for each in (name, other))
    return SequenceMatcher(None, one, two).ratio() >= NEAR

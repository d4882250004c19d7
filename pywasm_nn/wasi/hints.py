"""Notes for the user about a path that a guest did not find: where a file of that name is, and its path in
the guest.

The guest only gets ENOENT. What is not here: showing notes (`report` is passed in).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from posixpath import basename, join

from .codes import Filetype
from .descriptors import Descriptor
from .errors import WasiError

SEARCHES = 20
"""The number of missing paths that are searched for in one run: programs probe for many optional files."""
NAMES = 2000
"""The number of directory entries that one search examines."""


class Hints:
    """The notes of one run."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self.report = report
        self._asked: set[str] = set()

    def not_found(self, directory: Descriptor, path: str, descriptors: Iterable[Descriptor]) -> None:
        """Report the file that the guest probably meant by `path` in `directory`, if one of its directories
        has a file of that name."""
        if path in self._asked or len(self._asked) >= SEARCHES:
            return
        self._asked.add(path)
        asked = join(directory.preopen, path) if directory.preopen else path
        for place in places(descriptors, basename(path))[:1]:
            self.report(
                f'the guest opened "{asked.removeprefix("./")}", which is not there; '
                f"{place} is: did you mean {place}?"
            )

    def failed(self, arguments: Sequence[bytes], descriptors: Iterable[Descriptor]) -> None:
        """The guest ended with an error. Report files that its arguments may mean: a C library refuses a path
        outside all preopened directories without a host call."""
        known = list(descriptors)
        for argument in arguments[:SEARCHES]:
            path = argument.decode("utf-8", "replace")
            if "=" in path.partition("/")[0]:
                path = path.partition("=")[2]  # KEY=VALUE, as some programs take their options
            found = places(known, basename(path))
            if found and path.removeprefix("./") not in found and path not in self._asked:
                self.report(
                    f'the guest was told "{path}", which is in no directory it was given; {found[0]} is'
                )


def places(descriptors: Iterable[Descriptor], name: str) -> list[str]:
    """Guest paths of files of this name in the preopened directories or one level below."""
    if not name:
        return []
    return [place for descriptor in descriptors if descriptor.preopen for place in find(descriptor, name)]


def find(directory: Descriptor, name: str) -> list[str]:
    """Guest paths of files of this name in a preopened directory or one level below."""
    found = []
    guest = directory.preopen or ""
    try:
        names = list(islice(directory.folder.entries(), NAMES))
        for entry in names:
            if entry.name == os.fsencode(name) and entry.filetype is Filetype.REGULAR_FILE:
                found.append(join(guest, name))
        for entry in names:
            below = os.fsdecode(entry.name)
            if entry.filetype is Filetype.DIRECTORY and exists(directory, f"{below}/{name}"):
                found.append(join(guest, below, name))
    except (OSError, WasiError):
        pass  # a note is not worth an error
    return [place.removeprefix("./") for place in found]


def exists(directory: Descriptor, path: str) -> bool:
    try:
        directory.folder.stat_at(path, follow=False)
    except (OSError, WasiError):
        return False
    return True

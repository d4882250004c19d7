"""Notes for the user about a path that a guest did not find: where a file of that name is, and its path in
the guest.

The guest only gets ENOENT. What is not here: showing notes (`report` is passed in).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from posixpath import basename, dirname, join, normpath

from ..printable import printable
from .codes import NO_RIGHTS, FdFlags, Filetype, OpenFlags
from .descriptors import Descriptor
from .errors import WasiError

SEARCHES = 20
"""The number of missing paths that are searched for in one run: programs probe for many optional files."""
NAMES = 2000
"""The number of directory entries that one search examines."""
CLOSE = 0.75
"""The similarity from which on a name counts as a misspelling of another."""


class Hints:
    """The notes of one run."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self.report = report
        self._asked: set[str] = set()
        self._last: tuple[Descriptor, str] | None = None
        """The last path that the guest did not find, and the directory that it is relative to; None if the
        user knows of it."""

    def not_found(self, directory: Descriptor, path: str, descriptors: Iterable[Descriptor]) -> None:
        """Report the file that the guest probably meant by `path` in `directory`, if one of its directories
        has a file of that name."""
        if path in self._asked or len(self._asked) >= SEARCHES:
            self._last = directory, path
            return
        self._asked.add(path)
        asked = join(directory.preopen or "", path)
        found = places(descriptors, basename(path))
        text = f'the guest opened "{asked.removeprefix("./")}", which is not there; '
        if hidden := next((one for one, place in found if plain(place) == plain(asked)), None):
            text += (
                f'its directory "{hidden.preopen}" has it, but "{directory.preopen}" hides that: C libraries '
                "take both for the root. Give one of them another path in the guest: --dir HOST::/NAME"
            )
        elif found:
            place = found[0][1]
            text += f"{place} is: did you mean {place}?"
        else:
            self._last = directory, path
            return
        self._last = None
        self.report(text)

    def failed(self, arguments: Sequence[bytes], descriptors: Iterable[Descriptor]) -> None:
        """The guest ended with an error. Report files that `arguments`, which it hasn't opened, may mean: a C
        library refuses a path outside all preopened directories without a host call."""
        known = list(descriptors)
        for argument in arguments[:SEARCHES]:
            path = argument.decode("utf-8", "replace")
            if "=" in path.partition("/")[0]:
                path = path.partition("=")[2]  # KEY=VALUE, as some programs take their options
            found = [place for _, place in places(known, basename(path))]
            if found and plain(path) not in map(plain, found) and path not in self._asked:
                self.report(
                    f'the guest was told "{path}", which is in no directory it was given; {found[0]} is'
                )
        for text in self.unfound(known):
            if "did you mean" in text:  # programs that exit often say themselves what they lack
                self.report(text)

    def unfound(self, descriptors: Iterable[Descriptor]) -> list[str]:
        """A note on the last path that the guest did not find, for a guest that ended with an error; none if
        there was no such path, or the user knows of it."""
        if self._last is None:
            return []
        (directory, path), self._last = self._last, None
        meant = misspelt(directory, path) if directory in list(descriptors) else ""
        asked = printable(join(directory.preopen or "", path).removeprefix("./"))
        return [
            f'the last file that the guest did not find is "{asked}"'
            + (f"; did you mean {printable(meant)}?" if meant else "")
        ]


def plain(path: str) -> str:
    """A guest's path as C libraries compare it: they know no working directory, so that `a`, `./a` and `/a`
    are the same."""
    return normpath(join("/", path)).lstrip("/")


def misspelt(directory: Descriptor, path: str) -> str:
    """The path of a file in the same directory with almost the same name, or ""."""
    from difflib import get_close_matches  # slow to import, needed only for guests that fail

    parent, name = dirname(path), basename(path)
    try:
        opened = directory.open(parent or ".", True, OpenFlags.DIRECTORY, NO_RIGHTS, NO_RIGHTS, FdFlags(0))
    except (OSError, WasiError):
        return ""
    try:
        names = [os.fsdecode(entry.name) for entry in islice(opened.folder.entries(), NAMES)]
    except (OSError, WasiError):
        return ""
    finally:
        opened.close()
    near = get_close_matches(name, names, 1, CLOSE)
    return join(directory.preopen or "", parent, near[0]).removeprefix("./") if near else ""


def places(descriptors: Iterable[Descriptor], name: str) -> list[tuple[Descriptor, str]]:
    """Files of this name in the preopened directories or one level below: directory and guest path."""
    given = [descriptor for descriptor in descriptors if name and descriptor.preopen]
    return [(descriptor, place) for descriptor in given for place in find(descriptor, name)]


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

"""Directories as a guest has them: descriptors with rights, and opening a path below one.

What is not here: resolving paths (`paths.py`), and operations on names (`folders.py`, `inmemory.py`).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

from .codes import (
    ALL_RIGHTS,
    DIRECTORY_RIGHTS,
    WRITING,
    FdFlags,
    Filetype,
    OpenFlags,
    Rights,
)
from .descriptors import Descriptor, Entry, Stat, Times
from .errors import Errno, WasiError
from .folders import Folder
from .patience import Patience, one_by_one

ENTRY_COST = 24
"""Bytes that an entry of a listing takes besides its name."""


class Listing:
    """The names in a directory at one moment, packed: as `Entry` objects they would take hundreds of bytes
    each."""

    def __init__(self, entries: Iterable[Entry], most: int) -> None:
        """Raises ENOMEM if the listing takes more than `most` bytes."""
        self.names = bytearray()
        self.filetypes = bytearray()
        self.inodes = array("Q")
        self.ends = array("Q")
        for entry in entries:
            self.names += entry.name
            self.filetypes.append(entry.filetype)
            self.inodes.append(entry.inode)
            self.ends.append(len(self.names))
            if self.size > most:
                raise WasiError(Errno.NOMEM, f"a directory's names are more than {most} bytes")

    @property
    def size(self) -> int:
        return len(self.names) + ENTRY_COST * len(self.ends)

    def after(self, cookie: int) -> Iterator[tuple[int, Entry]]:
        """Entries from number `cookie` on, each with the number of the next."""
        for index in range(cookie, len(self.ends)):
            begin = self.ends[index - 1] if index else 0
            name = bytes(self.names[begin : self.ends[index]])
            yield index + 1, Entry(name, self.inodes[index], Filetype(self.filetypes[index]))


class Directory(Descriptor):
    """A directory with a guest's rights to it; `readonly` forbids every change in it and below."""

    filetype = Filetype.DIRECTORY
    applicable = DIRECTORY_RIGHTS
    not_seekable = Errno.BADF

    def __init__(
        self,
        folder: Folder,
        rights: Rights = DIRECTORY_RIGHTS,
        inheriting: Rights = ALL_RIGHTS,
        *,
        readonly: bool = False,
        preopen: str | None = None,
    ) -> None:
        super().__init__(rights, inheriting)
        self._folder = folder
        self.descriptor = folder.descriptor
        self.readonly = readonly
        self.preopen = preopen
        self._listed: Listing | None = None

    def close(self) -> None:
        self.forget()
        self._folder.close()

    def copy(self) -> Descriptor:
        folder, preopen = self._folder.copy(), self.preopen
        copied = Directory(folder, self.rights, self.inheriting, readonly=self.readonly, preopen=preopen)
        copied._listed = self._listed
        return copied

    @property
    def folder(self) -> Folder:
        return self._folder

    @property
    def changeable(self) -> Folder:
        if self.readonly:
            raise WasiError(Errno.ROFS, "the directory was given to the guest to read only")
        return self._folder

    def stat(self) -> Stat:
        return self._folder.stat()

    def set_times(self, times: Times) -> None:
        self.changeable.set_times(times)

    def set_flags(self, flags: FdFlags) -> None:
        raise WasiError(self.not_a_file)

    @property
    def kept(self) -> int:  # type: ignore[override] # a plain value elsewhere
        return self._listed.size if self._listed else 0

    def forget(self) -> None:
        self._listed = None

    def entries(self, cookie: int, most: int, patience: Patience) -> Iterator[tuple[int, Entry]]:
        # All calls of one listing use one reading of the directory, so that cookies stay valid when names
        # change.
        if cookie == 0 or self._listed is None:
            self._listed = None
            self._listed = Listing(one_by_one(self.look(), patience), most)
        return self._listed.after(cookie)

    def look(self) -> Iterator[Entry]:
        inode = self.stat().inode
        yield Entry(b".", inode, Filetype.DIRECTORY)
        yield Entry(b"..", inode, Filetype.DIRECTORY)  # the parent's inode may be outside the sandbox
        yield from self._folder.entries()

    def open(
        self, path: str, follow: bool, how: OpenFlags, rights: Rights, inheriting: Rights, flags: FdFlags
    ) -> Descriptor:
        """Open or create the file that `path` names. `rights` must be among the inheriting rights."""
        missing = (rights | inheriting) & ~self.inheriting
        if missing:
            raise WasiError(Errno.NOTCAPABLE, f"the directory does not pass on {missing.name}")
        if OpenFlags.DIRECTORY in how and how != OpenFlags.DIRECTORY:
            raise WasiError(Errno.INVAL, "opening makes and empties files, not directories")
        creating = OpenFlags.CREAT in how
        new = creating and OpenFlags.EXCL in how
        if self.readonly:
            rights &= ~Rights.FD_FILESTAT_SET_TIMES
        with self._folder.existing(path, follow and not new) as place:
            if creating and place.slash:
                raise WasiError(Errno.ISDIR)
            stat = self._folder.status(place)
            if new and stat:
                raise WasiError(Errno.EXIST)
            if stat and stat.filetype is Filetype.SYMBOLIC_LINK:
                raise WasiError(Errno.LOOP, f'"{path}" is a link')
            if stat and stat.filetype is Filetype.DIRECTORY:
                if creating or OpenFlags.TRUNC in how or Rights.FD_WRITE in rights:
                    raise WasiError(Errno.ISDIR)
                return Directory(self._folder.enter(place), rights, inheriting, readonly=self.readonly)
            if stat and (place.slash or OpenFlags.DIRECTORY in how):
                raise WasiError(Errno.NOTDIR)
            changing = rights & WRITING or OpenFlags.TRUNC in how or (creating and not stat)
            folder = self.changeable if changing else self._folder
            return folder.open(place, how, rights, inheriting, flags)

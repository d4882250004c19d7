"""wasi:filesystem: descriptors of files and directories.

https://github.com/WebAssembly/WASI/tree/v0.2.12/proposals/filesystem/wit
"""

from __future__ import annotations

from enum import Enum, Flag

from ...component.canonical.faces import Face
from ...component.interface import U64, Borrow, Interface, Variant, fails
from ...records import Frozen
from ..clocks import SECOND
from ..codes import (
    DIRECTORY_RIGHTS,
    FILE_RIGHTS,
    NO_RIGHTS,
    SYNCED,
    WRITING,
    ClockId,
    FdFlags,
    Filetype,
    LookupFlags,
    Rights,
)
from ..codes import Advice as AdviceCode
from ..codes import OpenFlags as Opening
from ..descriptors import MAX_OFFSET, Entry, Stat, Times
from ..descriptors import Descriptor as Opened
from ..errors import Errno, WasiError, number_of
from .clocks import Datetime
from .guest import Guest, User
from .io import MOST_AT_ONCE, Error, InputStream, OutputStream

TYPES = Interface("wasi:filesystem/types")
PREOPENS = Interface("wasi:filesystem/preopens")
SPECIAL_NAMES = (b".", b"..")
"""Names that listings contain in preview1 but not in 0.2."""


class ErrorCode(Enum):
    """The errors of this interface's functions."""

    ACCESS = "access"
    WOULD_BLOCK = "would-block"
    ALREADY = "already"
    BAD_DESCRIPTOR = "bad-descriptor"
    BUSY = "busy"
    DEADLOCK = "deadlock"
    QUOTA = "quota"
    EXIST = "exist"
    FILE_TOO_LARGE = "file-too-large"
    ILLEGAL_BYTE_SEQUENCE = "illegal-byte-sequence"
    IN_PROGRESS = "in-progress"
    INTERRUPTED = "interrupted"
    INVALID = "invalid"
    IO = "io"
    IS_DIRECTORY = "is-directory"
    LOOP = "loop"
    TOO_MANY_LINKS = "too-many-links"
    MESSAGE_SIZE = "message-size"
    NAME_TOO_LONG = "name-too-long"
    NO_DEVICE = "no-device"
    NO_ENTRY = "no-entry"
    NO_LOCK = "no-lock"
    INSUFFICIENT_MEMORY = "insufficient-memory"
    INSUFFICIENT_SPACE = "insufficient-space"
    NOT_DIRECTORY = "not-directory"
    NOT_EMPTY = "not-empty"
    NOT_RECOVERABLE = "not-recoverable"
    UNSUPPORTED = "unsupported"
    NO_TTY = "no-tty"
    NO_SUCH_DEVICE = "no-such-device"
    OVERFLOW = "overflow"
    NOT_PERMITTED = "not-permitted"
    PIPE = "pipe"
    READ_ONLY = "read-only"
    INVALID_SEEK = "invalid-seek"
    TEXT_FILE_BUSY = "text-file-busy"
    CROSS_DEVICE = "cross-device"

    @classmethod
    def of(cls, error: Exception) -> ErrorCode | None:
        number = number_of(error)
        return None if number is None else CODES.get(number, cls.IO)


CODES = {
    Errno.ACCES: ErrorCode.ACCESS,
    Errno.AGAIN: ErrorCode.WOULD_BLOCK,
    Errno.ALREADY: ErrorCode.ALREADY,
    Errno.BADF: ErrorCode.BAD_DESCRIPTOR,
    Errno.BUSY: ErrorCode.BUSY,
    Errno.DEADLK: ErrorCode.DEADLOCK,
    Errno.DQUOT: ErrorCode.QUOTA,
    Errno.EXIST: ErrorCode.EXIST,
    Errno.FBIG: ErrorCode.FILE_TOO_LARGE,
    Errno.ILSEQ: ErrorCode.ILLEGAL_BYTE_SEQUENCE,
    Errno.INPROGRESS: ErrorCode.IN_PROGRESS,
    Errno.INTR: ErrorCode.INTERRUPTED,
    Errno.INVAL: ErrorCode.INVALID,
    Errno.ISDIR: ErrorCode.IS_DIRECTORY,
    Errno.LOOP: ErrorCode.LOOP,
    Errno.MFILE: ErrorCode.INSUFFICIENT_MEMORY,
    Errno.MLINK: ErrorCode.TOO_MANY_LINKS,
    Errno.MSGSIZE: ErrorCode.MESSAGE_SIZE,
    Errno.NAMETOOLONG: ErrorCode.NAME_TOO_LONG,
    Errno.NFILE: ErrorCode.INSUFFICIENT_MEMORY,
    Errno.NODEV: ErrorCode.NO_DEVICE,
    Errno.NOENT: ErrorCode.NO_ENTRY,
    Errno.NOLCK: ErrorCode.NO_LOCK,
    Errno.NOMEM: ErrorCode.INSUFFICIENT_MEMORY,
    Errno.NOSPC: ErrorCode.INSUFFICIENT_SPACE,
    Errno.NOTCAPABLE: ErrorCode.NOT_PERMITTED,
    Errno.NOTDIR: ErrorCode.NOT_DIRECTORY,
    Errno.NOTEMPTY: ErrorCode.NOT_EMPTY,
    Errno.NOTRECOVERABLE: ErrorCode.NOT_RECOVERABLE,
    Errno.NOTSUP: ErrorCode.UNSUPPORTED,
    Errno.NOSYS: ErrorCode.UNSUPPORTED,
    Errno.NOTTY: ErrorCode.NO_TTY,
    Errno.NXIO: ErrorCode.NO_SUCH_DEVICE,
    Errno.OVERFLOW: ErrorCode.OVERFLOW,
    Errno.PERM: ErrorCode.NOT_PERMITTED,
    Errno.PIPE: ErrorCode.PIPE,
    Errno.ROFS: ErrorCode.READ_ONLY,
    Errno.SPIPE: ErrorCode.INVALID_SEEK,
    Errno.TXTBSY: ErrorCode.TEXT_FILE_BUSY,
    Errno.XDEV: ErrorCode.CROSS_DEVICE,
}
"""The errors for the numbers of preview1; all other numbers are IO."""


class DescriptorType(Enum):
    """The type of a descriptor's file or of a directory entry."""

    UNKNOWN = "unknown"
    BLOCK_DEVICE = "block-device"
    CHARACTER_DEVICE = "character-device"
    DIRECTORY = "directory"
    FIFO = "fifo"
    SYMBOLIC_LINK = "symbolic-link"
    REGULAR_FILE = "regular-file"
    SOCKET = "socket"


DESCRIPTOR_TYPES = {
    Filetype.BLOCK_DEVICE: DescriptorType.BLOCK_DEVICE,
    Filetype.CHARACTER_DEVICE: DescriptorType.CHARACTER_DEVICE,
    Filetype.DIRECTORY: DescriptorType.DIRECTORY,
    Filetype.SYMBOLIC_LINK: DescriptorType.SYMBOLIC_LINK,
    Filetype.REGULAR_FILE: DescriptorType.REGULAR_FILE,
    Filetype.SOCKET_DGRAM: DescriptorType.SOCKET,
    Filetype.SOCKET_STREAM: DescriptorType.SOCKET,
}


class DescriptorFlags(Flag):
    """The operations that a descriptor allows, and how it writes."""

    READ = 1
    WRITE = 2
    FILE_INTEGRITY_SYNC = 4
    DATA_INTEGRITY_SYNC = 8
    REQUESTED_WRITE_SYNC = 16
    MUTATE_DIRECTORY = 32


SYNCS = (
    (DescriptorFlags.FILE_INTEGRITY_SYNC, FdFlags.SYNC),
    (DescriptorFlags.DATA_INTEGRITY_SYNC, FdFlags.DSYNC),
    (DescriptorFlags.REQUESTED_WRITE_SYNC, FdFlags.RSYNC),
)
"""Flags of 0.2 with their equivalents in preview1."""


class PathFlags(Flag):
    """How the last component of a path is resolved."""

    SYMLINK_FOLLOW = 1


class OpenFlags(Flag):
    """Flags of opening a path."""

    CREATE = 1
    DIRECTORY = 2
    EXCLUSIVE = 4
    TRUNCATE = 8


class Advice(Enum):
    """The expected use of a file."""

    NORMAL = "normal"
    SEQUENTIAL = "sequential"
    RANDOM = "random"
    WILL_NEED = "will-need"
    DONT_NEED = "dont-need"
    NO_REUSE = "no-reuse"


class NewTimestamp(Variant):
    no_change: None
    now: None
    timestamp: Datetime


class DescriptorStat(Frozen):
    """The attributes of a file."""

    type: DescriptorType
    link_count: U64
    size: U64
    data_access_timestamp: Datetime | None
    data_modification_timestamp: Datetime | None
    status_change_timestamp: Datetime | None

    @classmethod
    def of(cls, stat: Stat) -> DescriptorStat:
        return cls(
            descriptor_type(stat.filetype),
            stat.links,
            stat.size,
            Datetime.of(stat.accessed),
            Datetime.of(stat.modified),
            Datetime.of(stat.changed),
        )


class DirectoryEntry(Frozen):
    """A name in a directory."""

    type: DescriptorType
    name: str


class MetadataHashValue(Frozen):
    """A hash that changes if a file is replaced or changed."""

    lower: U64
    upper: U64

    @classmethod
    def of(cls, stat: Stat) -> MetadataHashValue:
        from hashlib import blake2b  # loads OpenSSL, and few programs ask for a hash

        known = stat.device, stat.inode, stat.size, stat.modified, stat.changed
        digest = blake2b(repr(known).encode(), digest_size=16).digest()
        return cls(int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:], "little"))


def descriptor_type(filetype: Filetype) -> DescriptorType:
    return DESCRIPTOR_TYPES.get(filetype, DescriptorType.UNKNOWN)


def moment_of(guest: Guest, given: NewTimestamp | Face) -> int | None:
    """Nanoseconds since 1970; None leaves a time unchanged. Raises OVERFLOW beyond the year 2262."""
    match given.label:
        case "now":
            return guest.system.now(ClockId.REALTIME)
        case "timestamp":
            moment: Datetime = given.value
            nanoseconds = moment.seconds * SECOND + moment.nanoseconds
            if nanoseconds > MAX_OFFSET:
                raise WasiError(Errno.OVERFLOW, "no clock shows such a time")
            return nanoseconds
    return None


def times_of(guest: Guest, accessed: NewTimestamp, modified: NewTimestamp) -> Times:
    return Times(moment_of(guest, accessed), moment_of(guest, modified))


def follows(flags: PathFlags) -> bool:
    return PathFlags.SYMLINK_FOLLOW in flags


@TYPES.resource
class Descriptor(User):
    """A file or a directory that the guest has opened, or a preopened directory."""

    def _opened(self, rights: Rights = NO_RIGHTS) -> Opened:
        """The model's descriptor. Raises BADF if it was opened without these rights."""
        opened = self._guest.descriptor(self._number)
        if rights & opened.applicable & ~opened.rights:
            raise WasiError(Errno.BADF, "the descriptor was opened for something else")
        return opened

    # Reading and writing.

    @fails(ErrorCode)
    def read_via_stream(self, offset: U64) -> InputStream:
        if self._opened().filetype is Filetype.DIRECTORY:
            raise WasiError(Errno.ISDIR)
        self._opened(Rights.FD_READ)
        return InputStream(self._guest, self._number, offset)

    @fails(ErrorCode)
    def write_via_stream(self, offset: U64) -> OutputStream:
        self._file(Rights.FD_WRITE)
        return OutputStream(self._guest, self._number, offset)

    @fails(ErrorCode)
    def append_via_stream(self) -> OutputStream:
        self._file(Rights.FD_WRITE)
        return Appending(self._guest, self._number)

    @fails(ErrorCode)
    def read(self, length: U64, offset: U64) -> tuple[bytes, bool]:
        buffer = bytearray(min(length, MOST_AT_ONCE))
        count = self._file(Rights.FD_READ).pread([memoryview(buffer)], offset, self._guest.patience)
        return bytes(memoryview(buffer)[:count]), count == 0 and length > 0

    @fails(ErrorCode)
    def write(self, buffer: bytes, offset: U64) -> U64:
        return self._file(Rights.FD_WRITE).pwrite([memoryview(buffer)], offset, self._guest.patience)

    def _file(self, rights: Rights) -> Opened:
        """The descriptor, which must not be a directory."""
        opened = self._opened(rights)
        if opened.filetype is Filetype.DIRECTORY:
            raise WasiError(Errno.BADF, "the descriptor is a directory's")
        return opened

    # Operations on files.

    @fails(ErrorCode)
    def advise(self, offset: U64, length: U64, advice: Advice) -> None:
        code = AdviceCode(list(Advice).index(advice))
        self._file(Rights.FD_ADVISE).advise(offset, length, code)

    @fails(ErrorCode)
    def sync_data(self) -> None:
        self._sync()

    @fails(ErrorCode)
    def sync(self) -> None:
        self._sync()

    def _sync(self) -> None:
        """Sync a file; for a directory it does nothing, as in wasmtime."""
        opened = self._opened()
        if opened.filetype is not Filetype.DIRECTORY:
            opened.sync(self._guest.patience)

    @fails(ErrorCode)
    def get_flags(self) -> DescriptorFlags:
        opened = self._opened()
        flags = DescriptorFlags(0)
        if opened.filetype is Filetype.DIRECTORY:
            flags |= DescriptorFlags.READ
            if self._is_changeable(opened):
                flags |= DescriptorFlags.MUTATE_DIRECTORY
            return flags
        if Rights.FD_READ in opened.rights:
            flags |= DescriptorFlags.READ
        if Rights.FD_WRITE in opened.rights:
            flags |= DescriptorFlags.WRITE
        for flag, number in SYNCS:
            if number in opened.flags:
                flags |= flag
        return flags

    def _is_changeable(self, opened: Opened) -> bool:
        try:
            return opened.changeable is not None
        except WasiError:
            return False

    @fails(ErrorCode)
    def get_type(self) -> DescriptorType:
        return descriptor_type(self._opened().filetype)

    @fails(ErrorCode)
    def set_size(self, size: U64) -> None:
        self._file(Rights.FD_FILESTAT_SET_SIZE).set_size(size, self._guest.patience)

    @fails(ErrorCode)
    def set_times(
        self, data_access_timestamp: NewTimestamp, data_modification_timestamp: NewTimestamp
    ) -> None:
        times = times_of(self._guest, data_access_timestamp, data_modification_timestamp)
        opened = self._opened()
        if Rights.FD_FILESTAT_SET_TIMES & opened.applicable & ~opened.rights:
            raise WasiError(Errno.ROFS, "the file is in a directory that was given to be read only")
        opened.set_times(times)

    @fails(ErrorCode)
    def stat(self) -> DescriptorStat:
        return DescriptorStat.of(self._opened().stat())

    @fails(ErrorCode)
    def metadata_hash(self) -> MetadataHashValue:
        return MetadataHashValue.of(self._opened().stat())

    def is_same_object(self, other: Borrow[Descriptor]) -> bool:
        if self._number == other._number:
            return True
        try:
            one, two = self._opened().stat(), other._opened().stat()
        except (OSError, WasiError):
            return False
        return (one.device, one.inode) == (two.device, two.inode) and one.inode != 0

    # Directories.

    def _directory(self) -> Opened:
        """The descriptor, which must be a directory."""
        opened = self._opened()
        if opened.filetype is not Filetype.DIRECTORY:
            raise WasiError(Errno.NOTDIR, "the descriptor is no directory's")
        return opened

    @fails(ErrorCode)
    def read_directory(self) -> DirectoryEntryStream:
        self._directory()
        return DirectoryEntryStream(self._guest, self._number)

    @fails(ErrorCode)
    def create_directory_at(self, path: str) -> None:
        self._directory().changeable.make_directory(path)

    @fails(ErrorCode)
    def stat_at(self, path_flags: PathFlags, path: str) -> DescriptorStat:
        return DescriptorStat.of(self._directory().folder.stat_at(path, follows(path_flags)))

    @fails(ErrorCode)
    def metadata_hash_at(self, path_flags: PathFlags, path: str) -> MetadataHashValue:
        return MetadataHashValue.of(self._directory().folder.stat_at(path, follows(path_flags)))

    @fails(ErrorCode)
    def set_times_at(
        self,
        path_flags: PathFlags,
        path: str,
        data_access_timestamp: NewTimestamp,
        data_modification_timestamp: NewTimestamp,
    ) -> None:
        times = times_of(self._guest, data_access_timestamp, data_modification_timestamp)
        self._directory().changeable.set_times_at(path, follows(path_flags), times)

    @fails(ErrorCode)
    def link_at(
        self, old_path_flags: PathFlags, old_path: str, new_descriptor: Borrow[Descriptor], new_path: str
    ) -> None:
        if follows(old_path_flags):
            raise WasiError(Errno.INVAL, "a link is made to the name itself")
        self._directory().changeable.link(old_path, new_descriptor._directory().changeable, new_path)

    @fails(ErrorCode)
    def open_at(
        self, path_flags: PathFlags, path: str, open_flags: OpenFlags, flags: DescriptorFlags
    ) -> Descriptor:
        directory = self._directory()
        if DescriptorFlags.MUTATE_DIRECTORY in flags:
            directory.changeable  # noqa: B018 # raises if the directory is read-only
        rights = FILE_RIGHTS | DIRECTORY_RIGHTS
        if DescriptorFlags.WRITE not in flags and OpenFlags.TRUNCATE not in open_flags:
            rights &= ~WRITING
        elif DescriptorFlags.READ not in flags:
            rights &= ~Rights.FD_READ
        how = FdFlags(0)
        for flag, number in SYNCS:
            if flag in flags:
                how |= number
        opened = self._guest.system.open(
            self._number,
            path,
            LookupFlags.SYMLINK_FOLLOW if follows(path_flags) else LookupFlags(0),
            Opening(open_flags.value),
            rights,
            FILE_RIGHTS | DIRECTORY_RIGHTS,
            how & SYNCED,
        )
        self._guest.opened(opened)
        try:
            return Descriptor(self._guest, opened)
        finally:
            self._guest.release(opened)

    @fails(ErrorCode)
    def readlink_at(self, path: str) -> str:
        target = self._directory().folder.readlink(path)
        target.encode("utf-8")  # raises if the host's name isn't Unicode
        return target

    @fails(ErrorCode)
    def remove_directory_at(self, path: str) -> None:
        self._directory().changeable.remove_directory(path)

    @fails(ErrorCode)
    def rename_at(self, old_path: str, new_descriptor: Borrow[Descriptor], new_path: str) -> None:
        self._directory().changeable.rename(old_path, new_descriptor._directory().changeable, new_path)

    @fails(ErrorCode)
    def symlink_at(self, old_path: str, new_path: str) -> None:
        self._directory().changeable.symlink(old_path, new_path)

    @fails(ErrorCode)
    def unlink_file_at(self, path: str) -> None:
        self._directory().changeable.remove_file(path)


class Appending(OutputStream):
    """A stream that writes at the current end of the file."""

    def _put_all(self, rest: memoryview) -> None:
        self._position = self._guest.descriptor(self._number).stat().size
        super()._put_all(rest)


@TYPES.resource
class DirectoryEntryStream(User):
    """The names in a directory, one after another."""

    _cookie = 0
    """The position of the next name."""

    @fails(ErrorCode)
    def read_directory_entry(self) -> DirectoryEntry | None:
        while (entry := self._next()) is not None:
            if entry.name not in SPECIAL_NAMES:
                return DirectoryEntry(descriptor_type(entry.filetype), entry.name.decode("utf-8"))
        return None

    def _next(self) -> Entry | None:
        system, patience = self._guest.system, self._guest.patience
        for cookie, entry in system.entries(self._number, self._cookie, patience):
            self._cookie = cookie
            return entry
        return None


@TYPES.function
def filesystem_error_code(err: Borrow[Error]) -> ErrorCode | None:
    return CODES.get(err.number)


@PREOPENS.function
def get_directories(guest: Guest) -> list[tuple[Descriptor, str]]:
    return [
        (Descriptor(guest, number), opened.preopen)
        for number, opened in guest.system.table.numbered()
        if opened.preopen is not None
    ]


INTERFACES = TYPES, PREOPENS

"""The error numbers of WASI preview1, and the exception that carries one to a face.

Numbers: https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md#errno
What is here: `Errno`, `WasiError` and the translation of the host's `OSError`.
What is not: turning exceptions into results, which only a face does (`preview1.py`).
"""

from __future__ import annotations

import errno
from functools import cache

from ..enumerations import IntEnum
from ..printable import PrintableError


class Errno(IntEnum):
    """The result of every function of preview1; 0 is success."""

    SUCCESS = 0
    TOOBIG = 1  # E2BIG
    ACCES = 2
    ADDRINUSE = 3
    ADDRNOTAVAIL = 4
    AFNOSUPPORT = 5
    AGAIN = 6
    ALREADY = 7
    BADF = 8
    BADMSG = 9
    BUSY = 10
    CANCELED = 11
    CHILD = 12
    CONNABORTED = 13
    CONNREFUSED = 14
    CONNRESET = 15
    DEADLK = 16
    DESTADDRREQ = 17
    DOM = 18
    DQUOT = 19
    EXIST = 20
    FAULT = 21
    FBIG = 22
    HOSTUNREACH = 23
    IDRM = 24
    ILSEQ = 25
    INPROGRESS = 26
    INTR = 27
    INVAL = 28
    IO = 29
    ISCONN = 30
    ISDIR = 31
    LOOP = 32
    MFILE = 33
    MLINK = 34
    MSGSIZE = 35
    MULTIHOP = 36
    NAMETOOLONG = 37
    NETDOWN = 38
    NETRESET = 39
    NETUNREACH = 40
    NFILE = 41
    NOBUFS = 42
    NODEV = 43
    NOENT = 44
    NOEXEC = 45
    NOLCK = 46
    NOLINK = 47
    NOMEM = 48
    NOMSG = 49
    NOPROTOOPT = 50
    NOSPC = 51
    NOSYS = 52
    NOTCONN = 53
    NOTDIR = 54
    NOTEMPTY = 55
    NOTRECOVERABLE = 56
    NOTSOCK = 57
    NOTSUP = 58
    NOTTY = 59
    NXIO = 60
    OVERFLOW = 61
    OWNERDEAD = 62
    PERM = 63
    PIPE = 64
    PROTO = 65
    PROTONOSUPPORT = 66
    PROTOTYPE = 67
    RANGE = 68
    ROFS = 69
    SPIPE = 70
    SRCH = 71
    STALE = 72
    TIMEDOUT = 73
    TXTBSY = 74
    XDEV = 75
    NOTCAPABLE = 76


class WasiError(PrintableError):
    """A system call failed. `errno` is for the guest; `reason` is for the user, and the guest never sees
    it."""

    def __init__(self, number: Errno, reason: str = "") -> None:
        super().__init__(f"{number.name}: {reason}" if reason else number.name)
        self.errno = number
        self.reason = reason


@cache
def by_host_errno() -> dict[int, Errno]:
    """The guest's numbers by the host's. The names are the POSIX names without their E, so the table is
    computed; the rest are synonyms."""
    named = {getattr(errno, "E" + number.name, 0): number for number in Errno}
    synonyms = {errno.E2BIG: Errno.TOOBIG, errno.EWOULDBLOCK: Errno.AGAIN, errno.EOPNOTSUPP: Errno.NOTSUP}
    return named | synonyms


def errno_of(error: OSError) -> Errno:
    """The guest's number for an error of the host's system; EIO if WASI has none."""
    return by_host_errno().get(error.errno or -1, Errno.IO)


def number_of(error: Exception) -> Errno | None:
    """The guest's number for an error of the model; None for an error that is not the guest's."""
    match error:
        case WasiError():
            return error.errno
        case OSError():
            return errno_of(error)
        case UnicodeError():
            return Errno.ILSEQ
    return None

"""The host model: one guest's arguments, environment, clocks, random numbers and descriptors. Nothing in it
is global.

Faces (`preview1.py`, `unstable.py`) act on a `System` and have no other state. What is not here: the
user's configuration, and making a System from it (`provider.py`), and guest memory, which no model sees.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

from ..errors import GuestExit
from ..limits import DEFAULTS, Limits
from .clocks import REAL_CLOCKS, SECOND, Clocks
from .codes import NO_RIGHTS, ClockId, FdFlags, LookupFlags, OpenFlags, Rights, Signal, Whence
from .descriptors import Descriptor, DescriptorTable, Entry
from .errors import Errno, WasiError
from .patience import Patience

if TYPE_CHECKING:
    from .hints import Hints
    from .waits import Event, Wait

RANDOM_PIECE = 1 << 16
STDOUT = 1
IGNORED_SIGNALS = {Signal.NONE, Signal.CHLD, Signal.CONT, Signal.URG, Signal.WINCH}
"""Signals that a process ignores by default."""
STOPPING_SIGNALS = {Signal.STOP, Signal.TSTP, Signal.TTIN, Signal.TTOU}


class System:
    """The WASI state of one guest."""

    def __init__(
        self,
        arguments: Sequence[bytes] = (),
        environment: Sequence[bytes] = (),
        *,
        clocks: Clocks = REAL_CLOCKS,
        random: Callable[[int], bytes] = os.urandom,
        report: Callable[[str], None] = lambda text: None,
        limits: Limits = DEFAULTS,
    ) -> None:
        self.arguments = tuple(arguments)
        self.environment = tuple(environment)
        self.clocks = clocks
        self.random = random
        self.report = report
        self.notes: Iterable[str] = ()
        """The last notes for the user: why a guest may have failed that exits with an error."""
        self.limits = limits
        self.table = DescriptorTable(limits.descriptors)
        self._unreached = dict.fromkeys(self.arguments[1:])
        """Arguments without those that the guest opened as they stand, below one of its directories."""
        self._listed: dict[Descriptor, None] = {}
        """Directories with a stored listing, the most recently listed one last."""
        self._began = clocks.monotonic()

    @cached_property
    def hints(self) -> Hints:
        """Notes on files that the guest did not find."""
        from .hints import Hints

        return Hints(self.report)

    def copy(self) -> System:
        """An independent copy of this state. Both still share files, sinks, clocks and random numbers. Raises
        NOTSUP if a descriptor can't be copied."""
        copied = System(
            self.arguments,
            self.environment,
            clocks=self.clocks,
            random=self.random,
            report=self.report,
            limits=self.limits,
        )
        copied.table = self.table.copy()
        copied._listed = dict.fromkeys(descriptor for descriptor in copied.table if descriptor.kept)
        copied._unreached = dict(self._unreached)
        copied.notes = self.notes
        copied._began = self._began
        return copied

    def close(self) -> None:
        """Close every descriptor."""
        self.table.close_all()

    def descriptor(self, number: int, rights: Rights = NO_RIGHTS) -> Descriptor:
        """The open descriptor of this number, which must have these rights. Raises BADF or NOTCAPABLE."""
        return self.table.get(number, rights)

    def write_out(self, data: bytes, patience: Patience) -> None:
        """Write all bytes to descriptor 1, whatever it is at the moment. Raises WasiError."""
        left = memoryview(data)
        while left:
            count = self.descriptor(STDOUT, Rights.FD_WRITE).write((left,), patience)
            if not count:
                raise WasiError(Errno.IO, "standard output takes nothing")
            left = left[count:]

    # Time.

    def now(self, clock: ClockId) -> int:
        """The time of a clock in nanoseconds; the monotonic clock starts with the guest."""
        match clock:
            case ClockId.REALTIME:
                return self.clocks.realtime()
            case ClockId.MONOTONIC:
                return self.clocks.monotonic() - self._began
            case ClockId.PROCESS_CPUTIME:
                return self.clocks.process()
            case ClockId.THREAD_CPUTIME:
                return self.clocks.thread()

    def resolution(self, clock: ClockId) -> int:
        """Nanoseconds between two readings that can differ, at least 1."""
        return self.clocks.resolution_of(clock)

    def sleep(self, nanoseconds: int, patience: Patience) -> None:
        """Sleep for `nanoseconds`. Raises DeadlineError when the guest's time is over."""
        from .waits import piece_of

        while nanoseconds > 0:
            piece = piece_of(nanoseconds, patience)
            self.clocks.sleep(piece / SECOND)
            nanoseconds -= piece

    # Random numbers.

    def fill_random(self, buffer: memoryview, patience: Patience) -> None:
        for start in range(0, len(buffer), RANDOM_PIECE):
            if start:
                patience()
            part = buffer[start : start + RANDOM_PIECE]
            part[:] = self.random(len(part))

    # The end.

    def exit(self, code: int) -> NoReturn:
        end = GuestExit(code)
        if code:
            self.hints.failed(tuple(self._unreached), self.table)
            for note in self.notes:
                end.add_note(note)
        raise end

    def raise_signal(self, signal: Signal) -> None:
        """Send a signal to the guest itself. No guest can catch one, so the guest ends with a shell's exit
        code, or the signal is ignored."""
        if signal in STOPPING_SIGNALS:
            raise WasiError(Errno.NOTSUP, "nothing could wake the guest up again")
        if signal not in IGNORED_SIGNALS:
            self.exit(128 + signal)

    # Files.

    def seek(self, number: int, offset: int, whence: Whence) -> int:
        """Move the position; returns the new one. A query without moving needs fewer rights."""
        moving = offset != 0 or whence is not Whence.CUR
        return self.descriptor(number, Rights.FD_SEEK if moving else Rights.FD_TELL).seek(offset, whence)

    def tell(self, number: int) -> int:
        """The position from the start of the file."""
        return self.seek(number, 0, Whence.CUR)

    def preopen(self, number: int, other: Errno = Errno.BADF) -> bytes:
        """The guest's path of a preopened directory; `other` is the error for any other open descriptor."""
        name = self.descriptor(number).preopen
        if name is None:
            raise WasiError(other, f"descriptor {number} is no directory that the guest was given")
        return name.encode("utf-8", "surrogateescape")

    def accept(self, number: int, flags: FdFlags, patience: Patience) -> int:
        """Wait for a connection to a listener; returns the number of its descriptor."""
        return self.admit(self.descriptor(number, Rights.SOCK_ACCEPT).accept(flags, patience))

    def admit(self, opened: Descriptor) -> int:
        """Give an opened descriptor a number. Raises NFILE, with nothing left open, if the guest would use
        more of the host's descriptors than remain for all other guests."""
        if opened.descriptor is not None:
            from .held import left_after  # imported already when the descriptor was opened

            left = left_after(opened.descriptor)
            if left < self.limits.descriptors and left <= self.taken():
                opened.close()
                raise WasiError(Errno.NFILE, f"only {left} descriptors are left for all other guests")
        return self.table.add(opened)

    def taken(self) -> int:
        """The number of host descriptors that the guest has opened."""
        return sum(each.descriptor is not None and each.preopen is None for each in self.table)

    def open(
        self,
        directory: int,
        path: str,
        lookup: LookupFlags,
        how: OpenFlags,
        rights: Rights,
        inheriting: Rights,
        flags: FdFlags,
    ) -> int:
        """Open a path below a directory; returns the number of the new descriptor."""
        needed = Rights.PATH_OPEN
        if OpenFlags.CREAT in how:
            needed |= Rights.PATH_CREATE_FILE
        if OpenFlags.TRUNC in how:
            needed |= Rights.PATH_FILESTAT_SET_SIZE
        base = self.descriptor(directory, needed)
        try:
            opened = base.open(path, LookupFlags.SYMLINK_FOLLOW in lookup, how, rights, inheriting, flags)
        except FileNotFoundError:
            self.hints.not_found(base, path, self.table)
            raise
        self._unreached.pop(path.encode("utf-8", "surrogateescape"), None)
        return self.admit(opened)

    def entries(self, number: int, cookie: int, patience: Patience) -> Iterator[tuple[int, Entry]]:
        """The entries of a directory from a cookie on, each with the cookie of the next."""
        directory = self.descriptor(number, Rights.FD_READDIR)
        entries = directory.entries(cookie, self.limits.listings, patience)
        self._listed.pop(directory, None)
        self._listed = {listed: None for listed in (*self._listed, directory) if listed.kept}
        kept = sum(listed.kept for listed in self._listed)
        for listed in self._listed:
            if kept <= self.limits.listings:
                break
            kept -= listed.kept
            listed.forget()
        return entries

    # Waiting.

    def poll(self, waits: Sequence[Wait], patience: Patience) -> list[Event]:
        """Wait until at least one of `waits` is over. Returns the events of all that are over then. Raises
        BADF for a descriptor that isn't open or can't be waited for."""
        from .polling import Polled

        polled = Polled(self, patience)
        for wait in waits:
            polled.add(wait)
        return polled.wait()

"""Copies of the process (`fork`), in each of which a guest goes on with an answer of its own.

What is here: making a copy, bounding it and reading what it says. What is not: the host that answers the
guest there (`stand_in.py`), and which answers are tried (`following.py`).
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import stat
import sys
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import monotonic
from typing import Any

from ...interpreter.runtime.store import Store
from ...records import Frozen

WALL = 6.0
"""A copy may take so many times as long as its processor time, on a machine that does other things."""
MOST_REPLY = 1 << 16
LOOK, LOOKS = 0.25, 4
"""A copy that sleeps at so many looks, these seconds apart, waits for what only its parent has, such as a
lock that another thread held."""
END = b"\n"
"""Ends what a copy says."""


class Reply(Frozen):
    """What a guest wrote in a copy, between computes, the indices of the outputs that it fetched, and what
    ended it: "returned", "exit", "trap", or the name of a host function that copies don't have."""

    texts: tuple[str, ...]
    fetched: frozenset[int]
    end: str
    behind: int = 0
    """Bytes behind an answer in the guest's buffer that were filled."""
    made: tuple[int, ...] = ()
    """The functions that the guest's engine made ready, by funcidx."""

    @property
    def text(self) -> str:
        return "".join(self.texts)

    @property
    def is_whole(self) -> bool:
        """Whether the guest came to its end."""
        return self.end in ("returned", "exit")


def available() -> bool:
    """Whether this system can copy a process that runs several threads without harm."""
    return sys.platform == "linux" and hasattr(os, "fork")


class CopyError(Exception):
    """The process can't be copied."""


Leave = Callable[[Mapping[str, Any]], None]
"""Ends the copy with what its parent gets."""


def copied(go_on: Callable[[Leave], None], seconds: float) -> tuple[bool, Reply | None]:
    """Copy the process. Returns (True, None) in the copy, which goes on after `go_on` has prepared it and
    must end by the function that this gets; and (False, what came of it) in the process itself, None if the
    copy failed or used more than so many seconds of processor time. Raises CopyError if there can be no
    copies."""
    if "numpy" in sys.modules:  # so loops may become arrays, and each copy would import what that takes
        from ...interpreter.arrays import nested, ragged, steps  # noqa: F401
    source, sink = os.pipe()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # threads of frameworks are none of the copy's business
            child = os.fork()
    except (OSError, RuntimeError) as error:  # no memory, too many processes, or Python doesn't allow it
        os.close(source)
        os.close(sink)
        raise CopyError(str(error)) from error
    if child:
        os.close(sink)
        try:
            return False, read_reply(source, child, WALL * seconds)
        finally:
            os.close(source)
            with suppress(OSError):
                os.kill(child, signal.SIGKILL)
            with suppress(OSError):
                os.waitpid(child, 0)
    try:
        os.close(source)
        confine(sink, seconds)
        go_on(leaving(sink))
    except BaseException:
        os._exit(1)
    return True, None


def confine(sink: int, seconds: float) -> None:
    """In a copy: write to nothing but `sink`, keep what belongs to the parent, and end in time even without
    it."""
    import resource

    gc.disable()
    for one in (signal.SIGALRM, signal.SIGPROF, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(one, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM, signal.SIGPROF])
    signal.setitimer(signal.ITIMER_REAL, WALL * seconds)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in {1, 2} | (connections() - {sink}):
        os.dup2(nowhere, number)
    for number in files():
        opened_anew(number, nowhere)


def opened_anew(number: int, nowhere: int) -> None:
    """Give a file a position of its own: the parent's would move, too."""
    try:
        position = os.lseek(number, 0, os.SEEK_CUR)
        own = os.open(f"/proc/self/fd/{number}", os.O_RDONLY | os.O_CLOEXEC)
        os.lseek(own, position, os.SEEK_SET)
    except OSError:
        own = nowhere
    os.dup2(own, number)
    if own != nowhere:
        os.close(own)


def is_file(number: int) -> bool:
    """Whether a descriptor is a file."""
    try:
        return stat.S_ISREG(os.fstat(number).st_mode)
    except OSError:
        return False


def files() -> list[int]:
    """The descriptors of files."""
    return [number for number in map(int, os.listdir("/proc/self/fd")) if is_file(number)]


def connections() -> set[int]:
    """The descriptors of sockets, pipes, terminals and other devices: of all but files and folders."""
    found = set()
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):  # the one by which they were listed is closed
            mode = os.fstat(int(name)).st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                found.add(int(name))
    return found


def leaving(sink: int) -> Leave:
    """The function that ends a copy. Also the outermost return to the host does: nothing of the embedder's
    runs twice."""

    def leave(said: Mapping[str, Any]) -> None:
        with suppress(BaseException):
            data = json.dumps(said).encode() + END
            while data:
                data = data[os.write(sink, data) :]
        os._exit(0)

    return leave


def on_return(call: Callable[[], None]) -> None:
    """In a copy: call this when the guest's function returns to the host, or fails."""

    def give(self: Store) -> None:
        call()

    Store.give = give  # type: ignore[method-assign] # nothing else runs in this process any more


def read_reply(source: int, child: int, seconds: float) -> Reply | None:
    """Returns what a copy says, until it ends, sleeps or time is over."""
    data, end = bytearray(), monotonic() + seconds
    poll = select.poll()  # which takes descriptors above 1023, too
    poll.register(source, select.POLLIN)
    asleep, before = 0, -1
    while monotonic() < end and len(data) < MOST_REPLY and asleep < LOOKS:
        if poll.poll(1000 * LOOK):
            part = os.read(source, MOST_REPLY)
            data += part
            if data.endswith(END):
                said = json.loads(data)
                texts, made = tuple(said["texts"]), tuple(said["made"])
                return Reply(texts, frozenset(said["fetched"]), said["end"], said["behind"], made)
            if not part:
                break
        else:
            sleeps, ticks = state(child)
            asleep = asleep + 1 if sleeps and ticks == before else 0
            before = ticks
    return None


def state(process: int) -> tuple[bool, int]:
    """Whether a process sleeps, and how many ticks of processor time it has used."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:  # somebody else has waited for it
        return True, 0
    return fields[0] == "S", int(fields[11]) + int(fields[12])


def used() -> float:
    """Processor time of copies that have ended and of this thread, which makes them; what a framework's
    threads take meanwhile doesn't count."""
    from time import thread_time  # missing where there are no threads

    times = os.times()
    return thread_time() + times.children_user + times.children_system

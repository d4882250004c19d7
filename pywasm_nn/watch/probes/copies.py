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
import sys
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import monotonic
from typing import Any

from ...interpreter.runtime.store import Store
from ...records import record

WALL = 6.0
"""A copy may take so many times as long as its processor time, on a machine that does other things."""
MOST_REPLY = 1 << 16


@record
class Reply:
    """What a guest wrote in a copy, between computes, the indices of the outputs that it fetched, and what
    ended it: "returned", "exit", "trap", or the name of a host function that copies don't have."""

    texts: tuple[str, ...]
    fetched: frozenset[int]
    end: str
    behind: int = 0
    """Bytes behind an answer in the guest's buffer that were filled."""

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


Leave = Callable[[Mapping[str, Any]], None]
"""Ends the copy with what its parent gets."""


def copied(go_on: Callable[[Leave], None], seconds: float) -> tuple[bool, Reply | None]:
    """Copy the process. Returns (True, None) in the copy, which goes on after `go_on` has prepared it and
    must end by the function that this gets; and (False, what came of it) in the process itself, None if the
    copy failed or used more than so many seconds of processor time."""
    source, sink = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # threads of frameworks are none of the copy's business
        child = os.fork()
    if child:
        os.close(sink)
        try:
            return False, read_reply(source, WALL * seconds)
        finally:
            os.close(source)
            with suppress(OSError):
                os.kill(child, signal.SIGKILL)
            with suppress(OSError):
                os.waitpid(child, 0)
    try:
        os.close(source)
        confine(seconds)
        go_on(leaving(sink))
    except BaseException:
        os._exit(1)
    return True, None


def confine(seconds: float) -> None:
    """In a copy: write to no file and no terminal, keep what belongs to the parent, and end in time."""
    import resource

    gc.disable()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)


def leaving(sink: int) -> Leave:
    """The function that ends a copy. Also the outermost return to the host does: nothing of the embedder's
    runs twice."""

    def leave(said: Mapping[str, Any]) -> None:
        with suppress(BaseException):
            data = json.dumps(said).encode()
            while data:
                data = data[os.write(sink, data) :]
        os._exit(0)

    return leave


def on_return(call: Callable[[], None]) -> None:
    """In a copy: call this when the guest's function returns to the host, or fails."""

    def give(self: Store) -> None:
        call()

    Store.give = give  # type: ignore[method-assign] # nothing else runs in this process any more


def read_reply(source: int, seconds: float) -> Reply | None:
    """What a copy says, until it ends or time is over."""
    data, end = bytearray(), monotonic() + seconds
    while (left := end - monotonic()) > 0 and len(data) < MOST_REPLY:
        if not select.select([source], [], [], left)[0]:
            break
        part = os.read(source, MOST_REPLY)
        if not part:
            with suppress(ValueError, KeyError):
                said = json.loads(data)
                return Reply(tuple(said["texts"]), frozenset(said["fetched"]), said["end"], said["behind"])
            break
        data += part
    return None


class Purse:
    """Processor time that copies may take in total. It counts when they have ended; what a framework's
    threads take meanwhile doesn't."""

    def __init__(self, seconds: float) -> None:
        self._end = used() + seconds

    def left(self) -> float:
        return self._end - used()


def used() -> float:
    times = os.times()
    return times.children_user + times.children_system

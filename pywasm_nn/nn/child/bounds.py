"""Limits a child's memory, and ends the child with its host.

What is here: `Bounds`, used in the child. On Linux the address space of the process is limited; elsewhere a
thread measures the memory in use. What is not: the work that takes the memory (`serve`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from time import sleep
from typing import NoReturn

OVERDRAWN = 75
"""Exit code of a child that exceeded its memory limit."""
ORPHANED = 76
"""Exit code of a child whose host has ended."""
LINUX = sys.platform == "linux"
GLANCE = 0.5 if LINUX else 0.05
"""Seconds between two checks of the thread."""
STACKS = 8 << 20
"""Bytes of address space that a framework's thread reserves for its stack, and rarely uses."""
MOST_THREADS = 16


def stacks() -> int:
    """Bytes of address space for stacks of a framework's threads, which a child may have beyond its limit."""
    return STACKS * min(os.cpu_count() or 1, MOST_THREADS)


class Bounds:
    """The limit on this process's memory, on top of what its frameworks take before they load a model."""

    def __init__(self, allowance: int, host: int, cell: Path) -> None:
        self.allowance = allowance
        self._threads = stacks()
        self._base = 0
        self._host = host
        self._cell = cell
        Thread(target=self._watch, name="pywasm-nn bounds", daemon=True).start()

    @contextmanager
    def preparing(self) -> Iterator[None]:
        """A block whose memory isn't counted: the framework's own."""
        self._limit(None)
        before = in_use()
        try:
            yield
        finally:
            now = in_use()
            self._base = self._base + now - before if self._base else now
            self._limit(self._base + self.allowance)

    def _limit(self, size: int | None) -> None:
        if LINUX:
            import resource

            _, hard = resource.getrlimit(resource.RLIMIT_AS)
            soft = hard if size is None else size + self._threads
            if hard != resource.RLIM_INFINITY:
                soft = min(soft, hard)
            with suppress(ValueError, OSError):
                resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
            self._most = None
        else:
            self._most = size

    _most: int | None = None

    def _watch(self) -> None:
        while True:
            sleep(GLANCE)
            if os.name == "posix" and os.getppid() != self._host:
                self.leave()
            if self._most is not None and in_use() > self._most:
                os._exit(OVERDRAWN)

    def leave(self) -> NoReturn:
        """The host has ended: exit at once, despite other threads, and remove the directory that the host
        left."""
        import shutil  # imported here, because few children need it

        shutil.rmtree(self._cell, ignore_errors=True)
        os._exit(ORPHANED)


def in_use() -> int:
    """The memory of this process in bytes: on Linux its address space, elsewhere its memory, current or
    peak."""
    if LINUX:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    return WAYS.get(sys.platform, peak)()


def peak() -> int:
    """The peak memory in bytes."""
    import resource

    unit = 1 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def committed() -> int:
    """The private bytes of a Windows process (PROCESS_MEMORY_COUNTERS_EX.PrivateUsage)."""
    import ctypes

    counters = (ctypes.c_size_t * 10)()
    kernel = ctypes.CDLL("kernel32")
    kernel.GetCurrentProcess.restype = ctypes.c_void_p
    process = ctypes.c_void_p(kernel.GetCurrentProcess())
    kernel.K32GetProcessMemoryInfo(process, ctypes.byref(counters), ctypes.sizeof(counters))
    return int(counters[9])


WAYS: dict[str, Callable[[], int]] = {"win32": committed}

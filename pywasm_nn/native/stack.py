"""The stack of the running thread, on which wasmtime's guests run too.

What is not here: how much of it guests may take (`code`), and how deep calls of the other engines are
(`interpreter.runtime.depth`).
"""

from __future__ import annotations

import ctypes
import sys
import threading

from ..errors import ExhaustionError, TrapKind

FOR_HOST = 256 << 10
"""Bytes beside the guests' for what calls them, and for the host's functions that they call."""
ATTRIBUTES = 256
"""Bytes that are enough for a `pthread_attr_t`."""


class Room(threading.local):
    """Whether a thread has looked at its stack, and found room for guests."""

    enough = False

    def look(self, wanted: int) -> None:
        """Raises ExhaustionError if guests that may take `wanted` bytes could leave this thread's stack,
        which would end the process."""
        size = stack_size()
        if size is not None and size < wanted + FOR_HOST:
            raise ExhaustionError(
                TrapKind.CALL_STACK_EXHAUSTED,
                f"this thread's stack of {size >> 10} KiB is too small for a guest in wasmtime, "
                f"which may take {wanted >> 10} KiB: give the thread more (threading.stack_size), or lower "
                "Limits.call_depth",
            )
        self.enough = True


def stack_size() -> int | None:
    """Bytes of the running thread's stack; None where the system doesn't tell."""
    try:
        if sys.platform == "win32":
            low, high = ctypes.c_size_t(), ctypes.c_size_t()
            ctypes.windll.kernel32.GetCurrentThreadStackLimits(ctypes.byref(low), ctypes.byref(high))
            return high.value - low.value
        return of_posix(ctypes.CDLL(None))
    except (AttributeError, OSError):  # no such function
        return None


def of_posix(library: ctypes.CDLL) -> int | None:
    """The same on systems with POSIX threads."""
    library.pthread_self.restype = ctypes.c_void_p
    thread = ctypes.c_void_p(library.pthread_self())
    if sys.platform == "darwin":
        library.pthread_get_stacksize_np.restype = ctypes.c_size_t
        return int(library.pthread_get_stacksize_np(thread))
    attributes, start, size = ctypes.create_string_buffer(ATTRIBUTES), ctypes.c_void_p(), ctypes.c_size_t()
    if library.pthread_getattr_np(thread, attributes):
        return None
    try:
        failed = library.pthread_attr_getstack(attributes, ctypes.byref(start), ctypes.byref(size))
        return None if failed else size.value
    finally:
        library.pthread_attr_destroy(attributes)

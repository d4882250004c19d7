"""Keeping a thread's alternate signal stack as it was.

OpenVINO 2026 gives the thread that compiles a model an alternate stack for signals. When the plugin goes it
unmaps that stack and registers the one before it, which for a second plugin is the first one's, long
unmapped: the next signal, a Ctrl-C say, then kills the process, because Python's handlers run on that stack
(sigaltstack(2), SA_ONSTACK). So after OpenVINO has compiled, the thread gets back what it had.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager


class SignalStack(ctypes.Structure):
    """stack_t of Linux."""

    _fields_ = (("address", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t))


@contextmanager
def signal_stack_kept() -> Iterator[None]:
    """Run something and then give this thread the alternate signal stack back that it had before, or none."""
    if sys.platform != "linux":
        yield
        return
    libc = ctypes.CDLL(None)
    before = SignalStack()
    libc.sigaltstack(None, ctypes.byref(before))
    try:
        yield
    finally:
        libc.sigaltstack(ctypes.byref(before), None)

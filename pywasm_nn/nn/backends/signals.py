"""Restores a thread's alternate signal stack.

OpenVINO 2026 gives the thread that compiles a model an alternate signal stack. When the plugin is unloaded,
it unmaps that stack and registers the previous one. For a second plugin the previous stack is the first
one's, which is already unmapped: the next signal, for example Ctrl-C, then kills the process, because
Python's handlers run on that stack (sigaltstack(2), SA_ONSTACK). So after OpenVINO has compiled, this module
restores the thread's original stack.
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
    """Restore this thread's alternate signal stack, or its absence, after the block."""
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

"""Stride-1 memoryviews through CPython's C API, by the standard library's ctypes.

`memoryview` can have any strides, and only its Python constructors can't say so: PyMemoryView_FromBuffer can
(https://docs.python.org/3/c-api/memoryview.html). Imported only where the view flavour is used.
"""

from __future__ import annotations

import ctypes
from struct import calcsize


class PyBuffer(ctypes.Structure):
    """Py_buffer (https://docs.python.org/3/c-api/buffer.html#buffer-structure)."""

    _fields_ = (
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    )


# The memoryview keeps pointers to its format, so these strings live as long as the process.
FORMAT_STRINGS = {char: ctypes.create_string_buffer(char.encode()) for char in "BbHhIiQfd"}
STRIDES = (ctypes.c_ssize_t * 1)(1)
from_buffer = ctypes.pythonapi.PyMemoryView_FromBuffer
from_buffer.restype = ctypes.py_object
from_buffer.argtypes = [ctypes.POINTER(PyBuffer)]


def view(address: int, size: int, char: str) -> memoryview:
    """A view of format `char` on `size` bytes at `address`; element i is the value that begins at byte i."""
    itemsize = calcsize("<" + char)
    count = max(size - itemsize + 1, 0)
    shape = (ctypes.c_ssize_t * 1)(count)  # copied into the memoryview
    buffer = PyBuffer(
        address, None, count * itemsize, itemsize, 0, 1,
        ctypes.cast(FORMAT_STRINGS[char], ctypes.c_char_p), shape, STRIDES, None, None,
    )  # fmt: skip
    made: memoryview = from_buffer(ctypes.byref(buffer))
    return made

"""Stride-1 memoryviews through CPython's C API, with the standard library's ctypes.

A `memoryview` can have any strides, but only PyMemoryView_FromBuffer can set them
(https://docs.python.org/3/c-api/memoryview.html). It doesn't store the buffer's owner, so the owner is put
into the memoryview here: the bytes stay as long as a view or a slice of one exists, on any thread. Imported
only where the view flavour is used; raises ImportError if memoryviews have another layout.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Mapping
from struct import calcsize
from typing import Any


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
FORMAT_POINTERS = {char: ctypes.cast(string, ctypes.c_char_p) for char, string in FORMAT_STRINGS.items()}
STRIDES = (ctypes.c_ssize_t * 1)(1)
from_buffer = ctypes.pythonapi.PyMemoryView_FromBuffer
from_buffer.restype = ctypes.py_object
from_buffer.argtypes = [ctypes.POINTER(PyBuffer)]


keep = ctypes.pythonapi.Py_IncRef
keep.restype = None
keep.argtypes = [ctypes.py_object]


def offset_of_owner() -> int:
    """The offset of the buffer's `obj` in the object that a memoryview shares with its slices. The buffer is
    the last field of that object (`master` of `_PyManagedBufferObject`), which frees `obj` at its end. Raises
    ImportError if the layout is different."""
    probe = bytearray(7)
    seen = memoryview(probe)
    found = gc.get_referents(seen)
    if len(found) == 1 and type(found[0]).__basicsize__ >= ctypes.sizeof(PyBuffer):
        offset = type(found[0]).__basicsize__ - ctypes.sizeof(PyBuffer)
        master = PyBuffer.from_address(id(found[0]) + offset)
        if (master.obj, master.len, master.itemsize, master.ndim) == (id(probe), 7, 1, 1):
            return offset + PyBuffer.obj.offset
    raise ImportError("this Python builds memoryviews in another way")


OWNER = offset_of_owner()
SIZES = {char: calcsize("<" + char) for char in FORMAT_STRINGS}


def views(address: int, size: int, formats: Mapping[str, str], owner: tuple[Any, ...]) -> dict[str, Any]:
    """Views on `size` bytes at `address` by name, with the format of each name; element i is the value that
    begins at byte i. They keep `owner` alive, a tuple with the object that owns the bytes."""
    shape = (ctypes.c_ssize_t * 1)()  # the memoryviews copy it, like the buffer
    buffer = PyBuffer(address, None, 0, 0, 0, 1, None, shape, STRIDES, None, None)
    made: dict[str, Any] = {}
    for name, char in formats.items():
        buffer.itemsize = itemsize = SIZES[char]
        shape[0] = count = max(size - itemsize + 1, 0)
        buffer.len = count * itemsize
        buffer.format = FORMAT_POINTERS[char]
        seen = made[name] = from_buffer(buffer)
        (managed,) = gc.get_referents(seen)
        keep(owner)
        # A tuple, because releasing a memoryview only decrements the owner's reference count.
        ctypes.c_void_p.from_address(id(managed) + OWNER).value = id(owner)
    return made

"""Stride-1 memoryviews through CPython's C API, with the compiled part of the standard library's
ctypes.

A `memoryview` can have any strides, but only PyMemoryView_FromBuffer can set them
(https://docs.python.org/3/c-api/memoryview.html). It doesn't store the buffer's owner, so the owner is put
into the memoryview here: the bytes stay as long as a view or a slice of one exists, on any thread. Imported
only where the view flavour is used; raises ImportError if memoryviews have another layout. `ctypes` itself
defines forty types that nothing here needs, which takes a twentieth of the time of a hello world.
"""

from __future__ import annotations

import gc
from _ctypes import (
    FUNCFLAG_PYTHONAPI,
    CFuncPtr,
    Structure,
    _SimpleCData,
    addressof,
    byref,
    dlopen,
    dlsym,
    sizeof,
)
from collections.abc import Mapping
from struct import calcsize
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    Simple = _SimpleCData[Any]
else:
    Simple = _SimpleCData


class Pointer(Simple):
    """void *"""

    _type_ = "P"


class Size(Simple):
    """Py_ssize_t, where it is a long: everywhere but on Windows, whose memories have no views."""

    _type_ = "l"


class Int(Simple):
    """int"""

    _type_ = "i"


class Char(Simple):
    """char"""

    _type_ = "c"


class Object(Simple):
    """PyObject *"""

    _type_ = "O"


class PyBuffer(Structure):
    """Py_buffer (https://docs.python.org/3/c-api/buffer.html#buffer-structure)."""

    _fields_ = (
        ("buf", Pointer),
        ("obj", Pointer),
        ("len", Size),
        ("itemsize", Size),
        ("readonly", Int),
        ("ndim", Int),
        ("format", Pointer),
        ("shape", Pointer),
        ("strides", Pointer),
        ("suboffsets", Pointer),
        ("internal", Pointer),
    )


PYTHON = dlopen(None, 0)  # type: ignore[arg-type]  # None is this process, which typeshed leaves out


class FromBuffer(CFuncPtr):
    """PyObject *(Py_buffer *)"""

    _flags_ = FUNCFLAG_PYTHONAPI
    _restype_ = Object


class Keep(CFuncPtr):
    """void (PyObject *)"""

    _flags_ = FUNCFLAG_PYTHONAPI
    _restype_ = None
    _argtypes_ = (Object,)


from_buffer = FromBuffer(dlsym(PYTHON, "PyMemoryView_FromBuffer"))
keep = Keep(dlsym(PYTHON, "Py_IncRef"))

# The memoryview keeps pointers to its format, so these strings live as long as the process.
FORMAT_STRINGS = {char: (Char * 2)(char.encode(), b"\0") for char in "BbHhIiQfd"}
FORMAT_POINTERS = {char: addressof(string) for char, string in FORMAT_STRINGS.items()}
STRIDES = Size(1)


def address_of(buffer: Any) -> int:
    """The address of a writable buffer's first byte. Raises ValueError for an empty one."""
    return addressof(Char.from_buffer(buffer))


def offset_of_owner() -> int:
    """The offset of the buffer's `obj` in the object that a memoryview shares with its slices. The buffer is
    the last field of that object (`master` of `_PyManagedBufferObject`), which frees `obj` at its end. Raises
    ImportError if the layout is different."""
    probe = bytearray(7)
    seen = memoryview(probe)
    found = gc.get_referents(seen)
    if len(found) == 1 and type(found[0]).__basicsize__ >= sizeof(PyBuffer):
        offset = type(found[0]).__basicsize__ - sizeof(PyBuffer)
        master = PyBuffer.from_address(id(found[0]) + offset)
        if (master.obj, master.len, master.itemsize, master.ndim) == (id(probe), 7, 1, 1):
            return offset + PyBuffer.obj.offset
    raise ImportError("this Python builds memoryviews in another way")


OWNER = offset_of_owner()
SIZES = {char: calcsize("<" + char) for char in FORMAT_STRINGS}


def views(address: int, size: int, formats: Mapping[str, str], owner: tuple[Any, ...]) -> dict[str, Any]:
    """Views on `size` bytes at `address` by name, with the format of each name; element i is the value that
    begins at byte i. They keep `owner` alive, a tuple with the object that owns the bytes."""
    shape = Size()  # the memoryviews copy it, like the buffer
    buffer = PyBuffer(address, None, 0, 0, 0, 1, None, addressof(shape), addressof(STRIDES), None, None)
    made: dict[str, Any] = {}
    for name, char in formats.items():
        buffer.itemsize = itemsize = SIZES[char]
        shape.value = count = max(size - itemsize + 1, 0)
        buffer.len = count * itemsize
        buffer.format = FORMAT_POINTERS[char]
        seen = made[name] = from_buffer(byref(buffer))
        (managed,) = gc.get_referents(seen)
        keep(owner)
        # A tuple, because releasing a memoryview only decrements the owner's reference count.
        Pointer.from_address(id(managed) + OWNER).value = id(owner)
    return made

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
import sys
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
from collections.abc import Iterable, Mapping
from struct import calcsize
from typing import TYPE_CHECKING, Any

from ...errors import MemoryLimitError
from ...limits import PAGE

if TYPE_CHECKING:
    Simple = _SimpleCData[Any]
else:
    Simple = _SimpleCData


MAP_NORESERVE = 0x4000  # Linux; the name is missing from mmap before Python 3.13
SPARE = 64 << 20
"""Bytes of the process's address space that memories leave free."""


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


def offset_of_buffer() -> int:
    """The offset of the buffer in a memoryview, behind which are a pointer and the view's own shape
    (`PyMemoryViewObject`). Raises ImportError if the layout is different."""
    probe = memoryview(bytearray(7))
    shape = memoryview.__basicsize__
    offset = shape - sizeof(Pointer) - sizeof(PyBuffer)
    seen = PyBuffer.from_address(id(probe) + offset)
    if (seen.len, seen.itemsize, seen.ndim, seen.shape) != (7, 1, 1, id(probe) + shape):
        raise ImportError("this Python builds memoryviews in another way")
    return offset


OWNER = offset_of_owner()
BUFFER = offset_of_buffer()
LENGTH, SHAPE = BUFFER + PyBuffer.len.offset, memoryview.__basicsize__
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


def set_lengths(views: Iterable[tuple[memoryview, int]], size: int) -> None:
    """Let views end where `size` bytes do. Each comes with the number of bytes that it can't have: those
    before it, and all but the first of its last element. The bytes must be there. Code that holds a view sees
    the change, as it does that of a list."""
    at, length, shape = Size.from_address, LENGTH, SHAPE
    for view, lost in views:
        count, place = max(size - lost, 0), id(view)
        at(place + length).value = count * view.itemsize
        at(place + shape).value = count


def reserve(wanted: int, needed: int) -> Any:
    """An anonymous mapping of `wanted` bytes, or of fewer if the machine refuses, but of at least `needed`.
    If address space is scarce, `SPARE` bytes are left free: without any, Python itself fails."""
    import mmap

    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    if sys.platform == "linux":
        flags |= MAP_NORESERVE
    size, spare = wanted, 0
    while True:
        try:
            if spare:
                mmap.mmap(-1, size + spare, flags=flags).close()
            return mmap.mmap(-1, size, flags=flags)
        except (OSError, MemoryError, ValueError, OverflowError) as error:
            if spare and size <= needed:
                raise MemoryLimitError(
                    "memory", f"this machine has no {needed} bytes of memory to give"
                ) from error
            size, spare = max(needed, size // 2 // PAGE * PAGE), SPARE

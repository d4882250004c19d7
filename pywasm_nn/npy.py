"""Arrays in files that `numpy.save` writes (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).

What is here: `stored_in`. What is not: which arrays are wanted, which its callers say.

`numpy.load` reserves the memory that a header claims, whatever the file has, and raises what its parser of
Python literals raises.
"""

from __future__ import annotations

from io import BytesIO
from math import prod

from .arrays import Array, numpy
from .records import Frozen

MAGIC = b"\x93NUMPY"


class Stored(Frozen):
    """The elements of an array in the order of the file, at which byte they begin, and their shape."""

    raw: Array
    begins: int
    shape: tuple[int, ...]
    is_fortran: bool

    @property
    def array(self) -> Array:
        """The array in its shape, a view of the file's bytes."""
        return self.raw.reshape(self.shape, order="F" if self.is_fortran else "C")


def stored_in(data: bytes) -> Stored:
    """Returns the array in the bytes of a .npy file. Raises ValueError if there is none, if it holds Python
    objects, or if the bytes end before it does."""
    if not data.startswith(MAGIC):
        raise ValueError("the bytes are no .npy file: they don't begin with \\x93NUMPY")
    file = BytesIO(data)
    try:
        version = numpy.lib.format.read_magic(file)
        parse = (
            numpy.lib.format.read_array_header_1_0
            if version == (1, 0)
            else numpy.lib.format.read_array_header_2_0
        )
        shape, is_fortran, dtype = parse(file)
    except Exception as error:  # a parser of Python's literals, of which numpy says not what it raises
        raise ValueError(f"the header of the .npy file can't be read: {error}") from None
    begins, count = file.tell(), prod(shape)
    if dtype.hasobject or not dtype.itemsize:
        raise ValueError(f"the .npy file holds an array of {dtype}, and no numbers or texts")
    size = count * dtype.itemsize
    if count < 0 or len(data) - begins < size:
        raise ValueError(
            f"the .npy file has {len(data) - begins:,} bytes of elements; {dtype}{list(shape)} has {size:,}"
        )
    return Stored(numpy.frombuffer(data, dtype, count, begins), begins, tuple(shape), is_fortran)

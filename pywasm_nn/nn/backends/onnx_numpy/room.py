"""The limits of a run: bytes of one array, bytes of all arrays that exist at a time, and time.

What is here: `Room`. Operators ask it before numpy makes an array, and pass long work to it: it splits the
work into pieces and checks between them whether the run must stop. What is not: the operators' computations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from math import prod
from threading import Event
from typing import Any

import numpy as np

from ...errors import Code, NNError
from .model import Array, Index, Ints

MAX_ELEMENTS = 1 << 28
"""Elements of one array: 1 GiB of float32. A model with a larger array is refused before memory is allocated.
"""
MAX_LIVE_BYTES = 1 << 33
"""Bytes of all arrays that one run may hold at a time, if single arrays have no limit."""
LEAST_BYTES = 256 << 20
"""The least limit on one array from which the limit on all arrays is computed, in bytes."""
ALIVE = 2
"""The limit on all arrays of a run at a time, without weights and inputs, is this multiple of the limit on
one array: an operator's operand and its result."""
WHOLE = 1 << 20
"""Elements that a function may process at once: about ten milliseconds for the slowest function, and 50 MiB
for intermediate arrays."""
PIECE = 1 << 16
"""Elements of a piece of a larger array: its intermediate arrays fit a CPU's cache."""
PRODUCTS, SLOW_PRODUCTS = 1 << 31, 1 << 27
"""Multiplications of matrix products at a time, with BLAS and with numpy's own loops: about a tenth of a
second."""

Patience = Callable[[], float | None]


class Room:
    """The limits of one run. `most`: bytes of one array, None for no limit."""

    __slots__ = ("_most", "_patience", "_stopped", "_taken", "_total", "doing", "live")

    def __init__(self, most: int | None, stopped: Event, patience: Patience) -> None:
        self._most = most
        self._total = MAX_LIVE_BYTES if most is None else ALIVE * max(most, LEAST_BYTES)
        self._stopped = stopped
        self._patience = patience
        self._taken = 0
        self.live = 0
        """Bytes of arrays that earlier steps made and later ones read."""
        self.doing: object = None
        """The current node, for messages."""

    def begin(self, node: object) -> None:
        """Start a node: the temporary arrays of the previous node no longer count."""
        self.doing, self._taken = node, 0
        self.look()

    def look(self) -> None:
        """Raise NNError(RUNTIME_ERROR) if the run must stop, DeadlineError if the guest's time has run
        out."""
        if self._stopped.is_set():
            raise NNError(Code.RUNTIME_ERROR, f"stopped at {self.doing}")
        self._patience()

    def shape(self, shape: Iterable[Any], dtype: Any, copies: int = 1) -> Ints:
        """The shape as ints, if `copies` arrays of it may be made. Raises ValueError if a length is negative,
        NNError(TOO_LARGE) if the arrays are too large, where a length of 0 counts as 1."""
        lengths = tuple(int(length) for length in shape)
        if any(length < 0 for length in lengths):
            raise ValueError(f"shape {list(lengths)} has a negative length")
        elements = prod(length or 1 for length in lengths)
        size = elements * np.dtype(dtype).itemsize
        if elements > MAX_ELEMENTS or (self._most is not None and size > self._most):
            limit = f"{MAX_ELEMENTS} elements" if elements > MAX_ELEMENTS else f"{self._most} bytes"
            raise NNError(
                Code.TOO_LARGE, f"{self.doing}: an array of shape {list(lengths)} is more than {limit}"
            )
        self._taken += size * copies
        if self.live + self._taken > self._total:
            taken = self.live + self._taken
            raise NNError(Code.TOO_LARGE, f"{self.doing}: the run holds {taken} bytes at once")
        return lengths

    def empty(self, shape: Iterable[Any], dtype: Any) -> Array:
        """A new array with undefined contents."""
        return np.empty(self.shape(shape, dtype), dtype)

    def full(self, shape: Iterable[Any], value: Any, dtype: Any) -> Array:
        """A new array with one value everywhere."""
        return np.full(self.shape(shape, dtype), value, dtype)

    def made(self, array: Array) -> None:
        """Raise NNError(TOO_LARGE) if a finished result exceeds the limit."""
        if self._most is not None and array.nbytes > self._most:
            raise NNError(
                Code.TOO_LARGE, f"{self.doing}: {array.nbytes} bytes are more than {self._most} bytes"
            )

    def each(self, function: Callable[..., Any], *arrays: Array, into: Array | None = None) -> Array:
        """Apply an elementwise function of arrays, broadcast as in numpy, piece by piece. `into` may be one
        of the arrays."""
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
        if into is None and prod(shape) <= WHOLE:
            return np.asarray(function(*arrays))
        result = into
        for index in pieces(shape, PIECE):
            self.look()
            part = np.asarray(function(*(part_of(array, index) for array in arrays)))
            if result is None:
                result = self.empty(shape, part.dtype)
            result[index] = part
        assert result is not None, "there is a piece, as there are elements"
        return result

    def fold(self, function: Callable[..., Any], x: Array, axes: Ints, copies: int = 0) -> Array:
        """Apply a function that reduces axes to length 1, called with an array, `axis` and `keepdims`, in
        pieces of the other axes. The function makes `copies` arrays of its argument's size."""
        kept = tuple(1 if axis in axes else length for axis, length in enumerate(x.shape))
        if x.size <= WHOLE:
            return np.asarray(function(x, axis=axes, keepdims=True))
        each = prod(x.shape[axis] for axis in axes)
        if copies and each > PIECE:
            self.shape((each,), x.dtype, copies)
        result = None
        for index in pieces(kept, max(1, PIECE // each)):
            self.look()
            whole = tuple(slice(None) if axis in axes else one for axis, one in enumerate(index))
            part = np.asarray(function(x[whole], axis=axes, keepdims=True))
            if result is None:
                result = self.empty(kept, part.dtype)
            result[index] = part
        assert result is not None, "there is a piece, as there are elements"
        return result

    def product(self, a: Array, b: Array, into: Array | None = None) -> Array:
        """The matrix product, as in `numpy.matmul`."""
        if not a.ndim or not b.ndim:
            raise ValueError("a matrix product of a scalar")
        left, right = (a[None] if a.ndim == 1 else a), (b[:, None] if b.ndim == 1 else b)
        rows, depth, columns = left.shape[-2], left.shape[-1], right.shape[-1]
        batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
        shape = (*batch, rows, columns)
        if into is None:
            self.shape(shape, a.dtype)
        most = PRODUCTS if fast(left) and fast(right) else SLOW_PRODUCTS
        if prod(shape) * depth <= most or depth != right.shape[-2]:
            return np.asarray(np.matmul(a, b, out=into))
        left = np.broadcast_to(left, (*batch, rows, depth))
        right = np.broadcast_to(right, (*batch, depth, columns))
        result = np.empty(shape, a.dtype) if into is None else into
        for index in pieces((*batch, rows), max(1, most // (depth * columns))):
            self.look()
            np.matmul(left[index], right[index[:-1]], out=result[index])
        return result.reshape(shape[: len(batch)] + shape[-2:][a.ndim == 1 : 2 - (b.ndim == 1)])


def fast(array: Array) -> bool:
    """Whether BLAS can multiply these matrices."""
    return array.dtype.kind == "f" and array.itemsize in array.strides[-2:] and 0 not in array.strides


def pieces(shape: Ints, most: int) -> Iterator[Index]:
    """Slices of all axes that together cover an array, each of at most about `most` elements."""
    axis, inner = len(shape), 1
    while axis and inner * shape[axis - 1] <= most:
        axis -= 1
        inner *= shape[axis]
    if not axis:
        yield (slice(None),) * len(shape)
        return
    rest = (slice(None),) * (len(shape) - axis)
    step = max(1, most // max(inner, 1))
    for outer in product(*map(range, shape[: axis - 1])):
        before = tuple(slice(at, at + 1) for at in outer)
        for start in range(0, shape[axis - 1], step):
            yield (*before, slice(start, start + step), *rest)


def part_of(array: Array, index: Index) -> Array:
    """The part of a broadcast array that belongs to a piece."""
    if not array.ndim:
        return array
    own = index[len(index) - array.ndim :]
    return array[tuple(slice(None) if n == 1 else one for n, one in zip(array.shape, own, strict=True))]

"""Matrix products."""

from __future__ import annotations

import numpy as np

from .model import Array
from .operators import operator, same_type
from .room import Room


@operator("MatMul")
def matmul(room: Room, a: Array, b: Array) -> Array:
    same_type(a, b)
    return room.product(a, b)


@operator("Gemm", since=7)
def gemm(
    room: Room, a: Array, b: Array, c: Array | None = None,
    *, alpha: float = 1.0, beta: float = 1.0, transA: int = 0, transB: int = 0,  # noqa: N803 - ONNX's own names
) -> Array:  # fmt: skip
    """alpha * a @ b + beta * c, with `a` and `b` transposed if the attributes say so."""
    same_type(*(array for array in (a, b, c) if array is not None))
    if a.ndim != 2 or b.ndim != 2:
        raise ValueError(f"Gemm of arrays of rank {a.ndim} and {b.ndim}")
    left, right = a.T if transA else a, b.T if transB else b
    y = room.product(left, right)
    if alpha != 1:
        room.each(lambda part: np.asarray(part * alpha, part.dtype), y, into=y)
    if c is None:
        return y
    np.broadcast_to(c, y.shape)  # a sum must not be larger than the product
    return room.each(lambda y, c: y + (c if beta == 1 else np.asarray(c * beta, c.dtype)), y, c, into=y)

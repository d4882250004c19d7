"""Matrix products."""

from __future__ import annotations

import numpy as np

from .model import Array
from .operators import checked, operator, same_type


@operator("MatMul")
def matmul(a: Array, b: Array) -> Array:
    same_type(a, b)
    if a.ndim and b.ndim:
        rows = a.shape[:-2], a.shape[-2:-1]
        columns = b.shape[:-2], b.shape[-1:] if b.ndim > 1 else ()
        checked(np.broadcast_shapes(rows[0], columns[0]) + rows[1] + columns[1])
    return np.asarray(np.matmul(a, b))


@operator("Gemm", since=7)
def gemm(
    a: Array, b: Array, c: Array | None = None,
    *, alpha: float = 1.0, beta: float = 1.0, transA: int = 0, transB: int = 0,  # noqa: N803 - ONNX's own names
) -> Array:  # fmt: skip
    """alpha * a @ b + beta * c, `a` and `b` transposed where asked for."""
    same_type(*(array for array in (a, b, c) if array is not None))
    if a.ndim != 2 or b.ndim != 2:
        raise ValueError(f"Gemm of arrays of rank {a.ndim} and {b.ndim}")
    left, right = a.T if transA else a, b.T if transB else b
    shape = checked((left.shape[0], right.shape[1]))
    y = np.asarray(left @ right)
    if alpha != 1:
        y = np.asarray(y * alpha, y.dtype)
    if c is None:
        return y
    return np.asarray(y + np.broadcast_to(c if beta == 1 else np.asarray(c * beta, c.dtype), shape))

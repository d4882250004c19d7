"""Tensors of f32 for quantised models, as WAMR accepts and returns them.

What is not here: which dialects do that, and when (`legacy`, `witx`).
"""

from __future__ import annotations

from typing import Any

from .tensor import DType, Tensor, TensorSpec


def takes_floats(spec: TensorSpec | None, tensor: Tensor) -> bool:
    """Whether an input belongs to a quantised model and the tensor has f32 values for it."""
    return (
        spec is not None
        and spec.quantization is not None
        and tensor.dtype is DType.F32
        and spec.dtype is not DType.F32
        and tensor.nbytes == tensor.size
    )


def quantized(tensor: Tensor, spec: TensorSpec) -> Tensor:
    """A tensor of f32 converted to the model's quantised type: rounded to nearest, clipped to the range."""
    import numpy

    values, limits = affine(spec), numpy.iinfo(spec.dtype.numpy_name)
    scaled = numpy.rint(tensor.numpy() / values[0]) + values[1]
    return Tensor.from_numpy(numpy.clip(scaled, limits.min, limits.max).astype(spec.dtype.numpy_name))


def dequantized(tensor: Tensor, spec: TensorSpec | None) -> Tensor:
    """An output of a quantised model converted to f32; any other tensor unchanged."""
    if spec is None or spec.quantization is None:
        return tensor
    scale, zero = affine(spec)
    return Tensor.from_numpy(((tensor.numpy().astype("<f4") - zero) * scale).astype("<f4"))


def affine(spec: TensorSpec) -> tuple[Any, Any]:
    """Scale and zero point, as f32."""
    import numpy

    scale, zero = spec.quantization or (1.0, 0)
    return numpy.float32(scale), numpy.float32(zero)

"""What comes from a guest, checked before a backend sees it: tensors against the model's specs, options as
JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from .errors import Code, NNError
from .tensor import DType, Tensor, TensorSpec, shape_text

MAX_RANK = 32
"""Dimensions of a tensor; no framework here goes further."""
MAX_JSON = 64 << 10
"""Bytes of options as JSON."""
MAX_JSON_DEPTH = 32
"""Nested brackets in options: Python's parser recurses, and a guest may be deep in its own recursion already.
"""

NCHW_TO_NHWC = (0, 2, 3, 1)
NHWC_TO_NCHW = (0, 3, 1, 2)


def fits(spec: TensorSpec, tensor: Tensor, limit: int) -> bool:
    """Whether the input can take the tensor as it is; if not, `fitting` knows why."""
    length = tensor.nbytes
    if spec.takes_bytes and tensor.shape != (length,):
        return False
    return (
        spec.accepts_type(tensor.dtype)
        and spec.accepts_shape(tensor.shape)
        and length == tensor.size
        and length <= limit
    )


def fitting(
    spec: TensorSpec,
    tensor: Tensor,
    owner: str,
    limit: int,
    giver: str = "the guest",
    others: Sequence[TensorSpec] = (),
) -> Tensor:
    """The tensor as the input wants it: dtype, shape (dimensions known only at run time take any length) and
    byte length.

    An input of bytes takes all of them. [1] stands for a scalar, for which guests have no other way. `owner`
    says whose input it is, `limit` is in bytes, `others` are all inputs of the model. Raises
    NNError(INVALID_ARGUMENT) with expected against given; TOO_LARGE beyond the limit.
    """
    if spec.takes_bytes:
        tensor = Tensor(DType.U8, (tensor.nbytes,), tensor.view())
    given = f"{giver} gave {tensor}"
    wants = f"{owner} wants {spec}"
    if not spec.accepts_type(tensor.dtype):
        other = (
            meant_for(tensor, others) or f"elements of another type ({tensor.dtype}, wanted is {spec.dtype})"
        )
        raise NNError(Code.INVALID_ARGUMENT, f"{wants}; {given}: {other}")
    if spec.shape == () and tensor.shape == (1,):
        tensor = Tensor(tensor.dtype, (), tensor.data)
    if not spec.accepts_shape(tensor.shape):
        meant = meant_for(tensor, others)
        why = f"{given}: {meant}" if meant else shape_hint(spec, tensor.shape, giver)
        raise NNError(Code.INVALID_ARGUMENT, f"{wants}; {why or given}")
    length = tensor.nbytes
    if length != tensor.size:
        counted = " (sizes are in bytes, not elements)" if length * tensor.dtype.size == tensor.size else ""
        raise NNError(
            Code.INVALID_ARGUMENT, f"{wants}; {tensor} is {tensor.size} bytes, given were {length}{counted}"
        )
    if length > limit:
        raise NNError(Code.TOO_LARGE, f"{owner}: {tensor} is {length} bytes, the limit is {limit}")
    return tensor


def position(specs: Sequence[TensorSpec], name: str) -> int | None:
    """Where the input or output of this name is: by its name, another name that the model has for it, or its
    index in decimal.
    """
    for index, spec in enumerate(specs):
        if spec.name == name:
            return index
    for index, spec in enumerate(specs):
        if name in spec.aliases:
            return index
    return int(name) if name.isascii() and name.isdigit() and len(name) < 6 else None


def meant_for(tensor: Tensor, others: Sequence[TensorSpec]) -> str | None:
    """Another input that the tensor fits, by its type and shape."""
    for index, spec in enumerate(others):
        if spec.shape is not None and spec.accepts_type(tensor.dtype) and spec.accepts_shape(tensor.shape):
            return f'that fits input {index} "{spec.name}"; are inputs swapped?'
    return None


def shape_hint(spec: TensorSpec, shape: Sequence[int], giver: str) -> str | None:
    """What probably went wrong with a shape: the layout of a picture, its missing batch dimension, its
    rank.
    """
    if len(shape) == 4:
        for order, given, wanted in ((NCHW_TO_NHWC, "NCHW", "NHWC"), (NHWC_TO_NCHW, "NHWC", "NCHW")):
            if spec.accepts_shape([shape[axis] for axis in order]):
                return f"{giver} sent {given} dims {shape_text(shape)}, the model is {wanted}"
    if spec.accepts_shape([1, *shape]):
        return f"{giver} gave {spec.dtype}{shape_text(shape)}, the batch dimension in front is missing"
    if spec.shape is not None and len(shape) != len(spec.shape):
        ranks = f"rank {len(shape)}, wanted is rank {len(spec.shape)}"
        return f"{giver} gave {spec.dtype}{shape_text(shape)} of {ranks}"
    return None


def parse_options(text: bytes) -> Mapping[str, Any]:
    """A JSON object. Raises NNError(INVALID_ENCODING) if it is none, too long or nested too deep."""
    if len(text) > MAX_JSON:
        raise NNError(Code.INVALID_ENCODING, f"{len(text)} bytes of options, at most {MAX_JSON} are read")
    depth = deepest = 0
    for byte in text:  # brackets in strings count too: options that need 32 of those don't exist
        depth += (byte in b"[{") - (byte in b"]}")
        deepest = max(deepest, depth)
    if deepest > MAX_JSON_DEPTH:
        raise NNError(
            Code.INVALID_ENCODING, f"options are nested {deepest} deep, at most {MAX_JSON_DEPTH} are read"
        )
    try:
        options = json.loads(text)
    except ValueError as error:
        raise NNError(Code.INVALID_ENCODING, f"options are no JSON: {error}") from error
    if not isinstance(options, dict):
        raise NNError(Code.INVALID_ENCODING, "options are no JSON object")
    return options

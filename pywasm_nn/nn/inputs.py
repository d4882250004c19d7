"""Checks of a guest's input before a backend sees it: tensors against the model's specs, options as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from .errors import Code, NNError
from .tensor import DType, Tensor, TensorSpec, shape_text

MAX_RANK = 32
"""The most dimensions of a tensor; no framework here supports more."""
MAX_JSON = 64 << 10
"""The most bytes of options as JSON."""
MAX_JSON_DEPTH = 32
"""The deepest nesting in options: Python's parser recurses, and the guest's recursion may have used much of
the stack.
"""

DIMENSION = 4
"""Bytes of a dimension of a tensor in the guest's memory."""
WIDTHS = {4: "such as f32 or i32", 8: "such as i64 or f64"}
"""Bytes of an element, and what types have so many."""
NCHW_TO_NHWC = (0, 2, 3, 1)
NHWC_TO_NCHW = (0, 3, 1, 2)


def fits(spec: TensorSpec, tensor: Tensor, limit: int) -> bool:
    """Whether the input accepts the tensor unchanged; if not, `fitting` explains or converts it."""
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
    """The tensor converted to the input's dtype, shape (dimensions known only at run time accept any length)
    and byte length.

    An input of bytes accepts any tensor. [1] is accepted for a scalar, because guests have no other way to
    pass one. `owner` names the graph in messages, `limit` is in bytes, `others` are all inputs of the model.
    Raises NNError(INVALID_ARGUMENT) with the expected and the given type; TOO_LARGE beyond the limit.
    """
    if spec.takes_bytes:
        tensor = Tensor(DType.U8, (tensor.nbytes,), tensor.view())
    given = f"{giver} gave {tensor}"
    wants = f"{owner} wants {spec}"
    if not spec.accepts_type(tensor.dtype):
        other = (
            meant_for(tensor, others) or f"elements of another type ({tensor.dtype}, wanted is {spec.dtype})"
        )
        other += of_another_width(spec, tensor)
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
        counted = counted or of_another_width(spec, tensor)
        raise NNError(
            Code.INVALID_ARGUMENT, f"{wants}; {tensor} is {tensor.size} bytes, given were {length}{counted}"
        )
    if length > limit:
        raise NNError(Code.TOO_LARGE, f"{owner}: {tensor} is {length} bytes, the limit is {limit}")
    return tensor


def of_another_width(spec: TensorSpec, tensor: Tensor) -> str:
    """Returns a sentence if the bytes of a tensor are as many elements as its shape has, of a width that is
    neither the given type's nor the input's; "" if they aren't."""
    size = tensor.dtype.size
    count = tensor.size // size if size else 0
    width = tensor.nbytes // count if count > 1 else 0
    if width not in WIDTHS or width * count != tensor.nbytes or width in (size, spec.dtype.size):
        return ""
    return (
        f"; the {tensor.nbytes} bytes are {count} elements of {8 * width} bits ({WIDTHS[width]}), and "
        f"{spec.dtype} has {8 * spec.dtype.size}"
    )


def position(specs: Sequence[TensorSpec], name: str) -> int | None:
    """The index of the input or output of this name: its name, another name in the model, or its index in
    decimal.
    """
    for index, spec in enumerate(specs):
        if spec.name == name:
            return index
    for index, spec in enumerate(specs):
        if name in spec.aliases:
            return index
    return int(name) if name.isascii() and name.isdigit() and len(name) < 6 else None


def meant_for(tensor: Tensor, others: Sequence[TensorSpec]) -> str | None:
    """A hint that names another input that the tensor fits by type and shape."""
    for index, spec in enumerate(others):
        if spec.shape is not None and spec.accepts_type(tensor.dtype) and spec.accepts_shape(tensor.shape):
            return f'that fits input {index} "{spec.name}"; are inputs swapped?'
    return None


def shape_hint(spec: TensorSpec, shape: Sequence[int], giver: str) -> str | None:
    """A hint at the probable mistake in a shape: how its dimensions are stored, the layout of a picture, a
    missing batch dimension, the rank.
    """
    if misread := misread_dimensions(spec, shape):
        return f"{giver} gave {spec.dtype}{shape_text(shape)}: {misread}"
    if len(shape) == 4:
        for order, given, wanted in ((NCHW_TO_NHWC, "NCHW", "NHWC"), (NHWC_TO_NCHW, "NHWC", "NCHW")):
            if spec.accepts_shape([shape[axis] for axis in order]):
                return f"{giver} sent {given} dims {shape_text(shape)}, the model is {wanted}"
    if spec.accepts_shape([1, *shape]):
        return f"{giver} gave {spec.dtype}{shape_text(shape)}, the batch dimension in front is missing"
    if len(shape) == 2 and spec.accepts_shape(shape[::-1]):
        return f"{giver} gave {spec.dtype}{shape_text(shape)}; are rows and columns swapped?"
    if spec.shape is not None and len(shape) != len(spec.shape):
        ranks = f"rank {len(shape)}, wanted is rank {len(spec.shape)}"
        return f"{giver} gave {spec.dtype}{shape_text(shape)} of {ranks}"
    return None


def misread_dimensions(spec: TensorSpec, shape: Sequence[int]) -> str:
    """Returns what is wrong with dimensions of which the first ones, or each second one, fit the input, or ""
    if nothing is."""
    rank = len(spec.shape or ())
    if rank and len(shape) == DIMENSION * rank and spec.accepts_shape(shape[:rank]):
        return f"the first {rank} of these {len(shape)} fit; is their number given in bytes (sizeof)?"
    lower, upper = shape[::2], shape[1::2]
    if not upper or any(upper) or not all(lower) or len(lower) > rank or spec.shape is None:
        return ""
    if not replace(spec, shape=spec.shape[: len(lower)]).accepts_shape(lower):
        return ""
    return f"each second one is 0; are they numbers of 64 bits (usize)? wasi-nn's have {8 * DIMENSION}"


def parse_options(text: bytes) -> Mapping[str, Any]:
    """A JSON object. Raises NNError(INVALID_ENCODING) if it isn't one, is too long or nested too deep."""
    if len(text) > MAX_JSON:
        raise NNError(Code.INVALID_ENCODING, f"{len(text)} bytes of options, at most {MAX_JSON} are read")
    depth = deepest = 0
    for byte in text:  # brackets in strings count too; no real options have 32 of them
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

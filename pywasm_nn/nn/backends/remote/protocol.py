"""The messages of the Open Inference Protocol v2: metadata, requests, answers, as JSON and with binary
tensors.

Answers aren't trusted: every name, type, shape and number of bytes is checked before use. What is not here:
the transport (`http`, `grpc`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import count
from math import prod
from typing import Any

from ...errors import Code, NNError
from ...tensor import DType, Tensor, TensorSpec

DATATYPES = {
    "BOOL": DType.BOOL, "UINT8": DType.U8, "UINT16": DType.U16, "UINT32": DType.U32, "UINT64": DType.U64,
    "INT8": DType.I8, "INT16": DType.I16, "INT32": DType.I32, "INT64": DType.I64, "FP16": DType.F16,
    "FP32": DType.F32, "FP64": DType.F64, "BF16": DType.BF16,
}  # fmt: skip
NAMES = {dtype: name for name, dtype in DATATYPES.items()}
NO_JSON = frozenset({DType.F16, DType.BF16})
"""Types that servers accept only as binary tensors."""
MOST_TENSORS = 4096
LONGEST_NAME = 1024
MOST_DIMENSIONS = 32
"""As of tensors of guests."""
_ids = count(1)


def next_id() -> str:
    return f"pywasm-nn-{next(_ids)}"


def lies(what: str) -> NNError:
    """The error for an invalid answer."""
    return NNError(Code.RUNTIME_ERROR, f"the server's answer can't be used: {what}")


def parsed(data: bytes | memoryview) -> Mapping[str, Any]:
    """A JSON object. Raises NNError."""
    try:
        found = json.loads(bytes(data))
    except (ValueError, RecursionError) as error:
        raise lies(f"it is no JSON ({type(error).__name__})") from None
    if not isinstance(found, dict):
        raise lies("it is no JSON object")
    return found


def specs_of(metadata: Mapping[str, Any], side: str) -> tuple[TensorSpec, ...]:
    """The inputs or outputs in a model's metadata; -1 is a dynamic length."""
    tensors = metadata.get(side)
    if not isinstance(tensors, list) or not 0 < len(tensors) <= MOST_TENSORS:
        raise lies(f"the model's metadata names no {side}, or too many")
    specs = []
    for one in tensors:
        name, shape = field(one, "name"), field(one, "shape")
        if not isinstance(name, str) or len(name) > LONGEST_NAME:
            raise lies(f"one of the {side} of the model has no name")
        datatype = field(one, "datatype")
        dtype = DATATYPES.get(datatype) if isinstance(datatype, str) else None
        if dtype is None:
            what = f'"{name}" of the model is {str(datatype)[:40]}, which no tensor can be here'
            raise NNError(Code.UNSUPPORTED_OPERATION, what)
        lengths = shape_of(shape, -1)
        specs.append(TensorSpec(name, dtype, tuple(None if n < 0 else n for n in lengths)))
    if len({spec.name for spec in specs}) < len(specs):
        raise lies(f"two of the {side} of the model have one name")
    return tuple(specs)


def field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else None


def shape_of(shape: Any, least: int = 0) -> tuple[int, ...]:
    """A shape whose lengths are at least `least`."""
    if not isinstance(shape, Sequence) or isinstance(shape, str) or len(shape) > MOST_DIMENSIONS:
        raise lies("a shape is none")
    lengths = []
    for length in shape:
        if isinstance(length, str) and length.removeprefix("-").isdecimal() and len(length) < 20:
            length = int(length)  # protobuf's JSON writes int64 so
        if type(length) is not int or not least <= length < 1 << 62:
            raise lies("a shape has a length that can't be")
        lengths.append(length)
    return tuple(lengths)


def request(
    id_: str, specs: Sequence[TensorSpec], tensors: Sequence[Tensor], wanted: Sequence[str], binary: bool
) -> tuple[bytes, list[memoryview]]:
    """A request as JSON, and the binary tensors that follow it. `wanted` are the requested outputs, empty for
    all. Raises NNError(INVALID_ARGUMENT) for values that JSON can't express."""
    inputs: list[dict[str, Any]] = []
    views: list[memoryview] = []
    for spec, tensor in zip(specs, tensors, strict=True):
        said: dict[str, Any] = {
            "name": spec.name, "shape": list(tensor.shape), "datatype": NAMES[tensor.dtype],
        }  # fmt: skip
        if binary:
            views.append(tensor.view())
            said["parameters"] = {"binary_data_size": len(views[-1])}
        else:
            said["data"] = plain(spec.name, tensor)
        inputs.append(said)
    head: dict[str, Any] = {"id": id_, "inputs": inputs}
    if wanted:
        head["outputs"] = [{"name": name} for name in wanted]
    if binary:
        head["parameters"] = {"binary_data_output": True}
    try:
        return json.dumps(head, allow_nan=False).encode(), views
    except ValueError:
        reason = "an input has NaN or infinity in it, which JSON can't say and this server takes nothing else"
        raise NNError(Code.INVALID_ARGUMENT, reason) from None


def plain(name: str, tensor: Tensor) -> list[Any]:
    """The elements as Python numbers."""
    if tensor.dtype in NO_JSON:
        what = f'input "{name}" is {tensor.dtype}, which JSON can\'t say, and this server takes nothing else'
        raise NNError(Code.UNSUPPORTED_OPERATION, what)
    found: list[Any] = tensor.numpy().reshape(-1).tolist()
    return found


def answer(
    id_: str, specs: Sequence[TensorSpec], wanted: Sequence[str], head: Mapping[str, Any], binary: memoryview,
    most: int | None,
) -> list[Tensor | None]:  # fmt: skip
    """The outputs of an answer, in the model's order; None for outputs that weren't requested. Raises NNError
    unless everything matches the model's metadata."""
    if head.get("id", id_) not in (id_, ""):
        raise lies("it is to another request")
    outputs = head.get("outputs")
    if not isinstance(outputs, list) or len(outputs) > MOST_TENSORS:
        raise lies("it has no outputs")
    at, found = 0, dict[str, Tensor]()
    by_name = {spec.name: spec for spec in specs}
    for one in outputs:
        spec = by_name.get(str(field(one, "name")))
        if spec is None or spec.name in found:
            raise lies("it has an output that the model hasn't, or one twice")
        shape = checked_shape(spec, field(one, "datatype"), field(one, "shape"), most)
        size = field(field(one, "parameters"), "binary_data_size")
        if size is None:
            found[spec.name] = from_json(spec, shape, field(one, "data"))
            continue
        wanted_size = prod(shape) * spec.dtype.size
        if type(size) is not int or size != wanted_size or size > len(binary) - at:
            raise lies(f'output "{spec.name}" {spec.dtype}{list(shape)} has another number of bytes')
        found[spec.name] = Tensor(spec.dtype, shape, binary[at : at + size])
        at += size
    if at != len(binary):
        raise lies(f"{len(binary) - at} bytes belong to no output")
    return in_order(specs, wanted, found)


def in_order(
    specs: Sequence[TensorSpec], wanted: Sequence[str], found: Mapping[str, Tensor]
) -> list[Tensor | None]:
    """Outputs by name in the model's order. Raises NNError if one is missing."""
    for spec in specs:
        if spec.name not in found and (not wanted or spec.name in wanted):
            raise lies(f'output "{spec.name}" is missing')
    return [found.get(spec.name) if not wanted or spec.name in wanted else None for spec in specs]


def checked_shape(spec: TensorSpec, datatype: Any, shape: Any, most: int | None) -> tuple[int, ...]:
    """The shape of an output, after checking it and the type against the model's declaration."""
    lengths = shape_of(shape)
    if datatype != NAMES[spec.dtype] or not spec.accepts_shape(lengths):
        raise lies(f'output "{spec.name}" is {str(datatype)[:40]}{list(lengths)}, the model says {spec}')
    size = prod(lengths) * spec.dtype.size
    if most is not None and size > most:
        raise NNError(Code.TOO_LARGE, f'output "{spec.name}" is {size} bytes, the limit is {most}')
    return lengths


def from_json(spec: TensorSpec, shape: tuple[int, ...], data: Any) -> Tensor:
    """An output from JSON numbers, flat or nested."""
    import numpy

    try:
        array = numpy.asarray(data)
        if spec.dtype is DType.U64 and array.dtype.kind in "fO":  # numpy takes the largest for floats
            whole_numbers = numpy.asarray(data, object)
            if all(type(one) is int and 0 <= one < 1 << 64 for one in whole_numbers.flat):
                array = whole_numbers.astype("<u8")
        if array.dtype.kind not in "biuf" and array.size:
            raise ValueError("elements are no numbers")
        if array.size != prod(shape):
            raise ValueError(f"{array.size} elements, {prod(shape)} belong to {list(shape)}")
        if spec.dtype in NO_JSON:
            raise ValueError(f"{spec.dtype} has no JSON")
        whole = spec.dtype not in (DType.F32, DType.F64)
        if whole and array.size and array.dtype.kind == "f":
            raise ValueError("elements are no whole numbers")
        if whole and array.size and spec.dtype is not DType.BOOL:
            limits = numpy.iinfo(spec.dtype.numpy_name)
            if int(array.min()) < limits.min or int(array.max()) > limits.max:
                raise ValueError(f"elements are beyond {spec.dtype}")
        return Tensor.from_numpy(array.astype(spec.dtype.numpy_name).reshape(shape))
    except (ValueError, TypeError, OverflowError) as error:
        raise lies(f'output "{spec.name}": {str(error)[:200]}') from None

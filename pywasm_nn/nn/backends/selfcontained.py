"""Copies an ONNX model's bytes, and refuses a model that keeps weights in files."""

from __future__ import annotations

from ..errors import Code, NNError
from ..formats.onnx import external_data


def self_contained_onnx(part: bytes | memoryview) -> bytes:
    """The bytes of an ONNX model that names no files, because frameworks open any path that a model names.

    The check is on the copy, which no guest can change. Raises NNError(UNSUPPORTED_OPERATION), or ValueError
    for bytes that are no protobuf.
    """
    data = bytes(part)
    if locations := external_data(data):
        raise NNError(
            Code.UNSUPPORTED_OPERATION,
            f"the ONNX model keeps weights in the file {locations[0]!r}; from bytes only a model with its"
            " weights inside is loaded",
        )
    return data

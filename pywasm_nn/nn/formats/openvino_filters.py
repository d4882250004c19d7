"""The filters with which an OpenVINO model begins to look at a picture, and what it does with their results.

What is here: `filters`. What is not: scales and shifts before them (`openvino_firsts.py`). Source:
https://docs.openvino.ai/2025/documentation/openvino-ir-format.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .format import Filters
from .onnx_filters import is_usable
from .openvino_firsts import Layer, constant_of

PASSING = (b"Parameter", b"Convert", b"Transpose", b"Pad")
NARROW = {b"Swish": "SiLU", b"HSwish": "hard swish"}
WIDE = (b"ReLU", b"PReLU")
TOP = re.compile(rb'\bmax="([\d.eE+]+)"')
KINDS = {b"f32": "<f4", b"f16": "<f2"}


def filters(layers: Sequence[Layer], weights: memoryview) -> Mapping[int, Filters]:
    """The filters that take the only input as it is. Raises ValueError for broken bytes."""
    import numpy

    numbers: Any = None
    kernel: Any = None
    heights: Any = None
    for place, (kind, body) in enumerate(layers):
        if (kind == b"Parameter") != (place == 0):
            return {}
        if kind == b"Const":
            numbers = array_of(body, weights)
        elif kind == b"Convolution" and kernel is None and numbers is not None:
            if not is_usable(numbers.shape):
                return {}
            kernel, numbers, heights = numbers, None, numpy.zeros(len(numbers))
        elif kind == b"Add" and kernel is not None and numbers is not None and numbers.size == len(kernel):
            heights, numbers = numbers.reshape(-1), None
        elif kernel is not None and (then := meant_for(kind, body)) is not None:
            return {0: Filters(kernel, heights, *then)}
        elif kind not in PASSING:
            return {}
    return {}


def meant_for(kind: bytes, body: bytes) -> tuple[str, float] | None:
    """The name of the function that a layer behind the filters is, "" if it takes numbers of any size, and
    the number at which it cuts (0 if it doesn't), or None if it is unknown."""
    if kind == b"Clamp":
        found = TOP.search(body)
        return ("ReLU6", float(found[1])) if found else None
    if kind in WIDE:
        return "", 0.0
    return (NARROW[kind], 0.0) if kind in NARROW else None


def array_of(body: bytes, weights: memoryview) -> Any:
    """The numbers of a constant, as f64, or None if they are no floats."""
    import numpy

    found = constant_of(body)
    if found is None:
        return None
    kind, shape, start, size = found
    return numpy.frombuffer(weights[start : start + size], KINDS[kind]).reshape(shape).astype("f8")

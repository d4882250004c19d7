"""What an OpenVINO model knows of each element of its only input: the mean that it takes away first, and the
deviation by which it divides.

What is here: `columns`. What is not: one number for all, or one for each channel (`openvino_firsts.py`), and
trees, which OpenVINO doesn't have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import unpack_from

from .format import Column
from .onnx_firsts import CHANNELS, step
from .openvino_firsts import BENDING, SHIFTING, WIDTHS, Layer, constant_of

PASSING = frozenset({b"Convert", b"Reshape", b"Squeeze", b"Unsqueeze"})
MOST = 4096


def columns(layers: Sequence[Layer], weights: memoryview) -> Mapping[int, Sequence[Column]]:
    """Returns the mean and deviation of each element, or {} if the model begins otherwise. Raises ValueError,
    or struct.error, for broken bytes."""
    scale: Sequence[float] = ()
    shift: Sequence[float] = ()
    numbers: Sequence[float] = ()
    for place, (kind, body) in enumerate(layers):
        if (kind == b"Parameter") != (place == 0) or kind in BENDING:
            return {}
        if kind == b"Const":
            numbers = row_of(body, weights)
        elif kind in SHIFTING and numbers and len(scale) in (0, len(numbers)):
            count = len(numbers)
            if SHIFTING[kind] == "Div" and not all(numbers):
                return {}
            scale, shift = step(SHIFTING[kind], scale or [1.0] * count, shift or [0.0] * count, numbers)
            numbers = ()
        elif kind != b"Parameter" and kind not in PASSING:
            break
    if not all(scale) or not any(shift) or all(one == 1 for one in scale):
        return {}
    found = [Column(centre=(-b / a, 1 / abs(a), True)) for a, b in zip(scale, shift, strict=True)]
    return {0: found} if found else {}


def row_of(body: bytes, weights: memoryview) -> Sequence[float]:
    """The numbers of a constant that has one for each element of a row, () of any other."""
    found = constant_of(body)
    if found is None:
        return ()
    kind, shape, start, size = found
    width, letter = WIDTHS[kind]
    count = size // width
    if count in CHANNELS or count > MOST or not shape or shape[-1] != count:
        return ()
    return unpack_from(f"<{count}{letter}", weights, start)

"""What an OpenVINO model does with its pixels first, by the layers at the beginning of its XML and by the
numbers in its weights: a mean that is taken away, a scale.

What is here: `layers_of` and `firsts`. What is not: the options of the conversion (`openvino.py`). Source:
https://docs.openvino.ai/2025/documentation/openvino-ir-format.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from struct import unpack_from

from .format import First
from .onnx_firsts import CHANNELS, step

MOST = 1 << 16
"""Bytes of the XML that are read: layers stand in the order in which they are used."""
LAYER = re.compile(rb'<layer [^>]*?type="(\w+)"[^>]*>(.*?)(?=<layer |</layers>|\Z)', re.DOTALL)
DATA = re.compile(rb"<data ([^>]*)>")
ATTRIBUTE = re.compile(rb'(\w+)="([^"]*)"')
SHIFTING = {b"Subtract": "Sub", b"Add": "Add", b"Multiply": "Mul", b"Divide": "Div"}
PASSING = (b"Convert", b"Transpose")
BENDING = (b"Log", b"Sqrt", b"Power", b"Exp", b"Abs")
"""What comes before these is a part of them, as the 1 of log(1 + x) is."""
WIDTHS = {b"f32": (4, "f"), b"f16": (2, "e")}
Layer = tuple[bytes, bytes]
"""The type of a layer, and what stands in it."""


def layers_of(xml: memoryview) -> Sequence[Layer]:
    """The first layers of a model."""
    return LAYER.findall(bytes(xml[:MOST]))


def firsts(layers: Sequence[Layer], weights: memoryview) -> Mapping[int, First]:
    """Returns what is done with the only input. Raises ValueError, or struct.error, for broken bytes."""
    scale: tuple[float, ...] = (1.0,) * 3
    shift: tuple[float, ...] = (0.0,) * 3
    numbers: tuple[float, ...] | None = None
    is_changed = False
    for place, (kind, body) in enumerate(layers):
        if (kind == b"Parameter") != (place == 0):
            return {}
        if kind == b"Const":
            numbers = numbers_of(body, weights)
        elif kind in SHIFTING and numbers is not None and all(numbers):
            scale, shift = step(SHIFTING[kind], scale, shift, numbers)
            is_changed, numbers = True, None
        elif kind in BENDING:
            return {}
        elif kind != b"Parameter" and kind not in PASSING:
            break
    return {0: First(scale, shift, is_changed)} if is_changed else {}


def numbers_of(body: bytes, weights: memoryview) -> tuple[float, ...] | None:
    """One number for each of three channels; None for any other constant."""
    found = constant_of(body)
    if found is None:
        return None
    kind, _, start, size = found
    width, letter = WIDTHS[kind]
    count = size // width
    if count not in CHANNELS:
        return None
    numbers = unpack_from(f"<{count}{letter}", weights, start)
    return tuple(numbers) * (3 // count)


def constant_of(body: bytes) -> tuple[bytes, list[int], int, int] | None:
    """The type of a constant's floats, its shape, and where its bytes are and how many; None if it has no
    floats. Versions of OpenVINO write these in different orders."""
    found = DATA.search(body)
    told = dict(ATTRIBUTE.findall(found[1])) if found else {}
    if told.get(b"element_type") not in WIDTHS or not {b"shape", b"offset", b"size"} <= {*told}:
        return None
    shape = [int(one) for one in told[b"shape"].split(b",") if one.strip()]
    return told[b"element_type"], shape, int(told[b"offset"]), int(told[b"size"])

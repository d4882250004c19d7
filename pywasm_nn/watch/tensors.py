"""A tensor that the guest sent or received, as part of an event.

What is not here: computing the numbers (`nn.statistics`), writing them (`text.py`), and judging them
(`hints`).
"""

from __future__ import annotations

from math import prod
from typing import Any

from ..nn import statistics
from ..nn.tensor import Tensor as GivenTensor
from ..nn.tensor import TensorSpec
from . import few
from .events import Tensor

NUMBERS = tuple(name for name in statistics.Statistics.__match_args__ if name != "elements")
"""The statistics that an event has, under the same names."""
LONGEST = 200
"""The most bytes of a text that an event has."""


def described(spec: TensorSpec, tensor: GivenTensor, *, top: bool = False, keep: int = 0) -> Tensor:
    """The tensor for an event: with its largest elements if `top`, and its bytes if at most `keep`."""
    size = tensor.view().nbytes
    is_text = spec.takes_bytes or not tensor.passes
    little = None if is_text else few.few(tensor)
    values = little if little is not None or is_text else tensor.numbers()
    numbers = statistics if little is None else few
    found: dict[str, Any] = {}
    if is_text:
        found["text"] = beginning(tensor.view())
    if values is not None:
        told = numbers.statistics(values)
        found = {name: getattr(told, name) for name in NUMBERS}
    if top and values is not None:
        found["top"] = numbers.largest(values)
    return Tensor(
        name=spec.name,
        wants=str(spec),
        dtype=tensor.dtype.value,
        shape=tensor.shape,
        size=size,
        elements=prod(tensor.shape),
        data=bytes(tensor.view()) if size <= keep else None,
        **found,
    )


def beginning(data: memoryview) -> str:
    """The beginning of a text."""
    more = "..." if len(data) > LONGEST else ""
    return bytes(data[:LONGEST]).decode("utf-8", "replace") + more

"""What there is to know about a tensor that crossed, as part of an event.

What is not here: the numbers (`nn.statistics`), how they are written (`text.py`), and what may be wrong with
them (`hints`).
"""

from __future__ import annotations

from math import prod
from typing import Any

from ..nn.statistics import Statistics, largest, statistics
from ..nn.tensor import Tensor as GivenTensor
from ..nn.tensor import TensorSpec
from .events import Tensor

NUMBERS = tuple(name for name in Statistics.__match_args__ if name != "elements")
"""What an event has of statistics, under the same names."""


def described(spec: TensorSpec, tensor: GivenTensor, *, top: bool = False, keep: int = 0) -> Tensor:
    """An event's tensor: with the largest elements if `top`, and the bytes if they are at most `keep`."""
    size = tensor.view().nbytes
    values = tensor.numbers()
    found: dict[str, Any] = {}
    if values is not None:
        told = statistics(values)
        found = {name: getattr(told, name) for name in NUMBERS}
    if top and values is not None:
        found["top"] = largest(values)
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

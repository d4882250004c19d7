"""What there is to know about a tensor in numbers.

What is not here: how that is written (`text.py`), and what may be wrong with it (`hints`).
"""

from __future__ import annotations

from math import prod
from typing import Any

from ..nn.tensor import DType, TensorSpec
from ..nn.tensor import Tensor as GivenTensor
from .events import Tensor

TOP = 3
"""So many of an output's largest elements are named."""
EXACT = 1 << 14
"""Of a tensor with more elements mean and spread come from about so many, evenly spread."""
STRIDES = (1, 5, 7)
"""Steps between those are one of these modulo 12, so that they go through all channels of a picture."""


def elements(tensor: GivenTensor) -> Any:
    """The elements as a flat numpy array of numbers (bf16 as f32); None for strings, for empty tensors and
    for those whose bytes are too few or too many."""
    if tensor.dtype is DType.STRING or not tensor.view().nbytes or tensor.view().nbytes != tensor.size:
        return None
    values = tensor.numpy().reshape(-1)
    if tensor.dtype is DType.BF16:
        return (values.astype("<u4") << 16).view("<f4")
    return values.view("|u1") if tensor.dtype is DType.BOOL else values


def sampled(values: Any) -> Any:
    """All elements, or some of many."""
    step = -(-len(values) // EXACT)
    while step > 1 and step % 12 not in STRIDES:
        step += 1
    return values[::step]


def described(
    spec: TensorSpec, tensor: GivenTensor, *, numbers: bool = True, top: bool = False, keep: int = 0
) -> Tensor:
    """An event's tensor: with statistics if `numbers`, the largest elements if `top`, and the bytes if they
    are at most `keep`.
    """
    size = tensor.view().nbytes
    values = elements(tensor) if numbers else None
    found: dict[str, Any] = {} if values is None else statistics(values)
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


def statistics(values: Any) -> dict[str, Any]:
    """Mean, std, extremes of the finite elements, how many are not finite, whether all are whole."""
    import numpy

    lost = 0
    low, high = values.min(), values.max()  # not a number if any element isn't
    if values.dtype.kind == "f" and not (numpy.isfinite(low) and numpy.isfinite(high)):
        finite = values[numpy.isfinite(values)]
        lost, values = len(values) - len(finite), finite
        if not len(values):
            return {"not_finite": lost}
        low, high = values.min(), values.max()
    sample = sampled(values).astype("f8")
    whole = values.dtype.kind != "f" or bool((sample == numpy.floor(sample)).all())
    return {
        "mean": float(sample.mean()),
        "std": float(sample.std()),
        "minimum": float(low),
        "maximum": float(high),
        "not_finite": lost,
        "whole": whole,
    }


def largest(values: Any) -> tuple[tuple[int, float], ...]:
    """Places and values of the largest elements, the largest first, NaN last; all of a few."""
    import numpy

    ranked = values if values.dtype.kind != "f" else numpy.where(numpy.isnan(values), -numpy.inf, values)
    places = numpy.arange(len(ranked))
    if len(ranked) > EXACT:
        places = numpy.sort(numpy.argpartition(ranked, -TOP)[-TOP:])
    order = numpy.argsort(-ranked[places].astype("f8"), kind="stable")[:TOP]
    return tuple((int(place), float(values[place])) for place in places[order])

"""Tensors of few elements without numpy: importing it takes longer than the run of many a guest.

What is here: the elements as Python's numbers, and what `nn.statistics` says of arrays. What is not: tensors
of many elements, which need numpy (`nn.statistics`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from math import dist, inf, isfinite, isnan, sqrt
from struct import unpack
from sys import modules

from ..nn.operation import NNEvent
from ..nn.statistics import TOP, Statistics
from ..nn.tensor import DType, Tensor

MOST, QUICK = 1024, 128
"""The most elements that are few before numpy was imported, and after: from there on numpy is faster."""
CODES = {
    DType.F16: "e", DType.F32: "f", DType.F64: "d", DType.U8: "B", DType.I8: "b", DType.BOOL: "B",
    DType.I16: "h", DType.U16: "H", DType.I32: "i", DType.U32: "I", DType.I64: "q", DType.U64: "Q",
}  # fmt: skip
"""How `struct` calls the types of elements."""

Numbers = Sequence[float]


def few(tensor: Tensor) -> Numbers | None:
    """Returns the elements in their order, or None if they are many, or none that `Tensor.numbers` has, or
    bf16."""
    size = tensor.dtype.size
    count = tensor.nbytes // size if size else 0
    most = QUICK if "numpy" in modules else MOST
    if not 0 < count <= most or tensor.nbytes != tensor.size or tensor.dtype not in CODES:
        return None
    return unpack(f"<{count}{CODES[tensor.dtype]}", tensor.view())


def statistics(values: Numbers) -> Statistics:
    """Does what `nn.statistics.statistics` does, without numpy."""
    count = len(values)
    if not isfinite(sum(values)):  # if one isn't, or for finite numbers that are nearly too large
        values = [value for value in values if isfinite(value)]
        if not values:
            return Statistics(count, not_finite=count)
    known = len(values)
    low, high, mean = float(min(values)), float(max(values)), sum(values) / known
    whole = low.is_integer() and high.is_integer() and all(float(value).is_integer() for value in values)
    std = dist(values, (mean,) * known) / sqrt(known)
    return Statistics(count, mean, std, low, high, count - known, whole)


def largest(values: Numbers) -> tuple[tuple[int, float], ...]:
    """Does what `nn.statistics.largest` does, without numpy."""
    if isfinite(sum(values)):
        left, found = list(values), []
        for _ in range(min(TOP, len(left))):
            place = left.index(max(left))
            found.append((place, float(values[place])))
            left[place] = -inf
        return tuple(found)
    ranks = [(inf if isnan(value) else -value, place) for place, value in enumerate(values)]
    return tuple((place, float(values[place])) for _, place in sorted(ranks)[:TOP])


def needs_numpy(event: NNEvent) -> bool:
    """Whether an operation has a tensor with more than few elements; True if numpy is there anyway."""
    if "numpy" in modules:
        return True
    pairs = [*zip(event.specs, event.tensors, strict=False), *((spec, one) for _, spec, one in event.given)]
    return any(
        not spec.takes_bytes and tensor.dtype is not DType.STRING and few(tensor) is None
        for spec, tensor in pairs
    )


def unwarned(needed: bool = True) -> AbstractContextManager[object]:
    """No warning of numpy reaches the trace: a guest's numbers may be odd, such as a sum beyond f32. If numpy
    is not `needed`, it isn't imported for this."""
    if not needed and "numpy" not in modules:
        return nullcontext()
    try:
        import numpy
    except ImportError:
        return nullcontext()
    return numpy.errstate(all="ignore")

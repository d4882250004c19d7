"""Memory between a session and backends that aren't ours: inputs that can only be read, and outputs that
share none with them.

The memory of an input is the caller's own array, or what the next compute reads again; an output lasts until
the next compute, whatever is set before. What is not here: what outputs must be (`backend`).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from .tensor import Tensor


class Lent:
    """The inputs of a context as they are lent: the same tensor while the input is the same snapshot."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Tensor, Tensor]] = {}

    def of(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        for index, tensor in enumerate(inputs):
            if index not in self._kept or self._kept[index][0] is not tensor:
                self._kept[index] = tensor, read_only(tensor)
        return [self._kept[index][1] for index in range(len(inputs))]


def read_only(tensor: Tensor) -> Tensor:
    """The tensor on memory that can't be written through it. One of a class of the backend's own passes."""
    if not type(tensor).__module__.startswith(f"{__package__}."):
        return tensor
    return Tensor(tensor.dtype, tensor.shape, tensor.view().toreadonly())


def apart(outputs: Sequence[Tensor | None], inputs: Sequence[Tensor]) -> Sequence[Tensor | None]:
    """The outputs, those copied that may share memory with an input."""
    views = [tensor.view() for tensor in inputs if type(tensor) is Tensor]
    shared = [type(one) is Tensor and any(meet(one.view(), view) for view in views) for one in outputs]
    if not any(shared):
        return outputs
    return [
        Tensor(one.dtype, one.shape, memoryview(bytearray(one.view()))) if is_shared and one else one
        for one, is_shared in zip(outputs, shared, strict=True)
    ]


def meet(one: memoryview, other: memoryview) -> bool:
    """Whether two views may share memory. Only numpy makes others of a view that hide whose memory it is."""
    if not (len(one) and len(other)):
        return False
    if one.obj is other.obj:
        return True
    numpy = sys.modules.get("numpy")
    return numpy is not None and bool(numpy.may_share_memory(one, other))

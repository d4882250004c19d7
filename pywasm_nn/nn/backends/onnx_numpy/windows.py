"""Positions of the windows of convolution and pooling, in any number of spatial dimensions. The operators are
elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Any

import numpy as np

from ....records import Frozen
from ...errors import Code, NNError
from .model import Array, Index, Ints
from .room import Room

MAX_KERNEL = 1 << 18
"""The most elements of a window: each costs a pass in Python, and real networks have far fewer."""
AUTO_PADS = ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER")


class Windows(Frozen):
    """Window `i` along an axis begins at `i * stride - begin` and has `kernel` elements, `dilation` apart.

    All fields have one number per spatial axis, `pads` has two: the model's pads at the front, then at the
    back. `end` is the padding that the last window needs, which is more than the pad with ceil_mode, and less
    with some strides.
    """

    input: Ints
    kernel: Ints
    strides: Ints
    dilations: Ints
    begin: Ints
    end: Ints
    output: Ints
    pads: Ints

    def padded(self, room: Room, x: Array, value: Any) -> Array:
        """`x` [N,C,*input] padded with `value`, so that every window is inside."""
        if not any(self.begin) and all(end <= 0 for end in self.end):
            return x
        around = tuple(b + n + max(e, 0) for b, n, e in zip(self.begin, self.input, self.end, strict=True))
        result = room.full(x.shape[:2] + around, value, x.dtype)
        inner: Index = tuple(slice(b, b + n) for b, n in zip(self.begin, self.input, strict=True))
        result[(slice(None), slice(None), *inner)] = x
        return result

    def offsets(self) -> Iterator[Ints]:
        """All positions inside a window."""
        return product(*map(range, self.kernel))

    def shifted(self, padded: Array, offset: Ints) -> Array:
        """The elements of all windows at `offset`: a view [N,C,*output]."""
        index: Index = tuple(
            slice(at * dilation, at * dilation + (count - 1) * stride + 1, stride)
            for at, dilation, count, stride in zip(
                offset, self.dilations, self.output, self.strides, strict=True
            )
        )
        return padded[(slice(None), slice(None), *index)]

    def columns(self, padded: Array) -> Array:
        """All windows of one image [C,*padded]: a view [C,*kernel,*output]."""
        channel, *spatial = padded.strides
        within = (step * dilation for step, dilation in zip(spatial, self.dilations, strict=True))
        between = (step * stride for step, stride in zip(spatial, self.strides, strict=True))
        return np.lib.stride_tricks.as_strided(
            padded,
            (padded.shape[0], *self.kernel, *self.output),
            (channel, *within, *between),
            writeable=False,
        )

    def counts(self, room: Room, *, with_pads: bool) -> Array:
        """The number of elements of each window inside the input, or inside input and pads: [*output]."""
        rank = len(self.input)
        room.shape(self.output, np.int64, copies=2)
        result = np.ones((), np.int64)
        for axis in range(rank):
            low = -self.pads[axis] if with_pads else 0
            high = self.input[axis] + (self.pads[axis + rank] if with_pads else 0)
            starts = np.arange(self.output[axis]) * self.strides[axis] - self.begin[axis]
            first, behind = (-((starts - edge) // self.dilations[axis]) for edge in (low, high))
            inside = np.clip(behind, 0, self.kernel[axis]) - np.clip(first, 0, self.kernel[axis])
            result = np.multiply.outer(result, inside)
        return np.asarray(result)


def windows_of(
    input: Ints,
    kernel: Ints,
    strides: Ints | None,
    pads: Ints | None,
    dilations: Ints | None,
    auto_pad: str,
    ceil_mode: bool = False,
) -> Windows:
    """Place windows according to the specification of Conv and the pooling operators. Raises ValueError for
    attributes that don't fit.
    """
    rank = len(input)
    strides, dilations, pads = strides or (1,) * rank, dilations or (1,) * rank, pads or (0,) * 2 * rank
    for name, given, count in (
        ("kernel_shape", kernel, rank),
        ("strides", strides, rank),
        ("dilations", dilations, rank),
        ("pads", pads, 2 * rank),
    ):
        if len(given) != count:
            raise ValueError(f"{name} {list(given)} for {rank} spatial dimensions")
    if min(*kernel, *strides, *dilations) < 1 or min(pads) < 0 or max(*strides, *dilations) > 1 << 31:
        raise ValueError("kernel, strides, dilations or pads out of range")
    if prod(kernel) > MAX_KERNEL:
        raise NNError(Code.TOO_LARGE, f"a window of {list(kernel)} elements")
    begin, behind, end, output = [], [], [], []
    for axis, length in enumerate(input):
        before, after = (0, 0) if auto_pad == "VALID" else (pads[axis], pads[axis + rank])
        stride, extent = strides[axis], (kernel[axis] - 1) * dilations[axis] + 1
        if auto_pad.startswith("SAME"):
            count = -(-length // stride)
            missing = max((count - 1) * stride + extent - length, 0)
            before = missing // 2 if auto_pad == "SAME_UPPER" else missing - missing // 2
            after = missing - before
        else:
            room = length + before + after - extent
            count = (-(-room // stride) if ceil_mode else room // stride) + 1
            if ceil_mode and (count - 1) * stride >= length + before:
                count -= 1  # a window that begins after the input is dropped
        if count < 1:
            raise ValueError(f"a window of {extent} doesn't fit into {length} elements along axis {axis + 2}")
        begin.append(before)
        behind.append(after)
        end.append((count - 1) * stride + extent - length - before)
        output.append(count)
    return Windows(
        input, kernel, strides, dilations, tuple(begin), tuple(end), tuple(output), (*begin, *behind)
    )

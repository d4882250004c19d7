"""Conv and ConvTranspose, in any number of spatial dimensions, by matrix products."""

from __future__ import annotations

from math import prod

import numpy as np

from .model import Array, Index, Ints
from .operators import operator, same_type
from .room import PRODUCTS, Room, pieces
from .windows import AUTO_PADS, MAX_KERNEL, Windows, windows_of

COLUMN_ELEMENTS = 1 << 20
"""Elements of unfolded input at a time: small products that fit a CPU's cache are faster than one huge
product."""
BLOCK_ELEMENTS = 1 << 15
"""Elements of depthwise output at a time, for the same reason: each weight makes two passes over them."""


@operator("Conv", auto_pad=AUTO_PADS)
def conv(
    room: Room, x: Array, w: Array, b: Array | None = None,
    *, group: int = 1, strides: Ints | None = None, pads: Ints | None = None, dilations: Ints | None = None,
    kernel_shape: Ints | None = None, auto_pad: str = "NOTSET",
) -> Array:  # fmt: skip
    """x [N,C,*spatial] with w [M,C/group,*kernel] gives [N,M,*output]."""
    _check(x, w, b, w.shape[0], kernel_shape)
    if group < 1 or x.shape[1] != w.shape[1] * group or w.shape[0] % group:
        raise ValueError(
            f"weights {list(w.shape)} in {group} groups don't fit an input of {x.shape[1]} channels"
        )
    windows = windows_of(x.shape[2:], w.shape[2:], strides, pads, dilations, auto_pad)
    y = room.empty((x.shape[0], w.shape[0], *windows.output), x.dtype)
    if not y.size:
        return y
    padded = windows.padded(room, x, 0)
    if w.shape[1] == 1 and group > 1:
        _depthwise(room, padded, w, windows, y)
    else:
        for image, result in zip(padded, y, strict=True):
            _grouped(room, image, w, windows, group, result)
    if b is not None:
        y += b.reshape(-1, *(1,) * (x.ndim - 2))
    return y


def _check(x: Array, w: Array, b: Array | None, channels: int, kernel_shape: Ints | None) -> None:
    same_type(*(array for array in (x, w, b) if array is not None))
    if x.ndim < 3 or x.ndim != w.ndim:
        raise ValueError(f"an input of rank {x.ndim} with weights of rank {w.ndim}")
    if kernel_shape is not None and kernel_shape != w.shape[2:]:
        raise ValueError(f"kernel_shape {list(kernel_shape)} for weights {list(w.shape)}")
    if b is not None and b.shape != (channels,):
        raise ValueError(f"bias {list(b.shape)} for {channels} channels")


def _depthwise(room: Room, padded: Array, w: Array, windows: Windows, y: Array) -> None:
    """One input channel per group: shift, multiply, add; for so little work matrix products have too much
    overhead."""
    count, channels = padded.shape[:2]
    each = w.shape[0] // channels
    targets = y.reshape(count, channels, each, *windows.output)
    weights = w.reshape(channels, each, *windows.kernel)
    spread = (None,) * len(windows.output)
    block = max(1, BLOCK_ELEMENTS // max(1, count * each * prod(windows.output)))
    room.shape(targets[:, :block].shape, y.dtype, copies=2)
    for first in range(0, channels, block):
        some = slice(first, first + block)
        target = targets[:, some]
        total = np.zeros_like(target)
        product = np.empty_like(target)
        for offset in windows.offsets():
            room.look()
            factors: Index = (some, slice(None), *offset, *spread)
            np.multiply(windows.shifted(padded[:, some], offset)[:, :, None], weights[factors], out=product)
            np.add(total, product, out=total)
        target[...] = total


def _grouped(room: Room, image: Array, w: Array, windows: Windows, group: int, result: Array) -> None:
    """One image [C,*padded]: a matrix product per group and per slab of the output."""
    columns = windows.columns(image)
    rank = len(windows.output)
    inner, outer = w.shape[1], w.shape[0] // group
    depth = inner * prod(windows.kernel)
    columns_at_once = max(1, min(COLUMN_ELEMENTS // depth, PRODUCTS // (depth * outer))) if depth else 1
    whole = prod(windows.output) <= columns_at_once
    matrices = w.reshape(group, outer, depth)
    for index, matrix in enumerate(matrices):
        channels = columns[index * inner : (index + 1) * inner]
        target = result[index * outer : (index + 1) * outer]
        for slab in pieces(windows.output, columns_at_once):
            room.look()
            some = channels[(slice(None), *(slice(None),) * rank, *slab)]
            unfolded = some.reshape(depth, prod(some.shape[1 + rank :]))
            part = target[(slice(None), *slab)]
            if whole:
                np.matmul(matrix, unfolded, out=part.reshape(outer, -1))
            else:
                part[...] = (matrix @ unfolded).reshape(part.shape)


@operator("ConvTranspose", auto_pad=AUTO_PADS)
def conv_transpose(
    room: Room, x: Array, w: Array, b: Array | None = None,
    *, group: int = 1, strides: Ints | None = None, pads: Ints | None = None, dilations: Ints | None = None,
    kernel_shape: Ints | None = None, output_padding: Ints | None = None, output_shape: Ints | None = None,
    auto_pad: str = "NOTSET",
) -> Array:  # fmt: skip
    """x [N,C,*spatial] with w [C,M/group,*kernel] gives [N,M,*output]: elements spread over windows."""
    _check(x, w, b, w.shape[1] * group, kernel_shape)
    if group < 1 or x.shape[1] != w.shape[0] or w.shape[0] % group:
        raise ValueError(
            f"weights {list(w.shape)} in {group} groups don't fit an input of {x.shape[1]} channels"
        )
    spatial, rank = x.shape[2:], x.ndim - 2
    strides, dilations = strides or (1,) * rank, dilations or (1,) * rank
    pads, extra = pads or (0,) * 2 * rank, output_padding or (0,) * rank
    if {len(strides), len(dilations), len(extra)} != {rank} or len(pads) != 2 * rank:
        raise ValueError(f"strides, dilations, pads or output_padding for other than {rank} dimensions")
    if min(*strides, *dilations) < 1 or min(*pads, *extra) < 0 or prod(w.shape[2:]) > MAX_KERNEL:
        raise ValueError("kernel, strides, dilations, pads or output_padding out of range")
    lengths = zip(strides, spatial, extra, w.shape[2:], dilations, strict=True)
    full = tuple(s * (n - 1) + p + (k - 1) * d + 1 for s, n, p, k, d in lengths)
    begin, output = _transposed_output(full, spatial, strides, pads, output_shape, auto_pad)
    outer = w.shape[1]
    spread = room.full((x.shape[0], group * outer, *full), 0, x.dtype)
    part = room.empty((x.shape[0], group, outer, prod(spatial)), x.dtype)
    windows = Windows(full, w.shape[2:], strides, dilations, (0,) * rank, (0,) * rank, spatial, pads)
    inner = w.shape[0] // group
    flat = x.reshape(x.shape[0], group, inner, prod(spatial))
    for offset in windows.offsets():
        kernel: Index = (..., *offset)
        weights = w[kernel].reshape(group, inner, outer).transpose(0, 2, 1)
        room.look()
        target = windows.shifted(spread, offset)
        target += room.product(weights, flat, part).reshape(x.shape[0], group * outer, *spatial)
    y = room.full((*spread.shape[:2], *output), 0, x.dtype)
    kept: Index = tuple(slice(start, start + length) for start, length in zip(begin, output, strict=True))
    inside = spread[(slice(None), slice(None), *kept)]
    y[tuple(map(slice, inside.shape))] = inside
    if b is not None:
        y += b.reshape(-1, *(1,) * rank)
    return y


def _transposed_output(
    full: Ints, spatial: Ints, strides: Ints, pads: Ints, output_shape: Ints | None, auto_pad: str
) -> tuple[Ints, Ints]:
    """The start of the output in the full result, and the output's shape."""
    rank = len(full)
    if auto_pad.startswith("SAME") and output_shape is None:
        output_shape = tuple(length * stride for length, stride in zip(spatial, strides, strict=True))
    if output_shape is None:
        if auto_pad == "VALID":
            return (0,) * rank, full
        output = tuple(n - b - e for n, b, e in zip(full, pads[:rank], pads[rank:], strict=True))
        return pads[:rank], output
    if len(output_shape) not in (rank, rank + 2):
        raise ValueError(f"output_shape {list(output_shape)} for {rank} spatial dimensions")
    wanted = output_shape[-rank:]
    missing = [max(n - m, 0) for n, m in zip(full, wanted, strict=True)]
    upper = auto_pad == "SAME_UPPER"
    return tuple(m // 2 if upper else m - m // 2 for m in missing), wanted

"""Operators that join arrays, split them and select elements."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate

import numpy as np

from .model import Array, Ints
from .operators import axes_of, axis_of, operator, same_type
from .room import PIECE, Room, part_of, pieces


@operator("Concat", since=4, widen=False)
def concat(room: Room, *xs: Array, axis: int) -> Array:
    same_type(*xs)
    axis = axis_of(axis, xs[0].ndim)
    total = list(xs[0].shape)
    total[axis] = sum(x.shape[axis] for x in xs)
    room.shape(total, xs[0].dtype)
    return np.concatenate(xs, axis)


def _split(x: Array, axis: int, lengths: Ints) -> list[Array]:
    axis = axis_of(axis, x.ndim)
    if sum(lengths) != x.shape[axis] or min(lengths) < 0:
        raise ValueError(f"parts of {list(lengths)} of {x.shape[axis]} elements")
    return np.split(x, list(accumulate(lengths))[:-1], axis)


def _equal_parts(length: int, count: int) -> Ints:
    """Lengths of parts that are equal, except that the last may be shorter."""
    most = -(-length // count)
    return tuple(max(0, min(most, length - at * most)) for at in range(count))


@operator("Split", since=2, outputs=0, widen=False)
def split_12(x: Array, *, n_outputs: int, axis: int = 0, split: Ints | None = None) -> list[Array]:
    return _split(x, axis, split or _equal_parts(x.shape[axis_of(axis, x.ndim)], n_outputs))


@operator("Split", since=13, outputs=0, widen=False)
def split(
    x: Array, split: Array | None = None, *, n_outputs: int, axis: int = 0, num_outputs: int = 0
) -> list[Array]:
    if num_outputs and num_outputs != n_outputs:
        raise ValueError(f"num_outputs is {num_outputs}, the node has {n_outputs}")
    if split is None:
        return _split(x, axis, _equal_parts(x.shape[axis_of(axis, x.ndim)], n_outputs))
    return _split(x, axis, tuple(int(length) for length in split.ravel()))


@operator("Slice", widen=False)
def slice_9(x: Array, *, starts: Ints, ends: Ints, axes: Ints | None = None) -> Array:
    return _slice(x, starts, ends, axes or tuple(range(len(starts))), (1,) * len(starts))


@operator("Slice", since=10, widen=False)
def slice_(
    x: Array, starts: Array, ends: Array, axes: Array | None = None, steps: Array | None = None
) -> Array:
    first, last = starts.ravel().tolist(), ends.ravel().tolist()
    chosen = range(len(first)) if axes is None else axes.ravel().tolist()
    stride = [1] * len(first) if steps is None else steps.ravel().tolist()
    return _slice(x, tuple(first), tuple(last), tuple(chosen), tuple(stride))


def _slice(x: Array, starts: Ints, ends: Ints, axes: Ints, steps: Ints) -> Array:
    index = [slice(None)] * x.ndim
    for axis, start, end, step in zip(axes_of(axes, x.ndim), starts, ends, steps, strict=True):
        # with a negative step, an end before the first element must not count from the end
        whole = step < 0 and end < -x.shape[axis]
        index[axis] = slice(start, None if whole else end, step)
    return x[tuple(index)]


@operator("Gather", widen=False)
def gather(room: Room, x: Array, indices: Array, *, axis: int = 0) -> Array:
    axis = axis_of(axis, x.ndim)
    room.shape(x.shape[:axis] + indices.shape + x.shape[axis + 1 :], x.dtype)
    return np.asarray(np.take(x, indices, axis))


@operator("GatherElements", since=11, widen=False)
def gather_elements(room: Room, x: Array, indices: Array, *, axis: int = 0) -> Array:
    axis = axis_of(axis, x.ndim)
    if x.ndim != indices.ndim or x.ndim == 0:
        raise ValueError(f"indices of rank {indices.ndim} for an array of rank {x.ndim}")
    np.broadcast_shapes(indices.shape[:axis], x.shape[:axis])
    np.broadcast_shapes(indices.shape[axis + 1 :], x.shape[axis + 1 :])
    result = room.empty(indices.shape, x.dtype)
    for index in pieces(indices.shape, PIECE):
        room.look()
        along = (*index[:axis], slice(None), *index[axis + 1 :])
        result[index] = np.take_along_axis(part_of(x, along), indices[index], axis)
    return result


@operator("Tile", since=6, widen=False)
def tile(room: Room, x: Array, repeats: Array) -> Array:
    counts = room.shape(repeats.ravel(), np.bool_)
    if len(counts) != x.ndim:
        raise ValueError(f"{len(counts)} repeats of an array of rank {x.ndim}")
    room.shape([length * count for length, count in zip(x.shape, counts, strict=True)], x.dtype)
    return np.tile(x, counts)


_SOURCES: dict[str, Callable[[Array, int], Array]] = {
    "edge": lambda at, length: np.clip(at, 0, length - 1),
    "wrap": lambda at, length: at % length,
    "reflect": lambda at, length: length - 1 - np.abs(at % max(2 * length - 2, 1) - (length - 1)),
}
"""Modes of Pad: the source index for the element at index `at`, along an axis of this length."""


@operator("Pad", since=2, widen=False, mode=("constant", "reflect", "edge"))
def pad_10(room: Room, x: Array, *, pads: Ints, mode: str = "constant", value: float = 0.0) -> Array:
    return _pad(room, x, pads, tuple(range(x.ndim)), mode, np.asarray(value, x.dtype))


@operator("Pad", since=11, widen=False, mode=("constant", *_SOURCES))
def pad(
    room: Room, x: Array, pads: Array, value: Array | None = None, axes: Array | None = None,
    *, mode: str = "constant",
) -> Array:  # fmt: skip
    chosen = tuple(range(x.ndim)) if axes is None else axes_of(axes.ravel(), x.ndim)
    fill = np.zeros((), x.dtype) if value is None or not value.size else value.reshape(())
    return _pad(room, x, tuple(pads.ravel().tolist()), chosen, mode, fill)


def _pad(room: Room, x: Array, pads: Ints, axes: Ints, mode: str, fill: Array) -> Array:
    """Negative pads remove elements."""
    if len(pads) != 2 * len(axes):
        raise ValueError(f"{len(pads)} pads for {len(axes)} axes")
    around = [(0, 0)] * x.ndim
    cut = [slice(None)] * x.ndim
    for place, axis in enumerate(axes):
        before, after = pads[place], pads[place + len(axes)]
        cut[axis] = slice(max(-before, 0), x.shape[axis] - max(-after, 0))
        around[axis] = (max(before, 0), max(after, 0))
    x = x[tuple(cut)]
    shape = [length + before + after for length, (before, after) in zip(x.shape, around, strict=True)]
    if mode == "constant":
        result = room.full(shape, fill, x.dtype)
        result[tuple(slice(before, before + n) for n, (before, _) in zip(x.shape, around, strict=True))] = x
        return result
    for axis, (before, after) in enumerate(around):
        if before or after:
            length = x.shape[axis]
            if not length:
                raise ValueError(f"mode {mode} has nothing to take from along axis {axis}")
            room.shape([*x.shape[:axis], shape[axis], *x.shape[axis + 1 :]], x.dtype)
            room.shape([shape[axis]], np.int64, copies=2)
            x = np.take(x, _SOURCES[mode](np.arange(-before, length + after), length), axis)
    return x


@operator("Trilu", since=14, widen=False)
def triangle(room: Room, x: Array, k: Array | None = None, *, upper: int = 1) -> Array:
    diagonal = 0 if k is None else int(k.reshape(()))
    room.shape(x.shape, x.dtype)
    return np.triu(x, diagonal) if upper else np.tril(x, diagonal)


@operator("CumSum", since=11)
def cumulative_sum(room: Room, x: Array, axis: Array, *, exclusive: int = 0, reverse: int = 0) -> Array:
    along = axis_of(int(axis.reshape(())), x.ndim)
    turned = np.flip(x, along) if reverse else x
    total = room.empty(x.shape, x.dtype)
    for index in pieces(
        (*x.shape[:along], 1, *x.shape[along + 1 :]), max(1, PIECE // max(1, x.shape[along]))
    ):
        room.look()
        part = (*index[:along], slice(None), *index[along + 1 :])
        np.cumsum(turned[part], along, dtype=x.dtype, out=total[part])
    if exclusive:
        room.each(np.subtract, total, turned, into=total)
    return np.flip(total, along) if reverse else total


@operator("DepthToSpace", widen=False, mode=("DCR", "CRD"))
def depth_to_space(room: Room, x: Array, *, blocksize: int, mode: str = "DCR") -> Array:
    count, channels, height, width = room.shape(x.shape, x.dtype)
    inner = channels // (blocksize * blocksize)
    if mode == "DCR":
        split = x.reshape(count, blocksize, blocksize, inner, height, width).transpose(0, 3, 4, 1, 5, 2)
    else:
        split = x.reshape(count, inner, blocksize, blocksize, height, width).transpose(0, 1, 4, 2, 5, 3)
    return split.reshape(count, inner, height * blocksize, width * blocksize)


@operator("SpaceToDepth", widen=False, mode=("DCR", "CRD"))
def space_to_depth(room: Room, x: Array, *, blocksize: int, mode: str = "DCR") -> Array:
    count, channels, height, width = room.shape(x.shape, x.dtype)
    split = x.reshape(count, channels, height // blocksize, blocksize, width // blocksize, blocksize)
    parts = split.transpose((0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4))
    return parts.reshape(count, channels * blocksize**2, height // blocksize, width // blocksize)

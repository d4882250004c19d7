"""The facts that hints are made from: records about inputs, answers, loads and files.

What is here: the records that rules examine. What is not: gathering them while a guest runs
(`hints/gather.py`), and the rules (`hints/values.py`, `hints/use.py`, `hints/places.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isqrt, prod
from typing import Any

from ..nn.tensor import TensorSpec
from ..records import Frozen
from .events import Tensor
from .regex import regex


class Picture(Frozen):
    """The dimensions of a picture among those of a tensor. `planar`: channels come before rows (NCHW)."""

    channels: int
    height: int
    width: int
    planar: bool


def picture_of(shape: Sequence[int]) -> Picture | None:
    """Returns the picture that a tensor of this shape may be, with 1, 3 or 4 channels, or None if it can't be
    one, or if both its first and its last dimension could be channels."""
    if len(shape) not in (3, 4) or (len(shape) == 4 and shape[0] < 1):
        return None
    first, middle, last = shape[-3:]
    planar, interleaved = first in CHANNELS, last in CHANNELS
    if planar == interleaved:
        return None
    height, width = (middle, last) if planar else (first, middle)
    if min(height, width) < SMALLEST:
        return None
    return Picture(first if planar else last, height, width, planar)


def picture_or_square(shape: Sequence[int]) -> Picture | None:
    """The same, or a grey picture of as many rows as columns, if the shape has a single dimension of as many
    elements: networks without convolutions want pictures so."""
    count = prod(shape)
    side = isqrt(count)
    is_flat = [*shape[-1:]] == [count]
    square = Picture(1, side, side, True) if is_flat and side**2 == count and side >= SMALLEST else None
    return picture_of(shape) or square


OF_SHARES = regex(r"(?:^|[^a-z])(?:share|fraction|proportion|probabilit)", re.IGNORECASE)
"""Names of inputs that are parts of a whole."""
CHANNELS = (1, 3, 4)
SMALLEST = 8
"""Rows or columns of the smallest picture."""


class Input(Frozen):
    """A tensor that the guest gave for an input. `values` is a flat numpy array of its elements, or None; it
    is valid only while rules run. `ramp` says whether the elements go up or down evenly. `scaled_inside`: the
    model normalises this input itself. `flat_picture`: the elements are a picture, though the shape isn't
    that of one. `appended`: it is all zeros, and as many elements that make sense lie right behind it in
    memory.
    """

    index: int
    spec: TensorSpec
    tensor: Tensor
    values: Any = None
    scaled_inside: bool = False
    ramp: bool = False
    flat_picture: bool = False
    appended: bool = False

    @property
    def picture(self) -> Picture | None:
        return picture_of(self.tensor.shape)

    def __str__(self) -> str:
        return f'input {self.index} "{self.spec.name}"'


class Compute(Frozen):
    """A compute that succeeded: all its `inputs`, the indices of inputs whose last set_input `failed`, and of
    those whose buffer in guest memory changed before compute and was never given to set_input again
    (`unsent`).
    """

    inputs: tuple[Input, ...]
    failed: tuple[int, ...] = ()
    unsent: tuple[int, ...] = ()


class Answer(Frozen):
    """An output that the guest fetched, and the inputs of the compute that produced it. `stale`: it was
    fetched before, and inputs were set since.
    """

    index: int
    tensor: Tensor
    inputs: tuple[Input, ...] = ()
    stale: bool = False


class Fit(Frozen):
    """An output was fetched into a buffer of `room` bytes that is too large for it, and as large as `other`,
    the only such output, which is not fetched. Both are shown as `output 0 "label" (8 bytes)`.
    """

    output: str
    room: int
    other: str


class Load(Frozen):
    """A model was loaded, or its load failed with `error` (the error's name in wasi-nn). `asked` is the
    device that the guest asked for, `device` the one that runs the model, `name` the name of a named model.
    """

    name: str | None
    asked: str | None
    device: str | None
    backend: str | None
    error: str | None


class Missing(Frozen):
    """A file that the guest could not open. `guest` is its path in the guest."""

    guest: str

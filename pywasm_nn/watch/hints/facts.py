"""What hints are made from: plain facts about inputs, answers, loads and files.

What is here: the records that rules look at. What is not: gathering them while a guest runs (`gather.py`),
and the rules (`values.py`, `use.py`, `places.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...nn.tensor import TensorSpec
from ...records import record
from ..events import Tensor


@record
class Picture:
    """Which dimensions of a tensor are those of a picture. `planar`: channels come before rows (NCHW)."""

    channels: int
    height: int
    width: int
    planar: bool


def picture_of(shape: Sequence[int]) -> Picture | None:
    """The picture that a tensor of this shape may be, with 1, 3 or 4 channels; None if it can't be one, or
    if its channels could be first and last.
    """
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


CHANNELS = (1, 3, 4)
SMALLEST = 8
"""Rows and columns of the smallest picture."""


@record
class Input:
    """A tensor that the guest gave for an input. `values` is a flat numpy array of numbers, or None, good
    only while rules are asked; `ramp` says whether they go up or down evenly. `scaled_inside`: the
    model normalises this input itself. `number` is the tensor type as
    the guest wrote it, where that is known.
    """

    index: int
    spec: TensorSpec
    tensor: Tensor
    values: Any = None
    backend: str = ""
    scaled_inside: bool = False
    ramp: bool = False
    number: int | None = None

    @property
    def picture(self) -> Picture | None:
        return picture_of(self.tensor.shape)

    def __str__(self) -> str:
        return f'input {self.index} "{self.spec.name}"'


@record
class Compute:
    """A compute that succeeded: all `inputs` it had, those whose last set_input `failed`, and those whose
    buffer has `moved` on since set_input copied it.
    """

    inputs: tuple[Input, ...]
    failed: tuple[int, ...] = ()
    moved: tuple[int, ...] = ()


@record
class Answer:
    """An output that the guest fetched, and the inputs of the compute that gave it. `stale`: inputs were set
    since, and it had been fetched before.
    """

    index: int
    tensor: Tensor
    inputs: tuple[Input, ...] = ()
    stale: bool = False


@record
class Load:
    """A model that was loaded, or not (`error` is then the name in wasi-nn). `asked` and `device` are the
    device that was asked for and the one that runs it, `name` a named model's.
    """

    name: str | None
    asked: str | None
    device: str | None
    backend: str | None
    error: str | None


@record
class Missing:
    """A file that the guest names and didn't get. `guest` is the path as the guest has it."""

    guest: str

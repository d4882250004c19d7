"""Pixels of a picture that a guest writes to a file, each compared with its element of the answer; and
files of elements that end early.

What is here: `miscoloured` and `cut_off`. What is not: where pictures are (`painted.py`).
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy
from ...nn.tensor import Tensor
from ...records import Frozen
from ..origin.locating import correlation

MOST_BYTES = 1 << 21
FEWEST, FEWEST_ELEMENTS = 3, 16
ALIKE, UNLIKE = 0.98, 0.9
"""This part of the pixels is what is looked for; a correlation below the second one is none."""
COLOURS = 3
FLAT = 2
"""A grey picture may have so many dimensions."""
ADDRESS = 4


class Answer(Frozen):
    """An output: its elements in their own order, its lengths but 1, and its bytes."""

    what: str
    flat: Any
    lengths: tuple[int, ...]
    data: bytes

    @staticmethod
    def of(what: str, tensor: Tensor) -> Answer | None:
        numbers = tensor.numbers() if tensor.nbytes <= MOST_BYTES else None
        if numbers is None:
            return None
        lengths = tuple(one for one in tensor.shape if one != 1)
        return Answer(what, numbers.astype("f8").reshape(-1), lengths, bytes(tensor.view()))

    @property
    def is_planar(self) -> bool:
        """Whether it has a plane for each colour."""
        return len(self.lengths) == COLOURS == self.lengths[0]

    @property
    def pixels(self) -> Any:
        """The elements as they lie in a picture: pixel after pixel."""
        return self.flat.reshape(self.lengths).transpose(1, 2, 0).reshape(-1) if self.is_planar else self.flat


def cut_off(data: bytes, answer: Answer) -> str:
    """Returns what is wrong with a file that holds the answer's first bytes alone, or "" if it doesn't."""
    count = answer.flat.size
    if count < FEWEST_ELEMENTS or len(answer.data) == count or not answer.data.startswith(data):
        return ""
    if not data or not any(data):
        return ""
    if len(data) == count:
        return f"has {count} bytes for {count} elements: were elements counted in place of bytes?"
    if len(data) == ADDRESS:
        return (
            f"has {ADDRESS} bytes, the size of an address, of {len(answer.data):,}: was it that of a pointer?"
        )
    return ""


def miscoloured(picture: Any, answer: Answer) -> str:
    """Returns what is wrong with the pixels that were made of an answer, or "" if nothing is."""
    written = picture.reshape(-1).astype("f8")
    if written.size != answer.flat.size or written.min() == written.max():
        return ""
    if is_grey(picture):  # planes of grey are written one below the other on purpose
        return wrapped(written, answer.flat) or wrapped(written, answer.pixels)
    return wrapped(written, answer.pixels) or in_planes(written, answer)


def is_grey(picture: Any) -> bool:
    """Returns whether a picture has rows and columns, and no colours."""
    return bool(picture.ndim == FLAT or (picture.ndim > FLAT and picture.shape[-1] == 1))


def wrapped(written: Any, elements: Any) -> str:
    """Elements beyond black and white are written as what is left of them in a byte."""
    for by in (255.0, 256.0, 1.0):
        wanted = elements * by
        beyond = (wanted <= -1) | (wanted >= 256)
        if not FEWEST <= beyond.sum() <= written.size / 2:
            continue
        inside, left = abs(written - wanted)[~beyond], abs(written - numpy.trunc(wanted) % 256)[beyond]
        if (inside <= 1).mean() >= ALIKE and (numpy.minimum(left, 256 - left) <= 1).mean() >= ALIKE:
            return (
                f"pixels are elements times {by:g}, of which {int(beyond.sum())} lie below 0 or above 255 "
                f"(from {wanted.min():.4g} to {wanted.max():.4g}): what is left of these in a byte is "
                "another colour; they are to be made 0 or 255 before (clamped)"
            )
    return ""


def in_planes(written: Any, answer: Answer) -> str:
    """Planes of colours are written one after the other into a file of pixels."""
    if (
        not answer.is_planar
        or correlation(written, answer.flat) < ALIKE
        or correlation(written, answer.pixels) > UNLIKE
    ):
        return ""
    return (
        "its elements stand in their own order, plane after plane of each colour; such a file has the "
        "colours of a pixel side by side"
    )

"""Asks models that say something of each place of a picture, or whether something is there, about pixels from
0 to 255 that they may want smaller.

What is here: `too_large`, for models whose numbers are logits. What is not: models that choose one of several
classes (`asking.py`), and detectors of boxes (`finding.py`).

No training makes a model so sure that a class is e^256 times as probable as the next one. If it is at most
places of a picture whose elements are large, and as sure as training makes it if they are small ones, then
small ones were meant. Numbers of features or pictures are large, too; but they don't become those of a sure
model if the elements are divided.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ...records import Frozen
from ..changes.encodings import OTHER_RANGE, RAW, SIGNED, STANDARD, UNIT, Encoding, encoded, guesses
from ..facts import Picture, picture_of
from .asking import MOST, Runs

FAR = 256.0
"""The least margin as sent. Differences of whole pixels are smaller."""
USUAL = (2.0, 60.0)
"""The margins that training makes."""
MOST_CLASSES = 256
BESIDE = 8
"""So many numbers are in another output at least beside the one that says whether something is there."""
COMPARED = 1 << 14
"""Of more places every few are looked at, about so many."""
PLACES = 0.01
"""The least part of the places that get another class than most do."""


class Said(Frozen):
    """The answer of a model: the usual margin at places, or the logit of something's being there (`is_one`),
    and whether places get different classes, or that logit is above 0. Logits have both signs (`is_signed`);
    numbers of features and pictures mostly don't."""

    margin: float
    is_one: bool
    is_seeing: bool
    is_signed: bool = True


def too_large(
    graph: Graph, inputs: Sequence[Tensor], tensors: Sequence[Tensor], seconds: float, most: float = MOST
) -> str | None:
    """A sentence if a model is far too sure of pixels from 0 to 255, and usually sure of small ones, or None.
    `tensors` are the outputs as sent, and `seconds` the duration of one run. Raises NNError."""
    pictures = [(at, found) for at, one in enumerate(inputs) if (found := picture_of(one.shape)) is not None]
    if len(pictures) != 1:
        return None
    index, picture = pictures[0]
    array = inputs[index].numpy()
    if array is None or array.dtype.kind != "f" or float(array.max()) < FAR / 2:
        return None
    if [one.said for one in guesses(array, picture)[:1]] != [RAW.said]:
        return None
    sent = said_of(tensors, picture)
    if sent is None or sent.margin < FAR:
        return None
    with Runs(graph, inputs, most, seconds=seconds) as runs:
        ways = [way for way in (UNIT, SIGNED, STANDARD) if way.fits(picture.channels)]
        said = [(way, usual(runs, index, array, picture, way)) for way in ways]
    meant = [(way.said, one) for way, one in said if one is not None and one.is_one is sent.is_one]
    if not meant or meant[0][0] != UNIT.said:
        return None
    small = ", or ".join(said for said, _ in meant)
    other = " that nothing is there" if sent.is_one and not sent.is_seeing else ""
    what = "that something is there is" if sent.is_one else "at most places the surest class is"
    than = "that it isn't" if sent.is_one else "the next one"
    return (
        f'input {index} "{graph.inputs[index].name}": with pixels {small} ({OTHER_RANGE} {RAW.said}) {what} '
        f"e^{meant[0][1].margin:.0f} times as probable as {than}, as training makes it; as sent,{other} "
        f"e^{sent.margin:.0f} times: elements are far too large"
    )


def usual(runs: Runs, index: int, array: Any, picture: Picture, way: Encoding) -> Said | None:
    """Returns the answer of a model to pixels in another range, if it is as sure as training makes it because
    of what they show, or None."""
    made = numpy.ascontiguousarray(encoded(array, way, picture).astype(array.dtype))
    found = said_of(runs.outputs_of(index, made), picture) if runs.left() else None
    if found is None or not (found.is_seeing and found.is_signed):
        return None
    if not USUAL[0] <= found.margin <= USUAL[1]:
        return None
    order = numpy.random.default_rng(0)
    mixed = order.permutation(made.reshape(-1)).reshape(made.shape)
    other = said_of(runs.outputs_of(index, mixed), picture) if runs.left() else None
    return None if other is None or other.is_seeing else found


def said_of(tensors: Sequence[Tensor], picture: Picture) -> Said | None:
    """Returns the answer in outputs, or None if they aren't logits of classes at places, or of something's
    being there beside something else."""
    arrays = [one.numpy() for one in tensors]
    floats = [one for one in arrays if one is not None and one.dtype.kind == "f" and one.size]
    if len(floats) != len(tensors) or not all(numpy.isfinite(one).all() for one in floats):
        return None
    if len(floats) == 1:
        return at_places(floats[0], picture)
    ones = [one for one in floats if one.size == 1]
    if len(ones) != 1 or max(one.size for one in floats) < BESIDE:
        return None
    number = float(ones[0].reshape(-1)[0])
    return Said(abs(number), True, number > 0)


def at_places(array: Any, picture: Picture) -> Said | None:
    """The usual margin of the classes at the places of a picture."""
    flat = classes_at(array, picture)
    if flat is None:
        return None
    if flat.shape[1] == 1:
        flat = numpy.concatenate([flat, numpy.zeros_like(flat)], axis=1)
    two = numpy.partition(flat, -2, axis=1)[:, -2:]
    counts = numpy.bincount(flat.argmax(axis=1))
    is_varied = float(counts.max()) <= (1 - PLACES) * len(flat)
    return Said(float(numpy.median(two[:, 1] - two[:, 0])), False, is_varied, bool(array.min() < 0))


def classes_at(array: Any, picture: Picture) -> Any:
    """The numbers [places, classes] that an output has for places of a picture, which lie before or behind
    the classes, or None if it has none."""
    shape = array.shape
    if len(shape) not in (3, 4) or (len(shape) == 4 and shape[0] != 1):
        return None
    whole = array.reshape(shape[-3:])
    if is_of(whole.shape[1:], picture):
        flat = whole.reshape(len(whole), -1).T
    elif is_of(whole.shape[:2], picture):
        flat = whole.reshape(-1, whole.shape[-1])
    else:
        return None
    if flat.shape[1] > MOST_CLASSES:
        return None
    return numpy.ascontiguousarray(flat[:: max(1, len(flat) // COMPARED)], "f8")


def is_of(size: Sequence[int], picture: Picture) -> bool:
    """Whether rows and columns are those of a picture, or of one that is so many times as small."""
    height, width = size
    return min(size) > 1 and height * picture.width == width * picture.height

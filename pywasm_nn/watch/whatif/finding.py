"""Asks a model that finds things in pictures about changed copies of one in which it found nothing.

What is here: `found_otherwise`. What is not: how sure a detection is (`detections.py`), and models that
choose one of several classes (`asking.py`).

A picture may well show nothing that such a model knows, and in another range of pixels it sees things that
aren't there. What it sees rightly it also sees in the mirror, a little to the side, and with less contrast,
about as surely, and never in the picture's pixels in a random order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ..changes.encodings import RAW, SIGNED, UNIT
from ..facts import Picture, picture_of
from .asking import RANGE, Change, Runs, changes
from .detections import detection_of
from .sureness import HALF, Answer

NOTHING, SURE, MOST_SURE = 0.35, 0.65, 0.99
"""Scores of nothing, and of something; larger ones come from elements that are far too large."""
BLIND = 0.9
"""The least score of elements in a random order that comes from their being far too large."""
USUAL = tuple(f"{RANGE}{encoding.said} (" for encoding in (RAW, UNIT, SIGNED))
"""Changes that are tried, the most frequent ones of detectors first. In other ranges and orders such models
see what isn't there."""
CHECKS = 3
"""So many random orders, and pictures that show the same, are looked at if there is time; else one."""
STEADY = 0.85
"""What is seen rightly is seen with at least this part of its score elsewhere."""
ASIDE = (0.025, -0.035, 0.05)
"""A picture is moved by these parts of its size."""
CONTRAST = 0.8


def found_otherwise(
    graph: Graph, inputs: Sequence[Tensor], sent: Answer, seconds: float, most: float
) -> str | None:
    """Returns what speaks for a change of the only picture among the inputs, or None if nothing does. `sent`
    is the surest detection in it, which took the model so many `seconds`."""
    pictures = [index for index, tensor in enumerate(inputs) if picture_of(tensor.shape) is not None]
    if len(pictures) != 1:
        return None
    index = pictures[0]
    picture = picture_of(inputs[index].shape)
    made = [
        change
        for change in changes(index, inputs[index], graph.inputs[index])
        if change.said.startswith(USUAL) and not change.is_doubted
    ]
    if picture is None or not made:
        return None
    made.sort(key=lambda one: [one.said.startswith(usual) for usual in USUAL].index(True))
    with Runs(graph, inputs, most, judge=detection_of, seconds=seconds) as runs:
        is_blind = sent.sure > MOST_SURE and sees_nothing(runs, index, inputs[index].numpy())
        if sent.sure > NOTHING and not is_blind:
            return None
        for change in made:
            answer = runs.changed(index, change.array) if runs.left() else None
            if answer is None or not is_seen(runs, change, answer, picture, 1.0 if is_blind else MOST_SURE):
                continue
            name, said = f'input {index} "{graph.inputs[index].name}"', change.said
            if is_blind:
                return (
                    f"{name}: {said} what the model finds is in the picture; as sent it finds as much in its "
                    "elements in a random order"
                )
            kind = f"of class {answer.place} " if answer.classes > 1 else ""
            return (
                f"{name}: {said} the surest detection is {kind}at {answer.sure:.2f}; as sent it is at "
                f"{sent.sure:.2f}"
            )
    return None


def sees_nothing(runs: Runs, index: int, array: Any) -> bool:
    """Whether the model is as sure as can be of a picture's elements in a random order."""
    shuffled = runs.shuffled(Change("as sent", index, array), range(1))
    return bool(shuffled) and shuffled[0].sure > BLIND


def is_seen(runs: Runs, change: Change, answer: Answer, picture: Picture, most: float) -> bool:
    """Whether the model is sure, at `most` so much, and sees what a person would see."""
    if not SURE <= answer.sure <= most:
        return False
    checks = 0
    for number in range(CHECKS):
        if not runs.left():
            break
        other = runs.changed(change.index, altered(change.array, picture, number))
        if other is None or other.place != answer.place or other.sure < STEADY * answer.sure:
            return False
        shuffled = runs.shuffled(change, range(number, number + 1))
        if any(one.sure > HALF * answer.sure for one in shuffled):
            return False
        checks += len(shuffled)
    return checks > 0


def altered(array: Any, picture: Picture, number: int) -> Any:
    """A picture that shows the same: in the mirror or not, aside, and with less contrast."""
    rows, columns = (-2, -1) if picture.planar else (-3, -2)
    aside = ASIDE[number]
    turned = array if number % 2 else numpy.flip(array, columns)
    moved = numpy.roll(turned, (int(aside * picture.height), int(aside * picture.width)), (rows, columns))
    return (moved * CONTRAST + array.mean() * (1 - CONTRAST)).astype(array.dtype)

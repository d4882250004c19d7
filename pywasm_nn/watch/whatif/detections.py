"""How sure the surest detection of a model is that finds things in pictures: `detection_of`.

What is here: telling scores from boxes in the usual layouts of answers, which are boxes and scores as outputs
of their own with as many rows (SSD, BlazeFace, RetinaFace), rows or columns that have a box and its scores
(YOLO), and a map of scores, alone (segmentation) or beside others of its size (CenterNet). What is not:
asking a model again (`finding.py`), and which boxes are kept (`probes/suppression.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.quantized import dequantized
from ...nn.tensor import Tensor, TensorSpec
from ..origin.comparing import are_shares, sigmoid
from .sureness import NEAR_ONE, Answer

FEWEST = 10
"""Rows of an answer."""
BOX = 4
"""Numbers of a box."""
MOST_CLASSES = 1024
MOST_KEPT = 1000
"""A model that compares boxes itself keeps at most so many."""
SMALLEST_MAP = 256
"""Elements of a map of scores."""
SUREST = 99.5
"""Per cent of a map that are less sure than its surest part."""


def detection_of(specs: Sequence[TensorSpec], tensors: Sequence[Tensor]) -> Answer | None:
    """Returns the surest detection of a model that finds things in one picture, as its class and its score,
    or None for any other model."""
    arrays: list[Any] = []
    for spec, tensor in zip(specs, tensors, strict=True):
        numbers = dequantized(tensor, spec).numbers()
        if numbers is None or not numbers.size or tensor.shape[:1] != (1,):
            return None
        arrays.append(numbers.reshape(tensor.shape[1:]))
    return surest(arrays)


def surest(arrays: Sequence[Any]) -> Answer | None:
    """The same of outputs without the axis of the batch."""
    found: list[Answer] = []
    with numpy.errstate(all="ignore"):
        for scores in scores_of(arrays):
            classes = scores.max(axis=0)
            if not numpy.isfinite(classes).all():
                return None
            found.append(Answer(int(classes.argmax()), float(classes.max()), len(classes)))
    return max(found, key=lambda one: one.sure, default=None)


def scores_of(arrays: Sequence[Any]) -> Iterator[Any]:
    """The scores [rows, classes] of each group of outputs that has boxes."""
    if len(arrays) == 1:
        made = (scores_within(arrays[0]) if arrays[0].ndim == 2 else scores_of_place(arrays[0]),)
    else:
        tables = [one.reshape(len(one), -1) for one in arrays if one.ndim in (1, 2)]
        lengths = sorted({len(one) for one in tables if len(one) >= FEWEST})
        made = tuple(scores_beside([one for one in tables if len(one) == length]) for length in lengths)
        made = made if any(one is not None for one in made) else (scores_in_map(arrays),)
    yield from (one for one in made if one is not None)


def scores_within(array: Any) -> Any:
    """Returns the scores of rows or columns that begin with a box, or None if there are none."""
    rows, is_turned = (array.T, True) if array.shape[0] < array.shape[1] else (array, False)
    width = rows.shape[1]
    if len(rows) < FEWEST or not BOX < width <= MOST_CLASSES or 2 * width > len(rows):
        return None
    scores = rows[:, BOX:]
    first = scores[:, :1]
    if width == BOX + 2 and len(rows) <= MOST_KEPT and is_shares(first) and (first[1:] <= first[:-1]).all():
        return first  # the last number is the class
    if not is_shares(scores):
        return None
    if is_turned or width == BOX + 1:
        return scores
    return first * scores[:, 1:]  # the score of there being anything, and those of classes


def scores_beside(tables: Sequence[Any]) -> Any:
    """Returns the scores of outputs with as many rows, of which one has boxes, or None if there are none."""
    others = sorted(
        (one for one in tables if one.shape[1] != BOX or is_distribution(one)), key=lambda one: one.shape[1]
    )
    if len(tables) < 2 or not others or max(one.shape[1] for one in tables) < BOX:
        return None
    narrow = [one for one in others if one.shape[1] == others[0].shape[1]]
    scores = next((one for one in narrow if is_shares(one)), narrow[0])
    classes = scores.shape[1]
    if not is_shares(scores):
        return sigmoid(scores.astype("f8")) if classes == 1 and len(narrow) == 1 else None
    if is_distribution(scores):
        nothing = scores.mean(axis=0).argmax()
        scores = scores.copy()
        scores[:, nothing] = 0
    return scores


def scores_in_map(arrays: Sequence[Any]) -> Any:
    """Returns the scores of a map of one channel that has others of its size beside it, or None if there is
    none."""
    maps = [one for one in arrays if one.ndim == 3]
    if len(maps) != len(arrays) or len({one.shape[1:] for one in maps}) != 1:
        return None
    found = [one for one in maps if one.shape[0] == 1 and one.size >= SMALLEST_MAP and is_shares(one)]
    return found[0].reshape(-1, 1) if len(found) == 1 else None


def scores_of_place(array: Any) -> Any:
    """Returns the usual score of the surest part of a map alone, or None if it is none. One pixel of it says
    little."""
    if array.ndim != 3 or 1 not in (array.shape[0], array.shape[2]) or array.size < SMALLEST_MAP:
        return None
    return numpy.percentile(array, SUREST).reshape(1, 1) if is_shares(array) else None


def is_shares(numbers: Any) -> bool:
    """Whether numbers may be probabilities."""
    return bool(numbers.min() >= 0 and numbers.max() <= 1 + NEAR_ONE)


def is_distribution(rows: Any) -> bool:
    """Whether each row may be the probabilities of several classes."""
    return rows.shape[1] > 1 and are_shares(rows)

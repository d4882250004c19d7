"""Asks a model that reads texts, letter by letter (CTC), about a picture in which it read next to nothing.

What is here: `read_otherwise`, and `text_of`, which says how sure a model is of a text. What is not: how the
guest reads the answer (`written/recognised.py`), and models that choose one class for the whole input
(`asking.py`).

A model that was trained on lines of text is sure of nearly each letter of them. Of lines upside down, in the
mirror, or with rows and columns exchanged, it reads nothing or is unsure of each. Other ranges of pixels make
such a model sure of what isn't there, so nothing but places and black and white is asked about.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor, TensorSpec
from ...records import Frozen
from ..changes.arrangements import as_before, interleaved, other_layout, transposed
from ..facts import Picture, picture_of
from ..origin.comparing import are_shares, softmax
from .asking import Runs
from .sureness import Answer

FEWEST_STEPS, FEWEST_CLASSES, MOST_ELEMENTS = 8, 11, 1 << 22
MOST_DIMENSIONS = 3
"""Of steps and classes: [batch, steps, classes]. A map has more."""
BOX = 4
"""Numbers of a box."""
FEWEST, SURE, UNSURE = 4, 0.9, 0.5
"""Letters of a text that is no chance, how sure a model is of them on average, and of what is no text."""


class Otherwise(Frozen):
    """A sentence that speaks for a change of an input, and the changed input."""

    said: str
    made: Any

    def is_sent(self, tensor: Tensor) -> bool:
        """Whether a guest sends the changed input, too: it reads both, and knows which is right."""
        return tensor.shape == self.made.shape and numpy.array_equal(tensor.numpy(), self.made)


def text_of(specs: Sequence[TensorSpec], tensors: Sequence[Tensor]) -> Answer | None:
    """How many letters (`place`) the only output of a model reads, and how sure it is of them on average.
    None for any other output than probabilities or logits, [steps, classes], in which the first or the last
    class is the blank.
    """
    shape = [length for length in tensors[0].shape if length != 1] if len(tensors) == 1 else []
    if len(shape) != 2 or len(tensors[0].shape) > MOST_DIMENSIONS or tensors[0].size > MOST_ELEMENTS:
        return None
    numbers = tensors[0].numbers()
    if numbers is None or numbers.dtype.kind != "f" or shape[0] < FEWEST_STEPS or shape[1] < FEWEST_CLASSES:
        return None
    rows = numbers.reshape(shape).astype("f8")
    if not numpy.isfinite(rows).all():
        return None
    if not are_shares(rows):
        if has_boxes(rows) or has_boxes(rows.T):
            return None
        rows = softmax(rows)
    best = rows.argmax(axis=1).tolist()
    blank = max((0, shape[1] - 1), key=best.count)
    steps = groupby(zip(best, rows.max(axis=1).tolist(), strict=True), key=lambda step: step[0])
    letters = [max(sure for _, sure in group) for place, group in steps if place != blank]
    sure = sum(letters) / len(letters) if letters and blank in best else 0.0
    return Answer(len(letters), sure, shape[1])


def has_boxes(rows: Any) -> bool:
    """Whether numbers behind the first four of each row are from 0 to 1, as scores behind a box, and no
    logits of letters."""
    rest = rows[:, BOX:]
    return bool(rest.size and rest.min() >= 0 and rest.max() <= 1)


def read_otherwise(
    graph: Graph, inputs: Sequence[Tensor], sent: Answer, seconds: float, most: float
) -> Otherwise | None:
    """Returns what speaks for a change of the only input, or None if nothing does. The model read as much as
    `sent` says, and that took it so many `seconds`."""
    picture = picture_of(inputs[0].shape) if len(inputs) == 1 else None
    if picture is None or (sent.place >= FEWEST and sent.sure > UNSURE):
        return None
    array = inputs[0].numpy()
    if array.min() == array.max():
        return None
    found: list[tuple[Answer, str, Any]] = []
    with Runs(graph, inputs, most, judge=text_of, seconds=seconds) as runs:
        for said, made in arranged(array, picture):
            changed = numpy.ascontiguousarray(made, array.dtype)
            answer = runs.changed(0, changed) if runs.left() else None
            if answer is not None and answer.place >= FEWEST and answer.sure >= SURE:
                found.append((answer, said, changed))
    if not found:
        return None
    answer, said, made = max(found, key=lambda one: one[0].sure)
    return Otherwise(
        f'input 0 "{graph.inputs[0].name}": {said} the model reads {answer.place} letters, at '
        f"{answer.sure:.2f} on average; as sent it reads "
        + (f"{sent.place}, at {sent.sure:.2f}" if sent.place else "none"),
        made,
    )


def arranged(array: Any, picture: Picture) -> Iterator[tuple[str, Any]]:
    """The picture as a guest would send it that made another choice of places or colours."""
    pixels = interleaved(array, picture)
    for said, made in (
        ("turned by 180 degrees (it was sent upside down)", pixels[:, ::-1, ::-1]),
        ("with rows and columns swapped (it was sent column by column)", transposed(pixels, picture)),
        ("with its rows in the other order (it was sent from bottom to top)", pixels[:, ::-1]),
        ("in the mirror (its columns were sent from right to left)", pixels[:, :, ::-1]),
        ("with black and white swapped", array.min() + (array.max() - pixels)),
    ):
        yield said, as_before(made, picture, array.shape)
    if picture.channels > 1:
        yield "read in the other layout (NCHW and NHWC swapped)", other_layout(array, picture)

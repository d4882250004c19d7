"""Asks a model that reads lines of text, and takes them in any size, about the height with which it was
trained, as its name says, and about the proportions of the line's own picture.

What is here: `trained_height` and `at_trained_height`, `Squeezed` and `in_proportion`. What is not: models
that read next to nothing (`texts.py`), and inputs of one size, which the model itself refuses otherwise.

Such a model reads lines of other heights, too, with some wrong letters, and its sureness hardly tells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from time import perf_counter

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor, TensorSpec
from ...records import Frozen
from ..changes.arrangements import interleaved
from ..facts import Picture, picture_of
from ..origin.resizing import nearest
from .asking import Runs
from .sureness import Answer
from .texts import FEWEST, text_of

TRAINED: Sequence[tuple[re.Pattern[str], int]] = (
    (re.compile(r"pp-?ocr[-_]?v[345](?!\d).*rec", re.IGNORECASE), 48),
    (re.compile(r"pp-?ocr(?:[-_]mobile|[-_]server)?[-_]?v[12](?!\d).*rec", re.IGNORECASE), 32),
)
"""Names of models, and the height of the lines with which they were trained (`rec_image_shape`). Source:
https://github.com/PaddlePaddle/PaddleOCR/blob/release/2.7/doc/doc_en/inference_args_en.md"""


SQUEEZED = 1.6
"""How many times as narrow, or as wide, as it should be, a line is asked about."""
SURE, DOUBT, TIMES, WIDEST, TWICE = 0.9, 0.1, 3, 4096, 2
"""How sure a model is of a line's letters, its doubt of those of a squeezed one, and how many times the other
doubt that is; the most columns that are sent, and how many times as many as before mostly are enough."""


class Squeezed(Frozen):
    """A picture's width and height and those in which it was sent, and how many times `narrower` it was made
    than it should be."""

    sides: tuple[int, int, int, int]
    narrower: float

    @staticmethod
    def of(sides: tuple[int, int, int, int] | None) -> Squeezed | None:
        """The same by width and height before and after; None if they have nearly the same proportions."""
        if sides is None:
            return None
        wide, high, new_wide, new_high = sides
        narrower = wide * new_high / (new_wide * high)
        return Squeezed(sides, narrower) if max(narrower, 1 / narrower) >= SQUEEZED else None


def trained_height(names: Sequence[str]) -> int:
    """The height of the lines with which a model of one of these names was trained, or 0 if it isn't
    known."""
    return next((rows for form, rows in TRAINED for name in names if form.search(name)), 0)


def at_trained_height(
    graph: Graph, inputs: Sequence[Tensor], wanted: int, sent: Answer, seconds: float, most: float
) -> str | None:
    """Returns what is wrong with the height of a line of text, if the model reads something else at the one
    `wanted`, and not less surely than as `sent`; or None. Raises NNError."""
    picture = picture_of(inputs[0].shape) if wanted and len(inputs) == 1 else None
    if picture is None or picture.height == wanted or sent.place < FEWEST:
        return None
    across = max(1, round(picture.width * wanted / picture.height))
    answer = read_in(graph, inputs, picture, (wanted, across), sent, seconds, most)
    if answer is None or answer.sure < sent.sure:
        return None
    return (
        f'input 0 "{graph.inputs[0].name}": its lines are {picture.height} rows high, and models of this '
        f"name were trained with {wanted}; with {wanted} rows (and {across} columns) it reads other letters, "
        f"at {answer.sure:.3f} on average, and as sent at {sent.sure:.3f}"
    )


def in_proportion(
    graph: Graph, inputs: Sequence[Tensor], squeezed: Squeezed, sent: Answer, seconds: float, most: float
) -> str | None:
    """Returns what is wrong with the proportions of a line of text, if the model reads something else in
    those of its picture, and hardly doubts it; or None. Raises NNError."""
    picture = picture_of(inputs[0].shape) if len(inputs) == 1 else None
    across = 0 if picture is None else round(picture.width * squeezed.narrower)
    if picture is None or not 0 < across <= WIDEST or 1 - sent.sure < DOUBT:
        return None
    wanted = graph.inputs[0].shape or ()
    width = wanted[-1 if picture.planar else -2] if len(wanted) >= len("CHW") else 1
    if isinstance(width, int) and width > 0:
        return None  # the model takes lines of one width
    answer, end = None, perf_counter() + most
    for columns in sorted({min(across, TWICE * picture.width), across}):  # the first is the cheaper one
        left = end - perf_counter()
        found = read_in(graph, inputs, picture, (picture.height, columns), sent, seconds, left)
        if found is not None and found.sure >= SURE and 1 - sent.sure >= TIMES * (1 - found.sure):
            answer, across = found, columns
            break
    if answer is None:
        return None
    wide, high, new_wide, new_high = squeezed.sides
    way, by = ("narrower", squeezed.narrower) if squeezed.narrower > 1 else ("wider", 1 / squeezed.narrower)
    return (
        f'input 0 "{graph.inputs[0].name}": {wide} x {high} pixels became {new_wide} x {new_high}, {by:.1f} '
        f"times {way} than they should be; in {across} columns the model reads {answer.place} letters, at "
        f"{answer.sure:.2f} on average, and as sent {sent.place}, at {sent.sure:.2f}: is the width to be the "
        "picture's times the new height / its height?"
    )


def read_in(
    graph: Graph,
    inputs: Sequence[Tensor],
    picture: Picture,
    sides: tuple[int, int],
    sent: Answer,
    seconds: float,
    most: float,
) -> Answer | None:
    """Returns what a model reads in a line of these rows and columns, or None if that is nothing, or the same
    letters as in it as `sent`, about which it is asked again only if they are as many."""
    pixels = interleaved(inputs[0].numpy(), picture)
    made = numpy.stack([nearest(one, *sides) for one in pixels])
    made = numpy.ascontiguousarray(made.transpose(0, 3, 1, 2) if picture.planar else made)
    read: list[tuple[int, ...]] = []

    def judge(specs: Sequence[TensorSpec], tensors: Sequence[Tensor]) -> Answer | None:
        read.append(classes_in(tensors[0]))
        return text_of(specs, tensors)

    with Runs(graph, inputs, most, judge=judge, seconds=seconds) as runs:
        answer = runs.answer({0: Tensor.from_numpy(made)})
        if answer is None or answer.place < FEWEST or answer.place != sent.place:
            return None if answer is None or answer.place < FEWEST else answer
        runs.answer({})
    return None if read[0] == read[1] else answer


def classes_in(tensor: Tensor) -> tuple[int, ...]:
    """The best classes of the steps of an answer, each once where it repeats, without that which is the best
    of most."""
    best = tensor.numpy().reshape(-1, tensor.shape[-1]).argmax(axis=1).tolist()
    blank = max(set(best), key=best.count)
    return tuple(place for place, _ in groupby(best) if place != blank)

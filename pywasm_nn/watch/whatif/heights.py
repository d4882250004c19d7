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
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor, TensorSpec
from ...records import Frozen
from ..changes.arrangements import interleaved
from ..facts import Picture, picture_of
from ..origin.resizing import nearest
from ..regex import regex
from .asking import Runs
from .sureness import Answer
from .texts import FEWEST, text_of

TRAINED: Sequence[tuple[re.Pattern[str], int]] = (
    (regex(r"pp-?ocr[-_]?v[345](?!\d).*rec", re.IGNORECASE), 48),
    (regex(r"pp-?ocr(?:[-_]mobile|[-_]server)?[-_]?v[12](?!\d).*rec", re.IGNORECASE), 32),
)
"""Names of models, and the height of the lines with which they were trained (`rec_image_shape`). Source:
https://github.com/PaddlePaddle/PaddleOCR/blob/release/2.7/doc/doc_en/inference_args_en.md"""


SQUEEZED = 1.6
"""How many times as narrow, or as wide, as it should be, a line is asked about."""
SURE, DOUBT, TIMES, WIDEST, TWICE = 0.9, 0.1, 3, 4096, 2
"""How sure a model is of a line's letters, its doubt of those of a squeezed one, and how many times the other
doubt that is; the most columns that are sent, and how many times as many as before mostly are enough."""


FEWEST_LINES, MOSTLY = 8, 0.7
"""So many rows or columns of a picture were repeated at least, most of which differ from the next ones."""


class Squeezed(Frozen):
    """How many times `narrower` a picture was made than it should be, and what became of its `sides`, in
    words."""

    sides: str
    narrower: float

    @staticmethod
    def of(sides: tuple[int, int, int, int] | None) -> Squeezed | None:
        """The same by width and height before and after; None if they have nearly the same proportions."""
        if sides is None:
            return None
        wide, high, new_wide, new_high = sides
        became = f"{wide} x {high} pixels became {new_wide} x {new_high},"
        return squeezed_by(wide * new_high / (new_wide * high), became)

    @staticmethod
    def seen_in(inputs: Sequence[Tensor]) -> Squeezed | None:
        """The same of a picture of which no file is known, by rows that are repeated oftener than columns, or
        the other way round; None if they aren't."""
        picture = picture_of(inputs[0].shape) if len(inputs) == 1 else None
        if picture is None:
            return None
        rows = interleaved(inputs[0].numpy(), picture)[0]
        high, wide = (times_repeated(one) for one in (rows, rows.swapaxes(0, 1)))
        said = f"each row is there {high:.2g} x and each column {wide:.2g} x, which makes letters"
        return squeezed_by(high / wide, said)


def squeezed_by(narrower: float, sides: str) -> Squeezed | None:
    return Squeezed(sides, narrower) if max(narrower, 1 / narrower) >= SQUEEZED else None


def times_repeated(rows: Any) -> float:
    """Returns how often each row is there, if a picture was made higher by repeating rows, or 1 if not."""
    height = len(rows)
    ends = numpy.flatnonzero((rows[1:] != rows[:-1]).any(axis=tuple(range(1, rows.ndim)))) + 1
    fewest, most = len(ends) + 1, int(len(ends) / MOSTLY) + 1
    for count in range(max(fewest, FEWEST_LINES), min(most, height - 1) + 1):
        for middle in (0.0, 0.5):
            places = ((numpy.arange(height) + middle) * count / height).astype("i8")
            known = numpy.flatnonzero(numpy.diff(places)) + 1
            if numpy.isin(ends, known).all():
                return height / count
    return 1.0


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
    if not takes_any_width(graph, picture):
        return None
    answer, end = None, perf_counter() + most
    for columns in sorted({min(across, TWICE * picture.width), across}):  # the first is the cheaper one
        left = end - perf_counter()
        found = read_in(graph, inputs, picture, (picture.height, columns), sent, seconds, left)
        if found is not None and found.sure >= SURE and 1 - sent.sure >= TIMES * (1 - found.sure):
            answer, across = found, columns
            break
    if answer is None:
        return None
    way, by = ("narrower", squeezed.narrower) if squeezed.narrower > 1 else ("wider", 1 / squeezed.narrower)
    return (
        f'input 0 "{graph.inputs[0].name}": {squeezed.sides} {by:.1f} times '
        f"{way} than they should be; in {across} columns the model reads {answer.place} letters, at "
        f"{answer.sure:.2f} on average, and as sent {sent.place}, at {sent.sure:.2f}: is the width to be the "
        "picture's times the new height / its height?"
    )


def takes_any_width(graph: Graph, picture: Picture) -> bool:
    """Whether a model leaves the width of its picture open."""
    wanted = graph.inputs[0].shape or ()
    width = wanted[-1 if picture.planar else -2] if len(wanted) >= len("CHW") else 1
    return not isinstance(width, int) or width < 1


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

"""Asks a model that reads lines of text, and takes them in any height, about the height with which it was
trained, as its name says.

What is here: `trained_height` and `at_trained_height`. What is not: models that read next to nothing
(`texts.py`), and inputs of one size, which the model itself refuses otherwise.

Such a model reads lines of other heights, too, with some wrong letters, and its sureness hardly tells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor, TensorSpec
from ..changes.arrangements import interleaved
from ..facts import picture_of
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
    pixels = interleaved(inputs[0].numpy(), picture)
    across = max(1, round(picture.width * wanted / picture.height))
    made = numpy.stack([nearest(one, wanted, across) for one in pixels])
    made = numpy.ascontiguousarray(made.transpose(0, 3, 1, 2) if picture.planar else made)
    read: list[tuple[int, ...]] = []

    def judge(specs: Sequence[TensorSpec], tensors: Sequence[Tensor]) -> Answer | None:
        read.append(classes_in(tensors[0]))
        return text_of(specs, tensors)

    with Runs(graph, inputs, most, judge=judge, seconds=seconds) as runs:
        runs.answer({})
        answer = runs.answer({0: Tensor.from_numpy(made)})
    if answer is None or answer.place < FEWEST or answer.sure < sent.sure or read[0] == read[1]:
        return None
    return (
        f'input 0 "{graph.inputs[0].name}": its lines are {picture.height} rows high, and models of this '
        f"name were trained with {wanted}; with {wanted} rows (and {across} columns) it reads other letters, "
        f"at {answer.sure:.3f} on average, and as sent at {sent.sure:.3f}"
    )


def classes_in(tensor: Tensor) -> tuple[int, ...]:
    """The best classes of the steps of an answer, each once where it repeats, without that which is the best
    of most."""
    best = tensor.numpy().reshape(-1, tensor.shape[-1]).argmax(axis=1).tolist()
    blank = max(set(best), key=best.count)
    return tuple(place for place, _ in groupby(best) if place != blank)

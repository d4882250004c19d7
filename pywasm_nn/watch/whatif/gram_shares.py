"""Asks a model about n-grams of letters as shares of all of their length, where their counts were sent.

What is here: `as_gram_shares`. What is not: a few numbers of another kind (`shares.py`). Far larger numbers
than those of its training make a network far too sure. A model that is linear in its input, such as naive
Bayes, may be as sure of counts rightly: it is left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ..origin.grams import grams_in
from ..surroundings import Files
from .asking import FEWEST_CLASSES, MOST, SURE, Change, Runs
from .sureness import OVERSURE, Answer, is_as_sure

FEWEST_COUNTED, MOST_COUNT = 12, 1000
CONTROLS = 3


def as_gram_shares(
    graph: Graph,
    inputs: Sequence[Tensor],
    sent: Answer | None,
    files: Files,
    seconds: float,
    most: float = MOST,
) -> str | None:
    """A sentence if the model is far too sure of counts, and rightly sure of shares. Raises NNError."""
    if sent is None or sent.classes < FEWEST_CLASSES or len(inputs) != 1 or sent.margin < OVERSURE:
        return None
    array = inputs[0].numpy()
    lengths = lengths_of(array, files)
    shares = None if lengths is None else shared(array, lengths)
    if shares is None:
        return None
    with Runs(graph, inputs, most, seconds=seconds) as runs:
        shares = shares.astype(array.dtype)
        other = runs.changed(0, shares)
        if other is None or other.sure < SURE or other.margin >= OVERSURE or runs.are_linear(0, shares):
            return None
        mixed = runs.shuffled(Change("", 0, shares), range(CONTROLS))
    if len(mixed) < CONTROLS or any(is_as_sure(one, other) for one in mixed):
        return None
    return (
        f'input 0 "{graph.inputs[0].name}": as shares, each count divided by how many n-grams of its length '
        f"the text has, the answer is {other}; as sent, as counts up to {array.max():g}, it is {sent}, "
        f"e^{sent.margin:.0f} times as probable as the next one"
    )


def lengths_of(array: Any, files: Files) -> Any:
    """Returns the length of the n-gram of each element, by a list that was read, or None if there is none."""
    if array is None or array.dtype.kind != "f" or array.size != max(array.shape, default=0):
        return None
    lists = (grams_in(data) for _, data in files())
    grams = next((one for one in lists if len(one) == array.size), ())
    return numpy.array([*map(len, grams)]) if grams else None


def shared(array: Any, lengths: Any) -> Any:
    """Returns counts divided by the sum of those of the same length, in the input's shape, or None for other
    numbers."""
    flat = array.reshape(-1).astype("f8")
    is_counted = numpy.isfinite(flat).all() and flat.min() >= 0 and (flat % 1 == 0).all()
    if not is_counted or (flat > 0).sum() < FEWEST_COUNTED or not 1 < flat.max() <= MOST_COUNT:
        return None
    sums = numpy.zeros(int(lengths.max()) + 1)
    numpy.add.at(sums, lengths, flat)
    return (flat / numpy.maximum(sums[lengths], 1)).reshape(array.shape)

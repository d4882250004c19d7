"""Asks a model about the padding of bytes: is it a number that no byte has?

What is here: `other_padding`. What is not: padding of words, which a vocabulary names (`origin.wordings`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from .asking import MOST, Runs

NO_BYTE = 256
"""The number after those of bytes, which byte models use for padding."""
SURE, FAR = 0.9, 0.7
"""How sure an answer must be, and how much less sure the one with 0 is, as a part."""
ABOUT, SOMEWHAT = 0.5, 0.2
"""The same where the model knows 256 numbers and one: at least so sure, and by so much surer of the same."""
NEARLY, DOUBTS = 0.02, 20
"""An answer of which so much is missing, and so many times as much as of the other, is far less sure, too: a
model that doesn't know 256 is surer of nothing by it."""
SHARE = 8
"""Padding is at least one element of so many."""


def is_padded(array: Any) -> bool:
    """Whether bytes have so many zeros that these are padding."""
    zeros = array == 0
    return bool(array.max() < NO_BYTE and zeros.sum() * SHARE >= array.size and not zeros.all())


def is_one_run(padded: Any) -> bool:
    """Whether all elements that are true follow each other."""
    return int((numpy.diff(padded.reshape(-1).astype("i1")) == 1).sum()) + bool(padded.reshape(-1)[0]) == 1


def other_padding(
    graph: Graph, inputs: Sequence[Tensor], index: int, seconds: float, most: float = MOST, rows: int = 0
) -> str | None:
    """Returns a sentence if an input of bytes is padded with 0, which is a byte, and the model knows 256 and
    is far surer of that, or None if not. It needs to be only somewhat surer if so many numbers are known to
    it (`rows`; 0: unknown) that 256 is the last, and there are no zeros but those. Raises NNError."""
    given = inputs[index]
    array = given.numpy()
    if array is None or array.dtype.kind not in "iu" or array.dtype.itemsize < 2:
        return None
    if not is_padded(array):
        return None
    padded = array == 0
    with Runs(graph, inputs, most, seconds=seconds) as runs:

        def asked(number: int) -> Any:
            return runs.changed(index, numpy.where(padded, number, array).astype(array.dtype))

        sent, other = asked(0), asked(NO_BYTE)
    if sent is None or other is None:
        return None
    knows = f", the last of {rows} numbers that the model knows" if rows == NO_BYTE + 1 else ""
    is_surer = other.sure > sent.sure + (0 if other.place != sent.place else SOMEWHAT)
    if not (knows and is_one_run(padded) and is_surer and other.sure >= ABOUT):
        doubt = 1 - sent.sure
        is_far = sent.sure <= FAR * other.sure or (doubt >= NEARLY and doubt >= DOUBTS * (1 - other.sure))
        if other.sure < SURE or not is_far:
            return None
    return (
        f'input {index} "{graph.inputs[index].name}": with its padding as {NO_BYTE}, which is no byte{knows}'
        f", the answer is {other}; as sent, with 0, it is {sent}"
    )

"""Asks a model about a mask of other meaning: does it hide the words, and show the padding?

What is here: `hidden_words`. What is not: a mask that doesn't fit the words beside it (`hints.words`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from .asking import MOST, Runs

FEWEST, DIFFERENT = 3, 2
"""The fewest words of a text, and different ones among them."""
MASK = "mask"
"""What names of masks have in them."""


def hidden_words(graph: Graph, inputs: Sequence[Tensor], seconds: float, most: float = MOST) -> str | None:
    """A sentence if no word that a mask marks in the way of the text's first one changes an output, and words
    do change it with the mask the other way round. Raises NNError."""
    for words, mask in pairs(graph, inputs):
        numbers, shown = inputs[words].numpy(), inputs[mask].numpy()
        other = exchanged(numbers, shown)
        if other is None:
            continue
        inverted = [*inputs]
        inverted[mask] = Tensor(inputs[mask].dtype, inputs[mask].shape, (1 - shown).astype(shown.dtype))
        as_sent, turned = (
            follows(graph, given, words, (numbers, other), seconds, most) for given in (inputs, inverted)
        )
        for index, spec in enumerate(graph.outputs):
            if as_sent.get(index) is False and turned.get(index):
                value = int(shown.reshape(-1)[0])
                return (
                    f'input {mask} "{graph.inputs[mask].name}": with {value} for words no other word changes '
                    f'output {index} "{spec.name}"; with {1 - value} for words they do: the model hides what '
                    f"is {value}, as padding, and the mask has the other meaning"
                )
    return None


def pairs(graph: Graph, inputs: Sequence[Tensor]) -> Iterator[tuple[int, int]]:
    """Inputs of words, and those of masks of the same shape, by their indices."""
    arrays = [one.numpy() for one in inputs]
    for mask, shown in enumerate(arrays):
        if (
            shown is None
            or MASK not in graph.inputs[mask].name.lower()
            or not numpy.isin(shown, (0, 1)).all()
        ):
            continue
        for words, numbers in enumerate(arrays):
            is_text = words != mask and numbers is not None and numbers.dtype.kind in "iu"
            if is_text and numbers.shape == shown.shape and numbers.size >= FEWEST and numbers.max() > 1:
                yield words, mask


def exchanged(numbers: Any, shown: Any) -> Any:
    """Returns the words in the opposite order, where the mask is as at the first one, or None if they are the
    same."""
    places = numpy.flatnonzero((shown == shown.reshape(-1)[0]).reshape(-1))
    made = numpy.array(numbers).reshape(-1)
    made[places] = made[places][::-1]
    changed = int((made != numbers.reshape(-1)).sum())
    return made.reshape(numbers.shape) if len(places) >= FEWEST and changed >= DIFFERENT else None


def follows(
    graph: Graph, inputs: Sequence[Tensor], index: int, arrays: Sequence[Any], seconds: float, most: float
) -> dict[int, bool]:
    """By output of numbers, whether it differs for two arrays in place of an input."""
    with Runs(graph, inputs, most, seconds=seconds) as runs:
        one, other = (runs.outputs_of(index, array) for array in arrays)
    numbers = [(first.numbers(), second.numbers()) for first, second in zip(one, other, strict=False)]
    return {
        place: not numpy.array_equal(first, second, equal_nan=True)
        for place, (first, second) in enumerate(numbers)
        if first is not None and second is not None and first.dtype.kind == "f"
    }

"""How sure an answer is, for models that choose one of several classes.

What is here: `answer_of`. What is not: detectors, pictures and texts, where no single number means how sure a
model is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...nn.quantized import dequantized
from ...nn.tensor import Tensor, TensorSpec
from ...records import Frozen

MOST_CLASSES = 1 << 17
NEAR_ONE = 0.03


class Answer(Frozen):
    """The class that a model chose, its probability, and how many classes there are (0: unknown)."""

    place: int
    sure: float
    classes: int = 0

    def __str__(self) -> str:
        return f"{self.place} at {self.sure:.2f}"


def answer_of(specs: Sequence[TensorSpec], tensors: Sequence[Tensor]) -> Answer | None:
    """The answer of a model whose only output is a number for each of at least two classes, None for any
    other. Numbers that are no probabilities count as logits."""
    if len(tensors) != 1 or len([length for length in tensors[0].shape if length != 1]) != 1:
        return None
    tensor = dequantized(tensors[0], specs[0])
    numbers = tensor.numbers()
    if numbers is None or numbers.dtype.kind != "f" or not 2 <= len(numbers) <= MOST_CLASSES:
        return None
    return chosen(numbers.astype("f8"))


def answers_of(specs: Sequence[TensorSpec], tensors: Sequence[Tensor]) -> list[Answer]:
    """The answers to a batch of a model whose only output has a row for each; [] of any other."""
    if len(tensors) != 1 or len(tensors[0].shape) != 2:
        return []
    tensor = dequantized(tensors[0], specs[0])
    numbers = tensor.numbers()
    if numbers is None or numbers.dtype.kind != "f" or not 2 <= tensor.shape[1] <= MOST_CLASSES:
        return []
    found = [chosen(row) for row in numbers.reshape(tensor.shape).astype("f8")]
    return [answer for answer in found if answer is not None]


def chosen(numbers: Any) -> Answer | None:
    import numpy

    if not numpy.isfinite(numbers).all():
        return None
    total = float(numbers.sum())
    place = int(numbers.argmax())
    if numbers.min() >= 0 and numbers.max() <= 1 + NEAR_ONE:
        # Probabilities add up to 1; those of labels that may occur together don't, and each is for itself.
        share = (
            float(numbers[place]) / max(1.0, total) if abs(total - 1) < NEAR_ONE else float(numbers[place])
        )
        return Answer(place, share, len(numbers))
    weights = numpy.exp(numbers - numbers[place])
    return Answer(place, float(1 / weights.sum()), len(numbers))

"""How sure an answer is, for models that choose one of several classes.

What is here: `answer_of`. What is not: detectors (`detections.py`), and texts, where no number means how sure
a model is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import hypot, prod
from typing import Any

from ...arrays import numpy
from ...nn.quantized import dequantized
from ...nn.tensor import DType, Tensor, TensorSpec
from ...records import Frozen
from ..regex import regex

MOST_CLASSES = 1 << 17
MEASURED = regex(
    r"(?<![a-z])(?:sin|cos|sine|cosine|sin[_-]?cos|cos[_-]?sin|xyz?|xywh|xyxy|yxyx|uv|angles?|offsets?|deltas?|"
    r"b?box(?:es)?|rects?|corners?|coord(?:inate)?s?|cent(?:er|re|roid)s?|(?:key)?points?|landmarks?|"
    r"quat(?:ernion)?s?|translations?|euler|gaze|yaw|displacements?|regress(?:ion|ors?)?|embeddings?)(?![a-z])",
    re.IGNORECASE,
)
"""Names of outputs whose numbers are measures of one thing, and no scores of classes."""
PAIR, FEWEST_ON_CIRCLE, ON_CIRCLE = 2, 3, 0.2
"""Of two numbers each so many answers that are so near to the unit circle are sines and cosines."""
NEAR_ONE = 0.03
SMALLEST = 1e-45
"""The smallest probability in 32 bits that isn't 0."""


NAMING = frozenset({DType.I64, DType.I32, DType.STRING})
"""Types of outputs that name a class."""
LEAST, TIMES = 8.0, 4.0
"""An answer is far surer than another if it has this margin, and so many times that of the other."""
OVERSURE, MOST_SURE = 60.0, 30.0
"""Margins of no answer to a picture that is sent as a model was trained, and of hardly any."""
HALF = 0.5
"""An answer that is at most so sure as this part of another is far less sure."""
LARGER = 8.0
"""Elements that are so many times as far apart make any network surer."""
TOLD, LINEAR = 1e-30, 1e-3
"""Smaller probabilities say nothing exactly; and by how much logits of a linear model may be off, as a part
of their range."""


class Answer(Frozen):
    """The class that a model chose, its probability, how many classes there are (0: unknown), and the
    logarithm of how many times as probable it is as the next one (`margin`)."""

    place: int
    sure: float
    classes: int = 0
    margin: float = 0.0
    pair: tuple[float, ...] = ()
    """The numbers themselves, if there are two that don't add up to 1."""

    def __str__(self) -> str:
        return f"{self.place} at {self.sure:.2f}"


def is_as_sure(one: Answer, other: Answer) -> bool:
    """Whether an answer names the same class as another one, and not far less surely."""
    return one.place == other.place and one.sure > HALF * other.sure


def is_far_surer(one: Answer, other: Answer) -> bool:
    """Whether an answer is far surer than another one, as far as training makes it. Near 1 probabilities say
    little: 0.96 has a margin of 3, and 1.00 one of 8 or 20."""
    return is_far_larger(one.margin, other.margin)


def is_far_larger(margin: float, other: float) -> bool:
    """Whether a margin is far larger than another one, and no larger than training makes it."""
    return max(LEAST, TIMES * other) <= margin <= MOST_SURE


def are_on_circle(answers: Sequence[Answer]) -> bool:
    """Whether answers are a sine and a cosine each, one of several angles. Shares are never below 0."""
    if len(answers) < FEWEST_ON_CIRCLE or any(len(one.pair) != PAIR for one in answers):
        return False
    is_near = all(abs(hypot(*one.pair) - 1) <= ON_CIRCLE for one in answers)
    return is_near and min(min(one.pair) for one in answers) < 0 and len({one.place for one in answers}) > 1


def answer_of(specs: Sequence[TensorSpec], tensors: Sequence[Tensor]) -> Answer | None:
    """Returns the answer of a model whose only output is a number for each of at least two classes, beside
    which may be the class (as scikit-learn's models have it), or None for any other. Numbers that are no
    probabilities count as logits."""
    index = place_of_scores(tensors, 1)
    if index < 0 or len([length for length in tensors[index].shape if length != 1]) != 1:
        return None
    tensor, spec = tensors[index], specs[index]
    if is_of_a_batch(spec, tensor.shape):
        return None
    numbers = dequantized(tensor, spec).numbers()
    if numbers is None or numbers.dtype.kind != "f" or not 2 <= len(numbers) <= MOST_CLASSES:
        return None
    if are_measures(spec, numbers):
        return None
    return chosen(numbers.astype("f8"), step_of(tensor, spec))


def answer_or_share(specs: Sequence[TensorSpec], tensors: Sequence[Tensor]) -> Answer | None:
    """The same, or of two classes that of a model whose only output is the share of one of them."""
    numbers = tensors[0].numbers() if len(tensors) == 1 else None
    if numbers is None or numbers.dtype.kind != "f" or numbers.size != 1 or not 0 <= numbers[0] <= 1:
        return answer_of(specs, tensors)
    share = float(numbers[0])
    return chosen(numpy.array([1 - share, share]))


def answer_of_any(specs: Sequence[TensorSpec], tensors: Sequence[Tensor]) -> Answer | None:
    """The same, also if the only output is a number that its name says to be the logarithm of odds."""
    numbers = tensors[0].numbers() if len(tensors) == 1 else None
    if (
        numbers is None
        or numbers.dtype.kind != "f"
        or numbers.size != 1
        or "logit" not in specs[0].name.lower()
    ):
        return answer_or_share(specs, tensors)
    return chosen(numpy.array([0.0, float(numbers[0])]) - max(1.0, float(numbers[0])))


def are_linear(specs: Sequence[TensorSpec], answers: Sequence[Sequence[Tensor]]) -> bool:
    """Whether a model is linear: its logits to the mean of two inputs are the mean of those to both.
    `answers` are the outputs to these two and to their mean."""
    found: list[Any] = []
    for tensors in answers:
        index = place_of_scores(tensors, 1)
        numbers = dequantized(tensors[index], specs[index]).numbers() if index >= 0 else None
        if numbers is None or numbers.dtype.kind != "f" or not numpy.isfinite(numbers).all():
            return False
        logits = numbers.astype("f8")
        if logits.min() >= 0 and abs(logits.sum() - 1) < NEAR_ONE:
            logits = numpy.log(numpy.where(logits < TOLD, numpy.nan, logits))
        found.append(logits)
    rows = numpy.stack(found)
    is_told = numpy.isfinite(rows).all(axis=0)
    if is_told.sum() < 2 or is_told.mean() < 1 / 2:
        return False
    rows = rows[:, is_told]
    one, other, middle = rows - rows[:, :1]  # but for a number that is added to all
    return bool(abs(one + other - 2 * middle).max() <= LINEAR * numpy.ptp(one))


def are_measures(spec: TensorSpec, rows: Any) -> bool:
    """Whether an output is named after measures of one thing, such as a sine and a cosine or the corners of a
    box, and its rows aren't the probabilities of several (of the angle as one of four)."""
    are_shares = rows.min(initial=0) >= 0 and bool((abs(rows.sum(axis=-1) - 1) < NEAR_ONE).all())
    return not are_shares and any(MEASURED.search(name) for name in (spec.name, *spec.aliases))


def is_of_a_batch(spec: TensorSpec, shape: Sequence[int]) -> bool:
    """Whether an output has one number for each of several inputs: it declares how many only by the first
    length, which varies."""
    declared = spec.shape or ()
    varies = len(declared) > 1 and not isinstance(declared[0], int)
    return varies and shape[0] > 1 and all(length == 1 for length in declared[1:])


def answers_of(specs: Sequence[TensorSpec], tensors: Sequence[Tensor]) -> list[Answer]:
    """Returns the answers to a batch of such a model, which has a row for each, or [] for any other."""
    rows = max((tensor.shape[0] for tensor in tensors if tensor.shape), default=0)
    index = place_of_scores(tensors, rows)
    if index < 0 or len(tensors[index].shape) != 2:
        return []
    tensor = dequantized(tensors[index], specs[index])
    numbers = tensor.numbers()
    if numbers is None or numbers.dtype.kind != "f" or not 2 <= tensor.shape[1] <= MOST_CLASSES:
        return []
    if are_measures(specs[index], numbers.reshape(tensor.shape)):
        return []
    found = [chosen(row) for row in numbers.reshape(tensor.shape).astype("f8")]
    return [answer for answer in found if answer is not None]


def every_answer(specs: Sequence[TensorSpec], tensors: Sequence[Tensor]) -> list[Answer]:
    """Returns the answer to one input, or those to each of a batch, or [] for other models."""
    one = answer_of(specs, tensors)
    return [one] if one is not None else answers_of(specs, tensors)


def place_of_scores(tensors: Sequence[Tensor], rows: int) -> int:
    """Returns the only output, or the one of two beside which is one whole number or text for each of so many
    rows, or -1 if there is no such one."""
    if len(tensors) == 1:
        return 0
    named = [n for n, tensor in enumerate(tensors) if tensor.dtype in NAMING and prod(tensor.shape) == rows]
    return 1 - named[0] if len(tensors) == 2 and len(named) == 1 else -1


def mean(answers: Sequence[Answer]) -> float:
    """How sure answers are on average."""
    return sum(one.sure for one in answers) / len(answers)


def step_of(tensor: Tensor, spec: TensorSpec) -> float:
    """Returns half of the step between two numbers of an output of whole ones, or 0 for any other."""
    is_whole = tensor.dtype.value[0] in "iu" and spec.quantization is not None
    return spec.quantization[0] / 2 if is_whole and spec.quantization else 0.0


def chosen(numbers: Any, step: float = 0.0) -> Answer | None:
    """The answer of numbers that are exact but for `step`."""
    if not numpy.isfinite(numbers).all():
        return None
    total = float(numbers.sum())
    place = int(numbers.argmax())
    pair = tuple(numbers.tolist()) if len(numbers) == PAIR and abs(total - 1) >= NEAR_ONE else ()
    if numbers.min() >= 0 and numbers.max() <= 1 + NEAR_ONE:
        # Probabilities add up to 1; those of labels that may occur together don't, and each is for itself.
        share = (
            float(numbers[place]) / max(1.0, total) if abs(total - 1) < NEAR_ONE else float(numbers[place])
        )
        logarithms = numpy.log(numbers.clip(max(step, SMALLEST)))
        return Answer(place, share, len(numbers), ahead(logarithms), pair)
    weights = numpy.exp(numbers - numbers[place])
    return Answer(place, float(1 / weights.sum()), len(numbers), ahead(numbers), pair)


def ahead(logarithms: Any) -> float:
    """By how much the largest number is larger than the next one."""
    first, second = sorted(logarithms.tolist())[:-3:-1]
    return float(first - second)

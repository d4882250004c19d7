"""Labels -1 and 1, as those of an isolation forest or a one-class machine, which a guest takes for 0 and 1:
it says the same of both, and another thing of 0, which the model never answers.

What is here: `as_truth`, which finds out with copies what is said of each label, and `Labels`, which follows
all answers and knows at the end whether the model gives both labels. What is not: labels of three classes or
more, and labels whose bytes are read as another type (`one_label.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...nn.operation import NNEvent
from .asked import Asked

SIGNS = (-1, 1)
SAID = (
    "the guest writes the same of the labels -1 and 1, and another thing of 0, which the model never "
    "answers: -1 usually stands for an outlier and 1 for an inlier; are labels compared with 0, or taken for "
    "true and false?"
)
FEWEST, MOST = 3, 1 << 16
"""Labels of all answers together that are looked at, at least, and those of one answer at most."""


def as_truth(asked: Asked) -> str:
    """Returns "", and keeps a hint that holds if the model's answers are -1 as well as 1: what is written of
    labels that are all -1 is the same as if they are all 1, and isn't so if they are 0."""
    for index, output in asked.fetched():
        array = output.array
        if not are_signs(array):
            continue
        nothing, *both = (asked.text(index, numpy.full_like(array, one)) for one in (0, *SIGNS))
        if None not in (nothing, *both) and both[0] == both[1] != nothing:
            asked.of_signs = index, f"{output.what}: {SAID}"
            return ""
    return ""


def are_signs(array: Any) -> bool:
    """Whether an answer has labels of which each is -1 or 1."""
    is_signed = array.dtype.kind in "if" and 0 < array.size <= MOST
    return is_signed and bool(numpy.isin(array, SIGNS).all())


class Labels:
    """Follows answers; gives hints at the end."""

    def __init__(self) -> None:
        self._seen: dict[Any, tuple[set[int], int]] = {}
        """By model and output, the labels that it gave, and how many, as long as these are -1 and 1."""
        self._hints: dict[Any, str] = {}

    def computed(self, model: Any, event: NNEvent) -> None:
        """A model has answered."""
        for index, tensor in enumerate(event.tensors):
            seen, count = self._seen.get((model, index), (set(), 0))
            if seen - {*SIGNS} or tensor.size > MOST:
                continue
            numbers = tensor.numbers()
            if numbers is not None and are_signs(numbers):
                found = {int(one) for one in numpy.unique(numbers)}
                self._seen[model, index] = seen | found, count + numbers.size
            else:
                self._seen[model, index] = {0}, 0

    def suppose(self, model: Any, hint: tuple[int, str] | None) -> None:
        """Keep a hint about an output, if there is one."""
        if hint is not None:
            self._hints[model, hint[0]] = hint[1]

    def finish(self) -> Iterator[str]:
        for key, hint in self._hints.items():
            seen, count = self._seen.get(key, (set(), 0))
            if seen == {*SIGNS} and count >= FEWEST:
                yield hint

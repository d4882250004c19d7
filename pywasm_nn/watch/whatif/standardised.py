"""Asks models that choose a class for each place of a picture about pixels in another usual range than as
sent, where they are unsure: those from 0 to 1 of which ImageNet's mean and deviation were left out.

What is here: `standardised`. What is not: whole pixels of which a model is far too sure (`too_large.py`), and
models that choose one of several classes for a whole picture (`asking.py`).

Elements that are farther apart make any model surer. So the same pixels are asked about as sent, but as many
times as far apart: the other range has to make the model far surer than that, and has to show a class at many
places that none of both shows at hardly any.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ...records import Frozen
from ..changes.encodings import HALF, OTHER_RANGE, SIGNED, STANDARD, UNIT, decoded, encoded, guesses
from ..facts import Picture, picture_of
from .asking import MOST, Runs
from .too_large import classes_at

SENT, MEANT = (UNIT, HALF, SIGNED), (STANDARD, SIGNED)
"""Ranges that are asked about, and those that may be meant."""
COLOURS = 3
FEWEST_CLASSES = 3
DOUBTED = 3.0
"""At half of the places the surest class is at most e^3 times as probable as the next one, as sent."""
LEAST, MOST_MARGIN = 5.0, 60.0
"""In the range that is meant the margin lies between these, as training makes it."""
TIMES, OF_LARGER = 3.0, 1.5
"""How many times as large the margin is then as that as sent, and as that of elements as far apart, and of
other ranges."""
SHOWN, NOT_SHOWN = 0.05, 0.01
"""The least part of the places that get the class which is new, and the most that got it."""
CONTRAST, KEPT = 0.9, 0.85
"""The picture with less contrast, and the part of the places whose class stays."""
TINY = 1e-30


class Chosen(Frozen):
    """The classes of places, the part of all that each class has, and the usual margin."""

    places: Any
    parts: Any
    margin: float


def standardised(
    graph: Graph,
    inputs: Sequence[Tensor],
    tensors: Sequence[Tensor],
    known: Container[int],
    seconds: float,
    most: float = MOST,
) -> str | None:
    """A sentence if a model of classes at places is far surer of the pixels of a file in another range, and
    only then says one of its classes, or None. `tensors` are the outputs as sent, `known` the inputs that
    are pictures as their files have them, and `seconds` the duration of one run. Raises NNError."""
    pictures = [(at, found) for at, one in enumerate(inputs) if (found := picture_of(one.shape)) is not None]
    if len(pictures) != 1 or pictures[0][0] not in known:
        return None
    index, picture = pictures[0]
    array, sent = inputs[index].numpy(), chosen(tensors, picture)
    if array is None or array.dtype.kind != "f" or picture.channels != COLOURS:
        return None
    if sent is None or sent.margin > DOUBTED:
        return None
    own = next(iter(guesses(array, picture)), None)
    if own is None or own not in SENT:
        return None
    pixels = decoded(array, own, picture)
    ranges = {way.said: encoded(pixels, way, picture) for way in MEANT if way is not own}
    with Runs(graph, inputs, most, seconds=seconds) as runs:
        asked = Asked(runs, index, array, picture)
        answers = {said: answer for said, made in ranges.items() if (answer := asked.of(made)) is not None}
        best = max(answers, key=lambda said: answers[said].margin, default="")
        if not best or not is_surer(answers[best], sent):
            return None
        larger = asked.of(array * (ranges[best].std() / array.std()))
        shown = shown_first(answers[best], sent, larger) if larger else -1
        if larger is None or shown < 0 or answers[best].margin < OF_LARGER * larger.margin:
            return None
        middle = ranges[best].mean(axis=(-2, -1) if picture.planar else (-3, -2), keepdims=True)
        paler = asked.of(middle + CONTRAST * (ranges[best] - middle))
    if paler is None or (paler.places == answers[best].places).mean() < KEPT:
        return None
    # Which of two ranges around 0 is meant only a class says that one of them doesn't show.
    alike = [said for said, one in answers.items() if keeps(one, sent) and one.parts[shown] >= SHOWN]
    others = [one for said, one in answers.items() if said not in alike]
    if any(answers[best].margin < OF_LARGER * one.margin for one in others):
        return None
    way = f"{', or '.join(alike)} ({OTHER_RANGE} {own.said})"
    return f'input {index} "{graph.inputs[index].name}": {told(way, answers[best], sent, shown)}'


def told(way: str, answer: Chosen, sent: Chosen, shown: int) -> str:
    """Returns the sentence about pixels in another range."""
    return (
        f"with pixels {way} the surest class of a place is usually e^{answer.margin:.1f} times as probable "
        f"as the next one, and {answer.parts[shown]:.0%} of the places get class {shown}; as sent "
        f"e^{sent.margin:.1f} times, and {sent.parts[shown]:.0%}"
    )


class Asked(Frozen):
    """Answers to one picture with other elements."""

    runs: Runs
    index: int
    array: Any
    picture: Picture

    def of(self, made: Any) -> Chosen | None:
        """The answer to other elements, or None if there is no time, or none."""
        if not self.runs.left():
            return None
        elements = numpy.ascontiguousarray(made.astype(self.array.dtype))
        return chosen(self.runs.outputs_of(self.index, elements), self.picture)


def is_surer(answer: Chosen, sent: Chosen) -> bool:
    """Whether a model is far surer than as sent, as far as training makes it, and no class gets lost."""
    is_usual = max(LEAST, TIMES * sent.margin) <= answer.margin <= MOST_MARGIN
    return is_usual and keeps(answer, sent)


def keeps(answer: Chosen, sent: Chosen) -> bool:
    """Whether all classes that showed as sent still do."""
    return bool((answer.parts[sent.parts >= SHOWN] > NOT_SHOWN).all())


def shown_first(answer: Chosen, *others: Chosen) -> int:
    """The class that many places get, and hardly any in other answers; -1 if there is none."""
    is_new = numpy.all([one.parts <= NOT_SHOWN for one in others], axis=0)
    parts = numpy.where(is_new, answer.parts, 0)
    return int(parts.argmax()) if parts.max() >= SHOWN else -1


def chosen(tensors: Sequence[Tensor], picture: Picture) -> Chosen | None:
    """Returns the classes that the only output has for the places of a picture, as logits or probabilities,
    or None if it is no such one."""
    array = tensors[0].numpy() if len(tensors) == 1 else None
    if array is None or array.dtype.kind != "f" or not array.size or not numpy.isfinite(array).all():
        return None
    flat = classes_at(array, picture)
    if flat is None or flat.shape[1] < FEWEST_CLASSES:
        return None
    if flat.min() >= 0:
        if abs(flat.sum(axis=1) - 1).max() > NOT_SHOWN:
            return None
        flat = numpy.log(flat.clip(TINY))
    two = numpy.partition(flat, -2, axis=1)[:, -2:]
    places = flat.argmax(axis=1)
    parts = numpy.bincount(places, minlength=flat.shape[1]) / len(flat)
    return Chosen(places, parts, float(numpy.median(two[:, 1] - two[:, 0])))

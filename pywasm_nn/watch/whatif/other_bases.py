"""Asks a model about spectra of sounds that were made by a formula that somebody wrote, with a logarithm to
another base, and all else as it is.

What is here: `Bases`, which keeps the first inputs, and `by_another_base`. What is not: the formula
(`origin/bases.py`), and features by the means and deviations of a file (`oddly_scaled.py`).

The formula says what the program does, and not what was meant. For that the sounds' names speak, or answers
that all get sure, or that elements far from all that a model is trained with become usual ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ...records import Frozen
from ..depicted import Depicted
from ..origin.bases import in_other_bases
from ..origin.spectral import Otherwise
from .asking import LEAST as LEAST_TIME
from .asking import MOST, RUNS, Runs
from .several import Shows
from .sureness import MOST_SURE, Answer, mean

MOST_KEPT, FEWEST = 4, 3
"""Sounds that are kept; and so many are needed where no names say what is to be heard."""
DOUBTED, SURE, LEAST, TIMES = 0.85, 0.95, 0.9, 4.0
"""How sure answers as sent are on average at most; how sure those to another base are on average, and each of
them; and how many times as large the doubt as sent is."""
UNHEARD = 0.6
"""An answer to a sound that is named after another class is at most so sure."""
CHANGED = 0.5
"""The least part of the answers that are other ones than as sent."""
FAR, NEAR, NARROW, WIDE = 4.0, 2.0, 0.3, 2.0
"""How far below 0 the mean of elements is that no model is trained with; and the mean and the deviation of
usual ones."""


WHY = "by which logarithm was the model trained?"


class Sound(Frozen):
    """An input of a sound's spectra, the answer to it, the same with other logarithms by what was done, and
    what is to be heard by the file's name."""

    event: NNEvent
    given: Tensor
    answer: Answer
    moves: dict[str, Any]
    shows: Shows
    shown: Depicted | None
    """The sound that the input is about, as far as that was known when it was set."""

    @property
    def array(self) -> Any:
        return self.given.numpy().reshape(self.given.shape)


class Bases:
    """By graph, the first sounds."""

    def __init__(self) -> None:
        self._kept: dict[int | None, list[Sound]] = {}

    def take(
        self, event: NNEvent, given: Tensor, features: Otherwise | None, answer: Answer | None, shows: Shows
    ) -> bool:
        """The only input of a model was computed. It has these features, or the last one has whose origin is
        known: later ones are made in the same way. Returns whether it is kept."""
        kept = self._kept.setdefault(event.graph_id, [])
        if features is None or answer is None or len(kept) >= MOST_KEPT:
            return False
        array = given.numpy().reshape(given.shape)
        if not kept and not numpy.array_equal(features.elements.reshape(-1), array.reshape(-1)):
            return False
        is_new = all(one.array.shape == array.shape and (one.array != array).any() for one in kept)
        moves = dict(in_other_bases(features.found, array.astype("f8"))) if is_new else {}
        if moves:
            kept.append(Sound(event, given, answer, moves, shows, shows()))
        return bool(moves)

    def due(self) -> list[list[Sound]]:
        """Returns the sounds that nothing was asked about, when the guest has ended."""
        rest = [kept for kept in self._kept.values() if kept]
        self._kept = {}
        return rest


def by_another_base(graph: Graph, kept: Sequence[Sound], seconds: float, most: float = MOST) -> str:
    """A sentence if sounds are meant to be sent with a logarithm to another base, or "". Raises NNError."""
    name, sent = f'input 0 "{graph.inputs[0].name}"', [one.answer for one in kept]
    for said in kept[0].moves:
        if are_usual(kept, said):
            own, other = (mean_of(arrays) for arrays in both(kept, said))
            return (
                f"{name}: the features of {len(kept)} sounds have a mean of {own:.2g}, far below those that "
                f"models are trained with, and {said} of {other:.2g}: {WHY}"
            )
    shown = [one.shown or one.shows() for one in kept]
    many = f"the answers to {len(kept)} sounds are" if len(kept) > 1 else "the answer is"
    with Runs(graph, [kept[0].given], max(most, LEAST_TIME), seconds=seconds) as runs:
        for said in kept[0].moves:
            found = answers(runs, kept, said)
            is_named = is_as_named(found, sent, shown)
            if is_named or is_meant(found, sent):
                named = f", as {shown[0]}" * is_named
                places, before = (", ".join(str(one.place) for one in each) for each in (found, sent))
                return (
                    f"{name}: {said} {many} {places} at {mean(found):.2f}{named}; as sent {before} at "
                    f"{mean(sent):.2f}: {WHY}"
                )
    return ""


def answers(runs: Runs, kept: Sequence[Sound], said: str) -> list[Answer]:
    """The answers with another logarithm, until one is doubted."""
    found: list[Answer] = []
    for one in kept:
        made = one.moves[said].astype(one.array.dtype)
        answer = runs.changed(0, made) if runs.count < RUNS else None
        if answer is None or answer.sure < LEAST:
            break
        found.append(answer)
    return found


def is_as_named(found: Sequence[Answer], sent: Sequence[Answer], shown: Sequence[Depicted | None]) -> bool:
    """Whether all answers are what the files are named after, and none was so as sent, of which the model had
    no idea."""
    if len(found) < len(sent) or mean(found) < SURE or any(one.margin > MOST_SURE for one in found):
        return False
    places = [() if one is None else one.places for one in shown]
    are_right = all(one.place in known for one, known in zip(found, places, strict=True))
    were_wrong = all(one.place not in known for one, known in zip(sent, places, strict=True))
    return are_right and were_wrong and all(one.sure <= UNHEARD for one in sent)


def is_meant(found: Sequence[Answer], sent: Sequence[Answer]) -> bool:
    """Whether all answers get sure, most of them are others, and there are more different ones."""
    if (
        len(found) < max(len(sent), FEWEST)
        or mean(found) < SURE
        or any(one.margin > MOST_SURE for one in found)
    ):
        return False
    others = sum(one.place != other.place for one, other in zip(found, sent, strict=True))
    are_more = len({one.place for one in found}) > len({one.place for one in sent})
    is_surer = mean(sent) <= DOUBTED and 1 - mean(sent) >= TIMES * (1 - mean(found))
    return others >= CHANGED * len(found) and are_more and is_surer


def both(kept: Sequence[Sound], said: str) -> tuple[list[Any], list[Any]]:
    """The elements as sent, and with another logarithm."""
    return [one.array for one in kept], [one.moves[said] for one in kept]


def mean_of(arrays: Sequence[Any]) -> float:
    return float(numpy.mean([one.mean() for one in arrays]))


def are_usual(kept: Sequence[Sound], said: str) -> bool:
    """Whether the elements of several sounds are far below those that models are trained with, and with
    another logarithm as those that were scaled to a mean of 0 and a deviation of 1. Loud sounds and decibels
    are far above."""
    sent, moved = both(kept, said)
    are_far = len(kept) >= FEWEST and all(float(one.mean()) < -FAR for one in sent)
    return are_far and all(abs(float(one.mean())) <= NEAR and NARROW <= one.std() <= WIDE for one in moved)

"""Asks a model about rows whose own numbers show that they were scaled oddly: logarithms to another base than
those of the mean and deviation in a file, or windows that were divided by their deviation with their mean
left in. Is it far surer of them scaled otherwise?

What is here: `OddlyScaled`, which keeps some rows with the answers to them, and `scaled_otherwise`. What is
not: spectra that are made again (`sent/scaled_bands.py`), and windows whose file is known (`series`).

A sound may be far louder than usual, and a model may be trained on windows with their mean. So the numbers
alone say nothing, nor does the model: larger numbers make it surer. Both together do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor, TensorSpec
from ...records import Frozen
from ..origin.kinds import SOUNDS
from ..sheets.scaler_files import SAYS, Lists, lists_of
from ..surroundings import Files
from .asking import MOST, Runs
from .sureness import OVERSURE, Answer, answer_of, answers_of, mean

FEWEST, ENOUGH, MOST_ROWS, LOOKS = 2, 4, 8, 64
"""The model is asked about so many rows, if that needs only a few, again about so many, and about the most;
and so many inputs are looked at."""
FEWEST_ELEMENTS, MOST_ELEMENTS = 16, 1 << 14
BASES = (("ln", 1.0), ("log10", 1 / math.log(10)), ("decibels", 10 / math.log(10)), ("log2", 1 / math.log(2)))
"""Logarithms, and how large they are beside natural ones."""
USUAL, WIDER = 1.5, 1.3
"""How far rows deviate at most by a mean and deviation of their own, and how many times that as sent."""
ONE, OWN = 2e-3, 0.25
"""By how much a deviation may differ from 1, and how far a mean that was left in is from 0 at least."""
DOUBT, SOME, TIMES = 0.02, 0.04, 8
"""The doubt of answers to rows as the model knows them, some doubt, and how many times as much."""
MANY = 3
"""So many different answers where all rows get the same one as sent."""


class Row(Frozen):
    """An input [1, ...], and the answer to it."""

    array: Any
    answer: Answer


class Change(Frozen):
    """What rows' numbers show, how they would be otherwise, in words, what is asked then, how a row is made
    so, of how many rows at least, and how many different answers there have to be."""

    seen: str
    said: str
    asked: str
    make: Callable[[Any], Any]
    rows: int
    answers: int


class Taken(Frozen):
    """The rows that are kept, and how many there were before."""

    rows: Sequence[Row]
    before: int

    def is_due(self, change: Change) -> bool:
        """Whether there are as many rows as a change needs, and it is time to ask."""
        due = (max(change.rows, one) for one in (FEWEST, ENOUGH, MOST_ROWS))
        return any(self.before < one <= len(self.rows) for one in due)


class OddlyScaled:
    """By graph, rows that may be asked about."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._kept: dict[Any, list[Row]] = {}
        self._looked: dict[Any, int] = {}

    def take(
        self, graph: Any, tensor: Tensor, specs: Sequence[TensorSpec], outputs: Sequence[Tensor]
    ) -> Taken:
        """An input was computed. Returns the rows so far."""
        looked = self._looked[graph] = self._looked.get(graph, 0) + 1
        kept = self._kept.setdefault(graph, [])
        before, none = len(kept), Taken((), 0)
        if looked > LOOKS or before >= MOST_ROWS or not FEWEST_ELEMENTS <= tensor.size <= MOST_ELEMENTS:
            return none
        numbers = tensor.numbers()
        if numbers is None or numbers.dtype.kind != "f" or not numpy.isfinite(numbers).all():
            return none
        for row in rows_of(numbers.reshape(tensor.shape), specs, outputs):
            is_like = [one.array.shape == row.array.shape for one in kept]
            is_new = all(is_like) and all((one.array != row.array).any() for one in kept)
            if is_new and len(kept) < MOST_ROWS:
                kept.append(row)
        return Taken([*kept], before) if len(kept) > before else none

    def changes(self, rows: Sequence[Row]) -> list[Change]:
        """How the numbers of rows say that they may be scaled otherwise."""
        arrays = numpy.concatenate([one.array for one in rows]).astype("f8")
        files = self._files()
        found = [*with_their_means(arrays)]
        if any(data[:4] in SOUNDS for _, data in files):
            found += by_other_logarithms(arrays, [*lists_of(files, arrays.shape[-1])])
        return found


def rows_of(array: Any, specs: Sequence[TensorSpec], outputs: Sequence[Tensor]) -> list[Row]:
    """The rows of an input, each with its answer; [] if there is not one for each, or they are short."""
    each = answers_of(specs, outputs)
    if array.ndim < 2 or array[0].size < FEWEST_ELEMENTS:
        return []
    if len(each) == len(array):
        return [Row(array[at : at + 1].copy(), answer) for at, answer in enumerate(each)]
    answer = answer_of(specs, outputs)
    return [] if answer is None or len(array) > 1 else [Row(array.copy(), answer)]


def with_their_means(arrays: Any) -> Iterator[Change]:
    """Windows, each with a deviation of 1 around a mean of its own."""
    flat = arrays.reshape(len(arrays), -1)
    means, count = flat.mean(axis=1), flat.shape[1]
    if abs(means).min() < OWN or (len(means) > 1 and numpy.ptp(means) < ONE):
        return
    deviations = (flat.std(axis=1), flat.std(axis=1) * math.sqrt(count / (count - 1)))
    if any((abs(one - 1) < ONE).all() for one in deviations):
        yield Change(
            f"each of {len(flat)} has a deviation of 1, and a mean of its own ({means.min():.3g} to "
            f"{means.max():.3g})",
            "without it",
            "was it divided by its deviation without its mean taken away?",
            lambda row: row - row.mean(),
            rows=ENOUGH,
            answers=FEWEST,
        )


def by_other_logarithms(arrays: Any, known: Sequence[Lists]) -> Iterator[Change]:
    """Features of sounds that lie nearer to a file's means if they were other logarithms before they were
    scaled by these, the nearest first."""
    found: list[tuple[float, Change]] = []
    own = size(arrays)
    for lists in known:
        means, deviations = lists.both
        is_named = lists.is_named or SAYS.search(lists.where)
        if not is_named or (deviations <= 0).any() or (means == deviations).all():
            continue
        for sent, first in BASES:
            for meant, second in BASES:
                made = other_base(arrays, means, deviations, second / first)
                if sent == meant or size(made) > USUAL or own < WIDER * size(made):
                    continue
                found.append((size(made), of_base(lists, sent, meant, second / first, (own, size(made)))))
    yield from (change for _, change in sorted(found, key=lambda one: one[0])[:2])


def size(arrays: Any) -> float:
    """How far elements are from 0."""
    return float(numpy.sqrt((arrays * arrays).mean()))


def other_base(rows: Any, means: Any, deviations: Any, times: float) -> Any:
    """Rows that were scaled, as if they had been so many times as large before that."""
    return ((rows * deviations + means) * times - means) / deviations


def of_base(lists: Lists, sent: str, meant: str, times: float, sizes: tuple[float, float]) -> Change:
    means, deviations = lists.both
    return Change(
        f"by the means and deviations of {lists.where} its elements are {sizes[0]:.2g} deviations off",
        f"as {meant} in place of {sent}, which are {sizes[1]:.2g} off,",
        f"does the file have the means of {meant}?",
        lambda row: other_base(row, means, deviations, times),
        rows=FEWEST,
        answers=FEWEST,
    )


def scaled_otherwise(
    graph: Graph, rows: Sequence[Row], changes: Sequence[Change], seconds: float, most: float = MOST
) -> str:
    """A sentence if a model of one input is far surer of rows that are scaled otherwise, or "". Raises
    NNError."""
    sent = [one.answer for one in rows]
    with Runs(graph, [Tensor.from_numpy(rows[0].array)], most, once_open=seconds) as runs:
        for change in changes:
            found: list[Answer] = []
            for one in rows:
                made = change.make(one.array.astype("f8")).astype(one.array.dtype)
                answer = runs.changed(0, made) if runs.left() else None
                if answer is None:
                    break
                found.append(answer)
            if len(found) == len(rows) and is_meant(found, sent, change.answers):
                many = len({one.place for one in found})
                return (
                    f'input 0 "{graph.inputs[0].name}": {change.seen}; {change.said} the model is '
                    f"{mean(found):.3f} sure on average ({many} different answers to {len(found)}), as sent "
                    f"{mean(sent):.3f}: {change.asked}"
                )
    return ""


def is_meant(found: Sequence[Answer], sent: Sequence[Answer], fewest: int) -> bool:
    """Whether a model has hardly any doubt of rows, of which it says no fewer different things, and some of
    the same ones as sent, or gives those all the same answer. Where it goes by how high windows lie, it is
    sure of all that lie at 0, and says the same of them."""
    many, few = (len({one.place for one in each}) for each in (found, sent))
    doubt, doubted = 1 - mean(found), 1 - mean(sent)
    if many < max(fewest, few) or doubt > DOUBT or max(one.margin for one in found) > OVERSURE:
        return False
    return doubted >= max(SOME, TIMES * doubt) or (few == 1 and many >= MANY)

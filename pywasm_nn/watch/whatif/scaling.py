"""Asks a model about lines of a table, as they are and scaled: was a scaler forgotten?

What is here: `unscaled`. What is not: finding the table (`origin.tables`).

One answer says nothing about the scale of an input, but several do. A network whose inputs are far too
large gives few different answers, and is sure of them; the same lines, scaled by the table's own mean and
deviation, get every answer that there is. Its first layer says it, too: each unit tells numbers apart around
which it was trained, so that of lines as they are nearly all units say the same, and of scaled ones hardly
any.

Networks that were trained on lines as they are, and lines of one kind, come near: the bounds are such that of
300 of those fewer than 10 are taken for scaled ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.formats.format import Layer
from ...nn.tensor import Tensor, TensorSpec
from ...records import Frozen
from .asking import FEWEST, MOST, RUNS, Runs
from .sureness import Answer, mean

LINES, FEWEST_LINES = RUNS // 2, 5
"""So many lines are asked about, in both ways."""
MOST_WHOLE = 512
"""Lines that a layer is asked about."""
SATURATED = 0.98
"""The least mean probability of answers that are always the same because the input is too large."""
SURE, VERY_SURE = 0.85, 0.95
"""The least mean probability of the answers to scaled lines, and that which says enough by itself."""
DOUBT = 1e-7
"""The least doubt that the answers to lines as they are leave otherwise."""
STUCK, LOOSE = 0.6, 0.25
"""The least part of units that say the same of all lines as they are, and the most of scaled ones."""
WIDE, HALF, ALL, FREER, FEWEST_OF_BENT = 100.0, 0.5, 0.9, 0.67, 3
"""Of lines that may be meant as logarithms: how many times as large as its smallest number the largest one of
a column is at least, in more than this part of the columns; the least part of units that say the same of all
of them, and how much of that at most of their logarithms; and the fewest answers to these."""


class Way(Frozen):
    """A way in which lines may be meant, in words, the question about it, and what it makes of them."""

    said: str
    asked: str
    made: Callable[[Any], Any]
    is_bent: bool = False


def unscaled(
    graph: Graph,
    inputs: Sequence[Tensor],
    index: int,
    lines: Any,
    seconds: float,
    most: float = MOST,
    layer: Layer | None = None,
) -> str | None:
    """A sentence if the lines that an input comes from should have been scaled. `lines` are the numbers of
    all lines, [lines, elements of the input]; `seconds` is the duration of one run, and `layer` the first one
    that the input goes through, if that is known. Raises NNError."""
    array = inputs[index].numpy()
    width = lines.shape[1]
    if array is None or array.dtype.kind != "f" or width >= FEWEST or array.shape[-1:] != (width,):
        return None
    is_batch = array.size > width
    ways = ways_of(lines, layer)
    if not ways or (is_batch and (array.ndim != 2 or len(array) < FEWEST_LINES)):
        return None
    rows = array if is_batch else some_of(lines)
    count = len(rows)
    with Runs(graph, inputs, most, seconds=seconds) as runs:
        sent = answers(runs, index, array, rows)
        own = {one.place for one in sent}
        if len(sent) < count or (layer is None and (len(own) > 1 or mean(sent) < SATURATED)):
            return None
        made = [(way, answers(runs, index, array, way.made(rows))) for way in ways]
    better = [one for one in made if len(one[1]) == count and is_better(one[0], sent, one[1])]
    if not better:
        return None
    best = max(better, key=lambda one: (len({answer.place for answer in one[1]}), mean(one[1])))
    return found(graph.inputs[index], index, best[0], sent, best[1])


def is_better(way: Way, sent: Sequence[Answer], other: Sequence[Answer]) -> bool:
    """Whether a model knows lines in one way, and as they were sent it doesn't."""
    places, own = {one.place for one in other}, {one.place for one in sent}
    every = min(other[0].classes, LINES // 2)
    if len(places) < max(2, every, len(own) + 1) or mean(other) < SURE:
        return False
    if way.is_bent:
        return len(own) == 1 and mean(sent) >= SATURATED and len(places) >= FEWEST_OF_BENT
    return mean(other) >= VERY_SURE or sorted(1 - one.sure for one in sent)[len(sent) // 2] <= DOUBT


def found(spec: TensorSpec, index: int, way: Way, sent: Sequence[Answer], other: Sequence[Answer]) -> str:
    own, count = {one.place for one in sent}, len(sent)
    if len(own) == 1:
        said = f"{count} lines of the table all get the answer {sent[0].place} as they were sent"
    else:
        said = f"{count} lines of the table get only the answers {listed(own)} as they were sent"
    return (
        f'input {index} "{spec.name}": {said}; {way.said} they get '
        f"{len({one.place for one in other})} answers, at {mean(other):.2f} on average: {way.asked}"
    )


def ways_of(lines: Any, layer: Layer | None) -> list[Way]:
    """The ways in which lines may be meant: scaled, or as logarithms, where each column goes over several
    powers of ten and a known layer tells nothing of them as they are."""
    scaler, whole = scaler_of(lines, layer), without_gaps(lines)
    ways: list[Way] = []
    if scaler is not None:
        means, by = scaler
        said = "with each column's mean taken away and divided by its deviation"
        ways.append(Way(said, "was a scaler forgotten?", lambda x: (x - means) / by))
    if layer is None or len(whole) < FEWEST_LINES or not (whole > 0).all():
        return ways
    wide = whole.max(axis=0) / whole.min(axis=0)
    if not (wide >= WIDE).mean() > HALF or stuck(layer, whole) < ALL:
        return ways
    bent = [
        Way(f"as their {name}", "were the logarithms forgotten?", bend, is_bent=True)
        for name, bend in (("log10", numpy.log10), ("natural logarithms", numpy.log))
        if stuck(layer, bend(whole)) <= FREER * stuck(layer, whole)
    ]
    return bent + ways


def answers(runs: Runs, index: int, array: Any, rows: Any) -> list[Answer]:
    """The answers to rows: all in one run if the guest sent several, else one by one while there is time."""
    if array.size > rows.shape[1]:
        return runs.rows(index, rows.astype(array.dtype))
    shaped = [row.reshape(array.shape).astype(array.dtype) for row in rows]
    found = [runs.changed(index, row) for row in shaped if runs.left()]
    return [answer for answer in found if answer is not None]


def without_gaps(lines: Any) -> Any:
    return lines[numpy.isfinite(lines).all(axis=1)]


def some_of(lines: Any) -> Any:
    """A few lines from the whole table."""
    whole = without_gaps(lines)
    return whole[numpy.linspace(0, len(whole) - 1, min(LINES, len(whole))).astype(int)]


def scaler_of(lines: Any, layer: Layer | None) -> tuple[Any, Any] | None:
    """Returns the means and deviations of a table's columns, or None if it has too few lines, or a known
    layer tells as much of them as they are as of scaled ones."""
    whole = without_gaps(lines)
    if len(whole) < FEWEST_LINES:
        return None
    means, deviations = whole.mean(axis=0), whole.std(axis=0)
    by = numpy.where(deviations > 0, deviations, 1)
    if layer is not None and not (
        stuck(layer, whole) >= STUCK and stuck(layer, (whole - means) / by) <= LOOSE
    ):
        return None
    return means, by


def listed(places: set[int]) -> str:
    """Classes, as "1 and 2"."""
    *others, last = sorted(places)
    return f"{', '.join(map(str, others))} and {last}"


def stuck(layer: Layer, rows: Any) -> float:
    """The part of a layer's units that are above 0 in all rows, or in none."""
    above = rows[:MOST_WHOLE] @ layer.weights.T + layer.heights > 0
    return float((above.all(axis=0) | ~above.any(axis=0)).mean())

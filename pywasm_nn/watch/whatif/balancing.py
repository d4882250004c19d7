"""Asks a model that holds something by its answers, from places and their speeds: do these come in another
order than it wants, or is one of the places in degrees, though its speed is in radians?

What is here: `held_otherwise`, and which steps it asks about. What is not: how they are kept (`steered.py`),
and things that turn round, by a sine and a cosine (`turning.py`).

Much is known exactly. Which element is the speed of which is seen from step to step, and so is by how much
a place grows with its speed: by the same time for all, but for units. How speeds change by the answer and
by a place is worked out, too. The model is asked by how much its answer changes with each element where all
are near 0: so it can be told without the guest whether its answers hold the thing, in each order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from math import degrees, radians
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ...records import Frozen
from .asking import MOST, Runs
from .steered import WAYS, strength

STEPS, ELEMENTS = (10, 20, 40), (4, 6)
"""The numbers of steps after which the model is asked, and the elements of a step."""
EXACT, NEARLY = 1e-3, 0.1
"""How far the change of a place may be from its speed's, as a part of the largest change; and that of a speed
from what is worked out, as a part of its deviation."""
SMALL = 0.1
"""The elements about which the model is asked, as a part of the smallest of the largest ones."""
AHEAD, SOON, AWAY = 400, 100, 30.0
"""The steps that are worked out; and within how many of them what gets away comes so many times as far as it
was."""
LESS, LITTLE = 0.9, 0.5
"""By which part what is held is nearer in the last quarter of those steps than in the second one, or how near
it is there at the most."""
GROWN = 2.0
"""So many times as large an element is in the end as in the first half of the steps, at least, if the thing
really gets away."""
ALIKE = 1e-3
"""By how much the times of two places differ that are in one unit."""
BEYOND, MOSTLY, WITHIN = 3.0, 0.5, 0.35
"""How many times as large answers would be at most of the steps if they went on as they do near 0; and by
which part they may differ from that where they go on so."""
AGAIN = (0, 1)
"""The steps that are asked about in another unit."""


class Moves(Frozen):
    """How a thing moves from step to step: the rows after it are `own` @ row + `push` * the answer. `pairs`
    are places and their speeds, with the time by which a place grows with its speed."""

    own: Any
    push: Any
    pairs: Sequence[tuple[int, int, float]]
    is_chosen: bool
    """The answer says only which of two ways is taken."""
    largest: Any
    """By element, the largest of the steps."""

    def ends(self, first: Any, pull: Any) -> tuple[bool, bool]:
        """Whether the thing gets away, and whether it is held, if the answer changes so with each element."""
        row, far = first / self.largest, []
        own = self.own * self.largest / self.largest[:, None]
        push, pull = self.push / self.largest, pull * self.largest
        for step in range(AHEAD):
            answer = float(pull @ row)
            row = own @ row + push * (numpy.sign(answer) if self.is_chosen else answer)
            far.append(float(abs(row).max()))
            if far[-1] > AWAY:
                return step < SOON, False
        second, last = (max(far[at : at + AHEAD // 4]) for at in (AHEAD // 4, AHEAD - AHEAD // 4))
        return False, last <= max(LESS * second, LITTLE)


def moves_in(rows: Any, answers: Any, *, is_chosen: bool) -> Moves | None:
    """Returns how a thing moves, or None if its elements are no places and speeds, or that isn't known."""
    changes, count = numpy.diff(rows, axis=0), rows.shape[1]
    pairs = []
    for place in range(count):
        times = [(speed, time_of(changes[:, place], rows[:, speed])) for speed in range(count)]
        found = [(place, speed, time) for speed, time in times if speed != place and time > 0]
        pairs += found if len(found) == 1 else []
    if sorted(at for place, speed, _ in pairs for at in (place, speed)) != [*range(count)]:
        return None
    own, push = numpy.eye(count), numpy.zeros(count)
    given = numpy.sign(answers[:-1]) if is_chosen else answers[:-1]
    for _, speed, _ in pairs:
        change, best = changes[:, speed], (NEARLY, 0, numpy.zeros(2))
        for place, _, _ in pairs:
            known = numpy.stack([rows[:-1, place], given], axis=1)
            pull, _, rank, _ = numpy.linalg.lstsq(known, change)
            off = abs(known @ pull - change).max() / (change.std() or 1.0)
            best = min(best, (off, place, pull), key=lambda one: one[0]) if rank == len(pull) else best
        if not best[2].any():
            return None
        own[speed, best[1]] += best[2][0]
        push[speed] = best[2][1]
    for place, speed, time in pairs:
        own[place] += time * own[speed]
        push[place] = time * push[speed]
    return Moves(own, push, pairs, is_chosen, abs(rows).max(axis=0))


def time_of(change: Any, speeds: Any) -> float:
    """Returns by how much a place grows with what may be its speed, before or after each step, or 0.0 if it
    doesn't."""
    for one in (speeds[1:], speeds[:-1]):
        by = float(change @ one) / (float(one @ one) or 1.0)
        if (
            0 < abs(change - by * one).max() <= EXACT * abs(change).max()
            and one.std() > EXACT * abs(one).max()
        ):
            return by
    return 0.0


def orders(pairs: Sequence[tuple[int, int, float]]) -> Iterator[tuple[int, ...]]:
    """The usual orders of places and their speeds: side by side, or all places first."""
    for some in permutations([(place, speed) for place, speed, _ in pairs]):
        yield tuple(at for pair in some for at in pair)
        yield tuple(pair[side] for side in (0, 1) for pair in some)


def held_otherwise(
    graph: Graph, steps: Sequence[tuple[Any, float]], seconds: float, most: float = MOST
) -> str:
    """A sentence if what a model answers to steps lets the thing go, and would hold it in another order of
    elements or with a place in radians, or "". Raises NNError."""
    rows, answers = numpy.stack([one for one, _ in steps]), numpy.array([one for _, one in steps])
    is_chosen = graph.outputs[0].shape is not None and WAYS in graph.outputs[0].shape
    moves = moves_in(rows, answers, is_chosen=is_chosen) if rows.any(axis=0).all() else None
    if moves is None:
        return ""
    tensor = Tensor.from_numpy(rows[0].astype("f4").reshape(1, -1))
    before = abs(rows[: len(rows) // 2]).max(axis=0)
    is_away = bool(((abs(rows[-1]) == moves.largest) & (moves.largest >= GROWN * before)).any())
    odd = [*converted(moves)] if len(steps) == STEPS[0] else []
    if not odd and not is_away:
        return ""
    with Runs(graph, [tensor], most, seconds=seconds) as runs:
        pulls = pulls_of(runs, rows)
        said = "" if pulls is None else in_radians(runs, odd, pulls, rows, answers)
        if pulls is not None and is_away and not said:
            said = in_order(moves, rows[0], pulls)
    return said and f'input 0 "{graph.inputs[0].name}": {said}'


def pulls_of(runs: Runs, rows: Any) -> Any:
    """By how much the answer changes with each element near 0, or None if there is no time to ask."""
    size = SMALL * float(abs(rows).max(axis=0).min())
    found = []
    for at in range(rows.shape[1]):
        given = []
        for sign in (1, -1):
            row = numpy.zeros((1, rows.shape[1]), "f4")
            row[0, at] = sign * size
            outputs = runs.outputs_of(0, row) if runs.left() else []
            given += [strength(one.numpy()) for one in outputs[:1]]
        if len(given) < 2:
            return None
        found.append((given[0] - given[1]) / (2 * size))
    return numpy.array(found)


def in_order(moves: Moves, first: Any, pulls: Any) -> str:
    """Returns a hint about the only usual order of elements in which the answers hold the thing, which gets
    away as it is, or ""."""
    held = {order for order in orders(moves.pairs) if moves.ends(first, pulls[numpy.argsort(order)])[1]}
    if len(held) != 1 or not moves.ends(first, pulls)[0]:
        return ""
    speeds = " and ".join(f"{speed} that of {place}" for place, speed, _ in moves.pairs)
    order = ", ".join(map(str, held.pop()))
    return (
        f"by how they change from step to step the elements are places and speeds ({speeds}); what the model "
        "answers to them as sent lets the thing go, and by the same steps and answers it would be held if "
        f"they came in the order {order}: is that the order which the model wants?"
    )


def converted(moves: Moves) -> Iterator[tuple[int, str]]:
    """Yields elements that may be in degrees, with why: one pair of a place and its speed has another unit
    than the other one."""
    times = [time for _, _, time in moves.pairs]
    for place, speed, time in moves.pairs:
        others = [one for one in times if one != time]
        for element, own in ((place, time / degrees(1)), (speed, time * degrees(1))):
            if len(others) == len(times) - 1 and all(abs(own / one - 1) <= ALIKE for one in others):
                yield (
                    element,
                    f"element {place} grows by {time:.3g} times element {speed} from step to step, as places "
                    f"do by their speeds, and the others by {others[0]:.3g} times theirs: one of the two is "
                    "in degrees, and the other in radians",
                )


def in_radians(runs: Runs, odd: Sequence[tuple[int, str]], pulls: Any, rows: Any, answers: Any) -> str:
    """Returns a hint about an element in degrees to which the model's answers are as large as they can be,
    where in radians they go on evenly, or "" if there is none."""
    is_over = (abs(rows @ pulls) >= BEYOND * abs(answers)).mean() >= MOSTLY
    for element, why in odd if is_over else ():
        fits = []
        for at in AGAIN:
            row = rows[at].copy()
            row[element] = radians(row[element])
            outputs = runs.outputs_of(0, row.astype("f4")[None]) if runs.left() else []
            fits += [(float(pulls @ row), strength(one.numpy())) for one in outputs[:1]]
        if len(fits) == len(AGAIN) and all(abs(one - given) <= WITHIN * abs(given) for one, given in fits):
            return (
                f"{why}; with element {element} in radians the model's answers grow evenly with what is "
                "sent, and as sent they are as large as they can be: does it want radians?"
            )
    return ""

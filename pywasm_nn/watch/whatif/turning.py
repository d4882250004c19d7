"""Asks a model that steers something which turns, from a sine, a cosine and a speed: were the first two
exchanged, or is its answer used without a factor?

What is here: `steered_otherwise`, and which steps it asks about. What is not: how they are kept
(`steered.py`), and forecasts of series (`steps_ahead.py`).

Much is known exactly. The speed changes from step to step by the answer and by gravity, which pulls by the
sine: so the steps say which element that is, and how strongly both pull. In the mirror the answer is the
opposite, where the sine and the speed are: so the answers say which element the model takes for it. And near
the place from which it falls, answers that push back less than gravity pulls hold nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ...records import Frozen
from .asking import MOST, Runs
from .steps_ahead import circle_in

STEPS, ELEMENTS, ASKED = 32, 3, 5
"""The steps that are kept, the elements of one, and the steps that are asked about, in two mirrors."""
EXACT, HARDLY = 0.02, 0.05
"""By which part of its deviation the change of the speed may be another than is worked out, and the part of
the pull of one element that the other has at most."""
OPPOSITE, NOT_OPPOSITE, CLEARLY = 0.2, 0.35, 4.0
"""How far answers in the mirror are from the opposite ones at most where they are meant to be, and at least
where they aren't, as parts of the usual answer; and how many times as far."""
LIMITS = (numpy.inf, 1.0)
"""Guests cut answers off."""
UP, GROWN, SMALL = 0.8, 1.3, 0.1
"""The least cosine of something that is nearly up, how many times as far from there it is in the end, and the
sine about which the model is asked."""
WEAK = 0.05, 0.6
"""Answers that push back by such a part of gravity's pull are too weak, and not by chance."""


class Pulls(Frozen):
    """Which elements are the sine and the cosine, and how gravity, by the sine, and the answer change the
    speed, the third element. `limit`: the guest cuts answers off there."""

    sine: int
    cosine: int
    gravity: float
    answer: float
    limit: float

    @property
    def speed(self) -> int:
        return ELEMENTS - self.sine - self.cosine


def pulls_in(rows: Any, answers: Any) -> Pulls | None:
    """Returns what changes the speed, the element that is no sine or cosine; None if that isn't known
    exactly."""
    circle = circle_in(rows)
    if circle is None:
        return None
    speed = ELEMENTS - sum(circle)
    change = numpy.diff(rows[:, speed])
    for limit in LIMITS:
        forces = [rows[:-1, circle[0]], rows[:-1, circle[1]], answers[:-1].clip(-limit, limit)]
        known = numpy.stack([*forces, rows[:-1, speed], numpy.ones(len(change))], axis=1)
        pull, _, rank, _ = numpy.linalg.lstsq(known, change)
        if rank < known.shape[1] or abs(known @ pull - change).max() > EXACT * change.std():
            continue
        strong = abs(pull[:2])
        if strong.min() <= HARDLY * strong.max():
            sine = int(strong.argmax())
            return Pulls(circle[sine], circle[1 - sine], float(pull[sine]), float(pull[2]), limit)
    return None


class Steered:
    """A model's answers to other rows than those of the steps."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs

    def answers(self, rows: Any) -> Any:
        """The answers to some rows, fewer if there is no time for all."""
        found = []
        for row in rows.astype("f4"):
            outputs = self._runs.outputs_of(0, row.reshape(1, ELEMENTS)) if self._runs.left() else []
            found += [float(one.numpy().reshape(-1)[0]) for one in outputs[:1]]
        return numpy.array(found)


def steered_otherwise(
    graph: Graph, steps: Sequence[tuple[Any, float]], seconds: float, most: float = MOST
) -> str:
    """A sentence if a model takes the cosine for the sine, or if its answers are too weak, or "". Raises
    NNError."""
    rows, answers = numpy.stack([one for one, _ in steps]), numpy.array([one for _, one in steps])
    found = pulls_in(rows, answers)
    if found is None or not answers.any():
        return ""
    chosen = numpy.linspace(0, len(answers) - 1, ASKED).astype(int)
    tensor = Tensor.from_numpy(rows[0].astype("f4").reshape(1, ELEMENTS))
    off: list[float] = []
    with Runs(graph, [tensor], most, seconds=seconds) as runs:
        model = Steered(runs)
        for element in (found.sine, found.cosine):
            mirror = numpy.ones(ELEMENTS)
            mirror[[element, found.speed]] = -1
            given = model.answers(rows[chosen] * mirror)
            if len(given) < ASKED:
                return ""
            off.append(float(abs(given + answers[chosen]).mean() / abs(answers).mean()))
        said = too_weak(model, found, rows, answers) if off[0] <= OPPOSITE else ""
    if off[0] >= max(NOT_OPPOSITE, CLEARLY * off[1]) and off[1] <= OPPOSITE:
        said = (
            f"elements {min(found.sine, found.cosine)} and {max(found.sine, found.cosine)} are sine and "
            f"cosine, and the speed changes with element {found.sine}, as by gravity with the sine; the "
            f"model takes element {found.cosine} for the sine: in the mirror, with the other sign of that "
            f"and of the speed, its answers are opposite but for {off[1]:.0%}, and with that of element "
            f"{found.sine} but for {off[0]:.0%}: are they exchanged?"
        )
    return said and f'input 0 "{graph.inputs[0].name}": {said}'


def too_weak(model: Steered, found: Pulls, rows: Any, answers: Any) -> str:
    """Answers from -1 to 1 that push something back to where it is nearly up, and less than gravity pulls it
    away, so that it falls."""
    sines, cosines, speeds = (rows[:, at] for at in (found.sine, found.cosine, found.speed))
    way = numpy.sign((numpy.diff(sines) * cosines[:-1] * speeds[:-1]).sum())
    up = way * numpy.sign(found.gravity)
    is_falling = up * cosines[0] >= UP and GROWN * abs(sines[0]) <= abs(sines[-1])
    if not is_falling or min(found.limit, abs(answers).max()) > 1 + HARDLY:
        return ""
    near = numpy.zeros((2, ELEMENTS))
    near[:, found.cosine], near[:, found.sine] = up * (1 - SMALL**2) ** 0.5, (SMALL, -SMALL)
    given = model.answers(near)
    push = -found.answer * float(given[0] - given[1]) / (2 * SMALL) if len(given) == len(near) else 0.0
    low, high = WEAK
    if not low <= push / found.gravity <= high:
        return ""
    return (
        f"where it is nearly up the answers, from -1 to 1, push it back by {push / found.gravity:.0%} of "
        "what gravity pulls it away, so that it falls: are they to be multiplied, as by the largest torque?"
    )

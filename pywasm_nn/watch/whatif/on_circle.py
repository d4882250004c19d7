"""Asks a model whose answer is a sine and a cosine about the pictures that lie beside the one that a guest
sent: their squares add up to 1 for what such a model was trained on, and for little else.

What is here: `is_off_circle` and `asked_on_circle`. What is not: models that choose a class (`beside.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import atan2, hypot, pi
from time import perf_counter
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor, TensorSpec
from ..regex import regex
from .asking import Runs
from .beside import BUSY, FEWEST, GREY, SWAPPED, Beside, Make
from .sureness import PAIR

CIRCULAR = regex(r"sin(?:e)?s?(?![a-z])|cos|angle|heading|bearing|orient|rotation|direction", re.IGNORECASE)
"""Names of outputs that are the sine and the cosine of an angle, of which two may be enough."""
NEAR, OFF, HALF = 0.25, 0.5, 0.5
"""How near to 1 the root of the sum of both squares is, how far it is from 1 as sent, and the most of the
pictures in random orders that may be so near by chance."""
SECTORS, FEWEST_NAMED, FEWEST_APART = 8, 2, 3
"""Parts of the circle, and in how many of them answers lie, as of different things."""
MOST_FILES = 6

Point = tuple[float, float]


def point_of(tensors: Sequence[Tensor]) -> Point | None:
    """The only output, if it is two numbers, or None."""
    numbers = tensors[0].numbers() if len(tensors) == 1 else None
    if numbers is None or numbers.dtype.kind != "f" or numbers.size != PAIR:
        return None
    first, second = numbers.astype("f8").tolist()
    return (first, second) if numpy.isfinite(numbers).all() else None


def is_off_circle(tensors: Sequence[Tensor]) -> bool:
    """Whether an answer is two numbers, of which one may be a sine and the other a cosine, but isn't."""
    point = point_of(tensors)
    return point is not None and off(point) >= OFF


def off(point: Point) -> float:
    """Returns how far from the unit circle a point lies."""
    return abs(hypot(*point) - 1)


def asked_on_circle(
    graph: Graph, inputs: Sequence[Tensor], beside: Beside, specs: Sequence[TensorSpec], most: float
) -> str:
    """Returns a sentence if the answers to pictures sent in another way are points of the unit circle, and
    those to pictures as sent, or with their elements in random orders, aren't; or "". Raises NNError."""
    end = perf_counter() + BUSY * most
    with Runs(graph, inputs, BUSY * most, specs, seconds=most) as runs:
        asking = Points(runs, beside, inputs[beside.index], end)
        found = asking.found(bool(CIRCULAR.search(specs[0].name)))
    return found and f'input {beside.index} "{graph.inputs[beside.index].name}": {found}'


class Points:
    """The answers to several pictures."""

    def __init__(self, runs: Runs, beside: Beside, given: Tensor, end: float) -> None:
        self._runs, self._beside, self._end = runs, beside, end
        self._shape, self._kind = given.shape, given.numpy().dtype
        swapped: dict[str, Make] = {SWAPPED: lambda item: beside.sent(2 * GREY - item)}  # of colours, too
        self._ways = {**beside.ways, **(swapped if beside.things == "pictures" else {})}

    def _point(self, made: Any) -> Point | None:
        kept = made if self._kind.kind == "f" else made.round()
        array = numpy.ascontiguousarray(kept, self._kind).reshape(self._shape)
        return point_of(self._runs.outputs_of(self._beside.index, array)) if self._has_time else None

    @property
    def _has_time(self) -> bool:
        return perf_counter() < self._end

    def _points(self, make: Make, items: Sequence[Any]) -> list[Point]:
        """The answers to all, or [] if there is no time for one of them."""
        found = [self._point(make(item)) for item in items]
        known = [one for one in found if one is not None]
        return known if len(known) == len(found) else []

    def found(self, is_named: bool) -> str:
        """The way in which pictures give points of the circle, as words, or "" if there is none."""
        beside = self._beside
        own = {said: self._point(make(beside.own)) for said, make in self._ways.items()}
        likely = [(off(point), said) for said, point in own.items() if point and off(point) <= NEAR]
        items = self._alike() if likely else []
        if len(items) < FEWEST:
            return ""
        sent = self._points(beside.sent, items)
        if not sent or any(off(one) < OFF for one in sent):
            return ""
        least = FEWEST_NAMED if is_named else FEWEST_APART
        ways = {said: self._points(self._ways[said], items) for _, said in sorted(likely)}
        on = {said: one for said, one in ways.items() if one and max(map(off, one)) <= NEAR}
        apart = {said: one for said, one in on.items() if len({*map(sector, one)}) >= least}
        best = min(apart, key=lambda said: sum(map(off, apart[said])), default=None)
        if best is None or not self._is_seen(best, items):
            return ""
        return (
            f"{best} the answers to {len(items)} pictures ({beside.name} and others beside it) are a sine "
            f"and a cosine each (the roots of the sums of their squares are {lengths(ways[best])}); as this "
            f"one was sent these are {lengths(sent)}"
        )

    def _alike(self) -> list[Any]:
        """The guest's own picture and others that are as bright or dark: of black on white beside white on
        black nothing follows."""
        own, is_bright = self._beside.own, self._beside.own.mean() > GREY
        others = [item for _, item in self._beside.others() if (item.mean() > GREY) == is_bright]
        return [own, *others[: MOST_FILES - 1]]

    def _is_seen(self, best: str, items: Sequence[Any]) -> bool:
        """Whether the points come from what is seen: those of elements in random orders lie elsewhere, and a
        model that makes all answers as long lays all on the circle."""
        order, make = numpy.random.default_rng(0), self._ways[best]
        mixed = self._points(lambda item: order.permutation(make(item).reshape(-1)), items)
        return bool(mixed) and sum(off(one) <= NEAR for one in mixed) <= HALF * len(mixed)


def sector(point: Point) -> int:
    """The part of the circle in which a point lies."""
    return int((atan2(*point) / (2 * pi) + 1) * SECTORS) % SECTORS


def lengths(points: Sequence[Point]) -> str:
    found = sorted(hypot(*one) for one in points)
    return f"{found[0]:.2f} to {found[-1]:.2f}"

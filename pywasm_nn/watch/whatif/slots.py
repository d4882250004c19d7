"""Asks a model about rings that files hold as they lie in memory, begun at the slots that lie beside their
samples.

What is here: `Slotted`, which keeps such inputs, `begun_at_their_slots`, and `slot_in`. What is not: rings
that break visibly at their slots (`series/headed_rings.py`), and forecasts from a ring (`rings.py`).

A ring may hold one whole period, and breaks nowhere then: only a model tells where it begins. Three things
speak together: files are named rings, and all of each was sent from its first sample on; the only number
beside the samples is a slot; and begun there, and neither as sent nor at other slots, the model surely hears
several things.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ...records import Frozen
from ..surroundings import Files
from .asking import MOST, RUNS, Runs
from .rings import RING, is_whole
from .sureness import OVERSURE, Answer, mean

FEWEST, ENOUGH, LOOKS = 3, 4, 12
"""The fewest rings that say something together, so many that the model is asked at once, and the inputs that
are looked at."""
FEWEST_SAMPLES, MOST_SAMPLES, MOST_FILES = 8, 4096, 4
KINDS = ("<f4", "<i2", "<i4", "<f8", "<u2")
MOST_BESIDE, WIDTHS = 16, (4, 2)
"""The bytes beside the samples, and those of a slot's number."""
BEFORE = (0, 1)
"""How far behind the slot that is said the oldest sample lies."""
OTHERS = (1 / 2, 1 / 4)
"""Other slots that are tried, as a part of the ring behind the right one."""
SURE, MANY, FEWER = 0.9, 3, 0.67
"""How sure the model is of rings that begin where they have to, the fewest different answers to them, and the
most to all others, as a part of that."""


class Ring(Frozen):
    """An input that is all samples of a file, along an axis, the file's slot, and the answer to it."""

    array: Any
    axis: int
    file: str
    slot: int
    answer: Answer

    def begun(self, slot: int) -> Any:
        """The input from a slot on."""
        return numpy.ascontiguousarray(numpy.roll(self.array, -slot, axis=self.axis))


class Slotted:
    """By graph, the rings so far."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._looked: dict[Any, int] = {}
        self._kept: dict[Any, tuple[NNEvent, list[Ring]]] = {}
        self._asked: set[Any] = set()

    def take(self, event: NNEvent, tensor: Tensor, answer: Answer | None) -> Sequence[Ring]:
        """An input was computed. Returns the rings that a model may be asked about now, or ()."""
        graph = event.graph_id
        looked = self._looked[graph] = self._looked.get(graph, 0) + 1
        if looked > LOOKS or answer is None or graph in self._asked:
            return ()
        kept = self._kept[graph][1] if graph in self._kept else []
        ring = next(self._rings(tensor, answer), None) if len(kept) == looked - 1 else None
        if ring is None or ring.file in [one.file for one in kept]:
            self._kept.pop(graph, None)  # an input that is no ring says that the guest does something else
            return ()
        self._kept[graph] = event, [*kept, ring]
        if len(kept) + 1 < ENOUGH:
            return ()
        self._asked.add(graph)
        return self._kept.pop(graph)[1]

    def has_any(self, graph: Any) -> bool:
        """Whether a model may be asked later."""
        return graph in self._kept

    def rest(self) -> Iterator[tuple[NNEvent, Sequence[Ring]]]:
        """When the guest has ended, the rings that no model was asked about."""
        yield from (one for one in self._kept.values() if len(one[1]) >= FEWEST)

    def _rings(self, tensor: Tensor, answer: Answer) -> Iterator[Ring]:
        numbers = tensor.numbers()
        axis = next((at for at, length in enumerate(tensor.shape) if length != 1), -1)
        if numbers is None or numbers.dtype.kind != "f" or axis < 0:
            return
        samples = tensor.shape[axis]
        if not FEWEST_SAMPLES <= samples <= MOST_SAMPLES or not numpy.isfinite(numbers).all():
            return
        named = [one for one in self._files() if RING.search(one[0].rsplit("/", 1)[-1])]
        for name, data in named[: -MOST_FILES - 1 : -1]:
            for slot, there in slots(data, numbers.size, samples):
                if is_whole(numbers.reshape(-1).astype("f8"), there):
                    yield Ring(numbers.reshape(tensor.shape).copy(), axis, name, slot, answer)


def slots(data: bytes, count: int, samples: int) -> Iterator[tuple[int, Any]]:
    """A ring's slot, which lies in front of or behind its numbers in a file, and these, as f64."""
    for kind in KINDS:
        beside = len(data) - count * numpy.dtype(kind).itemsize
        for first, rest in (
            ((beside, data[:beside]), (0, data[-beside:])) if 0 < beside <= MOST_BESIDE else ()
        ):
            if slot := slot_in(rest, samples):
                with numpy.errstate(all="ignore"):  # bytes that are no floats
                    yield slot, numpy.frombuffer(data, kind, count, first).astype("f8")


def slot_in(rest: bytes, count: int) -> int:
    """The only whole number among bytes that is a slot behind the first one, or 0 if there is none."""
    width = next((one for one in WIDTHS if len(rest) % one == 0), 1)
    numbers = [int.from_bytes(rest[at : at + width], "little") for at in range(0, len(rest), width)]
    found = {one for one in numbers if 0 < one < count}
    return found.pop() if len(found) == 1 else 0


def begun_at_their_slots(graph: Graph, rings: Sequence[Ring], seconds: float, most: float = MOST) -> str:
    """A sentence if a model surely hears more in rings that begin at their slots than in others, or "".
    Raises NNError."""
    rings = rings[: RUNS // (1 + len(OTHERS))]
    with Runs(graph, [Tensor.from_numpy(rings[0].array)], most, seconds=seconds) as runs:

        def answers(behind: int) -> list[Answer]:
            made = [one.begun(one.slot + behind) for one in rings if runs.left()]
            found = [runs.changed(0, one) for one in made if runs.left()]
            return [one for one in found if one is not None]

        begun = ((by, answers(by)) for by in BEFORE)
        by, right = next(((by, one) for by, one in begun if are_meant(one, rings)), (0, []))
        samples = rings[0].array.shape[rings[0].axis]
        others = [answers(by + round(part * samples)) for part in OTHERS] if right else []
    full = [one for one in others if len(one) == len(rings)]
    many = FEWER * different(right)
    if not full or any(different(one) > many for one in full):
        return ""
    sent, last = [one.answer for one in rings], rings[-1]
    return (
        f'input 0 "{graph.inputs[0].name}": all {samples} samples of {last.file} and of {len(rings) - 1} '
        f"others were sent from the first one on, though the file says slot {last.slot} beside them; begun "
        f"there they get {different(right)} different answers, at {mean(right):.2f} on average, as sent "
        f"{different(sent)}, and from other slots on {max(map(different, full))}: a ring has to begin with "
        "its oldest sample"
    )


def different(answers: Sequence[Answer]) -> int:
    return len({one.place for one in answers})


def are_meant(right: Sequence[Answer], rings: Sequence[Ring]) -> bool:
    """Whether a model is sure of rings, as sure as training makes it, and says more of them than as sent."""
    if len(right) < len(rings) or mean(right) < SURE or max(one.margin for one in right) > OVERSURE:
        return False
    many = different(right)
    return many >= MANY and different([one.answer for one in rings]) <= FEWER * many

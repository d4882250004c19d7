"""Files that are named rings, of which each holds one window and the slot where its oldest sample lies, and
windows that are sent as they lie there.

What is here: `HeadedRings`, for rings that break nowhere so that one window shows it. What is not: many rings
in one file, and visible breaks (`heads.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..whatif.rings import RING
from ..whatif.slots import BEFORE, MOST_BESIDE, slot_in
from .rings import FEWEST, MOST, level

WINDOWS, LOOKS, MOST_FILES = 4, 12, 4
"""The fewest windows that show a break together, the most that are looked at, and the last files that are
compared with each."""
BREAKS, MOSTLY = 2.0, 0.75
"""How many times as large as the steps from the ends to the beginnings those at the slots are, all together,
and in which part of the windows they are larger."""
EXACT = 1e-4
KINDS = ("<f4", "<i2", "<i4", "<f8")


class Ring(Frozen):
    """A window's file, the slot that it says, and how far the samples are from the ones before them."""

    file: str
    slot: int
    steps: Any


class HeadedRings:
    """Follows the windows of each input."""

    def __init__(self) -> None:
        self._looked: dict[Any, int] = {}
        self._rings: dict[Any, list[Ring]] = {}

    def set(self, key: Any, samples: Any, files: Sequence[tuple[str, bytes]]) -> str:
        """Returns what is wrong with windows [samples, channels] of an input, or "" if nothing is."""
        looked = self._looked[key] = self._looked.get(key, 0) + 1
        if looked > LOOKS or not FEWEST <= len(samples) <= MOST:
            return ""
        found = next(ringed(samples, files), None)
        kept = self._rings.setdefault(key, [])
        if found is None or found.file in [one.file for one in kept]:
            return ""
        kept.append(found)
        if len(kept) < WINDOWS or len(kept) < looked or not any(do_break(kept, by) for by in BEFORE):
            return ""
        return (
            f"compared with {found.file}, {len(kept)} windows of {len(samples)} samples are all of a ring's "
            f"in their order, the file says slot {found.slot} beside them: there they break, and the ends "
            "go on at the beginnings: rings were sent as they lie; each has to begin with its oldest sample"
        )


def do_break(rings: Sequence[Ring], by: int) -> bool:
    """Whether windows break behind the slots that their files say, and not from the end to the beginning."""
    ends = numpy.array([one.steps[0] for one in rings])
    slots = numpy.array([one.steps[(one.slot + by) % len(one.steps)] for one in rings])
    return bool(slots.sum() >= BREAKS * ends.sum() and (slots > ends).mean() >= MOSTLY)


def ringed(samples: Any, files: Sequence[tuple[str, bytes]]) -> Iterator[Ring]:
    """The files named rings of which a window has all samples as they lie, with the slot beside them."""
    named = [(name, data) for name, data in files if RING.search(name.rsplit("/", 1)[-1])]
    own = level(samples.astype("f8"), 0)
    for name, data in named[: -MOST_FILES - 1 : -1]:
        for kind in KINDS:
            beside = len(data) - samples.size * numpy.dtype(kind).itemsize
            if not 0 < beside <= MOST_BESIDE:
                continue
            for first, rest in ((beside, data[:beside]), (0, data[-beside:])):
                slot = slot_in(rest, len(samples))
                numbers = numpy.frombuffer(data, kind, samples.size, first).reshape(samples.shape)
                if slot and are_alike(own, numbers):
                    yield Ring(name, slot, numpy.linalg.norm(own - numpy.roll(own, 1, axis=0), axis=1))


def are_alike(own: Any, numbers: Any) -> bool:
    """Whether the samples of a window, around 0, are numbers that may be scaled and moved."""
    with numpy.errstate(all="ignore"):  # bytes that are no floats
        there = numbers.astype("f8")
        return bool(numpy.isfinite(there).all() and abs(own - level(there, 0)).max() < EXACT)

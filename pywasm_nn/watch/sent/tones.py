"""How strong some frequencies are in the pieces of a sound (Goertzel), counted by another rate of samples
than the sound's.

What is here: `Tones`, which finds the frequencies in the program's data, and measures them in pieces of every
length. What is not: usual spectra and bands (`origin/spectral.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from math import prod
from typing import Any

from ...arrays import numpy
from ...errors import WasmError
from ...interpreter.module import Module
from ...interpreter.runtime.deadline import paused
from ...nn.operation import NNEvent
from ...records import Frozen, changed
from ..budget import Budget, Left
from ..follower import Follower, inputs_of
from ..loops.units_behind import of_program
from ..origin.decoding import Source
from ..origin.own_numbers import own_floats
from ..origin.waves import RATES

FEWEST, MOST, ROWS = 6, 64, 3
"""Frequencies that are measured, and pieces that are compared."""
SHORTEST, LONGEST = 64, 1 << 13
"""Samples of a piece."""
LOWEST, HIGHEST, MOST_OF_BYTES, MOST_LISTS = 20.0, 12000.0, 255.0, 6
"""Frequencies that are heard, the largest number of lists that may be letters, and lists that are tried."""
EXACT = 2e-3
"""Strengths may differ from those that were sent by this part of the largest."""
SHOWN = 3


class Pieces(Frozen):
    """The first inputs of a model, [inputs, elements], and the sound that was read."""

    rows: Any
    sound: Source

    def fits(self, frequencies: Any, rate: int) -> bool:
        """Whether the inputs are how strong these frequencies are in pieces of some length, in any order."""
        if len(self.rows) > 1 and not changed(self, rows=self.rows[:1]).fits(frequencies, rate):
            return False
        samples = self.sound.array if self.sound.array.ndim == 1 else self.sound.array.mean(axis=1)
        count = len(self.rows)
        most = min(LONGEST, len(samples) // count)
        if most < SHORTEST:
            return False
        times = numpy.arange(count * most) / rate
        turned = numpy.exp(-2j * numpy.pi * frequencies[:, None] * times)
        sums = numpy.cumsum(samples[: count * most] * turned, axis=1)
        sums = numpy.concatenate([numpy.zeros((len(frequencies), 1)), sums], axis=1)
        lengths = numpy.arange(SHORTEST, most + 1)
        for power in (1, 2):
            kept = numpy.full(len(lengths), fill_value=True)
            for at, row in enumerate(self.rows):
                own = abs(sums[:, (at + 1) * lengths] - sums[:, at * lengths]) ** power
                kept &= (
                    abs(share(numpy.sort(own, axis=0)) - share(numpy.sort(row))[:, None]).max(axis=0) < EXACT
                )
            if kept.any():
                return True
        return False


class Tones(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, last: Callable[[], Source | None], budget: Budget) -> None:
        """`last` gives the sound that was read last."""
        self._last, self._budget = last, budget
        self._module: Module | None = None
        self._rows: dict[Any, list[Any]] = {}
        self._names: dict[Any, str] = {}

    def attach(self, module: Module) -> None:
        """A guest begins."""
        self._module = module

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended: keep its first inputs of few numbers that may be strengths."""
        for index, spec, tensor in inputs_of(event) if event.error is None else ():
            rows = self._rows.setdefault((event.context_id, index), [])
            count = prod(tensor.shape)
            numbers = tensor.numbers() if FEWEST <= count <= MOST and len(rows) < ROWS else None
            if numbers is not None and numbers.dtype.kind == "f" and max(tensor.shape) == count:
                self._names[event.context_id, index] = f'input {index} "{spec.name}"'
                rows.append(numbers.reshape(-1).astype("f8"))

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        known = {key: rows for key, rows in self._rows.items() if rows and are_strengths(rows)}
        sound = self._last() if known and self._module is not None else None
        if sound is None or sound.rate not in RATES or self._module is None:
            return
        with paused(), numpy.errstate(all="ignore"), self._budget.comparing() as left:
            for key, rows in known.items():
                if said := at_another_rate(Pieces(numpy.stack(rows), sound), self._module, left):
                    yield "origin", f"{self._names[key]}: {said}"
                    return


def are_strengths(rows: Sequence[Any]) -> bool:
    return all(
        row.size == rows[0].size and numpy.isfinite(row).all() and row.min() >= 0 and row.max() > row.min()
        for row in rows
    )


def at_another_rate(pieces: Pieces, module: Module, left: Left) -> str:
    """Returns what is wrong with strengths of frequencies, or "" if nothing is known to be."""
    sound = pieces.sound
    for frequencies in islice(lists_in(module, pieces.rows.shape[1], left), MOST_LISTS):
        if not left() or pieces.fits(frequencies, sound.rate):
            return ""
        for rate in RATES:
            if rate != sound.rate and left() and pieces.fits(frequencies, rate):
                first = ", ".join(f"{one:.4g}" for one in frequencies[:SHOWN])
                return (
                    f"its elements are how strong the program's {len(frequencies)} frequencies ({first} ...) "
                    f"are in {sound.name} if that has {rate:,} samples a second; its header says "
                    f"{sound.rate:,}: is the rate to be read from it?"
                )
    return ""


def lists_in(module: Module, count: int, left: Left) -> Iterator[Any]:
    """Lists of so many different numbers of a program that may be frequencies, each half of them rising."""
    for numbers in of_program(module):
        yield from runs_in(numbers, count)
    try:
        yield from runs_in(numpy.array(own_floats(module, left)), count)
    except WasmError:
        return


def runs_in(numbers: Any, count: int) -> Iterator[Any]:
    if len(numbers) < count:
        return
    windows = numpy.lib.stride_tricks.sliding_window_view(numbers, count)
    are_heard = ((windows >= LOWEST) & (windows <= HIGHEST)).all(axis=1) & (
        windows.max(axis=1) > MOST_OF_BYTES
    )
    rising = (numpy.diff(windows, axis=1) > 0).sum(axis=1) >= count - 2
    for one in windows[are_heard & rising]:
        if len({*one.tolist()}) == count:
            yield one.astype("f8")


def share(numbers: Any) -> Any:
    """Numbers as parts of the largest."""
    return numbers / numbers.max(axis=0)

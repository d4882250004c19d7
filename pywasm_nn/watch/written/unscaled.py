"""Forecasts that are put back into the input and written in another scale than the input's.

What is here: `Forecasts`, which compares numbers that are written with answers by the scales in files that
the guest read. What is not: answers that are written as they are (`misread.py`), and scales of inputs
(`origin`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ..follower import Follower
from ..origin.tables import tables_in
from ..sheets.scaler_files import MOST_SHORT, Pair, named_pairs
from ..spoken import Heard, Word, fit
from ..surroundings import Files

FEWEST, MOST_ROUNDS = 3, 32
MOST_BYTES = 1 << 14
NEAR = 2e-4


class Forecasts(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._given: dict[Any, Any] = {}
        self._rounds: list[tuple[Any, float]] = []
        """Windows and their answers."""
        self._what = ""
        self._heard = Heard()

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None or not event.tensors:
            return
        numbers = event.tensors[0].numbers() if event.tensors[0].nbytes <= MOST_BYTES else None
        if event.operation.startswith("set_input"):
            if numbers is None or numbers.dtype.kind != "f" or numbers.size < FEWEST:
                self._given.pop(event.context_id, None)
            else:
                self._given[event.context_id] = numbers.astype("f8")
        elif event.operation == "compute" and numbers is not None and numbers.size == 1:
            window = self._given.get(event.context_id)
            if window is not None and len(self._rounds) < MOST_ROUNDS:
                self._rounds.append((window, float(numbers[0])))
                self._what = f'output 0 "{event.specs[0].name}"'

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._rounds:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        if len(self._rounds) < FEWEST or not self._is_fed_back():
            return
        scales = [*dict.fromkeys(named_pairs(self._files()))]
        own = [one for one in scales if self._is_own(one)]
        said = self._said()
        for scale in scales if len(own) == 1 else ():
            if scale[:2] != own[0][:2] and self._fits(scale, said) and not self._fits(own[0], said):
                yield (
                    "answer",
                    f"{self._what}: the guest writes the answers times {scale[1]:g} plus {scale[0]:g}, and "
                    f"puts them back into the input, which is scaled by {own[0][1]:g} and {own[0][0]:g} "
                    f"(both in {scale[2]}): is it unscaled by another column's numbers?",
                )
                return

    def _is_fed_back(self) -> bool:
        """Whether each answer is among the next window, as it is, and wasn't in that before."""
        pairs = pairwise(self._rounds)
        return all(
            bool(numpy.isin(numpy.float32(answer), later) and not numpy.isin(numpy.float32(answer), window))
            for (window, answer), (later, _) in pairs
        )

    def _is_own(self, scale: Pair) -> bool:
        """Whether the first window is made of numbers of a table by a scale."""
        added, by, _ = scale
        raw = self._rounds[0][0] * by + added
        for _, table in tables_in(self._files(), MOST_SHORT):
            for column in table.numbers.T:
                known = column[numpy.isfinite(column)]
                room = NEAR * (1 + abs(raw))
                if known.size >= raw.size and (abs(known[:, None] - raw).min(0) <= room).all():
                    return True
        return False

    def _said(self) -> list[list[Word]]:
        """The numbers of each line, if there is one for each answer; else []."""
        lines = self._heard.text.lines
        return lines if len(lines) == len(self._rounds) else []

    def _fits(self, scale: Pair, said: Sequence[Sequence[Word]]) -> bool:
        """Whether a number of each line is its answer in this scale."""
        added, by, _ = scale
        wanted = [answer * by + added for _, answer in self._rounds]
        return bool(said) and any(
            fit([line[place] for line in said], wanted) and len({line[place].text for line in said}) > 1
            for place in range(min(map(len, said)))
        )

"""Errors of a model that rebuilds its input, which a guest adds up, though the threshold that it read is one
of their mean.

What is here: `SummedErrors`. What is not: inputs in another unit, which such a model can't rebuild
(`whatif/rebuilding.py`).

Three things speak together: a file names its threshold after a mean (`mse`, `mean`); what is written are the
sums, and not the means; and most sums are above the threshold, where hardly any mean is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ...records import Frozen
from ..follower import Follower, inputs_of, only_answer
from ..regex import regex
from ..spoken import Heard, Word
from ..surroundings import Files

FEWEST, MOST_ROUNDS, SHORTEST, LONGEST = 5, 4096, 3, 1 << 16
"""Errors that are written at least, rounds that are kept, and elements of an input."""
PART = 0.25
"""The least share of rounds that are written: programs often write only those beyond the threshold."""
DIGITS, PLACES = 2, 6
"""Digits of an error as it is written, and places in a line where it may stand."""
MOST_FILE = 1 << 12
BOUND = regex(r"thr(?:e|s)|limit|cut.?off|alarm|bound|tolera|maxim|max_", re.IGNORECASE)
MEAN = regex(
    r"([\w .-]*(?:(?<![a-z])r?m[sa]e(?![a-z])|mean|average|(?<![a-z])avg)[\w .-]*)[\"']?\s*[:=,\s]\s*"
    r"(\d[\d.]*(?:e[-+]?\d+)?)",
    re.IGNORECASE,
)
MOSTLY, HARDLY = 0.5, 0.34
"""The parts of the sums that are above the threshold, and of the means."""
Errors = Callable[[Any], float]
KINDS: dict[str, Errors] = {
    "squared errors": lambda off: float((off * off).sum()),
    "sizes of its errors": lambda off: float(abs(off).sum()),
}


class Limit(Frozen):
    """A number of a file, what it is called there, and the file."""

    value: float
    called: str
    file: str


class SummedErrors(Follower):
    """Gives a hint when the guest has ended, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._given: dict[Any, Any] = {}
        """By context, its last input of numbers."""
        self._sums: list[tuple[int, list[float]]] = []
        """Of each answer its elements, and its sums of KINDS."""
        self._heard = Heard()

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None or len(self._sums) >= MOST_ROUNDS:
            return
        for _, _, tensor in inputs_of(event):
            numbers = tensor.numbers() if SHORTEST <= tensor.size <= LONGEST else None
            self._given[event.context_id] = None if numbers is None else numbers.astype("f8")
        answer = only_answer(event.tensors) if event.operation == "compute" else None
        given = self._given.get(event.context_id)
        if answer is not None and given is not None and answer.size == given.size:
            off = given.reshape(-1) - answer.reshape(-1)
            self._sums.append((off.size, [errors(off) for errors in KINDS.values()]))

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._sums:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """The hint."""
        limits = limits_in(self._files()) if len(self._sums) >= FEWEST else []
        if not limits or len({size for size, _ in self._sums}) > 1:
            return
        count, kinds = self._sums[0][0], numpy.array([sums for _, sums in self._sums]).T
        for kind, sums in zip(KINDS, kinds, strict=True):
            limit = next((one for one in limits if is_of_means(one.value, sums, count)), None)
            if limit is None:
                continue
            said = written_of(self._heard.text.lines, sums)
            if said is not None and written_of(self._heard.text.lines, sums / count) is None:
                yield (
                    "answer",
                    f"the guest writes {said.text}, which is the sum of the {kind} of {count} elements; the "
                    f'threshold {limit.value:g} is called "{limit.called}" in {limit.file}: is it to be '
                    f"divided by {count}? {(sums > limit.value).sum()} of {len(sums)} sums are above it, "
                    f"and {(sums / count > limit.value).sum()} means",
                )
                return


def limits_in(files: Sequence[tuple[str, bytes]]) -> list[Limit]:
    """Thresholds of a mean in short texts."""
    found = []
    for name, data in files:
        text = data.decode("utf-8", "replace") if len(data) <= MOST_FILE and b"\0" not in data else ""
        if BOUND.search(name) or BOUND.search(text):
            found += [Limit(float(value), called.strip(), name) for called, value in pairs_in(text)]
    return [one for one in found if one.value > 0]


def pairs_in(text: str) -> Iterator[tuple[str, str]]:
    """The names of means, and the numbers behind them."""
    for found in MEAN.finditer(text):
        if found[2].count(".") <= 1:
            yield found[1], found[2].rstrip(".")


def is_of_means(value: float, sums: Any, count: int) -> bool:
    """Whether most sums are above a threshold, and hardly any means."""
    return bool((sums > value).mean() >= MOSTLY and (sums / count > value).mean() <= HARDLY)


def written_of(lines: Sequence[Sequence[Word]], values: Any) -> Word | None:
    """Returns the first number that is written of many values, each in a line of its own, in their order, or
    None if they aren't written so."""
    for place in range(PLACES):
        words = [line[place] for line in lines if len(line) > place]
        words = [one for one in words if not one.is_whole and one.digits >= DIGITS]
        if len(words) >= max(FEWEST, PART * min(len(values), len(lines))) and in_order(words, values):
            return words[0]
    return None


def in_order(words: Sequence[Word], values: Any) -> bool:
    """Whether all numbers are values, in their order; some of these may be left out between."""
    at = 0
    for word in words:
        there = numpy.flatnonzero(word.fits(values[at:]))
        if not len(there):
            return False
        at += int(there[0]) + 1
    return True

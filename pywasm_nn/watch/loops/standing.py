"""A forecast step by step, each of the same window, and windows of a file that are all the first one.

What is here: `Standing`, which counts computes of one input, and what is written of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from ...interpreter.module import Module
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ..follower import Follower
from ..origin.tables import tables_in
from ..regex import regex
from ..spoken import Heard, filled_lines
from .files import Files
from .going_on import listed, seconds, steps, steps_among, times
from .repeating import repeating
from .round import Kept
from .units_behind import first_of_several

FEWEST = 3
"""So many steps a series needs, and so many elements its window."""
NEAR = 1e-3
"""A window's numbers may differ from a column's by this many deviations."""
AHEAD = regex(
    r"\b(?:day|hour|week|month|year|quarter|minute)s?\b|\bt ?\+|^\s*\+ ?\d|\bahead\b|\bforecast|\d ?h\b",
    re.IGNORECASE,
)
"""What is written of a time to come."""
MEASURED = regex(
    r"\b(?:runs?|iter(?:ation)?s?|warm|bench\w*|latency|elapsed|repeat\w*|took|\d ?[mun]s|fps|trials?"
    r"|attempts?|determinis\w*|identical|reproduc\w*)\b",
    re.IGNORECASE,
)
"""A guest with one of these words tries how long runs take, or whether they give the same. All of them may be
of one input."""
DECIMAL = regex(r"(?<![\w.])-?\d{1,9}\.\d{1,9}(?![\w]|\.\d)")


class Standing(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Callable[[], Files] = tuple) -> None:
        """`files` gives names and bytes of the files that were read."""
        self._files = files
        self._module: Module | None = None
        self._given: dict[tuple[Any, int], Kept] = {}
        self._computes = 0
        self._moved = False
        """Whether an input changed."""
        self._is_plain = True
        """Whether there is one input, of floats."""
        self._what = ""
        self._heard = Heard()

    def attach(self, module: Module) -> None:
        """A guest begins."""
        self._module = module

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None:
            self._moved |= event.operation.startswith("set_input")  # the error says why nothing moves
        if event.error is not None or self._moved:
            return
        if event.operation.startswith("set_input") and event.index is not None and event.tensors:
            name = f'input {event.index} "{event.specs[0].name}"'
            kept = Kept.of(name, event.tensors[0])
            before = self._given.get((event.context_id, event.index))
            self._moved = kept is None or kept.flat.size < FEWEST
            if kept is None or self._moved:
                return
            self._moved = (before is not None and not kept.equals(before)) or is_even(kept)
            self._is_plain &= kept.array.dtype.kind == "f"
            self._given[event.context_id, event.index] = kept
        elif event.operation == "compute":
            self._computes += 1
            self._moved = bool(event.given) or len({context for context, _ in self._given}) != 1
            self._is_plain &= len(self._given) == 1
            largest = max(self._given.values(), key=lambda one: one.flat.size, default=None)
            self._what = "" if largest is None else largest.what

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._computes and not self._moved:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        if self._moved or self._computes < FEWEST:
            return
        lines = filled_lines(self._heard.text)
        if wrong := self._among_others(lines):
            yield "stale", wrong
            return
        if not self._is_plain:
            return
        is_measured = bool(MEASURED.search(self._heard.text))
        is_ahead = self._is_newest() and not is_measured
        ahead = [line for line in lines if is_ahead or AHEAD.search(line)]
        said = steps_among(ahead, self._computes) or times(lines)
        every = [] if is_measured else steps(lines)
        if len(every) == self._computes > FEWEST and (file := self._holding(self._computes)):
            yield (
                "stale",
                f"{self._what} was the same in {self._computes} computes, and so was what the guest writes, "
                f'"{every[0].strip()}" to "{every[-1].strip()}"; {file} has numbers for {self._computes} '
                "such inputs: is each round's place in it added to the address that is sent (a part of an "
                "array has an offset)?",
            )
        elif wrong := self._beside(lines):
            yield "stale", wrong
        elif len(said) >= FEWEST and len(said) == self._computes:
            yield (
                "fed_back",
                f"{self._what} was the same in {self._computes} computes, and so was what the guest writes, "
                f'"{said[0].strip()}" to "{said[-1].strip()}": is each answer put into the window before the '
                "next compute, and set_input called again?",
            )
        elif line := listed(ahead, self._computes):
            yield (
                "fed_back",
                f"{self._what} was the same in {self._computes} computes, and the guest writes one number "
                f'{self._computes} times, "{line.strip()}": is each answer put into the window before the '
                "next compute, and set_input called again?",
            )
        elif found := repeating(lines, self._computes):
            yield (
                "fed_back",
                f"{self._what} was the same in {self._computes} computes, and what the guest writes begins "
                f"again after {found.lines} lines, though they are about times that go on from {found.begin} "
                f"to {found.end}: does the window move on, by the answers or the file's next numbers, before "
                "the next set_input?",
            )

    def _among_others(self, lines: list[str]) -> str:
        """Returns what is wrong with an input that is the first of as many as there were computes, or that is
        the same at times that go on, or "" if nothing is known to be wrong."""
        if self._module is None or MEASURED.search(self._heard.text):
            return ""
        largest = max(self._given.values(), key=lambda one: one.flat.size)
        if file := first_of_several(largest.array, self._computes, self._files(), self._module):
            return (
                f"{self._what} was the same in {self._computes} computes, and {file} goes on with as many "
                "inputs of its size, of which it is the first: is each round's place in it added to where "
                "the input is taken from?"
            )
        if self._is_plain and len(lines) == self._computes > FEWEST and (ends := seconds(lines))[0]:
            return (
                f"{self._what} was the same in {self._computes} computes, and the guest writes the same of "
                f"times that go on from {ends[0]} to {ends[1]}: does each round take its own window?"
            )
        return ""

    def _beside(self, lines: list[str]) -> str:
        """A line for each compute with a number of another row of a table, though the input is the same."""
        if len(lines) != self._computes:
            return ""
        tables = [*tables_in(self._files())]
        for numbers in zip(*map(DECIMAL.findall, lines), strict=False):
            values = [float(one) for one in numbers]
            for name, table in tables if len({*values}) == len(values) else ():
                columns = [{*column.tolist()} for column in table.numbers.T]
                if any({*values} <= column for column in columns):
                    return (
                        f"{self._what} was the same in {self._computes} computes, and the guest writes other "
                        f"numbers of {name} beside each answer, {numbers[0]} to {numbers[-1]}: is the place "
                        "in the file added where the input is filled?"
                    )
        return ""

    def _is_newest(self) -> bool:
        """Whether the window has the last numbers of a table's column: what is asked for again and again is
        yet to come."""
        window = max((one.flat for one in self._given.values()), key=len).astype("f8")
        tables = tables_in(self._files())
        ends = [column[-len(window) :] for _, table in tables for column in table.numbers.T]
        return any(are_in_line(one, window) for one in ends if len(one) == len(window))

    def _holding(self, count: int) -> str:
        """Returns the table that has numbers for so many inputs, or "" if there is none."""
        size = max((one.flat.size for one in self._given.values()), default=0)
        tables = tables_in(self._files()) if size else ()
        return next((name for name, one in tables if one.numbers.size // size == count), "")


def are_in_line(one: Any, other: Any) -> bool:
    """Whether numbers are others times a factor above 0, and one number more."""
    spreads = float(one.std()), float(other.std())
    if not all(0 < spread < float("inf") for spread in spreads):
        return False
    apart = (one - one.mean()) / spreads[0] - (other - other.mean()) / spreads[1]
    return bool(abs(apart).max() < NEAR)


def is_even(kept: Kept) -> bool:
    """Whether all elements are equal, so that they may stay so."""
    return bool((kept.flat == kept.flat[0]).all())

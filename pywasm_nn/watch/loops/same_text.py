"""One input in all computes, though another line of a text is written beside each answer.

What is here: `SameText`. What is not: numbers of a table that are written beside answers, and windows that
stay where they are (`standing.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from typing import Any

from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ..follower import Follower
from ..regex import regex
from ..spoken import Heard, filled_lines
from .files import Files
from .round import Kept
from .standing import is_even

FEWEST, MOST_ROUNDS, MOST_FILE = 3, 64, 1 << 18
"""Computes, and bytes of a file."""
MOST_LINES, MOST_BESIDE = 4, 2
"""Lines that are written in each round, and lines of a heading and of a summary."""
COUNTED = regex(r"^\s*#?\d{1,4}[.:)\]]?\s+")
"""A number at a line's beginning that counts the lines."""
WORD = regex(r"[^\W\d_]{2}")
SAYS = regex(r"\w")
LONGEST = 24
"""So much of a line is shown."""


class SameText(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Callable[[], Files] = tuple) -> None:
        """`files` gives names and bytes of the files that were read."""
        self._files = files
        self._given: dict[int, Kept] = {}
        self._sets = 0
        self._classes: set[int] = set()
        """How many classes answers may have."""
        self._context: Any = None
        self._computes = 0
        self._heard = Heard()
        self._moved = False
        """Whether an input changed, or something else isn't as in a plain loop."""

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if self._moved:
            return
        if event.error is not None:
            self._moved = event.operation.startswith("set_input")
        elif event.operation.startswith("set_input") and event.index is not None and event.tensors:
            kept = Kept.of(f'input {event.index} "{event.specs[0].name}"', event.tensors[0])
            before = self._given.get(event.index)
            self._moved = kept is None or is_even(kept) or not (before is None or kept.equals(before))
            self._sets += 1
            if kept is not None:
                self._given[event.index] = kept
        elif event.operation == "compute":
            key = event.context_id, event.graph_id, event.model
            self._moved = bool(event.given) or self._context not in (None, key)
            self._moved |= len(self._given) != 1 or self._computes == MOST_ROUNDS
            self._context = key
            self._computes += 1
            self._classes.update(tensor.shape[-1] for tensor in event.tensors if tensor.shape)

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._given and not self._moved:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        count = self._computes
        if self._moved or count < FEWEST:
            return
        [kept] = self._given.values()
        is_once = self._sets == 1
        if not is_once and (self._sets < count or kept.array.dtype.kind != "f"):
            return  # numbers of words that aren't known are the same for many texts
        texts = [*self._texts()]
        for rounds in rounds_of(filled_lines(self._heard.text), count):
            for name, text in texts:
                if (lines := lines_of(rounds, text)) is not None:
                    first, last = (lines[at].strip()[:LONGEST] for at in (0, -1))
                    why = (
                        "was set before the loop, and stayed the same" if is_once else "had the same elements"
                    )
                    yield (
                        "stale",
                        f"{kept.what} {why} in {count} computes, and the guest writes other lines of {name}, "
                        f'"{first}" to "{last}", beside the same answer: is the input made of each line, and '
                        "given to set_input, in the loop?",
                    )
                    return

    def _texts(self) -> Iterator[tuple[str, list[str]]]:
        """The lines of texts that were read, and are no lists of an answer's classes."""
        for name, data in self._files():
            if len(data) <= MOST_FILE and b"\0" not in data:
                lines = filled_lines(data.decode("utf-8", "replace"))
                if len(lines) not in self._classes:
                    yield name, lines


def rounds_of(lines: Sequence[str], count: int) -> Iterator[list[str]]:
    """Yields the ways to divide lines among so many rounds, as many to each, but for a heading and a summary.
    A guest may keep what it writes until the end, so that the calls between say nothing."""
    for heading in range(MOST_BESIDE + 1):
        for summary in range(MOST_BESIDE + 1):
            left = lines[heading : len(lines) - summary]
            each = len(left) // count
            if 0 < each <= MOST_LINES and len(left) == each * count:
                yield [joined(left[at * each : (at + 1) * each]) for at in range(count)]


def joined(lines: Sequence[str]) -> str:
    return "\n".join(COUNTED.sub("", line) for line in lines)


def apart(rounds: Sequence[str]) -> list[str]:
    """Returns the part of each text that differs from the others, or [] if the rest has no letters, as an
    answer would have."""
    begin = alike(rounds)
    end = alike([one[begin:][::-1] for one in rounds])
    same = rounds[0][:begin] + rounds[0][len(rounds[0]) - end :]
    return [one[begin : len(one) - end] for one in rounds] if SAYS.search(same) else []


def alike(texts: Sequence[str]) -> int:
    """How many letters at the beginning all texts have in common."""
    return sum(1 for _ in takewhile(lambda ones: len({*ones}) == 1, zip(*texts, strict=False)))


def lines_of(rounds: Sequence[str], text: Sequence[str]) -> list[str] | None:
    """Returns the lines of a text in which stands what differs in each round, each in one further below, or
    None if there are none, or nothing but such lines is written."""
    parts = apart(rounds)
    if not parts or not all(WORD.search(one) for one in parts):
        return None
    found: list[str] = []
    left = iter(text)
    for part, whole in zip(parts, rounds, strict=True):
        line = next((one for one in left if part in one and whole not in one), None)
        if line is None:
            return None
        found.append(line)
    return found

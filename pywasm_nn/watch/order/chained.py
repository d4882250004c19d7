"""Answers of one model that are the input of another: windows of rows, and several answers one after the
other.

What is here: `Chained`, which keeps answers and looks for them in later inputs. What is not: states and
forecasts, which go back into the same model (`loops`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ..follower import Follower
from ..regex import regex
from ..series.near import too_near

MOST_ANSWERS, MOST_BYTES, MOST_WINDOWS = 128, 1 << 22, 48
FEWEST_ROWS, FEWEST, LEAST = 4, 8, 16
"""Rows of an input that are answers; windows that show a step; elements of a row, or rows of an answer."""
STRAIGHT = 1e-4
BACKWARDS = regex(r"back|bwd|rev(?:erse|_|$)", re.IGNORECASE)
"""An input with such a name takes the end of a series first."""


class Chained(Follower):
    """Gives hints as pairs of a rule's name and a sentence."""

    def __init__(self) -> None:
        self._rows: dict[Any, dict[bytes, int]] = {}
        """By context, each answer's bytes and its number."""
        self._tables: dict[Any, Any] = {}
        """By context, its last answer that has rows."""
        self._starts: dict[tuple[Any, Any], list[int]] = {}
        """By two contexts, where windows of the first one's answer began."""
        self._shapes: dict[tuple[Any, Any], tuple[int, int, str]] = {}
        self._room = MOST_BYTES
        self._backward: dict[str, tuple[Any, str]] = {}
        """Maps an input to the answers that its rows are, the last one first, and to what is wrong with
        that."""
        self._forward: set[Any] = set()
        """It holds the answers that were sent in their order."""

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None or not event.tensors:
            return
        if event.operation.startswith("get_output"):
            self._answered(event.context_id, event.tensors[0])
        elif event.operation.startswith("set_input") and event.index is not None:
            name = f'input {event.index} "{event.specs[0].name}"'
            key, wrong = self._backwards(event.context_id, event.tensors[0])
            if wrong and not BACKWARDS.search(event.specs[0].name):
                self._backward.setdefault(name, (key, wrong))
            self._window(event.context_id, event.tensors[0], name)

    def _answered(self, context: Any, tensor: Tensor) -> None:
        numbers = tensor.numbers()
        lengths = [length for length in tensor.shape if length != 1]
        if numbers is None or numbers.dtype.kind != "f" or tensor.nbytes > self._room:
            return
        self._room -= tensor.nbytes
        if len(lengths) == 1 and lengths[0] >= LEAST:
            kept = self._rows.setdefault(context, {})
            if len(kept) < MOST_ANSWERS:
                kept.setdefault(numbers.tobytes(), len(kept))
        elif len(lengths) == 2 and lengths[0] >= LEAST:
            self._tables[context] = numbers.reshape(lengths).astype("f8")
            for pair in [pair for pair in self._starts if pair[0] == context]:
                del self._starts[pair]

    def _backwards(self, context: Any, tensor: Tensor) -> tuple[Any, str]:
        """Returns which answers the rows of an input are, and what is wrong, if the last one is first; or
        else None and ""."""
        numbers = tensor.numbers() if tensor.shape and tensor.nbytes <= MOST_BYTES else None
        if numbers is None or numbers.dtype.kind != "f":
            return None, ""
        width = tensor.shape[-1]
        count = numbers.size // width if width else 0
        if count < FEWEST_ROWS or width < LEAST or count > MOST_ANSWERS:
            return None, ""
        rows = [row.tobytes() for row in numbers.reshape(count, width)]
        for other, known in self._rows.items():
            places = [known.get(row, -1) for row in rows] if other != context else []
            if not places or min(places) < 0 or len({*places}) < count:
                continue
            key = other, *sorted(places)
            if places == sorted(places):
                self._forward.add(key)
            elif places == sorted(places)[::-1]:
                return key, (
                    f"its {count} rows are answers {places[-1] + 1} to {places[0] + 1} of another model, the "
                    "last one first: a model of a series takes the oldest first"
                )
        return None, ""

    def _window(self, context: Any, tensor: Tensor, name: str) -> None:
        """Remember where an input begins among the rows of another model's answer."""
        numbers = tensor.numbers() if tensor.nbytes <= MOST_BYTES else None
        if numbers is None or numbers.dtype.kind != "f":
            return
        for other, table in self._tables.items():
            rows, rest = divmod(numbers.size, table.shape[1])
            starts = self._starts.setdefault((other, context), [])
            if other == context or rest or not LEAST <= rows < len(table) or len(starts) >= MOST_WINDOWS:
                continue
            step = starts[-1] - starts[-2] if len(starts) > 1 else 1
            usual = [starts[-1] + step, starts[-1]] if starts else [0]
            at = place_of(numbers.astype("f8"), table, rows, usual)
            self._shapes[other, context] = rows, len(table), name
            starts.append(at)

    def finish(self) -> Iterator[tuple[str, str]]:
        """Yields hints when the guest has ended. A network of two ways gets the same rows in both orders."""
        for name, (key, wrong) in self._backward.items():
            if key not in self._forward:
                yield "origin", f"{name}: {wrong}"
        for pair, starts in self._starts.items():
            rows, length, name = self._shapes.get(pair, (0, 1, ""))
            if (
                said := too_near(starts, len(starts), rows, length, any_step=True)
                if len(starts) >= FEWEST
                else ""
            ):
                yield "origin", f"{name}, of rows of another model's answer: {said}"
                return


def place_of(flat: Any, table: Any, rows: int, usual: list[int]) -> int:
    """Returns where rows begin that lie straight over an input, at usual places or the next ones, or -1 if
    they lie nowhere so."""
    own = flat - flat.mean()
    size = float(numpy.linalg.norm(own))
    near: list[int] = [*usual, *range(max(usual) + 1, len(table) - rows + 1)]
    for at in near if size else ():
        part = table[at : at + rows].reshape(-1)
        if len(part) < flat.size:
            continue
        level = part - part.mean()
        long = float(numpy.linalg.norm(level))
        if long and abs(own / size - level / long).max() < STRAIGHT:
            return at
    return -1

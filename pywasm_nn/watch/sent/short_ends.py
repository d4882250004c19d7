"""Short files in an input that has their beginning and their end, with padding on the wrong side of either.

What is here: `ShortEnds`, for magika, whose own features have padding behind the beginning and before the
end, by its name or its configuration. What is not: padding by another number (`whatif/padding.py`), and
halves that are missing or exchanged (`whatif/both_ends.py`), about which the model is asked: of this it says
nearly the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from ...arrays import numpy
from ...nn.operation import NNEvent
from ..follower import Follower, Said, inputs_of
from ..origin import Origins
from ..surroundings import text_in

NAME, KEYS = "magika", ("beg_size", "end_size")
"""A part of the model's name, and what its configuration has."""
MOST_KEPT, MOST_BYTES, MOST_TEXT, MOST_FILES = 8, 1 << 17, 1 << 16, 64
FEWEST, FEWEST_VALUES, FEWEST_PADS = 24, 8, 4
"""Bytes of a file, different ones among them, and elements of padding: fewer are there by chance."""


class ShortEnds(Follower):
    """Keeps what models get, and compares it with files when the guest has ended."""

    def __init__(self, origins: Origins) -> None:
        self._origins = origins
        self._named: set[int | None] = set()
        """Graphs of models with that name."""
        self._kept: list[tuple[int | None, str, Any]] = []
        """Graphs, names of inputs, and their elements."""

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None:
            return
        if event.operation.startswith("load"):
            names = self._origins.names_of(event.model, event.parts)
            if any(NAME in one.lower() for one in names):
                self._named.add(event.graph_id)
        for index, spec, tensor in inputs_of(event) if len(self._kept) < MOST_KEPT else ():
            numbers = tensor.numbers() if 0 < tensor.nbytes <= MOST_BYTES else None
            if numbers is None or numbers.size % 2 or numbers.size != max(tensor.shape, default=0):
                continue
            whole = numbers.reshape(-1).copy()
            self._kept.append((event.graph_id, f'input {index} "{spec.name}"', whole))

    def finish(self) -> Iterator[Said]:
        """A hint when the guest has ended."""
        if not self._kept:
            return
        files = self._origins.files()[-MOST_FILES:]
        is_configured = any(has_keys(data) for _, data in files)
        for graph, name, whole in self._kept:
            for file, data in files if is_configured or graph in self._named else ():
                if wrong := wrong_side(data, whole):
                    yield "origin", f"{name}: compared with {file}, {wrong}"
                    return


def has_keys(data: bytes) -> bool:
    """Whether a file is the configuration of such a model."""
    text = text_in(data, MOST_TEXT).strip()
    if not text.startswith("{"):
        return False
    with suppress(ValueError, RecursionError):
        found = json.loads(text)
        return all(one in found for one in KEYS)
    return False


def wrong_side(data: bytes, whole: Any) -> str:
    """Returns what is wrong with the padding beside the beginning and the end of a short file, or ""."""
    half = whole.size // 2
    first, last = data.lstrip(), data.rstrip()
    if max(len(first), len(last)) > half - FEWEST_PADS or min(len(first), len(last)) < FEWEST:
        return ""
    if len({*last}) < FEWEST_VALUES:
        return ""
    if is_at(first, whole[:half], behind=True) and is_at(last, whole[half:], behind=True):
        return (
            f"its end, {len(last)} bytes, is at the beginning of the second half, with padding behind: the "
            "model was trained with the padding before it, so that its last byte is the last element"
        )
    if is_at(first, whole[:half], behind=False) and is_at(last, whole[half:], behind=False):
        return (
            f"its beginning, {len(first)} bytes, is at the end of the first half, with padding before: the "
            "model was trained with the padding behind it, so that its first byte is the first element"
        )
    return ""


def is_at(body: bytes, part: Any, *, behind: bool) -> bool:
    """Whether a part is these bytes, with one other number behind or before them."""
    own = numpy.frombuffer(body, "u1")
    count = len(own)
    place, rest = (part[:count], part[count:]) if behind else (part[-count:], part[:-count])
    return bool((place == own).all() and (rest == rest[0]).all())

"""Inputs that are pieces of a file, at another distance than their own size: `Apart`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from .near import behind_the_end

FEWEST, LEAST = 3, 16
"""Inputs, and bytes of one."""
MOST_BYTES = 1 << 20


class Apart:
    """Where each input began in a file."""

    def __init__(self) -> None:
        self._begins: dict[tuple[Any, str], list[int]] = {}
        self._sizes: dict[Any, int] = {}
        self._sent: dict[Any, int] = {}
        self._shapes: dict[Any, Sequence[int]] = {}
        self._all: Counter[Sequence[int]] = Counter()
        """By shape, how many inputs there were, also those for which there was no time."""

    def counted(self, shape: Sequence[int]) -> None:
        """An input of a shape was set."""
        self._all[(*shape,)] += 1

    def set(self, key: Any, array: Any, files: Sequence[tuple[str, bytes]]) -> None:
        """An input was set."""
        own, self._shapes[key] = array.tobytes(), array.shape
        self._sent[key] = self._sent.get(key, 0) + 1
        if len(own) < LEAST or self._sizes.setdefault(key, len(own)) != len(own):
            self._sizes[key] = 0
            return
        for name, data in files if any(own) else ():
            kept = self._begins.setdefault((key, name), [])
            if len(data) <= MOST_BYTES and len(kept) == self._sent[key] - 1:
                at = data.find(own, kept[-1] + 1 if kept else 0)
                kept += [at] if at >= 0 and (kept or not at) else []

    def sent(self, key: Any) -> int:
        """How many inputs there were."""
        return self._sent.get(key, 0)

    def said(self, files: Sequence[tuple[str, bytes]]) -> str:
        """Returns what is wrong with where inputs began, or "" if nothing is."""
        for (key, name), begins in self._begins.items():
            size, data = self._sizes[key], dict(files).get(name, b"")
            by = begins[1] if len(begins) >= FEWEST else 0
            count, rest = divmod(len(data), size) if size else (0, 1)
            if not rest and (wrong := self._behind(key, begins, len(data))):
                return f"compared with {name}, of its bytes {wrong}"
            if not by or rest or by == size or begins != [by * at for at in range(len(begins))]:
                continue
            last = begins[-1] + size
            if self._sent[key] == count == len(begins) and by < size and last < len(data):
                return (
                    f"{name} has {count} rows of the input's {size} bytes, and {count} inputs were sent, "
                    f"each {by} bytes behind the one before: they overlap, and the last "
                    f"{len(data) - last} bytes were not sent: are rows {size} bytes apart?"
                )
        return ""

    def _behind(self, key: Any, begins: Sequence[int], length: int) -> str:
        """Returns what is wrong with inputs the last of which lie behind the end of as many bytes, as those
        show for which there was time, or "" if nothing is."""
        size, step = self._sizes[key], begins[1] if len(begins) > 1 else 0
        if not step or list(begins) != [step * at for at in range(len(begins))]:
            return ""
        inside = (length - size) // step + 1
        if len(begins) != min(self._sent[key], inside):
            return ""
        return behind_the_end(
            step, size, (max(self._sent[key], self._all[self._shapes[key]]), inside), length
        )

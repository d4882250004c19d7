"""Inputs that show nothing of the picture that was read, such as noise: a buffer that was freed, or what
warms a model up before it gets the picture.

What is here: `Noise`, which waits for the picture. What is not: what such elements look like
(`origin.matching`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator


class Noise:
    """Keeps one hint of each input until the guest ends."""

    def __init__(self) -> None:
        self._shown: set[Hashable] = set()
        """Keeps the inputs that showed something."""
        self._waiting: dict[Hashable, str] = {}

    def found(self, key: Hashable) -> None:
        """An input shows something: what it got before was a warm-up, or a test."""
        self._shown.add(key)
        self._waiting.pop(key, None)

    def wrong(self, key: Hashable, text: str) -> str:
        """Returns the hint about an input that has shown something before; else it waits. `text` is "" if
        there is nothing to say, as of a picture that isn't found in its file."""
        if not text:
            self.found(key)
        if key in self._shown:
            return text
        self._waiting.setdefault(key, text)
        return ""

    def finish(self) -> Iterator[str]:
        """Yields hints about inputs that never showed anything."""
        yield from self._waiting.values()

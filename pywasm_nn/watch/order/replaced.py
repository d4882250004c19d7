"""A file that a guest was asked about by its arguments, and never sent, because the memory of what was made
of it was freed and another file's took its place.

What is here: `Replaced`. What is not: how inputs came from files (`origin`), and memory that is free
(`hints.gone`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from ...nn.formats import KNOWN
from ...nn.tensor import Tensor
from ..follower import Follower
from ..surroundings import Files

TEXTS = frozenset({".csv", ".tsv", ".txt", ".json", ".xml", ".yaml", ".yml", ".ini", ".toml", ".log"})
"""Files with these endings may hold limits, lists and settings as well as data."""
LEAST = 64
"""Shorter files are no pictures and sounds."""


class Replaced(Follower):
    """Gives a hint at the end."""

    def __init__(self, arguments: Sequence[str], files: Files) -> None:
        """`arguments` are those of the guest, `files` what it read, in order."""
        self._arguments = arguments
        self._files = files
        self._sent: set[str] = set()
        self._name = ""
        self._unknown = False
        """Whether an input came from something else, or that isn't known."""

    def came_from(self, name: str, tensor: Tensor, file: str | None) -> None:
        """An input was set, from a file if that is known."""
        if tensor.nbytes < LEAST:  # such as a rate
            return
        self._unknown |= file is None
        self._name = self._name or name
        self._sent.add(file or "")

    def finish(self) -> Iterator[tuple[str, str]]:
        """The hint, if all inputs came from one file that the guest chose itself, and none from an earlier
        one of the same kind that it was given."""
        if self._unknown or len(self._sent) != 1:
            return
        (own,) = self._sent
        read = [name for name, data in self._files() if len(data) >= LEAST and KNOWN.of_file(name) is None]
        if own not in read or self._is_asked(own):
            return
        kind = PurePosixPath(own).suffix
        before = [one for one in read[: read.index(own)] if self._is_asked(one)]
        asked = [one for one in before if PurePosixPath(one).suffix == kind]
        if kind and kind.lower() not in TEXTS and len(asked) == 1:
            never = f"{asked[0]}, which is among the guest's arguments and was read before, was never sent"
            why = "was its buffer freed or dropped before set_input, so that the other one took its place?"
            yield "origin", f"{self._name}: it is {own}, and {never}: {why}"

    def _is_asked(self, name: str) -> bool:
        return any(one == name or one.endswith("/" + name) for one in self._arguments)

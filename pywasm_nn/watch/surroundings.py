"""The directories and arguments that a guest was started with, and the files that it has read, for hints.

What is not here: the hints (`hints.places`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..records import Frozen

if TYPE_CHECKING:
    from ..nn.formats import Formats

Files = Callable[[], Sequence[tuple[str, bytes]]]
"""Gives the names and bytes of the files that a guest has read so far."""


class Surroundings(Frozen):
    """What the host gave a guest: directories (the guest's path to the host's path) and arguments. `formats`
    are the model formats that the host can load."""

    directories: Mapping[str, Path]
    arguments: tuple[str, ...]
    formats: Formats

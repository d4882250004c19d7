"""What a guest was given when it was started, for hints about where its files are.

What is not here: the hints (`hints.places`).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..nn.formats import KNOWN, Formats
from ..records import record


@record
class Surroundings:
    """What a guest was given: directories (the guest's path, the host's) and arguments. `formats` are those
    of models that the host can load."""

    directories: Mapping[str, Path]
    arguments: tuple[str, ...] = ()
    formats: Formats = KNOWN

"""What a model's own bytes tell that its inputs and outputs don't: whether it normalises its input itself.

What is not here: how a format's bytes are read (`nn.formats`).
"""

from __future__ import annotations

from collections.abc import Sequence
from mmap import ACCESS_READ, mmap
from pathlib import Path

from ...nn.formats import KNOWN, Formats, Look


def scaled_inside(parts: Sequence[bytes | memoryview | Path], formats: Formats = KNOWN) -> frozenset[str]:
    """Names of values, inputs among them, whose range a model changes before it does anything else."""
    try:
        if not parts:
            return frozenset()
        if not isinstance(parts[0], Path):
            return scaled_in(memoryview(parts[0]).cast("B"), formats)
        with parts[0].open("rb") as file:
            return scaled_in(memoryview(mmap(file.fileno(), 0, access=ACCESS_READ)), formats)
    except (OSError, ValueError):  # gone meanwhile, empty, or no model after all
        return frozenset()


def scaled_in(data: memoryview, formats: Formats) -> frozenset[str]:
    """The same for a model's bytes. Raises ValueError if they are broken."""
    format = formats.detect(Look.of(data))
    return format.scaled(data) if format and format.scaled else frozenset()

"""Finds out from a model's bytes whether it normalises its inputs itself.

What is not here: how a format's bytes are read (`nn.formats`).
"""

from __future__ import annotations

from collections.abc import Sequence
from mmap import ACCESS_READ, mmap
from pathlib import Path

from ...nn.formats import KNOWN, Formats, Look


def scaled_inside(parts: Sequence[bytes | memoryview | Path], formats: Formats = KNOWN) -> frozenset[str]:
    """Names of values, inputs included, that a model normalises before any other operation."""
    try:
        if not parts:
            return frozenset()
        if not isinstance(parts[0], Path):
            return scaled_in(memoryview(parts[0]).cast("B"), formats)
        with parts[0].open("rb") as file:
            return scaled_in(memoryview(mmap(file.fileno(), 0, access=ACCESS_READ)), formats)
    except (OSError, ValueError):  # the file is gone or empty, or no model
        return frozenset()


def scaled_in(data: memoryview, formats: Formats) -> frozenset[str]:
    """The same for the bytes of a model. Raises ValueError if they are malformed."""
    format = formats.detect(Look.of(data))
    return format.scaled(data) if format and format.scaled else frozenset()

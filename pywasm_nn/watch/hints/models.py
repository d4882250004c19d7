"""Finds out from a model's bytes whether it normalises its inputs itself, or says how guests should.

What is not here: how a format's bytes are read (`nn.formats`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TypeVar

from ...nn.formats import KNOWN, Formats, Look
from ...nn.formats.format import Column, First, Format, Normalisation

Parts = Sequence[bytes | memoryview | Path]
Found = TypeVar("Found")


def scaled_inside(parts: Parts, formats: Formats = KNOWN) -> frozenset[str]:
    """Names of values, inputs included, that a model normalises before any other operation."""
    return asked(parts, formats, lambda format: format.scaled) or frozenset()


def normalisation(parts: Parts, formats: Formats = KNOWN) -> Mapping[int, Normalisation]:
    """By the index of an input, how the model says that guests normalise it."""
    return asked(parts, formats, lambda format: format.normalisation) or {}


def order(parts: Parts, formats: Formats = KNOWN) -> str:
    """The order of channels that a model says it wants: "RGB", "BGR", or ""."""
    return asked(parts, formats, lambda format: format.order) or ""


def firsts(parts: Parts, formats: Formats = KNOWN) -> Mapping[int, First]:
    """By the index of an input, what the model does with it first."""
    return asked(parts, formats, lambda format: format.firsts) or {}


def columns(parts: Parts, formats: Formats = KNOWN) -> Mapping[int, Sequence[Column]]:
    """By the index of an input, what the model knows of its elements."""
    return asked(parts, formats, lambda format: format.columns) or {}


def lasts(parts: Parts, formats: Formats = KNOWN) -> Mapping[str, tuple[float, int]]:
    """By the name of an output of whole numbers, its scale and zero point."""
    return asked(parts, formats, lambda format: format.lasts) or {}


def asked(
    parts: Parts, formats: Formats, question: Callable[[Format], Callable[[memoryview], Found] | None]
) -> Found | None:
    """What the format's function says of a model's bytes; None if the file is gone, empty, or no model, or
    the format fails."""
    try:
        if not parts:
            return None
        if not isinstance(parts[0], Path):
            return answered(memoryview(parts[0]).cast("B"), formats, question)
        with parts[0].open("rb") as file:
            data = memoryview(mmap(file.fileno(), 0, access=ACCESS_READ))
            return answered(data, formats, question)
    except Exception:  # anything, of a plugin's format
        return None


def answered(
    data: memoryview, formats: Formats, question: Callable[[Format], Callable[[memoryview], Found] | None]
) -> Found | None:
    format = formats.detect(Look.of(data))
    answer = question(format) if format else None
    return answer(data) if answer else None

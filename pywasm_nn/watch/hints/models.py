"""Finds out from a model's bytes whether it normalises its inputs itself, or says how guests should.

What is not here: how a format's bytes are read (`nn.formats`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TypeVar

from ...nn.formats import KNOWN, Formats, Look, texts
from ...nn.formats.format import NO_FACTS, Facts, Format, Normalisation

Part = bytes | memoryview | Path
Parts = Sequence[Part]
Found = TypeVar("Found")


def scaled_inside(parts: Parts, formats: Formats = KNOWN) -> frozenset[str]:
    """Names of values, inputs included, that a model normalises before any other operation."""
    return asked(parts, formats, lambda format: format.scaled) or frozenset()


def normalisation(parts: Parts) -> Mapping[int, Normalisation]:
    """By the index of an input, how the model says that guests normalise it."""
    return asked(parts, KNOWN, lambda format: format.normalisation) or {}


def order(parts: Parts, formats: Formats = KNOWN) -> str:
    """The order of channels that a model says it wants: "RGB", "BGR", or ""."""
    return asked(parts, formats, lambda format: format.order) or ""


def classes(parts: Parts) -> Sequence[tuple[str, ...]]:
    """The lists of names that a model has for its classes."""
    return asked(parts, KNOWN, lambda format: format.classes) or ()


def facts(parts: Parts) -> Facts:
    """Returns what a model's graph says."""
    found = asked(parts, KNOWN, lambda format: format.facts) or NO_FACTS
    return found if found.firsts or len(parts) != 2 else with_weights(*parts) or found


def with_weights(xml: Part, weights: Part) -> Facts | None:
    """Returns what the graph of an OpenVINO model says, whose numbers are in a second part, or None if it is
    another model, or a file is gone."""
    from ...nn.formats import openvino_facts  # slow to import, needed for few models

    try:
        with opened(xml) as data, opened(weights) as numbers:
            return openvino_facts.facts(data, numbers) if texts.is_openvino(Look.of(data)) else None
    except Exception:  # anything, of broken bytes
        return None


@contextmanager
def opened(part: Part) -> Iterator[memoryview]:
    """The bytes of a part."""
    if not isinstance(part, Path):
        yield memoryview(part).cast("B")
        return
    with part.open("rb") as file:
        yield memoryview(mmap(file.fileno(), 0, access=ACCESS_READ))


def asked(
    parts: Parts, formats: Formats, question: Callable[[Format], Callable[[memoryview], Found] | None]
) -> Found | None:
    """Returns what the format's function says of a model's bytes, or None if the file is gone, empty, or no
    model, or the format fails."""
    try:
        if not parts:
            return None
        with opened(parts[0]) as data:
            return answered(data, formats, question)
    except Exception:  # anything, of a plugin's format
        return None


def answered(
    data: memoryview, formats: Formats, question: Callable[[Format], Callable[[memoryview], Found] | None]
) -> Found | None:
    format = formats.detect(Look.of(data))
    answer = question(format) if format else None
    return answer(data) if answer else None

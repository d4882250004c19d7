"""Which framework the guest's own model will probably need, so that its import begins with the guest.

What is here: the guess, by names of files that the guest may open. A wrong guess costs the start of a
process, and no guess the time that a right one saves. What is not: the process that imports (`nn.child`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice

from ..nn import NN, NNError
from ..nn.backend import Backend
from ..nn.registry import Registry
from ..wasi import Dir

MOST_ENTRIES = 200
"""The number of entries of a directory that are looked at."""


def expect_model(nn: NN, words: Sequence[str], directories: Iterable[Dir]) -> None:
    """Let the guest's session prepare for the guest's own model, if no model is named. `words` are its
    arguments, which name a model more surely than its directories."""
    registry = nn.registry
    if registry.trust_guest_models or registry.models:
        return
    registry.expected = backend_of(words, registry) or backend_of(entries(directories), registry)


def backend_of(names: Iterable[str], registry: Registry) -> Backend | None:
    """The only backend that runs in a child and reads the models among files of these names."""
    found: set[Backend] = set()
    for format in {one for name in names if (one := registry.formats.of_file(name))}:
        with suppress(NNError):  # nothing reads it, or not a guest's
            backend, read = registry.choose(None, format.name, trusted=False)
            if registry.in_child(backend) and backend.takes_from_guests(read.name):
                found.add(backend)
    return found.pop() if len(found) == 1 else None


def entries(directories: Iterable[Dir]) -> Iterable[str]:
    """Names of files in the guest's directories."""
    for directory in directories:
        with suppress(OSError), os.scandir(str(directory.host)) as found:
            yield from [one.name for one in islice(found, MOST_ENTRIES)]

"""A process for the guest's own models that is started before the guest, and told which framework to import.

What is here: when one is started, and the guess, by names of files that the guest may open. A process that no
model needs costs its start, a wrong guess an import, and no guess the time that a right one saves. What is
not: the process (`nn.child`). Few modules are imported at the top: the process starts beside the others.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

from ..nn.child.process import started_for
from ..nn.errors import NNError

if TYPE_CHECKING:
    from ..limits import Limits
    from ..nn.backend import Backend
    from ..nn.child.process import Child
    from ..nn.registry import Registry
    from ..wasi import Dir
    from .asked import Asked

MOST_ENTRIES = 200
"""The number of entries of a directory that are looked at."""


def early_child(asked: Asked, limits: Limits) -> Child | None:
    """A process for a guest that imports `load`, or None if models are named, the guest's are trusted, or
    no process can be started, which the guest's load tells then."""
    named = asked.models or asked.nn_graph or asked.nn_preload or asked.settings
    if named or asked.trust_models or asked.replay:
        return None
    with suppress(NNError):
        return started_for(limits.tensor_bytes)
    return None


def expect_model(registry: Registry, child: Child, words: Sequence[str], directories: Iterable[Dir]) -> None:
    """Give the process to the guest's session, and tell it what to import if names say so. `words` are the
    guest's arguments, which name a model more surely than its directories."""
    if backend := backend_of(words, registry) or backend_of(entries(directories), registry):
        begin_import(child, backend)
    registry.early = child


def begin_import(child: Child, backend: Backend) -> None:
    """Let the process import a backend's framework while the guest starts."""
    from ..nn.child.models import identity

    child.prepare_early(identity(backend))


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

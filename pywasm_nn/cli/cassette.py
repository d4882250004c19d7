"""`run --record` and `run --replay`: a cassette between the guest and its hosts.

What is not here: cassettes (`watch.cassette`), and comparing them (`diff.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from ..api import Module
from ..nn import NN
from ..wasi import Wasi
from ..watch.cassette import Recording, Replay
from .asked import Asked
from .host_files import HostFile, together
from .imports import completed
from .terminal import note


@contextmanager
def taped(module: Module, asked: Asked, wasi: Wasi, nn: NN | None) -> Iterator[dict[str, Any]]:
    """The arguments for instantiating the module, so that its calls are recorded, or answered from a
    recording.

    At the end of the block, a replayed guest must have made all recorded calls. Raises CassetteError, OSError
    and UsageError.
    """
    if asked.record and asked.replay:
        raise click.UsageError("--record makes a cassette and --replay uses one; give one of them")
    if asked.preload:
        raise click.UsageError("a cassette holds one module's calls to the host; leave --preload out")
    if asked.record:
        imports = together(HostFile(path) for path in asked.host)
        for space, functions in completed(module, imports, asked.unknown_imports).items():
            imports[space] = {**functions, **imports.get(space, {})}
        with Recording(asked.record) as recording:
            yield recording.through(wasi, nn, imports)
            if asked.verbose:
                note(f"recorded {recording.count} calls to {asked.record}")
        return
    assert asked.replay is not None  # one of the two options is given
    replay = Replay(asked.replay)
    yield replay.through(wasi)
    replay.finish()

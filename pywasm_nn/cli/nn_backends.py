"""`nn backends`: the backends here, their formats and devices."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from ..records import Frozen
from .failure import Exit
from .nn_options import with_plugins
from .terminal import print_lines, print_text

if TYPE_CHECKING:
    from ..nn import Backend, Target


class Seen(Frozen):
    """The state of a backend on this machine. `late`: options that a context may change; `native`: guests'
    own models are loaded only in child processes.
    """

    name: str
    formats: tuple[str, ...]
    missing: str | None
    targets: tuple[str, ...]
    late: tuple[str, ...]
    native: bool


def seen(backend: Backend) -> Seen:
    """The state of a backend. A framework that can't list its devices counts as missing."""
    from ..nn import NNError
    from ..nn.answers import targets_of, unavailable

    missing: str | None
    targets: frozenset[Target] = frozenset()
    try:
        missing = unavailable(backend)
        targets = frozenset() if missing else targets_of(backend)
    except NNError as error:
        missing = error.reason
    names = tuple(sorted(target.value for target in targets))
    return Seen(
        backend.name, backend.format_names, missing, names, tuple(sorted(backend.late)), backend.native
    )


@click.command(name="backends")
@with_plugins
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def command(plugins: tuple[str, ...], as_json: bool) -> int:
    """Show the backends, the formats they read and the devices they run on.

    The first backend in the list that is ready serves a format, unless --nn-backend chooses another.
    """
    from .nn_model import configured

    nn = configured((), plugins)
    found = [seen(backend) for backend in nn.registry.backends]
    if as_json:
        print_lines(json.dumps([asdict(one) for one in found], indent=2))
        return Exit.OK
    formats = [", ".join(one.formats) for one in found]
    names, widest = max(len(one.name) for one in found), max(map(len, formats))
    for one, read in zip(found, formats, strict=True):
        binds = "for each context" if "target" in one.late else "when a model is loaded"
        state = one.missing or f"{', '.join(one.targets)} (chosen {binds})"
        print_text(f"{one.name:<{names}}  {read:<{widest}}  {state}")
    for line in nn.registry.broken:
        print_text(f"{'broken':<{names}}  {line}")
    return Exit.OK

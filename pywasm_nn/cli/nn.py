"""`nn`: models and backends without a guest.

What is here: the names of its commands. Each command has a file of its own: `nn_backends.py`,
`nn_inspect.py`, `nn_run.py`, `nn_whatif.py`.
"""

from __future__ import annotations

import click

from .lazy import LazyGroup

COMMANDS = {
    "backends": "Show the backends, the formats they read and the devices they run on.",
    "inspect": "Show a model's format, inputs and outputs.",
    "run": "Run a model on arrays or a picture.",
    "whatif": "Run a model on changed copies of its inputs.",
}


@click.group(cls=LazyGroup, name="nn", first_lines=COMMANDS, prefix="nn_")
def command() -> None:
    """Inference backends, and models without a guest."""

"""Options that several `nn` commands have. What is not here: what they mean (`nn_model.py`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from .complete import backends, files

Command = Callable[..., Any]

with_plugins = click.option(
    "--nn-plugin", "plugins", multiple=True, metavar="FILE.py:NAME", help="A backend in a file."
)
ABOUT_A_MODEL: tuple[Callable[[Command], Command], ...] = (
    click.argument("model", shell_complete=files),
    click.argument("inputs", nargs=-1, metavar="[NAME=]INPUT...", shell_complete=files),
    click.option(
        "--nn-backend",
        multiple=True,
        metavar="FORMAT=BACKEND",
        shell_complete=backends,
        help="The backend that runs a format.",
    ),
    with_plugins,
    click.option(
        "--scale", type=float, help="Multiply a picture's elements (0 to 255) by this; shown if deduced."
    ),
)


def about_a_model(command: Command) -> Command:
    """The arguments and options of a command that gives inputs to a model."""
    for option in reversed(ABOUT_A_MODEL):
        command = option(command)
    return command

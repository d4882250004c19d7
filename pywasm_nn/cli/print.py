"""`print`: a module as text."""

from __future__ import annotations

import click

from .complete import files
from .failure import Exit
from .load import EVERYTHING, load
from .terminal import print_lines


@click.command(name="print")
@click.argument("module", shell_complete=files)
def command(module: str) -> int:
    """Print MODULE in the text format."""
    from ..interpreter.text import print_module

    print_lines(print_module(load(module, features=EVERYTHING)).rstrip("\n"))
    return Exit.OK

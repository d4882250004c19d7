"""`new`: makes the beginnings of a guest."""

from __future__ import annotations

from pathlib import Path

import click

from .. import guest
from .failure import Exit, Failure
from .terminal import print_text


@click.command(name="new")
@click.argument("language", type=click.Choice(guest.LANGUAGES))
@click.argument("folder", metavar="DIR")
def command(language: str, folder: str) -> int:
    """Make a guest that classifies a picture, in DIR, with its model and the lines that build and run it."""
    try:
        source = guest.begin(language, Path(folder))
    except OSError as error:
        raise Failure(f"can't make a guest in {folder}: {error.strerror or error}") from None
    print_text(f"made {source}; in {folder}")
    for step in guest.steps(source):
        print_text(f"  {step}")
    return Exit.OK

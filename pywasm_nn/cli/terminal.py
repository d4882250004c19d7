"""Writing to the person: everything of ours goes to stderr, coloured only on a terminal and without NO_COLOR.

The guest's stdout is the guest's. Only commands whose product is text (inspect, print ...) write to stdout.
"""

from __future__ import annotations

import os

import click

COLOURS = {"error": "red", "warning": "yellow", "help": "cyan", "note": "blue"}


def allowed() -> bool | None:
    """What `click.echo` shall do about colour: False under NO_COLOR (https://no-color.org), else it looks."""
    return False if os.environ.get("NO_COLOR") else None


def say(kind: str, text: str) -> None:
    """Write "kind: text" to stderr; further lines of the text are indented below it."""
    label = click.style(f"{kind}:", fg=COLOURS[kind], bold=True)
    click.echo(f"{label} {text.replace(chr(10), chr(10) + '  ')}", err=True, color=allowed())


def note(text: str) -> None:
    """A remark for the person, as hosts give it to `report`."""
    say("note", text)


def print_text(text: str) -> None:
    """A command's product, on stdout."""
    click.echo(text, color=allowed())

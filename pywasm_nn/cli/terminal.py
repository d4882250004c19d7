"""Writing to the person: everything of ours goes to stderr, coloured only on a terminal and without NO_COLOR.

Here is the one edge to the terminal: what is written is visible, whoever said it, and colours are added
after that. So no other file of the command line writes by itself (tests/cli/test_terminal.py).
The guest's stdout is the guest's. Only commands whose product is text (inspect, print ...) write to stdout.
"""

from __future__ import annotations

import os

import click

from ..printable import printable_lines, visible_lines

COLOURS = {"error": "red", "warning": "yellow", "help": "cyan", "note": "blue"}


def allowed() -> bool | None:
    """What `click.echo` shall do about colour: False under NO_COLOR (https://no-color.org), else it looks."""
    return False if os.environ.get("NO_COLOR") else None


def say(kind: str, text: str) -> None:
    """Write "kind: text" to stderr; further lines of the text are indented below it."""
    label = click.style(f"{kind}:", fg=COLOURS[kind], bold=True)
    click.echo(f"{label} {printable_lines(text)}", err=True, color=allowed())


def note(text: str) -> None:
    """A remark for the person, as hosts give it to `report`."""
    say("note", text)


def print_text(text: str, mark: str = "", colour: str = "") -> None:
    """A command's product, on stdout; `mark` stands before it in a colour."""
    coloured = click.style(mark, fg=colour) if mark else ""
    click.echo(coloured + visible_lines(text), color=allowed())


def print_line(text: str) -> None:
    """Lines of a trace, a table or a backtrace, on stderr."""
    click.echo(visible_lines(text), err=True, color=allowed())

"""Writing to the person: everything of ours goes to stderr, coloured only on a terminal and without NO_COLOR.

Here is the one edge to the terminal: what is written is visible, whoever said it, and colours are added
after that. So no other file of the command line writes by itself (tests/cli/test_terminal.py).
The guest's stdout is the guest's. Only commands whose product is text (inspect, print ...) write to stdout.
"""

from __future__ import annotations

import os
import sys

import click

from ..printable import printable, printable_lines, visible, visible_lines

COLOURS = {"error": "red", "warning": "yellow", "help": "cyan", "note": "blue"}


def allowed() -> bool | None:
    """What `click.echo` shall do about colour: False under NO_COLOR (https://no-color.org), else it looks."""
    return False if os.environ.get("NO_COLOR") else None


def write(text: str, *, err: bool = False) -> None:
    """Write a line. What the terminal's encoding lacks is escaped."""
    stream = sys.stderr if err else sys.stdout
    encoding = getattr(stream, "encoding", None) or "utf-8"
    shown = text.encode(encoding, "backslashreplace").decode(encoding)
    click.echo(shown, err=err, color=allowed())


def say(kind: str, text: str, *, in_lines: bool = False) -> None:
    """Write "kind: text" to stderr, in one line. A text `in_lines`, in which names are printable already, has
    its further lines indented below the first."""
    label = click.style(f"{kind}:", fg=COLOURS[kind], bold=True)
    shown = printable_lines(text) if in_lines else printable(text)
    write(f"{label} {shown}", err=True)


def note(text: str) -> None:
    """A remark for the person, as hosts give it to `report`."""
    say("note", text)


def print_text(text: str, mark: str = "", colour: str = "") -> None:
    """A line of a command's product, on stdout; `mark` stands before it in a colour."""
    coloured = click.style(mark, fg=colour) if mark else ""
    write(coloured + visible(text))


def print_lines(text: str) -> None:
    """A product of many lines, whose strings have no line feeds: a module as text, JSON, our own help."""
    write(visible_lines(text))


def print_line(text: str) -> None:
    """A line of a trace, a table or a backtrace, on stderr."""
    write(visible(text), err=True)

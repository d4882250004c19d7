"""Writes to the user: messages go to stderr, coloured only on a terminal and without NO_COLOR.

This is the only place that writes to the terminal: it makes every character of a text visible, wherever the
text comes from, and adds colours afterwards. So no other file of the command line writes by itself
(tests/cli/test_terminal.py). Only commands whose product is text (inspect, print ...) write to stdout, which
otherwise belongs to the guest.
"""

from __future__ import annotations

import os
import sys

import click

from ..printable import printable, printable_lines, visible, visible_lines

COLOURS = {"error": "red", "warning": "yellow", "help": "cyan", "note": "blue"}


def allowed() -> bool | None:
    """The colour setting for `click.echo`: False under NO_COLOR (https://no-color.org), else None: click
    decides."""
    return False if os.environ.get("NO_COLOR") else None


def write(text: str, *, err: bool = False) -> None:
    """Write a line. Characters that the terminal's encoding lacks are escaped."""
    stream = sys.stderr if err else sys.stdout
    encoding = getattr(stream, "encoding", None) or "utf-8"
    shown = text.encode(encoding, "backslashreplace").decode(encoding)
    click.echo(shown, err=err, color=allowed())


def say(kind: str, text: str, *, in_lines: bool = False) -> None:
    """Write "kind: text" to stderr, in one line. With `in_lines`, the text may have several lines with names
    that are escaped already; its further lines are indented below the first."""
    label = click.style(f"{kind}:", fg=COLOURS[kind], bold=True)
    shown = printable_lines(text) if in_lines else printable(text)
    write(f"{label} {shown}", err=True)


def note(text: str) -> None:
    """Write a remark for the user; hosts get it as `report`."""
    say("note", text)


def show_status(text: str) -> None:
    """Show a text on the terminal in place of the last status, without ending the line."""
    click.echo(f"\r\x1b[K{visible(text)}", nl=False, err=True)


def print_text(text: str, mark: str = "", colour: str = "") -> None:
    """Write a line of a command's product to stdout; `mark` stands before it in a colour."""
    coloured = click.style(mark, fg=colour) if mark else ""
    write(coloured + visible(text))


def print_lines(text: str) -> None:
    """Write a product of many lines, whose strings have no line feeds: a module as text, JSON, our own
    help."""
    write(visible_lines(text))


def print_line(text: str) -> None:
    """Write a line of a trace, a table or a backtrace to stderr."""
    write(visible(text), err=True)

"""Writes to the user: messages go to stderr, coloured only on a terminal and without NO_COLOR.

This is the only place that writes to the terminal: it makes every character of a text visible, wherever the
text comes from, and adds colours afterwards. So no other file of the command line writes by itself
(tests/cli/test_terminal.py). Only commands whose product is text (inspect, print ...) write to stdout, which
otherwise belongs to the guest (`Pipe`).
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable
from typing import Any

from ..errors import GuestExit
from ..printable import printable, printable_lines, visible, visible_lines
from .failure import Exit

COLOURS = {"error": "red", "warning": "yellow", "help": "cyan", "note": "blue"}
COLOUR = "\x1b"
"""The first character of a colour."""
MOST_REFUSED = 10
"""A guest's writes to a pipe without a reader that fail with EPIPE; the next one ends the guest."""


def allowed() -> bool | None:
    """The colour setting for `click.echo`: False under NO_COLOR (https://no-color.org), else None: click
    decides."""
    return False if os.environ.get("NO_COLOR") else None


def write(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Write a line, or its beginning without `nl`. Characters that the terminal's encoding lacks are
    escaped."""
    stream = sys.stderr if err else sys.stdout
    encoding = getattr(stream, "encoding", None) or "utf-8"
    shown = text.encode(encoding, "backslashreplace").decode(encoding)
    if COLOUR not in shown and stream is not None and os.name != "nt":
        # Without click, whose import takes longer than all that a trace of a small program needs.
        stream.write(f"{shown}\n" if nl else shown)
        stream.flush()
        return
    from click import echo

    echo(shown, nl=nl, err=err, color=allowed())


def say(kind: str, text: str, *, in_lines: bool = False) -> None:
    """Write "kind: text" to stderr, in one line. With `in_lines`, the text may have several lines with names
    that are escaped already; its further lines are indented below the first."""
    label = f"{kind}:"
    if sys.stderr is not None and sys.stderr.isatty():  # elsewhere `write` would take the colour away
        from click import style

        label = style(label, fg=COLOURS[kind], bold=True)
    shown = printable_lines(text) if in_lines else printable(text)
    write(f"{label} {shown}", err=True)


def note(text: str) -> None:
    """Write a remark for the user; hosts get it as `report`."""
    say("note", text)


class Notes:
    """Prints notes about what a guest does."""

    def __init__(self) -> None:
        self.told = False
        """Whether there was one."""
        self.before: Callable[[], object] = bool
        """Called before a note: a trace writes what it holds back, which happened earlier."""

    def note(self, text: str) -> None:
        from .limit_options import with_options  # few guests get a note

        self.told = True
        self.before()
        note(with_options(text))


def show_status(text: str) -> None:
    """Show a text on the terminal in place of the last status, without ending the line."""
    from click import echo

    echo(f"\r\x1b[K{visible(text)}", nl=False, err=True)


def print_text(text: str, mark: str = "", colour: str = "") -> None:
    """Write a line of a command's product to stdout; `mark` stands before it in a colour."""
    from click import style

    coloured = style(mark, fg=colour) if mark else ""
    write(coloured + visible(text))


def print_lines(text: str) -> None:
    """Write a product of many lines, whose strings have no line feeds: a module as text, JSON, our own
    help."""
    write(visible_lines(text), nl=False)
    write("")  # without a buffer (python -u) only a second write fails if nobody read the end of the first


def print_line(text: str) -> None:
    """Write a line of a trace, a table or a backtrace to stderr."""
    write(visible(text), err=True)


class Pipe:
    """Standard output or error as a guest's sink, if it is a pipe; `name` is that of the stream in `sys`.

    A write that nobody reads fails with EPIPE, which the guest may handle. One that writes on nevertheless
    ends, as programs do by SIGPIPE: many ignore the error, and would run on, maybe for ever.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._refused = 0

    @property
    def _stream(self) -> Any:
        return getattr(sys, self._name)

    def fileno(self) -> int:
        number: int = self._stream.fileno()
        return number

    def write(self, data: bytes) -> None:
        try:
            self._stream.flush()
            self._stream.buffer.write(data)
            self._stream.buffer.flush()
        except BrokenPipeError:
            drop_pending(self._stream)
            self._refused += 1
            if self._refused > MOST_REFUSED:
                raise GuestExit(Exit.BROKEN_PIPE) from None
            raise


def pipe(name: str) -> Pipe | None:
    """The sink for a stream of `sys` that is a pipe; None, which means the stream itself, for any other."""
    try:
        mode = os.fstat(getattr(sys, name).fileno()).st_mode
    except (OSError, ValueError, AttributeError):  # none, closed, or replaced
        return None
    is_pipe = (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)) and hasattr(getattr(sys, name), "buffer")
    return Pipe(name) if is_pipe else None


def drop_pending(stream: Any) -> None:
    """Drop what Python's buffers hold for a pipe without a reader, so that it isn't tried again."""
    number = stream.fileno()
    kept, nowhere = os.dup(number), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, number)
        stream.flush()
    finally:
        os.dup2(kept, number)
        os.close(kept)
        os.close(nowhere)

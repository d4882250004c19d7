"""`--trace` and what belongs to it: from options to a `Trace` that writes.

What is not here: what levels and filters mean (`watch`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from ..watch.records import FORMATS
from ..watch.text import Lines
from ..watch.trace import BUDGET, Trace
from . import options
from .terminal import allowed


@contextmanager
def output(path: str | None) -> Iterator[Callable[[str], None]]:
    """Writes lines to a file, or to stderr. Raises OSError if the file can't be made."""
    if path is None:
        yield lambda line: click.echo(line, err=True, color=allowed())
        return
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        yield lambda line: print(line, file=file)


@contextmanager
def tracer(given: dict[str, Any], module: str) -> Iterator[Trace]:
    """A trace as the options say, which has written everything when the block ends."""
    asked = options.tracing(given["trace"])
    with output(given["trace_file"]) as write:
        chosen = FORMATS.get(given["trace_format"])
        writer = chosen(write, module) if chosen else Lines(write)
        try:
            trace = Trace(
                asked.levels,
                writer,
                only=given["trace_only"],
                budget=given["trace_budget"] or BUDGET,
                ring=asked.ring,
            )
        except ValueError as error:
            raise click.UsageError(f"--trace-only: {error}") from None
        try:
            yield trace
        finally:
            trace.flush()
            writer.flush()

"""`--trace`, `--monitor` and what belongs to them: from options to observers that write.

What is not here: what levels, filters and monitors mean (`watch`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..interpreter.observe import Observer
from ..nn.formats import Formats
from ..printable import visible
from ..watch.surroundings import Surroundings
from ..watch.text import Lines
from ..watch.together import together
from ..watch.trace import BUDGET, Trace
from . import options
from .overheard import lines_of_their_own
from .terminal import print_line

if TYPE_CHECKING:
    from ..api import Module
    from ..watch.monitor import Monitor


PAGE_LEVELS = "host,nn,instr"
"""What a page shows unless it is told otherwise."""
PICTURE_BYTES = 4 << 20
"""Larger tensors are no pictures on a page."""


def line_of_its_own(break_needed: Callable[[], bool], line: str) -> None:
    if break_needed():
        print_line("")
    print_line(line)


@contextmanager
def output(path: str | None) -> Iterator[Callable[[str], None]]:
    """Writes lines to a file, or to stderr. Raises OSError if the file can't be made."""
    if path is None:
        with lines_of_their_own() as break_needed:
            yield partial(line_of_its_own, break_needed)
        return
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        yield lambda line: print(visible(line), file=file)


@contextmanager
def observers(
    given: dict[str, Any], module: Module, guest: Sequence[str], formats: Formats
) -> Iterator[Observer | None]:
    """Everybody who watches, as the options say: a trace, and monitors. `formats` are those of models."""
    with ExitStack() as watching:
        found: list[Observer] = []
        if given["trace"] is not None or given["trace_html"]:
            found.append(watching.enter_context(tracer(given, module, guest, formats)))
        if given["monitor"]:
            found += watching.enter_context(tables(given))
        yield together(found)


@contextmanager
def tables(given: dict[str, Any]) -> Iterator[list[Monitor]]:
    """Monitors, which show their tables when the block ends."""
    from ..watch.monitor import FORMATS
    from ..watch.monitors import monitor

    try:
        found = {name: monitor(name) for name in given["monitor"]}
    except ValueError as error:
        raise click.UsageError(f"--monitor: {error}") from None
    with output(given["monitor_file"]) as write:
        try:
            yield list(found.values())
        finally:
            for name, one in found.items():
                for line in FORMATS[given["monitor_format"]](name, one).split("\n"):
                    write(line)


def tracer(
    given: dict[str, Any], module: Module, guest: Sequence[str], formats: Formats
) -> AbstractContextManager[Trace]:
    """A trace as the options say, which has written everything when the block ends. `guest` are the guest's
    arguments.
    """
    directories = [options.directory(text, given["compat"]) for text in given["dir"]]
    hosts = {place.guest: Path(str(place.host)) for place in directories}
    around = Surroundings(hosts, tuple(guest), formats)
    return (to_page if given["trace_html"] else to_lines)(given, module, around)


@contextmanager
def to_lines(given: dict[str, Any], module: Module, around: Surroundings) -> Iterator[Trace]:
    with output(given["trace_file"]) as write:
        writer = writer_of(given["trace_format"], write, module.name)
        trace = made(given, given["trace"], sink=writer, surroundings=around)
        try:
            yield trace
        finally:
            trace.flush()
            writer.flush()


def writer_of(format_: str, write: Callable[[str], None], name: str) -> Any:
    """What writes events in a format; `name` is the module's."""
    if format_ == "text":
        return Lines(write)
    from ..watch.records import FORMATS

    return FORMATS[format_](write, name)


@contextmanager
def to_page(given: dict[str, Any], module: Module, around: Surroundings) -> Iterator[Trace]:
    from ..watch.page import page

    if given["trace_file"] or given["trace_format"] != "text":
        raise click.UsageError("--trace-html names its file and is its format; leave the others out")
    trace = made(given, given["trace"] or PAGE_LEVELS, keep_bytes=PICTURE_BYTES, surroundings=around)
    with open(given["trace_html"], "w", encoding="utf-8", newline="\n") as file:
        try:
            yield trace
        finally:
            trace.flush()
            file.write(page(module, trace))


def made(given: dict[str, Any], levels: str, **settings: Any) -> Trace:
    """A trace of the levels, chosen from and limited as the options say."""
    asked = options.tracing(levels)
    budget = given["trace_budget"] or BUDGET
    try:
        return Trace(asked.levels, only=given["trace_only"], budget=budget, ring=asked.ring, **settings)
    except ValueError as error:
        raise click.UsageError(f"--trace-only: {error}") from None

"""`--trace`, `--monitor` and related options: makes observers that write.

What is not here: levels, filters and monitors themselves (`watch`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..api import Module
from ..brief import counted
from ..interpreter.runtime.observe import Observer
from ..nn.formats import Formats
from ..printable import visible
from ..watch.filters import Filter
from ..watch.folding import Folding
from ..watch.hints_only import HintsOnly
from ..watch.labels import Labels
from ..watch.surroundings import Surroundings
from ..watch.text import Lines
from ..watch.together import together
from ..watch.trace import BUDGET, Trace
from . import options
from .asked import Asked
from .overheard import lines_of_their_own
from .terminal import Notes, print_line

if TYPE_CHECKING:
    from ..components import Component
    from ..watch.monitor import Monitor


FOLDED = frozenset({"nn", "whatif"})
"""The levels of which computes that repeat are counted: somebody looks for hints."""
PAGE_LEVELS = "host,nn,instr"
"""The default levels of a page."""
PICTURE_BYTES = 4 << 20
"""Larger tensors are not shown as pictures on a page."""


def line_of_its_own(break_needed: Callable[[], bool], line: str) -> None:
    if break_needed():
        print_line("")
    print_line(line)


@contextmanager
def output(path: str | None) -> Iterator[Callable[[str], None]]:
    """Writes lines to a file, or to stderr. Raises OSError if the file can't be opened."""
    if path is None:
        with lines_of_their_own() as break_needed:
            yield partial(line_of_its_own, break_needed)
        return
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        yield lambda line: print(visible(line), file=file)


@contextmanager
def observers(
    asked: Asked, module: Module | Component, guest: Sequence[str], formats: Formats, notes: Notes
) -> Iterator[Observer | None]:
    """All observers that the options ask for: a trace, and monitors. `formats` are the model formats, `notes`
    prints among what a trace writes."""
    with ExitStack() as watching:
        found: list[Observer] = []
        if asked.is_traced:
            found.append(watching.enter_context(tracer(asked, module, guest, formats, notes)))
        if asked.monitor:
            found += watching.enter_context(tables(asked))
        if asked.trace_fail or asked.expect_output or asked.expect:
            from .verdict import judged

            found += watching.enter_context(judged(asked, surroundings(asked, guest, formats)))
        yield together(found)


@contextmanager
def tables(asked: Asked) -> Iterator[list[Monitor]]:
    """Monitors; they write their tables when the block ends."""
    from ..watch.monitor import FORMATS
    from ..watch.monitors import monitor

    try:
        found = {name: monitor(name) for name in asked.monitor}
    except ValueError as error:
        raise options.misused(f"--monitor: {error}") from None
    with output(asked.monitor_file) as write:
        try:
            yield list(found.values())
        finally:
            for name, one in found.items():
                for line in FORMATS[asked.monitor_format](name, one).split("\n"):
                    write(line)


def tracer(
    asked: Asked, module: Module | Component, guest: Sequence[str], formats: Formats, notes: Notes
) -> AbstractContextManager[Trace]:
    """The trace that the options ask for; it has written everything when the block ends. `guest` are the
    guest's arguments.
    """
    around = surroundings(asked, guest, formats)
    if asked.trace_html and isinstance(module, Module):
        return to_page(asked, asked.trace_html, module, around)
    return to_lines(asked, module, around, notes)


def surroundings(asked: Asked, guest: Sequence[str], formats: Formats) -> Surroundings:
    """The parts of the host that hints can use: directories, the guest's arguments, formats."""
    hosts = {place.guest: Path(str(place.host)) for place in asked.directories}
    return Surroundings(hosts, tuple(guest), formats)


@contextmanager
def to_lines(asked: Asked, module: Module | Component, around: Surroundings, notes: Notes) -> Iterator[Trace]:
    with output(asked.trace_file) as write:
        writer = writer_of(asked.trace_format, write, module.name)
        tracing = options.tracing(asked.trace or "")
        found = HintsOnly(writer) if tracing.hints_only else None
        if tracing.levels == FOLDED and asked.trace_format == "text" and not asked.trace_file:
            writer = Folding(writer)
        if asked.trace_format == "text" and not asked.trace_file:
            notes.before = writer.catch_up
        trace = made(asked, tracing, module, sink=found or writer, surroundings=around)
        try:
            yield trace
        finally:
            trace.flush()
            writer.flush()
            if found and not found.hints and asked.trace_format == "text":
                write(f"no hint after {counted(found.operations, 'operation')} of wasi-nn")


def writer_of(format_: str, write: Callable[[str], None], name: str) -> Any:
    """A writer of events in a format; `name` is the module's name."""
    if format_ == "text":
        return Lines(write)
    from ..watch.records import FORMATS

    return FORMATS[format_](write, name)


@contextmanager
def to_page(asked: Asked, path: str, module: Module, around: Surroundings) -> Iterator[Trace]:
    from ..watch.page import page

    if asked.trace_file or asked.trace_format != "text":
        raise options.misused("--trace-html can't be combined with --trace-file or --trace-format")
    tracing = options.tracing(asked.trace or PAGE_LEVELS)
    trace = made(asked, tracing, module, keep_bytes=PICTURE_BYTES, surroundings=around)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        try:
            yield trace
        finally:
            trace.flush()
            file.write(page(module, trace))


def made(asked: Asked, tracing: options.Tracing, module: Module | Component, **settings: Any) -> Trace:
    """A trace of the given levels, with the filter and limits of the options."""
    budget = asked.trace_budget or BUDGET
    try:
        only = Filter.of(asked.trace_only)
    except ValueError as error:
        raise options.misused(f"--trace-only: {error}") from None
    if only.chooses_functions:
        check_chosen(only, [module] if isinstance(module, Module) else module.core_modules, module.name)
    return Trace(tracing.levels, only=only, budget=budget, ring=tracing.ring, **settings)


def check_chosen(only: Filter, modules: Iterable[Module], name: str) -> None:
    """Raise UsageError for a name or an index that matches no function of the modules."""
    names: list[str] = []
    for module in modules:
        labels = Labels(module)
        names += [labels.function(funcidx) for funcidx in range(len(module.func_types))]
    if missing := next(only.idle(names), None):
        from difflib import get_close_matches  # needed for this mistake only

        near = get_close_matches(missing, [name.removeprefix("$") for name in names], 1)
        meant = f"; did you mean {near[0]}?" if near else ""
        raise options.misused(f"--trace-only {missing}: {name} has no such function{meant}")

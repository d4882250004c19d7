"""`Monitor`: counts or collects while a guest runs, and gives a table of the result.

    class Stores(Monitor):
        columns = ("function", "bytes")

        def __init__(self):
            self.bytes = Counter()

        def instruction(self, event):
            if event.write:
                self.bytes[self.function(event.funcidx)] += event.write.count

        def rows(self):
            return self.bytes.most_common()

What is here: the class, and tables as text, CSV or JSON. What is not: the built-in monitors (`monitors.py`).
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from io import StringIO
from operator import itemgetter
from typing import Any

from ..interpreter.module import Module
from ..interpreter.runtime.observe import Observer, Watched
from ..namespaces import THREAD_SPAWN
from ..printable import csv_cell, printable
from .labels import Labels, within

MOST_ROWS = 40
"""Longer tables are cut in text; CSV and JSON have all rows."""
LEVELS: Mapping[str, str] = {
    "host_call": "host",
    "nn_event": "nn",
    "enter": "calls",
    "leave": "calls",
    "block": "blocks",
    "instruction": "instr",
}
"""The level that each method of an observer needs."""
OUTSIDE = frozenset({"host", "nn"})
"""Levels for calls from a guest to its host."""


class Monitor(Observer):
    """Override the methods of `Observer` for the events that you want, and `rows`. Methods that you don't
    override cost nothing: `wants` follows from the methods.
    """

    columns: Sequence[str] = ()
    """The names of the columns of `rows`."""
    module: Module
    inner: Sequence[Monitor] = ()
    """Copies that observe the core modules of a component. This monitor observes the host calls."""
    threads: list[tuple[int, Monitor]] | tuple[()] = ()
    """Numbers of the guest's further threads, and the copies that observe them."""
    _unused: Monitor | None = None
    """A copy from before the first event."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        overridden = {name for name in LEVELS if getattr(cls, name) is not getattr(Observer, name)}
        cls.wants = frozenset(LEVELS[name] for name in overridden)

    def inside(self, module: Module) -> Observer:
        if self._unused is None:
            self._unused = deepcopy(self)
            self._watch(module)
        if not self.wants - OUTSIDE:
            return Observer()
        made = deepcopy(self._unused)
        self.inner = [*self.inner, made]
        return made

    def on_thread(self, number: int, module: Module) -> Observer:
        assert self._unused is not None and isinstance(self.threads, list)  # `attach` has made them
        made = deepcopy(self._unused)
        made.wants = self.wants - {"nn"}  # all threads have one session, whose operations this one is told
        self.threads.append((number, made))
        return made

    def attach(self, instance: Watched) -> None:
        """An instance is being made; `module` is set to its module. Override `begin` rather than this."""
        if any((import_.module, import_.name) == THREAD_SPAWN for import_ in instance.module.imports):
            self._unused, self.threads = deepcopy(self), []
        self._watch(instance.module)

    def _watch(self, module: Module) -> None:
        self.module = module
        self._labels = Labels(module)
        self.begin()

    def begin(self) -> None:
        """Called before the guest runs, when `module` and `function` can be used."""

    def function(self, funcidx: int) -> str:
        """ "$square", or "func[3]" for a function without a name."""
        return self._labels.function(funcidx)

    def rows(self) -> Iterable[Sequence[Any]]:
        """The table: numbers and text, as many in each row as there are columns."""
        return ()


# Tables


def table_of(monitor: Monitor) -> tuple[Sequence[str], list[Sequence[Any]]]:
    """Columns and rows; for a component with the names of core modules, with the numbers of threads where a
    guest has started some."""
    rows: list[Sequence[Any]]
    if monitor.threads:
        observing = [(0, monitor), *sorted(monitor.threads, key=itemgetter(0))]
        rows = [(number, *row) for number, each in observing for row in each.rows()]
        return ("thread", *monitor.columns), rows
    if not monitor.inner:
        return monitor.columns, list(monitor.rows())
    rows = [("", *row) for row in monitor.rows()] if monitor.wants & OUTSIDE else []
    for inner in monitor.inner:
        rows += [(within(inner.module), *row) for row in inner.rows()]
    return ("core module", *monitor.columns), rows


def as_text(name: str, monitor: Monitor) -> str:
    """Columns under their names, numbers aligned to the right, at most MOST_ROWS rows."""
    columns, found = table_of(monitor)
    rows = [[cell(value) for value in row] for row in found[:MOST_ROWS]]
    table = [list(columns), *rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(columns))]
    numeric = [all(is_number(row[i]) for row in rows) for i in range(len(columns))]
    lines = [
        "  ".join(
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(row, widths, numeric, strict=True)
        ).rstrip()
        for row in table
    ]
    rest = [f"... {len(found) - len(rows)} more"] if len(found) > len(rows) else []
    return "\n".join([f"{name}:", *(f"  {line}" for line in [*lines, *rest])])


def cell(value: Any) -> str:
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else printable(str(value))


def is_number(text: str) -> bool:
    return text == "" or text.replace(".", "", 1).removeprefix("-").removesuffix("%").strip().isdigit()


def as_csv(name: str, monitor: Monitor) -> str:
    """A header row and the table; each row begins with the monitor's name."""
    written = StringIO()
    writer = csv.writer(written, lineterminator="\n")
    columns, rows = table_of(monitor)
    writer.writerow(["monitor", *columns])
    writer.writerows([csv_cell(value) for value in (name, *row)] for row in rows)
    return written.getvalue().rstrip("\n")


def as_json(name: str, monitor: Monitor) -> str:
    """One line: the monitor's name, and its rows as objects."""
    columns, found = table_of(monitor)
    rows = [dict(zip(columns, row, strict=True)) for row in found]
    return json.dumps({"monitor": name, "rows": rows}, default=str)


FORMATS: Mapping[str, Callable[[str, Monitor], str]] = {"text": as_text, "csv": as_csv, "json": as_json}
"""Functions that write a table, by format name."""

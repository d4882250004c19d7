"""Events as JSON lines and as CSV, as docs/trace.md describes.

What is not here: the events themselves (`events.py`).
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable
from typing import Any

from ..printable import csv_cell
from ..records import Frozen
from . import events
from .annotations import Github, JUnit

UNWRITTEN = frozenset({"data"})
"""Fields that only Python sees: the bytes of tensors."""
COMMON = ("number", "at", "kind")
"""The first columns of each CSV row; the last column has the remaining fields as JSON."""
COLUMNS = (*COMMON, "depth", "function", "offset", "name", "seconds", "error", "rest")


def plain(value: Any) -> Any:
    """The JSON value of `value`: numbers that JSON lacks become "nan", "inf" and "-inf", bytes
    hexadecimal."""
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, Frozen):
        names = [name for name in value.__match_args__ if name not in UNWRITTEN]
        return {name.rstrip("_"): plain(getattr(value, name)) for name in names}
    return value


def record(event: events.Event) -> dict[str, Any]:
    """An event as a JSON object: `kind`, then its fields under their Python names without a trailing `_`. The
    first thread isn't named."""
    told = {"kind": event.kind, **plain(event)}
    if not event.thread:
        del told["thread"]
    if event.kind == events.HostCall.kind:
        told["arguments"] = dict(told["arguments"])
    return told


class JsonLines:
    """Writes a line that names the schema, then one object a line."""

    def __init__(self, write: Callable[[str], None], module: str = "") -> None:
        self._write = write
        write(json.dumps({"kind": "trace", "schema": events.SCHEMA, "module": module}))

    def __call__(self, event: events.Event) -> None:
        self._write(json.dumps(record(event)))

    def flush(self) -> None:
        """Nothing is buffered."""


class Csv:
    """Writes a header row, then one row for each event: common fields in columns of their own, the others as
    JSON in the last column."""

    def __init__(self, write: Callable[[str], None], module: str = "") -> None:
        self._write = write
        self._row(COLUMNS)

    def __call__(self, event: events.Event) -> None:
        told = record(event)
        told["name"] = told.pop("name", None) or told.pop("operation", None) or told.pop("text", None)
        first = [told.pop(column, None) for column in COLUMNS[:-1]]
        self._row([*("" if cell is None else cell for cell in first), json.dumps(told)])

    def flush(self) -> None:
        """Nothing is buffered."""

    def _row(self, cells: Any) -> None:
        written = _Text()
        csv.writer(written, lineterminator="").writerow(map(csv_cell, cells))
        self._write(written.text)


class _Text:
    """A minimal file for `csv.writer`."""

    text = ""

    def write(self, text: str) -> None:
        self.text += text


FORMATS: dict[str, Callable[..., Any]] = {"json": JsonLines, "csv": Csv, "github": Github, "junit": JUnit}
"""Writers of events by format name, besides text."""

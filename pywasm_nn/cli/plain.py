"""Command lines of `run` that are read without click, whose import takes longer than a small program.

What is here: the few options that most lines have, and how their values are collected. Where click would say
something, or another option is there, click reads the line. What is not: what values mean (`options.py`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..records import Frozen
from .split import Split, Takes, split
from .words import COMMANDS, COMPLETING, means_run

BEFORE = dict.fromkeys(("-q", "--quiet"), Takes.NOTHING)
"""Our options that count only before the module: many guests have them too."""
SINGLE = ("--cache-dir", "--engine", "--models")
REPEATED = ("--dir", "--env")
FLAGS = ("--deterministic", "--trust-models")
TRACE = "--trace"
TRACED = "host,nn"
"""The levels of --trace without a value."""
TAKES = {
    **dict.fromkeys(SINGLE + REPEATED, Takes.VALUE),
    **dict.fromkeys(FLAGS, Takes.NOTHING),
    TRACE: Takes.MAYBE,
}
"""The options that are read here, besides those of `BEFORE`."""
ENGINES = ("compile", "interpret", "wasmtime")
"""The values of --engine."""


class Plain(Frozen):
    """How a command line is shared with the guest, and values of our options by their names in `Asked`."""

    shared: Split
    values: Mapping[str, Any]


def read(words: Sequence[str]) -> Plain | None:
    """What a command line says, or None if click must read it."""
    behind = words[1:] if words[:1] == ["run"] else words
    if not behind or os.name == "nt" or COMPLETING in os.environ:  # on Windows click expands patterns
        return None
    shared = split(behind, TAKES, BEFORE)
    if shared.module is None or shared.module == "-" or shared.module in COMMANDS or shared.explicit:
        return None
    if shared.guest and shared.guest[0].startswith("-"):  # it may be another option of ours
        return None
    values = collected(shared.ours)
    named = len(behind) < len(words) or means_run(words)
    return Plain(shared, values) if named and values is not None else None


def collected(ours: Sequence[str]) -> Mapping[str, Any] | None:
    """The values of options, or None if one is unknown here, lacks its value, or is given twice."""
    values: dict[str, Any] = {}
    for name, value in named(iter(ours)):
        key = "quiet" if name in BEFORE else name[2:].replace("-", "_")
        if name in REPEATED and value:
            values[key] = (*values.get(key, ()), value)
        elif name in SINGLE and value and key not in values:
            values[key] = value
        elif name == TRACE and value != "" and key not in values:
            values[key] = value or TRACED
        elif name in (*FLAGS, *BEFORE) and value is None:
            values[key] = True
        else:
            return None
    return values if values.get("engine") in (None, *ENGINES) else None


def named(words: Iterator[str]) -> Iterator[tuple[str, str | None]]:
    """Options and their values, which are in the next word or after `=`; None without one."""
    for word in words:
        name, equals, value = word.partition("=")
        if equals:
            yield name, value
        else:
            yield name, next(words, None) if TAKES.get(name) is Takes.VALUE else None

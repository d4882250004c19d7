"""Command lines of `run` and `profile` that are read without click, whose import takes longer than a small
program.

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
PROFILES = ("--collapsed", "--perfetto", "--speedscope")
TAKES_OF = {"run": TAKES, "profile": TAKES | dict.fromkeys(PROFILES, Takes.VALUE)}
"""By command, the options that are read here, besides those of `BEFORE`."""
ENGINES = ("compile", "interpret", "wasmtime")
"""The values of --engine."""


class Plain(Frozen):
    """Which command is meant, how a command line is shared with the guest, and values of our options by their
    names in `Asked`, or by those of `profile`."""

    command: str
    shared: Split
    values: Mapping[str, Any]


def read(words: Sequence[str]) -> Plain | None:
    """What a command line says, or None if click must read it."""
    command = next((name for name in TAKES_OF if words[:1] == [name]), "")
    behind = words[1:] if command else words
    if not behind or os.name == "nt" or COMPLETING in os.environ:  # on Windows click expands patterns
        return None
    takes = TAKES_OF[command or "run"]
    shared = split(behind, takes, BEFORE)
    if shared.module is None or shared.module == "-" or shared.module in COMMANDS or shared.explicit:
        return None
    if shared.guest and shared.guest[0].startswith("-"):  # it may be another option of ours
        return None
    values = collected(shared.ours, takes)
    if values is None or not (command or means_run(words)):
        return None
    program = {"module": shared.module, "arguments": shared.guest}
    return Plain(command or "run", shared, {**program, **values})


def collected(ours: Sequence[str], takes: Mapping[str, Takes]) -> Mapping[str, Any] | None:
    """The values of options, or None if one is unknown here, lacks its value, or is given twice."""
    values: dict[str, Any] = {}
    for name, value in named(iter(ours), takes):
        key, kind = "quiet" if name in BEFORE else name[2:].replace("-", "_"), takes.get(name)
        if name in REPEATED and value:
            values[key] = (*values.get(key, ()), value)
        elif kind is Takes.VALUE and value and key not in values:
            values[key] = value
        elif kind is Takes.MAYBE and value != "" and key not in values:
            values[key] = value or TRACED
        elif (kind is Takes.NOTHING or name in BEFORE) and value is None:
            values[key] = True
        else:
            return None
    return values if values.get("engine") in (None, *ENGINES) else None


def named(words: Iterator[str], takes: Mapping[str, Takes]) -> Iterator[tuple[str, str | None]]:
    """Options and their values, which are in the next word or after `=`; None without one."""
    for word in words:
        name, equals, value = word.partition("=")
        if equals:
            yield name, value
        else:
            yield name, next(words, None) if takes.get(name) is Takes.VALUE else None

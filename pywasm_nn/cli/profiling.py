"""Runs a program, and shows where its time goes.

What is here: what `profile` does, and its output files. What is not: its options as click knows them
(`profile.py`), and sampling stacks (`watch.profile`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from time import process_time
from typing import Any

from ..watch.profile import FORMATS, Sampler, summary
from .asked import Asked
from .running import Line, loaded_and_run
from .terminal import note, print_line

DEFAULT = "profile.speedscope.json"
ROWS = 15
STARTED = "Python and the command start"


def age() -> float:
    """Seconds since this process began. Linux says so to a hundredth of a second; elsewhere it is the
    processor's time, which is less where the process waited for the disk."""
    used = process_time()
    try:
        with open("/proc/self/stat") as file:
            ticks = int(file.read().rpartition(")")[2].split()[19])
        from time import CLOCK_BOOTTIME, clock_gettime  # not everywhere

        rate = os.sysconf("SC_CLK_TCK")
        return max(used, clock_gettime(CLOCK_BOOTTIME) - (ticks + 0.5) / rate)
    except (OSError, ImportError):
        return used


def profiled(line: Line, given: Mapping[str, Any]) -> int:
    """Run the program with the options of `run` and a file for each format that is wanted. Returns the exit
    code. Raises click.UsageError."""
    paths = {name: given.get(name) for name in FORMATS} | {"speedscope": given.get("speedscope") or DEFAULT}
    asked = Asked(**{name: value for name, value in given.items() if name not in FORMATS})
    if asked.engine == "wasmtime":
        from click import UsageError

        raise UsageError(
            "--engine wasmtime can't show where native code spends its time: write --engine compile"
        )
    is_alone = line.at_end is not None and line.at_end.alone
    sampler = Sampler(before={STARTED: age()} if is_alone else {})
    with ExitStack() as stack:
        files = {
            name: stack.enter_context(open(path, "w", encoding="utf-8"))
            for name, path in paths.items()
            if path
        }
        try:
            with sampler:
                return loaded_and_run(line, asked)
        finally:
            sampler.conclude()
            for name, file in files.items():
                file.write(FORMATS[name](sampler))
            for text in summary(sampler, ROWS):
                print_line(text)
            note(f"open {paths['speedscope']} at https://www.speedscope.app")

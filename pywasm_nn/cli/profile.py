"""`profile`: runs a program, and shows where its time goes.

What is here: the command, which has the options of `run`, and its output files. What is not: sampling stacks
(`watch.profile`).
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from time import process_time
from typing import Any

import click

from ..watch.profile import FORMATS, Sampler, summary
from .asked import Asked
from .run import RunCommand, line_of
from .run import command as run
from .running import loaded_and_run
from .terminal import note, print_line

DEFAULT = "profile.speedscope.json"
ROWS = 15
STARTED = "Python and the command start"
FILES = {
    "speedscope": "Where to write the profile for speedscope.app (default profile.speedscope.json).",
    "perfetto": "Also write one for ui.perfetto.dev and chrome://tracing.",
    "collapsed": "Also write collapsed stacks for flame graphs.",
}


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


@click.pass_context
def profile(ctx: click.Context, /, **given: Any) -> int:
    """Run a program and show where its time goes.

    Guest functions, host calls, models and compiling are sampled a hundred times a second and written to a
    file for speedscope, with the time in which the process started. A table goes to stderr.
    """
    paths = {name: given.pop(name) for name in FILES}
    paths["speedscope"] = paths["speedscope"] or DEFAULT
    asked = Asked(**given)
    if asked.engine == "wasmtime":
        raise click.UsageError(
            "--engine wasmtime can't show where native code spends its time: write --engine compile"
        )
    sampler = Sampler(before={STARTED: age()} if ctx.find_root().obj.alone else {})
    with ExitStack() as stack:
        files = {
            name: stack.enter_context(open(path, "w", encoding="utf-8"))
            for name, path in paths.items()
            if path
        }
        try:
            with sampler:
                return loaded_and_run(line_of(ctx), asked)
        finally:
            sampler.conclude()
            for name, file in files.items():
                file.write(FORMATS[name](sampler))
            for line in summary(sampler, ROWS):
                print_line(line)
            note(f"open {paths['speedscope']} at https://www.speedscope.app")


command = RunCommand(
    "profile",
    callback=profile,
    params=[
        *run.params,
        *[click.Option([f"--{name}"], metavar="FILE", help=text) for name, text in FILES.items()],
    ],
    help=profile.__doc__,
)

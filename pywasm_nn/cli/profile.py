"""`profile`: runs a program, and shows where its time goes.

What is here: the command, which has the options of `run`, and its output files. What is not: sampling stacks
(`watch.profile`).
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import click

from ..watch.profile import FORMATS, Sampler, summary
from .asked import Asked
from .run import RunCommand, loaded_and_run
from .run import command as run
from .terminal import note, print_line

DEFAULT = "profile.speedscope.json"
ROWS = 15
FILES = {
    "speedscope": "Where to write the profile for speedscope.app (default profile.speedscope.json).",
    "perfetto": "Also write one for ui.perfetto.dev and chrome://tracing.",
    "collapsed": "Also write collapsed stacks for flame graphs.",
}


@click.pass_context
def profile(ctx: click.Context, /, **given: Any) -> int:
    """Run a program and show where its time goes.

    Guest functions, host calls, models and compiling are sampled a hundred times a second and written to a
    file for speedscope. A table goes to stderr.
    """
    paths = {name: given.pop(name) for name in FILES}
    paths["speedscope"] = paths["speedscope"] or DEFAULT
    asked = Asked(**given)
    if asked.engine == "wasmtime":
        raise click.UsageError(
            "--engine wasmtime can't show where native code spends its time: write --engine compile"
        )
    sampler = Sampler()
    with ExitStack() as stack:
        files = {
            name: stack.enter_context(open(path, "w", encoding="utf-8"))
            for name, path in paths.items()
            if path
        }
        try:
            with sampler:
                return loaded_and_run(ctx, asked)
        finally:
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

"""`profile`: the options of `run`, and the names of its output files.

What is not here: what it does (`profiling.py`), where plain command lines (`plain.py`) go directly.
"""

from __future__ import annotations

from typing import Any

import click

from .profiling import profiled
from .run import RunCommand, line_of
from .run import command as run

FILES = {
    "speedscope": "Where to write the profile for speedscope.app (default profile.speedscope.json).",
    "perfetto": "Also write one for ui.perfetto.dev and chrome://tracing.",
    "collapsed": "Also write collapsed stacks for flame graphs.",
}


@click.pass_context
def profile(ctx: click.Context, /, **given: Any) -> int:
    """Run a program and show where its time goes.

    Guest functions, host calls, models and compiling are sampled a hundred times a second and written to a
    file for speedscope, with the time in which the process started. A table goes to stderr.
    """
    return profiled(line_of(ctx), given)


command = RunCommand(
    "profile",
    callback=profile,
    params=[
        *run.params,
        *[click.Option([f"--{name}"], metavar="FILE", help=text) for name, text in FILES.items()],
    ],
    help=profile.__doc__,
)

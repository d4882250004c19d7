"""`debug`: runs a program under a debugger prompt, on the engine that can stop between any two instructions.

What is here: the command, with the options of `run` that make sense for it. What is not: the prompt
(`prompt.py`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..records import changed
from .asked import Asked
from .failure import Exit
from .load import load
from .run import RunCommand, execute, nn_of
from .run import command as run
from .split import Split

LEFT_OUT = frozenset({
    "engine", "timeout", "no_cache", "cache_dir", "trace", "trace_only", "trace_budget", "trace_format",
    "trace_file", "trace_html", "trace_fail", "expect_output", "quiet",
})  # fmt: skip
"""Options of `run` that `debug` doesn't have: the prompt replaces traces, there is no compiled code, and a
time limit would count the time that the user thinks."""


@click.pass_context
def debug(ctx: click.Context, /, **given: Any) -> int:
    """Run a program step by step.

    At the prompt, `help` lists the commands; commands can also be piped in. The guest's input is --stdin FILE
    or empty, because the prompt uses the terminal.
    """
    from .commands import Commands

    stdin = given.pop("stdin")
    asked = Asked(**given)
    module = load(asked.module)
    shared: Split = ctx.obj
    nn = nn_of([import_.module for import_ in module.imports], asked)

    def begin(debugger: Any) -> int:
        read = changed(asked, stdin=Path(stdin).read_bytes() if stdin else b"")
        return execute(module, read, shared, nn, "interpret", debugger)

    Commands(module, begin).main()
    return Exit.OK


command = RunCommand(
    "debug",
    callback=debug,
    params=[
        *(param for param in run.params if param.name not in LEFT_OUT),
        click.Option(["--stdin"], metavar="FILE", help="The guest's standard input."),
    ],
    help=debug.__doc__,
    context_settings=run.context_settings,
)

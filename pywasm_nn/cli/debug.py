"""`debug`: runs a program under a debugger prompt, on the engine that can stop between any two instructions.

What is here: the command, with the options of `run` that make sense for it. What is not: the prompt
(`prompt.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..printable import printable
from ..records import changed
from .asked import Asked
from .failure import Exit, Failure
from .load import core_module_within, load, load_component
from .run import RunCommand
from .run import command as run
from .running import cache_of, execute, formats_of, limits_of, nn_of, wasi_of
from .split import Split
from .terminal import Notes

if TYPE_CHECKING:
    from ..api import Module
    from ..components import Component
    from ..nn import NN
    from ..watch.debug.debugger import Debugger

LEFT_OUT = frozenset({
    "engine", "timeout", "no_cache", "cache_dir", "trace", "trace_only", "trace_budget", "trace_format",
    "trace_file", "trace_html", "trace_fail", "expect_output", "expect", "quiet",
})  # fmt: skip
"""Options of `run` that `debug` doesn't have: the prompt replaces traces, there is no compiled code, and a
time limit would count the time that the user thinks."""


@click.pass_context
def debug(ctx: click.Context, /, **given: Any) -> int:
    """Run a program step by step.

    At the prompt, `help` lists the commands; commands can also be piped in. The guest's input is --stdin FILE
    or empty, because the prompt uses the terminal. `debug --dap [PORT]` alone serves an editor: see
    docs/debug.md.
    """
    from .commands import Commands

    path = Path(given["module"])
    prompt = Commands(*prepared(ctx, given))
    prompt.folders.append(path.parent)
    prompt.main()
    return Exit.OK


def prepared(ctx: click.Context, given: dict[str, Any]) -> tuple[Module, Callable[[Debugger], int]]:
    """The module to debug, and what runs it under a debugger."""
    stdin = given.pop("stdin")
    asked = Asked(**given)
    shared: Split = ctx.obj

    def read() -> Asked:
        return changed(asked, stdin=Path(stdin).read_bytes() if stdin else b"")

    within = core_module_within(asked.module)
    if within is not None:
        component, module = within
        nn = nn_of(component.imports, asked)
        return module, lambda debugger: run_within(component, module, read(), shared, nn, debugger)
    component_alone(asked.module)
    module = load(asked.module, cache_of(asked))
    nn = nn_of([import_.module for import_ in module.imports], asked)
    return module, lambda debugger: execute(module, read(), shared, nn, "interpret", debugger)


class DebugCommand(RunCommand):
    """`debug`, at a prompt or, with `--dap` before everything else, for an editor."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or args[0].partition("=")[0] != "--dap":
            return super().parse_args(ctx, args)
        from .dap import serve

        words = [args[0].partition("=")[2], *args[1:]]
        port = next((word for word in words if word), None)
        if sum(map(bool, words)) > 1 or not (port is None or (port.isdecimal() and int(port) < 1 << 16)):
            raise click.UsageError("write --dap or --dap PORT; the editor says which program")

        def prepare(words: Sequence[str]) -> tuple[Module, Callable[[Debugger], int]]:
            program = self.make_context("debug", list(words), ctx.parent)
            return prepared(program, program.params)

        serve(None if port is None else int(port), prepare)
        ctx.exit(Exit.OK)


def run_within(
    component: Component, module: Module, asked: Asked, shared: Split, nn: NN | None, debugger: Debugger
) -> int:
    """Run a component to its end, under a debugger that stops in one of its core modules."""
    from ..watch.debug.within import Within
    from .component import run

    asked = changed(asked, argv0=asked.argv0 or component.name)
    settings: dict[str, Any] = {"limits": limits_of(asked), "engine": "interpret"}
    settings["observer"] = Within(debugger, module)
    return run(asked, component, wasi_of(asked, shared), nn, shared.guest, formats_of(nn), Notes(), settings)


def component_alone(path: str) -> None:
    """Raises Failure for the path of a component without the name of one of its core modules."""
    component = load_component(path)
    if component is not None:
        modules = ", ".join(printable(module.name) for module in component.core_modules) or "none"
        raise Failure(
            f"{printable(component.name)} is a component: one of its core modules can be debugged",
            f"there are: {modules}",
            code=Exit.USAGE,
        )


command = DebugCommand(
    "debug",
    callback=debug,
    params=[
        *(param for param in run.params if param.name not in LEFT_OUT),
        click.Option(["--stdin"], metavar="FILE", help="The guest's standard input."),
        click.Option(
            ["--dap"],
            metavar="[PORT]",
            expose_value=False,
            help="Serve an editor by the Debug Adapter Protocol; without MODULE.",
        ),
    ],
    help=debug.__doc__,
    context_settings=run.context_settings,
)

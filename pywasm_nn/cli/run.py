"""`run`: the main job.

What is here: the command's options. What is not: separating the guest's arguments (`split.py`), the values of
options (`options.py`), and running the program (`running.py`), where plain command lines (`plain.py`) go
directly.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from ..records import changed
from . import running
from .asked import Asked
from .lazy import HELP
from .plain import BEFORE, ENGINES, TRACED
from .running import Line
from .split import Takes, is_option, recognise, split
from .usage import Count, with_features
from .words import COMMANDS

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def offer(what: str) -> Callable[..., list[CompletionItem]]:
    """A completion function for an option's values, by the name of a function in `complete.py`."""

    def offered(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from . import complete

        found: list[CompletionItem] = getattr(complete, what)(ctx, param, incomplete)
        return found

    return offered


class RunCommand(click.Command):
    """A command that shares its arguments with the guest."""

    def takes(self) -> dict[str, Takes]:
        """Names of our options and whether they take a value. `--help` after the module belongs to the
        guest."""
        kinds = {}
        for param in self.params:
            if isinstance(param, click.Option):
                maybe = Takes.NOTHING if param.is_flag else Takes.VALUE
                kind = maybe if param.name != "trace" else Takes.MAYBE
                kinds.update(dict.fromkeys(param.opts, kind))
        return {name: kind for name, kind in kinds.items() if name not in BEFORE}

    def get_help_option(self, ctx: click.Context) -> click.Option:
        return HELP

    def context(self) -> click.Context:
        """The command as messages name it, where click has not read the command line."""
        return click.Context(self, info_name=f"pywasm-nn {self.name}")

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        takes = self.takes()
        shared = split(args, takes, BEFORE)
        if any(is_option(word) and recognise(word, takes | BEFORE)[1] is None for word in shared.ours):
            from .foreign import TAKES, translated

            shared = split(args, takes, TAKES | BEFORE)
            shared = changed(shared, ours=tuple(translated(shared.ours, takes | BEFORE)))
        if shared.module in COMMANDS and not os.path.exists(shared.module):
            what = f"{shared.module} is a command, and its options stand behind it"
            raise click.UsageError(f"{what}: pywasm-nn {shared.module} ...", ctx.parent)
        ctx.obj = shared
        named = ["--", shared.module, *shared.guest] if shared.module is not None else []
        return super().parse_args(ctx, [*shared.ours, *named])


@click.command(cls=RunCommand, name="run")
@click.argument("module", shell_complete=offer("files"))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--dir",
    multiple=True,
    shell_complete=offer("directories"),
    metavar="HOST[::GUEST[:readonly]]",
    help="Give the guest a directory, under the same path or under GUEST.",
)
@click.option(
    "--env", multiple=True, metavar="NAME[=VALUE]", help="Set a variable of the guest, or pass the host's."
)
@click.option(
    "--tcplisten", multiple=True, metavar="HOST:PORT", help="Let the guest accept connections at an address."
)
@click.option("--deterministic", is_flag=True, help="Clocks and random numbers are the same in every run.")
@click.option("--argv0", metavar="NAME", help="The guest's own name in its arguments.")
@click.option(
    "--invoke",
    metavar="NAME",
    shell_complete=offer("functions"),
    help="Call this exported function; arguments are read by its type.",
)
@click.option("--preload", multiple=True, metavar="NAME=MODULE", help="Another module to import from.")
@click.option(
    "--host",
    multiple=True,
    metavar="FILE.py",
    shell_complete=offer("files"),
    help="A file with Python functions to import.",
)
@click.option(
    "--unknown-imports",
    type=click.Choice(["trap", "zero"]),
    help="Let missing functions trap when they are called, or return zeros.",
)
@click.option(
    "--models",
    metavar="DIR",
    shell_complete=offer("directories"),
    help="Every model in DIR can be loaded by its file's stem; if several share it, also by the whole name.",
)
@click.option(
    "--nn-graph",
    multiple=True,
    metavar="NAME=PLACE",
    help="A named model: a file, a directory or an address. FORMAT::DIR: named after its directory, as in "
    "wasmtime.",
)
@click.option(
    "--nn-preload",
    multiple=True,
    metavar="NAME:FORMAT:TARGET:PATH[:PATH]",
    help="A named model, as in WasmEdge.",
)
@click.option(
    "--nn-backend",
    multiple=True,
    metavar="FORMAT=BACKEND",
    shell_complete=offer("backends"),
    help="The backend that runs models of a format.",
)
@click.option("--nn-plugin", multiple=True, metavar="FILE.py:NAME", help="A backend in a Python file.")
@click.option(
    "--nn-config", multiple=True, metavar="NAME=JSON", help="How to load a named model: target, threads ..."
)
@click.option("--nn-strict", is_flag=True, help="Fail if a device is missing, instead of using another.")
@click.option(
    "--trust-models", is_flag=True, help="Load the guest's own models into this process, whatever they are."
)
@click.option(
    "-S",
    "--wasi",
    "settings",
    multiple=True,
    metavar="nn-graph=FORMAT::DIR",
    help="The same as --nn-graph, in wasmtime's form.",
)
@click.option(
    "--max-memory", metavar="SIZE", help="Maximum size of a linear memory, as 64MiB (default 1GiB)."
)
@click.option("--fuel", type=Count(min=0), help="Maximum number of instructions.")
@click.option("--timeout", metavar="TIME", help="Maximum time for the guest, as 2s or 500ms.")
@click.option("--max-host-calls", type=Count(min=0), help="Maximum number of calls of the host.")
@click.option("--max-heap", metavar="SIZE", help="Maximum size of structures and arrays (default 1GiB).")
@click.option("--max-output", metavar="SIZE", help="Maximum number of bytes of output.")
@click.option("--max-stack", type=Count(min=1), help="Maximum number of guest frames (default 50000).")
@with_features
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default=None,
    help="compile (default) is fast; interpret can show every instruction; wasmtime is native (extra "
    "[wasmtime]).",
)
@click.option(
    "--trace",
    is_flag=False,
    flag_value=TRACED,
    metavar="[=LEVELS]",
    help="Write what happens to stderr: host, nn (both without a value), whatif, calls, instr; with "
    "ring:N the last N events if the guest traps. hints: only what is probably wrong.",
)
@click.option(
    "--monitor",
    multiple=True,
    shell_complete=offer("monitors"),
    metavar="NAME",
    help="Count while the guest runs, and show a table: calls, host, blocks, branches, coverage, hotness, or "
    "your own as file.py:Name.",
)
@click.option(
    "--monitor-format",
    type=click.Choice(["text", "csv", "json"]),
    default="text",
    help="The format of tables.",
)
@click.option("--monitor-file", metavar="FILE", help="Write tables to a file instead of stderr.")
@click.option("--no-cache", is_flag=True, help="Compile again, and store nothing for later runs.")
@click.option("--cache-dir", metavar="DIR", help="The folder for compiled code (default: the user's cache).")
@click.option(
    "--trace-only",
    multiple=True,
    metavar="WHICH",
    help="Show only these functions (name, index or glob) or offsets (0x41-0x60).",
)
@click.option(
    "--trace-budget",
    type=Count(min=1),
    metavar="N",
    help="Maximum number of events (default 100000).",
)
@click.option(
    "--trace-format",
    type=click.Choice(["text", "json", "csv", "github", "junit"]),
    default="text",
    help="Lines for people, JSON lines, CSV, or only problems: GitHub annotations, or JUnit.",
)
@click.option("--trace-file", metavar="FILE", help="Write the trace to a file instead of stderr.")
@click.option(
    "--trace-html",
    metavar="FILE",
    help="Write an HTML page with a slider over the steps (default levels: host,nn,instr).",
)
@click.option("--record", metavar="FILE", help="Keep in a cassette what hosts and models answer.")
@click.option(
    "--replay",
    metavar="FILE",
    shell_complete=offer("files"),
    help="Answer from a cassette, without files and models; stop where the guest does something else.",
)
@click.option(
    "--trace-fail",
    type=click.Choice(["hint", "error"]),
    help="Exit with 1 if an inference fails (error), or also for hints (hint).",
)
@click.option(
    "--expect-output",
    multiple=True,
    metavar="INDEX=FILE.npy[:TOLERANCE]",
    help="Exit with 1 unless this output of the last compute equals the array in FILE.",
)
@click.option(
    "--expect",
    multiple=True,
    metavar="INPUT=FILE",
    help="Say how this input (name or index) comes from a picture, WAV or .npy; exit with 1 if it doesn't.",
)
@click.option("--compat", type=click.Choice(["wasmedge"]), help="Read --dir in the order of another tool.")
@click.option(
    "-q",
    "--quiet",
    is_flag=True,
    help="Show no progress line on a terminal. Only before MODULE.",
)
@click.option("-v", "--verbose", is_flag=True, help="Show how options were understood and what was used.")
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Run a WebAssembly program.

    Options count before MODULE and directly after it. They end at the first argument that is no option, at
    the first unknown option, or at --; everything after that is passed to the guest.
    """
    return running.run(line_of(ctx), Asked(**given))


def line_of(ctx: click.Context) -> Line:
    """The command line of a command that is a RunCommand."""
    assert isinstance(ctx.command, RunCommand)
    return Line(ctx.obj, ctx.command.takes, ctx.find_root().obj)

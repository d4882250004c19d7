"""The command `pywasm-nn` itself: names of commands, and its own options."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import click

from .failure import Exit
from .lazy import LazyGroup
from .terminal import print_text

COMMANDS = {
    "run": "Run a WebAssembly program.",
    "debug": "Run a program step by step, at a prompt.",
    "demo": "Classify a picture with the bundled guest and model.",
    "batch": "Run a program for each of many files.",
    "profile": "Run a program and show where its time goes.",
    "diff": "Compare two runs that were recorded.",
    "validate": "Check modules without running them.",
    "inspect": "Show what a module imports, exports and needs.",
    "print": "Print a module as text (.wat).",
    "compile": "Show the Python code of functions.",
    "bindgen": "Write a typed Python module for a component.",
    "assemble": "Assemble text into a module (.wasm).",
    "wast": "Run scripts of the official test suite.",
    "nn": "Show backends, inspect models, run them without a guest.",
    "new": "Start a guest: in C, AssemblyScript, Rust or text.",
    "include": "Print where the bindings for guests are.",
    "doctor": "Show what is installed and how to install missing packages.",
    "cache": "Show stored compiled code, or remove it.",
    "completion": "Let a shell complete commands, files and names.",
}
"""The first line of help of each command."""


GROUPS = {
    "Run": ("run", "batch", "debug", "profile", "diff", "demo"),
    "Look at modules": ("inspect", "validate", "print", "compile", "bindgen", "assemble", "wast"),
    "Models": ("nn",),
}
"""Commands in sections of the help; all others come last."""
EXAMPLES = (
    "pywasm-nn run app.wasm --dir models            # the guest sees models/",
    "pywasm-nn run --invoke add adder.wat 2 3       # one function, also from text",
)
OTHER_NAMES = {
    "wat2wasm": "assemble", "parse": "assemble", "wasm2wat": "print", "dump": "inspect", "objdump": "inspect",
    "info": "inspect", "check": "validate", "spec": "wast", "backends": "nn backends", "exec": "run",
    "serve": "run", "help": "--help", "version": "--version",
}  # fmt: skip
"""Names of commands in other tools, with the command here."""
MODULES = (".wasm", ".wat")
"""Suffixes of module files."""


class AtEnd(ExitStack):
    """What closes after the last message; commands find it as `ctx.find_root().obj`. `alone`: the command is
    all that this process does."""

    alone = False


class Root(LazyGroup):
    """The command itself: `pywasm-nn app.wasm` means `run`, as with other tools."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Examples"):
            for line in EXAMPLES:
                formatter.write(f"  {line}\n")

    def make_context(self, *given: Any, **settings: Any) -> click.Context:
        """Parse the command line, and show help. If nobody reads the help any more, click would return 1."""
        try:
            return super().make_context(*given, **settings)
        except BrokenPipeError:
            raise click.exceptions.Exit(quiet()) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; its output may have lost its reader."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            return quiet()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, ["run", *args] if means_run(args) else args)


def quiet() -> int:
    """Write nothing more, not even when Python flushes at the end. Returns the exit code."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return Exit.BROKEN_PIPE


def means_run(arguments: Sequence[str]) -> bool:
    """Whether a command line without a command names a module, first or after options of `run`."""
    first = arguments[0] if arguments else "--help"
    if first in COMMANDS or first in ("--help", "-h", "--version"):
        return False
    if first.startswith("-"):
        return any(word.endswith(MODULES) for word in arguments)
    return first.endswith(MODULES) or os.path.isfile(first)


def print_version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from .. import __version__

        print_text(f"pywasm-nn {__version__}")
        ctx.exit()


@click.group(
    cls=Root,
    first_lines=COMMANDS,
    groups=GROUPS,
    other_names=OTHER_NAMES,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=print_version,
              help="Show the version.")  # fmt: skip
def root() -> None:
    """Run WebAssembly in pure Python, with a built-in wasi-nn host."""

"""The command `pywasm-nn` itself: its help and its own options.

What is not here: the commands (`words.py`).
"""

from __future__ import annotations

from typing import Any

import click

from .ending import quiet
from .lazy import LazyGroup
from .terminal import print_text
from .words import COMMANDS, means_run

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

"""The command `pywasm-nn` itself: names of commands, and its own options."""

from __future__ import annotations

import click

from .lazy import LazyGroup
from .terminal import print_text

COMMANDS = {
    "run": "Run a WebAssembly program.",
    "debug": "Run a program step by step, at a prompt.",
    "demo": "Classify a picture with the bundled guest and model.",
    "validate": "Check modules without running them.",
    "inspect": "Show what a module imports, exports and needs.",
    "print": "Print a module as text (.wat).",
    "compile": "Show the Python that functions run as.",
    "assemble": "Make a module (.wasm) of text.",
    "wast": "Run scripts of the official test suite.",
    "nn": "Show backends, inspect models, run them without a guest.",
    "doctor": "Show what is installed and how to get what is missing.",
}
"""First line of help by name."""


def print_version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from importlib.metadata import version

        print_text(f"pywasm-nn {version('pywasm-nn')}")
        ctx.exit()


@click.group(cls=LazyGroup, first_lines=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=print_version,
              help="Show the version.")  # fmt: skip
def root() -> None:
    """Run WebAssembly in pure Python, with a built-in wasi-nn host."""

"""The command `pywasm-nn` itself: names of commands, each imported when it is used."""

from __future__ import annotations

from importlib import import_module

import click

COMMANDS = {
    "run": "Run a WebAssembly program.",
    "demo": "Classify a picture with the bundled guest and model.",
    "validate": "Check modules without running them.",
    "inspect": "Show what a module imports, exports and needs.",
    "print": "Print a module as text (.wat).",
    "assemble": "Make a module (.wasm) of text.",
    "wast": "Run scripts of the official test suite.",
    "nn": "Show backends, inspect models, run them without a guest.",
    "doctor": "Show what is installed and how to get what is missing.",
}
"""First line of help by name; the command is `command` in the module of this name (`print_` for print)."""


class LazyGroup(click.Group):
    """A group that knows its commands' names and imports a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"{__package__}.{'print_' if cmd_name == 'print' else cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def print_version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"pywasm-nn {version('pywasm-nn')}")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=print_version,
              help="Show the version.")  # fmt: skip
def root() -> None:
    """Run WebAssembly in pure Python, with a built-in wasi-nn host."""

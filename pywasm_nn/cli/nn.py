"""`nn`: models and backends without a guest.

What is here: the names of its commands. Each is in a file of its own: `nn_backends.py`, `nn_inspect.py`,
`nn_run.py`.
"""

from __future__ import annotations

from importlib import import_module

import click

COMMANDS = {
    "backends": "Show which backends there are, what they read and where they run.",
    "inspect": "Show a model's format, inputs and outputs.",
    "run": "Run a model on arrays or a picture.",
}


class NNGroup(click.Group):
    """A group that imports a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"{__package__}.nn_{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=NNGroup, name="nn", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Backends of inference, and models without a guest."""

"""Groups of commands that are imported when they are called, so that `run` doesn't pay for the others."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


class LazyGroup(click.Group):
    """A group that knows its commands by the first line of their help.

    Command NAME is `command` in the file `prefix`NAME.py beside this one.
    """

    def __init__(self, *, first_lines: Mapping[str, str], prefix: str = "", **settings: Any) -> None:
        super().__init__(**settings)
        self.first_lines = first_lines
        self.prefix = prefix

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.first_lines)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.first_lines:
            return None
        command: click.Command = import_module(f"{__package__}.{self.prefix}{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.first_lines.items()))

"""Groups that import a command only when it is called, so that `run` doesn't pay for the others; and a
`--help` without click's own search for translations on the disk.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib import import_module
from typing import Any

import click


def show_help(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


HELP = click.Option(
    ["-h", "--help"], is_flag=True, is_eager=True, expose_value=False, callback=show_help,
    help="Show this message and exit.",
)  # fmt: skip


class LazyGroup(click.Group):
    """A group that lists its commands from a table of first help lines, without importing them.

    Command NAME is `command` in the file `prefix`NAME.py in this folder. `other_names` maps names from other
    tools to commands.
    """

    def __init__(
        self,
        *,
        first_lines: Mapping[str, str],
        prefix: str = "",
        other_names: Mapping[str, str] | None = None,
        groups: Mapping[str, Collection[str]] | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(**settings)
        self.other_names = other_names or {}
        self.groups = groups or {}
        self.first_lines = first_lines
        self.prefix = prefix

    def get_help_option(self, ctx: click.Context) -> click.Option:
        return HELP

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.first_lines)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.first_lines:
            return None
        command: click.Command = import_module(f"{__package__}.{self.prefix}{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.first_lines and not ctx.resilient_parsing:
            raise click.UsageError(f"there is no command {args[0]}{self.meant(args[0])}", ctx)
        return super().resolve_command(ctx, args)

    def meant(self, word: str) -> str:
        """The most similar command, as a question."""
        from difflib import get_close_matches

        known = {name: name for name in self.first_lines} | dict(self.other_names)
        near = get_close_matches(word, known, 1)
        return f"; did you mean {known[near[0]]}?" if near else ""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        left = dict(self.first_lines)
        for title, names in self.groups.items():
            with formatter.section(title):
                formatter.write_dl([(name, left.pop(name)) for name in names])
        with formatter.section("More" if self.groups else "Commands"):
            formatter.write_dl(list(left.items()))

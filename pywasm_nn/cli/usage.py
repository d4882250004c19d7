"""What click has no class for: a message of several lines, whole numbers as people write them; and an option
that several commands share.
"""

from __future__ import annotations

import math
from typing import Any

import click

with_features = click.option(
    "--features", multiple=True, metavar="NAME,-NAME", help="Switch proposals on or off (see doctor)."
)


class UsageLines(click.UsageError):
    """A value that can't be understood; the message has several lines, and names in it are escaped
    already."""


class Count(click.IntRange):
    """A whole number, which may be written as 1e6."""

    name = "count"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            number = int(value)
        except ValueError:
            number = self.written_as_float(value, param, ctx)
        return super().convert(number, param, ctx)

    def written_as_float(self, text: str, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not number.is_integer():
            self.fail(f"{text!r} is no whole number, as 1000000 or 1e6", param, ctx)
        return int(number)

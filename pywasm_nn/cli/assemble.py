"""`assemble`: text to a binary module."""

from __future__ import annotations

from pathlib import Path

import click

from .complete import files
from .failure import Exit
from .load import EVERYTHING, load


@click.command(name="assemble")
@click.argument("source", shell_complete=files)
@click.option("-o", "--output", metavar="FILE", help="Where to write (default: SOURCE with .wasm).")
def command(source: str, output: str | None) -> int:
    """Assemble SOURCE, a module in the text format, into a binary module."""
    from ..interpreter.encode import encode

    target = Path(output) if output else Path(source).with_suffix(".wasm")
    if target.exists() and target.samefile(source):
        raise click.UsageError(f"{source} would be overwritten; name another file with --output")
    target.write_bytes(encode(load(source, features=EVERYTHING)))
    return Exit.OK

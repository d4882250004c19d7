"""`cache`: compiled code that is stored for later runs."""

from __future__ import annotations

import json
import os

import click

from .failure import Exit, Failure
from .terminal import print_text


@click.command(name="cache")
@click.option("--cache-dir", metavar="DIR", help="The folder (default: the user's cache).")
@click.option("--clear", is_flag=True, help="Remove all stored code.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def command(cache_dir: str | None, clear: bool, as_json: bool) -> int:
    """Show where compiled code is stored and how much, or remove it."""
    from ..interpreter.compile.cache import SUFFIX, UNFINISHED, CodeFolder

    cache = CodeFolder(cache_dir)
    if cache.refusal:
        raise Failure(f"{cache.folder}: {cache.refusal}")
    found = [entry for entry in os.scandir(cache.folder) if entry.name.endswith((SUFFIX, UNFINISHED))]
    size = sum(entry.stat(follow_symlinks=False).st_size for entry in found)
    if clear:
        for entry in found:
            os.unlink(entry)
    about = {"folder": cache.folder, "programs": len(found), "bytes": size, "most": cache.most}
    if as_json:
        print_text(json.dumps(about | {"cleared": clear}))
    else:
        what = "removed" if clear else f"kept, at most {cache.most >> 20} MiB"
        print_text(f"{cache.folder}: {len(found)} programs, {size / (1 << 20):.1f} MiB {what}")
    return Exit.OK

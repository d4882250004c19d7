"""`include`: prints the folder of the bindings for guests."""

from __future__ import annotations

import click

from .. import guest
from .failure import Exit
from .terminal import print_text


@click.command(name="include")
def command() -> int:
    """Print the folder of wasi_nn.h, pywasm_nn.h, wasi_nn.ts and wasi_nn.rs."""
    print_text(str(guest.include()))
    return Exit.OK

"""How the command ends: what closes then, and nothing more to write if nobody reads.

What is not here: exit codes (`failure.py`), and Ctrl-C (`interrupts.py`).
"""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack

from .failure import Exit


class AtEnd(ExitStack):
    """What closes after the last message; commands find it as `ctx.find_root().obj`. `alone`: the command is
    all that this process does."""

    alone = False


def quiet() -> int:
    """Write nothing more, not even when Python flushes at the end. Returns the exit code."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return Exit.BROKEN_PIPE

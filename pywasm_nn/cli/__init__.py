"""The command line: a file per command, imported when the command is used.

What is here: the way in. Exit codes are in `failure.py`, how failures are shown in `show.py`, the commands'
names in `root.py`.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence

MANY_OBJECTS = 50_000
"""So many new objects make Python look for garbage, in place of 700."""


def call(arguments: Sequence[str] | None = None) -> int:
    """Run a command line (without the program's name; None: the process's own) and give the exit code."""
    from click.exceptions import Abort, ClickException

    from ..errors import WasmError
    from .failure import Exit
    from .root import root

    try:
        code = root.main(None if arguments is None else list(arguments), "pywasm-nn", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else Exit.OK
    except (KeyboardInterrupt, Abort):
        return Exit.INTERRUPTED
    except BrokenPipeError:
        return quiet()
    except (ClickException, WasmError, OSError) as error:
        from .show import show

        return show(error)


def quiet() -> int:
    """Whoever read our output is gone: say nothing, not even when Python flushes at the end."""
    import os

    from .failure import Exit

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return Exit.BROKEN_PIPE


def main() -> None:
    """The entry point of `pywasm-nn` and `python -m pywasm_nn`."""
    # What start-up makes stays, and what is there at the end goes with the process: looking through it for
    # garbage costs a sixth of a hello world.
    gc.set_threshold(MANY_OBJECTS)
    code = call()
    gc.freeze()
    sys.exit(code)

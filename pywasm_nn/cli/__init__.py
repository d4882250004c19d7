"""The command line: a file per command, imported when the command is used.

What is here: the way in. What Ctrl-C does is in `interrupts.py`, exit codes in `failure.py`, how failures are
shown in `show.py`, the commands' names in `root.py`.
"""

from __future__ import annotations

import gc
import sys

from .interrupts import INTERRUPTED, Handler, is_interruption

TYPE_CHECKING = False  # as in typing: nothing is imported before Ctrl-C is ours
if TYPE_CHECKING:
    from collections.abc import Sequence

MANY_OBJECTS = 50_000
"""So many new objects make Python look for garbage, in place of 700."""


def call(arguments: Sequence[str] | None = None) -> int:
    """Run a command line (without the program's name; None: the process's own) and give the exit code."""
    try:
        return ended(arguments)
    except BaseException as error:
        if is_interruption(error):
            return INTERRUPTED
        raise


def ended(arguments: Sequence[str] | None) -> int:
    """Run it, and show what goes wrong. What Ctrl-C is behind goes on."""
    from contextlib import ExitStack

    from click.exceptions import Abort, ClickException

    from ..errors import WasmError
    from .failure import Exit
    from .root import quiet, root

    words = None if arguments is None else list(arguments)
    with ExitStack() as at_end:  # for commands, as `ctx.find_root().obj`: what ends after the last message
        try:
            code = root.main(words, "pywasm-nn", standalone_mode=False, obj=at_end)
            sys.stdout.flush()
            return code if isinstance(code, int) else Exit.OK
        except Abort:
            return Exit.INTERRUPTED
        except BrokenPipeError:
            return quiet()
        except (ClickException, WasmError, OSError) as error:
            from .show import show

            if is_interruption(error):
                raise
            return show(error)


def main() -> None:
    """The entry point of `pywasm-nn` and `python -m pywasm_nn`."""
    handler = Handler(main.__code__)
    handler.install()
    # What start-up makes stays, and what is there at the end goes with the process: looking through it for
    # garbage costs a sixth of a hello world.
    gc.set_threshold(MANY_OBJECTS)
    try:
        code = call()
    except KeyboardInterrupt:  # in the last lines of `call`
        code = INTERRUPTED
    handler.finish()
    gc.freeze()
    sys.exit(code)

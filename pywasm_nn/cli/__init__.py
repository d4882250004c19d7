"""The command line: a file per command, imported when the command is used.

What is here: the entry points. What is not: Ctrl-C (`interrupts.py`), exit codes (`failure.py`), the report
of failures (`show.py`), the names of commands (`root.py`).

No file is imported before `main` runs, not even `__future__`: a Ctrl-C during that would end in a traceback.
"""

import gc
import sys

TYPE_CHECKING = False  # as in typing
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .root import AtEnd

MANY_OBJECTS = 200_000
"""New objects between two runs of the garbage collector; Python's default is 700. An instance with 13,000
functions takes 100,000, and a run that looks at them 15 ms."""


def call(arguments: "Sequence[str] | None" = None) -> int:
    """Run a command line (without the program's name; None: `sys.argv`) and return the exit code."""
    from .interrupts import INTERRUPTED, is_interruption

    try:
        return ended(arguments)
    except BaseException as error:
        if is_interruption(error):
            return INTERRUPTED
        raise


def ended(arguments: "Sequence[str] | None") -> int:
    """Run the command and report its failure. An error caused by Ctrl-C is raised again."""
    from .root import AtEnd

    with AtEnd() as at_end:
        at_end.alone = arguments is None
        return code_of(None if arguments is None else list(arguments), at_end)


def code_of(words: "list[str] | None", at_end: "AtEnd") -> int:
    """The exit code of the command."""
    from click.exceptions import Abort, ClickException

    from ..errors import WasmError
    from .failure import Exit
    from .interrupts import behind, is_interruption
    from .root import quiet, root

    try:
        code = root.main(words, "pywasm-nn", standalone_mode=False, obj=at_end)
        sys.stdout.flush()
        return code if isinstance(code, int) else Exit.OK
    except Abort:
        return Exit.INTERRUPTED
    except BrokenPipeError:
        return quiet()
    except (ClickException, WasmError, OSError) as error:
        if is_interruption(error):
            raise
        if any(isinstance(one, BrokenPipeError) for one in behind(error)):  # as by a host function's print
            from .unread import is_deserted

            if is_deserted():
                return quiet()
        from .show import show

        return show(error)


def main() -> None:
    """The entry point of `pywasm-nn` and `python -m pywasm_nn`."""
    try:
        from .interrupts import INTERRUPTED, Handler, end

        handler = Handler(main.__code__)
        handler.install()
    except KeyboardInterrupt:
        sys.exit(130)
    # Objects made during start-up live as long as the process: the garbage collector need not look at them.
    gc.set_threshold(MANY_OBJECTS)
    try:
        code = call()
    except KeyboardInterrupt:  # in the last lines of `call`
        code = INTERRUPTED
    handler.finish()
    end(code)

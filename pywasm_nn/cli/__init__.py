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

    from .ending import AtEnd
    from .plain import Plain
    from .run import RunCommand

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
    from .ending import AtEnd

    with AtEnd() as at_end:
        at_end.alone = arguments is None
        return code_of(sys.argv[1:] if arguments is None else list(arguments), at_end)


def code_of(words: "list[str]", at_end: "AtEnd") -> int:
    """The exit code of the command."""
    from ..errors import WasmError
    from .ending import quiet
    from .failure import Exit, Failure
    from .plain import read

    try:
        plain = read(words)
        code = by_click(words, at_end) if plain is None else at_once(plain, at_end)
        sys.stdout.flush()
        return code if isinstance(code, int) else Exit.OK
    except BrokenPipeError:
        return quiet()
    except (Failure, WasmError, OSError) as error:
        return reported(error)


def at_once(plain: "Plain", at_end: "AtEnd") -> int:
    """Run a program whose command line needs no click, which takes longer than a small program."""
    from .asked import Asked
    from .running import Line, run

    line = Line(plain.shared, lambda: command_of(plain).takes(), at_end)
    try:
        if plain.command == "run":
            return run(line, Asked(**plain.values))
        from .profiling import profiled

        return profiled(line, plain.values)
    except Exception as error:
        from click import UsageError

        if not isinstance(error, UsageError):
            raise
        error.ctx = command_of(plain).context()
        return reported(error)


def command_of(plain: "Plain") -> "RunCommand":
    """The command that a line means, as click knows it."""
    from . import profile, run

    return {"profile": profile.command, "run": run.command}[plain.command]


def by_click(words: "list[str]", at_end: "AtEnd") -> object:
    """What the command returns that click finds. Errors of usage are reported."""
    from click.exceptions import Abort, ClickException

    from .failure import Exit
    from .root import root

    try:
        return root.main(words, "pywasm-nn", standalone_mode=False, obj=at_end)
    except Abort:
        return Exit.INTERRUPTED
    except ClickException as error:
        return reported(error)


def reported(error: Exception) -> int:
    """Report a failure, and return its exit code. An error caused by Ctrl-C is raised again."""
    from .interrupts import behind, is_interruption

    if is_interruption(error):
        raise error
    if any(isinstance(one, BrokenPipeError) for one in behind(error)):  # as by a host function's print
        from .unread import is_deserted

        if is_deserted():
            from .ending import quiet

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

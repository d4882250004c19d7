"""Failures that the user can correct, and exit codes.

| what happened                              | exit code      |
|---|---|
| the guest ended with code N                | N              |
| trap, out of fuel or time or over another limit while the guest ran, an uncaught exception | 134 |
| can't read, load, validate or link; over a limit before anything ran; HostError | 1 |
| usage; a value of an option that names no directory | 2              |
| Ctrl-C                                     | 130            |
| nobody reads our output                    | 141            |

What is not here: the report of failures (`show.py`), which a successful run doesn't import.
"""

from __future__ import annotations

from ..enumerations import IntEnum
from .interrupts import INTERRUPTED as CTRL_C


class Exit(IntEnum):
    """Exit codes, the same as those of wasmtime and WasmEdge."""

    OK = 0
    FAILED = 1
    USAGE = 2
    INTERRUPTED = CTRL_C
    TRAP = 134
    BROKEN_PIPE = 141


class Failure(Exception):
    """A failure that the user can correct: a message, and perhaps help. `in_lines`: both may have several
    lines, and names in them are escaped already. `code` is the exit code."""

    def __init__(
        self, message: str, help_: str = "", *, in_lines: bool = False, code: Exit = Exit.FAILED
    ) -> None:
        super().__init__(message)
        self.code = code
        self.help = help_
        self.in_lines = in_lines


class Unlinkable(Failure):
    """Imports that nobody provides, or others than the module wants."""

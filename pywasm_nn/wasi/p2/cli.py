"""wasi:cli: environment, the end, standard streams and terminals.

https://github.com/WebAssembly/WASI/tree/v0.2.12/proposals/cli/wit
"""

from __future__ import annotations

from typing import NoReturn

from ...component.interface import U8, Interface, Status
from ..codes import Filetype
from .guest import Guest
from .io import InputStream, OutputStream

ENVIRONMENT = Interface("wasi:cli/environment")
EXIT = Interface("wasi:cli/exit")
STDIN, STDOUT, STDERR = (Interface(f"wasi:cli/{name}") for name in ("stdin", "stdout", "stderr"))
TERMINAL_INPUT = Interface("wasi:cli/terminal-input")
TERMINAL_OUTPUT = Interface("wasi:cli/terminal-output")
TERMINAL_STDIN, TERMINAL_STDOUT, TERMINAL_STDERR = (
    Interface(f"wasi:cli/terminal-{name}") for name in ("stdin", "stdout", "stderr")
)
IN, OUT, ERR = 0, 1, 2
"""Descriptor numbers of the standard streams."""


def text(data: bytes) -> str:
    """An argument or variable as a string; invalid UTF-8 is replaced, because strings of components are
    Unicode."""
    return data.decode("utf-8", "replace")


@ENVIRONMENT.function
def get_environment(guest: Guest) -> list[tuple[str, str]]:
    return [
        (text(name), text(value)) for name, _, value in (v.partition(b"=") for v in guest.system.environment)
    ]


@ENVIRONMENT.function
def get_arguments(guest: Guest) -> list[str]:
    return [text(argument) for argument in guest.system.arguments]


@ENVIRONMENT.function
def initial_cwd() -> str | None:
    """None: paths start at the guest's preopened directories."""
    return None


@EXIT.function
def exit(guest: Guest, status: Status) -> None:
    end(guest, 0 if status.label == "ok" else 1)


@EXIT.function
def exit_with_code(guest: Guest, status_code: U8) -> None:
    end(guest, status_code)


def end(guest: Guest, code: int) -> NoReturn:
    guest.system.exit(code)


@STDIN.function
def get_stdin(guest: Guest) -> InputStream:
    return InputStream(guest, IN)


@STDOUT.function
def get_stdout(guest: Guest) -> OutputStream:
    return OutputStream(guest, OUT)


@STDERR.function
def get_stderr(guest: Guest) -> OutputStream:
    return OutputStream(guest, ERR)


@TERMINAL_INPUT.resource
class TerminalInput:
    """A terminal to read from. The interface has no functions yet."""


@TERMINAL_OUTPUT.resource
class TerminalOutput:
    """A terminal to write to. The interface has no functions yet."""


def is_terminal(guest: Guest, number: int) -> bool:
    return guest.descriptor(number).filetype is Filetype.CHARACTER_DEVICE


@TERMINAL_STDIN.function
def get_terminal_stdin(guest: Guest) -> TerminalInput | None:
    return TerminalInput() if is_terminal(guest, IN) else None


@TERMINAL_STDOUT.function
def get_terminal_stdout(guest: Guest) -> TerminalOutput | None:
    return TerminalOutput() if is_terminal(guest, OUT) else None


@TERMINAL_STDERR.function
def get_terminal_stderr(guest: Guest) -> TerminalOutput | None:
    return TerminalOutput() if is_terminal(guest, ERR) else None


INTERFACES = (
    *(ENVIRONMENT, EXIT, STDIN, STDOUT, STDERR),
    *(TERMINAL_INPUT, TERMINAL_OUTPUT, TERMINAL_STDIN, TERMINAL_STDOUT, TERMINAL_STDERR),
)

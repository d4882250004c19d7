"""Reports failures: one clear line on stderr, advice below it, and the exit code.

An exception of another class is a bug of ours: it is raised again and shows its traceback.
"""

from __future__ import annotations

from functools import singledispatch

import click

from ..errors import (
    HostError,
    InterruptionError,
    InvalidError,
    LimitError,
    MalformedError,
    MemoryLimitError,
    Trap,
    WasmError,
    WasmException,
)
from .failure import Exit, Failure
from .limit_options import OPTIONS
from .terminal import print_line, say
from .usage import UsageLines

RING = 2000
"""The number of last instructions that the hint suggests to keep."""


@singledispatch
def show(error: BaseException) -> int:
    """Report a failure and return its exit code. An unknown exception is raised again."""
    raise error


@show.register
def _(error: click.ClickException) -> int:
    say("error", error.format_message())
    return Exit.FAILED


@show.register
def _(error: Failure) -> int:
    say("error", str(error), in_lines=error.in_lines)
    if error.help:
        say("help", error.help, in_lines=error.in_lines)
    return error.code


@show.register
def _(error: click.UsageError) -> int:
    say("error", " ".join(error.format_message().split()))
    if error.ctx is not None:
        say("help", f"{error.ctx.command_path} --help")
    return Exit.USAGE


@show.register
def _(error: UsageLines) -> int:
    say("error", error.message, in_lines=True)
    return Exit.USAGE


@show.register
def _(error: click.exceptions.NoArgsIsHelpError) -> int:
    for line in error.format_message().split("\n"):
        print_line(line)
    return Exit.USAGE


@show.register
def _(error: OSError) -> int:
    where = f"{error.filename}: " if error.filename else ""
    say("error", f"{where}{error.strerror or error}")
    return Exit.FAILED


@show.register
def _(error: WasmError) -> int:
    say("error", str(error), in_lines=error.in_lines)
    show_frames(error)
    return Exit.FAILED


@show.register
def _(error: MalformedError) -> int:
    if error.feature:
        say("error", f"the module needs a proposal of WebAssembly that is off: {error}")
        say("help", f"--features {error.feature}")
    elif error.proposal:
        say("error", f"the module needs a proposal of WebAssembly that isn't here: {error}")
    else:
        say("error", f"malformed module: {error}")
    return Exit.FAILED


@show.register
def _(error: InvalidError) -> int:
    say("error", f"invalid module: {error}")
    return Exit.FAILED


@show.register
def _(error: HostError) -> int:
    from ..plugin import last_place

    say("error", f"a host function failed (not the guest's fault): {error}")
    place, function = last_place(getattr(error.__cause__, "__traceback__", None))
    if place:
        print_line(f"  {place}, in {function}")
    show_frames(error)
    return Exit.FAILED


def told(error: LimitError) -> str:
    """The message, with the option that sets the limit."""
    option = OPTIONS.get(error.limit)
    return f"{error} ({option})" if option else str(error)


@show.register
def _(error: LimitError) -> int:
    say("error", told(error))
    show_frames(error)
    return Exit.TRAP if error.frames else Exit.FAILED


@show.register
def _(error: MemoryLimitError) -> int:
    say("error", str(error))
    show_frames(error)
    if error.wanted:
        bits, unit = (20, "MiB") if error.wanted >> 20 else (10, "KiB")
        say("help", f"--max-memory {-(-error.wanted >> bits)}{unit} lets it begin; growing needs more")
    return Exit.TRAP if error.frames else Exit.FAILED


@show.register
def _(error: InterruptionError) -> int:
    say("error", told(error))
    show_frames(error)
    return Exit.TRAP  # also before the first function: whether one runs in time depends on the machine


@show.register
def _(error: Trap) -> int:
    if isinstance(error.__cause__, MalformedError) and error.__cause__.proposal:
        return show(error.__cause__)
    say("error", f"wasm trap: {error}")
    show_frames(error)
    if error.__cause__ is not None and str(error.__cause__) not in str(error):
        say("note", f"because of {error.__cause__}")
    return Exit.TRAP


@show.register
def _(error: WasmException) -> int:
    say("error", f"uncaught {error}")
    show_frames(error)
    return Exit.TRAP


def show_frames(error: WasmError) -> None:
    """Print the guest's running functions, innermost first, and the last host call."""
    from ..backtrace import written

    for line in written(error):
        print_line(line)
    if error.host_call is not None:
        say("note", f"last host call: {error.host_call}", in_lines=True)
    if text := hint(error):
        say("help", text)


def hint(error: WasmError) -> str:
    """The options that would show more: host calls of a component (its core modules are named
    `app.wasm/main`), else the last instructions, which one engine can show; "" if a trace has shown that."""
    if not error.frames:
        return ""
    if "/" in error.frames[0].module:
        return "" if "host" in error.traced else "what the component asked of the host: `--trace=host`"
    if error.traced & {"ring", "instr"}:
        return ""
    there = (
        "" if error.engine in ("", "interpret") else f" with `--engine interpret` in place of {error.engine}"
    )
    return f"the last instructions: `--trace=ring:{RING}`{there}"

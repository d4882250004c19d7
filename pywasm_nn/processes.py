"""Child processes: starting one, waiting for what it answers, ending it.

What is here: what every part needs that hands a stranger's bytes to native code which may crash or never end:
models of guests (`nn.child`) and modules for wasmtime's compiler (`native`). What is not: what is asked.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from threading import Event, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess

INHERITED = (
    "PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "WINDIR", "LANG", "LC_ALL", "TZ",
)  # fmt: skip
"""Environment variables that a child inherits. No others, as some are secrets."""
LONGEST_START = 10.0
"""The longest time in seconds that starting a process may take."""
LONGEST_DEAF = 300
"""The longest time in milliseconds until Ctrl-C is noticed."""
NO_PROCESSES = ("emscripten", "wasi")
"""Platforms without processes, as in `sys.platform`."""


def available() -> str | None:
    """Why no child can be started here; None if one can."""
    if sys.platform in NO_PROCESSES:
        return f"{sys.platform} has no processes"
    if getattr(sys, "frozen", False) or not sys.executable:
        return "this program has no Python executable to start"
    return None


def inherited(prefixes: tuple[str, ...] = ()) -> Mapping[str, str]:
    """The variables of this process's environment that a child gets: those in `INHERITED`, and those whose
    names begin so."""
    return {
        name: value
        for name, value in os.environ.items()
        if name.upper() in INHERITED or (prefixes and name.upper().startswith(prefixes))
    }


def kept_in_hand(start: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    """The process that `start` starts. It is started on another thread, because Ctrl-C could otherwise
    interrupt the main thread after the process exists and before it is recorded. Raises OSError."""
    made: list[subprocess.Popen[bytes]] = []
    errors: list[BaseException] = []
    done = Event()

    def work() -> None:
        try:
            made.append(start())
        except BaseException as error:
            errors.append(error)
        finally:
            done.set()

    thread = Thread(target=work)
    try:
        thread.start()
        done.wait()
    except RuntimeError as error:  # no thread can be started
        raise OSError(str(error)) from error
    except BaseException:
        # Not `join`, because in CPython 3.11 a second `join` fails (bpo-45274). The thread may not have
        # started.
        done.wait(LONGEST_START)
        for process in made:
            stop(process)
        raise
    if errors:
        raise errors[0]
    return made[0]


def await_answer(descriptor: int) -> None:
    """Wait until a pipe can be read, with checks for Ctrl-C several times a second. A plain read would notice
    Ctrl-C only at its end, if the signal arrives just before it or at another thread."""
    import select  # most processes start none

    if hasattr(select, "poll"):
        ready = select.poll()
        ready.register(descriptor, select.POLLIN)
        while not ready.poll(LONGEST_DEAF):
            pass


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process and wait, so that no zombie is left."""
    process.kill()
    process.wait()


def ending(code: int | None) -> str:
    """A description of how a process ended."""
    if code is not None and code < 0:
        import signal  # forty enumerations

        try:
            return signal.Signals(-code).name
        except ValueError:
            return f"signal {-code}"
    return f"exit code {code}"

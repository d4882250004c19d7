"""Compiles a module in a child process, which can be ended: wasmtime's compiler can't be interrupted.

What is here: the host's side of `compiler`: starting it, its deadline and its memory, and what an ended child
means. What is not: which modules are compiled so, and what is done with the code (`code`).

The child reads a stranger's bytes, as the host did without it. What it answers is run unchecked, like
whatever wasmtime compiles in the host: the pipe is the child's alone, a child that ended has no answer, and
neither the environment nor a folder tells it what to load.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from ..errors import DeadlineError, MemoryLimitError
from ..interpreter.pace import Patience
from ..interpreter.runtime.alarm import CLOCK, Callback
from ..processes import await_answer, ending, inherited, kept_in_hand, stop
from . import compiler
from .compiler import DONE, LENGTH

if TYPE_CHECKING:
    import subprocess

PROGRAM = Path(compiler.__file__)
MEMORY = 1 << 30
"""Bytes of memory that the compiler has for a small module ..."""
MEMORY_A_BYTE = 32
"""... and more for each byte of a large one."""
MOST_THREADS = 16
PER_THREAD = 16 << 20
"""Bytes of address space that a thread of the compiler reserves and hardly uses."""
LONGEST_CODE = 256 << 20
"""Bytes of code that the host takes."""
LATER = 0.002
"""Seconds after the deadline at which the child is ended, so that it is over by every clock."""


class Refused(Exception):
    """wasmtime's words against a module."""


def compiled_apart(library: str, settings: Mapping[str, int], module: bytes, patience: Patience) -> bytes:
    """The compiled code. Raises Refused; DeadlineError when `patience` runs out; MemoryLimitError if the
    child ends by itself; OSError if none can be started."""
    most = MEMORY + MEMORY_A_BYTE * len(module)
    process = started(library, settings, most)
    try:
        with ended_when_late(process, patience):
            answer = exchanged(process, module)
    finally:
        stop(process)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):  # unwritten data
                    pipe.close()
    if answer is None:
        look(patience)
        how = ending(process.returncode)
        raise MemoryLimitError(
            "memory", f"wasmtime's compiler ended ({how}): it may take {most >> 20} MiB for this module"
        )
    kind, found = answer
    if kind != DONE:
        raise Refused(found.decode("utf-8", "replace"))
    return found


def look(patience: Patience) -> None:
    """Raises DeadlineError, which says what took the time, if it is over."""
    try:
        patience()
    except DeadlineError as error:
        error.add_note("wasmtime was compiling it, which counts: give it more time, or keep its code (cache)")
        raise


def started(library: str, settings: Mapping[str, int], most: int) -> subprocess.Popen[bytes]:
    import subprocess  # few modules are compiled so

    threads = min(os.cpu_count() or 1, MOST_THREADS)
    # Each arena of glibc reserves 64 MiB of address space, which counts towards the limit.
    own = {"RAYON_NUM_THREADS": str(threads), "MALLOC_ARENA_MAX": "2"}
    arguments = [library, str(most + threads * PER_THREAD), *(f"{n}={v}" for n, v in settings.items())]

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", str(PROGRAM), *arguments],
            cwd=PROGRAM.parent,
            env={**inherited(), **own},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=sys.platform != "win32",  # Ctrl-C is for the host
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )

    return kept_in_hand(start)


@contextmanager
def ended_when_late(process: subprocess.Popen[bytes], patience: Patience) -> Iterator[None]:
    """Ends the child when the guest's time runs out."""
    seconds = patience()
    if seconds is None or not CLOCK.available():
        yield
        return
    alarm = Callback(monotonic() + seconds + LATER, process.kill)
    CLOCK.set(alarm)
    try:
        yield
    finally:
        CLOCK.cancel(alarm)


def exchanged(process: subprocess.Popen[bytes], module: bytes) -> tuple[bytes, bytes] | None:
    """The kind of the answer and what follows; None if the child has ended before, or says too much."""
    stdin, stdout = process.stdin, process.stdout
    assert stdin is not None and stdout is not None
    try:
        stdin.write(len(module).to_bytes(LENGTH, "little"))
        stdin.write(module)
        stdin.flush()
        await_answer(stdout.fileno())
        head = stdout.read(1 + LENGTH)
        length = int.from_bytes(head[1:], "little")
        if len(head) < 1 + LENGTH or length > LONGEST_CODE:
            return None
        found = stdout.read(length)
    except OSError:
        return None
    return (head[:1], found) if len(found) == length else None

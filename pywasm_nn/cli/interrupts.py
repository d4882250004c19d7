"""Ctrl-C, from the first import on: one clean end, whenever it comes.

What is here: the command line's handler. It raises KeyboardInterrupt where that ends the program cleanly, and
waits where it would not. Python's own handler raises anywhere: during an import, the exception becomes an
error of the module being imported (`__set_name__` turns it into a RuntimeError); in a destructor, it is
printed to stderr and lost. What is not: a KeyboardInterrupt in a guest's frames (`interpreter`), and the
debugger's prompt, which has a handler of its own. This module is imported before all others, so it imports
almost nothing.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found] # signal would make forty enumerations
import os
import sys

TYPE_CHECKING = False  # as in typing, whose import would take longer than this module
if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator
    from types import CodeType, FrameType
    from typing import Any, NoReturn

INTERRUPTED = 130
"""The exit code by which shells report a program ended by Ctrl-C."""
RETRY = 0.005
"""Seconds until an interruption is raised again that came at a bad moment."""
MOST_TRIES = 400
"""After so many retries the process ends at once: importing a framework may take longer than people wait."""
PATIENCE = 1.0
"""Seconds that the main thread has to react; native code may block it."""
IMPORTING = "<frozen importlib"
"""The prefix of the file names of Python's own import system."""


class Handler:
    """The handler of Ctrl-C. `outermost` is the code of the function above which nothing catches an
    exception."""

    def __init__(self, outermost: CodeType) -> None:
        self._outermost = outermost
        self._waiting = False
        self._tries = 0
        self._guarded = False
        self._answered = False
        """Whether the main thread has handled the last Ctrl-C."""

    def install(self) -> None:
        """Replace Python's own handler. If Ctrl-C is ignored (nohup, a background job), it stays ignored."""
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self.interrupt)
            sys.unraisablehook = self.unraisable
            self._guarded = True

    def finish(self) -> None:
        """The work is done: from now on Ctrl-C ends the process at once, and so does an interruption that is
        waiting to be retried."""
        if self._guarded:
            signal.signal(signal.SIGINT, leave)
            if self._waiting:
                leave()

    def watch(self) -> None:
        """Watch the main thread from now on: native code may block it, so that it can't handle signals. If it
        doesn't react, end the process."""
        try:
            from _socket import socketpair  # socket would make a dozen enumerations
        except ImportError:  # Windows
            from socket import socketpair
        from threading import Thread

        heard, told = socketpair()
        told.setblocking(False)
        signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)
        Thread(target=self._watch, args=(heard, told), name="pywasm-nn Ctrl-C", daemon=True).start()

    def _watch(self, heard: socket.socket, told: socket.socket) -> None:
        from time import sleep

        while number := heard.recv(1):  # Python writes the number of each signal that it handles
            if number[0] != signal.SIGINT:
                continue
            sleep(PATIENCE)
            if not self._answered:
                leave()
            self._answered = False

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """Handle Ctrl-C that came while the main thread executed `frame`."""
        self._answered = True
        if frame is None or frame.f_code is self._outermost or self._tries > MOST_TRIES:
            leave()
        if is_importing(frame):
            self.later()
        else:
            self._tries = 0
            raise KeyboardInterrupt

    def later(self) -> None:
        """Retry soon."""
        if self._waiting:
            return
        self._waiting = True
        self._tries += 1
        try:
            from _thread import get_ident, start_new_thread

            start_new_thread(self._again, (get_ident(),))
        except RuntimeError:  # Pyodide has no threads
            leave()

    def _again(self, thread: int) -> None:
        from _thread import interrupt_main
        from time import sleep

        sleep(RETRY)
        self._waiting = False
        if hasattr(signal, "pthread_kill"):
            signal.pthread_kill(thread, signal.SIGINT)  # a real signal, which interrupts waiting system calls
        else:
            interrupt_main()

    def unraisable(self, event: Any) -> None:
        """Handle an exception that Python can't raise: in a destructor, in a callback of the garbage
        collector."""
        if issubclass(event.exc_type, KeyboardInterrupt):
            self.later()
        else:
            sys.__unraisablehook__(event)


def watch() -> None:
    """Call `Handler.watch` if our handler is installed and the platform has threads."""
    handler = getattr(signal.getsignal(signal.SIGINT), "__self__", None)
    if isinstance(handler, Handler) and sys.platform not in ("emscripten", "wasi"):
        handler.watch()


def is_importing(frame: FrameType | None) -> bool:
    """Whether a module is being imported."""
    while frame is not None:
        if frame.f_code.co_filename.startswith(IMPORTING):
            return True
        frame = frame.f_back
    return False


def leave(number: int = 0, frame: FrameType | None = None) -> NoReturn:
    """End the process now, after writing all pending output."""
    flush()
    os._exit(INTERRUPTED)


def flush() -> None:
    """Write all pending output that somebody reads."""
    for stream in filter(None, (sys.stdout, sys.stderr)):  # a Windows program without a console has none
        try:
            stream.flush()
        except (OSError, ValueError, RuntimeError):  # no reader, closed, or a write is in progress
            continue


def end(code: int) -> NoReturn:
    """End the process with this code. What waits for the end of Python runs first, as Python would have it:
    threads, then functions, then pending output. The objects that are left die with the process; taking
    Python, frameworks and them apart would take longer than a small guest.
    """
    is_watched = sys.getprofile() or sys.gettrace() or sys.stdout is not sys.__stdout__
    if is_watched or sys.flags.inspect:  # somebody around us wants to go on
        sys.exit(code)
    if threading := sys.modules.get("threading"):
        threading._shutdown()
    import atexit

    atexit._run_exitfuncs()
    flush()
    os._exit(code)


def is_interruption(error: BaseException) -> bool:
    """Whether Ctrl-C caused an error, directly or through other exceptions."""
    return any(isinstance(one, KeyboardInterrupt) for one in behind(error))


def behind(error: BaseException) -> Iterator[BaseException]:
    """The error and all its causes and contexts."""
    seen: set[int] = set()
    queue: list[BaseException | None] = [error]
    while queue:
        one = queue.pop()
        if one is not None and id(one) not in seen:
            seen.add(id(one))
            yield one
            queue += [one.__cause__, one.__context__]

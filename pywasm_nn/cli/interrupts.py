"""Ctrl-C, from the first import on: one clean end, wherever it comes.

What is here: the handler of the command line, which raises KeyboardInterrupt where that does what it says,
and waits where it would not. Python's own raises it anywhere: within an import it becomes an error of
whichever module is being imported (`__set_name__` makes a RuntimeError of it), and in a destructor it is
written to stderr and gone. What is not: what a guest's frames do with a KeyboardInterrupt (`interpreter`),
and the debugger's prompt, which has a handler of its own. Imported before all others, so it imports next to
nothing.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found] # signal makes forty enumerations, and this is first
import os
import sys

TYPE_CHECKING = False  # as in typing, which takes longer to import than all that is here
if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator
    from types import CodeType, FrameType
    from typing import Any, NoReturn

INTERRUPTED = 130
"""The exit code that shells give a program that Ctrl-C has ended."""
RETRY = 0.005
"""Seconds until an interruption is tried again that came at a bad moment."""
MOST_TRIES = 400
"""After so many the process is ended as it stands: frameworks may take longer to import than people wait."""
PATIENCE = 1.0
"""Seconds that the main thread has to answer, where native code may hold it."""
IMPORTING = "<frozen importlib"
"""How the file names of Python's own import system begin."""


class Handler:
    """What Ctrl-C does in this process. `outermost` is the code of the function that nobody would catch it
    for."""

    def __init__(self, outermost: CodeType) -> None:
        self._outermost = outermost
        self._waiting = False
        self._tries = 0
        self._guarded = False
        self._answered = False
        """Whether the main thread has heard of the last Ctrl-C."""

    def install(self) -> None:
        """Take over from Python's own handler; where Ctrl-C is ignored (nohup, a job in the background) it
        stays so."""
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self.interrupt)
            sys.unraisablehook = self.unraisable
            self._guarded = True

    def finish(self) -> None:
        """The work is done: from now on Ctrl-C ends the process at once, and so does one that still
        waits for another moment."""
        if self._guarded:
            signal.signal(signal.SIGINT, leave)
            if self._waiting:
                leave()

    def watch(self) -> None:
        """From now on native code may hold the main thread, which hears nothing meanwhile: end the process if
        it doesn't answer."""
        import socket
        from threading import Thread

        heard, told = socket.socketpair()
        told.setblocking(False)
        signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)
        Thread(target=self._watch, args=(heard, told), name="pywasm-nn Ctrl-C", daemon=True).start()

    def _watch(self, heard: socket.socket, told: socket.socket) -> None:
        from time import sleep

        while heard.recv(1):
            sleep(PATIENCE)
            if not self._answered:
                leave()
            self._answered = False

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """Ctrl-C came while the main thread was at `frame`."""
        self._answered = True
        if frame is None or frame.f_code is self._outermost or self._tries > MOST_TRIES:
            leave()
        if is_importing(frame):
            self.later()
        else:
            self._tries = 0
            raise KeyboardInterrupt

    def later(self) -> None:
        """Try again soon."""
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
            signal.pthread_kill(thread, signal.SIGINT)  # a real one, which ends waits
        else:
            interrupt_main()

    def unraisable(self, event: Any) -> None:
        """An exception that Python can't raise: in a destructor, in a callback of the garbage collector."""
        if issubclass(event.exc_type, KeyboardInterrupt):
            self.later()
        else:
            sys.__unraisablehook__(event)


def watch() -> None:
    """`Handler.watch`, if Ctrl-C is ours here and there are threads."""
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
    """End the process now, with what was written."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, RuntimeError):  # it is gone, closed, or somebody is writing
            continue
    os._exit(INTERRUPTED)


def is_interruption(error: BaseException) -> bool:
    """Whether Ctrl-C is behind an error, whatever was made of it."""
    return any(isinstance(one, KeyboardInterrupt) for one in behind(error))


def behind(error: BaseException) -> Iterator[BaseException]:
    """The error, and what it was raised because of."""
    seen: set[int] = set()
    queue: list[BaseException | None] = [error]
    while queue:
        one = queue.pop()
        if one is not None and id(one) not in seen:
            seen.add(id(one))
            yield one
            queue += [one.__cause__, one.__context__]

"""A progress line on a terminal: after two quiet seconds it says what the program is doing, and after a long
run a note says what took the time.

What is here: a thread that looks at the main thread's frames, so no other code reports its progress. What is
not: the decision to use it (`running.py`), which doesn't import this file if stderr is no terminal. The line
is erased before any output, and comes back only after the output has ended its line.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from threading import Event, Lock, Thread, main_thread
from time import monotonic
from types import FrameType
from typing import Any, Self, TextIO

from ..interpreter.names import Names
from ..interpreter.runtime.depth import current_frames
from ..printable import printable
from .overheard import Overheard

QUIET = 2.0
"""Seconds without output before the line is shown."""
LOOK = 0.25
"""Seconds between two looks."""
LONG = 10.0
"""Seconds from which on a run is followed by a note about its time."""
WIDEST = 78
"""The width of the line in characters."""
ERASE = b"\r\x1b[K"
GENERATED = "<wasm func["
HELP = {
    "the guest": "--monitor hotness shows which functions take it",
    "interpreting": "--engine compile is faster, --monitor hotness shows which functions take it",
    "compiling": "the next run finds compiled code in the cache, unless --no-cache is given",
    "the host": "--monitor host shows which calls take it",
    "models": "pywasm-nn nn backends shows which backends there are, --nn-backend chooses",
    "decoding": "",
}
"""Advice by the activity that took the time."""
PLACES = (
    ("nn", "models"),
    ("wasi", "the host"),
    ("host", "the host"),
    (os.path.join("interpreter", "compile"), "compiling"),
    (os.path.join("interpreter", "validate"), "compiling"),
    (os.path.join("interpreter", "interpret"), "interpreting"),
    ("interpreter", "decoding"),
)
"""The activity of code in each folder of this package; the first matching folder counts."""
RUNTIME = os.path.join("interpreter", "runtime") + os.sep
"""Code that serves a running guest. Its frames say nothing; a frame further out names the activity."""
PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep
OPERATIONS = {"compute": "in compute", "load": "loading a model", "load_named": "loading a model"}
"""The activity of a model, by the session's method."""


def kind_of(frame: FrameType | None) -> tuple[str, FrameType | None]:
    """The activity that the innermost known frame stands for, and that frame."""
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(GENERATED):
            return "the guest", frame
        if name.startswith(PACKAGE):
            inside = name[len(PACKAGE) :]
            found = next((kind for place, kind in PLACES if inside.startswith(place + os.sep)), None)
            if found is not None and not inside.startswith(RUNTIME):
                return found, frame
        frame = frame.f_back
    return "", None


def sentence(kind: str, frame: FrameType | None) -> str:
    """The activity as a phrase for the user."""
    match kind:
        case "the guest":
            return f"running {guest_function(frame)}"
        case "interpreting":
            return "running (interpreted)"
        case "compiling":
            return f"compiling{functions(frame)}"
        case "models":
            return next((OPERATIONS[name] for name in callers(frame) if name in OPERATIONS), "in a model")
        case "the host":
            return f"in the host: {outermost(frame, 'wasi')}"
        case "decoding":
            return "decoding the module"
    return "starting"


def callers(frame: FrameType | None) -> list[str]:
    """Names of the Python functions that are running, innermost first."""
    names = []
    while frame is not None:
        names.append(frame.f_code.co_name)
        frame = frame.f_back
    return names


def outermost(frame: FrameType | None, folder: str) -> str:
    """The host function that the guest has called: the outermost frame of the folder above the guest."""
    name = "?"
    while frame is not None and not frame.f_code.co_filename.startswith(GENERATED):
        if frame.f_code.co_filename.startswith(PACKAGE + folder):
            name = frame.f_code.co_name
        frame = frame.f_back
    return name


def functions(frame: FrameType | None) -> str:
    """How many functions have been compiled, if the engine is among the frames."""
    while frame is not None:
        if frame.f_code.co_name == "make_ready":
            known = frame.f_locals
            done, module = known["self"].compiled, known["instance"].module
            return f" ({len(done)} of {len(module.funcs)} functions so far)"
        frame = frame.f_back
    return ""


def guest_function(frame: FrameType | None) -> str:
    """The guest's function that a frame of generated code executes."""
    if frame is None:
        return "the guest"
    funcidx = int(frame.f_code.co_filename[len(GENERATED) : -2])
    instance = frame.f_globals.get("instance")
    name = None if instance is None else Names.of(instance.module).function(funcidx)
    return printable(name) if name else f"function {funcidx}"


class Progress:
    """Watches the main thread in a `with` block. `stream` is the terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._number = stream.fileno()
        self._lock = Lock()
        self._over = Event()
        self._shown = False
        self._begun_line = False
        self._began = self._last = monotonic()
        self._looks: Counter[str] = Counter()
        self._thread = Thread(target=self._watch, name="pywasm-nn progress", daemon=True)

    def __enter__(self) -> Self:
        self._streams = sys.stdout, sys.stderr
        for name, stream in zip(("stdout", "stderr"), self._streams, strict=True):
            if stream.isatty():
                setattr(sys, name, Overheard(stream, self.clear))
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._over.set()
        self._thread.join(timeout=2 * LOOK)
        self.clear("\n")
        sys.stdout, sys.stderr = self._streams

    def clear(self, data: Any) -> None:
        """Erase the line, because `data` is about to be written."""
        with self._lock:
            if self._shown:
                os.write(self._number, ERASE)
                self._shown = False
            if len(data):
                self._begun_line = data[-1:] not in ("\n", b"\n")
            self._last = monotonic()

    def _watch(self) -> None:
        main = main_thread().ident
        while not self._over.wait(LOOK):
            kind, frame = kind_of(current_frames().get(main or 0))
            self._looks[kind] += 1
            if monotonic() - self._last >= QUIET and not self._begun_line:
                self._show(sentence(kind, frame))
            del frame

    def _show(self, text: str) -> None:
        seconds = monotonic() - self._began
        with self._lock:
            if not self._over.is_set() and monotonic() - self._last >= QUIET:
                line = f"{seconds:.0f} s: {text}"[:WIDEST]
                os.write(self._number, ERASE + line.encode(errors="replace"))
                self._shown = True

    def account(self) -> str:
        """A note about what took the time and what would help; "" after a short run."""
        seconds, total = monotonic() - self._began, sum(self._looks.values())
        if seconds < LONG or not total:
            return ""
        parts = [(count, kind) for kind, count in self._looks.most_common() if HELP.get(kind) is not None]
        shown = [f"{kind} {100 * count // total} %" for count, kind in parts if 100 * count // total]
        if not shown:
            return ""
        help_ = HELP[parts[0][1]]
        return f"{seconds:.0f} s: {', '.join(shown)}" + (f"; {help_}" if help_ else "")

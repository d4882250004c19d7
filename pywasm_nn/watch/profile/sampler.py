"""`Sampler`: a thread that looks at the stack of the thread that runs the guest, a hundred times a second.

What is here: Python frames as places of the guest and its host. The guest runs the same code as without a
sampler, so nothing is slowed down but by the looks themselves. What is not: how samples are written
(`files.py`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from threading import Event, Thread, get_ident
from time import perf_counter, thread_time
from types import CodeType, FrameType, TracebackType
from typing import Any, Self

from ...interpreter.names import Names
from ...records import record
from ..labels import Labels
from ..sources import SourceLine, Sources

INTERVAL = 0.01
"""Seconds between two looks."""
SHARE = 0.03
"""Looks take at most about this share of the time: deep stacks are looked at less often."""
DEEPEST = 1000
"""The number of innermost places that a sample keeps."""
GENERATED = "<wasm func["
PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(__file__))) + os.sep
ENGINE = (
    (os.path.join("interpreter", "binary"), "decoding"),
    (os.path.join("interpreter", "validate"), "validating"),
    (os.path.join("interpreter", "compile"), "compiling"),
)
"""Work of the engine beside running the guest, by folder."""
BACKENDS = os.path.join("nn", "backends") + os.sep
CHILD = os.path.join("nn", "child") + os.sep

Key = tuple[Any, ...]
"""A place as a look finds it: its kind, and what tells it from others of the kind."""
Finder = Callable[["Sampler", FrameType], Iterator[Key]]


@record
class Place:
    """Something that takes time. `kind` is "guest", "host", "model" or "engine"; `source` is where a guest's
    function begins, None where there is no debug information."""

    kind: str
    name: str
    module: str = ""
    source: SourceLine | None = None


@record
class Sample:
    """`stack` has run, outermost place first, for `seconds` before the time `at`, which counts from the
    start."""

    at: float
    seconds: float
    stack: tuple[Place, ...]


class Sampler:
    """Samples the thread that enters its `with` block, until the block ends.

        with Sampler() as sampler:
            run("app.wasm")
        Path("app.speedscope.json").write_text(FORMATS["speedscope"](sampler))

    Each sample stands for the time since the one before, so that all of them together are the time of the
    block. Where Python has no threads (Pyodide) there are no samples.
    """

    def __init__(self, interval: float = INTERVAL) -> None:
        """`interval` is in seconds. Raises ValueError."""
        if not interval > 0:
            raise ValueError(f"interval must be more than 0, got {interval}")
        self.interval = interval
        self.seconds = 0.0
        """How long the block took."""
        self._over = Event()
        self._looks: list[tuple[float, tuple[Key, ...]]] = []
        self._stacks: dict[tuple[Key, ...], tuple[Key, ...]] = {}
        """Each stack once: most are seen many times."""
        self._modules: dict[int, Any] = {}
        self._known: dict[int, tuple[CodeType, tuple[Key, ...] | Finder]] = {}
        """What code stands for, by its id: looking at a frame takes a lookup."""

    def __enter__(self) -> Self:
        self._thread = Thread(target=self._watch, args=(get_ident(),), name="sampler", daemon=True)
        self._began = perf_counter()
        try:
            self._thread.start()
        except RuntimeError:  # no threads here
            self._over.set()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, entry: TracebackType | None) -> None:
        self.seconds = perf_counter() - self._began
        self._over.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _watch(self, ident: int) -> None:
        wait = self.interval
        while not self._over.wait(wait):
            began = thread_time()
            frame = sys._current_frames().get(ident)
            at = perf_counter() - self._began
            if frame is None:
                return
            stack = tuple(reversed(list(self._places(frame))))
            del frame
            self._looks.append((at, self._stacks.setdefault(stack, stack)))
            wait = max(self.interval, (thread_time() - began) / SHARE)

    def _places(self, frame: FrameType | None) -> Iterator[Key]:
        """Places of a stack, innermost first, each once for frames that follow each other."""
        known = self._known
        last: Key | None = None
        count = 0
        while frame is not None and count < DEEPEST:
            code = frame.f_code
            found = known.get(id(code))
            if found is None:
                found = self._find(code, frame)
                known[id(code)] = found
            places = found[1]
            for place in places if isinstance(places, tuple) else places(self, frame):
                if place != last or place[0] == "guest":
                    yield place
                    count += 1
                last = place
            frame = frame.f_back

    def _find(self, code: CodeType, frame: FrameType) -> tuple[CodeType, tuple[Key, ...] | Finder]:
        """What a code stands for: places, or a function that finds those of a frame; and the code, so that
        no other gets its id."""
        name = code.co_filename
        if name.startswith(GENERATED):
            instance = frame.f_globals.get("instance")
            return code, () if instance is None else (self._guest(instance, int(name[len(GENERATED) : -2])),)
        if name == "<host function>":
            return code, Sampler._host
        if not name.startswith(PACKAGE):
            return code, ()
        if code.co_qualname in FINDERS:
            return code, FINDERS[code.co_qualname]
        inside = name[len(PACKAGE) :]
        if inside.startswith(BACKENDS):
            backend = inside[len(BACKENDS) :].partition(os.sep)[0].removesuffix(".py")
            return code, () if backend == "__init__" else (("model", backend),)
        if inside.startswith(CHILD):
            return code, (("model", "child process"),)
        return code, tuple(
            ("engine", activity) for folder, activity in ENGINE if inside.startswith(folder + os.sep)
        )

    def _host(self, frame: FrameType) -> Iterator[Key]:
        tell = frame.f_globals.get("tell")
        if tell is not None:
            yield "host", tell.args[0]

    def _guest(self, instance: Any, funcidx: int) -> Key:
        module = instance.module
        self._modules[id(module)] = module
        return "guest", id(module), funcidx

    def _machine(self, frame: FrameType) -> Iterator[Key]:
        machine = frame.f_locals["self"]
        for guest in reversed(machine.frames[-DEEPEST:]):
            yield self._guest(guest.instance, guest.funcidx)

    def _observed(self, frame: FrameType) -> Iterator[Key]:
        yield "host", frame.f_locals["owner"]

    def _component(self, frame: FrameType) -> Iterator[Key]:
        yield "host", frame.f_locals["tell"].args[0]

    # What was seen

    @property
    def samples(self) -> list[Sample]:
        """In the order of time. The last one reaches to the end of the block."""
        known: dict[Key, Place] = {}
        sources: dict[int, Sources] = {}
        made: list[Sample] = []
        before = 0.0
        for index, (at, stack) in enumerate(self._looks):
            if index == len(self._looks) - 1:
                at = self.seconds
            for key in stack:
                if key not in known:
                    known[key] = self._named(key, sources)
            made.append(Sample(at, at - before, tuple([known[key] for key in stack])))
            before = at
        return made

    def _named(self, key: Key, sources: dict[int, Sources]) -> Place:
        """A place in words."""
        kind, *what = key
        if kind != "guest":
            return Place(kind, what[0])
        number, funcidx = what
        module = self._modules[number]
        known = sources.setdefault(number, Sources(module))
        body = module.funcs[funcidx - module.imported_funcs].body
        line = known.at(body.offsets[0]) if body.offsets else None
        name = Names.of(module).function(funcidx) or Labels(module).function(funcidx)
        return Place(kind, name, module.name, line)


FINDERS: dict[str, Finder] = {
    "Machine.run": Sampler._machine,
    "Machine.step": Sampler._machine,
    "caller_of.<locals>.explained": Sampler._observed,
    "guarded_call.<locals>.call": Sampler._component,
}
"""Functions of this package whose frames stand for something else than their file does."""

"""`Sampler`: a thread that samples the stack of the guest's thread, a hundred times a second.

What is here: turning Python frames into places of the guest and its host. The guest's code is the same as
without a sampler, so only the sampling itself takes time. What is not: writing samples (`files.py`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import accumulate, chain
from threading import Event, Thread, get_ident
from time import perf_counter, thread_time
from types import CodeType, FrameType, TracebackType
from typing import Any, Self

from ...interpreter.names import Names
from ...interpreter.runtime.depth import current_frames
from ...records import Frozen
from ...sources import SourceLine, Sources
from ..labels import Labels

INTERVAL = 0.01
"""Seconds between two samples."""
SHARE = 0.03
"""The largest share of the time for sampling: deep stacks are sampled less often."""
DEEPEST = 1000
"""The most places in a sample, from the innermost."""
GENERATED = "<wasm func["
PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(__file__))) + os.sep
ENGINE = (
    (os.path.join("interpreter", "binary"), "decoding"),
    (os.path.join("interpreter", "validate"), "validating"),
    (os.path.join("interpreter", "compile"), "compiling"),
)
"""Work of the engine other than running the guest, by folder."""
BACKENDS = os.path.join("nn", "backends") + os.sep
CHILD = os.path.join("nn", "child") + os.sep

Key = tuple[Any, ...]
"""A place as found in a sample: its kind, and data that identifies it among places of this kind."""
Finder = Callable[["Sampler", FrameType], Iterator[Key]]


class Place(Frozen):
    """A part of a run that takes time. `kind` is "guest", "host", "model", "engine" or "process" (what comes
    before and after a run); `source` is the start
    of a guest's function, None without debug information."""

    kind: str
    name: str
    module: str = ""
    source: SourceLine | None = None


STARTING = Place("engine", "starting")
"""Where a run is that is in no other place: what it needs is imported and made."""
WRITING = Place("process", "the profile is made")


class Sample(Frozen):
    """A sample: `stack` (outermost place first) has run for `seconds` before the time `at`, which counts from
    the start."""

    at: float
    seconds: float
    stack: tuple[Place, ...]


class Sampler:
    """Samples the thread that enters its `with` block, until the block ends.

        with Sampler() as sampler:
            run("app.wasm")
        Path("app.speedscope.json").write_text(FORMATS["speedscope"](sampler))

    A sample covers the time since the previous one, so all samples together cover the block, and what came
    before and after it. Without threads (Pyodide) there are no samples. Functions of a guest on wasmtime
    can't be seen: they are "native code".
    """

    def __init__(self, interval: float = INTERVAL, before: Mapping[str, float] | None = None) -> None:
        """`interval` is in seconds. `before`: what the process did before, and its seconds. Raises
        ValueError."""
        if not interval > 0:
            raise ValueError(f"interval must be more than 0, got {interval}")
        self.interval = interval
        self._before = [(Place("process", name), seconds) for name, seconds in (before or {}).items()]
        self._block = self._after = 0.0
        self._over = Event()
        self._looks: list[tuple[float, tuple[Key, ...]]] = []
        self._stacks: dict[tuple[Key, ...], tuple[Key, ...]] = {}
        """Each different stack once, as most occur in many samples."""
        self._modules: dict[int, Any] = {}
        self._known: dict[int, tuple[CodeType, tuple[Key, ...] | Finder]] = {}
        """The places of code objects, by id, so that a frame takes only one lookup."""

    def __enter__(self) -> Self:
        self._thread = Thread(target=self._watch, args=(get_ident(),), name="sampler", daemon=True)
        self._began = perf_counter()
        try:
            self._thread.start()
        except RuntimeError:  # no threads here
            self._over.set()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, entry: TracebackType | None) -> None:
        self._block = perf_counter() - self._began
        self._over.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _watch(self, ident: int) -> None:
        wait = self.interval
        while not self._over.wait(wait):
            began = thread_time()
            frame = current_frames().get(ident)
            at = perf_counter() - self._began
            if frame is None:
                return
            stack = tuple(reversed(list(self._places(frame))))
            del frame
            self._looks.append((at, self._stacks.setdefault(stack, stack)))
            wait = max(self.interval, (thread_time() - began) / SHARE)

    def _places(self, frame: FrameType | None) -> Iterator[Key]:
        """The places of a stack, innermost first; consecutive frames of one place count once."""
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
        """The places of a code object, or a function that finds the places of a frame; with the code object
        itself, so that its id isn't reused."""
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
        yield "host", frame.f_locals["self"].owner

    def _native(self, frame: FrameType) -> Iterator[Key]:
        yield "engine", "native code"

    def _component(self, frame: FrameType) -> Iterator[Key]:
        yield "host", frame.f_locals["name"]

    # Results

    @property
    def seconds(self) -> float:
        """The duration of the block, and of what came before and after."""
        return sum(seconds for _, seconds in self._before) + self._block + self._after

    def conclude(self) -> None:
        """Find the places' names now, which may take long, and let the profile cover the time since the block
        ended."""
        _ = self._named_stacks
        self._after = perf_counter() - self._began - self._block

    @cached_property
    def samples(self) -> list[Sample]:
        """The samples in order of time. The last one of the block ends with it."""
        looks = list(self._named_stacks)
        if not looks and self._before:
            looks = [(self._block, (STARTING,))]
        parts: list[tuple[float, tuple[Place, ...]]] = [
            (seconds, (place,)) for place, seconds in self._before
        ]
        ends = [at for at, _ in looks[:-1]] + [self._block]
        begins = [0.0, *ends]
        parts += [(end - begin, stack) for begin, end, (_, stack) in zip(begins, ends, looks, strict=False)]
        if self._after:
            parts.append((self._after, (WRITING,)))
        return [
            Sample(at, seconds, stack)
            for at, (seconds, stack) in zip(accumulate(part[0] for part in parts), parts, strict=True)
        ]

    @cached_property
    def _named_stacks(self) -> list[tuple[float, tuple[Place, ...]]]:
        """The time of each look, and the places that were seen."""
        known: dict[Key, Place] = {}
        sources: dict[int, Sources] = {}
        for key in chain.from_iterable(self._stacks):
            if key not in known:
                known[key] = self._named(key, sources)
        return [(at, tuple([known[key] for key in stack]) or (STARTING,)) for at, stack in self._looks]

    def _named(self, key: Key, sources: dict[int, Sources]) -> Place:
        """The place for a key."""
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
    "HostCall.explained": Sampler._observed,
    "guarded_call.<locals>.call": Sampler._component,
    "NativeStore.invoke": Sampler._native,
}
"""Functions of this package whose frames belong to other places than their files suggest."""

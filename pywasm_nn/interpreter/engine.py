"""The two engines: they make functions callable, and explain failures.

What is here: both engines as `runtime.instance.Engine`, handing functions that `compile` can't compile to
`interpret`, statistics, and the rule by which a Python exception means a trap. What is not: running bodies
(`compile`, `interpret`), which are imported only when they are used.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from functools import partial
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

from ..errors import (
    ExhaustionError,
    GuestExit,
    InvalidError,
    MalformedError,
    MemoryLimitError,
    Trap,
    TrapKind,
    WasmError,
    short_of_memory,
)
from . import compile as compiler
from .module import Module
from .namespace import Namespace
from .pace import Patience
from .runtime.deadline import set_aside
from .runtime.depth import aside, descend, take_apart
from .runtime.instance import Engine, Func, Instance
from .runtime.link import MakeCallables, define
from .runtime.meter import Metered

if TYPE_CHECKING:
    from .runtime.activations import Activation

MACHINE_FRAMES = 10_000
"""Python frames for interpreted guests. The machine uses a few for each call from the host and none for the
guest's own calls."""
MACHINE = f"{__package__}.interpret"
PADDING = descend.__code__
"""The code of frames that are between a guest and its caller, often a hundred, and stand for nobody."""
OBSERVER_FRAMES = 100
"""Python frames for an observer of calls."""


class BaseEngine:
    """The base of all engines: explains errors that leave a guest."""

    foreign = ""
    keeps_state = True

    def explain(self, error: BaseException) -> tuple[BaseException, Collection[Instance]]:
        """See `runtime.instance.Engine`."""
        with suppress(MemoryError), set_aside():
            return self._explained(error)
        # Too little memory for frames, of which there may be fifty thousand.
        instances = instances_in(error.__traceback__)
        risen = self.trap_of(error) or error
        if isinstance(risen, WasmError):
            risen.frames, risen.host_call = (), None
        elif not isinstance(risen, GuestExit):
            return error, instances
        error.__traceback__ = None
        return risen.with_traceback(None), instances

    def dismiss(self, error: BaseException) -> Collection[Instance]:
        """See `runtime.instance.Engine`."""
        instances = instances_in(error.__traceback__)
        take_apart(error)
        return instances

    def _explained(self, error: BaseException) -> tuple[BaseException, Collection[Instance]]:
        running, below = activations(error.__traceback__)
        instances = {id(activation.instance): activation.instance for activation in running}.values()
        risen = self.trap_of(error) or error
        if isinstance(risen, WasmError):
            risen = self._with_frames(risen, running, below)
        elif not isinstance(risen, GuestExit):
            return error, instances
        # The error's traceback would keep every frame of the guest alive as long as the error exists.
        running.clear()
        take_apart(error)
        return risen.with_traceback(None), instances

    def _with_frames(self, risen: WasmError, running: Sequence[Activation], below: bool) -> WasmError:
        from .runtime.activations import guest_frames

        if running:
            risen = of_access(risen, running[0])
        if not below:
            risen.frames, risen.host_call = (), None
        risen.frames += guest_frames(running)
        return risen

    def told(self, error: BaseException, innermost: Activation) -> WasmError | None:
        """The error that the guest's caller will get for an exception in the function `innermost`; None if it
        is no failure of the guest."""
        risen = self.trap_of(error) or error
        return of_access(risen, innermost) if isinstance(risen, WasmError) else None

    def trap_of(self, error: BaseException) -> Trap | MemoryLimitError | None:
        """The trap or memory limit error that an exception means; None for any other exception."""
        if isinstance(error, RecursionError):
            # Errors of host code are wrapped already, so the engine's or the guest's own depth is the cause.
            return ExhaustionError(TrapKind.CALL_STACK_EXHAUSTED)
        return compiler.trap_of(error) or short_of_memory(error)


class FuncEngine(BaseEngine):
    """The base of both engines here: they make functions callable, one by one."""

    @property
    def ready(self) -> Collection[int]:
        return ()

    def define(self, instance: Instance) -> None:
        define(instance, self.maker(instance))

    def maker(self, instance: Instance) -> MakeCallables:
        """Makes the callables of the defined functions at some indices. A body is decoded and validated on
        the first call."""
        raise NotImplementedError


class InterpretEngine(FuncEngine):
    """Runs every function on the explicit machine."""

    name = "interpret"

    def maker(self, instance: Instance) -> MakeCallables:
        from .interpret import make_entry

        return partial(map, partial(make_entry, instance))

    def begin_anew(self, instance: Instance) -> None:
        for func in own_funcs(instance):
            func.code = None

    def prepare(self, instance: Instance, index: int) -> Callable[..., Any]:
        """The machine decodes functions when it enters them."""
        return instance.funcs[instance.module.imported_funcs + index].callable

    def python_frames(self, call_depth: int) -> int:
        """The machine counts guest frames itself; Python frames are for the machine and host functions."""
        return MACHINE_FRAMES

    def summary(self, instance: Instance) -> str:
        """A line for users about the functions that were called."""
        ran = sum(func.code is not None for func in instance.funcs)
        return f"engine interpret: {ran} of {len(instance.module.funcs)} functions ran"


class CompileEngine(FuncEngine):
    """Compiles functions to Python on first call; functions that can't be compiled are interpreted."""

    name = "compile"

    def __init__(self) -> None:
        self.compiled: set[int] = set()
        self.cached: set[int] = set()
        """Functions that were called, by funcidx: compiled now, or taken from the cache."""
        self.interpreted: dict[int, str] = {}
        """Functions that `interpret` runs, by funcidx, with the reason."""
        self.follows = False
        """Whether functions have a wrapper that reports calls to an observer."""

    @property
    def ready(self) -> Set[int]:
        return self.compiled | self.cached

    def maker(self, instance: Instance) -> MakeCallables:
        self.follows = instance.watches("calls")
        self.reserve_names(instance)
        return compiler.stub_maker(instance, partial(self.make_ready, instance))

    def reserve_names(self, instance: Instance) -> None:
        """Add the names that kept code needs: CPython finds a global by its place among the others only until
        one more is added, and then looks it up for a while."""
        variant = compiler.Variant(instance.flavour, instance.meter.counts)
        for name in instance.module.code_cache.names(variant):
            instance.namespace.setdefault(name)

    def prepare(self, instance: Instance, index: int) -> Callable[..., Any]:
        funcidx = instance.module.imported_funcs + index
        if not (funcidx in self.compiled or funcidx in self.cached or funcidx in self.interpreted):
            self.make_ready(instance, index)
        return instance.funcs[funcidx].callable

    def begin_anew(self, instance: Instance) -> None:
        ready = self.ready | self.interpreted.keys()
        if not ready:
            return
        compiler.forget(instance, ready)
        for funcidx in self.interpreted:
            instance.funcs[funcidx].code = None
        self.compiled, self.cached, self.interpreted = set(), set(), {}

    def make_ready(self, instance: Instance, index: int) -> Callable[..., Any]:
        """Replace a function's stub by its own code; returns the function. Raises Trap if its body is
        invalid, or if the instance refuses calls."""
        while True:
            counts = instance.meter.counts
            made = self._made_ready(instance, index, counts)
            if counts is instance.meter.counts:  # otherwise another thread has just added a deadline
                return made

    def _made_ready(self, instance: Instance, index: int, counts: Metered) -> Callable[..., Any]:
        if instance.refusal is not None:
            raise instance.group.refused()
        module, variant = instance.module, compiler.Variant(instance.flavour, counts)
        funcidx = module.imported_funcs + index
        try:
            made, fresh = aside(partial(code_for, module, index, variant, instance.meter.patience))
        except (InvalidError, MalformedError) as error:
            raise Trap(TrapKind.INVALID_BODY, str(error)) from error
        if fresh and not self.compiled:
            instance.on_close(module.code_cache.save)
        if isinstance(made, compiler.Unsupported):
            self.interpreted[funcidx] = str(made)
            from .interpret import make_entry

            compiler.forward(instance, index, make_entry(instance, index))
        else:
            compiler.install(instance, made)
            (self.compiled if fresh else self.cached).add(funcidx)
        return instance.funcs[funcidx].callable

    def python_frames(self, call_depth: int) -> int:
        """A compiled function is a Python function, with a wrapper around it if calls are observed."""
        return 2 * call_depth + OBSERVER_FRAMES if self.follows else call_depth

    def summary(self, instance: Instance) -> str:
        """A line for users about the functions that were called."""
        called = len(self.compiled) + len(self.cached) + len(self.interpreted)
        reasons = "; ".join(f"function {funcidx} {why}" for funcidx, why in self.interpreted.items())
        return (
            f"engine compile: {called} of {len(instance.module.funcs)} functions called: "
            f"{len(self.compiled)} compiled, {len(self.cached)} cached, {len(self.interpreted)} interpreted"
            + (f" ({reasons})" if reasons else "")
        )


class SteppingEngine(CompileEngine):
    """`interpret` for an observer of single steps. Calls from the host run on the machine; the functions that
    the observer needn't see are compiled, so that they take little time."""

    name = "interpret"

    def __init__(self) -> None:
        super().__init__()
        self._trips: dict[int, Callable[..., Any]] = {}

    def maker(self, instance: Instance) -> MakeCallables:
        return compiler.stub_maker(instance, partial(self.make_ready, instance))

    def prepare(self, instance: Instance, index: int) -> Callable[..., Any]:
        if instance.observer.away:
            return super().prepare(instance, index)
        from .interpret import make_entry

        return make_entry(instance, index)

    def trip(self, instance: Instance, trips: Mapping[int, Callable[..., Any]]) -> None:
        """From now on, compiled functions that call one of these functions, given by funcidx, call what is
        given here instead."""
        changing = self._trips.keys() ^ trips.keys()
        self._trips = dict(trips)
        compiler.forget(instance, changing)
        for funcidx in changing:
            instance.namespace["generated"].pop(Namespace.tail(funcidx), None)
            self.compiled.discard(funcidx)
            self.cached.discard(funcidx)

    def _made_ready(self, instance: Instance, index: int, counts: Metered) -> Callable[..., Any]:
        funcidx = instance.module.imported_funcs + index
        if funcidx not in self._trips:
            return super()._made_ready(instance, index, counts)
        compiler.forward(instance, index, self._trips[funcidx])
        return instance.funcs[funcidx].callable

    def begin_anew(self, instance: Instance) -> None:
        super().begin_anew(instance)
        for func in own_funcs(instance):
            func.code = None

    def python_frames(self, call_depth: int) -> int:
        return MACHINE_FRAMES + call_depth

    def summary(self, instance: Instance) -> str:
        return InterpretEngine.summary(self, instance)  # type: ignore[arg-type] # reads only the instance


def own_funcs(instance: Instance) -> Sequence[Func]:
    """The functions that an instance defines."""
    return instance.funcs[instance.module.imported_funcs :]


Made = compiler.Compiled | compiler.Unsupported


def code_for(module: Module, index: int, variant: compiler.Variant, patience: Patience) -> tuple[Made, bool]:
    """The code of the defined function `index`, or the reason why it can't be compiled, and whether the
    result is new: results are stored with the module. Raises InvalidError or MalformedError, and
    DeadlineError if the waiting call has no time left."""
    known: Made | None = module.code_cache.get(index, variant)
    if known is not None:
        return known, False
    from .compile.translate import translate
    from .validate import validate_func

    made: Made
    try:
        facts = validate_func(module, index, patience)
        translation = translate(module, index, facts, variant, patience)
        module.funcs[index].forget_body()  # before `compile`, which needs the most memory
        made = translation.compile(patience)
    except compiler.Unsupported as reason:
        made = reason.with_traceback(None)
        if made.now:
            return made, True
    module.code_cache.add(index, variant, made)
    return made, True


FOREIGN: list[Callable[[FrameType], Iterable[Activation]]] = []
"""Readers of activations of engines outside this package: each finds those that a Python frame stands for,
innermost first."""
ENGINES: dict[str, Callable[[], Engine]] = {"interpret": InterpretEngine, "compile": CompileEngine}
"""Functions that make engines, by name. Each instance has an engine of its own."""


def activations(traceback: TracebackType | None) -> tuple[list[Activation], bool]:
    """The guests' functions in a traceback, innermost first, and whether an inner call has already reported
    others: a host function had called back into a guest."""
    entries = []
    while traceback is not None:
        if traceback.tb_frame.f_code is not PADDING:
            entries.append(traceback)
        traceback = traceback.tb_next
    known: dict[tuple[int, int], int] = {}
    running = [activation for entry in reversed(entries) for activation in in_entry(entry, known)]
    return running, bool(entries) and entries[-1].tb_frame.f_code is Instance.enter.__code__


def in_entry(entry: TracebackType, known: dict[tuple[int, int], int]) -> Iterable[Activation]:
    """The guests' functions of one traceback entry, innermost first. `known`: see `compiler.activation`."""
    # There may be fifty thousand entries, nearly all of them of this kind.
    compiled = compiler.activation(entry, known)
    return interpreted(entry.tb_frame) if compiled is None else (compiled,)


def interpreted(frame: FrameType) -> Iterator[Activation]:
    """The guests' functions that a Python frame which is no generated code stands for, innermost first."""
    # If `interpret` isn't imported, or is just being imported by another thread, nothing was interpreted.
    of_machine: Any = getattr(sys.modules.get(MACHINE), "activations", None)
    if of_machine is not None:
        yield from of_machine(frame)
    for read in FOREIGN:
        yield from read(frame)


def running_in(traceback: TracebackType | None) -> Iterator[Activation]:
    """The same functions, in any order, one at a time: this needs little memory. A compiled function that
    called itself comes once, so it takes little time, too."""
    compiled: tuple[object, object] | None = None
    while traceback is not None:
        frame = traceback.tb_frame
        if compiled is None or frame.f_code is not compiled[0] or frame.f_globals is not compiled[1]:
            one = compiler.activation(traceback, {})
            compiled = None if one is None else (frame.f_code, frame.f_globals)
            yield from interpreted(frame) if one is None else (one,)
        traceback = traceback.tb_next


def instances_in(traceback: TracebackType | None) -> Collection[Instance]:
    """The instances of the functions in a traceback."""
    return {id(one.instance): one.instance for one in running_in(traceback)}.values()


def of_access(error: WasmError, innermost: Activation) -> WasmError:
    """The error; if it is the trap of a load or a store, it names the instruction."""
    from .runtime.activations import op_of

    instruction = op_of(innermost)
    if not isinstance(error, Trap) or not error.detail or instruction is None or not instruction[0].access:
        return error
    return Trap(error.kind, f"{instruction[0].name} of {error.detail}")

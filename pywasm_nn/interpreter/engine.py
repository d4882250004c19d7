"""Which engine makes which function callable, and what its failures mean.

What is here: the two engines as `runtime.Engine`, the policy that hands to `interpret` what `compile` can't
do, the count of both, and the rule by which a Python exception is a trap. What is not: how bodies run
(`compile`, `interpret`); of that no more is imported than is used.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ..errors import (
    ExhaustionError,
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
from .pace import Patience
from .runtime.depth import aside, take_apart
from .runtime.instance import Engine, Func, Instance
from .runtime.meter import Metered

if TYPE_CHECKING:
    from .runtime.activations import Activation

MACHINE_FRAMES = 10_000
"""Python frames for interpreted guests, which use a few per call from the host and none per call of their
own."""
MACHINE = f"{__package__}.interpret"
OBSERVER_FRAMES = 100
"""Python frames for who is told of calls."""


class BaseEngine:
    """What both engines share: explaining what rose from a guest."""

    def explain(self, error: BaseException) -> tuple[BaseException, Collection[Instance]]:
        """See `runtime.Engine`."""
        with suppress(MemoryError):
            return self._explained(error)
        # There is no memory to tell what was running, which may be fifty thousand functions.
        instances = {id(one.instance): one.instance for one in running_in(error.__traceback__)}.values()
        risen = self.trap_of(error) or error
        if not isinstance(risen, WasmError):
            return error, instances
        risen.frames, risen.host_call, error.__traceback__ = (), None, None
        return risen.with_traceback(None), instances

    def _explained(self, error: BaseException) -> tuple[BaseException, Collection[Instance]]:
        running, below = activations(error.__traceback__)
        instances = {id(activation.instance): activation.instance for activation in running}.values()
        risen = self.trap_of(error) or error
        if not isinstance(risen, WasmError):
            return error, instances
        from .runtime.activations import guest_frames

        if running:
            risen = of_access(risen, running[0])
        if not below:
            risen.frames, risen.host_call = (), None
        risen.frames += guest_frames(running)
        # The traceback would keep every frame of the guest alive for as long as somebody keeps the error.
        running.clear()
        take_apart(error)
        return risen.with_traceback(None), instances

    def trap_of(self, error: BaseException) -> Trap | MemoryLimitError | None:
        """The trap that an exception is or stands for, or what it means that memory is short; None if it is
        something else."""
        if isinstance(error, RecursionError):
            # What host code raises is wrapped at the seam, so this is the engine's or the guest's own depth.
            return ExhaustionError(TrapKind.CALL_STACK_EXHAUSTED)
        return compiler.trap_of(error) or short_of_memory(error)


class InterpretEngine(BaseEngine):
    """Every function on the explicit machine."""

    name = "interpret"

    def make_callable(self, instance: Instance, index: int) -> Callable[..., Any]:
        from .interpret import make_entry

        return make_entry(instance, index)

    def begin_anew(self, instance: Instance) -> None:
        for func in own_funcs(instance):
            func.code = None

    def prepare(self, instance: Instance, index: int) -> None:
        """Nothing: the machine decodes what it enters."""

    def python_frames(self, call_depth: int) -> int:
        """The machine counts its own frames; Python's are for the machine and for host functions."""
        return MACHINE_FRAMES

    def summary(self, instance: Instance) -> str:
        """A line for people: what became of the functions that were called."""
        ran = sum(func.code is not None for func in instance.funcs)
        return f"engine interpret: {ran} of {len(instance.module.funcs)} functions ran"


class CompileEngine(BaseEngine):
    """Functions as generated Python, made when first called; what can't be compiled is interpreted."""

    name = "compile"

    def __init__(self) -> None:
        self.compiled: set[int] = set()
        self.cached: set[int] = set()
        """Functions that were called, by funcidx: compiled here, or before and kept."""
        self.interpreted: dict[int, str] = {}
        """Functions that were handed to `interpret`, by funcidx, and why."""
        self.follows = False
        """Whether there is a function around each that tells of its calls."""

    def make_callable(self, instance: Instance, index: int) -> Callable[..., Any]:
        self.follows = instance.watches("calls")
        return compiler.make_stub(instance, index, partial(self.make_ready, instance))

    def prepare(self, instance: Instance, index: int) -> None:
        funcidx = instance.module.imported_funcs + index
        if not (funcidx in self.compiled or funcidx in self.cached or funcidx in self.interpreted):
            self.make_ready(instance, index)

    def begin_anew(self, instance: Instance) -> None:
        ready = self.compiled | self.cached | self.interpreted.keys()
        if not ready:
            return
        compiler.forget(instance, ready)
        for funcidx in self.interpreted:
            instance.funcs[funcidx].code = None
        self.compiled, self.cached, self.interpreted = set(), set(), {}

    def make_ready(self, instance: Instance, index: int) -> Callable[..., Any]:
        """Let a function that is still a stub run its own code; the function. Raises Trap if its body is
        invalid, or the instance refuses calls."""
        while True:
            counts = instance.meter.counts
            made = self._made_ready(instance, index, counts)
            if counts is instance.meter.counts:  # else another thread has just given it a deadline
                return made

    def _made_ready(self, instance: Instance, index: int, counts: Metered) -> Callable[..., Any]:
        if instance.refusal is not None:
            raise Trap(instance.refusal)
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
        """A compiled function is a Python function, with another around it if somebody watches calls."""
        return 2 * call_depth + OBSERVER_FRAMES if self.follows else call_depth

    def summary(self, instance: Instance) -> str:
        """A line for people: what became of the functions that were called."""
        called = len(self.compiled) + len(self.cached) + len(self.interpreted)
        reasons = "; ".join(f"function {funcidx} {why}" for funcidx, why in self.interpreted.items())
        return (
            f"engine compile: {called} of {len(instance.module.funcs)} functions called: "
            f"{len(self.compiled)} compiled, {len(self.cached)} cached, {len(self.interpreted)} interpreted"
            + (f" ({reasons})" if reasons else "")
        )


def own_funcs(instance: Instance) -> Sequence[Func]:
    """The functions that an instance defines."""
    return instance.funcs[instance.module.imported_funcs :]


Made = compiler.Compiled | compiler.Unsupported


def code_for(module: Module, index: int, variant: compiler.Variant, patience: Patience) -> tuple[Made, bool]:
    """The defined function `index` as code, or why there is none, and whether that was found out only now:
    what is known belongs to the module. Raises InvalidError or MalformedError, and DeadlineError if the call
    that waits has no time left."""
    known: Made | None = module.code_cache.get(index, variant)
    if known is not None:
        return known, False
    from .compile.translate import translate
    from .validate import validate_func

    made: Made
    try:
        facts = validate_func(module, index, patience)
        translation = translate(module, index, facts, variant, patience)
        module.funcs[index].forget_body()  # before the greatest need for memory
        made = translation.compile(patience)
    except compiler.Unsupported as reason:
        made = reason.with_traceback(None)
        if made.now:
            return made, True
    module.code_cache.add(index, variant, made)
    return made, True


ENGINES: dict[str, Callable[[], Engine]] = {"interpret": InterpretEngine, "compile": CompileEngine}
"""Makers of engines, by the name that people use. An instance has an engine of its own."""


def activations(traceback: TracebackType | None) -> tuple[list[Activation], bool]:
    """Functions of guests in a traceback, innermost first, and whether there are more below them: a host
    function had called back, and that call has told its own already."""
    entries = []
    while traceback is not None:
        entries.append(traceback)
        traceback = traceback.tb_next
    running = [activation for entry in reversed(entries) for activation in in_entry(entry)]
    return running, bool(entries) and entries[-1].tb_frame.f_code is Instance.enter.__code__


def in_entry(entry: TracebackType) -> Iterator[Activation]:
    """Functions of guests that an entry of a traceback stands for, innermost first."""
    yield from compiler.activations(entry)
    # Not imported, or just being imported on another thread: nothing was interpreted.
    of_machine: Any = getattr(sys.modules.get(MACHINE), "activations", None)
    if of_machine is not None:
        yield from of_machine(entry.tb_frame)


def running_in(traceback: TracebackType | None) -> Iterator[Activation]:
    """The same functions in no order, one at a time."""
    while traceback is not None:
        yield from in_entry(traceback)
        traceback = traceback.tb_next


def of_access(error: WasmError, innermost: Activation) -> WasmError:
    """The error, which names the instruction if it is the trap of a load or a store."""
    from .runtime.activations import op_of

    instruction = op_of(innermost)
    if not isinstance(error, Trap) or not error.detail or instruction is None or not instruction[0].access:
        return error
    return Trap(error.kind, f"{instruction[0].name} of {error.detail}")

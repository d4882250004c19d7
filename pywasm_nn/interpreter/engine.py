"""Which engine makes which function callable, and what its failures mean.

What is here: the two engines as `runtime.Engine`, the policy that hands to `interpret` what `compile` can't
do, the count of both, and the rule by which a Python exception is a trap. What is not: how bodies run
(`compile`, `interpret`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from types import TracebackType
from typing import Any

from ..errors import (
    ExhaustionError,
    GuestFrame,
    InvalidError,
    LimitError,
    MalformedError,
    Trap,
    TrapKind,
    WasmException,
)
from . import compile as compiler
from . import interpret
from .depth import aside
from .names import Names
from .runtime import Engine, Instance
from .validate import validate_func

MACHINE_FRAMES = 10_000
"""Python frames for interpreted guests, which use a few per call from the host and none per call of their
own."""


class BaseEngine:
    """What both engines share: explaining what rose from a guest."""

    def explain(self, error: BaseException) -> BaseException:
        """See `runtime.Engine`."""
        risen = error if isinstance(error, WasmException | LimitError) else self.trap_of(error)
        if risen is None:
            return error
        names: dict[int, Names] = {}
        frames = []
        for instance, frame in guest_frames(error.__traceback__):
            known = names.setdefault(id(instance), Names(instance.module))
            frames.append(
                GuestFrame(frame.module, frame.funcidx, known.function(frame.funcidx), frame.offset)
            )
        risen.frames = tuple(frames)
        # The traceback would keep every frame of the guest alive for as long as somebody keeps the error.
        return risen.with_traceback(None)

    def trap_of(self, error: BaseException) -> Trap | None:
        """The trap that an exception is or stands for; None if it is something else."""
        if isinstance(error, RecursionError):
            # What host code raises is wrapped at the seam, so this is the engine's or the guest's own depth.
            return ExhaustionError(TrapKind.CALL_STACK_EXHAUSTED)
        return compiler.trap_of(error)

    def instances(self, error: BaseException) -> Iterator[Instance]:
        """See `runtime.Engine`."""
        for instance, _ in guest_frames(error.__traceback__):
            yield instance


class InterpretEngine(BaseEngine):
    """Every function on the explicit machine."""

    name = "interpret"

    def make_callable(self, instance: Instance, index: int) -> Callable[..., Any]:
        return interpret.make_entry(instance, index)

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
        self.interpreted: dict[int, str] = {}
        """Functions that were handed to `interpret`, by funcidx, and why."""

    def make_callable(self, instance: Instance, index: int) -> Callable[..., Any]:
        return compiler.make_stub(instance, index, partial(self.make_ready, instance))

    def prepare(self, instance: Instance, index: int) -> None:
        funcidx = instance.module.imported_funcs + index
        if funcidx not in self.compiled and funcidx not in self.interpreted:
            self.make_ready(instance, index)

    def make_ready(self, instance: Instance, index: int) -> None:
        """Let a function that is still a stub run its own code. Raises Trap if its body is invalid."""
        funcidx = instance.module.imported_funcs + index
        try:
            compiled = aside(partial(code_for, instance, index))
        except compiler.Unsupported as reason:
            self.interpreted[funcidx] = str(reason)
            compiler.forward(instance, index, interpret.make_entry(instance, index))
            return
        except (InvalidError, MalformedError) as error:
            raise Trap(TrapKind.INVALID_BODY, str(error)) from error
        compiler.install(instance, compiled)
        self.compiled.add(funcidx)

    def python_frames(self, call_depth: int) -> int:
        """A compiled function is a Python function."""
        return call_depth

    def summary(self, instance: Instance) -> str:
        """A line for people: what became of the functions that were called."""
        total = len(instance.module.funcs)
        text = f"engine compile: {len(self.compiled)} of {total} functions compiled"
        reasons = "; ".join(f"function {funcidx} {why}" for funcidx, why in self.interpreted.items())
        return f"{text}, {len(self.interpreted)} interpreted" + (f" ({reasons})" if reasons else "")


def code_for(instance: Instance, index: int) -> compiler.Compiled:
    """The compiled function, which belongs to the module: other instances have it ready."""
    module, variant = instance.module, compiler.Variant(instance.flavour, instance.meter.counts)
    made: compiler.Compiled | None = module.code_cache.get((index, variant))
    if made is None:
        facts = validate_func(module, index)
        made = compiler.translate(module, index, facts, variant).compile()
        module.code_cache[index, variant] = made
    return made


ENGINES: dict[str, Callable[[], Engine]] = {"interpret": InterpretEngine, "compile": CompileEngine}
"""Makers of engines, by the name that people use. An instance has an engine of its own."""


def guest_frames(traceback: TracebackType | None) -> Iterator[tuple[Instance, GuestFrame]]:
    """Guest frames in a traceback, innermost first."""
    entries = []
    while traceback is not None:
        entries.append(traceback)
        traceback = traceback.tb_next
    for entry in reversed(entries):
        yield from compiler.frames_of(entry)
        yield from interpret.frames_of(entry.tb_frame)

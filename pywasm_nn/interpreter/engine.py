"""Which engine makes which function callable, and what its failures mean.

What is here: the two engines as `runtime.Engine`, the policy that hands to `interpret` what `compile` can't
do, the count of both, and the rule by which a Python exception is a trap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from ..errors import ExhaustionError, GuestFrame, Trap, TrapKind
from . import interpret
from .names import Names
from .runtime import Engine, Instance

MACHINE_FRAMES = 10_000
"""Python frames for interpreted guests, which use a few per call from the host and none per call of their
own."""


@dataclass(slots=True)
class EngineStats:
    """What became of the functions that were called so far, by funcidx."""

    compiled: set[int] = field(default_factory=set)
    interpreted: dict[int, str] = field(default_factory=dict)
    """Functions that `compile` handed to `interpret`, and why."""


class BaseEngine:
    """What both engines share: explaining what rose from a guest."""

    name: str

    def __init__(self) -> None:
        self.stats = EngineStats()

    def explain(self, error: BaseException) -> BaseException:
        """See `runtime.Engine`."""
        trap = self.trap_of(error)
        if trap is None:
            return error
        names: dict[int, Names] = {}
        frames = []
        for instance, frame in guest_frames(error.__traceback__):
            known = names.setdefault(id(instance), Names(instance.module))
            frames.append(
                GuestFrame(frame.module, frame.funcidx, known.function(frame.funcidx), frame.offset)
            )
        trap.frames = tuple(frames)
        # The traceback would keep every frame of the guest alive for as long as somebody keeps the trap.
        return trap.with_traceback(None)

    def trap_of(self, error: BaseException) -> Trap | None:
        """The trap that an exception is or stands for; None if it is something else."""
        if isinstance(error, Trap):
            return error
        if isinstance(error, RecursionError):
            # What host code raises is wrapped at the seam, so this is the engine's or the guest's own depth.
            return ExhaustionError(TrapKind.CALL_STACK_EXHAUSTED)
        return None

    def summary(self, instance: Instance) -> str:
        """A line for people: what became of the functions that were called."""
        return f"engine {self.name}: {sum(func.code is not None for func in instance.funcs)} functions ran"

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


ENGINES: dict[str, Callable[[], Engine]] = {"interpret": InterpretEngine, "compile": InterpretEngine}
"""Makers of engines, by the name that people use. An instance has an engine of its own."""


def guest_frames(traceback: TracebackType | None) -> Iterator[tuple[Instance, GuestFrame]]:
    """Guest frames in a traceback, innermost first."""
    entries = []
    while traceback is not None:
        entries.append(traceback)
        traceback = traceback.tb_next
    for entry in reversed(entries):
        yield from interpret.frames_of(entry.tb_frame)

"""What can be watched: events, and the protocol of those who watch.

Observers are chosen when an instance is made; without one nothing is paid. Host events come from the one
point that every host call passes (`host`), inference from the session of wasi-nn, calls and basic blocks
from both engines; instructions and steps come from `interpret`. What is not here: how events are shown
(`watch`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from ...records import record
from ..instructions import Op
from ..module import Module
from .memory import Memory

MOST_BYTES = 256
"""So many bytes of a write are kept."""


@record
class HostEvent:
    """A finished host call: names and lifted values of the parameters, and what came of it.

    `result` is what the guest got (a number or None; a text of what a component got), `error` what was raised
    inside, mapped to a number or not. Views of guest memory among the arguments are good only during the call
    of the observer.
    """

    module: str
    name: str
    arguments: tuple[tuple[str, Any], ...]
    result: Any
    error: BaseException | None
    seconds: float


@record
class Write:
    """Bytes of memory `memidx` that were written: `count` from `address` on, of which `before` and `after`
    have the first MOST_BYTES."""

    memidx: int
    address: int
    count: int
    before: bytes
    after: bytes


@record
class InstructionEvent:
    """An instruction that `interpret` has just executed, or that raised `error`.

    `stack` is the operand stack of the frame afterwards, top last, `popped` the operands it took, in order,
    `locals` all locals afterwards: canonical values. `local` is the index of the local that was set,
    `global_` index and value of the global that was. `depth` is 1 for the function called from outside.
    """

    funcidx: int
    offset: int
    op: Op
    imm: Any
    popped: Sequence[Any]
    stack: Sequence[Any]
    locals: Sequence[Any]
    depth: int
    local: int | None = None
    global_: tuple[int, Any] | None = None
    write: Write | None = None
    error: BaseException | None = None


class Watched(Protocol):
    """What an observer sees of the instance that it watches."""

    module: Module
    mems: list[Memory]

    def exported_memory(self, name: str) -> Memory | None: ...


class Observer:
    """Base of everything that watches a guest: override what you want to see.

    `wants` names the levels that this observer needs, so that the others cost nothing: "host", "nn", "calls",
    "blocks", "instr", "steps". It is read when the instance is made. An observer watches one instance at a
    time.
    """

    wants: frozenset[str] = frozenset()

    def attach(self, instance: Watched) -> None:
        """An instance is being made, which this observer watches from now on."""

    def host_call(self, event: HostEvent) -> None:
        """A host function returned or raised. Needs "host"."""

    def nn_event(self, event: Any) -> None:
        """An operation of wasi-nn ended (`nn.NNEvent`, which this package doesn't know). Needs "nn"."""

    def enter(self, funcidx: int, arguments: Sequence[Any], depth: int) -> None:
        """A guest function is entered. Needs "calls"."""

    def leave(self, funcidx: int, results: Sequence[Any], depth: int) -> None:
        """A guest function returned, or was left by a tail call or an exception, then without results.
        Needs "calls"."""

    def block(self, funcidx: int, offset: int) -> None:
        """A basic block begins: instructions that only run one after the other, the first at this byte
        offset. Needs "blocks"."""

    def instruction(self, event: InstructionEvent) -> None:
        """An instruction was executed. Needs "instr"."""

    def before(self, machine: Any) -> None:
        """An instruction is about to be executed by `machine` (`interpret.Machine`, which isn't known here),
        whose state may be read and changed meanwhile. Needs "steps"."""

    def ended(self, error: BaseException) -> None:
        """The outermost call from outside ended with what its caller gets now: a trap, an exit, an
        exception."""

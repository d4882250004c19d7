"""Events of a running guest, and the base class of observers.

An observer is chosen when an instance is made; without one there is no cost. Host events come from the one
point that every host call passes (`host`), inference events from the session of wasi-nn, calls and basic
blocks from both engines; instructions and steps only from `interpret`. What is not here: showing events
(`watch`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ...records import Frozen
from ..instructions import Op
from ..module import Module
from .memory import Memory
from .store import Store

MOST_BYTES = 256
"""The number of bytes that are kept of a write."""


class HostEvent(Frozen):
    """A finished host call: names and lifted values of the parameters, and the outcome.

    `result` is the result for the guest (a number or None; for a component a text), `error` the exception
    that was raised inside, whether or not a face turned it into a number. Views of guest memory among the
    arguments are valid only during the observer's call.
    """

    module: str
    name: str
    arguments: tuple[tuple[str, Any], ...]
    result: Any
    error: BaseException | None
    seconds: float


class Write(Frozen):
    """A write to memory `memidx`: `count` bytes from `address` on; `before` and `after` have the first
    MOST_BYTES."""

    memidx: int
    address: int
    count: int
    before: bytes
    after: bytes


class InstructionEvent(Frozen):
    """An instruction that `interpret` has just executed, or that raised `error`.

    `stack` is the frame's operand stack after it, top last, `popped` the operands that it took, in order,
    `locals` all locals after it; all values are canonical. `local` is the index of the local that was set,
    `global_` index and value of the global that was set. `depth` is 1 for the function that the host called.
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


StandIn = Callable[[str, str, Sequence[Any], Callable[..., Any]], Any]
"""Answers a host call by namespace, name and core values; the last argument is the host's function."""


class Watched(Protocol):
    """The part of an instance that its observer sees."""

    module: Module
    mems: list[Memory]
    globals: Any
    store: Store
    engine: Any

    def exported_memory(self, name: str) -> Memory | None: ...


class Observer:
    """Base of all observers of a guest: override the methods for the events that you need.

    `wants` names the levels that the observer needs, so that others cost nothing: "host", "nn", "calls",
    "blocks", "instr", "steps". It is read when the instance is made. An observer watches one instance at a
    time.
    """

    wants: frozenset[str] = frozenset()

    @property
    def stand_in(self) -> StandIn | None:
        """The function that answers a guest's host calls instead of the host in a copy of the process, where
        the guest goes on to see what it does. The host asks for it before each call. Needs "host"."""
        return None

    def inside(self, module: Module) -> Observer:
        """The observer for a new instance of a component's core module: by default this one. Calls from the
        component to its host are always reported to this one."""
        return self

    def on_thread(self, number: int, module: Module) -> Observer:
        """The observer for the instance on a further thread of the guest, which has this number, from 1 on:
        by default one that sees nothing. Called on that thread, while others run."""
        return Observer()

    def attach(self, instance: Watched) -> None:
        """An instance is being made that this observer will watch."""

    def host_call(self, event: HostEvent) -> None:
        """A host function returned or raised. Needs "host"."""

    def nn_event(self, event: Any) -> None:
        """An operation of wasi-nn ended (`nn.NNEvent`, a class of another package). Needs "nn"."""

    def waiting(self, size: int) -> None:
        """The host waits while another process makes ready for a model of so many bytes: what is done now
        delays nobody. Needs "nn"."""

    def enter(self, funcidx: int, arguments: Sequence[Any], depth: int) -> None:
        """A guest function is entered. Needs "calls"."""

    def leave(self, funcidx: int, results: Sequence[Any], depth: int) -> None:
        """A guest function returned; after a tail call or an exception `results` is empty. Needs "calls"."""

    def block(self, funcidx: int, offset: int) -> None:
        """A basic block (instructions that are always executed together) begins at this byte offset. Needs
        "blocks"."""

    def instruction(self, event: InstructionEvent) -> None:
        """An instruction was executed. Needs "instr"."""

    # For "steps": an observer that stops a guest (`interpret.SteppedMachine`)

    away = False
    """Whether the running functions need not be seen step by step."""

    def before(self, machine: Any) -> int:
        """An instruction is about to be executed by `machine`, whose state may be read and changed. Returns
        how many instructions may be executed until the next question; 0 if the innermost function, which is
        at its beginning, may run as one instruction by its callable."""
        return 1

    def failing(self, machine: Any, error: BaseException) -> BaseException | None:
        """This error ends the machine's call. Returns the error for its caller; None if the machine was put
        back to an earlier state and shall go on."""
        return error

    def interprets(self, func: Any) -> bool:
        """Whether the instructions of a function (`instance.Func`) that is called now must be seen."""
        return True

    def prepared(self, func: Any, code: Any) -> Any:
        """The code (`interpret.code.Code`) to run for a function, made from the code as prepared."""
        return code

    def calling(self, func: Any) -> None:
        """The machine calls a function that doesn't run on it: one of the host, or compiled."""

    def called(self, func: Any) -> None:
        """The function has returned or raised."""

    def pauses_after(self, func: Any) -> bool:
        """Whether `before` must be asked now that such a function has returned."""
        return False

    def hosting(
        self, instance: Any, bind: Callable[[Any], Callable[..., Any]], module: str
    ) -> Callable[..., Any]:
        """The callable for a host function that `instance` imports from `module`; `bind` makes it for an
        instance."""
        return bind(instance)

    def ended(self, error: BaseException) -> None:
        """The host's outermost call ended with this error, which its caller gets: a trap, an exit, an
        exception."""

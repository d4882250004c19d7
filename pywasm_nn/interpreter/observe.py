"""What can be watched: events, and the protocol of those who watch.

Observers are chosen when an instance is made; without one nothing is paid. Host events come from the one
point that every host call passes (`host.py`), so from any engine; instruction and call events come from
`interpret`. What is not here: how events are shown (`watch`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .instructions import Op


@dataclass(frozen=True, slots=True)
class HostEvent:
    """A finished host call: names and lifted values of the parameters, and what came of it.

    `result` is what the guest got (a number or None), `error` what was raised inside, mapped to a number or
    not.
    """

    module: str
    name: str
    arguments: tuple[tuple[str, Any], ...]
    result: Any
    error: BaseException | None
    seconds: float


@dataclass(frozen=True, slots=True)
class InstructionEvent:
    """An instruction that `interpret` has just executed.

    `stack` is the operand stack of the frame afterwards, top last, `popped` the operands it took, in order.
    """

    funcidx: int
    offset: int
    op: Op
    imm: Any
    popped: Sequence[Any]
    stack: Sequence[Any]
    depth: int


class Observer:
    """Base of everything that watches a guest: override what you want to see.

    `wants` names the levels that this observer needs, so that the others cost nothing: "host", "calls",
    "instr".
    """

    wants: frozenset[str] = frozenset()

    def host_call(self, event: HostEvent) -> None:
        """A host function returned or raised. Needs "host"."""

    def enter(self, funcidx: int, arguments: Sequence[Any], depth: int) -> None:
        """A guest function is entered. Needs "calls"."""

    def leave(self, funcidx: int, results: Sequence[Any], depth: int) -> None:
        """A guest function returned, or was left by a tail call or an exception, then without results.
        Needs "calls"."""

    def instruction(self, event: InstructionEvent) -> None:
        """An instruction was executed. Needs "instr"."""

"""Open blocks, loops and choices, and where code goes meanwhile.

What is here: `Scopes`, which alone knows the structured instructions that are open, into which sequence of
the tree statements go, and whether control gets there. What is not: operands (`stack.py`), and what is known
of variables (`known.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...types import FuncType
from ..forms.operands import ROUND, ZERO, Known, Operand, call, item
from ..forms.tree import Assign, Br, If, Label, Leave, Loop, Node, Seq

CELL = item("cell", ZERO)
"""An f32: what is stored there is rounded."""


class Scope:
    """A structured instruction that is open."""

    __slots__ = (
        "around",
        "arrivals",
        "choice",
        "end",
        "finish",
        "height",
        "known",
        "label",
        "node",
        "orelse",
        "params",
        "resume",
        "seq",
        "start",
        "type",
    )  # fmt: skip

    def __init__(self, type_: FuncType, end: int, height: int, seq: Seq, around: Scope | None) -> None:
        self.type = type_
        self.label = Label()
        """Where branches to what follows it go."""
        self.end = self.resume = end
        """Index of its `end`, and of the `else` or `end` up to which code is dead after a branch."""
        self.height = height
        self.seq = seq
        """Where its code begins: at `seq[start]`."""
        self.start = len(seq)
        self.around = around
        """The innermost loop or try_table that it stands in."""
        self.arrivals: list[tuple[Br, Scope | None, Known]] = []
        """Branches to `label`: what they stand in, as `around`, and what is known there."""
        self.node: Loop | None = None
        """The loop that it is."""
        self.finish: Callable[[Any, Scope], None] | None = None
        """Of a try_table: what comes after its body, once the scope is closed; the first argument is the
        emitter."""
        self.choice: If | None = None
        """Of a counted loop: which of its two forms runs."""
        self.orelse: Seq | None = None
        """Of an `if` before its `else`: where that goes."""
        self.params: list[Operand] = []
        self.known: Known = {}
        """Of an `if`: its parameters, and what is known where its `else` begins. Of a counted loop: the
        stack, and what is known where its second form begins."""


class Scopes:
    """What is open, the function's own scope first, and the end of the code so far."""

    __slots__ = ("around", "dead", "open", "root", "seq", "views")

    def __init__(self, type_: FuncType, end: int, views: bool) -> None:
        self.root: Seq = []
        self.seq = self.root
        """Where statements go."""
        self.open = [Scope(FuncType((), type_.results), end, 0, self.root, None)]
        self.around: Scope | None = None
        """The innermost loop or try_table that is open."""
        self.dead = False
        """Whether control doesn't get here."""
        self.views = views
        """Whether memory is seen through views, one of which rounds."""

    @property
    def innermost(self) -> Scope:
        return self.open[-1]

    def target(self, depth: int) -> Scope:
        """The scope `depth` levels out."""
        return self.open[-1 - depth]

    # Statements

    def append(self, node: Node) -> None:
        self.seq.append(node)

    def assign(self, target: Operand, operand: Operand, instr: int = -1) -> None:
        """Evaluate an operand into a variable. A value to be rounded is rounded on the way."""
        if not operand.flags & ROUND:
            self.seq.append(Assign(target, operand, instr))
        elif self.views:
            self.seq.append(Assign(CELL, operand, instr))
            self.seq.append(Assign(target, CELL))
        else:
            self.seq.append(Assign(target, call("round32", (operand,)), instr))

    def leave(self, values: Sequence[Operand] = (), instr: int = -1, raises: bool = False) -> None:
        """Leave the function."""
        self.seq.append(Leave(values, instr, raises))
        self.dead = True

    def branch(self, label: Label) -> Br:
        """Go to a label."""
        br = Br(label)
        self.seq.append(br)
        self.dead = True
        return br

    # Scopes

    def begin(self, type_: FuncType, end: int, height: int) -> Scope:
        """Open a scope here."""
        scope = Scope(type_, end, height, self.seq, self.around)
        self.open.append(scope)
        return scope

    def close(self) -> Scope:
        """Close the innermost scope. What comes next goes where it began."""
        scope = self.open.pop()
        self.around = scope.around
        self.seq = scope.seq
        return scope

    def go_on(self, seq: Seq) -> None:
        """Let statements go there from now on: an arm, or what follows one."""
        self.seq = seq

    def die(self) -> None:
        """Control doesn't get here."""
        self.dead = True

    def revive(self) -> None:
        """Control gets here again."""
        self.dead = False

    def inside(self, scope: Scope, seq: Seq) -> None:
        """Go on in the body of a loop or of what catches."""
        self.around = scope
        self.seq = seq

    def begin_loop(self, scope: Scope, node: Loop) -> None:
        """Go on in the body of a loop."""
        if node.counts is None:
            node.end = scope.label
        scope.node = node
        self.seq.append(node)
        self.inside(scope, node.body)

    def begin_choice(self, condition: Operand, instr: int = -1) -> If:
        """A choice, whose arms are still empty."""
        node = If(condition, instr)
        self.seq.append(node)
        return node

    def gather(self, scope: Scope) -> Seq:
        """Take what was written since a scope was opened, to put it into something."""
        body = self.seq[scope.start :]
        del self.seq[scope.start :]
        return body

    def begin_else(self, scope: Scope) -> None:
        """Go on in the second arm of an `if`."""
        assert scope.orelse is not None
        self.seq, scope.orelse = scope.orelse, None
        self.dead = False

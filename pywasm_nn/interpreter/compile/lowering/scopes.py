"""Open blocks, loops and choices, and the place where code is added.

What is here: `Scopes`, which alone knows the open structured instructions, the sequence of the tree to which
statements are added, and whether the current place is reachable. What is not: operands (`stack.py`), and
facts about variables (`known.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...types import FuncType
from ..forms.contents import Known
from ..forms.integers import MASKED, SIGNED, beyond
from ..forms.operands import FORM_VARIABLE, ROUND, VAR, ZERO, Operand, binary, bounded, call, item, number
from ..forms.tree import Assign, Br, If, Label, Leave, Line, Loop, Node, Seq, Try, Update, When

CORRECTED = frozenset({MASKED, SIGNED})
CELL = item("cell", ZERO)
"""A cell of an f32 array: storing a value there rounds it."""


class Scope:
    """An open structured instruction."""

    __slots__ = (
        "around",
        "arrivals",
        "choice",
        "clauses",
        "counting",
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
        """The target of branches to the place after it."""
        self.end = self.resume = end
        """The index of its `end`, and of the `else` or `end` where code is live again after a branch."""
        self.height = height
        self.seq = seq
        """The sequence that contains its code, from `seq[start]` on."""
        self.start = len(seq)
        self.around = around
        """The innermost loop or protected body around it."""
        self.arrivals: list[tuple[Br, Scope | None, Known]] = []
        """Branches to `label`: each with the loop or protected body around it, and the facts that hold
        there."""
        self.node: Loop | None = None
        """The node of a loop."""
        self.finish: Callable[[Any, Scope], None] | None = None
        """For what catches exceptions: emits the code after it, once the scope is closed; the first argument
        is the emitter."""
        self.choice: If | None = None
        """For a counted loop: the choice between its two forms."""
        self.orelse: Seq | None = None
        """For an `if` before its `else`: the sequence of the `else`."""
        # Set only there, because creating lists takes time.
        self.counting: Any
        """For a counted loop: the one around it, if that is written as `for`, too (`counted.Counted`)."""
        self.clauses: Any
        """For a legacy `try`: its clauses (`exceptions.Clauses`)."""
        self.params: list[Operand]
        self.known: Known
        """For an `if`: its parameters, and the facts at the start of its `else`. For a counted loop: the
        stack, and the facts at the start of its second form."""


class Scopes:
    """The open scopes, from the function's own inwards, and the end of the code so far."""

    __slots__ = ("around", "dead", "guards", "open", "root", "seq", "views")

    def __init__(self, type_: FuncType, end: int, views: bool) -> None:
        self.root: Seq = []
        self.seq = self.root
        """The sequence to which statements are added."""
        self.open = [Scope(type_, end, 0, self.root, None)]
        self.around: Scope | None = None
        """The innermost open loop or protected body."""
        self.guards: list[tuple[Scope, Try]] = []
        """The open scopes whose bodies have a handler of exceptions, from the outermost on."""
        self.dead = False
        """Whether the current place is unreachable."""
        self.views = views
        """Whether memory is accessed through views, one of which rounds."""

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
        """Evaluate an operand into a variable; a value that needs rounding is rounded."""
        if operand.form in CORRECTED and target.reads and target.form == FORM_VARIABLE:
            self.correct(target, operand, instr)
        elif not operand.flags & ROUND:
            self.seq.append(Assign(target, operand, instr))
        elif self.views:
            self.seq.append(Assign(CELL, operand, instr))
            self.seq.append(Assign(target, CELL))
        else:
            self.seq.append(Assign(target, call("round32", (operand,)), instr))

    def correct(self, target: Operand, operand: Operand, instr: int) -> None:
        """Evaluate a number that is changed only beyond limits into a variable: change it there, which is
        faster and shorter than in an expression."""
        value, least, most = operand.parts[0], operand.lo, operand.hi
        limits = operand.limits
        if value.flags & VAR:
            self.seq.append(Assign(target, operand, instr))
            return
        whole = bounded(target, value.lo, value.hi)
        self.seq.append(Assign(whole, value, instr))
        if operand.form == MASKED:
            change: Line = Update(target, "&", number(most))
        else:
            positive = binary("&", binary("+", whole, number(-least)), number(most - least))
            change = Assign(target, binary("-", positive, number(-least)))
        self.seq.append(When(beyond(whole, limits), (change,)))

    def leave(self, values: Sequence[Operand] = (), instr: int = -1, raises: bool = False) -> None:
        """Leave the function."""
        self.seq.append(Leave(values, instr, raises))
        self.dead = True

    def branch(self, label: Label) -> Br:
        """Branch to a label."""
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
        """Close the innermost scope. Later statements go to the sequence around it."""
        scope = self.open.pop()
        self.around = scope.around
        self.seq = scope.seq
        return scope

    def go_on(self, seq: Seq) -> None:
        """Add statements to this sequence from now on."""
        self.seq = seq

    def die(self) -> None:
        """Mark the current place as unreachable."""
        self.dead = True

    def revive(self) -> None:
        """Mark the current place as reachable."""
        self.dead = False

    def inside(self, scope: Scope, seq: Seq) -> None:
        """Continue in the body of a loop or in a protected one."""
        self.around = scope
        self.seq = seq

    def outside(self, scope: Scope) -> None:
        """Continue after that body, with the scope still open."""
        self.around = scope.around
        self.seq = scope.seq

    def protect(self, scope: Scope, node: Try) -> None:
        """Continue in the body of a node with a handler of exceptions."""
        self.guards.append((scope, node))
        self.inside(scope, node.body)

    def protected(self) -> Try:
        """End the innermost protected body. Returns its node."""
        return self.guards.pop()[1]

    def guards_before(self, end: int) -> list[Try]:
        """The nodes with handlers around this place, as far as their scopes end before this instruction."""
        found: list[Try] = []
        for scope, node in reversed(self.guards):
            if scope.end >= end:
                break
            found.append(node)
        return found

    def begin_loop(self, scope: Scope, node: Loop) -> None:
        """Continue in the body of a loop."""
        if node.counts is None:
            node.end = scope.label
        scope.node = node
        self.seq.append(node)
        self.inside(scope, node.body)

    def begin_choice(self, condition: Operand, instr: int = -1) -> If:
        """Add a choice with empty arms."""
        node = If(condition, instr)
        self.seq.append(node)
        return node

    def gather(self, scope: Scope) -> Seq:
        """Remove and return the code since a scope was opened, to put it into a node."""
        body = self.seq[scope.start :]
        del self.seq[scope.start :]
        return body

    def begin_else(self, scope: Scope) -> None:
        """Continue in the second arm of an `if`."""
        assert scope.orelse is not None
        self.seq, scope.orelse = scope.orelse, None
        self.dead = False

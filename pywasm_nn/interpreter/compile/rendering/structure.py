"""Structured control flow: from a surveyed tree to Python's `while` and `if`.

What is here: `Renderer`. Python has no jumps except `break` and `continue`, so a branch to the place that
comes next anyway is omitted, and other branches leave a `while 1:` that is written for them, or restart it.
Blocks that several branches leave become nested loops, or one loop around a tree of tests that falls through
its cases: the variable `c1` (in another such loop `c2`) says which case is the first. A branch through
several loops sets the variable `b` and is continued after each loop that it leaves. What is not: functions
that nest deeper than Python allows (`machine.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...namespace import Namespace
from ..forms.operands import FORM_NOT, TEST, Operand
from ..forms.tree import NOWHERE, Block, Br, Case, Chain, If, Leave, Line, Loop, Node, Point, Seq, Switch, Try

FEW_ROUNDS = 24
"""After so many rounds of a loop that searches, more are done at once (`lowering/search.py`)."""


class Open:
    """A Python loop that is being written."""

    __slots__ = ("breaks", "continues", "crossed")

    def __init__(self, breaks: Point, *continues: Point) -> None:
        self.breaks = breaks
        self.continues = continues
        self.crossed: dict[Point, None] = {}
        """The final targets of branches that leave this loop, in the order of appearance."""

    def jump(self, point: Point) -> str | None:
        if self.breaks is point:
            return "break"
        return "continue" if point in self.continues else None


class Renderer:
    """Writes a tree as lines of Python."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.instrs: list[int] = []
        self.open: list[Open] = []
        self.crossings = 0
        self.passes = False
        """Whether exceptions pass handlers, counted by the variable `past`."""
        self.trees = 0
        """The number of trees of cases that are being written."""

    @property
    def indent(self) -> int:
        """The deepest indentation of the lines."""
        return max((len(line) - len(line.lstrip(" ")) for line in self.lines), default=0)

    def write(self, indent: int, text: str, instr: int = -1) -> None:
        self.lines.append(" " * indent + text)
        self.instrs.append(instr)

    def render(self, seq: Seq, fall: Point, indent: int) -> bool:
        """Write a surveyed sequence, or `pass`. Returns whether its textual end is reachable."""
        start = len(self.lines)
        falls = self.sequence(seq, fall, indent)
        if len(self.lines) == start:
            self.write(indent, "pass")
        return falls

    def sequence(self, seq: Seq, fall: Point, indent: int) -> bool:
        while True:
            if len(seq) > 1:
                self.all_inner(seq[:-1], indent)
            if not seq:
                return True
            node = seq[-1]
            if isinstance(node, Br):
                if node.seq is not None:
                    seq = node.seq
                    continue
                if node.label.point is fall:
                    return True
                leave = node.label.leave
                if leave is None:
                    self.jump(node.label.point, indent)
                else:
                    self.write(indent, leave.text, leave.instr)
                return False
            if isinstance(node, Block):
                return self.block(node, indent)
            if isinstance(node, If):
                rest = self.if_(node, fall, indent)
                if rest is None:
                    return any(node.falls)
                seq = rest
                continue
            if isinstance(node, Switch):
                self.switch(node, fall, indent)
                return any(node.falls)
            if isinstance(node, Loop):
                self.loop(node, indent)
                return node.exit.jumped or node.counts is not None
            if isinstance(node, Line):
                self.write(indent, node.text, node.instr)
                return True
            assert isinstance(node, Leave)
            self.write(indent, node.text, node.instr)
            return False

    def all_inner(self, seq: Seq, indent: int) -> None:
        """Write nodes that aren't the last of a sequence."""
        lines, instrs, margin = self.lines, self.instrs, " " * indent
        for node in seq:
            if isinstance(node, Line):
                lines.append(margin + node.text)
                instrs.append(node.instr)
            else:
                self.inner(node, indent)

    def inner(self, node: Node, indent: int) -> None:
        """Write a node that is no line and isn't the last of a sequence."""
        if isinstance(node, Block):
            self.block(node, indent)
        elif isinstance(node, Loop):
            self.loop(node, indent)
        elif isinstance(node, Try):
            self.write(indent, "try:")
            self.render(node.body, node.point, indent + 1)
            self.handler(node, indent)

    def handler(self, node: Try, indent: int) -> None:
        """Write the handler of a protected body."""
        if node.passes:
            self.passes = True
            self.write(indent, "except WasmException:")
            if node.is_passed:
                self.write(indent + 1, "if past: past -= 1")
                self.write(indent + 1, f"else: past = {node.passes}")
            else:
                self.write(indent + 1, f"past = {node.passes}")
            self.write(indent + 1, "raise")
            return
        self.write(indent, "except WasmException as thrown:")
        if node.is_passed:
            self.write(indent + 1, "if past:")
            self.write(indent + 2, "past -= 1")
            self.write(indent + 2, "raise")
        if node.tags:
            self.write(indent + 1, f"if {mismatch(node.tags)}:")
            self.write(indent + 2, "raise")
        self.keep(indent + 1)

    def keep(self, indent: int) -> None:
        """Write the lines that keep an exception, without its traceback, so that frames are released."""
        self.write(indent, "thrown.__traceback__ = None")
        self.write(indent, "caught = thrown")

    def loop(self, node: Loop, indent: int) -> None:
        if node.ahead is not None:
            self.searching(node, node.ahead, indent)
            return
        self.write(indent, "while 1:" if node.counts is None else node.counts.text)
        self.open.append(Open(node.exit, node.label.point))
        self.render(node.body, node.label.point, indent + 1)
        if node.counts is not None:
            self.write(indent, f"else: {node.counts.after.text}")
        self.close(indent)

    def searching(self, node: Loop, ahead: Line, indent: int) -> None:
        """Write a loop in which something is done after each few rounds. The constant tuple isn't built."""
        self.write(indent, "while 1:")
        self.write(indent + 1, f"for k in (0,) * {FEW_ROUNDS}:")
        self.open.append(Open(node.exit, node.label.point))
        self.render(node.body, node.label.point, indent + 2)
        self.write(indent + 1, "else:")
        self.write(indent + 2, ahead.text)
        self.write(indent + 2, "continue")
        self.write(indent + 1, "break")
        self.close(indent)

    def block(self, node: Block, indent: int) -> bool:
        """Write a chain of blocks. Returns whether its textual end is reachable."""
        chain = node.chain
        assert chain is not None
        for line in chain.lines:
            self.write(indent, line.text, line.instr)
        if chain.is_tree:
            return self.tree_of_cases(chain, indent)
        points = [group[0].point for group in chain.groups[1:]]
        if chain.left:
            points.append(chain.point)
        for point in reversed(points):
            self.write(indent, "while 1:")
            self.open.append(Open(point))
            indent += 1
        falls = False
        for number, group in enumerate(chain.groups):
            falls = self.group(group, indent)
            if number < len(points):
                if falls:
                    self.write(indent, "break")
                indent -= 1
                self.close(indent)
        return falls or chain.left

    def group(self, group: list[Case], indent: int) -> bool:
        """Write cases without jumps between them. Returns whether their textual end is reachable."""
        falls = False
        for case in group:
            falls = self.sequence(case.seq, case.after, indent)
        return falls

    def tree_of_cases(self, chain: Chain, indent: int) -> bool:
        """Write a chain as a tree of tests. When control falls out of the cases on one side of a test, it
        reaches the code for the other side. Returns whether the textual end is reachable."""
        self.trees += 1
        name = Namespace.case(self.trees)
        numbers, entry = chain.numbers()
        numbered = list(zip(numbers, chain.groups, strict=True))
        for number, group in numbered:
            group[0].point.text = f"{name} = {number}"
        self.write(indent, f"{name} = {entry}")
        is_looped = chain.is_looped
        if is_looped:
            self.write(indent, "while 1:")
            self.open.append(Open(chain.point, *(group[0].point for group in chain.groups)))
            indent += 1
        falls = self.cases(name, numbered, indent)
        if is_looped:
            if falls:
                self.write(indent, "break")
            self.close(indent - 1)
        self.trees -= 1
        return falls or chain.left

    def cases(self, name: str, groups: Sequence[tuple[int, list[Case]]], indent: int) -> bool:
        """Write a part of the tree. Returns whether its textual end is reachable."""
        if len(groups) == 1:
            return self.group(groups[0][1], indent)
        middle = len(groups) // 2
        self.write(indent, f"if {name} < {groups[middle][0]}:")
        start = len(self.lines)
        self.cases(name, groups[:middle], indent + 1)
        if len(self.lines) == start:
            self.lines.pop()
            self.instrs.pop()
        return self.cases(name, groups[middle:], indent)

    def if_(self, node: If, fall: Point, indent: int) -> Seq | None:
        """Write an If. Returns the arm to write after it at the same level, if there is one."""
        then_falls, else_falls = node.falls
        head = len(self.lines)
        if not then_falls:
            self.write(indent, f"if {node.condition.text}:", node.instr)
            self.render(node.then, NOWHERE, indent + 1)
            self.shorten(head)
            return node.orelse
        if not else_falls:
            if self.goes_round(
                node.then, fall
            ):  # falling through to the loop's end is faster than `continue`
                self.write(indent, f"if {node.condition.text}: continue", node.instr)
                return node.orelse
            self.write(indent, f"if {negation(node.condition)}:", node.instr)
            self.render(node.orelse, fall, indent + 1)
            self.shorten(head)
            return node.then
        self.write(indent, f"if {node.condition.text}:", node.instr)
        self.sequence(node.then, fall, indent + 1)
        if len(self.lines) == head + 1:
            self.lines[head] = f"{' ' * indent}if {negation(node.condition)}:"
            if self.sequence(node.orelse, fall, indent + 1) and len(self.lines) == head + 1:
                self.write(indent + 1, "pass")
            self.shorten(head)
            return None
        self.shorten(head)
        middle = len(self.lines)
        self.write(indent, "else:")
        self.sequence(node.orelse, fall, indent + 1)
        if len(self.lines) == middle + 1:
            self.lines.pop()
            self.instrs.pop()
        self.shorten(middle)
        return None

    def shorten(self, head: int) -> None:
        """If the last arm of a choice, begun by this line, is a simple statement, write it behind the colon:
        a block of its own takes Python's compiler as long as the statement. Not if both may trap."""
        lines, instrs = self.lines, self.instrs
        if len(lines) != head + 2 or (instrs[head] >= 0 and instrs[-1] >= 0):
            return
        text = lines[-1].lstrip(" ")
        if not text.startswith("if "):
            instrs[head] = max(instrs[head], instrs.pop())
            lines[head] = f"{lines[head]} {text}"
            lines.pop()

    def goes_round(self, seq: Seq, fall: Point) -> bool:
        """Whether a sequence only continues the innermost loop, which would happen at its end anyway."""
        if fall.text or not self.open or fall not in self.open[-1].continues:
            return False
        return not seq or (isinstance(seq[0], Br) and seq[0].seq is None)

    def switch(self, node: Switch, fall: Point, indent: int) -> None:
        self.tree(node.value.text, node.bounds, lambda n, i: self.render(node.arms[n], fall, i), indent)

    def tree(
        self,
        text: str,
        bounds: Sequence[int],
        leaf: Callable[[int, int], object],
        indent: int,
        arms: range | None = None,
    ) -> None:
        """Write a choice as a binary tree: `leaf` writes arm n with an indentation, for values from
        `bounds[n]` up to below `bounds[n + 1]`. `arms` are the remaining ones, all by default."""
        arms = arms or range(len(bounds))
        if len(arms) == 1:
            leaf(arms[0], indent)
            return
        middle = len(arms) // 2
        self.write(indent, f"if {text} < {bounds[arms[middle]]}:")
        self.tree(text, bounds, leaf, indent + 1, arms[:middle])
        self.write(indent, "else:")
        self.tree(text, bounds, leaf, indent + 1, arms[middle:])

    def jump(self, point: Point, indent: int) -> None:
        """Write a jump to a point that isn't reached by falling through."""
        depth = len(self.open) - 1
        while (how := self.open[depth].jump(point)) is None:
            self.open[depth].crossed[point] = None
            depth -= 1
        before = f"{point.text}; " if point.text and how == "continue" else ""
        if depth < len(self.open) - 1:
            if not point.number:
                self.crossings += 1
                point.number = self.crossings
            before += f"b = {point.number}; "
            how = "break"
        self.write(indent, before + how)

    def close(self, indent: int) -> None:
        """End a Python loop: continue branches that left it for an outer target."""
        crossed = self.open.pop().crossed
        if not crossed:
            return
        head = len(self.lines)
        self.write(indent, "if b:")
        further = []
        for point in crossed:
            how = self.open[-1].jump(point)
            if how is None:
                further.append(point)
            elif len(crossed) > 1:
                self.write(indent + 1, f"if b == {point.number}: b = 0; {how}")
            else:
                self.write(indent + 1, f"b = 0; {how}")
        if further:
            self.write(indent + 1, "break")
        self.shorten(head)


def negation(condition: Operand) -> str:
    """The negated condition."""
    if condition.form == FORM_NOT:
        return condition.text[len("not ") :]
    return f"not {condition.text}" if condition.level >= TEST else f"not ({condition.text})"


def mismatch(tags: tuple[str, ...]) -> str:
    """A condition: the exception has none of these tags."""
    if len(tags) == 1:
        return f"thrown.tag is not {tags[0]}"
    return f"thrown.tag not in ({', '.join(tags)})"

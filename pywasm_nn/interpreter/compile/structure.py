"""Control structure: from a tree of blocks, loops and branches to Python's `while` and `if`.

What is here: the nodes of the tree that `emit.py` builds, and `Renderer`, which writes it as Python. Python
has no jumps but `break` and `continue`, so branches that only go where control goes anyway are nothing,
blocks become a `while 1:` that is left by `break` if they need one, and a branch across several loops sets
the variable `b` and is continued after each loop it leaves.
What is not: functions that nest deeper than Python allows (`machine.py`).

The tree: after an If, a Switch, a Br or a Leave nothing follows in the same sequence. What comes next in the
guest's code is in the arm that gets there; only where several arms meet is there a Block, and what follows
stands after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .operands import negation

MAX_LOOPS = 18
"""Python refuses to nest more than 20 loops statically."""
MAX_INDENT = 80
"""Python refuses 100 levels of indentation."""


class Point:
    """A place in the code where control can go: the start of a loop, or what follows a block."""

    __slots__ = ("jumped", "number")

    def __init__(self) -> None:
        self.jumped = False
        """Whether reaching it takes a jump out of the block it follows."""
        self.number = 0
        """The value of `b` that means it, if it is reached across loops."""


class Label:
    """A label of the guest. `point` is where branches to it go, set by `Renderer`."""

    __slots__ = ("point",)

    def __init__(self) -> None:
        self.point: Point = NOWHERE


NOWHERE = Point()


class Node:
    """A piece of the tree. `text` and `instr` are a line of Python and the index of the instruction in it
    that may trap."""

    __slots__ = ("instr", "text")

    def __init__(self, text: str = "", instr: int = -1) -> None:
        self.text = text
        self.instr = instr


Seq = list[Node]


class Line(Node):
    """A simple statement."""

    __slots__ = ()


class Leave(Node):
    """A statement after which nothing follows: it returns or raises."""

    __slots__ = ()


class Br(Node):
    """A branch. Where it is the only way to what follows its block, that is in `seq` instead."""

    __slots__ = ("label", "seq")

    def __init__(self, label: Label) -> None:
        super().__init__()
        self.label = label
        self.seq: Seq | None = None


class If(Node):
    """`text` is the condition."""

    __slots__ = ("falls", "orelse", "then")

    def __init__(self, text: str, instr: int) -> None:
        super().__init__(text, instr)
        self.then: Seq = []
        self.orelse: Seq = []
        self.falls = (True, True)


class Switch(Node):
    """Arms chosen by the variable `text`: arm i from `bounds[i]` up to below `bounds[i + 1]`."""

    __slots__ = ("arms", "bounds", "falls")

    def __init__(self, text: str, bounds: Sequence[int]) -> None:
        super().__init__(text)
        self.bounds = bounds
        self.arms: list[Seq] = [[] for _ in bounds]
        self.falls: list[bool] = []


class Nest(Node):
    """A node that others are in."""

    __slots__ = ("too_deep",)

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self.too_deep = False
        """Whether it was found to nest deeper than Python allows, so that nobody needs to look again."""


class Block(Nest):
    """Several ways in `body` meet after it."""

    __slots__ = ("body", "label", "point")

    def __init__(self, label: Label, body: Seq) -> None:
        super().__init__()
        self.label = label
        self.body = body
        self.point = NOWHERE


class Loop(Nest):
    """`label` is its start, `end` what follows it. `text` begins it; a `for` does `after` at its end."""

    __slots__ = ("after", "body", "end", "exit", "label")

    def __init__(self, text: str = "while 1:", after: str = "") -> None:
        super().__init__(text)
        self.after = after
        self.label = Label()
        self.end = Label()
        self.body: Seq = []
        self.exit = NOWHERE


class Try(Nest):
    """`body` with a handler that keeps an exception in `caught`, if it has one of `tags`, or any where there
    are none. What follows looks there."""

    __slots__ = ("body", "point", "tags")

    def __init__(self, tags: tuple[str, ...]) -> None:
        super().__init__()
        self.tags = tags
        self.body: Seq = []
        self.point = NOWHERE


class Extent:
    """How deep a rendered sequence nests: loops and indentation."""

    __slots__ = ("indent", "loops")

    def __init__(self) -> None:
        self.loops = 0
        self.indent = 0

    def cover(self, inner: Extent, loops: int, indent: int) -> None:
        """Take in a part that nests inside so many loops and indentations. Raises TooDeep at once where that
        is too much for Python, so that nobody goes on looking at what won't fit."""
        loops += inner.loops
        indent += inner.indent
        if loops > self.loops:
            self.loops = loops
        if indent > self.indent:
            self.indent = indent
        if loops > MAX_LOOPS or indent > MAX_INDENT:
            raise TooDeep


HANDLER = Extent()
HANDLER.loops = HANDLER.indent = 2
"""How deep handlers nest: Python counts two blocks for one that names its exception."""


class TooDeep(Exception):
    """The tree nests deeper than Python allows, or than we look. `certain` is the depth of looking down to
    which that holds of everything around the place where it was found."""

    def __init__(self, certain: int = MAX_INDENT) -> None:
        super().__init__()
        self.certain = certain


def survey(seq: Seq, fall: Point, exits: tuple[Point, ...], depth: int = 0) -> tuple[bool, Extent]:
    """Give labels their points and find out which need jumps. `fall` is where control goes at the end of
    `seq`, `exits` are where `break` would go in the loops around.

    Returns whether control gets to the textual end, and how deep the sequence nests.
    """
    if depth > MAX_INDENT:
        raise TooDeep(MAX_INDENT // 4)
    extent = Extent()
    depth += 1
    while True:
        node = seq[-1] if seq else None
        for inner in seq[:-1]:
            if isinstance(inner, Nest):
                try:
                    survey_inner(inner, exits, extent, depth)
                except TooDeep as error:
                    inner.too_deep = depth <= error.certain
                    raise
        if isinstance(node, Br):
            if node.seq is not None:
                seq = node.seq
                continue
            if node.label.point is fall:
                return True, extent
            if node.label.point not in exits:
                node.label.point.jumped = True
            return False, extent
        if isinstance(node, Block):
            node.point = node.label.point = fall
            seq = node.body
            continue
        if isinstance(node, If):
            then, inside = survey(node.then, fall, exits, depth)
            extent.cover(inside, 0, 1)
            orelse, inside = survey(node.orelse, fall, exits, depth)
            extent.cover(inside, 0, int(then))
            node.falls = (then, orelse)
            return then or orelse, extent
        if isinstance(node, Switch):
            levels = len(node.arms).bit_length()
            node.falls = []
            for arm in node.arms:
                falls, inside = survey(arm, fall, exits, depth)
                extent.cover(inside, 0, levels)
                node.falls.append(falls)
            return any(node.falls), extent
        if isinstance(node, Loop):
            node.exit = fall
            return survey_loop(node, exits, extent, depth), extent
        return not isinstance(node, Leave), extent


def survey_inner(node: Nest, exits: tuple[Point, ...], extent: Extent, depth: int) -> None:
    """Survey a node that something follows."""
    if isinstance(node, Block):
        node.point = node.label.point = Point()
        _, below = survey(node.body, node.point, exits, depth)
        extent.cover(below, int(node.point.jumped), int(node.point.jumped))
    elif isinstance(node, Loop):
        node.exit = Point()
        survey_loop(node, exits, extent, depth)
    elif isinstance(node, Try):
        node.point = Point()
        _, below = survey(node.body, node.point, exits, depth)
        extent.cover(below, 1, 1)
        extent.cover(HANDLER, 0, 0)


def survey_loop(loop: Loop, exits: tuple[Point, ...], extent: Extent, depth: int) -> bool:
    loop.label.point, loop.end.point = Point(), loop.exit
    _, inside = survey(loop.body, loop.label.point, (*exits, loop.exit), depth)
    extent.cover(inside, 1, 1)
    return True


class Open:
    """A Python loop that is being written."""

    __slots__ = ("breaks", "continues", "crossed")

    def __init__(self, breaks: Point, continues: Point | None) -> None:
        self.breaks = breaks
        self.continues = continues
        self.crossed: list[Point] = []
        """Where branches that leave this loop are still to go."""

    def jump(self, point: Point) -> str | None:
        if self.breaks is point:
            return "break"
        return "continue" if self.continues is point else None


class Renderer:
    """Writes a tree as lines of Python."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.instrs: list[int] = []
        self.open: list[Open] = []
        self.crossings = 0

    @property
    def indent(self) -> int:
        """How deep the lines are indented at most."""
        return max((len(line) - len(line.lstrip(" ")) for line in self.lines), default=0)

    def write(self, indent: int, text: str, instr: int = -1) -> None:
        self.lines.append(" " * indent + text)
        self.instrs.append(instr)

    def render(self, seq: Seq, fall: Point, indent: int) -> bool:
        """Write a surveyed sequence, or `pass`. Returns whether control gets to its textual end."""
        start = len(self.lines)
        falls = self.sequence(seq, fall, indent)
        if len(self.lines) == start:
            self.write(indent, "pass")
        return falls

    def sequence(self, seq: Seq, fall: Point, indent: int) -> bool:
        while True:
            for inner in seq[:-1]:
                self.inner(inner, indent)
            if not seq:
                return True
            node = seq[-1]
            if isinstance(node, Br):
                if node.seq is not None:
                    seq = node.seq
                    continue
                if node.label.point is fall:
                    return True
                self.jump(node.label.point, indent)
                return False
            if isinstance(node, Block):
                seq = node.body
                continue
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
                return True
            self.write(indent, node.text, node.instr)
            return isinstance(node, Line)

    def inner(self, node: Node, indent: int) -> None:
        """Write a node that something follows."""
        if isinstance(node, Block):
            if not node.point.jumped:
                self.sequence(node.body, node.point, indent)
                return
            self.write(indent, "while 1:")
            self.open.append(Open(node.point, None))
            if self.render(node.body, node.point, indent + 1):
                self.write(indent + 1, "break")
            self.close(indent)
        elif isinstance(node, Loop):
            self.loop(node, indent)
        elif isinstance(node, Try):
            self.write(indent, "try:")
            self.render(node.body, node.point, indent + 1)
            self.write(indent, "except WasmException as thrown:")
            if node.tags:
                self.write(indent + 1, f"if {mismatch(node.tags)}:")
                self.write(indent + 2, "raise")
            self.keep(indent + 1)
        else:
            self.write(indent, node.text, node.instr)

    def keep(self, indent: int) -> None:
        """Keep an exception, but not the frames that it came through."""
        self.write(indent, "thrown.__traceback__ = None")
        self.write(indent, "caught = thrown")

    def loop(self, node: Loop, indent: int) -> None:
        self.write(indent, node.text)
        self.open.append(Open(node.exit, node.label.point))
        self.render(node.body, node.label.point, indent + 1)
        if node.after:
            self.write(indent, "else:")
            self.write(indent + 1, node.after)
        self.close(indent)

    def if_(self, node: If, fall: Point, indent: int) -> Seq | None:
        """Write an If. Returns the arm that is to be written after it at the same level, if there is one."""
        then_falls, else_falls = node.falls
        if not then_falls:
            self.write(indent, f"if {node.text}:", node.instr)
            self.render(node.then, fall, indent + 1)
            return node.orelse
        if not else_falls:
            if self.goes_round(node.then, fall):  # falling to the jump back is faster than jumping there
                self.write(indent, f"if {node.text}:", node.instr)
                self.write(indent + 1, "continue")
                return node.orelse
            self.write(indent, f"if {negation(node.text)}:", node.instr)
            self.render(node.orelse, fall, indent + 1)
            return node.then
        head = len(self.lines)
        self.write(indent, f"if {node.text}:", node.instr)
        self.sequence(node.then, fall, indent + 1)
        if len(self.lines) == head + 1:
            self.lines[head] = f"{' ' * indent}if {negation(node.text)}:"
            if self.sequence(node.orelse, fall, indent + 1) and len(self.lines) == head + 1:
                self.write(indent + 1, "pass")
            return None
        middle = len(self.lines)
        self.write(indent, "else:")
        self.sequence(node.orelse, fall, indent + 1)
        if len(self.lines) == middle + 1:
            self.lines.pop()
            self.instrs.pop()
        return None

    def goes_round(self, seq: Seq, fall: Point) -> bool:
        """Whether a sequence does nothing but begin the loop around it anew, which it would at its end."""
        if not self.open or self.open[-1].continues is not fall:
            return False
        return not seq or (isinstance(seq[0], Br) and seq[0].seq is None)

    def switch(self, node: Switch, fall: Point, indent: int) -> None:
        self.tree(node.text, node.bounds, lambda n, i: self.render(node.arms[n], fall, i), indent)

    def tree(
        self,
        text: str,
        bounds: Sequence[int],
        leaf: Callable[[int, int], object],
        indent: int,
        arms: range | None = None,
    ) -> None:
        """Write a choice as a binary tree: `leaf` writes arm n, indented so much, for values from `bounds[n]`
        up to below `bounds[n + 1]`. `arms` are those that are left, all to begin with."""
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
        """Go to a point that isn't where control goes anyway."""
        depth = len(self.open) - 1
        while (how := self.open[depth].jump(point)) is None:
            if point not in self.open[depth].crossed:
                self.open[depth].crossed.append(point)
            depth -= 1
        if depth < len(self.open) - 1:
            if not point.number:
                self.crossings += 1
                point.number = self.crossings
            self.write(indent, f"b = {point.number}")
            how = "break"
        self.write(indent, how)

    def close(self, indent: int) -> None:
        """End a Python loop: go on with branches that left it for somewhere further out."""
        crossed = self.open.pop().crossed
        if not crossed:
            return
        self.write(indent, "if b:")
        further = []
        for point in crossed:
            how = self.open[-1].jump(point)
            if how is None:
                further.append(point)
                continue
            inside = indent + 1
            if len(crossed) > 1:
                self.write(inside, f"if b == {point.number}:")
                inside += 1
            self.write(inside, "b = 0")
            self.write(inside, how)
        if further:
            self.write(indent + 1, "break")


def mismatch(tags: tuple[str, ...]) -> str:
    """A condition: that the exception has none of these tags."""
    if len(tags) == 1:
        return f"thrown.tag is not {tags[0]}"
    return f"thrown.tag not in ({', '.join(tags)})"

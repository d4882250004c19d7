"""The tree that a body becomes before it is Python: lines, choices, loops, blocks, and branches between them.

What is here: the nodes, which `lowering/` makes. What is not: how deep they nest and which branches take
jumps (`rendering/survey.py`), and their text (`rendering/structure.py`).

After an If, a Switch, a Br or a Leave nothing follows in the same sequence. What comes next in the guest's
code is in the arm that gets there; only where several arms meet is there a Block, and what follows stands
after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

MOST_NESTED = 4
"""Groups of cases that are loops, one in the other: each takes another test of a jump across several."""


class Point:
    """A place in the code where control can go: the start of a loop, what follows a block, a piece of a
    machine."""

    __slots__ = ("jumped", "number", "text")

    def __init__(self, text: str = "") -> None:
        self.text = text
        """What is done before jumping there."""
        self.jumped = False
        """Whether reaching it takes a jump out of the block it follows."""
        self.number = 0
        """The value of `b` that means it, if it is reached across loops."""


class Label:
    """A label of the guest. `point` is where branches to it go, set by `survey`."""

    __slots__ = ("leave", "point")

    def __init__(self, point: Point | None = None) -> None:
        self.point = point or NOWHERE
        self.leave: Leave | None = None
        """What a branch does instead, if there is nothing else to do where it goes."""


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
    """A branch, which is no line itself. Where it is the only way to what follows its block, that is in `seq`
    instead."""

    __slots__ = ("label", "seq")

    def __init__(self, label: Label) -> None:
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

    __slots__ = ("body", "chain", "label")

    def __init__(self, label: Label, body: Seq) -> None:
        super().__init__()
        self.label = label
        self.body = body
        self.chain: Chain | None = None
        """The block and those that it begins with, once somebody has looked."""


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


class Case:
    """What follows one block of a chain, up to the end of the next: control falls into it from the case
    before, and gets to it by its labels or from a switch."""

    __slots__ = ("after", "bound", "labels", "point", "seq")

    def __init__(self, labels: list[Label], seq: Seq, bound: int | None = None) -> None:
        self.labels = labels
        self.seq = seq
        self.bound = bound
        """The least operand of the switch that leads here; None if none does."""
        self.point = self.after = NOWHERE
        """Where it begins, and where control falls from its end."""


class Chain:
    """Blocks that begin at the same place, one in the other, as cases in the order of their ends.

    `lines` come first. Then the first case begins, or, if there is a `switch`, that which the variable of
    this name chooses. `ends` are labels of what follows all.
    """

    __slots__ = ("cases", "ends", "groups", "left", "lines", "point", "switch")

    def __init__(self, lines: Seq, switch: str, cases: list[Case], ends: list[Label]) -> None:
        self.lines = lines
        self.switch = switch
        self.cases = cases
        self.ends = ends
        self.point = NOWHERE
        """What follows."""
        self.left = False
        """Whether getting there takes a jump."""
        self.groups: list[list[Case]] = []
        """Cases up to the next to which control must be able to jump."""

    def arrange(self, left: bool) -> None:
        """Take in what takes jumps."""
        self.left = left
        self.groups = []
        for case in self.cases:
            if not self.groups or case.point.jumped or case.bound is not None:
                self.groups.append([])
            self.groups[-1].append(case)

    @property
    def is_tree(self) -> bool:
        """Whether a variable says where control is to go; else each group is a loop to break out of, in the
        next one's."""
        return bool(self.switch) or len(self.groups) > MOST_NESTED

    @property
    def is_looped(self) -> bool:
        """Whether a tree takes a loop, because there are jumps."""
        return self.left or any(group[0].point.jumped for group in self.groups)

    def nesting(self) -> Iterator[tuple[list[Case], int, int]]:
        """Groups, and in how many loops and indentations each stands."""
        count, around = len(self.groups), int(self.is_looped)
        for number, group in enumerate(self.groups, 1):
            if self.is_tree:
                yield group, around, around + (count - 1).bit_length()
            else:
                loops = count - number + self.left
                yield group, loops, loops

    def numbers(self) -> tuple[list[int], str]:
        """What the variable is for each group, in order, and to begin with."""
        bounds, switch = [group[0].bound for group in self.groups], self.switch
        if not switch:
            return list(range(len(bounds))), "0"
        places = [place for place, bound in enumerate(bounds) if bound is not None]
        known = [bound for bound in bounds if bound is not None]
        last, most = places[-1], known[-1]
        if last + 1 == len(known):
            more = [most + n for n in range(1, len(bounds) - last)]
            return known + more, f"{switch} if {switch} < {most} else {most}" if more else switch
        runs = zip(places, known, known[1:], strict=False)
        listed = ", ".join(str(place) for place, start, end in runs for _ in range(start, end))
        return list(range(len(bounds))), f"({listed},)[{switch}] if {switch} < {most} else {last}"

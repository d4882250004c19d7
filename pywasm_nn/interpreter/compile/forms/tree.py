"""The tree for a function body: lines, choices, loops, blocks, and branches between them.

What is here: the nodes, which `lowering/` creates. What is not: their nesting depth and which branches need
jumps (`rendering/survey.py`), and their text (`rendering/structure.py`).

An If, a Switch, a Br or a Leave is always the last node of its sequence. The code after it in the guest is in
the arm that reaches it; only if several arms reach it, there is a Block, and the code is after the Block.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .operands import Operand

MOST_NESTED = 4
"""The most groups of cases as nested loops: each level adds a test to a jump across several."""


class Point:
    """A target in the code: the start of a loop, the place after a block, the start of a machine's piece."""

    __slots__ = ("jumped", "number", "text")

    def __init__(self, text: str = "") -> None:
        self.text = text
        """The code to run before a jump there."""
        self.jumped = False
        """Whether it is reached by a jump out of the block before it."""
        self.number = 0
        """The value of `b` for a jump to it across loops."""


class Label:
    """A label of the guest. `point` is the target of branches to it, set by `survey`."""

    __slots__ = ("leave", "point")

    def __init__(self, point: Point | None = None) -> None:
        self.point = point or NOWHERE
        self.leave: Leave | None = None
        """The return to write instead of a branch, if there is only a return at the label."""


NOWHERE = Point()


class Node:
    """A part of the tree. `instr` is the index of the only instruction in its first line that may trap."""

    __slots__ = ("instr",)

    def __init__(self, instr: int = -1) -> None:
        self.instr = instr


Seq = list[Node]


class Line(Node):
    """A simple statement."""

    __slots__ = ("text",)

    text: str
    """The statement in Python, created once, like the text of operands."""

    @property
    def operands(self) -> tuple[Operand, ...]:
        """The operands that it evaluates, in order."""
        raise NotImplementedError

    @property
    def targets(self) -> tuple[Operand, ...]:
        """The variables that it sets afterwards."""
        return ()


class Assign(Line):
    """`target = value`."""

    __slots__ = ("target", "value")

    def __init__(self, target: Operand, value: Operand, instr: int = -1) -> None:
        self.target = target
        self.value = value
        self.instr = instr
        self.text = f"{target.text} = {value.text}"

    @property
    def operands(self) -> tuple[Operand, ...]:
        return (self.value,)

    @property
    def targets(self) -> tuple[Operand, ...]:
        return (self.target,)


class AssignAll(Line):
    """Several variables set at once: to as many values, or to the parts of one operand."""

    __slots__ = ("all_targets", "values")

    def __init__(self, targets: Sequence[Operand], values: Sequence[Operand], instr: int = -1) -> None:
        super().__init__(instr)
        self.all_targets = tuple(targets)
        self.values = tuple(values)
        names = ", ".join([target.text for target in targets])
        self.text = f"{names} = {', '.join([value.text for value in values])}"

    @property
    def operands(self) -> tuple[Operand, ...]:
        return self.values

    @property
    def targets(self) -> tuple[Operand, ...]:
        return self.all_targets


class AssignSame(Line):
    """Several variables set to the same constant."""

    __slots__ = ("all_targets", "value")

    def __init__(self, targets: Sequence[Operand], value: Operand) -> None:
        super().__init__()
        self.all_targets = tuple(targets)
        self.value = value
        self.text = " = ".join([operand.text for operand in (*targets, value)])

    @property
    def operands(self) -> tuple[Operand, ...]:
        return (self.value,)

    @property
    def targets(self) -> tuple[Operand, ...]:
        return self.all_targets


class Update(Line):
    """`target += value`, or with another symbol."""

    __slots__ = ("symbol", "target", "value")

    def __init__(self, target: Operand, symbol: str, value: Operand) -> None:
        super().__init__()
        self.target = target
        self.symbol = symbol
        self.value = value
        self.text = f"{target.text} {symbol}= {value.text}"

    @property
    def operands(self) -> tuple[Operand, ...]:
        return self.target, self.value

    @property
    def targets(self) -> tuple[Operand, ...]:
        return (self.target,)


class Do(Line):
    """An operand that is evaluated for its effects."""

    __slots__ = ("value",)

    def __init__(self, value: Operand, instr: int = -1) -> None:
        self.value = value
        self.instr = instr
        self.text = value.text

    @property
    def operands(self) -> tuple[Operand, ...]:
        return (self.value,)


class When(Line):
    """Simple statements under a condition, in one line."""

    __slots__ = ("condition", "lines")

    def __init__(self, condition: Operand, lines: Sequence[Line], instr: int = -1) -> None:
        super().__init__(instr)
        self.condition = condition
        self.lines = tuple(lines)
        self.text = f"if {condition.text}: {'; '.join([line.text for line in lines])}"

    @property
    def operands(self) -> tuple[Operand, ...]:
        return self.condition, *(operand for line in self.lines for operand in line.operands)


class Pass(Line):
    """An empty statement."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__()
        self.text = "pass"

    @property
    def operands(self) -> tuple[Operand, ...]:
        return ()


class Leave(Node):
    """Return these values, or raise the only one."""

    __slots__ = ("text", "values")

    def __init__(self, values: Sequence[Operand] = (), instr: int = -1, raises: bool = False) -> None:
        super().__init__(instr)
        self.values = tuple(values)
        texts = ", ".join([value.text for value in values])
        if raises or len(values) == 1:
            self.text = f"{'raise' if raises else 'return'} {texts}"
        else:
            self.text = f"return ({texts})" if texts else "return"


class Br(Node):
    """A branch. If it is the only way to the code after its block, that code is in `seq` instead."""

    __slots__ = ("label", "seq")

    def __init__(self, label: Label) -> None:
        self.instr = -1
        self.label = label
        self.seq: Seq | None = None


class If(Node):
    """A choice between two arms."""

    __slots__ = ("condition", "falls", "orelse", "then")

    def __init__(self, condition: Operand, instr: int = -1) -> None:
        self.instr = instr
        self.condition = condition
        self.then: Seq = []
        self.orelse: Seq = []
        self.falls = (True, True)


class Switch(Node):
    """Arms chosen by a variable: arm i from `bounds[i]` up to below `bounds[i + 1]`."""

    __slots__ = ("arms", "bounds", "falls", "value")

    def __init__(self, value: Operand, bounds: Sequence[int]) -> None:
        super().__init__()
        self.value = value
        self.bounds = bounds
        self.arms: list[Seq] = [[] for _ in bounds]
        self.falls: list[bool] = []


class Nest(Node):
    """A node that contains others."""

    __slots__ = ("too_deep",)

    def __init__(self) -> None:
        self.instr = -1
        self.too_deep = False
        """Whether it was found to nest deeper than Python allows, so that no second survey is necessary."""


class Block(Nest):
    """`body`, with the place after it as the target of branches in it."""

    __slots__ = ("body", "chain", "label")

    def __init__(self, label: Label, body: Seq) -> None:
        super().__init__()
        self.label = label
        self.body = body
        self.chain: Chain | None = None
        """The chain of this block and the blocks at its start, once computed."""


class For:
    """The header of a counting loop: `local` goes from `start` to below `stop`, in steps of 1 or `step`;
    `after` is executed at the end of the last round. If `simple` isn't true, `local` goes on until it is
    `stop`, and wraps."""

    __slots__ = ("after", "local", "simple", "start", "step", "stop")

    def __init__(
        self, local: Operand, start: Operand, stop: Operand, step: Operand | None, after: Line
    ) -> None:
        self.local = local
        self.start = start
        self.stop = stop
        self.step = step
        self.after = after
        self.simple: Operand | None = None

    @property
    def text(self) -> str:
        arguments = [self.start.text, self.stop.text]
        if self.step is not None:
            arguments.append(self.step.text)
        given = ", ".join(arguments)
        if self.simple is None:
            return f"for {self.local.text} in range({given}):"
        return f"for {self.local.text} in range({given}) if {self.simple.text} else wrapped({given}):"


class Loop(Nest):
    """A loop: `label` is its start, `end` the place after it. It continues until it is left, or counts."""

    __slots__ = ("ahead", "body", "counts", "end", "exit", "label")

    def __init__(self, counts: For | None = None) -> None:
        super().__init__()
        self.counts = counts
        self.ahead: Line | None = None
        """Of a loop that doesn't count: what may be done after each few rounds, to be faster."""
        self.label = Label()
        self.end = Label()
        self.body: Seq = []
        self.exit = NOWHERE


class Try(Nest):
    """`body` with a handler that stores an exception in `caught` if it has one of `tags`, or any exception if
    there are none. The code after it checks `caught`. Or, if `passes` isn't 0, the handler raises the
    exception again, past so many handlers around it."""

    __slots__ = ("body", "is_passed", "passes", "point", "tags")

    def __init__(self, tags: tuple[str, ...], passes: int = 0) -> None:
        super().__init__()
        self.tags = tags
        self.passes = passes
        self.is_passed = False
        """Whether exceptions from its body may be to pass its handler."""
        self.body: Seq = []
        self.point = NOWHERE


class Case:
    """The code after one block of a chain, up to the end of the next block: control falls into it from the
    previous case, and reaches it by its labels or from a switch."""

    __slots__ = ("after", "bound", "labels", "point", "seq")

    def __init__(self, labels: list[Label], seq: Seq, bound: int | None = None) -> None:
        self.labels = labels
        self.seq = seq
        self.bound = bound
        """The least operand of the switch for which this case is the first; None if there is none."""
        self.point = self.after = NOWHERE
        """The start of the case, and the point after it."""


class Chain:
    """Blocks that begin at the same place, nested in each other, as cases in the order of their ends.

    `lines` are executed first. Then the first case begins, or, if there is a `switch`, the case that this
    variable selects. `ends` are labels of the place after the chain.
    """

    __slots__ = ("cases", "ends", "groups", "left", "lines", "point", "switch")

    def __init__(
        self, lines: list[Line], switch: Operand | None, cases: list[Case], ends: list[Label]
    ) -> None:
        self.lines = lines
        self.switch = switch
        self.cases = cases
        self.ends = ends
        self.point = NOWHERE
        """The place after the chain."""
        self.left = False
        """Whether that place is reached by a jump."""
        self.groups: list[list[Case]] = []
        """The cases, divided before each case that jumps must be able to reach."""

    def arrange(self, left: bool) -> None:
        """Compute the groups."""
        self.left = left
        self.groups = []
        for case in self.cases:
            if not self.groups or case.point.jumped or case.bound is not None:
                self.groups.append([])
            self.groups[-1].append(case)

    @property
    def is_tree(self) -> bool:
        """Whether a variable says which case is next; otherwise each group is a loop to break out of, inside
        the loop of the next group."""
        return self.switch is not None or len(self.groups) > MOST_NESTED

    @property
    def is_looped(self) -> bool:
        """Whether the tree needs a loop, because there are jumps."""
        return self.left or any(group[0].point.jumped for group in self.groups)

    def nesting(self) -> Iterator[tuple[list[Case], int, int]]:
        """Each group with the number of loops and indentations around it."""
        count, around = len(self.groups), int(self.is_looped)
        for number, group in enumerate(self.groups, 1):
            if self.is_tree:
                yield group, around, around + (count - 1).bit_length()
            else:
                loops = count - number + self.left
                yield group, loops, loops

    def numbers(self) -> tuple[list[int], str]:
        """The value of the variable for each group, in order, and its initial value."""
        bounds = [group[0].bound for group in self.groups]
        if self.switch is None:
            return list(range(len(bounds))), "0"
        switch = self.switch.text
        places = [place for place, bound in enumerate(bounds) if bound is not None]
        known = [bound for bound in bounds if bound is not None]
        last, most = places[-1], known[-1]
        if last + 1 == len(known):
            more = [most + n for n in range(1, len(bounds) - last)]
            return known + more, f"{switch} if {switch} < {most} else {most}" if more else switch
        runs = zip(places, known, known[1:], strict=False)
        listed = ", ".join(str(place) for place, start, end in runs for _ in range(start, end))
        return list(range(len(bounds))), f"({listed},)[{switch}] if {switch} < {most} else {last}"

"""Finds out how deep a tree nests as Python, and which of its branches need jumps."""

from __future__ import annotations

from ...pace import Work
from ..forms.tree import NOWHERE, Block, Br, Case, If, Leave, Line, Loop, Nest, Node, Point, Seq, Switch, Try
from .chains import branch_of, chain_of, leading, only_leaves

MAX_LOOPS = 18
"""Python refuses more than 20 statically nested loops."""
MAX_INDENT = 80
"""Python refuses 100 levels of indentation."""
MOST_FALLING = 16
"""The most nested choices from which control falls through to the same place; more of them jump there."""

STEPS_TO_SURVEY = 4
"""Steps of `Work` for each node."""


class Extent:
    """The nesting depth of a rendered sequence, in loops and indentation."""

    __slots__ = ("indent", "loops")

    def __init__(self) -> None:
        self.loops = 0
        self.indent = 0

    def cover(self, inner: Extent, loops: int, indent: int) -> None:
        """Include a part that is nested inside so many loops and indentations. Raises TooDeep at once if that
        is too much for Python, so that the survey ends early."""
        loops += inner.loops
        indent += inner.indent
        if loops > self.loops:
            self.loops = loops
        if indent > self.indent:
            self.indent = indent
        if loops > MAX_LOOPS or indent > MAX_INDENT:
            raise TooDeep


FLAT = Extent()
"""No nesting."""
HANDLER = Extent()
HANDLER.loops = HANDLER.indent = 2
"""The nesting of handlers: for Python a handler that names its exception counts as two blocks."""


class TooDeep(Exception):
    """The tree nests deeper than Python allows, or than the survey goes.

    Nodes that the survey has entered in at most `certain` calls of itself are too deep, too, so that no later
    survey of them is needed. That is all of them if their nesting was measured. If the survey gave up before,
    it is the outer ones: an inner one may still be small enough for a piece of a state machine.
    """

    def __init__(self, certain: int = MAX_INDENT) -> None:
        super().__init__()
        self.certain = certain


def survey(seq: Seq, fall: Point, near: tuple[Point, ...], work: Work, depth: int = 0) -> tuple[bool, Extent]:
    """Assign points to labels and find out which need jumps. `fall` is the point after `seq`, `near` are the
    points that `break` and `continue` reach in the loops around.

    Returns whether the textual end is reachable, and how deep the sequence nests.
    """
    if depth > MAX_INDENT:
        raise TooDeep(MAX_INDENT // 4)
    depth += 1
    extent, indent, nodes = Extent(), 0, 0
    choices: list[If] = []
    while True:
        nodes += len(seq) + 1
        if len(seq) > 1 and not survey_inner(seq, near, work, extent, indent, depth):
            falls = False
            break
        node = seq[-1] if seq else None
        if isinstance(node, Br):
            if node.seq is not None:
                seq = node.seq
                continue
            falls = node.label.point is fall
            if not falls and node.label.leave is None:
                node.label.point.jumped = True
            break
        if not isinstance(node, If):
            falls = survey_last(node, fall, near, work, extent, indent, depth)
            break
        falls, inside = survey_arm(node.then, fall if indent < MOST_FALLING else NOWHERE, near, work, depth)
        if falls and indent >= MOST_FALLING:
            falls, inside = survey(node.then, fall, near, work, depth)
        extent.cover(inside, 0, indent + 1)
        node.falls = (falls, False)
        indent += falls
        choices.append(node)
        seq = node.orelse
    work.spend(STEPS_TO_SURVEY * nodes)
    for choice in reversed(choices):
        then, _ = choice.falls
        choice.falls = (then, falls)
        falls = then or falls
    return falls, extent


def survey_arm(seq: Seq, fall: Point, near: tuple[Point, ...], work: Work, depth: int) -> tuple[bool, Extent]:
    """Survey an arm of a choice; usually it is only a branch or a return."""
    if len(seq) == 1 and depth <= MAX_INDENT:
        node = seq[0]
        if isinstance(node, Leave):
            return False, FLAT
        if isinstance(node, Br) and node.seq is None:
            label = node.label
            if label.point is fall:
                return True, FLAT
            if label.leave is None:
                label.point.jumped = True
            return False, FLAT
    return survey(seq, fall, near, work, depth)


def survey_last(
    node: Node | None,
    fall: Point,
    near: tuple[Point, ...],
    work: Work,
    extent: Extent,
    indent: int,
    depth: int,
) -> bool:
    """Survey the node at the end of a sequence. Returns whether the place after it is reachable."""
    if isinstance(node, Block):
        return survey_block(node, fall, near, work, extent, indent, depth)
    if isinstance(node, Loop):
        node.exit = fall
        return survey_loop(node, near, work, extent, indent, depth)
    if not isinstance(node, Switch):
        return not isinstance(node, Leave)
    levels = indent + len(node.arms).bit_length()
    node.falls = []
    for arm in node.arms:
        falls, inside = survey(arm, fall, near, work, depth)
        extent.cover(inside, 0, levels)
        node.falls.append(falls)
    return any(node.falls)


def survey_inner(
    seq: Seq, near: tuple[Point, ...], work: Work, extent: Extent, indent: int, depth: int
) -> bool:
    """Survey all nodes except the last. Returns whether the last is reachable; if not, removes the
    unreachable nodes."""
    for at, node in enumerate(seq[:-1], 1):
        if isinstance(node, Line) or not isinstance(node, Nest):  # most are lines
            continue
        falls = True
        try:
            if isinstance(node, Block):
                only_leaves(chain_of(node).ends, seq[at : at + 2])
                falls = survey_block(node, Point(), near, work, extent, indent, depth)
            elif isinstance(node, Loop):
                only_leaves([node.end], seq[at : at + 2])
                node.exit = Point()
                falls = survey_loop(node, near, work, extent, indent, depth)
            elif isinstance(node, Try):
                node.point = Point()
                _, below = survey(node.body, node.point, near, work, depth)
                extent.cover(below, 1, indent + 1)
                extent.cover(HANDLER, 0, indent)
        except TooDeep as error:
            node.too_deep = depth <= error.certain
            raise
        if not falls:
            del seq[at:]
            return False
    return True


def survey_loop(
    loop: Loop, near: tuple[Point, ...], work: Work, extent: Extent, indent: int, depth: int
) -> bool:
    start = loop.label.point = Point()
    loop.end.point = loop.exit
    body = loop.body
    at = leading(body)
    if at < len(body) - 1 and isinstance(block := body[at], Block):
        chain = chain_of(block)
        if (
            chain.switch is not None
        ):  # the code after it becomes a case, too, so `continue` reaches the start from all cases
            rest = body[at + 1 :]
            only_leaves(chain.ends, rest)
            chain.cases.append(Case(chain.ends, rest))
            chain.ends = []
            del body[at + 1 :]
    _, inside = survey(body, start, (*near, loop.exit, start), work, depth)
    levels = 1 if loop.ahead is None else 2
    extent.cover(inside, levels, indent + levels)
    return loop.exit.jumped or loop.counts is not None


def survey_block(
    block: Block, after: Point, near: tuple[Point, ...], work: Work, extent: Extent, indent: int, depth: int
) -> bool:
    """Survey a chain of blocks that is followed by `after`."""
    chain = chain_of(block)
    cases = chain.cases
    chain.point = following = after
    for label in chain.ends:
        label.point = after
    for case in reversed(cases):
        case.point, case.after = Point(), following
        for label in case.labels:
            label.point = case.point
        through = branch_of(case.seq)
        if (
            case.labels or through is None or through.point is not following
        ):  # else falling through does the same
            following = case.point
    before, after.jumped = after.jumped, False
    extents: list[Extent] = []
    falls = False
    for case in cases:
        falls, inside = survey(case.seq, case.after, near, work, depth)
        extents.append(inside)
    chain.arrange(after.jumped and after not in near)
    after.jumped |= before
    each = iter(extents)
    for group, loops, deeper in chain.nesting():
        for _ in group:
            extent.cover(next(each), loops, indent + deeper)
    return falls or chain.left

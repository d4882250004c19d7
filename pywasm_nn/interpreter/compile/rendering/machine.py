"""The last resort for control flow: functions that nest deeper than Python allows become a state machine.

The variable `pc` says which piece of the function is next; a `while 1:` around a binary tree of `if` selects
it. Only parts that nest too deep are split; parts within Python's limits stay structured inside their piece.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...pace import Work
from ..forms.tree import Block, Br, If, Label, Line, Loop, Nest, Node, Pass, Point, Seq, Switch, Try
from .chains import chain_of
from .structure import Open, Renderer
from .survey import TooDeep, survey

PIECE_LOOPS = 16
PIECE_INDENT = 60
"""The deepest nesting of a piece, so that the loop and the tree around it still fit."""


class State(Point):
    """The start of a piece. `pc` is its number."""

    __slots__ = ("pc",)

    def __init__(self, pc: int) -> None:
        super().__init__(f"pc = {pc}")
        self.pc = pc


class Region:
    """The protected body of a split `node`: if its states catch an exception, they continue at `handler`."""

    def __init__(self, number: int, node: Try, handler: State, outer: Region | None) -> None:
        self.number = number
        self.tags, self.passes, self.is_passed = node.tags, node.passes, node.is_passed
        self.handler = handler
        self.outer = outer


class Dispatch(Open):
    """The loop of the machine: a jump to any state continues it."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(Point())

    def jump(self, point: Point) -> str | None:
        return "continue" if isinstance(point, State) else None


class Machine(Renderer):
    """Writes a tree as a state machine."""

    def __init__(self, work: Work) -> None:
        super().__init__()
        self.work = work
        self.states = 0
        self.todo: list[tuple[State, Seq, Point, Region | None]] = []
        self.region: Region | None = None
        """The region of the current piece."""
        self.regions: list[Region] = []
        self.protected: list[Region | None] = []
        """For each state its innermost region."""

    def run(self, root: Seq) -> None:
        """Write the whole function's body, indented by one."""
        self.open.append(Dispatch())
        self.begin(root, Point())
        pieces: list[tuple[list[str], list[int]]] = []
        while self.todo:
            state, seq, fall, self.region = self.todo.pop()
            while len(pieces) <= state.pc:
                pieces.append(([], []))
            self.lines, self.instrs = pieces[state.pc]
            self.piece(seq, fall)
        self.lines, self.instrs = [], []
        self.write(1, "pc = 0")
        self.write(1, "while 1:")
        states = range(len(pieces))
        if not self.regions:
            self.tree("pc", states, lambda n, indent: self.insert(*pieces[n], indent), 2)
            return
        self.write(2, "try:")
        self.write(3, "while 1:")
        self.tree("pc", states, lambda n, indent: self.insert(*pieces[n], indent), 4)
        self.write(2, "except WasmException as thrown:")
        self.choose_region()
        self.keep(3)

    def choose_region(self) -> None:
        """Write the selection of the handler: it belongs to the innermost region that catches the exception,
        from the state's region outwards. It uses tables, because regions may nest deep."""
        regions = self.regions
        inner = [-1 if region is None else region.number for region in self.protected]
        outward = [-1 if region.outer is None else region.outer.number for region in regions]
        self.write(3, f"r = {listed(inner)}[pc]")
        if any(region.passes or region.is_passed for region in regions):
            self.passes = True
            self.write(3, f"passes = {listed(region.passes for region in regions)}")
            self.write(3, f"tags = {listed(listed(region.tags) for region in regions)}")
            self.write(3, "while r >= 0:")
            self.write(4, "if past: past -= 1")
            self.write(4, "elif passes[r]: past = passes[r]")
            self.write(4, "elif not tags[r] or thrown.tag in tags[r]: break")
            self.write(4, f"r = {listed(outward)}[r]")
        elif any(region.tags for region in regions):
            self.write(3, f"tags = {listed(listed(region.tags) for region in regions)}")
            self.write(3, "while r >= 0 and tags[r] and thrown.tag not in tags[r]:")
            self.write(4, f"r = {listed(outward)}[r]")
        self.write(3, "if r < 0:")
        self.write(4, "raise")
        self.write(3, f"pc = {listed(region.handler.pc for region in regions)}[r]")

    def insert(self, lines: list[str], instrs: list[int], indent: int) -> None:
        """Write a finished piece at its place."""
        self.lines += [" " * indent + line for line in lines]
        self.instrs += instrs

    def begin(self, seq: Seq, fall: Point | None) -> State:
        """A new state, whose piece will contain `seq`. Without `fall` the piece is a loop."""
        state = State(self.states)
        self.states += 1
        self.todo.append((state, seq, fall or state, self.region))
        self.protected.append(self.region)
        return state

    def attempt(self, node: Try, handler: State) -> None:
        """Continue with the body of a Try, in separate states."""
        outer = self.region
        self.region = Region(len(self.regions), node, handler, outer)
        self.regions.append(self.region)
        state = self.begin(node.body, handler)
        self.region = outer
        self.jump(state, 0)

    def piece(self, seq: Seq, fall: Point) -> None:
        """Write one piece. Parts that don't fit become separate states."""
        while True:
            at = next((n for n, node in enumerate(seq[:-1]) if not self.inner_fits(node)), len(seq) - 1)
            self.all_inner(seq[:at], 0)
            if at < len(seq) - 1:
                fall = self.begin(seq[at + 1 :], fall)
                seq = [seq[at]]
            if seq and isinstance(block := seq[-1], Block) and not self.fits([block], fall):
                seq, fall = self.taken_apart(block, fall)
                continue
            rest = self.last(seq[-1] if seq else None, fall)
            if rest is None:
                return
            seq = rest

    def taken_apart(self, block: Block, fall: Point) -> tuple[Seq, Point]:
        """Make states of the cases of a chain. Returns the rest of the piece, and the point after it."""
        chain = chain_of(block)
        for label in chain.ends:
            label.point = fall
        first = chain.cases[0]
        for case in reversed(chain.cases[1:] if chain.switch is None else chain.cases):
            fall = case.point = self.begin(case.seq, fall)
            for label in case.labels:
                label.point = fall
        if chain.switch is None:
            return [*chain.lines, *first.seq], fall
        chosen = [case for case in chain.cases if case.bound is not None]
        switch = Switch(chain.switch, [case.bound for case in chosen if case.bound is not None])
        switch.arms = [[Br(Label(case.point))] for case in chosen]
        return [*chain.lines, switch], fall

    def last(self, node: Node | None, fall: Point) -> Seq | None:
        """Write the last node of a piece. Returns the rest of the piece, if there is one."""
        if isinstance(node, Br) and node.seq is not None:
            return node.seq
        if isinstance(node, Loop):
            if self.fits([node], fall):
                self.finish([node], fall, 0)
                return None
            if node.counts is not None:
                raise TooDeep
            node.label.point, node.end.point = self.begin(node.body, None), fall
            self.jump(node.label.point, 0)
            return None
        if isinstance(node, If):
            self.write(0, f"if {node.condition.text}:", node.instr)
            self.arm(node.then, fall, 1)
            return node.orelse
        if isinstance(node, Try) and isinstance(fall, State):  # a Try is never at the end
            self.attempt(node, fall)
            return None
        if isinstance(node, Switch):
            self.tree(node.value.text, node.bounds, lambda n, indent: self.arm(node.arms[n], fall, indent), 0)
            return None
        self.finish([node] if node else [], fall, 0)
        return None

    def arm(self, seq: Seq, fall: Point, indent: int) -> None:
        """Write an arm of a choice, which ends with a jump."""
        if self.fits(seq, fall):
            self.finish(seq, fall, indent)
        else:
            self.jump(self.begin(seq, fall), indent)

    def finish(self, seq: Seq, fall: Point, indent: int) -> None:
        """Write a sequence that fits, and then a jump to `fall`."""
        survey(seq, fall, (), self.work)
        if self.sequence(seq, fall, indent) and isinstance(fall, State):
            self.jump(fall, indent)

    def inner_fits(self, node: Node) -> bool:
        """Whether a node in the middle of a sequence fits into the piece."""
        if isinstance(node, Line):
            return True
        if isinstance(node, Loop):
            return self.fits([node], Point())
        return isinstance(node, Block | Try) and self.fits([node, Pass()], Point())

    def fits(self, seq: Seq, fall: Point) -> bool:
        """Survey a sequence. Returns whether it nests no deeper than a piece may."""
        if any(isinstance(node, Nest) and node.too_deep for node in seq):
            return False
        try:
            _, extent = survey(seq, fall, (), self.work)
        except TooDeep:
            return False
        return extent.loops <= PIECE_LOOPS and extent.indent <= PIECE_INDENT


def listed(items: Iterable[object]) -> str:
    """A tuple as Python source."""
    return f"({''.join(f'{item}, ' for item in items)})"

"""The intermediate form as text for users: `pywasm-nn compile --stage tree` and docs/compiler.md."""

from __future__ import annotations

from collections.abc import Iterator

from .tree import Block, Br, If, Label, Leave, Line, Loop, Node, Seq, Switch, Try


class Shown:
    """Writes a tree. Labels are numbered in the order of appearance."""

    def __init__(self) -> None:
        self.numbers: dict[Label, int] = {}

    def name(self, label: Label) -> str:
        return f"label {self.numbers.setdefault(label, len(self.numbers))}"

    def sequence(self, seq: Seq, depth: int = 0) -> Iterator[str]:
        """Lines for a sequence, each indented."""
        margin = "  " * depth
        for node in seq:
            if isinstance(node, Br) and node.seq is not None:
                yield from self.sequence(node.seq, depth)
                continue
            for line in self.node(node):
                yield margin + line

    def node(self, node: Node) -> Iterator[str]:
        if isinstance(node, Line):
            ranges = [f"  {value.lo}..{value.hi}" for value in node.operands if value.lo < value.hi]
            yield f"{node.text}{at(node)}{''.join(ranges)}"
        elif isinstance(node, Leave):
            yield f"{node.text}{at(node)}"
        elif isinstance(node, Br):
            yield f"go to {self.name(node.label)}"
        elif isinstance(node, If):
            yield f"if {node.condition.text}{at(node)}"
            yield from self.sequence(node.then, 1)
            yield "else"
            yield from self.sequence(node.orelse, 1)
        elif isinstance(node, Switch):
            for bound, arm in zip(node.bounds, node.arms, strict=True):
                yield f"if {node.value.text} is from {bound} on"
                yield from self.sequence(arm, 1)
        elif isinstance(node, Block):
            yield "block"
            yield from self.sequence(node.body, 1)
            yield f"end: {self.name(node.label)}"
        elif isinstance(node, Loop):
            counts = "loop" if node.counts is None else node.counts.text.removesuffix(":")
            yield f"{self.name(node.label)}: {counts}"
            yield from self.sequence(node.body, 1)
            if node.ahead is not None:
                yield f"  after each few rounds: {node.ahead.text}"
            yield f"end: {self.name(node.end)}"
        elif isinstance(node, Try):
            catches = f"catching {', '.join(node.tags) or 'all'}"
            yield f"try, {f'passing {node.passes} handlers' if node.passes else catches}"
            yield from self.sequence(node.body, 1)


def at(node: Node) -> str:
    """The instruction that may trap in a line."""
    return f"  [{node.instr}]" if node.instr >= 0 else ""


def shown(root: Seq) -> list[str]:
    """A tree as text. Each line is followed by the instruction that may trap in it, and the range of its
    values."""
    return list(Shown().sequence(root))

"""Chains: blocks that begin at the same place, one in the other.

That is how toolchains write what has several ways in: a `switch` whose cases fall into the next one, jumps
forward, and, in Go, the places where a function goes on after a call. What is here: finding them, and the
switch that chooses where to begin. What is not: their text (`structure.py`).
"""

from __future__ import annotations

from collections.abc import Iterable

from ..forms.tree import Block, Br, Case, Chain, Label, Leave, Line, Seq, Switch

SHORT = 24
"""Characters up to which leaving is shorter than going where that is done."""
FEWEST = 2
"""Arms of a switch that must do nothing but go to a case, or to the end, for it to choose between cases."""
MOST_LISTED = 1024
"""Operands of a switch that are listed, at most."""


def chain_of(block: Block) -> Chain:
    """The block and those that it begins with."""
    if block.chain is None:
        block.chain = found(block)
    return block.chain


def found(block: Block) -> Chain:
    lines: list[Line] = []
    rests: list[tuple[Label, Seq]] = []
    label, body = block.label, block.body
    while True:
        at = leading(body)
        inner = body[at] if at < len(body) else None
        if not isinstance(inner, Block):
            break
        lines += lines_of(body[:at])
        rests.append((label, body[at + 1 :]))
        label, body = inner.label, inner.body
    cases, labels = [Case([], body)], [label]
    for label, rest in reversed(rests):
        if rest:
            cases.append(Case(labels, rest))
            only_leaves(labels, rest)
            labels = []
        labels.append(label)
    chosen = choice(cases, labels)
    if chosen is None:
        return Chain(lines, None, cases, labels)
    *before, switch = body
    assert isinstance(switch, Switch)
    return Chain(lines + lines_of(before), switch.value, chosen, labels)


def only_leaves(labels: Iterable[Label], seq: Seq) -> None:
    """Take in what is done where labels stand: let branches do it, if it is to leave the function."""
    if len(seq) == 1 and isinstance(leave := seq[0], Leave) and len(leave.text) <= SHORT:
        for label in labels:
            label.leave = leave


def leading(seq: Seq) -> int:
    """How many lines a sequence begins with."""
    at = 0
    while at < len(seq) and isinstance(seq[at], Line):
        at += 1
    return at


def lines_of(seq: Seq) -> list[Line]:
    return [node for node in seq if isinstance(node, Line)]


def choice(cases: list[Case], ends: list[Label]) -> list[Case] | None:
    """The cases, and arms of a switch that are none of them, if all that the first one does is to choose
    between these; else None."""
    switch = only_switch(cases[0].seq)
    if switch is None:
        return None
    places = {label: place for place, case in enumerate(cases) for label in case.labels}
    branches = [branch_of(arm) for arm in switch.arms]
    known = {*places, *ends}
    if not places or sum(label in known for label in branches) < FEWEST:
        return None
    return in_order(cases, switch, [places.get(label) if label else None for label in branches])


def only_switch(seq: Seq) -> Switch | None:
    """The switch that is all that a sequence is, after lines."""
    switch = seq[-1] if seq else None
    return switch if isinstance(switch, Switch) and leading(seq) == len(seq) - 1 else None


def in_order(cases: list[Case], switch: Switch, targets: list[int | None]) -> list[Case] | None:
    """The cases in the order in which the arms of a switch go to them, and arms that go nowhere else as cases
    of their own; None if an arm goes back to a case, or to too many cases at once. `targets` are places of
    cases."""
    chosen: list[Case] = []
    bounds: dict[int, int] = {}
    following = 1
    for arm, bound, target in zip(switch.arms, switch.bounds, targets, strict=True):
        if target is None:
            chosen.append(Case([], arm, bound))
        elif target >= following:
            if target > following and switch.bounds[-1] > MOST_LISTED:
                return None
            chosen += cases[following : target + 1]
            bounds[target] = bound
            following = target + 1
        elif chosen[-1] is not cases[target]:
            return None
    for target, bound in bounds.items():
        cases[target].bound = bound
    return chosen + cases[following:]


def branch_of(arm: Seq) -> Label | None:
    """The label that an arm goes to, if it does nothing else."""
    if len(arm) == 1 and isinstance(node := arm[0], Br) and node.seq is None:
        return node.label
    return None

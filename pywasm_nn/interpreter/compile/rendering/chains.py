"""Chains: blocks that begin at the same place, nested in each other.

Toolchains use them for code with several entries: a `switch` whose cases fall through, jumps forward, and, in
Go, the places where a function continues after a call. What is here: finding chains, and the switch that
selects the entry. What is not: their text (`structure.py`).
"""

from __future__ import annotations

from collections.abc import Iterable

from ..forms.tree import Block, Br, Case, Chain, Label, Leave, Line, Seq, Switch

SHORT = 24
"""The longest text of a return (in characters) that replaces a jump to it."""
FEWEST = 2
"""The least number of a switch's arms that must only branch to a case or to the end, for it to select
cases."""
MOST_LISTED = 1024
"""The most operands of a switch that are listed."""


def chain_of(block: Block) -> Chain:
    """The chain of a block and the blocks at its start."""
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
    """If the code at these labels only leaves the function, let branches to them do so directly."""
    if len(seq) == 1 and isinstance(leave := seq[0], Leave) and len(leave.text) <= SHORT:
        for label in labels:
            label.leave = leave


def leading(seq: Seq) -> int:
    """The number of lines at the start of a sequence."""
    at = 0
    while at < len(seq) and isinstance(seq[at], Line):
        at += 1
    return at


def lines_of(seq: Seq) -> list[Line]:
    return [node for node in seq if isinstance(node, Line)]


def choice(cases: list[Case], ends: list[Label]) -> list[Case] | None:
    """The cases, together with the switch's arms that are no cases, if the first case only selects between
    them; else None."""
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
    """The switch of a sequence that is only a switch after lines."""
    switch = seq[-1] if seq else None
    return switch if isinstance(switch, Switch) and leading(seq) == len(seq) - 1 else None


def in_order(cases: list[Case], switch: Switch, targets: list[int | None]) -> list[Case] | None:
    """The cases in the order in which the arms of a switch branch to them, with the other arms as separate
    cases; None if an arm branches back to a case, or skips too many cases. `targets` are positions of
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
    """The label of an arm that is only a branch."""
    if len(arm) == 1 and isinstance(node := arm[0], Br) and node.seq is None:
        return node.label
    return None

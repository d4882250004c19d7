"""Loops inside whose rounds are computed one after the other, each for all rounds of the loops around: they
sum up what is stored behind them.

What is here: which locals their rounds carry on. What is not: how they are computed
(`interpreter/arrays/nested.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...arrays.plan import Chain
from .reductions import combination

if TYPE_CHECKING:
    from .study import Study
    from .whole import Maker


def is_chained(maker: Maker, number: int) -> bool:
    """Whether the loop of a number is such a one."""
    return any(loop.number == number for loop in maker.chained)


def reached(maker: Maker, roots: list[int]) -> set[int]:
    """The nodes that these are made of, also in earlier rounds of these loops."""
    found = maker.v.made_of(roots)
    while True:
        ends = [
            node
            for loop in maker.chained
            for local in loop.set
            if loop.before[local] in found
            for node in ends_of(maker, loop, local)
        ]
        more = maker.v.made_of([*found, *ends])
        if len(more) == len(found):
            return found
        found = more


def ends_of(maker: Maker, loop: Study, local: int) -> tuple[int, int]:
    """Of a local that depends on its value in the round before: its value before the loop, and after a
    round."""
    start = loop.around.get(local)
    if start is None:
        start = maker.v.local(maker.v.types[loop.before[local]], local)
    return start, loop.again.locals[local]


def chains(maker: Maker) -> tuple[Chain, ...]:
    """The chains of these loops, one for each local that their rounds carry."""
    nodes = maker.v.nodes
    loops = {loop.number: loop for loop in maker.chained}
    made: dict[tuple[int, int], tuple[int, int]] = {}
    while loops:
        used = {nodes[node][1:] for node in maker.nodes if nodes[node][0] == "before"} & {
            (number, local) for number, loop in loops.items() for local in loop.set
        }
        if used <= made.keys():
            break
        for number, local in sorted(used - made.keys()):
            start, after = ends_of(maker, loops[number], local)
            made[number, local] = maker.number(start), maker.number(after)
    left = {nodes[node][1:3]: node for node in maker.nodes if nodes[node][0] == "left"}
    found = []
    for number, local in sorted(made.keys() | left.keys()):
        before = maker.numbers.get(loops[number].before[local], -1)
        start, after = made.get((number, local), (-1, -1))
        end = left.get((number, local), -1)
        if end >= 0:
            after = maker.numbers[nodes[end][3]]
        kind, parts = summed(maker, loops[number], local) if before >= 0 else ("", [])
        numbered = tuple([maker.number(part) for part in parts])
        left_ = maker.numbers[end] if end >= 0 else -1
        found.append(Chain(number, before, start, after, left_, kind, numbered))
    return tuple(found)


def summed(maker: Maker, loop: Study, local: int) -> tuple[str, list[int]]:
    """The kind of sum that a local is, if each round adds to it what doesn't depend on the round before, and
    what is added, in order; "" if it is something else."""
    v, before, after = maker.v, loop.before[local], loop.again.locals[local]
    combined = combination(v, before, after, v.types[before])
    if combined is None or combined[0] not in ("sum", "add"):
        return "", []
    seen = v.made_of(combined[1])
    return ("", []) if any(each in seen for each in loop.before.values()) else combined

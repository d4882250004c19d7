"""Locals that each round combines with values: sums, extremes and where they are, and what was set last.

What is not here: how they are computed (`interpreter/arrays/reductions.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....records import record
from ...arrays.plan import Result
from .comparisons import FLOAT, INTEGER, MIRRORED, OPPOSITE
from .rounds import BITS, NAMES
from .values import UNKNOWN, Refused, Values

if TYPE_CHECKING:
    from .whole import Maker

KINDS = ("and", "or", "xor", "mul")
"""Combinations of integers whose order doesn't matter, besides sums."""
MOST_CHOICES = 16
UPDATES = {">": "gt", ">=": "ge", "<": "lt", "<=": "le"}


@record
class Choice:
    """A value that takes the place of the one before if a condition holds."""

    condition: int
    value: int
    before: int


@record
class Extreme:
    """A local that becomes a value of the round where that is greater, or less."""

    local: int
    kind: str
    conditions: tuple[int, ...]
    values: tuple[int, ...]


def recurrence(maker: Maker, carried: dict[int, int]) -> list[tuple[int, Result]]:
    """What is to be done for locals that each round changes in terms of their value before."""
    found: list[tuple[int, Result]] = []
    chosen: dict[int, list[Choice]] = {}
    for local, after in carried.items():
        if after == UNKNOWN:
            raise Refused("has a local that a loop inside leaves")
        if after == maker.study.before[local]:
            continue  # set to what it was
        type_ = maker.v.types[maker.study.before[local]]
        combined = combination(maker, local, after, type_)
        if combined is not None:
            kind, nodes = combined
            found.append((local, result(maker, local, kind, nodes)))
        else:
            chosen[local] = choices(maker.v, after, maker.study.before[local])
    return found + extremes_of(maker, chosen, len(found))


def result(maker: Maker, local: int, kind: str, nodes: list[int], number: int = 0) -> Result:
    """What is to be done for a local with these nodes."""
    type_ = NAMES[maker.round.facts.locals[local]]
    numbered = tuple([maker.number(node) for node in nodes])
    return Result(kind, type_, local in maker.signed, (number, ()), numbered, maker.param(local))


# Sums


def combination(maker: Maker, local: int, after: int, type_: str) -> tuple[str, list[int]] | None:
    """The kind of combination and what is combined in each round, in order; None if it is no combination."""
    v, before = maker.v, maker.study.before[local]
    if type_ not in BITS:
        added = added_in_order(v, after, before, type_)
        return None if added is None else ("add", added)
    number, terms = v.terms(after)
    if terms.pop(before, 0) == 1:
        return "sum", [v.linear(BITS[type_], number, terms)]
    for kind in KINDS:
        name = f"{type_}.{kind}"
        if v.nodes[after][0] == name:
            leaves = operands_of(v, after, name)
            if leaves.count(before) != 1:
                return None
            leaves.remove(before)
            return kind, leaves
    return None


def operands_of(v: Values, node: int, name: str) -> list[int]:
    """The operands of nested instructions of one kind."""
    leaves: list[int] = []
    waiting = [node]
    while waiting:
        form = v.nodes[waiting[-1]]
        part = waiting.pop()
        if form[0] == name and len(leaves) + len(waiting) < MOST_CHOICES:
            waiting += form[1:]
        else:
            leaves.append(part)
    return leaves


def added_in_order(v: Values, after: int, before: int, type_: str) -> list[int] | None:
    """What is added to a float, one after the other."""
    found: list[int] = []
    node = after
    while node != before:
        kind, *parts = v.nodes[node]
        if kind == f"{type_}.sub":
            parts[1] = v.over(type_, f"{type_}.neg", parts[1])
        elif kind != f"{type_}.add":
            return None
        elif before not in v.made_of([parts[0]]):
            parts.reverse()
        found.append(parts[1])
        node = parts[0]
        if len(found) > MOST_CHOICES:
            return None
    return found[::-1]


# Choices


def choices(v: Values, after: int, before: int) -> list[Choice]:
    """The choices between a local's value before and other ones, in order."""
    found: list[Choice] = []
    node = after
    while node != before:
        form = v.nodes[node]
        if form[0] != "select" or len(found) >= MOST_CHOICES:
            raise Refused("has a local that depends on the round before")
        _, _, condition, first, second = form
        if before not in v.made_of([second]):
            condition, first, second = v.over("bool", "not", condition), second, first
        found.append(Choice(condition, first, second))
        node = second
    return found[::-1]


def extremes_of(maker: Maker, chosen: dict[int, list[Choice]], count: int) -> list[tuple[int, Result]]:
    """What is to be done for locals that are chosen, behind `count` other results."""
    v, found = maker.v, list[tuple[int, Result]]()
    start = count + sum(1 for local in maker.study.steps if maker.moves(local))
    places: dict[tuple[int, ...], int] = {}
    for local, steps in chosen.items():
        kinds = {extreme_kind(v, step) for step in steps}
        if len(kinds) == 1 and (kind := kinds.pop()) is not None:
            places[tuple([step.condition for step in steps])] = start + len(found)
            found.append((local, result(maker, local, kind, [step.value for step in steps])))
    done = {local for local, _ in found}
    for local, steps in chosen.items():
        if local in done:
            continue
        place = places.get(tuple([step.condition for step in steps]))
        if place is not None:
            found.append((local, result(maker, local, "at", [step.value for step in steps], place)))
        else:
            found.append((local, last_of(maker, local, steps)))
    return found


def extreme_kind(v: Values, step: Choice) -> str | None:
    """The comparison of the value and the local for which the value takes the local's place, as "gt_s"."""
    node, is_true = step.condition, True
    while v.nodes[node][0] == "not":
        node, is_true = v.nodes[node][1], not is_true
    name, *parts = v.nodes[node]
    if name in INTEGER:
        symbol, is_signed = INTEGER[name]
        sign = "_s" if is_signed else "_u"
    elif name in FLOAT:
        symbol, sign = FLOAT[name], ""
    else:
        return None
    if sorted(parts) != sorted((step.value, step.before)) or parts[0] == parts[1]:
        return None
    if not is_true:
        symbol = OPPOSITE[symbol]  # of floats: where there is a NaN the loop runs as it stands
    if parts[0] != step.value:
        symbol = MIRRORED[symbol]
    return f"{UPDATES[symbol]}{sign}" if symbol in UPDATES else None


def last_of(maker: Maker, local: int, steps: list[Choice]) -> Result:
    """A local that becomes the value of the last round in which a condition holds."""
    v = maker.v
    conditions = [step.condition for step in steps]
    whole = conditions[0] if len(steps) == 1 else v.over("bool", "or", *sorted(conditions))
    value = steps[0].value
    for step in steps[1:]:
        value = maker.round.choice(step.condition, step.value, value)
    return result(maker, local, "keep", [whole, value])

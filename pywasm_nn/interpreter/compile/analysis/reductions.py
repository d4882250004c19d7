"""Locals that each round combines with values: sums, Horner's sums, extremes and where they are, and what was
set last.

What is not here: how they are computed (`interpreter/arrays/reductions.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ....records import Frozen
from ...arrays.plan import Result
from .comparisons import FLOAT, INTEGER, MIRRORED, OPPOSITE
from .numbers import BITS, NAMES
from .values import Refused, Terms, Values

if TYPE_CHECKING:
    from .whole import Maker

KINDS = ("and", "or", "xor", "mul")
"""Combinations of integers whose order doesn't matter, besides sums."""
BOUNDS = ("min", "max")
"""The same for floats."""
MOST_CHOICES = 16
COMPARED = INTEGER.keys() | FLOAT.keys()
NOBODY = -1
"""The local of a result that isn't a local."""
UPDATES = {">": "gt", ">=": "ge", "<": "lt", "<=": "le"}


class Choice(Frozen):
    """A value that takes the place of the one before if a condition holds."""

    condition: int
    value: int
    before: int


def scans(maker: Maker, carried: dict[int, int]) -> dict[int, tuple[str, list[int]]]:
    """Of these locals those whose value in each round can be computed, the kind of combination, and what they
    are combined with. Terms of Horner's sums must not change."""
    found: dict[int, tuple[str, list[int]]] = {}
    for local, after in carried.items():
        before = maker.study.before[local]
        combined = combination(maker.v, before, after, maker.v.types[before]) if after != before else None
        if combined is None or combined[0] in BOUNDS:
            continue
        if combined[0] != "horner" or maker.v.still[combined[1][0]]:
            found[local] = combined
    return found


def recurrence(maker: Maker, carried: dict[int, int]) -> list[tuple[int, Result]]:
    """What is to be done for locals that each round changes in terms of their value before."""
    found: list[tuple[int, Result]] = []
    chosen: dict[int, list[Choice]] = {}
    for local, after in carried.items():
        if after == maker.study.before[local]:
            continue  # set to what it was
        type_ = maker.v.types[maker.study.before[local]]
        combined = combination(maker.v, maker.study.before[local], after, type_)
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


def combination(v: Values, before: int, after: int, type_: str) -> tuple[str, list[int]] | None:
    """The kind of combination and what is combined in each round, in order, if a local is `before` it and
    `after` it; None if it is no combination."""
    if type_ not in BITS:
        added = added_in_order(v, after, before, type_)
        return combined_by(v, after, before, type_, BOUNDS) if added is None else ("add", added)
    bits, (number, terms) = BITS[type_], v.terms(after)
    factor = multiplied(v, terms, before, bits)
    if factor is not None:
        term = v.linear(bits, number, terms)
        return ("sum", [term]) if v.number(factor) == 1 else ("horner", [term, factor])
    return combined_by(v, after, before, type_, KINDS)


def multiplied(v: Values, terms: Terms, before: int, bits: int) -> int | None:
    """By what a sum multiplies a local, which is taken out of its terms."""
    for term, factor in terms.items():
        found = v.multiplied(term)
        if found is not None and found[0] == before:
            del terms[term]
            number = v.constant(bits, factor)
            return number if found[1] is None else v.product(bits, found[1], number)
    return None


def combined_by(
    v: Values, after: int, before: int, type_: str, kinds: Iterable[str]
) -> tuple[str, list[int]] | None:
    """The instruction, of one of these kinds, and what it combines with a local, in any order."""
    for kind in kinds:
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
        kinds = {extreme_kind(v, step.condition, step.value, step.before) for step in steps}
        made: Result | None = None
        if len(kinds) == 1 and (kind := kinds.pop()) is not None:
            made = result(maker, local, kind, [step.value for step in steps])
        else:
            local, made = NOBODY, loaded_again(maker, steps)
        if made is not None:
            places[tuple([step.condition for step in steps])] = start + len(found)
            found.append((local, made))
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


def extreme_kind(v: Values, condition: int, value: int, before: int) -> str | None:
    """The comparison of two values for which the first takes the place of the second, as "gt_s"."""
    node, is_true = condition, True
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
    if sorted(parts) != sorted((value, before)) or parts[0] == parts[1]:
        return None
    if not is_true:
        symbol = OPPOSITE[symbol]  # of floats: where there is a NaN the loop runs as it stands
    if parts[0] != value:
        symbol = MIRRORED[symbol]
    return f"{UPDATES[symbol]}{sign}" if symbol in UPDATES else None


def loaded_again(maker: Maker, steps: list[Choice]) -> Result | None:
    """The extreme of what is loaded from where a local says: `if (s[i] > s[best]) best = i`. None if the
    choices are others."""
    v = maker.v
    pairs = [pair for step in steps if (pair := new_and_old(maker, step)) is not None]
    if len(pairs) < len(steps) or maker.round.stores:
        return None
    kinds = {extreme_kind(v, step.condition, *pair) for step, pair in zip(steps, pairs, strict=True)}
    maps = {map_of(v, old, step.before) for step, (_, old) in zip(steps, pairs, strict=True)}
    kind = kinds.pop()
    if kinds or len(maps) > 1 or kind is None:
        return None
    local = v.nodes[steps[0].before][2]
    form = v.nodes[pairs[0][1]]
    number, terms = v.terms(form[4])
    terms[v.local("i32", local)] = terms.pop(steps[0].before)
    maker.again_loaded |= {old for _, old in pairs}
    line = maker.first_load(form, v.linear(32, number, terms)), ()
    nodes = tuple([maker.number(new) for new, _ in pairs])
    return Result(kind, v.types[pairs[0][0]], False, line, nodes, -1)


def map_of(v: Values, load: int, local: int) -> tuple[object, ...]:
    """What a load is as a function of a local in its address: all of an extreme's must be the same one."""
    _, access, type_, memidx, address, offset, _ = v.nodes[load]
    number, terms = v.terms(address)
    factor = terms.pop(local)
    return access, type_, memidx, offset, number, factor, *sorted(terms.items())


def new_and_old(maker: Maker, step: Choice) -> tuple[int, int] | None:
    """The loads that a choice compares, if the second is where the local says that is chosen, and the first
    where it will say."""
    v, node = maker.v, step.condition
    while v.nodes[node][0] == "not":
        node = v.nodes[node][1]
    if v.nodes[node][0] not in COMPARED:
        return None
    _, *parts = v.nodes[node]
    for new, old in (parts, parts[::-1]):
        forms = v.nodes[new], v.nodes[old]
        if [form[0] for form in forms] == ["load", "load"] and forms[0][1:4] == forms[1][1:4]:
            number, terms = v.terms(forms[1][4])
            factor = terms.pop(step.before, 0)
            if not factor or forms[1][5] not in (0, forms[0][5]) or not all(v.still[term] for term in terms):
                continue  # an address that wraps is the same one only without an offset, or with both
            there = v.sum(32, v.linear(32, number + forms[1][5], terms), step.value, factor)
            apart = v.sum(32, v.sum(32, there, forms[0][4], -1), v.constant(32, -forms[0][5]))
            if maker.is_zero(apart):
                return new, old
    return None


def last_of(maker: Maker, local: int, steps: list[Choice]) -> Result:
    """A local that becomes the value of the last round in which a condition holds."""
    v = maker.v
    conditions = [step.condition for step in steps]
    whole = conditions[0] if len(steps) == 1 else v.over("bool", "or", *sorted(conditions))
    value = steps[0].value
    for step in steps[1:]:
        value = maker.round.choice(step.condition, step.value, value)
    return result(maker, local, "keep", [whole, value])

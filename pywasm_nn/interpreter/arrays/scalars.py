"""What doesn't change in a loop, computed with Python's integers: addresses depend on it, and which way the
guest goes in all rounds."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from .plan import Line, Plan
from .ranges import signed

MASKS = {"i32": 0xFFFFFFFF, "i64": 0xFFFFFFFFFFFFFFFF}
COMPARE: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "!=": operator.ne,
}  # fmt: skip
VERBS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def comparisons(bits: int) -> dict[str, Callable[..., int]]:
    made: dict[str, Callable[..., int]] = {"eq": operator.eq, "ne": operator.ne, "eqz": operator.not_}
    for verb, symbol in VERBS.items():
        compare = COMPARE[symbol]
        made[f"{verb}_u"] = compare
        made[f"{verb}_s"] = lambda a, b, compare=compare: compare(signed(a, bits), signed(b, bits))
    return {f"i{bits}.{verb}": function for verb, function in made.items()}


SCALARS: dict[str, Callable[..., int]] = {
    "i32.mul": lambda a, b: a * b & 0xFFFFFFFF,
    "i64.mul": lambda a, b: a * b & 0xFFFFFFFFFFFFFFFF,
    "i32.and": operator.and_,
    "i32.shr_u": lambda a, b: a >> (b & 31),
    "i32.shl": lambda a, b: a << (b & 31) & 0xFFFFFFFF,
    "and": lambda *parts: all(parts),
    "or": lambda *parts: any(parts),
    "not": operator.not_,
    **comparisons(32),
    **comparisons(64),
}
"""Instructions over what doesn't change, and what combines truth values."""
KINDS = frozenset({"param", "linear", "rounds", "select", *SCALARS})
WHOLE = frozenset({*MASKS, "bool"})
"""What a node is whose value is known before a loop if those are that it is made of, and its type."""


class Scalars:
    """The values that don't change in a loop with these arguments."""

    def __init__(self, plan: Plan, arguments: Sequence[Any]) -> None:
        self.plan = plan
        self.arguments: list[Any] = []
        self.given(arguments)
        self.scalars: dict[int, int] = {}

    def given(self, arguments: Sequence[Any]) -> None:
        """Take arguments as their types have them: locals may be kept signed."""
        self.arguments = [
            value if mask is None else value & mask
            for value, mask in zip(arguments, map(MASKS.get, self.plan.params), strict=True)
        ]

    def scalar(self, node: int) -> int:
        """The value of a node that doesn't change."""
        found = self.scalars.get(node)
        if found is None:
            found = self.scalars[node] = self.computed(node)
        return found

    def rounds_of(self, loop: int) -> int:
        """The rounds of a loop inside."""
        raise NotImplementedError

    def computed(self, node: int) -> int:
        form = self.plan.nodes[node]
        kind = form[0]
        if kind == "param":
            return int(self.arguments[form[1]])
        if kind == "linear":
            return self.line((form[2], form[3])) & (1 << int(form[1])) - 1
        if kind == "rounds":
            return self.rounds_of(int(form[1]))
        if kind == "select":
            return self.scalar(form[3] if self.scalar(form[2]) else form[4])
        return int(SCALARS[kind](*map(self.scalar, form[1:])))

    def line(self, line: Line) -> int:
        number, multiples = line
        for node, factor in multiples:
            number += factor * self.scalar(node)
        return number

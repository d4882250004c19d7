"""Operands on the validation stack, and messages about mismatches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import InvalidError
from ..matching import BOTTOM, matches_value
from ..types import RefType, ValType

Unknown = None
"""An operand in unreachable code: it matches any type."""
SOME_REFERENCE = RefType(BOTTOM, nullable=False)
"""A reference in unreachable code: it matches any heap type."""
Operand = ValType | None
SLOW = 64
"""The cost in steps of matching a type that isn't identical."""
MOST_NAMED = 20
"""The maximum of types that a message names."""


def matches(actual: Operand, expected: Operand) -> bool:
    """https://webassembly.github.io/spec/core/valid/matching.html#value-types"""
    if actual is expected or actual is Unknown or expected is Unknown:
        return True
    return matches_value(actual, expected)


def all_match(actual: Sequence[Operand], expected: Sequence[Operand]) -> bool:
    """https://webassembly.github.io/spec/core/valid/matching.html#result-types"""
    return len(actual) == len(expected) and all(map(matches, actual, expected))


def type_mismatch(
    expected: tuple[Any, ...] | list[Any], actual: list[Operand], who: str = "instruction"
) -> str:
    wanted = listed(expected)
    found = listed(["any" if t is Unknown else t for t in actual[-MOST_NAMED - 1 :]])
    return f"type mismatch: {who} requires [{wanted}] but stack has [{found}]"


def listed(types: Sequence[Any]) -> str:
    """Types for a message; of many types, the last ones, which are on top."""
    named = map(str, types[-MOST_NAMED:])
    return " ".join(["...", *named] if len(types) > MOST_NAMED else named)


def index_in(space: Sequence[Any], index: int, what: str) -> Any:
    """The item at this index. Raises InvalidError with the suite's message."""
    if index >= len(space):
        raise InvalidError(f"unknown {what} {index}")
    return space[index]

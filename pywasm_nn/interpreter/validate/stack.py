"""Operands as validation sees them, and how their mismatch is said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import InvalidError
from ..matching import BOTTOM, matches_value
from ..types import RefType, ValType

Unknown = None
"""An operand below unreachable code, of whatever type is asked for."""
SOME_REFERENCE = RefType(BOTTOM, nullable=False)
"""An operand that is a reference, of whatever heap type is asked for."""
Operand = ValType | None
SLOW = 64
"""Steps that it takes to match a type, where it isn't just the same one."""
MOST_NAMED = 20
"""Types that a message names."""


def matches(actual: Operand, expected: Operand) -> bool:
    """https://webassembly.github.io/spec/core/valid/matching.html#value-types"""
    if actual is expected or actual is Unknown or expected is Unknown:
        return True
    return matches_value(actual, expected)


def all_match(actual: Sequence[Operand], expected: Sequence[Operand]) -> bool:
    """https://webassembly.github.io/spec/core/valid/matching.html#result-types"""
    return len(actual) == len(expected) and all(map(matches, actual, expected))


def type_mismatch(expected: tuple[Any, ...] | list[Any], actual: list[Operand]) -> str:
    wanted = listed(expected)
    found = listed(["any" if t is Unknown else t for t in actual[-MOST_NAMED - 1 :]])
    return f"type mismatch: instruction requires [{wanted}] but stack has [{found}]"


def listed(types: Sequence[Any]) -> str:
    """Types as messages name them: the last ones, which are on top, where they are many."""
    named = map(str, types[-MOST_NAMED:])
    return " ".join(["...", *named] if len(types) > MOST_NAMED else named)


def index_in(space: Sequence[Any], index: int, what: str) -> Any:
    """The thing with this index, or the suite's message."""
    if index >= len(space):
        raise InvalidError(f"unknown {what} {index}")
    return space[index]

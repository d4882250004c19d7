"""(the lead is writing this file)"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from .types import FuncType, ValType


class Label(NamedTuple):
    """Where a branch goes: instruction index, how many values it carries, the stack height that it cuts down to first."""

    pc: int
    arity: int
    height: int


@dataclass(frozen=True, slots=True)
class FuncFacts:
    """What validation of a body found out, for the engines."""

    type: FuncType
    locals: tuple[ValType, ...]
    ends: dict[int, int]
    elses: dict[int, int]
    branches: dict[int, Label | tuple[Label, ...]]
    heights: tuple[int, ...]
    types: dict[int, ValType]
    blocks: dict[int, FuncType]

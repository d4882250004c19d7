"""What validation of a body finds out, for the engines."""

from __future__ import annotations

from typing import NamedTuple

from ...records import record
from ..types import FuncType, ValType


class Label(NamedTuple):
    """Where a branch goes: instruction index, how many values it carries, the stack height that it cuts down
    to first."""

    pc: int
    arity: int
    height: int


@record
class FuncFacts:
    """What validation of a body found out, for the engines. Instructions are named by their index in the
    body."""

    type: FuncType
    locals: tuple[ValType, ...]
    """Types of parameters and locals."""
    ends: dict[int, int]
    """block, loop, if or try_table -> its end."""
    elses: dict[int, int]
    """if -> its else, where it has one."""
    branches: dict[int, Label | tuple[Label, ...]]
    """br, br_if -> its label; br_table -> all of them, the default last; try_table -> those of its
    catches."""
    height: int
    """The most operands that there are at a time."""
    types: dict[int, ValType]
    """drop, select -> type of the operand, where the instruction can be reached."""
    blocks: dict[int, FuncType]
    """block, loop, if or try_table -> its type."""
    dead_ends: set[int]
    """`end`s and `else`s that can't be reached from the instruction before."""
    extent: int = 0
    """Types and fields in the lists that instructions go through, such as those of what is called, where they
    are many."""

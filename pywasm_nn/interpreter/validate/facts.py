"""Facts about a body that validation collects for the engines."""

from __future__ import annotations

from typing import NamedTuple

from ...records import record
from ..types import FuncType, ValType


class Label(NamedTuple):
    """The target of a branch: instruction index, the number of values that it carries, and the stack height
    to unwind to."""

    pc: int
    arity: int
    height: int


@record
class FuncFacts:
    """Facts about a body that validation collects for the engines. Instructions are identified by their index
    in the body."""

    type: FuncType
    locals: tuple[ValType, ...]
    """Types of parameters and locals."""
    ends: dict[int, int]
    """block, loop, if or try_table -> its end."""
    elses: dict[int, int]
    """if -> its else, if it has one."""
    branches: dict[int, Label | tuple[Label, ...]]
    """br, br_if -> its label; br_table -> all labels, the default last; try_table -> the labels of its
    catch clauses."""
    height: int
    """The maximum height of the operand stack."""
    types: dict[int, ValType]
    """drop, select -> type of the operand, if the instruction is reachable."""
    blocks: dict[int, FuncType]
    """block, loop, if or try_table -> its type."""
    dead_ends: set[int]
    """Every `end` and `else` that can't be reached from the instruction before it."""
    extent: int = 0
    """The number of types and fields in long lists that instructions process, such as parameters of
    callees."""

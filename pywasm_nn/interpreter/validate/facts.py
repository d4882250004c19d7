"""Facts about a body that validation collects for the engines."""

from __future__ import annotations

from typing import NamedTuple

from ...records import Frozen
from ..types import FuncType, ValType


class Label(NamedTuple):
    """The target of a branch: instruction index, the number of values that it carries, and the stack height
    to unwind to."""

    pc: int
    arity: int
    height: int


class LegacyTry:
    """A `try` of exceptions as they were before 3.0."""

    __slots__ = ("clauses", "kept", "target")

    def __init__(self) -> None:
        self.clauses: list[Label] = []
        """Where its catch and catch_all continue with the exception's values, in order."""
        self.target: int | None = None
        """For one that ends with `delegate`: the instruction that opened the block to which it delegates; -1
        is the function."""
        self.kept = -1
        """The local that keeps the exception for `rethrow`; -1 if there is no such instruction."""


class FuncFacts(Frozen):
    """Facts about a body that validation collects for the engines. Instructions are identified by their index
    in the body."""

    type: FuncType
    locals: tuple[ValType, ...]
    """Types of parameters and locals, and behind them those of locals that keep exceptions for `rethrow`."""
    ends: dict[int, int]
    """block, loop, if or try_table -> its end; try -> its end or delegate."""
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
    """block, loop, if, try_table or try -> its type."""
    dead_ends: set[int]
    """Every `end`, `else`, `catch`, `catch_all` and `delegate` that can't be reached from the instruction
    before it."""
    tries: dict[int, LegacyTry]
    """try -> its clauses and the place of its exception."""
    rethrows: dict[int, int]
    """rethrow -> the local that keeps the exception."""
    named: int
    """The number of parameters and locals."""
    extent: int = 0
    """The number of types and fields in long lists that instructions process, such as parameters of
    callees."""

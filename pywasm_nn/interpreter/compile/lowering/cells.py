"""Expressions of the instruction table with operands inserted. Expressions use the names `a b c`, and `i` for
the lane.

What is here: finding these names in an expression, and replacing them by operands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from ...instructions import Imm, Op
from ...instructions.row import LANE, OPERANDS
from ...types import I32, I64, V128, ValType
from ..forms.integers import MASK
from ..forms.operands import ATOM, BOOL, LOOSE, Operand, filled, literal
from .stack import Stack

LANE_NUMBER = len(OPERANDS)
"""The number for the lane among the numbers of an expression's operands."""
PASTED = frozenset({Imm.LANE, Imm.LANES})
"""Immediates that are inserted into expressions; instructions with others have hand-written translations."""


class Cell(NamedTuple):
    """A parsed expression."""

    pieces: list[str]
    numbers: list[int]
    """The operands between the pieces; `LANE_NUMBER` for the lane."""
    level: int
    """The precedence of the expression."""


@cache
def cells_of(op: Op) -> tuple[Cell, ...]:
    """A row's cells, one for each result."""
    return tuple(map(cell_of, op.exprs or ("a",)))


def cell_of(expr: str) -> Cell:
    """An expression, taken apart."""
    pieces: list[str] = []
    numbers: list[int] = []
    end = 0
    for match in re.finditer(rf"(?<![\w.])[{OPERANDS}{LANE}]\b", expr):
        pieces.append(expr[end : match.start()])
        numbers.append((OPERANDS + LANE).index(match.group()))
        end = match.end()
    is_call = re.fullmatch(r"\w+\(.*\)", expr) and expr.count("(") == 1
    return Cell([*pieces, expr[end:]], numbers, ATOM if is_call else LOOSE)


def paste_operands(
    stack: Stack,
    op: Op,
    params: Sequence[ValType],
    lane: int | bytes | None = None,
    lo: int = 0,
    hi: int | None = None,
) -> Operand:
    """Pop operands of these types; returns a row's expression with them and the lane inserted. `lo` and `hi`
    bound an integer result more tightly than its type."""
    (cell,) = cells_of(op)
    first = len(stack) - len(params)
    for number, type_ in enumerate(params):
        stack.observe(first + number, type_)
        if cell.numbers.count(number) != 1:
            stack.bind(first + number)
    operands = stack[first:]
    stack.cut(first)
    words = [literal(lane) if number == LANE_NUMBER else operands[number] for number in cell.numbers]
    if op.boolean:
        return filled(cell.pieces, words, operands, cell.level, 0, 1, BOOL)
    result = op.results[0] if op.results else V128
    if result is I32 or result is I64:
        return filled(
            cell.pieces, words, operands, cell.level, lo, MASK[result.bits] if hi is None else hi, 0
        )
    return filled(cell.pieces, words, operands, cell.level, 0, -1, 0)


def paste_cell(stack: Stack, op: Op, lo: int = 0, hi: int | None = None) -> Operand:
    """Pop a row's operands; returns its expression with them inserted."""
    if op.traps:
        stack.settle()
    return paste_operands(stack, op, op.params or (), None, lo, hi)


def paste_results(stack: Stack, op: Op, lane: int | bytes | None) -> list[Operand]:
    """Pop a row's operands; returns an expression for each of its results."""
    params = op.params or ()
    first = len(stack) - len(params)
    for number, type_ in enumerate(params):
        stack.observe(first + number, type_)
        stack.bind(first + number)
    operands = stack[first:]
    stack.cut(first)
    results = []
    for cell, type_ in zip(cells_of(op), op.results, strict=True):
        words = [literal(lane) if number == LANE_NUMBER else operands[number] for number in cell.numbers]
        hi = MASK[type_.bits] if type_ is I32 or type_ is I64 else -1
        results.append(filled(cell.pieces, words, operands, cell.level, 0, hi, 0))
    return results

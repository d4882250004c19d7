"""Cells of the table as functions, made when first used."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from .. import numerics, vectors
from .row import LANE, OPERANDS, Imm, Op

NAMES: dict[str, Any] = {
    name: getattr(module, name) for module in (numerics, vectors) for name in module.__all__
}
"""What a cell may use besides its operands, `float`, `int` and their methods: the names of `numerics` and `vectors`."""


def operands(op: Op) -> str:
    """Names of what the meaning of a row depends on, in the order in which `evaluator` takes them."""
    if op.access:  # the address is no operand of the cell; what was read stands in its place
        names = "a" if op.stores and not op.results else OPERANDS[: len(op.params or ())]
    else:
        names = OPERANDS[: len(op.params or ())]
    return names + LANE if Imm.LANE in op.imms or Imm.LANES in op.imms else names


@cache
def evaluator(op: Op) -> Callable[..., Any]:
    """The meaning of a row as a function of its operands: the result, or a tuple of several."""
    made: Callable[..., Any] = eval(f"lambda {', '.join(operands(op))}: {', '.join(values(op)) or None}", dict(NAMES))
    return made


def values(op: Op) -> tuple[str, ...]:
    """Expressions of the results, truth values as numbers."""
    return tuple([f"1 if {expr} else 0" for expr in op.exprs]) if op.boolean else op.exprs

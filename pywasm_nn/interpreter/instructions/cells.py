"""Expressions of the table as functions, made on first use."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from .. import numerics, vectors
from .row import LANE, OPERANDS, Imm, Op

NAMES: dict[str, Any] = {
    name: getattr(module, name) for module in (numerics, vectors) for name in module.__all__
}
"""Names that an expression may use, besides its operands, `float`, `int` and their methods."""


def operands(op: Op) -> str:
    """Names of the operands of a row's expression, in the order in which `evaluator` takes them."""
    if op.access:  # the value read takes the place of the address
        names = "a" if op.stores and not op.results else OPERANDS[: len(op.params or ())]
    else:
        names = OPERANDS[: len(op.params or ())]
    return names + LANE if Imm.LANE in op.imms or Imm.LANES in op.imms else names


@cache
def evaluator(op: Op) -> Callable[..., Any]:
    """The expression of a row as a function of its operands: it returns the result, or a tuple of several."""
    given, results = ", ".join(operands(op)), ", ".join(values(op)) or "None"
    made: Callable[..., Any] = eval(f"lambda {given}: ({results})", dict(NAMES))
    return made


def values(op: Op) -> tuple[str, ...]:
    """Expressions of the results; truth values are converted to numbers."""
    return tuple([f"1 if {expr} else 0" for expr in op.exprs]) if op.boolean else op.exprs

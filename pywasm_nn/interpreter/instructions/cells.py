"""Cells of the table as functions, made when first used."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from .. import numerics
from .row import Op

OPERANDS = "abc"
NAMES: dict[str, Any] = {name: getattr(numerics, name) for name in numerics.__all__}
"""What a cell may use besides its operands, `float` and `int` methods: the names of `numerics`."""


@cache
def evaluator(op: Op) -> Callable[..., Any]:
    """The meaning of a row as a function of its operands."""
    expr = f"1 if {op.expr} else 0" if op.boolean else op.expr
    operands = "a" if op.access else ", ".join(OPERANDS[: len(op.params or ())])
    made: Callable[..., Any] = eval(f"lambda {operands}: {expr}", dict(NAMES))
    return made

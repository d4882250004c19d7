"""Every cell of the instruction table, and tables of references."""

from __future__ import annotations

import ast

import pytest

from pywasm_nn.interpreter.instructions import BY_CODE, OPS, Op
from pywasm_nn.interpreter.instructions.cells import NAMES, OPERANDS, evaluator
from pywasm_nn.interpreter.interpret import Machine
from pywasm_nn.interpreter.interpret.code import row_handler
from pywasm_nn.interpreter.validate import BodyValidator

METHODS_OF_NUMBERS = {"bit_length", "bit_count"}


def rows_with_cells() -> list[Op]:
    return [op for op in OPS.values() if op.expr is not None]


@pytest.mark.parametrize("op", rows_with_cells(), ids=lambda op: op.name)
def test_a_cell_uses_its_operands_and_numerics_only(op: Op) -> None:
    operands = {"a"} if op.access else set(OPERANDS[: len(op.params or ())])
    tree = ast.parse(op.expr or "", mode="eval")
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert names <= operands | set(NAMES) | {"float"}
    assert operands <= names, "an operand that the meaning doesn't depend on"
    assert {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)} <= METHODS_OF_NUMBERS
    assert not any(isinstance(node, ast.NamedExpr | ast.Lambda | ast.ListComp) for node in ast.walk(tree))
    evaluator(op)


@pytest.mark.parametrize("op", list(OPS.values()), ids=lambda op: op.name)
def test_every_row_can_be_validated_and_run(op: Op) -> None:
    assert op.params is not None or hasattr(BodyValidator, op.method)
    assert hasattr(Machine, op.method) or row_handler(op)
    assert BY_CODE[op.code] is op


def test_methods_named_after_instructions_are_instructions() -> None:
    """No leftover: a validator's handler with an immediate belongs to a row."""
    methods = {op.method for op in OPS.values()}
    handlers = {
        name
        for name, value in vars(BodyValidator).items()
        if callable(value) and value.__code__.co_varnames[1:2] == ("imm",)
    }
    assert handlers <= methods

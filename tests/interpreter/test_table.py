"""Every cell of the instruction table, and tables of references."""

from __future__ import annotations

import ast
from types import FunctionType, ModuleType

import pytest

from pywasm_nn.interpreter.instructions import BY_CODE, OPS, Op
from pywasm_nn.interpreter.instructions.cells import NAMES, OPERANDS, evaluator
from pywasm_nn.interpreter.interpret import code as run
from pywasm_nn.interpreter.interpret.code import handler_for
from pywasm_nn.interpreter.validate import body as checked
from pywasm_nn.interpreter.validate import method_of

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
    assert op.params is not None or method_of(op)
    assert handler_for(op)
    assert BY_CODE[op.code] is op


@pytest.mark.parametrize("subject", [*checked.SUBJECTS, *run.SUBJECTS], ids=lambda subject: subject.__name__)
def test_functions_named_after_instructions_are_instructions(subject: ModuleType) -> None:
    """No leftover: what takes an immediate belongs to a row that doesn't say everything itself."""
    methods = {op.method for op in OPS.values()}
    handlers = {
        name
        for name, value in vars(subject).items()
        if isinstance(value, FunctionType)
        and "imm" in value.__code__.co_varnames[: value.__code__.co_argcount]
    }
    assert handlers
    assert handlers <= methods

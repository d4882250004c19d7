"""Every cell of the instruction table, and tables of references."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType, ModuleType

import pytest

from pywasm_nn.errors import Trap, TrapKind
from pywasm_nn.interpreter.instructions import BY_CODE, OPS, Op
from pywasm_nn.interpreter.instructions.cells import NAMES, evaluator, operands
from pywasm_nn.interpreter.interpret import code as run
from pywasm_nn.interpreter.interpret.code import handler_for
from pywasm_nn.interpreter.runtime import Instance
from pywasm_nn.interpreter.validate import method_of
from pywasm_nn.interpreter.validate import plans as checked

METHODS = {"bit_length", "bit_count", "to_bytes", "from_bytes", "translate"}


def rows_with_cells() -> list[Op]:
    return [op for op in OPS.values() if op.expr is not None]


@pytest.mark.parametrize("op", rows_with_cells(), ids=lambda op: op.name)
def test_a_cell_uses_its_operands_and_known_names_only(op: Op) -> None:
    tree = ast.parse(op.expr or "", mode="eval")
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert names <= set(operands(op)) | set(NAMES) | {"float", "int"}
    replaced = {"a"} if "xchg" in op.name and "cmpxchg" not in op.name else set()  # what an exchange drops
    assert set(operands(op)) - names == replaced, "an operand that the meaning doesn't depend on"
    assert {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)} <= METHODS
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


NULLS = """
(module
  (type $f (func (param i32 f64) (result i32)))
  (memory 1) (data (i32.const 40) "\\05")
  (table 9 funcref) (elem (i32.const 1) $id)
  (func $id (type $f) (local.get 0))
  (func (export "local") (param i32) (result i32)
    (call_indirect (type $f) (i32.const 7) (f64.const 1) (local.get 0)))
  (func (export "sum") (param i32) (result i32)
    (call_indirect (type $f) (i32.const 7) (f64.const 1)
      (i32.sub (i32.mul (local.get 0) (i32.const 3)) (i32.const 2))))
  (func (export "loaded") (param i32) (result i32)
    (call_indirect (type $f) (call $id (i32.const 7) (f64.const 1)) (f64.const 1)
      (i32.load8_u offset=38 (local.get 0))))
  (func (export "called") (param i32) (result i32)
    (call_indirect (type $f) (i32.const 7) (f64.const 1)
      (call_indirect (type $f) (local.get 0) (f64.const 1) (i32.const 1))))
  (func (export "constant") (param i32) (result i32)
    (call_indirect (type $f) (local.get 0) (f64.const 1) (i32.const 2))))
"""


@pytest.mark.parametrize(
    ("name", "index"), [("local", 2), ("sum", 4), ("loaded", 5), ("called", 2), ("constant", 2)]
)
def test_a_call_of_null_says_which_element_it_is(
    name: str, index: int, start: Callable[..., Instance]
) -> None:
    with pytest.raises(Trap) as caught:
        start(NULLS).exports[name](2)
    assert caught.value.kind is TrapKind.UNINITIALIZED_ELEMENT
    assert str(caught.value) == f"uninitialized element {index}"

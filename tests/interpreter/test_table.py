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
from pywasm_nn.interpreter.runtime.instance import Instance
from pywasm_nn.interpreter.validate import method_of
from pywasm_nn.interpreter.validate import plans as checked

METHODS = {"bit_length", "bit_count", "to_bytes", "from_bytes", "translate"}


def rows_with_cells() -> list[Op]:
    return [op for op in OPS.values() if op.exprs]


@pytest.mark.parametrize("op", rows_with_cells(), ids=lambda op: op.name)
def test_a_cell_uses_its_operands_and_known_names_only(op: Op) -> None:
    tree = ast.parse(", ".join(op.exprs), mode="eval")
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


COLUMNS = {
    "i32.add": ("i32", "add", "", 0, "", False),
    "i64.load8_s": ("i64", "load", "s", 8, "", False),
    "i32.trunc_sat_f64_u": ("i32", "trunc_sat", "u", 0, "f64", False),
    "i64.atomic.rmw16.cmpxchg_u": ("i64", "atomic_rmw_cmpxchg", "u", 16, "", False),
    "memory.atomic.wait64": ("memory", "atomic_wait", "", 64, "", False),
    "v128.load8x8_s": ("v128", "load", "s", 8, "", False),
    "v128.load32_zero": ("v128", "load_zero", "", 32, "", False),
    "i16x8.extmul_low_i8x16_u": ("i16x8", "extmul_low", "u", 0, "i8x16", False),
    "i32x4.trunc_sat_f64x2_s_zero": ("i32x4", "trunc_sat_zero", "s", 0, "f64x2", False),
    "i16x8.q15mulr_sat_s": ("i16x8", "q15mulr_sat", "s", 0, "", False),
    "struct.get_u": ("struct", "get", "u", 0, "", False),
    "ref.cast_null": ("ref", "cast", "", 0, "", True),
    "ref.is_null": ("ref", "is_null", "", 0, "", False),
    "ref.i31": ("ref", "i31", "", 0, "", False),
    "br_on_non_null": ("", "br_on_non_null", "", 0, "", False),
}


def columns(op: Op) -> tuple[object, ...]:
    return op.kind, op.verb, op.sign, op.part, op.source, op.takes_null


@pytest.mark.parametrize("name", COLUMNS)
def test_a_row_says_its_columns(name: str) -> None:
    assert columns(OPS[name]) == COLUMNS[name]


def test_columns_tell_rows_apart_and_agree_with_accesses() -> None:
    assert len({columns(op) for op in OPS.values()}) == len(OPS)
    for row in OPS.values():
        if row.access and row.part:
            lanes = 64 // row.part if row.access == "u64" and "x" in row.name else 1
            assert row.part * lanes == 8 * row.width, row
        if row.access in ("s8", "s16", "s32"):
            assert row.sign == "s", row
        if row.params and row.kind in ("i32", "i64", "f32", "f64") and not row.access:
            assert row.kind in {str(type_) for type_ in (*row.params, *row.results)}, row


@pytest.mark.parametrize(
    "subject", [*checked.CHECKING_MODULES, *run.RUNNING_MODULES], ids=lambda subject: subject.__name__
)
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

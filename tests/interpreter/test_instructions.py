"""The table of instructions: what a row may say, and that what it says is read from its columns."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from pywasm_nn.interpreter.instructions import BY_CODE, OPS
from pywasm_nn.interpreter.instructions.cells import evaluator, operands
from pywasm_nn.interpreter.instructions.row import op
from pywasm_nn.interpreter.summary import BY_INSTRUCTION

from ..source import parsed

CODE = (0xFC, 200)
READING = {
    "startswith",
    "endswith",
    "partition",
    "rpartition",
    "split",
    "rsplit",
    "removeprefix",
    "removesuffix",
}
READING |= {"find", "index", "replace", "strip", "lstrip", "rstrip"}
CALLED, NAMES = ("mnemonic", "op_name"), ("name", "method")
OWNERS = ("op", "ops", "row", "OPS", "BY_CODE", "instruction")
IN_TEXT = rf"\b({'|'.join(CALLED)})\b|\b({'|'.join(OWNERS)})\b.*\.\s*({'|'.join(NAMES)})\b"
"""In each file with the name of an instruction, as `is_mnemonic` knows it, there is something like this."""


@pytest.mark.parametrize(
    ("type_", "expr", "settings", "why"),
    [
        ("i32 " * 9 + "-> i32", "a", {}, "has 9 operands, expressions have names for 8"),
        ("i32 i32 -> i32", ("a", "b"), {}, "has 1 results and 2 expressions"),
        ("i32 i32 -> i32 i32", "a", {}, "has 2 results and 1 expressions"),
        ("i32 i32 ->", "a", {}, "has 0 results and 1 expressions"),
        ("i32 i32 -> i32", "a + c", {}, "has 2 operands, its expression has more: a [+] c"),
        ("-> i32", "a", {}, "has 0 operands, its expression has more"),
        (
            "i32 i32 i32 ->",
            "a",
            {"access": "u8", "stores": True},
            "has 3 operands, a store has an address and",
        ),
        ("i32 i32 ->", "b", {"access": "u8", "stores": True}, "its expression has more: b"),
        ("i32 -> i32 i32", ("a", "a"), {"access": "u8"}, "has 2 results, an access has one at most"),
        ("i32 -> i32", ("a", "a"), {"access": "u8"}, "has 1 results and 2 expressions"),
        ("i32 i32", "a", {}, "not enough values"),
        (None, "a", {}, "has 0 results and 1 expressions"),
        ("i32 -> i33", "a", {}, "i33"),
    ],
)
def test_a_row_that_says_too_much_or_too_little_is_refused(type_, expr, settings, why: str) -> None:
    with pytest.raises((ValueError, KeyError), match=why):
        op(CODE, "i32.wrong", type_, expr, **settings)
    assert "i32.wrong" not in OPS
    assert CODE not in BY_CODE


def test_a_row_that_is_there_is_refused() -> None:
    with pytest.raises(ValueError, match=r"instruction said twice: i32\.add"):
        op(CODE, "i32.add", "i32 i32 -> i32", "a + b")
    with pytest.raises(ValueError, match=r"instruction said twice: i32\.other"):
        op(0x6A, "i32.other", "i32 i32 -> i32", "a + b")


def test_each_cell_reads_its_operands_only() -> None:
    """Each operand of a meaning has a name, and each name of a cell is an operand or one of the helpers'."""
    for row in OPS.values():
        if row.exprs:
            function = evaluator(row)
            assert function.__code__.co_argcount == len(operands(row)), row
            helpers = {name for name in function.__code__.co_names if len(name) == 1}
            assert not helpers, (row, helpers)


@pytest.mark.parametrize(
    ("name", "kind", "verb", "sign", "part", "source"),
    [
        ("i32.add", "i32", "add", "", 0, ""),
        ("i64.load8_u", "i64", "load", "u", 8, ""),
        ("i64.extend16_s", "i64", "extend", "s", 16, ""),
        ("i64.extend_i32_s", "i64", "extend", "s", 0, "i32"),
        ("f32.convert_i64_u", "f32", "convert", "u", 0, "i64"),
        ("i32.trunc_sat_f64_s", "i32", "trunc_sat", "s", 0, "f64"),
        ("i64.atomic.rmw32.cmpxchg_u", "i64", "atomic_rmw_cmpxchg", "u", 32, ""),
        ("i16x8.extend_low_i8x16_s", "i16x8", "extend_low", "s", 0, "i8x16"),
        ("struct.get_s", "struct", "get", "s", 0, ""),
        ("ref.is_null", "ref", "is_null", "", 0, ""),
        ("br_on_cast", "", "br_on_cast", "", 0, ""),
    ],
)
def test_columns_say_what_the_mnemonic_says(name, kind, verb, sign, part, source) -> None:
    row = OPS[name]
    assert (row.kind, row.verb, row.sign, row.part, row.source) == (kind, verb, sign, part, source)


def test_null_passes_the_tests_and_casts_that_say_so() -> None:
    found = {name for name, row in OPS.items() if row.takes_null}
    assert found == {"ref.test_null", "ref.cast_null", "ref.cast_null_desc_eq"}


def reads_a_mnemonic(tree: ast.Module) -> Iterator[ast.expr]:
    """Expressions that take a mnemonic apart: slice it, or look for a part of it."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Attribute(of, method)) if method in READING:
                pass
            case ast.Subscript(of) | ast.Compare(_, [ast.In() | ast.NotIn()], [of]):
                pass
            case _:
                continue
        if is_mnemonic(of):
            yield node


def is_mnemonic(node: ast.expr) -> bool:
    """Whether it is the name of an instruction: that of an `op`, of one of `ops`, or what is called so."""
    if isinstance(node, ast.Name | ast.Attribute):
        named = node.id if isinstance(node, ast.Name) else node.attr
        if named in CALLED:
            return True
    if not isinstance(node, ast.Attribute) or node.attr not in NAMES:
        return False
    owner = node.value.value if isinstance(node.value, ast.Subscript) else node.value
    called = owner.id if isinstance(owner, ast.Name) else getattr(owner, "attr", "")
    return called in OWNERS


@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        ("op.name[4:]", True),
        ("body.ops[index].name.endswith('.const')", True),
        ("event.op.name.partition('.')", True),
        ("'.store' in op.name", True),
        ("self.mnemonic.startswith('i32.')", True),
        ("mnemonic[:3] == 'i32'", True),
        ("op.name in NAMES", False),
        ("NAMES[op.name]", False),
        ("entry.name.endswith('.py')", False),
    ],
)
def test_taking_a_mnemonic_apart_is_seen(code: str, wrong: bool) -> None:
    assert bool([*reads_a_mnemonic(ast.parse(code))]) == wrong
    assert re.search(IN_TEXT, code) or not wrong


def test_nobody_takes_a_mnemonic_apart() -> None:
    """What an instruction works on and does, how wide and how signed, is in columns: `row.py` alone reads
    names."""
    found = []
    for file, tree in parsed(IN_TEXT):
        if not file.endswith("/row.py"):
            found += [f"{file}:{node.lineno} {ast.unparse(node)}" for node in reads_a_mnemonic(tree)]
    assert not found


@pytest.mark.parametrize(
    ("name", "feature"),
    [
        ("i64.extend32_s", "sign extension"),
        ("i32.trunc_sat_f32_u", "saturating conversions"),
        ("elem.drop", "bulk memory"),
        ("table.grow", "reference types"),
        ("f64x2.add", "SIMD"),
        ("i64x2.relaxed_laneselect", "relaxed SIMD"),
        ("atomic.fence", "atomics"),
        ("ref.get_desc", "custom descriptors"),
        ("i64.atomic.rmw8.add_u", "atomics"),
        ("return_call_ref", "tail calls"),
        ("throw_ref", "exceptions"),
        ("delegate", "legacy exceptions"),
        ("br_on_non_null", "typed function references"),
        ("ref.cast_null", "garbage collection"),
        ("br_on_cast_fail", "garbage collection"),
    ],
)
def test_features_are_known_by_their_instructions(name: str, feature: str) -> None:
    assert BY_INSTRUCTION[feature](OPS[name])


@pytest.mark.parametrize(
    "name", ["i32.add", "i64.extend_i32_s", "f32.load", "memory.grow", "call_indirect", "select"]
)
def test_the_first_version_has_no_feature(name: str) -> None:
    assert not any(has(OPS[name]) for has in BY_INSTRUCTION.values())

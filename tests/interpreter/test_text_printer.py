"""Module to text: what is printed is standard, and parses to an equal module, also one nobody would write."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import wasmtime
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.errors import InvalidError
from pywasm_nn.interpreter.binary import decode
from pywasm_nn.interpreter.encode import encode
from pywasm_nn.interpreter.instructions import OPS
from pywasm_nn.interpreter.module import BlockType, Body, Custom, Data, Export, Func, MemArg, Module
from pywasm_nn.interpreter.text import parse, print_instruction, print_module
from pywasm_nn.interpreter.text.names import name_section
from pywasm_nn.interpreter.types import EXTERN, I32, I64, ExternKind, FuncType, RecType

GUESTS = Path(__file__).parents[1] / "guests"

EVERYTHING = """
(module $everything
  (type $sig (func (param i32 f64) (result i64)))
  (import "env" "f\\u{e9}" (func $imported (type $sig) (param $"odd name" i32) (param f64) (result i64)))
  (import "env" "t" (table 1 2 externref))
  (import "env" "g" (global (mut f32)))
  (func $work (export "work") (type $sig) (param i32) (param $y f64) (result i64)
    (local i32 i32) (local $z f32)
    (block $out (loop (br_if $out (local.get 0)) (br_table 0 $out 1 (i32.const -3))))
    (if (result i32 i64) (i32.load8_s offset=3 (local.get 0)) (then unreachable) (else unreachable))
    drop drop
    (call_indirect 1 (type $sig) (i32.const 1) (f64.const -0x1.8p-3) (i32.const 0))
    (select (result i64) (i64.const -1) (i64.load align=1 (i32.const 0)) (i32.const 1))
    (memory.init 0 (i32.const 0) (i32.const 0) (i32.const 0))
    (table.init 1 2 (i32.const 0) (i32.const 0) (i32.const 0))
    (table.copy 1 0 (i32.const 0) (i32.const 0) (i32.const 0))
    drop)
  (table 3 funcref)
  (memory 1 2)
  (global f32 (f32.const nan:0x12345))
  (global (mut i64) (i64.const 1) (i64.const 2) i64.add)
  (export "again" (func $work))
  (start $imported)
  (elem (i32.const 0) $work $imported)
  (elem (table 1) (offset i32.const 1) funcref (item ref.func 0) (ref.null func))
  (elem externref (ref.null extern))
  (elem declare func $work)
  (data (i32.const 8) "\\00\\ff\\"\\\\ text")
  (data "")
  (@custom "note" "\\01\\02")
)
"""


def test_everything_comes_back() -> None:
    module = parse(EVERYTHING)
    assert parse(print_module(module)) == module


def test_what_is_printed_is_standard_text() -> None:
    module = parse(EVERYTHING)
    assert replace(decode(bytes(wasmtime.wat2wasm(print_module(module)))), customs=()) == replace(
        module, customs=()
    )


SMALL = sorted(guest for guest in GUESTS.glob("*.wasm") if guest.stat().st_size < 1_000_000)


@pytest.mark.parametrize("guest", SMALL, ids=lambda path: path.stem)
def test_compiled_guests_come_back(guest: Path) -> None:
    module = decode(guest.read_bytes())
    back = parse(print_module(module))
    # Compilers write a data count that nothing needs; the text format can't say one.
    assert replace(back, data_count=module.data_count) == module


@pytest.mark.parametrize(
    ("name", "imm", "text"),
    [
        ("nop", None, "nop"),
        ("local.get", 0, "local.get 0"),
        ("i32.const", 2**32 - 5, "i32.const -5"),
        ("i64.const", 7, "i64.const 7"),
        ("f32.const", 0x3FC00000, "f32.const 1.5"),
        ("f32.const", 0x3DCCCCCD, "f32.const 0.1"),
        ("f64.const", 0xFFF0000000000000, "f64.const -inf"),
        ("f64.const", 0x7FF8000000000000, "f64.const nan"),
        ("f32.const", 0x7F800001, "f32.const nan:0x1"),
        ("i32.load8_u", MemArg(0, 4), "i32.load8_u offset=4"),
        ("i64.store", MemArg(2, 0, 1), "i64.store 1 align=4"),
        ("select_t", (I32,), "select (result i32)"),
        ("br_table", (1, 0, 2), "br_table 1 0 2"),
        ("block", BlockType(), "block"),
        ("if", BlockType(None, I32), "if (result i32)"),
        ("loop", BlockType(3), "loop (type 3)"),
        ("call_indirect", (2, 0), "call_indirect (type 2)"),
        ("call_indirect", (2, 1), "call_indirect 1 (type 2)"),
        ("table.init", (4, 0), "table.init 4"),
        ("table.init", (4, 1), "table.init 1 4"),
        ("memory.copy", (0, 1), "memory.copy 0 1"),
        ("memory.size", 0, "memory.size"),
        ("ref.null", EXTERN, "ref.null extern"),
    ],
)
def test_instruction(name: str, imm: object, text: str) -> None:
    assert print_instruction(OPS[name], imm) == text


def test_instruction_with_names() -> None:
    module = parse('(func $run (param i32)) (func $"a b")')
    assert print_instruction(OPS["call"], 0, module) == "call $run"
    assert print_instruction(OPS["ref.func"], 1, module) == 'ref.func $"a b"'
    assert print_instruction(OPS["call"], 9, module) == "call 9"
    assert print_instruction(OPS["block"], BlockType(0), module) == "block (type 0) (param i32)"


names = st.text(max_size=5) | st.sampled_from(["f", "g", "", "\x1b[2J", "a b", '"', "\\", "\u202e"])


@given(
    st.lists(names, max_size=4),
    st.dictionaries(st.integers(0, 5), names, max_size=4),
    st.dictionaries(st.integers(0, 3), st.dictionaries(st.integers(0, 4), names, min_size=1, max_size=3)),
    names,
    st.binary(max_size=200),
    st.booleans(),
)
def test_hostile_names_and_data_come_back(
    exports: list[str],
    functions: dict[int, str],
    locals_: dict[int, dict[int, str]],
    module_name: str,
    data: bytes,
    last: bool,
) -> None:
    body = Body((OPS["end"],), (None,))
    section = Custom("name", name_section(module_name, functions, locals_) or b"")
    module = Module(
        types=(RecType.of(FuncType()), RecType.of(FuncType((I32, I64)))),
        funcs=tuple(Func(typeidx, ((2, I32),), lambda _: body) for typeidx in (0, 1, 0)),
        exports=tuple(Export(name, ExternKind.FUNC, 0) for name in exports),
        datas=(Data(data),),
        customs=(section, Custom(module_name, data))[:: -1 if last else 1],
    )
    assert parse(print_module(module)) == module
    text = print_module(module)
    assert all(char == "\n" or char.isprintable() for char in text)


def test_indices_out_of_range_are_printed() -> None:
    """Printing is for looking at modules, broken ones too."""
    module = parse('(func (type 9) call 7 local.get 8 br 6) (export "x" (func 5)) (start 4)')
    assert parse(print_module(module)) == module


def test_counted_locals_are_not_written_out_without_end() -> None:
    body = Body((OPS["end"],), (None,))
    module = Module(types=(RecType.of(FuncType()),), funcs=(Func(0, ((2**32 - 1, I32),), lambda _: body),))
    with pytest.raises(InvalidError, match="too many locals"):
        print_module(module)


def test_a_long_type_is_said_once() -> None:
    functions = "(func (type 0) block (type 0) end)" * 300
    module = parse(f"(type (func (param {'i32 ' * 10_000}))) {functions}")
    printed = print_module(module)
    assert len(printed) < 150_000
    assert parse(printed) == module


def test_binary_and_text_agree() -> None:
    module = parse(EVERYTHING)
    assert decode(encode(module)) == module

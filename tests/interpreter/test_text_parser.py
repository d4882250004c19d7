"""Text to module: abbreviations against what they stand for, and what is refused, with its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.errors import InvalidError, MalformedError
from pywasm_nn.interpreter.instructions import BY_CODE, OPS, Imm, op
from pywasm_nn.interpreter.module import Custom, MemArg
from pywasm_nn.interpreter.names import Names
from pywasm_nn.interpreter.text import excerpt, parse, print_module
from pywasm_nn.interpreter.types import F64, I32, I64, FuncType, RecType

from ..conftest import examples

ABBREVIATIONS = {
    "inline export": (
        '(func (export "a") (export "b"))',
        '(type (func)) (export "a" (func 0)) (export "b" (func 0)) (func (type 0))',
    ),
    "inline imports": (
        '(func (import "m" "f") (param i32)) (memory (export "x") (import "m" "m") 1)'
        ' (table (import "m" "t") 1 2 funcref) (global (import "m" "g") (mut i64))',
        '(type (func (param i32))) (import "m" "f" (func (type 0))) (import "m" "m" (memory 1))'
        ' (import "m" "t" (table 1 2 funcref)) (import "m" "g" (global (mut i64))) (export "x" (memory 0))',
    ),
    "types are added in order of use": (
        "(func (param i32) block (param i64) drop end) (type (func (param f64)))"
        " (func (result f32) unreachable)",
        "(type (func (param f64))) (type (func (param i32)))"
        " (type (func (param i64))) (type (func (result f32)))"
        " (func (type 1) block (type 2) drop end) (func (type 3) unreachable)",
    ),
    "an equal type is used again, the first one": (
        "(type (func)) (type (func (result i32))) (type (func (result i32))) (func (result i32) unreachable)",
        "(type (func)) (type (func (result i32))) (type (func (result i32))) (func (type 1) unreachable)",
    ),
    "table with elements": (
        "(func) (table funcref (elem 0 0 0))",
        "(func) (table 3 3 funcref) (elem (table 0) (offset i32.const 0) func 0 0 0)",
    ),
    "table with element expressions": (
        "(table externref (elem (item ref.null extern) (ref.null extern)))",
        "(table 2 2 externref)"
        " (elem (table 0) (i32.const 0) externref (item (ref.null extern)) (ref.null extern))",
    ),
    "segments inside of definitions count in order": (
        '(memory 0) (data "0") (memory (data "1")) (data "2") (func data.drop 1 drop)',
        '(memory 0) (memory 1 1) (data "0") (data (memory 1) (i32.const 0) "1") (data "2")'
        " (func data.drop 1 drop)",
    ),
    "elements without `func`": (
        "(func) (table 1 funcref) (elem (i32.const 0) 0)",
        "(func) (table 1 funcref) (elem (table 0) (offset (i32.const 0)) func 0)",
    ),
    "folded instructions": (
        "(func (result i32) (i32.add (i32.const 1) (i32.mul (i32.const 2) (i32.const 3))))",
        "(func (result i32) i32.const 1 i32.const 2 i32.const 3 i32.mul i32.add)",
    ),
    "folded if": (
        "(func (if (i32.eqz (i32.const 0)) (then (nop)) (else unreachable)) (if (i32.const 1) (then)))",
        "(func i32.const 0 i32.eqz if nop else unreachable end i32.const 1 if end)",
    ),
    "labels": (
        "(func block $a loop $b block $a br $a br $b end $a br $a br_table $b $a end br 0 end $a)",
        "(func block loop block br 0 br 1 end br 1 br_table 0 1 end br 0 end)",
    ),
    "indices that may be left out": (
        "(func memory.size memory.copy table.get table.copy table.init 5 memory.init 5"
        " call_indirect (type 0))",
        "(func memory.size 0 memory.copy 0 0 table.get 0 table.copy 0 0 table.init 0 5 memory.init 0 5"
        " call_indirect 0 (type 0))",
    ),
    "comments and annotations": (
        '(func (; ( (; ;) "  ;) ;; (\n (@note "(" (x) ; $ ) nop)',
        "(func nop)",
    ),
}


@pytest.mark.parametrize("case", ABBREVIATIONS)
def test_abbreviation(case: str) -> None:
    short, long = ABBREVIATIONS[case]
    assert parse(short) == parse(f"(module {long})")


def test_ids_are_found_before_their_definition_and_quoted_or_not() -> None:
    module = parse('(func call $"a b" call $c) (func $"a\\20b") (func $"c" (param $x i32) local.get $"\\78")')
    assert module.funcs[0].body.imms == (1, 2, None)
    assert module.funcs[2].body.imms == (0, None)


def test_ids_become_names() -> None:
    module = parse(
        '(module $m (import "a" "b" (func $f (param $p i32 ) (param i32))) (func (local $"l l" i64)))'
    )
    names = Names(module)
    assert (names.module, names.functions, names.locals) == ("m", {0: "f"}, {0: {0: "p"}, 1: {0: "l l"}})
    assert parse("(func)").customs == ()


def test_custom_annotations_become_sections() -> None:
    module = parse('(module (@custom "a" (before func) "x" "\\ff") (func) (@customary) (@custom "b"))')
    assert module.customs == (Custom("a", b"x\xff"), Custom("b", b""))


def test_immediates() -> None:
    body = (
        parse(
            "(func (param $x i64) local.get $x i32.const -1 i64.const 0x8000_0000_0000_0000"
            " f32.const 1.5 f64.const -nan:0x1"
            " i32.load16_u offset=8 align=1 i64.store select (result i32 i64) ref.null extern)"
        )
        .funcs[0]
        .body
    )
    assert body.imms == (
        0, 2**32 - 1, 2**63, 0x3FC00000, 0xFFF0000000000001, MemArg(0, 8), MemArg(3, 0), (I32, I64),
        parse("(func ref.null extern)").funcs[0].body.imms[0], None,
    )  # fmt: skip
    assert body.ops[7] is OPS["select_t"]


def test_locals_are_runs() -> None:
    func = parse("(func (param f32) (local i32 i32) (local $a i32) (local) (local f64))").funcs[0]
    assert func.locals == ((3, I32), (1, F64))


def test_data_count_is_said_where_an_instruction_needs_it() -> None:
    assert parse('(memory 1) (data "a") (func)').data_count is None
    assert parse('(memory 1) (data "a") (func data.drop 0)').data_count == 1


def test_a_row_added_later_is_parsed_and_printed() -> None:
    row = op((0xFC, 999), "test.both", "->", None, Imm.ELEM, Imm.TABLE, Imm.F32)
    try:
        module = parse("(elem $e func) (table $t 1 funcref) (func test.both $t $e 0.5 (test.both 7 -inf))")
        assert module.funcs[0].body.imms == ((0, 0, 0x3F000000), (7, 0, 0xFF800000), None)
        assert "test.both 7 -inf" in print_module(module)
    finally:
        del OPS[row.name], BY_CODE[row.code]


# `^` stands before the word that is wrong.
REFUSED = {
    "(func ^foo)": "unknown operator foo",
    "(func i32.const ^foo)": "unknown operator foo",
    "(func i32.const ^i32)": "unexpected token: expected a number, found 'i32'",
    "(func i32.const ^0x1_0000_0000)": "constant out of range",
    "(func i32.const ^1.5)": "unknown operator",
    "(func ^select_t)": "unknown operator select_t",
    "(func ^end)": "unexpected token",
    "(func block^)": "unexpected token: expected 'end', found ')'",
    "(func (if (i32.const 1)^))": "unexpected token: expected '(then', found ')'",
    "(func (nop ^nop))": "unexpected token: expected '(' or ')', found 'nop'",
    "(func block $a end ^$b)": "mismatching label $b",
    "(func br ^$a)": "unknown label $a",
    "(func (if $a (br ^$a) (then)))": "unknown label $a",
    "(func call ^$f)": "unknown func $f",
    "(func) (func $f) (func ^$f)": "duplicate func $f",
    "(func (param $x i32) (local ^$x i32))": "duplicate local $x",
    "(type (func (result i32) (^param i32)))": "unexpected token",
    "(type (func)) (func (type 0) ^(param i32))": "inline function type",
    "(func i32.load ^align=3)": "alignment must be a power of two",
    "(func) (^import \"a\" \"b\" (func))": "import after function",
    '(func (export ^"\\ff"))': "malformed UTF-8 encoding",
    '(data ^"\\u{d800}")': "malformed UTF-8 encoding",
    '(data ^"abc': "unclosed string",
    "(func ^(; nop)": "unclosed comment",
    "(func ^(@a nop": "unclosed annotation",
    "(func ^$ )": "empty identifier",
    "(func) ^(@custom 5)": "@custom annotation: missing section name",
    "(func ^\N{SNOWMAN})": "illegal character",
    "(start 0) (func) (^start 0)": "multiple start sections",
    "(module)^(module)": "unexpected token",
    "(module^": "unexpected token: expected ')', found the end of the text",
    "(^foo)": "unknown operator foo",
    "^)": "unexpected token",
    "(memory ^f32)": "unexpected token: expected a size, found 'f32'",
    "(func (local ^anyfunc))": "unknown operator anyfunc",
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_refusal_says_what_and_where(text: str) -> None:
    source = text.replace("^", "\n  ", 1)
    with pytest.raises(MalformedError) as caught:
        parse(source)
    error = caught.value
    assert error.message.startswith(REFUSED[text])
    assert (error.line, error.column) == (2, 3)


def test_an_unknown_escape_is_pointed_at() -> None:
    with pytest.raises(MalformedError, match=r"1:9: illegal escape"):
        parse('(data "a\\z")')


def test_excerpt_points_at_the_column() -> None:
    text = "(module\n\t(func foo)\n)"
    with pytest.raises(MalformedError) as caught:
        parse(text)
    assert excerpt(text, caught.value.line, caught.value.column) == "2 | \t(func foo)\n  | \t      ^"


def test_excerpt_of_a_long_line_is_short() -> None:
    text = "(func " + "nop " * 10_000 + "foo)"
    with pytest.raises(MalformedError) as caught:
        parse(text)
    source, caret = excerpt(text, caught.value.line, caught.value.column).split("\n")
    assert len(source) < 120
    assert source[caret.index("^") :] == "foo)"


DEEP = 100_000
NESTED = 20_000
"""Blocks: no stack of Python or C holds as many, and they are soon parsed."""


@pytest.mark.parametrize(
    "text",
    [
        "(" * DEEP,
        "(func " + "(" * DEEP,
        "(module " * DEEP,
        ")" * DEEP,
        "(; " * DEEP,
        "(@a " * DEEP,
        "(func " + "block " * DEEP,
    ],
)
def test_depth_is_no_crash(text: str) -> None:
    with pytest.raises(MalformedError):
        parse(text)


def test_deep_code_parses_and_prints() -> None:
    folded = parse("(func " + "(block (drop " * NESTED + "(i32.const 1)" + "))" * NESTED + ")")
    assert len(folded.funcs[0].body.ops) == 3 * NESTED + 2
    assert parse(print_module(folded)) == folded


def test_labels_cost_nothing_per_level() -> None:
    text = "(func block $out " + "block " * NESTED + "br $out " * NESTED + "end " * NESTED + "end)"
    assert parse(text).funcs[0].body.imms[-NESTED - 3] == NESTED


SYMBOLS = '( ) ( ) ( ) (; ;) ;; (@a (@custom $a $b "a" "\\ff" 0 1 -1 0x1p3 nan:0x1 align=4 offset=9 foo'
KEYWORDS = """
    module func type param result local import export table memory global mut elem data offset item declare
    start then else end block loop if select call_indirect br_table i32.load memory.init table.copy nop
    i32.const f32.const ref.null ref.func i32 f64 funcref extern
"""
WORDS = [*SYMBOLS.split(), *KEYWORDS.split()]


@examples(500)
@given(
    st.lists(st.sampled_from(WORDS), max_size=30),
    st.sampled_from(["", "(func ", "(module (elem ", "(table "]),
)
def test_any_words_make_a_module_or_a_refusal(words: list[str], before: str) -> None:
    text = before + " ".join(words) + ")" * before.count("(")
    try:
        module = parse(text)
    except MalformedError as error:
        assert 1 <= error.line <= text.count("\n") + 1
        assert excerpt(text, error.line, error.column)
    else:
        assert parse(print_module(module)) == module


def test_implicit_types_are_those_of_the_text() -> None:
    module = parse("(func (param i32) (result i64) unreachable) (func)")
    assert module.types == (RecType.of(FuncType((I32,), (I64,))), RecType.of(FuncType()))


def test_annotations_name_the_module_and_functions() -> None:
    module = parse("""(module $m (@name "Modül")
      (import "a" "b" (func (@name "imported one")))
      (type (@name "t") (func (param $x (@name "x y") i32)))
      (func $f (@name "with spaces") (type 0) (param $p i32))
      (func $g))""")
    names = Names(module)
    assert (names.module, names.functions) == ("Modül", {0: "imported one", 1: "with spaces", 2: "g"})


def test_annotations_in_comments_and_other_annotations_say_nothing() -> None:
    module = parse('(module (;(@custom "a" "b");) (@other (@custom "a" "b")) (@customs "a"))')
    assert module.customs == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('(func (nop (@name "x")))', "misplaced @name annotation"),
        ("(func $f (@name))", "@name annotation: "),
        ('(func (@metadata.code.branch_hint "\\02") (if (i32.const 0) (then)))', "invalid value"),
        ('(@custom "a" (before first) "x" (after last))', "unexpected token"),
    ],
)
def test_annotations_that_cant_be_read(text: str, message: str) -> None:
    with pytest.raises(MalformedError, match=message):
        parse(text)


def test_a_branch_hint_is_about_a_branch() -> None:
    parse('(func (block (@metadata.code.branch_hint "\\01") (br_if 0 (i32.const 1))))')
    with pytest.raises(InvalidError, match="invalid target nop"):
        parse('(func (@metadata.code.branch_hint "\\01") nop)')

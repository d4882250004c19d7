"""Rules of validation that the official suite doesn't try: limits, long lists of types, and fast paths that
must decide as the rule does. Each invalid module has a valid twin beside it."""

from __future__ import annotations

import pytest

from pywasm_nn.api import Module
from pywasm_nn.errors import InvalidError

MANY = " ".join(["i32"] * 20)
ZEROS = "(i32.const 0) " * 19


def refused(text: str, message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        Module.from_text(text).validate()


def accepted(text: str) -> None:
    Module.from_text(text).validate()


@pytest.mark.parametrize("last", ["i64", "f32", "f64"])
def test_each_of_many_parameters_has_its_type(last: str) -> None:
    text = f"(module (func $f (param {MANY})) (func (call $f {ZEROS} ({{}}.const 0))))"
    accepted(text.format("i32"))
    refused(text.format(last), "type mismatch")
    first = f"(module (func $f (param {MANY})) (func (call $f ({{}}.const 0) {ZEROS})))"
    accepted(first.format("i32"))
    refused(first.format(last), "type mismatch")


def test_some_of_many_parameters_may_be_subtypes() -> None:
    anys = " ".join(["anyref"] * 20)
    text = f"(module (func $f (param {anys})) (func (call $f {{}})))"
    accepted(text.format("(ref.null none) " * 20))
    accepted(text.format("(ref.null any) " * 19 + "(ref.i31 (i32.const 1))"))
    refused(text.format("(ref.null any) " * 19 + "(ref.null func)"), "type mismatch")
    refused(text.format("(ref.null any) " * 19), "type mismatch")


@pytest.mark.parametrize(("count", "is_valid"), [(50_000, True), (50_001, False)])
def test_blocks_in_each_other_are_limited(count: int, is_valid: bool) -> None:
    body = b"\0" + b"\x02\x40" * count + b"\x0b" * (count + 1)
    data = b"\0asm\1\0\0\0\1\4\1\x60\0\0\3\2\1\0\x0a" + sized(b"\1" + sized(body))
    if is_valid:
        Module.from_bytes(data).validate()
    else:
        with pytest.raises(InvalidError, match="too many blocks in each other: there may be 50000"):
            Module.from_bytes(data).validate()


def sized(data: bytes) -> bytes:
    """The length as LEB128, and the bytes."""
    length, rest = bytearray(), len(data)
    while rest > 0x7F:
        length.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes(length) + bytes([rest]) + data


@pytest.mark.parametrize(("depth", "is_valid"), [(63, True), (64, False)])
def test_super_types_are_limited(depth: int, is_valid: bool) -> None:
    types = "(type $t0 (sub (struct)))" + "".join(
        f"(type $t{n} (sub $t{n - 1} (struct)))" for n in range(1, depth + 1)
    )
    if is_valid:
        accepted(f"(module {types})")
    else:
        refused(f"(module {types})", "sub type 64 lies too deep: 63 super types are the most")


@pytest.mark.parametrize(("count", "is_valid"), [(10_000, True), (10_001, False)])
def test_fields_are_limited(count: int, is_valid: bool) -> None:
    text = f"(module (type (struct {'(field i32)' * count})))"
    if is_valid:
        accepted(text)
    else:
        refused(text, "type 0 has too many fields: 10000 are the most")


@pytest.mark.parametrize("part", ["param", "result"])
@pytest.mark.parametrize(("count", "is_valid"), [(1000, True), (1001, False)])
def test_parameters_and_results_are_limited(part: str, count: int, is_valid: bool) -> None:
    text = f"(module (type (func ({part} {'i32 ' * count}))))"
    if is_valid:
        accepted(text)
    else:
        refused(text, "too many parameters or results: 1000 are the most")


@pytest.mark.parametrize(("count", "is_valid"), [(49_998, True), (49_999, False)])
def test_locals_are_limited_with_parameters(count: int, is_valid: bool) -> None:
    text = f"(module (func (param i32 i32) (local {'i32 ' * count})))"
    if is_valid:
        accepted(text)
    else:
        refused(text, "too many locals: a function may have 50000")


AGGREGATES = """(module
  (type $s (struct (field $a i8) (field $b i32)))
  (type $bytes (array i8)) (type $ints (array (mut i32)))
  (func (param $s (ref null $s)) (param $bytes (ref null $bytes)) (param $ints (ref null $ints))
    (drop {})))"""


@pytest.mark.parametrize(
    "text",
    [
        "(array.get $s (local.get $s) (i32.const 0))",
        "(array.get $bytes (local.get $bytes) (i32.const 0))",
        "(array.get_u $ints (local.get $ints) (i32.const 0))",
        "(array.get_s $s (local.get $s) (i32.const 0))",
        "(struct.get $s 0 (local.get $s))",
        "(struct.get_u $s 1 (local.get $s))",
        "(struct.get_s $ints 0 (local.get $ints))",
        "(struct.get $s 2 (local.get $s))",
        "(array.new $s (i32.const 0) (i32.const 1))",
        "(array.new_default $s (i32.const 1))",
    ],
)
def test_fields_and_elements_are_accessed_as_they_are(text: str) -> None:
    for valid in (
        "(array.get $ints (local.get $ints) (i32.const 0))",
        "(array.get_s $bytes (local.get $bytes) (i32.const 0))",
        "(struct.get_u $s 0 (local.get $s))",
        "(struct.get $s 1 (local.get $s))",
    ):
        accepted(AGGREGATES.format(valid))
    refused(AGGREGATES.format(text), "type mismatch|unknown field")


INTS, PLACE, NUMBER = "(local.get $ints)", "(i32.const 0)", "(i32.const 1)"
ARRAYS = {
    "array.fill $ints": [INTS, PLACE, NUMBER, NUMBER],
    "array.copy $ints $more": [INTS, PLACE, "(local.get $more)", PLACE, NUMBER],
    "array.init_data $ints $data": [INTS, PLACE, PLACE, NUMBER],
    "array.init_elem $funcs $elem": ["(local.get $funcs)", PLACE, PLACE, NUMBER],
}


@pytest.mark.parametrize("verb", ARRAYS)
def test_instructions_on_whole_arrays_have_operands_of_their_types(verb: str) -> None:
    """All of them, and none of another type."""
    text = """(module (type $ints (array (mut i32))) (type $more (array i32))
      (type $funcs (array (mut funcref))) (data $data "abc") (elem $elem funcref)
      (func (param $ints (ref $ints)) (param $more (ref $more)) (param $funcs (ref $funcs)) ({} {})))"""
    operands = ARRAYS[verb]
    accepted(text.format(verb, " ".join(operands)))
    refused(text.format(verb, " ".join(operands[1:])), "type mismatch")
    for place in range(len(operands)):
        other = [*operands[:place], "(f64.const 0)", *operands[place + 1 :]]
        refused(text.format(verb, " ".join(other)), "type mismatch")


@pytest.mark.parametrize(
    "body",
    [
        "(return_call $two)",
        "(return_call_indirect (result i64) (i32.const 0))",
        "(return_call_ref $long (ref.func $two))",
    ],
)
def test_a_tail_call_has_the_results_of_its_caller(body: str) -> None:
    text = f"""(module (type $long (func (result i64))) (table 1 funcref) (elem declare func $two $one)
      (func $two (type $long) (i64.const 1)) (func $one (result i32) (i32.const 1))
      (func (result {{}}) {body}))"""
    accepted(text.format("i64"))
    refused(text.format("i32"), "type mismatch")
    refused(text.format("i64 i64"), "type mismatch")


UNSET = """(module (type $t (func)) (elem declare func $f) (func $f (type $t))
  (func (local $r (ref TYPE)) (local $other (ref TYPE)) (local $n i32) {}))"""


@pytest.mark.parametrize("type_", ["func", "$t"])
@pytest.mark.parametrize("verb", ["local.set $r (ref.func $f)", "drop (local.tee $r (ref.func $f)"])
def test_a_local_without_a_default_is_set_before_it_is_read(verb: str, type_: str) -> None:
    unset = UNSET.replace("TYPE", type_)
    set_ = f"({verb}" + ")" * (verb.count("(") - verb.count(")") + 1)
    read = "(drop (local.get $r))"
    accepted(unset.format(f"{set_} {read} (block {read}) {set_} {read}"))
    accepted(unset.format(f"{set_} (local.set $other (local.get $r)) (drop (local.get $other))"))
    refused(unset.format(f"{set_} (drop (local.get $other))"), "uninitialized local")
    refused(unset.format(read), "uninitialized local")
    refused(unset.format(f"(block {set_} {read}) {read}"), "uninitialized local")
    refused(unset.format(f"(if (local.get $n) (then {set_}) (else {read}))"), "uninitialized local")


@pytest.mark.parametrize(
    ("type_", "valid", "invalid"),
    [
        ("funcref", "(ref.null nofunc)", "(ref.null any)"),
        ("(ref null $t)", "(ref.null nofunc)", "(ref.null $other)"),
        ("(ref $t)", "(ref.func $f)", "(ref.func $g)"),
        ("(ref func)", "(ref.func $f)", "(ref.null func)"),
        ("i32", "(i32.add (i32.const 1) (i32.const 2))", "(i32.add (i32.const 1) (i64.const 2))"),
        ("i32", "(i32.sub (i32.const 1) (i32.const 2))", "(i32.const 1) (i32.const 2)"),
        ("i32", "(i32.const 1)", "(i32.popcnt (i32.const 1))"),
        ("i64", "(global.get $i)", "(global.get $m)"),
        ("anyref", "(ref.i31 (i32.const 4))", "(ref.i31 (i64.const 4))"),
        ("(ref $s)", "(struct.new_default $s)", "(struct.get $s 0 (struct.new_default $s))"),
        ("i32", "(i32.const 1)", "nop (i32.const 1)"),
        ("i32", "(i32.const 1)", "(call $one)"),
    ],
)
def test_constant_expressions(type_: str, valid: str, invalid: str) -> None:
    text = """(module (type $t (func)) (type $other (func (param i64))) (type $s (struct (field i32)))
      (func $f (type $t)) (func $g (type $other)) (func $one (result i32) (i32.const 1))
      (global $i i64 (i64.const 5)) (global $m (mut i64) (i64.const 6)) (global {} {}))"""
    accepted(text.format(type_, valid))
    refused(text.format(type_, invalid), "type mismatch|constant expression required|unknown global")


def test_a_constant_expression_reads_earlier_globals_only() -> None:
    accepted("(module (global i32 (i32.const 1)) (global i32 (global.get 0)))")
    refused("(module (global i32 (global.get 1)) (global i32 (i32.const 1)))", "unknown global 1")
    refused("(module (global i32 (global.get 0)))", "unknown global 0")
    refused("(module (global i32 (i32.const 1)) (global i64 (global.get 0)))", "type mismatch")


def test_a_constant_expression_refers_to_functions_that_there_are() -> None:
    accepted("(module (func) (global funcref (ref.func 0)))")
    refused("(module (func) (global funcref (ref.func 1)))", "unknown function 1")


def test_every_global_is_checked() -> None:
    accepted('(module (import "a" "b" (global i64)) (global i32 (i32.const 1)) (global i64 (global.get 0)))')
    refused(
        '(module (import "a" "b" (global i64)) (global i32 (i32.const 1)) (global i64 (i32.const 1)))',
        "mismatch",
    )


LONG = 999
REPEATED = {
    "exceptions": ("(throw $e)", "{}"),
    "clauses that catch": ("(catch $e $out)", "(try_table {})"),
    "clauses that catch a reference": ("(catch_ref $e $out)", "(try_table {})"),
}


@pytest.mark.parametrize(("count", "is_valid"), [(120, True), (200, False)])
@pytest.mark.parametrize("name", REPEATED)
def test_work_in_long_lists_of_types_is_limited(name: str, count: int, is_valid: bool) -> None:
    """Each exception and each clause has a thousand types, which are matched by the rules."""
    repeated, around = REPEATED[name]
    body = around.format(repeated * count)
    types = "i64 " * LONG
    carried = f"{types} (ref exn)" if "_ref" in repeated else types
    module = f"""(module (tag $e (param {types}))
      (func (block $out (result {carried}) (unreachable) {body} (unreachable)) (unreachable)))"""
    if is_valid:
        accepted(module)
    else:
        refused(module, "too many types")


@pytest.mark.parametrize(("functions", "is_valid"), [(1, True), (2, False)])
def test_work_in_long_lists_of_types_is_limited_for_all_functions_together(
    functions: int, is_valid: bool
) -> None:
    body = f"(func (unreachable) {'(throw $e)' * 120})"
    module = f"(module (tag $e (param {'i64 ' * LONG})) {body * functions})"
    if is_valid:
        accepted(module)
    else:
        refused(module, "too many types")


@pytest.mark.parametrize(
    "body", ["(drop (local.get {}))", "(local.set {} (i32.const 1))", "(drop (local.tee {} (i32.const 1)))"]
)
def test_locals_are_numbered_from_0_to_one_less_than_there_are(body: str) -> None:
    module = "(module (func (param i32) (local i32 i32) {}))"
    for local in (0, 1, 2):
        accepted(module.format(body.format(local)))
    refused(module.format(body.format(3)), "unknown local 3")


def test_select_without_a_type_takes_no_references() -> None:
    text = """(module (func (param {0}) (result {0})
        (select {1} (local.get 0) (local.get 0) (i32.const 1))))"""
    accepted(text.format("i64", ""))
    accepted(text.format("funcref", "(result funcref)"))
    refused(text.format("funcref", ""), "select without type on a reference")
    refused(
        "(module (func (param funcref) (drop (unreachable) (select (local.get 0) (i32.const 1)))))",
        "select without type on a reference",
    )


@pytest.mark.parametrize("place", [0, 7, 15])
def test_each_lane_of_a_shuffle_is_one_of_two_vectors(place: int) -> None:
    def text(lane: int) -> str:
        lanes = ["0"] * 16
        lanes[place] = str(lane)
        operands = "(local.get 0) (local.get 0)"
        return f"(module (func (param v128) (drop (i8x16.shuffle {' '.join(lanes)} {operands}))))"

    accepted(text(31))
    refused(text(32), "invalid lane index")


def test_a_function_that_nobody_calls_has_a_function_type_too() -> None:
    def decoded(type_: bytes) -> Module:
        types = bytes([1, 1 + len(type_), 1]) + type_
        return Module.from_bytes(b"\0asm\1\0\0\0" + types + b"\3\2\1\0\x0a\4\1\2\0\x0b")

    decoded(b"\x60\0\0")
    with pytest.raises(InvalidError, match="type 0 is no function type"):
        decoded(b"\x5f\0")

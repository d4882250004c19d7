"""The script runner: what holds passes, and, more important, what doesn't hold fails."""

from __future__ import annotations

import pytest

from pywasm_nn.interpreter.engine import ENGINES
from pywasm_nn.interpreter.script import Report, run_script

MODULE = """
(module
  (global (export "g") i32 (i32.const -7))
  (func (export "i32") (param i32) (result i32) (local.get 0))
  (func (export "f32") (param f32) (result f32) (local.get 0))
  (func (export "f64") (param f64) (result f64) (local.get 0))
  (func (export "extern") (param externref) (result externref) (local.get 0))
  (func (export "func") (result funcref) (ref.null func))
  (func (export "two") (result i32 i64) (i32.const 1) (i64.const 2))
  (func (export "none"))
  (func (export "div") (param i32) (result i32) (i32.div_u (i32.const 1) (local.get 0)))
  (func $deep (export "deep") (call $deep))
)
"""
INVALID = "(module (func (result i32)))"


@pytest.fixture(params=list(ENGINES))
def engine(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def run(text: str, engine: str) -> Report:
    return run_script(text, ENGINES[engine])


HOLDS = [
    '(assert_return (invoke "i32" (i32.const -1)) (i32.const 0xffffffff))',
    '(assert_return (get "g") (i32.const -7))',
    '(assert_return (invoke "none"))',
    '(assert_return (invoke "two") (i32.const 1) (i64.const 2))',
    '(assert_return (invoke "f32" (f32.const -0)) (f32.const -0))',
    '(assert_return (invoke "f32" (f32.const nan:0x1)) (f32.const nan:0x1))',
    '(assert_return (invoke "f32" (f32.const -nan)) (f32.const nan:canonical))',
    '(assert_return (invoke "f64" (f64.const nan:0x8000000000001)) (f64.const nan:arithmetic))',
    '(assert_return (invoke "f64" (f64.const 1)) (either (f64.const 0) (f64.const 1)))',
    '(assert_return (invoke "extern" (ref.extern 3)) (ref.extern 3))',
    '(assert_return (invoke "extern" (ref.extern 3)) (ref.extern))',
    '(assert_return (invoke "extern" (ref.null extern)) (ref.null extern))',
    '(assert_return (invoke "func") (ref.null))',
    '(assert_trap (invoke "div" (i32.const 0)) "integer divide by zero")',
    '(assert_trap (invoke "div" (i32.const 0)) "integer divide")',
    '(assert_exhaustion (invoke "deep") "call stack exhausted")',
    f'(assert_invalid {INVALID} "type mismatch")',
    '(assert_malformed (module binary "\\00asm") "unexpected end")',
    '(assert_malformed (module quote "(func") "unexpected token")',
    '(assert_unlinkable (module (import "nobody" "x" (func))) "unknown import")',
    '(assert_unlinkable (module (import "spectest" "print" (func (param i64)))) "incompatible import type")',
    '(assert_trap (module (func $f unreachable) (start $f)) "unreachable")',
]

HOLDS_NOT = [
    '(assert_return (invoke "i32" (i32.const 1)) (i32.const 2))',
    '(assert_return (invoke "i32" (i32.const 1)) (i64.const 1))',
    '(assert_return (invoke "i32" (i32.const 1)))',
    '(assert_return (invoke "two") (i32.const 1))',
    '(assert_return (invoke "nowhere"))',
    '(assert_return (invoke $nobody "none"))',
    '(assert_return (invoke "div" (i32.const 0)) (i32.const 0))',
    '(assert_return (invoke "f32" (f32.const -0)) (f32.const 0))',
    '(assert_return (invoke "f64" (f64.const 0)) (f64.const -0))',
    '(assert_return (invoke "f32" (f32.const 1)) (f64.const 1))',
    '(assert_return (invoke "f32" (f32.const nan:0x1)) (f32.const nan:arithmetic))',
    '(assert_return (invoke "f64" (f64.const nan:0x8000000000001)) (f64.const nan:canonical))',
    '(assert_return (invoke "f64" (f64.const 1)) (either (f64.const 0) (f64.const 2)))',
    '(assert_return (invoke "extern" (ref.extern 3)) (ref.extern 4))',
    '(assert_return (invoke "extern" (ref.extern 3)) (ref.null extern))',
    '(assert_return (invoke "extern" (ref.null extern)) (ref.extern))',
    '(assert_return (invoke "func") (ref.func))',
    '(assert_trap (invoke "none") "unreachable")',
    '(assert_trap (invoke "div" (i32.const 0)) "integer overflow")',
    '(assert_trap (invoke "deep") "call stack exhausted")',
    '(assert_exhaustion (invoke "div" (i32.const 0)) "integer divide by zero")',
    '(assert_invalid (module) "type mismatch")',
    f'(assert_invalid {INVALID} "unknown local")',
    f'(assert_malformed {INVALID} "type mismatch")',
    '(assert_invalid (module quote "(func") "unexpected token")',
    '(assert_malformed (module binary "\\00asm\\01\\00\\00\\00") "unexpected end")',
    '(assert_unlinkable (module) "unknown import")',
    '(assert_unlinkable (module (func $f unreachable) (start $f)) "unreachable")',
    '(assert_trap (module (import "nobody" "x" (func))) "unknown import")',
    '(module (import "nobody" "x" (func)))',
    '(register "name" $nobody)',
    '(invoke "div" (i32.const 0))',
]


@pytest.mark.parametrize("command", HOLDS)
def test_what_holds_passes(command: str, engine: str) -> None:
    report = run(MODULE + command, engine)
    assert not report.failures
    assert sum(report.passed.values()) == 1


@pytest.mark.parametrize("command", HOLDS_NOT)
def test_what_does_not_hold_fails(command: str, engine: str) -> None:
    report = run(MODULE + command, engine)
    assert len(report.failures) == sum(report.failed.values()) == 1
    assert report.failures[0].line == MODULE.count("\n") + 1
    assert not report.passed


def test_after_a_module_that_fails_nothing_runs_on_an_earlier_one(engine: str) -> None:
    report = run(MODULE + INVALID + '(assert_return (invoke "none"))', engine)
    assert [failure.kind for failure in report.failures] == ["module", "return"]


def test_modules_by_id_and_by_registered_name(engine: str) -> None:
    report = run(
        """
        (module $a (func (export "f") (result i32) (i32.const 1)))
        (module $b (func (export "f") (result i32) (i32.const 2)))
        (register "first" $a)
        (register "latest")
        (module
          (import "first" "f" (func $f (result i32))) (import "latest" "f" (func $g (result i32)))
          (func (export "sum") (result i32) (i32.add (call $f) (i32.mul (i32.const 10) (call $g)))))
        (assert_return (invoke "sum") (i32.const 21))
        (assert_return (invoke $a "f") (i32.const 1))
        """,
        engine,
    )
    assert not report.failures


def test_a_definition_can_be_instantiated_many_times(engine: str) -> None:
    report = run(
        """
        (module definition $counter
          (global $n (mut i32) (i32.const 0))
          (func (export "next") (result i32)
            (global.set $n (i32.add (global.get $n) (i32.const 1))) (global.get $n)))
        (module instance $a $counter)
        (module instance $b $counter)
        (assert_return (invoke $a "next") (i32.const 1))
        (assert_return (invoke $a "next") (i32.const 2))
        (assert_return (invoke $b "next") (i32.const 1))
        """,
        engine,
    )
    assert not report.failures


def test_spectest(engine: str) -> None:
    report = run(
        """
        (module
          (import "spectest" "print_i32_f32" (func (param i32 f32)))
          (import "spectest" "global_i32" (global $i32 i32))
          (import "spectest" "global_f32" (global $f32 f32))
          (import "spectest" "global_f64" (global $f64 f64))
          (import "spectest" "table" (table 10 20 funcref))
          (import "spectest" "memory" (memory 1 2))
          (func (export "print") (call 0 (global.get $i32) (global.get $f32)))
          (func (export "sizes") (result i32 i32) table.size memory.size)
          (func (export "i32") (result i32) (global.get $i32))
          (func (export "f32") (result f32) (global.get $f32))
          (func (export "f64") (result f64) (global.get $f64)))
        (assert_return (invoke "print"))
        (assert_return (invoke "sizes") (i32.const 10) (i32.const 1))
        (assert_return (invoke "i32") (i32.const 666))
        (assert_return (invoke "f32") (f32.const 666.6))
        (assert_return (invoke "f64") (f64.const 666.6))
        """,
        engine,
    )
    assert not report.failures


def test_reports_count_by_kind(engine: str) -> None:
    report = run(MODULE + HOLDS[0] + HOLDS_NOT[0] + HOLDS[13] + '(invoke "none")', engine)
    assert (dict(report.passed), dict(report.failed)) == ({"return": 1, "trap": 1}, {"return": 1})
    assert str(report) == "2 passed, 1 failed (return 1 passed, 1 failed; trap 1 passed, 0 failed)"
    assert str(report.failures[0]).startswith("line 14: return: expected ")


def test_a_text_that_is_no_script(engine: str) -> None:
    report = run("(module)\n(assert_return", engine)
    assert [(failure.line, failure.kind) for failure in report.failures] == [(2, "script")]
    assert (report.passed, report.failed) == ({}, {"script": 1})

"""Where in a text an instruction is that breaks a rule of validation."""

from __future__ import annotations

import pickle

import pytest

from pywasm_nn import InvalidError, Module, Trap

BEGINNING = (
    '(module $m (import "e" "f" (func $f))\n  (func nop)\n  (func $wrong (export "w") (result i32)\n    '
)
"""The function below begins at the fourth line."""


def place(body: str) -> tuple[int, int]:
    module = Module.from_text(f"{BEGINNING}{body}))")
    with pytest.raises(InvalidError) as caught:
        module.validate()
    error = caught.value
    assert str(error).endswith(f", line {error.line}, column {error.column})")
    return error.line, error.column


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("i64.const 1\n  i32.eqz", (5, 3)),
        ("(i32.eqz\n  (i64.const 1)\n)", (4, 6)),
        ("(i32.add (i32.const 1)\n  (i32.eqz\n (i64.const 1)))", (5, 4)),
        ("(if (result i32)\n (i64.const 1) (then (i32.const 1)) (else (i32.const 2)))", (4, 6)),
        ("(if (result i32)\n (i32.const 1) (then (i32.const 1))\n (else\n (i32.eqz)))", (7, 3)),
        ("block (result i32)\n i32.const 1\n drop\n end", (7, 2)),
        ("(block (result i32)\n (i64.const 1)\n)", (5, 14)),
        ("i32.const 1\n (call $f\n)\n drop\n", (7, 2)),
        ("(br_if 5\n (i32.const 1))", (4, 6)),
        ("(try (result i32) (do (i32.const 1))\n (catch_all (i64.const 1)))", (5, 26)),
        ("i64.load\n offset=8", (4, 5)),
    ],
)
def test_places(body: str, wanted: tuple[int, int]) -> None:
    assert place(body) == wanted


def test_without_the_word_module() -> None:
    with pytest.raises(InvalidError, match=r"^type mismatch.*, line 2, column 11\)$"):
        Module.from_text("(func (result i32)\ni64.const 1)").validate()


def test_a_function_that_is_checked_when_it_is_called() -> None:
    module = Module.from_text('(module (func (export "f")\n  i32.eqz))')
    with (
        module.instantiate() as app,
        pytest.raises(Trap, match=r"invalid function body: type mismatch.*, line 2, column 3\)"),
    ):
        app.exports.f()


def test_a_binary_has_offsets_alone() -> None:
    text = Module.from_text("(func i32.eqz)")
    for module in (Module.from_bytes(text.data), pickle.loads(pickle.dumps(text))):
        with pytest.raises(InvalidError, match=r"^type mismatch.*offset 0x") as caught:
            module.validate()
        assert caught.value.line == 0

"""Scripts: every form of command, and modules that are looked into only when asked for."""

from __future__ import annotations

import pytest

from pywasm_nn.errors import MalformedError
from pywasm_nn.interpreter.binary import decode
from pywasm_nn.interpreter.text import parse, parse_script
from pywasm_nn.interpreter.text import script as s
from pywasm_nn.interpreter.types import F32, F64, I32, I64


def one(text: str) -> s.Command:
    (command,) = parse_script(text)
    return command


def test_forms_of_modules() -> None:
    script = """
      (module $A (func (export "f")))
      (module definition $B (memory 1))
      (module instance $C $B)
      (module instance)
      (module $D binary "\\00asm" "\\01\\00\\00\\00")
      (module quote "(func" ")" "(memory 1)")
    """
    text, definition, instance, latest, binary, quote = parse_script(script)
    assert isinstance(text, s.ModuleCommand) and isinstance(definition, s.ModuleCommand)
    assert (text.line, text.id, text.definition) == (2, "A", False)
    assert text.source.read(decode) == parse('(module $A (func (export "f")))')
    assert (definition.line, definition.id, definition.definition) == (3, "B", True)
    assert definition.source.read(decode) == parse("(module $B (memory 1))")
    assert instance == s.InstanceCommand(4, "C", "B")
    assert latest == s.InstanceCommand(5, None, None)
    assert isinstance(binary, s.ModuleCommand) and isinstance(quote, s.ModuleCommand)
    assert (binary.id, binary.source) == ("D", s.BinarySource(b"\0asm\1\0\0\0"))
    assert binary.source.read(decode) == decode(b"\0asm\1\0\0\0")
    assert quote.source.read(decode) == parse("(func) (memory 1)")


def test_a_script_may_be_the_fields_of_a_module() -> None:
    command = one("(func) (memory 0)")
    assert isinstance(command, s.ModuleCommand)
    assert command.source.read(decode) == parse("(func) (memory 0)")


def test_actions_and_patterns() -> None:
    assert one('(register "m" $i)') == s.Register(1, "m", "i")
    assert one(
        '(invoke $i "f" (i32.const -1) (ref.extern 3) (ref.null func) (f32.const -0))'
    ) == s.ActionCommand(
        1,
        s.Invoke(
            "i",
            "f",
            (s.Const(I32, 2**32 - 1), s.RefHost("extern", 3), s.RefNull("func"), s.Const(F32, 1 << 31)),
        ),
    )
    assert one('(assert_return (get "g") (i64.const 0x10))') == s.AssertReturn(
        1, s.Get(None, "g"), (s.Const(I64, 16),)
    )
    expected = """
      (f32.const nan:canonical) (f64.const nan:arithmetic) (f64.const nan:0x1)
      (ref.null) (ref.func) (ref.extern) (either (i32.const 1) (i32.const 2))
    """
    command = one(f'(assert_return (invoke "f") {expected})')
    assert isinstance(command, s.AssertReturn)
    assert command.expected == (
        s.NanPattern(F32, True),
        s.NanPattern(F64, False),
        s.Const(F64, 0x7FF0000000000001),
        s.RefNull(None),
        s.RefPattern("func"),
        s.RefPattern("extern"),
        s.Either((s.Const(I32, 1), s.Const(I32, 2))),
    )


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('(assert_trap (invoke "f") "m")', s.AssertTrap),
        ('(assert_trap (module) "m")', s.AssertUninstantiable),
        ('(assert_exhaustion (invoke "f") "m")', s.AssertExhaustion),
        ('(assert_malformed (module quote "") "m")', s.AssertMalformed),
        ('(assert_invalid (module) "m")', s.AssertInvalid),
        ('(assert_unlinkable (module) "m")', s.AssertUnlinkable),
        ('(assert_malformed_custom (module quote "") "m")', s.AssertMalformedCustom),
        ('(assert_invalid_custom (module) "m")', s.AssertInvalidCustom),
    ],
)
def test_assertions_with_a_message(text: str, kind: type) -> None:
    command = one(text)
    assert type(command) is kind
    assert getattr(command, "message") == "m"  # noqa: B009 - not every command has one, these do


def test_a_broken_module_is_its_commands_failure() -> None:
    script = """
      (assert_malformed (module quote "(func") "unexpected token")
      (assert_malformed (module quote "\\ff") "malformed UTF-8 encoding")
      (module (func i32.const $foo (nonsense)))
      (module)
    """
    commands = parse_script(script)
    assert [command.line for command in commands] == [2, 3, 4, 5]
    for command, message in zip(
        commands, ["unexpected token", "malformed UTF-8 encoding", "unexpected token"], strict=False
    ):
        assert isinstance(command, s.AssertMalformed | s.ModuleCommand)
        with pytest.raises(MalformedError, match=message):
            command.source.read(decode)


def test_errors_in_modules_count_lines_of_the_script() -> None:
    _, command = parse_script("(module)\n(module\n  (func foo))")
    assert isinstance(command, s.ModuleCommand)
    with pytest.raises(MalformedError) as caught:
        command.source.read(decode)
    assert (caught.value.line, caught.value.column) == (3, 9)


@pytest.mark.parametrize(
    "text",
    [
        "(",
        ")",
        "(foo)",
        "module",
        "(module",
        "(register)",
        '(module binary "a" x)',
        '(invoke "f"',
        '(invoke "f" (i32.const))',
        '(invoke "f" (ref.null))',
        '(assert_trap (invoke "f"))',
        "(assert_return (module))",
        '(assert_return (invoke "f") (i32.const nan:canonical))',
        '(assert_return (invoke "f") ' + "(either " * 100_000,
        "(" * 100_000,
    ],
)
def test_what_is_no_script(text: str) -> None:
    with pytest.raises(MalformedError):
        parse_script(text)

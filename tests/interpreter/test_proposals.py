"""Modules that need a proposal which isn't here are told its name, wherever they are met."""

from __future__ import annotations

from pathlib import Path

import pytest

from pywasm_nn import cli
from pywasm_nn.api import Module
from pywasm_nn.errors import MalformedError
from pywasm_nn.interpreter.instructions import BY_CODE
from pywasm_nn.interpreter.proposals import BY_OPCODE, BY_TYPE
from pywasm_nn.interpreter.types import VAL_TYPE_BY_CODE

HEADER = b"\0asm\1\0\0\0"
TYPE = b"\1\4\1\x60\0\0"
FUNC = b"\3\2\1\0"
EXPORT = b"\7\x0a\1\6_start\0\0"


def code(body: bytes) -> bytes:
    """A code section with one function of no locals."""
    function = b"\0" + body + b"\x0b"
    content = b"\1" + bytes([len(function)]) + function
    return b"\x0a" + bytes([len(content)]) + content


def module(*sections: bytes) -> bytes:
    return HEADER + b"".join(sections)


CASES = {
    "stack switching": module(b"\1\3\1\x5d\0"),
    "half-precision floats": module(TYPE, FUNC, EXPORT, code(b"\xfc\x30")),
}


@pytest.mark.parametrize("proposal", CASES)
@pytest.mark.parametrize("command", ["run", "inspect", "validate"])
def test_the_command_names_it(
    proposal: str, command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "new.wasm"
    path.write_bytes(CASES[proposal])
    assert cli.call([command, str(path)]) == 1
    out, err = capfd.readouterr()
    assert f"the proposal {proposal}" in err
    assert "wasm trap" not in err and "malformed module" not in err
    assert "ok" not in out


def test_an_error_carries_it() -> None:
    with pytest.raises(MalformedError, match="malformed definition type") as caught:
        Module.from_bytes(CASES["stack switching"])
    assert caught.value.proposal == "stack switching"
    with pytest.raises(MalformedError) as caught:
        Module.from_bytes(module(b"\5\4\1\x7f\1\0"))
    assert caught.value.proposal == ""


def test_none_of_them_is_here() -> None:
    assert not BY_OPCODE.keys() & BY_CODE.keys()
    assert not BY_TYPE.keys() & VAL_TYPE_BY_CODE.keys()

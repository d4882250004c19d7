"""The promises of CONTRIBUTING.md: a numeric instruction is one row, a host function one function."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pywasm_nn.api import Module
from pywasm_nn.errors import InvalidError, Trap
from pywasm_nn.interpreter.binary import decode
from pywasm_nn.interpreter.encode import encode
from pywasm_nn.interpreter.instructions import BY_CODE, OPS, Op
from pywasm_nn.interpreter.instructions.row import op
from pywasm_nn.interpreter.text import parse, print_module
from pywasm_nn.interpreter.validate import validate_all
from pywasm_nn.wasi import Wasi
from pywasm_nn.wasi import preview1 as preview1_module
from pywasm_nn.wasi.preview1 import preview1
from pywasm_nn.watch.text import lines
from pywasm_nn.watch.trace import Trace

GUIDE = Path(__file__).parents[1] / "CONTRIBUTING.md"
TEXT = """
(module
  (func (export "average") (param i32 i32) (result i32) local.get 0 local.get 1 i32.average_u))
"""


@pytest.fixture
def row() -> Iterator[Op]:
    """The row that the guide shows, in the table while the test runs."""
    lines = re.findall(r"^op\(.*\)$", GUIDE.read_text(), re.MULTILINE)
    assert len(lines) == 1
    added: Op = eval(lines[0], {"op": op})
    try:
        yield added
    finally:
        del OPS[added.name]
        del BY_CODE[added.code]


def test_parses_encodes_decodes_and_prints(row: Op) -> None:
    module = parse(TEXT)
    data = encode(module)
    decoded = decode(data)
    assert decoded.funcs[0].body.ops[2] is row
    assert bytes([*row.code]) in data
    assert "i32.average_u" in print_module(decoded)
    assert encode(parse(print_module(decoded))) == data


def test_validates(row: Op) -> None:
    validate_all(decode(encode(parse(TEXT))))
    wrong = TEXT.replace("(param i32 i32)", "(param i32 i64)")
    with pytest.raises(InvalidError, match="type mismatch"):
        validate_all(decode(encode(parse(wrong))))


@pytest.mark.parametrize("engine", ["interpret", "compile"])
def test_runs(row: Op, engine: str) -> None:
    with Module.from_text(TEXT).instantiate(engine=engine) as instance:
        assert instance.exports.average(4, 8) == 6
        assert instance.exports.average(2**32 - 1, 2**32 - 3) == -2
        if engine == "compile":
            assert "1 compiled, 0 cached, 0 interpreted" in instance.engine.summary(instance)


def test_shows_in_a_trace(row: Op) -> None:
    module = Module.from_text(TEXT)
    trace = Trace(["instr"])
    with module.instantiate(engine="interpret", observer=trace) as instance:
        instance.exports.average(4, 8)
    assert any("i32.average_u" in line and line.endswith("(4 + 8) >> 1") for line in lines(trace))


def test_the_row_is_gone_afterwards() -> None:
    assert "i32.average_u" not in OPS


CLOCK = """
(module
  (import "wasi_snapshot_preview1" "clock_seconds_get" (func $now (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "now") (param i32 i32) (result i32) (call $now (local.get 0) (local.get 1))))
"""


def test_a_host_function_of_wasi_is_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """The function of the guide checks its pointer and its enumeration, and answers with an error number."""
    found = re.findall(r"^@preview1\.function\n.*?(?=^```)", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(found) == 1
    monkeypatch.setattr(preview1, "_functions", dict(preview1._functions))
    exec(found[0], dict(vars(preview1_module)))
    with Module.from_text(CLOCK).instantiate(wasi=Wasi(seed=0)) as app:
        assert app.exports.now(0, 16) == 0
        seconds = int.from_bytes(app.memory.read(16, 8), "little")
        assert 0 < seconds < 1 << 40
        with pytest.raises(Trap):
            app.exports.now(0, 65_530)
        with pytest.raises(Trap):
            app.exports.now(99, 16)

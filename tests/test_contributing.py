"""The promises of CONTRIBUTING.md: an instruction is one row, and a host function of WASI one function."""

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
    yield from shown("i32.average_u")


def shown(name: str) -> Iterator[Op]:
    """A row of the guide's, in the table while a test runs."""
    blocks = re.findall(r"^```python\n(op\(.*?)```", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
    (block,) = (block for block in blocks if name in block)
    known = OPS.pop(name, None)
    if known is not None:
        del BY_CODE[known.code]
    added: Op = eval(block, {"op": op})
    try:
        yield added
    finally:
        del OPS[added.name]
        del BY_CODE[added.code]
        if known is not None:
            OPS[name] = BY_CODE[known.code] = known


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


WIDE = """
(module
  (func (export "add128") (param i64 i64 i64 i64) (result i64 i64)
    local.get 0 local.get 1 local.get 2 local.get 3 i64.add128)
  (func (export "chained") (param i64 i64) (result i64)
    local.get 0 local.get 1 local.get 0 local.get 1 i64.add128
    local.get 1 local.get 0 i64.add128 i64.xor)
  (func (export "waiting") (param i64 i64) (result i64)
    (i64.mul (local.get 0) (i64.const 3))
    (i64.add128 (i64.add (local.get 0) (local.get 1)) (i64.const 1) (i64.const 2) (local.tee 0 (i64.const 7)))
    i64.sub i64.add local.get 0 i64.add))
"""


@pytest.fixture
def wide() -> Iterator[Op]:
    """A row of four operands and two results, of the proposal wide-arithmetic."""
    yield from shown("i64.add128")


@pytest.mark.parametrize("engine", ["interpret", "compile"])
def test_four_operands_and_two_results_are_one_row(wide: Op, engine: str) -> None:
    module = Module.from_text(WIDE)
    assert decode(encode(parse(WIDE))).funcs[0].body.ops[4] is wide
    with pytest.raises(InvalidError, match="type mismatch"):
        validate_all(decode(encode(parse(WIDE.replace("(result i64 i64)", "(result i64)")))))
    everything = 2**64 - 1
    with module.instantiate(engine=engine) as instance:
        add128, chained = instance.exports.add128, instance.exports.chained
        assert add128(5, 7, 3, 1) == (8, 8)
        assert add128(everything, 0, 1, 0) == (0, 1)
        assert add128(everything, everything, everything, everything) == (-2, -1)
        low, high = 2 * 9, 2 * 4
        assert chained(9, 4) == (low + 4) ^ (high + 9)
        assert instance.exports.waiting(5, 6) == 5 * 3 + ((5 + 6 + 2) - (1 + 7)) + 7
        if engine == "compile":
            assert "3 compiled, 0 cached, 0 interpreted" in instance.engine.summary(instance)


@pytest.fixture
def unfinished() -> Iterator[Op]:
    """A row that says a type and no meaning, and nothing else does."""
    added = op((0xFC, 99), "i64.unfinished", "i64 i64 -> i64")
    try:
        yield added
    finally:
        del OPS[added.name]
        del BY_CODE[added.code]


@pytest.mark.parametrize("engine", ["interpret", "compile"])
def test_an_instruction_without_a_meaning_is_no_wrong_program(unfinished: Op, engine: str) -> None:
    text = """(module (func (export "f") (param i64 i64) (result i64)
      local.get 0 local.get 1 i64.unfinished))"""
    with (
        Module.from_text(text).instantiate(engine=engine) as instance,
        pytest.raises(NotImplementedError, match="has no expression, and no function i64_unfinished runs it"),
    ):
        instance.exports.f(1, 2)


def test_a_trace_explains_each_result(wide: Op) -> None:
    trace = Trace(["instr"])
    with Module.from_text(WIDE).instantiate(engine="interpret", observer=trace) as instance:
        instance.exports.add128(5, 7, 3, 1)
    assert any("i64.add128" in line and "5 + 3, (7 + 1) + ((5 + 3) >> " in line for line in lines(trace))


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

"""Traces as JSON lines and CSV."""

from __future__ import annotations

import csv
import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn.api import Module
from pywasm_nn.errors import WasmError
from pywasm_nn.watch import events, records
from pywasm_nn.watch.trace import Trace

DOCUMENT = Path(__file__).parents[2] / "docs" / "trace.md"
MODULE = """(module
  (import "host" "log" (func $log (param f64)))
  (memory 1)
  (func (export "go") (param $x i64)
    (call $log (f64.const nan))
    (i64.store (i32.const 8) (local.get $x))
    (drop (v128.const i64x2 1 -1))
    unreachable))"""


def log(value: float) -> None:
    """Takes anything."""


@pytest.fixture
def trace() -> Trace:
    found = Trace(["host", "calls", "instr"])
    module = Module.from_text(MODULE)
    imports = {"host": {"log": log}}
    with (
        module.instantiate(imports=imports, engine="interpret", observer=found) as app,
        pytest.raises(WasmError),
    ):
        app.exports.go(-1)
    return found


def test_json_lines_begin_with_the_schema(trace: Trace) -> None:
    lines: list[str] = []
    put = records.JsonLines(lines.append, "m.wasm")
    for event in trace:
        put(event)
    told = [json.loads(line) for line in lines]
    assert told[0] == {"kind": "trace", "schema": events.SCHEMA, "module": "m.wasm"}
    assert [one["kind"] for one in told[1:]] == [event.kind for event in trace]
    by_kind: dict[str, Any] = {one["kind"]: one for one in told if one["kind"] != "instr"}
    assert by_kind["host"]["arguments"] == {"value": "nan"}
    assert by_kind["call"]["arguments"] == [-1]
    assert by_kind["end"]["outcome"] == "trap"
    stored = next(one for one in told if one.get("memory") is not None and one["kind"] == "instr")
    assert stored["memory"]["after"] == "ff" * 8
    assert stored["popped"] == [8, 2**64 - 1]


def test_csv_has_a_row_for_each_event(trace: Trace) -> None:
    lines: list[str] = []
    put = records.Csv(lines.append)
    for event in trace:
        put(event)
    rows = list(csv.DictReader(StringIO("\n".join(lines))))
    assert [row["kind"] for row in rows] == [event.kind for event in trace]
    assert [int(row["number"]) for row in rows] == [event.number for event in trace]
    assert all(isinstance(json.loads(row["rest"]), dict) for row in rows)
    assert {row["name"] for row in rows if row["kind"] == "instr"} >= {"i64.store", "unreachable"}


def test_the_document_names_every_kind_and_field() -> None:
    text = DOCUMENT.read_text()
    assert f"schema {events.SCHEMA}" in text
    for kind in events.KINDS:
        said = re.search(rf"^\| `{kind.kind}` \| (.*) \|", text, re.MULTILINE)
        assert said is not None, kind
        names = {name.rstrip("_") for name in kind.__match_args__} - {"number", "at", "thread"}
        assert set(re.findall(r"`(\w+)`", said[1])) == names, kind

"""Traces, line by line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy
import pytest

from pywasm_nn import demo
from pywasm_nn.api import Module
from pywasm_nn.nn import NN, Tensor
from pywasm_nn.wasi import Capture, Wasi
from pywasm_nn.watch import nn as shown
from pywasm_nn.watch.trace import Trace

SQUARE = """(module
  (func $square (export "square") (param $x i32) (result i32) local.get $x local.get $x i32.mul)
  (func (export "minus_one") (result i32) i32.const -1)
  (func $twice (export "twice") (param i32) (result i32)
    (i32.mul (call $square (local.get 0)) (i32.const 2))))"""


def traced(text: str, levels: list[str], call: Callable[..., object]) -> list[str]:
    module = Module.from_text(text)
    lines: list[str] = []
    trace = Trace(module, levels, lines.append)
    with module.instantiate(engine="interpret", observer=trace) as instance:
        call(instance)
    return lines


def test_instructions_are_explained() -> None:
    lines = traced(SQUARE, ["instr"], lambda app: app.exports.square(3))
    assert [" ".join(line.split()[2:]) for line in lines] == [
        "$square local.get $x | 3",
        "local.get $x | 3 3",
        "i32.mul | 9 3 x 3",
        "end | 9 returns 9",
    ]
    offsets = [int(line.split()[1], 16) for line in lines]
    assert offsets == sorted(offsets)
    assert [int(line.split()[0]) for line in lines] == [1, 2, 3, 4]


def test_calls_are_indented_and_typed() -> None:
    lines = traced(SQUARE, ["calls"], lambda app: (app.exports.twice(3), app.exports.minus_one()))
    assert lines == [
        "call    $twice(3)",
        "call      $square(3)",
        "call      $square returns 9",
        "call    $twice returns 18",
        "call    $minus_one()",
        "call    $minus_one returns -1",
    ]


def digits(levels: list[str], engine: str, backend: str) -> list[str]:
    folder = demo.path()
    module = Module.from_file(folder / "app.wasm")
    lines: list[str] = []
    trace = Trace(module, levels, lines.append)
    wasi = Wasi(args=["app.wasm"], dirs={"models": folder / "models"}, stdout=Capture())
    nn = NN(backends={"onnx": backend}, observer=trace.nn_event)
    with module.instantiate(wasi, nn, engine=engine, observer=trace) as app:
        app.exports["_start"]()
    return lines


@pytest.mark.parametrize("engine", ["interpret", "compile"])
def test_inference_is_explained_by_every_engine(engine: str) -> None:
    lines = digits(["nn"], engine, "numpy")
    assert [line.split()[1].split("(")[0] for line in lines] == [
        "load",
        "init_execution_context",
        "set_input",
        "compute",
        "get_output",
    ]
    assert "-> graph 0  numpy/CPU" in lines[0]
    assert 'ctx 0, #0 "picture" f32[1,1,8,8]  mean 0.337 std 0.371 min 0 max 1' in lines[2]
    assert "top: 5 0.971, 3 0.0154, 8 0.0124" in lines[4]


def test_host_calls_show_arguments_and_errors() -> None:
    lines = digits(["host"], "compile", "numpy")
    assert any(line.startswith("host  path_open(fd 3") and "'digits.onnx'" in line for line in lines)
    assert any("fd_write(fd 1" in line and "'5'" in line for line in lines)
    assert any("-> 8, BADF" in line for line in lines), "the end of the preopens"
    assert any(line.startswith("host  compute(") for line in lines), "nothing else shows inference here"


def test_with_the_nn_level_inference_is_shown_once() -> None:
    lines = digits(["host", "nn"], "compile", "numpy")
    assert [line for line in lines if "compute(" in line] == [
        line for line in lines if line.startswith("nn    compute(ctx 0)")
    ]


def test_what_costs_nothing_when_it_is_not_asked_for(tmp_path: Path) -> None:
    module = Module.from_text(SQUARE)
    assert Trace(module, ["nn"], print).wants == frozenset()


def test_statistics_name_what_is_not_finite() -> None:
    tensor = Tensor.from_numpy(numpy.array([1, numpy.nan, 3, numpy.inf], "f4"))
    assert shown.statistics(tensor) == "mean 2 std 1 min 1 max 3 2 of 4 not finite"
    assert shown.statistics(Tensor.from_numpy(numpy.array([numpy.nan], "f4"))) == "1 of 1 not finite"
    assert shown.statistics(Tensor.from_numpy(numpy.zeros((0,), "f4"))) == "empty"


def test_the_largest_outputs_come_first_and_nan_last() -> None:
    tensor = Tensor.from_numpy(numpy.array([[0.1, numpy.nan, 0.7, 0.2]], "f4"))
    assert shown.top(tensor) == "top: 2 0.7, 3 0.2, 0 0.1"
    assert shown.top(Tensor.from_numpy(numpy.array([4, 5], "i4"))) == "= 4, 5"

"""Traces as lines."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import wrap

import numpy
import pytest

from pywasm_nn import demo
from pywasm_nn.api import Module
from pywasm_nn.interpreter.runtime.instance import Instance
from pywasm_nn.nn import NN, Tensor
from pywasm_nn.nn.tensor import DType, TensorSpec
from pywasm_nn.wasi import Capture, Wasi
from pywasm_nn.watch import tensors, text
from pywasm_nn.watch.trace import Trace

SQUARE = """(module
  (func $square (export "square") (param $x i32) (result i32) local.get $x local.get $x i32.mul)
  (func (export "minus_one") (result i32) i32.const -1)
  (func $twice (export "twice") (param i32) (result i32)
    (i32.mul (call $square (local.get 0)) (i32.const 2))))"""


def traced(levels: list[str], call: Callable[[Instance], object]) -> list[str]:
    trace = Trace(levels)
    with Module.from_text(SQUARE).instantiate(engine="interpret", observer=trace) as instance:
        call(instance)
    return text.lines(trace)


def test_instructions_are_explained() -> None:
    lines = traced(["instr"], lambda app: app.exports.square(3))
    assert [" ".join(line.split()[2:]) for line in lines] == [
        "$square local.get $x | 3",
        "local.get $x | 3 3",
        "i32.mul | 9 3 x 3",
        "end | 9 returns 9",
    ]


def test_calls_are_indented_and_typed() -> None:
    assert traced(["calls"], lambda app: (app.exports.twice(3), app.exports.minus_one())) == [
        "call    $twice(3)",
        "call      $square(3)",
        "call      $square returns 9",
        "call    $twice returns 18",
        "call    $minus_one()",
        "call    $minus_one returns -1",
    ]


def digits(levels: list[str], backend: str = "numpy") -> tuple[list[str], list[str]]:
    """The trace of the bundled guest, and what the guest wrote."""
    folder, trace, stdout = demo.path(), Trace(levels), Capture()
    wasi = Wasi(args=["app.wasm"], dirs={"models": folder / "models"}, stdout=stdout)
    module = Module.from_file(folder / "app.wasm")
    with module.instantiate(wasi, NN(backends={"onnx": backend}), observer=trace) as app:
        app.exports["_start"]()
    return text.lines(trace), stdout.value.decode().splitlines()


def test_inference_is_explained() -> None:
    lines, _ = digits(["nn"])
    assert "-> graph 0  numpy/CPU" in lines[0]
    assert 'ctx 0, #0 "picture" f32[1,1,8,8]  mean 0.337 std 0.371 min 0 max 1' in lines[2]
    assert "top: 5 0.971, 3 0.0154, 8 0.0124" in lines[4]
    assert lines[3].startswith("nn    compute(ctx 0)  numpy/CPU")


@pytest.mark.parametrize("backend", ["numpy", "onnxruntime"])
def test_the_digits_guest_fits_a_screen_of_24_rows_and_80_columns(backend: str) -> None:
    if reason := NN().registry.backend(backend, "here").unavailable():
        pytest.skip(reason)
    lines, written = digits(["host", "nn"], backend)
    assert len([row for line in (*lines, *written) for row in wrap(line, 80)]) <= 24


def test_host_calls_show_arguments_and_errors_and_share_a_line_when_they_repeat() -> None:
    lines, _ = digits(["host"])
    assert any(line.startswith("host  path_open(fd 3, path 'digits.onnx'") for line in lines)
    assert any("-> 8, BADF" in line for line in lines), "the end of the preopens"
    [written] = [line for line in lines if "fd_write(fd 1" in line]
    assert "'5'" in written
    assert "and 17 more" in written


def described(array: object, *, wants: TensorSpec | None = None, top: bool = False) -> tensors.Tensor:
    tensor = Tensor.from_numpy(array)
    return tensors.described(wants or TensorSpec("x", tensor.dtype, tensor.shape), tensor, top=top)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([1, numpy.nan, 3, numpy.inf], "mean 2 std 1 min 1 max 3 2 of 4 not finite"),
        ([numpy.nan], "1 of 1 not finite"),
        ([], "empty"),
        ([0, 0], "mean 0 std 0 min 0 max 0"),
    ],
)
def test_statistics_name_what_is_not_finite(values: list[float], said: str) -> None:
    assert text.statistics(described(numpy.array(values, "f4"))) == said


def test_the_largest_outputs_come_first_and_nan_last() -> None:
    ranked = numpy.array([[0.1, numpy.nan, 0.7, 0.2, 0.7]], "f4")
    assert text.top(described(ranked, top=True)) == "top: 2 0.7, 4 0.7, 3 0.2"
    assert text.top(described(numpy.array([4, 5], "i4"), top=True)) == "= 4, 5"
    large = numpy.zeros((1, 100, 1000), "f4")
    large[0, 50, 3], large[0, 2, 1], large[0, 99, 999] = 3, 5, 4
    assert text.top(described(large, top=True)) == "top: 2001 5, 99999 4, 50003 3"


@pytest.mark.parametrize("dtype", ["f2", "f8", "u1", "i1", "i8", "u8", "?"])
def test_all_element_types_have_numbers(dtype: str) -> None:
    tensor = described(numpy.array([[0, 1], [1, 0]]).astype(dtype), top=True)
    assert (tensor.mean, tensor.minimum, tensor.maximum, tensor.whole) == (0.5, 0, 1, True)
    assert tensor.top[0] == (1, 1.0)


def test_bf16_is_read_and_strings_are_not() -> None:
    bits = Tensor(DType.BF16, (2,), numpy.array([0x3F80, 0x4000], "<u2"))
    tensor = tensors.described(TensorSpec("x", DType.BF16, (2,)), bits)
    assert (tensor.minimum, tensor.maximum) == (1, 2)


def test_numbers_of_large_tensors_are_near_and_their_extremes_exact() -> None:
    order = numpy.random.default_rng(0)
    pixels = order.random((1, 224, 224, 3), "f4")
    pixels[..., 1] += 5
    pixels[0, 100, 7, 2] = -9
    tensor = described(pixels)
    assert tensor.minimum == -9
    assert tensor.mean == pytest.approx(float(pixels.mean()), rel=0.02)
    assert tensor.std == pytest.approx(float(pixels.std()), rel=0.02)
    pixels[0, 3, 3, 0] = numpy.nan
    assert described(pixels).not_finite == 1


def test_what_the_model_wants_is_said_where_it_differs() -> None:
    spec = TensorSpec("x", DType.F32, ("N", 2))
    assert text.typed(described(numpy.zeros((1, 2), "f4"), wants=spec)) == "f32[1,2] for f32[N,2]"


def test_a_host_function_s_text_can_t_write_to_the_terminal() -> None:
    assert text.argument("a\x1b[2J") == r"'a\x1b[2J'"
    assert text.argument("x" * 100).endswith("...'")


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.0996, "100 ms"), (0.0994, "99 ms"), (1.5, "1500 ms"), (0.0042, "4.2 ms"), (1.4e-5, "0.014 ms")],
)
def test_durations(seconds: float, said: str) -> None:
    assert text.duration(seconds) == said

"""Lines of a table for inputs of 8 and 16 bits: mistakes with scale and zero point, and right twins."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.hints.models import facts
from pywasm_nn.watch.sent.unquantised import Unquantised
from tests.nn.backends.onnx_writer import Model, node

RANDOM = numpy.random.default_rng(29)
LINES = RANDOM.normal([3.1, 0.6, -2.2, 7.5, 1.4], [1, 0.4, 0.9, 2, 0.5], (9, 5)).round(2)
FILE = "id,a,b,c,d,e\n" + "\n".join(f"{at},{','.join(map(str, line))}" for at, line in enumerate(LINES))
MEAN, DEVIATION = LINES.mean(0), LINES.std(0)


def said(rows: Any, kind: str, affine: tuple[float, int], *, runs_over: bool = False) -> str:
    """What is said of a guest that sends lines one by one."""
    unquantised = Unquantised(lambda: [("weather.csv", FILE.encode())])
    limits = numpy.iinfo(kind)
    whole = numpy.rint(rows)
    made = whole.astype("i8") if runs_over else numpy.clip(whole, limits.min, limits.max)
    return "".join(unquantised.wrong("x", Tensor.from_numpy(one[None]), affine) for one in made.astype(kind))


AFFINES = [("i1", (0.09, -11)), ("u1", (0.08, 90)), ("i2", (0.002, 5))]


@pytest.mark.parametrize(("kind", "affine"), AFFINES)
def test_scale_and_zero_point(kind: str, affine: tuple[float, int]) -> None:
    scale, zero = affine
    assert said(LINES / scale + zero, kind, affine) == ""
    assert said(numpy.trunc(LINES / scale + zero), kind, affine) == "", "cut off, and not rounded"
    assert said((LINES - MEAN) / DEVIATION / scale + zero, kind, affine) == "", "scaled before"
    assert said((LINES - MEAN) / DEVIATION, kind, affine) == "", "of which no line says it"
    assert "the zero point was not added" in said(LINES / scale, kind, affine, runs_over=kind == "u1")
    assert "as they are, without the model's scale" in said(LINES, kind, affine)
    assert "which were not divided by the scale" in said(LINES + zero, kind, affine)
    assert said(LINES, kind, (1.0, 0)) == "", "whole numbers are meant"


def test_numbers_that_are_multiplied() -> None:
    affine = (4.0, -9)
    assert "multiplied by the scale, and not divided" in said(LINES * 4 - 9, "i1", affine)
    assert said(LINES / 4 - 9, "i1", affine) == ""


def test_one_line_may_be_like_another() -> None:
    assert said(LINES[:1], "i1", (0.09, -11)) == ""


def test_models_that_say_it_of_an_input() -> None:
    constants = {"s": numpy.array(0.25, "f4"), "z": numpy.array(7, "u1")}
    nodes = [node("DequantizeLinear", ["x", "s", "z"], ["y"])]
    data = Model(nodes, {"x": ("uint8", [1, 5])}, {"y": ("float32", [1, 5])}, constants).data()
    assert facts([data]).lasts == {"x": (0.25, 7)}


SCALER = "# mean deviation\n" + "\n".join(f"{a:.4f} {b:.4f}" for a, b in zip(MEAN, DEVIATION, strict=True))
SCALED = (LINES - MEAN.round(4)) / DEVIATION.round(4)


def said_of_scaled(rows: Any, kind: str, affine: tuple[float, int], *, read: int = len(FILE)) -> str:
    """What is said of lines that follow a file of means and deviations; of the table a part is read first."""
    files = [("scaler_stats.txt", SCALER.encode()), ("weather.csv", FILE.encode()[:read])]
    unquantised = Unquantised(lambda: files)
    text = ""
    for row in numpy.rint(rows).astype("i8").astype(kind):
        text += unquantised.wrong("x", Tensor.from_numpy(row[None]), affine)
        files[1] = ("weather.csv", FILE.encode())
    return text


@pytest.mark.parametrize(("kind", "affine"), [("i1", (0.05, -30)), ("u1", (0.03, 100))])
def test_lines_that_a_file_scales(kind: str, affine: tuple[float, int]) -> None:
    (scale, zero), limits = affine, numpy.iinfo(kind)
    right = SCALED / scale + zero
    clipped = numpy.clip(right, limits.min, limits.max)
    assert said_of_scaled(clipped, kind, affine) == ""
    assert said_of_scaled(numpy.clip(numpy.trunc(right), limits.min, limits.max), kind, affine) == ""
    for read in (len(FILE), len(FILE) // 2, 20):
        text = said_of_scaled(numpy.clip(SCALED / scale, limits.min, limits.max), kind, affine, read=read)
        assert "scaled by scaler_stats.txt, numbers of a line were divided by the scale, and the zero" in text


def test_elements_that_run_over() -> None:
    affine = 0.012, 100
    right = SCALED / affine[0] + affine[1]
    assert ((right < 0) | (right > 255)).any()
    assert "begins again beyond 0 and 255: clamp" in said_of_scaled(right, "u1", affine)
    assert said_of_scaled(numpy.clip(right, 0, 255), "u1", affine) == ""
    assert "weather.csv, element" in said(LINES / 0.02 + 9, "u1", (0.02, 9), runs_over=True)
    assert "comes to" not in said(LINES / 0.02 + 9, "u1", (0.02, 9))
    assert said(LINES / 0.02 + 9, "i2", (0.02, 9), runs_over=True) == "", "all fit into 16 bits"

"""Lines of a table that are sent in the unit of their headings, to models of another one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import NN
from pywasm_nn.watch.sheets.own_units import other_units
from pywasm_nn.watch.sheets.sheet import sheet_of
from pywasm_nn.watch.whatif.converting import in_another_unit
from tests.nn.backends.onnx_writer import Model, node

RANDOM = numpy.random.default_rng(12)
AXES = (9.80665 * RANDOM.normal([0.1, -0.2, 1.0], 0.3, (24, 3))).round(3)


def table(headings: str) -> bytes:
    rows = [f"{20 * at}," + ",".join(f"{one:.3f}" for one in row) for at, row in enumerate(AXES)]
    return "\n".join([headings, *rows]).encode()


@pytest.mark.parametrize(
    ("headings", "unit", "others"),
    [
        ("# ms,x,y,z (m/s2)", "m/s2", ["g", "mg"]),
        ("t,x_mps2,y_mps2,z_mps2", "mps2", ["g", "mg"]),
        ("ms,gx_deg,gy_deg,gz_deg", "deg", ["radians"]),
        ("t,x (mV),y (mV),z (mV)", "mv", ["V"]),
        ("t,x,y,z", "", []),
        ("t,x_mm,y_kg,z", "", []),
    ],
)
def test_units_of_headings(headings: str, unit: str, others: list[str]) -> None:
    sheet = sheet_of("walk.csv", table(headings))
    assert sheet is not None
    found = other_units(AXES[3:20].astype("f4")[None], sheet)
    assert (found[0], [name for name, _ in found[1]]) == (unit, others)
    assert other_units(AXES[3:20].astype("f4")[None] / 9.80665, sheet) == ("", []), "not as they stand"


@pytest.mark.parametrize(
    ("file", "above", "headings", "unit"),
    [
        ("arm_mV.txt", [], "t,x,y,z", "mv"),
        ("walk.csv", ["# sensor 3; all axes in mV"], "", "mv"),
        ("walk.csv", ["# a walk", "# (in kPa)"], "t,x,y,z", "kpa"),
        ("arm_mV.txt", [], "t,x_deg,y_deg,z_deg", "deg"),
        ("mm_and_cm.csv", [], "t,x,y,z", ""),
        ("part_in_a.csv", ["# a walk in a park, v 2"], "t,x,y,z", ""),
        ("walk_mv.csv", ["a walk"], "t,x,y,z", ""),
    ],
)
def test_units_of_a_file(file: str, above: list[str], headings: str, unit: str) -> None:
    data = b"\n".join([*(one.encode() for one in above), table(headings).lstrip()])
    sheet = sheet_of(file, data)
    assert (sheet is None) is (above == ["a walk"]), "what is no comment is no table"
    if sheet is not None:
        assert other_units(AXES[3:20].astype("f4")[None], sheet)[0] == unit


def network(scale: float, first: str = "squares") -> bytes:
    """Two classes by the largest of the axes, in a unit in which these are about 1. `first` is what is made
    of them first: they are rounded down as by trees, or stay as they are in a linear model."""
    weights = numpy.zeros((51, 2), "f4")
    weights[2::3] = [[0.5 * scale, -0.5 * scale]] * 17
    nodes = [
        node("Flatten", ["x"], ["f"], axis=1),
        node("Mul", ["f", "f"], ["r"]) if first == "squares" else node(first, ["f"], ["r"]),
        node("MatMul", ["r", "w"], ["l"]),
        node("Softmax", ["l"], ["y"], axis=1),
    ]
    return Model(nodes, {"x": ("float32", [1, 17, 3])}, {"y": ("float32", [1, 2])}, {"w": weights}).data()


@pytest.mark.parametrize(
    ("scale", "first", "seen"),
    [
        (1.0, "squares", True),
        (1 / 9.80665**2, "squares", False),
        (1.0, "Floor", False),
        (1.0, "Identity", False),
    ],
)
def test_a_model_of_another_unit(scale: float, first: str, seen: bool, tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(network(scale, first))
    window: Any = AXES[3:20].astype("f4")[None]
    others = [("g", 1 / 9.80665), ("mg", 1000 / 9.80665)]
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as model:
        given = model.tensors({"x": window})
        said = in_another_unit(model.graph, given, 0, "m/s2", others, 0.01)
    assert (said is not None and "in g (times 0.102) it is 0 at 1.00" in said) == seen

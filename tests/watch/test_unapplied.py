"""Lines that were sent as they stand, though their scaler is in the program or beside it: mistakes, and twins
without one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy
import pytest

from pywasm_nn import Module
from pywasm_nn.watch.sent.unapplied import Unapplied

RANDOM = numpy.random.default_rng(23)
MEAN = numpy.array([17.15, 43.92, 200.9, 4.2075])
DEVIATION = numpy.array([1.97, 5.46, 14.06, 0.8019])
BIRDS = (MEAN + DEVIATION * RANDOM.normal(0, 1, (12, 4))).round(2)
OTHER = BIRDS * [10, 0.1, 1, 40]


def program(data: bytes) -> Module:
    """A guest with bytes among its data."""
    text = "".join(f"\\{byte:02x}" for byte in b"a text before it" + data + b"and behind")
    return Module.from_text(f'(module (memory 1) (data (i32.const 1024) "{text}"))')


def said(lines: Any, module: Module, *folders: Path, opened: tuple[Path, ...] = (), **more: Any) -> str:
    unapplied = Unapplied(folders)
    unapplied.attach(module)
    return unapplied.said(lines, opened, **more)


@pytest.mark.parametrize("kind", ["<f4", "<f8"])
@pytest.mark.parametrize("layout", ["after each other", "in turns", "deviations first"])
def test_a_scaler_in_the_program(kind: str, layout: str) -> None:
    pair = (DEVIATION, MEAN) if layout == "deviations first" else (MEAN, DEVIATION)
    joined = numpy.stack(pair, 1) if layout == "in turns" else numpy.concatenate(pair)
    module = program(joined.astype(kind).tobytes())
    assert "though the program has a mean and a deviation" in said(BIRDS, module)
    assert said(OTHER, module) == "", "of other columns"
    assert said((BIRDS - MEAN) / DEVIATION, module) == "", "a file of scaled numbers"
    assert said(BIRDS[:3], module) == "", "too few"


def test_a_program_without_a_scaler() -> None:
    others = MEAN, DEVIATION, numpy.concatenate([MEAN, MEAN]), BIRDS.reshape(-1), RANDOM.normal(0, 9, 400)
    for numbers in others:
        assert said(BIRDS, program(numbers.astype("<f4").tobytes())) == ""
    assert said(BIRDS, program((10.0 ** numpy.arange(-20, 20)).tobytes())) == ""


@pytest.mark.parametrize("name", ["params.json", "scaler.csv", "deep/norm.yaml"])
def test_a_file_that_was_never_opened(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    if name.endswith("csv"):
        rows = zip("abcd", MEAN, DEVIATION, strict=True)
        path.write_text("column,mean,std\n" + "\n".join(f"{c},{m},{d}" for c, m, d in rows))
    else:
        path.write_text(json.dumps({"mean": MEAN.tolist(), "scale": DEVIATION.tolist(), "version": 3}))
    nothing = program(b"")
    assert f"{path.name}, which has a mean" in said(BIRDS, nothing, tmp_path)
    assert said(BIRDS, nothing, tmp_path, opened=(path,)) == ""
    assert said(OTHER, nothing, tmp_path) == ""
    path.write_text(path.read_text().replace("mean", "low").replace("scale", "high").replace("std", "high"))
    assert said(BIRDS, nothing, tmp_path) == "", "of which nothing says that they are means"


@pytest.mark.parametrize(("other", "seen"), [("birds_raw", False), ("fish", True), ("birdsong", True)])
def test_numbers_that_may_be_for_another_model(other: str, seen: bool, tmp_path: Path) -> None:
    (tmp_path / "scaler.json").write_text(json.dumps({"mean": MEAN.tolist(), "std": DEVIATION.tolist()}))
    (tmp_path / "models").mkdir()
    for name in ("birds", other):
        (tmp_path / "models" / f"{name}.onnx").touch()
    found = said(BIRDS, program(b""), tmp_path, model=(tmp_path / "models" / "birds.onnx",))
    assert ("was the scaler forgotten?" in found) is seen


@pytest.mark.parametrize("count", [2, 3, 4])
def test_few_lines_beside_a_file_of_two_lists(count: int, tmp_path: Path) -> None:
    path, nothing = tmp_path / "birds_scale.txt", program(b"")
    path.write_text("\n".join(" ".join(f"{one:g}" for one in row) for row in (MEAN, DEVIATION)))
    few = BIRDS[:count]
    assert "birds_scale.txt, which has a mean" in said(few, nothing, tmp_path)
    assert said(few, nothing, tmp_path, opened=(path,)) == ""
    assert said(OTHER[:count], nothing, tmp_path) == ""
    assert said((few - MEAN) / DEVIATION, nothing, tmp_path) == "", "scaled"
    path.rename(tmp_path / "birds_more.txt")
    assert said(few, nothing, tmp_path) == "", "nothing says that they are means"
    path.write_text("\n".join(" ".join(f"{one:g}" for one in row) for row in BIRDS[4:9]))
    assert said(few, nothing, tmp_path) == "", "lines of data, too"

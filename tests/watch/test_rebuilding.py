"""Models that rebuild their input are asked about it as it stands in a file, and in usual scalings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import NN, Tensor
from pywasm_nn.watch.whatif.rebuilding import numbers_of, rebuilt_otherwise
from tests.nn.backends.onnx_writer import Model, node

WIDTH, KNOWN = 40, 6


def beats(count: int) -> Any:
    """Windows that are mixtures of a few bumps, about a mean shape, in millivolts."""
    order = numpy.random.default_rng(7)
    steps = numpy.arange(WIDTH)
    bumps = numpy.array([numpy.exp(-(((steps - 4 - 6 * k) / 2.5) ** 2)) for k in range(KNOWN)])
    mixed = order.uniform(0.1, 1, (count, KNOWN)) @ bumps
    return numpy.exp(-(((steps - 20) / 2) ** 2)) + 0.5 * mixed + order.normal(0, 0.005, (count, WIDTH))


def rebuilder(windows: Any) -> bytes:
    """An ONNX model that rebuilds mixtures of the first components of windows."""
    mean = windows.mean(axis=0)
    parts = numpy.linalg.svd(windows - mean, full_matrices=False)[2][:KNOWN]
    nodes = [
        node("Sub", ["x", "mean"], ["a"]),
        node("MatMul", ["a", "down"], ["b"]),
        node("MatMul", ["b", "up"], ["c"]),
        node("Add", ["c", "mean"], ["y"]),
    ]
    known = {"mean": mean.astype("f4"), "down": parts.T.astype("f4").copy(), "up": parts.astype("f4")}
    sizes = {"x": ("float32", ["n", WIDTH])}, {"y": ("float32", ["n", WIDTH])}
    return Model(nodes, *sizes, known).data()


def said(tmp_path: Path, wanted: Any, sent: Any, *files: tuple[str, bytes], lines: Any = None) -> str:
    (tmp_path / "m.onnx").write_bytes(rebuilder(wanted))
    tensor = Tensor.from_numpy(numpy.ascontiguousarray(sent, "f4"))
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as loaded:
        answer = [Tensor.from_numpy(one) for one in loaded.compute({"x": tensor.numpy()}).values()]
        return rebuilt_otherwise(loaded.graph, [tensor], answer, lambda: files, 0.01, 5.0, lines) or ""


TRAINED = beats(200)
READ = TRAINED[:5]
FLAT = TRAINED[:6].reshape(-1)
SCALED = (READ - READ.min()) / numpy.ptp(READ)
FILES = [
    ("beats.f32", FLAT.astype("f4").tobytes()),
    ("beats.f64", FLAT.tobytes()),
    ("beats.csv", b"n,mV\n" + b"".join(b"%d,%.6f\n" % one for one in enumerate(FLAT))),
    ("rows.csv", b"".join(b",".join(b"%.6f" % one for one in row) + b"\n" for row in TRAINED[:6])),
]


@pytest.mark.parametrize("file", FILES, ids=[name for name, _ in FILES])
def test_numbers_of_a_file(file: tuple[str, bytes], tmp_path: Path) -> None:
    assert said(tmp_path, TRAINED, READ, file) == ""
    text = said(tmp_path, TRAINED, SCALED, file)
    assert f"as {file[0]} has its numbers (they were sent scaled to 0..1) the model rebuilds it" in text
    later = FLAT[13 : 13 + READ.size].reshape(READ.shape)
    assert f"from number 0 of {file[0]} on (it was sent from number 13 on)" in said(
        tmp_path, TRAINED, later, file
    )
    other = numpy.random.default_rng(8).normal(0, 1, READ.shape)
    assert said(tmp_path, TRAINED, other, file) == said(tmp_path, TRAINED, SCALED) == ""


def test_a_scaler_that_was_forgotten(tmp_path: Path) -> None:
    """Of lines of a table whose columns have sizes of their own."""
    sizes, middles = 10.0 ** (numpy.arange(WIDTH) % 5 - 2), 100.0 * (numpy.arange(WIDTH) % 3)
    table = TRAINED * sizes + middles
    mean, deviation = table.mean(axis=0), table.std(axis=0)
    scaled = (table - mean) / deviation
    assert said(tmp_path, scaled, scaled[:1], lines=table) == said(tmp_path, scaled, table[:1]) == ""
    for sent in table[1:2], table[:4]:
        found = said(tmp_path, scaled, sent, lines=table[:60])
        assert "with each column's mean taken away and divided by its deviation (was a scaler" in found
    unit = (table - table.min(axis=0)) / numpy.ptp(table, axis=0)
    assert "with each column brought to 0..1" in said(tmp_path, unit, table[:4], lines=table)


def test_another_unit_or_a_scaler(tmp_path: Path) -> None:
    assert "(they were sent times 1000)" in said(tmp_path, TRAINED, READ / 1000 * 1e6, FILES[0])
    micro = ("beats.i16", (FLAT * 1000).round().astype("<i2").tobytes())
    as_sound = (READ * 1000).round() / 32768
    assert "as a thousandth of the numbers of beats.i16" in said(tmp_path, TRAINED, as_sound, micro)
    trained = (TRAINED - TRAINED.mean()) / TRAINED.std()
    assert said(tmp_path, trained, (READ - TRAINED.mean()) / TRAINED.std(), FILES[0]) == ""
    assert "with the mean of all taken away and divided by their deviation" in said(
        tmp_path, trained, 50 + READ
    )
    unusual = READ[:, ::-1]
    assert said(tmp_path, trained, (unusual - TRAINED.mean()) / TRAINED.std()) == ""


def test_an_unusual_window_alone(tmp_path: Path) -> None:
    """A sensor that has drifted: the shape is as ever, and only how high it lies is unusual. Or an event that
    is looked at where it begins, beside which all is as ever."""
    trained = (TRAINED - TRAINED.mean()) / TRAINED.std()
    trained = (trained - trained.mean(axis=1, keepdims=True)) / trained.std(axis=1, keepdims=True)
    drifted, levels = trained[:1] + 3, numpy.array([[3], [5], [-4], [6]])
    assert said(tmp_path, trained, drifted) == ""
    assert "with each row's mean taken away" in said(tmp_path, trained, trained[:4] + levels)
    assert "mean of all taken away" in said(tmp_path, trained, 50 + trained[:1]), "no scaled number"
    event = FLAT.copy()
    event[3 * WIDTH + 1 : 4 * WIDTH - 1] = 4 * numpy.random.default_rng(3).random(WIDTH - 2)
    file = ("beats.f32", event.astype("f4").tobytes())
    at = 3 * WIDTH - 4
    assert said(tmp_path, TRAINED, event[None, at : at + WIDTH], file) == ""


def test_bytes_that_are_no_numbers_warn_of_nothing() -> None:
    """As floats they are what the processor reports when it converts them (signalling NaN)."""
    with numpy.errstate(all="raise"):
        found = [*numbers_of([("a.au", b".snd" + bytes([1, 0, 0xA0, 0x7F]) * 32)])]
    assert all(numpy.isfinite(one).all() for _, one in found)

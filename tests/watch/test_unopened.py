"""Zeros that are sent after a file of data could not be opened; and zeros that are right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
import pytest

from pywasm_nn.api import Module
from pywasm_nn.nn import NN
from pywasm_nn.nn.formats import KNOWN
from pywasm_nn.wasi import Wasi
from pywasm_nn.watch import events
from pywasm_nn.watch.facts import Compute
from pywasm_nn.watch.hints.unopened import Unopened, is_near
from pywasm_nn.watch.surroundings import Surroundings
from pywasm_nn.watch.trace import Trace
from tests.nn.backends.onnx_writer import Model, node
from tests.watch.test_hints import given

GUEST = """(module
  (import "wasi_ephemeral_nn" "load_by_name" (func $load (param i32 i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "init_execution_context" (func $init (param i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "set_input" (func $set (param i32 i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "compute" (func $compute (param i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_open"
    (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 1024) "m")
  (data (i32.const 1032) "rooms.csv")
  (data (i32.const 1064) "\\50\\04\\00\\00\\02\\00\\00\\00\\01\\00\\00\\00\\00\\08\\00\\00\\18\\00\\00\\00")
  (data (i32.const 1104) "\\01\\00\\00\\00\\06\\00\\00\\00")
  (func (export "_start")
    (drop (call $open (i32.const 3) (i32.const 0) (i32.const 1032) (i32.const 9) (i32.const 0)
      (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 1200)))
    (f32.store (i32.const 2048) (f32.const FIRST))
    (drop (call $load (i32.const 1024) (i32.const 1) (i32.const 1208)))
    (drop (call $init (i32.load (i32.const 1208)) (i32.const 1208)))
    (drop (call $set (i32.load (i32.const 1208)) (i32.const 0) (i32.const 1064)))
    (drop (call $compute (i32.load (i32.const 1208))))))"""
WHY = "is it looked at whether opening a file failed?"


@pytest.mark.parametrize(
    ("there", "first", "seen"),
    [
        ("room.csv", 0, True),
        ("Rooms.CSV", 0, True),
        ("rooms.csv", 0, False),
        ("weather.csv", 0, False),
        ("rooms.json", 0, False),
        ("room.csv", 0.5, False),
    ],
)
def test_a_file_of_another_name(there: str, first: float, tmp_path: Path, *, seen: bool) -> None:
    """A default that isn't zeros, a file that is there, and one of another kind or name say nothing."""
    models, data = tmp_path / "models", tmp_path / "data"
    models.mkdir()
    data.mkdir()
    model = Model([node("Identity", ["x"], ["y"])], {"x": (1, [1, 6])}, {"y": (1, [1, 6])})
    (models / "m.onnx").write_bytes(model.data())
    (data / there).write_text("21.5,40\n")
    directories: dict[str, Any] = {"/data": data}
    trace = Trace(["nn", "whatif"], surroundings=Surroundings(directories, (), KNOWN))
    nn, wasi = NN(models=models, backends={"onnx": "numpy"}), Wasi(dirs=directories)
    text = GUEST.replace("FIRST", str(first))
    with Module.from_text(text).instantiate(nn=nn, wasi=wasi, observer=trace) as app:
        app.exports._start()
    trace.flush()
    said = [event.text for event in trace if isinstance(event, events.Hint)]
    assert any(WHY in one and '"/data/rooms.csv"' in one for one in said) is seen, said


def why(folder: Path, *asked: tuple[str, bool], size: int = 12) -> str:
    unopened = Unopened()
    for path, failed in asked:
        unopened.asked(path, failed=failed)
    zeros = given(numpy.zeros((1, size), "f4"))
    return unopened.why(Compute((zeros,)), Surroundings({"/d": folder}, (), KNOWN))


def test_a_file_of_as_many_bytes(tmp_path: Path) -> None:
    (tmp_path / "night.bin").write_bytes(bytes(48))
    assert '"night.bin" meant' in why(tmp_path, ("/d/window.bin", True))
    assert why(tmp_path, ("/d/window.bin", True), size=13) == "", "other files may have any size"
    assert why(tmp_path, ("/d/window.bin", True), ("/d/night.bin", False)) == "", "a file in its place"
    assert why(tmp_path, ("/d/window.bin", True), ("/d/old/window.bin", False)) == "", "found elsewhere"
    assert why(tmp_path, ("/e/window.bin", True)) == why(tmp_path) == ""
    assert why(tmp_path, ("/d/sub/window.bin", True)) == "", "no such folder"


def test_a_model_is_no_data(tmp_path: Path) -> None:
    (tmp_path / "net.onnx").write_bytes(bytes(48))
    assert why(tmp_path, ("/d/nets.onnx", True)) == ""


def test_names_that_are_near() -> None:
    assert is_near("sample.f32", "samples.f32") and is_near("Temp_log.csv", "temp-log.csv")
    assert not is_near("settings.csv", "rooms.csv") and not is_near("a.csv", "b.csv")

"""A model format is one file: as a plugin and as a built-in backend it is known to every option."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from struct import pack

import numpy as np
import pytest

from pywasm_nn.cli import call
from pywasm_nn.nn import NN, Code, NNError, backends
from pywasm_nn.nn.formats import KNOWN, Encoding, Format, Formats, Look

from ..conftest import ROOT

FILE = """
import struct
from pywasm_nn.nn import Backend, Context, DType, Format, Graph, Tensor, TensorSpec

class Product(Context):
    def run(self, inputs):
        x = struct.unpack("<2f", inputs[0].view())
        return [Tensor(DType.F32, (1,), struct.pack("<f", sum(a * b for a, b in zip(x, self.graph.weights))))]

class Weights(Graph):
    def __init__(self, weights):
        super().__init__("lines", [TensorSpec("x", DType.F32, (2,))], [TensorSpec("y", DType.F32, (1,))])
        self.weights = weights

    def context(self):
        return Product(self)

class Lines(Backend):
    name = "lines"
    formats = (Format("linear", "a linear model", suffixes=(".lin",), magic=(0, b"LIN1")),)

    def load(self, format, parts, config):
        return Weights(struct.unpack("<2f", bytes(parts[0])[4:12]))
"""
MODEL = b"LIN1" + pack("<2f", 3, 0.5)
GUEST = """(module
  (import "wasi_ephemeral_nn" "load_by_name" (func $load (param i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "m")
  (func (export "main") (result i32) (call $load (i32.const 0) (i32.const 1) (i32.const 16))))"""
OPENS = """(module
  (import "wasi_snapshot_preview1" "path_open"
    (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "compute" (func (param i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "data/m.lin")
  (func (export "_start") (drop (call $open (i32.const 3) (i32.const 0) (i32.const 0) (i32.const 10)
    (i32.const 0) (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 64))) unreachable))"""


@pytest.fixture(params=["plugin", "built-in"])
def given(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[list[str]]:
    """The options that bring the backend: one file, as a plugin, or in the folder of built-in backends."""
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "lines_of_the_tests.py").write_text(FILE)
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "m.lin").write_bytes(MODEL)
    (tmp_path / "guest.wat").write_text(GUEST)
    monkeypatch.chdir(tmp_path)
    if request.param == "plugin":
        yield ["--nn-plugin", f"{folder / 'lines_of_the_tests.py'}:Lines"]
    else:
        monkeypatch.setattr(backends, "__path__", [*backends.__path__, str(folder)])
        yield []
        sys.modules.pop("pywasm_nn.nn.backends.lines_of_the_tests", None)


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a command that succeeds writes."""
    code = call(list(words))
    captured = capsys.readouterr()
    assert code == 0, captured.err
    return captured.out + captured.err


@pytest.mark.parametrize(
    "naming",
    [
        ["--models", "models"],
        ["--nn-preload", "m:linear:cpu:models/m.lin"],
        ["--nn-preload", "m:LINEAR:cpu:models/m.lin"],
        ["--nn-preload", "m:autodetect:cpu:models/m.lin"],
        ["--nn-graph", "linear::m"],
        ["--nn-graph", "autodetect::m"],
        ["-S", "nn-graph=linear::m"],
        ["--models", "models", "--nn-backend", "linear=lines"],
        ["--models", "models", "--nn-config", 'm={"threads": 2}'],
    ],
    ids=" ".join,
)
def test_every_option_that_names_models(
    capsys: pytest.CaptureFixture[str], given: list[str], naming: list[str]
) -> None:
    Path("models").rename("m") if naming[-1].endswith("::m") else None
    assert said(capsys, "run", *given, *naming, "--invoke", "main", "guest.wat") == "0\n"


def test_commands_about_models(capsys: pytest.CaptureFixture[str], given: list[str]) -> None:
    assert "models/m.lin: linear, lines/CPU" in said(capsys, "nn", "inspect", *given, "models/m.lin")
    np.save("x.npy", np.array([2, 4], "f4"))
    assert "[0] 8" in said(capsys, "nn", "run", *given, "models/m.lin", "x.npy")
    assert "lines        linear" in said(capsys, "nn", "backends", *given)
    assert "runs linear" in said(capsys, "doctor", *given)


def test_a_trace_knows_the_backend_and_its_files(
    capsys: pytest.CaptureFixture[str], given: list[str]
) -> None:
    words = ["--trace=nn", "--models", "models", "--invoke", "main", "guest.wat"]
    assert "lines/CPU" in said(capsys, "run", *given, *words)
    Path("opens.wat").write_text(OPENS)
    assert call(["run", *given, "--trace=nn", "--dir", "models", "opens.wat"]) == 134
    assert 'among its directories that file is "models/m.lin"' in capsys.readouterr().err


def test_a_word_that_nobody_knows_gets_those_that_there_are(
    capsys: pytest.CaptureFixture[str], given: list[str]
) -> None:
    for option in (
        ["--nn-graph", "keras::models"],
        ["--nn-preload", "m:keras:cpu:models/m.lin"],
        ["--nn-backend", "keras=lines"],
    ):
        assert call(["run", *given, *option, "guest.wat"]) == 2
        said = capsys.readouterr().err
        assert all(f" {name}," in said for name in ("linear", "onnx", "openvino"))


def test_the_file_of_a_plugin_runs_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    plugin = tmp_path / "plugin.py"
    plugin.write_text(FILE + "\nprint('made')\n")
    (tmp_path / "m.lin").write_bytes(MODEL)
    (tmp_path / "guest.wat").write_text(GUEST)
    words = ["--nn-plugin", f"{plugin}:Lines", "--models", str(tmp_path), "--nn-config", 'm={"threads": 1}']
    out = said(capsys, "run", *words, "--invoke", "main", str(tmp_path / "guest.wat"))
    assert out.count("made") == 1


@pytest.mark.parametrize(("format", "reason"), [("aotinductor", "native code"), ("executorch", "PyTorch")])
def test_what_no_backend_will_read_is_refused_with_the_reason(
    format: str, reason: str, tmp_path: Path
) -> None:
    from .test_detect import EXAMPLES

    path = tmp_path / "model"
    path.write_bytes(EXAMPLES[format])
    with pytest.raises(NNError, match=f"no backend here reads {format}: .*{reason}") as caught:
        NN().load(path)
    assert caught.value.code is Code.INVALID_ENCODING


def test_a_model_of_40_gb_is_recognised_by_a_few_pages(tmp_path: Path) -> None:
    """The graph between two small fields; bytes that are read are counted."""
    from .backends.onnx_writer import block, number, varint

    size = 40 << 30
    head = number(1, 8) + b"\x3a" + varint(size)
    tail = block(8, number(2, 17))
    counted = 0

    def read(start: int, stop: int) -> bytes:
        nonlocal counted
        counted += stop - start
        pieces = ((0, head), (len(head) + size, tail))
        found = bytearray(stop - start)
        for at, data in pieces:
            for place in range(max(at, start), min(at + len(data), stop)):
                found[place - start] = data[place - at]
        return bytes(found)

    look = Look(len(head) + size + len(tail), read)
    found = KNOWN.detect(look)
    assert found is not None and found.name == "onnx"
    assert counted < 64 << 10


def test_a_look_into_a_file_is_a_look_at_its_bytes(tmp_path: Path) -> None:
    data = bytes(range(200))
    (tmp_path / "file").write_bytes(data)
    with Look.into(tmp_path / "file") as look:
        for part in (slice(4), slice(4, 8), slice(-3, None), slice(190, 400), slice(300, 400), slice(9, 2)):
            assert look[part] == data[part] == Look.of(memoryview(data))[part]
        assert (len(look), bytes(look), look[0], look[-1]) == (200, data, 0, 199)
        with pytest.raises(IndexError):
            look[200]


def test_formats_of_plugins_are_asked_for_only_when_others_do_not_know() -> None:
    asked = []

    def more() -> tuple[Format, ...]:
        asked.append(True)
        return (Format("vendor", encoding=Encoding("v", 99), suffixes=(".vnd",), magic=(0, b"VV")),)

    formats = Formats(KNOWN, more)
    assert formats.of_file("a/m.onnx") and formats.word("tflite") == "tensorflowlite"
    assert formats.detect(Look.of(b"GGUF")) is KNOWN.named("gguf")
    assert not asked
    assert formats.of_file("M.VND") == formats.detect(Look.of(b"VVV")) == formats.named("vendor")
    assert formats.word("VENDOR") == formats.word("v") == "v" and formats.meant_by("v") == ("vendor",)
    assert formats.numbered(99) == Encoding("v", 99)
    assert formats.of_file("m.txt") is formats.word("keras") is formats.numbered(98) is None


PAIR = """
from pywasm_nn.nn import Backend, Context, DType, Format, Graph, Tensor, TensorSpec

SPEC = TensorSpec("x", DType.F32, (1,))

class Times(Context):
    def run(self, inputs):
        return [Tensor.from_numpy(inputs[0].numpy() * self.graph.factor)]

class Factor(Graph):
    def context(self):
        return Times(self)

class Pairs(Backend):
    name = "pairs"
    formats = (FORMAT,)

    def load(self, format, parts, config):
        graph = Factor("pairs", [SPEC], [SPEC])
        graph.factor = len(bytes(parts[1]))
        return graph
"""


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a model of two files and an input, where the plugin's format says how the second ends, as
    the README of examples/plain_backend has it (whole.py), or doesn't (half.py)."""
    readme = (ROOT / "examples" / "plain_backend" / "README.md").read_text()
    (written,) = re.findall(r"`(Format\(\"pair\".*?\))`", readme)
    for file, format in (("whole.py", written), ("half.py", written.replace('beside=".numbers", ', ""))):
        (tmp_path / file).write_text(PAIR.replace("FORMAT", format))
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "c.names").write_bytes(b"NAM1")
    (tmp_path / "models" / "c.numbers").write_bytes(b"123")
    np.save(tmp_path / "in.npy", np.ones(1, "f4"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_model_of_two_files(pair: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "nn", "run", "--nn-plugin", "whole.py:Pairs", "models/c.names", "in.npy")
    assert "[0] 3" in out
    for plugin in ("whole", "half"):
        nn = NN(models={"c": ["models/c.names", "models/c.numbers"]}, plugins=[f"{plugin}.py:Pairs"])
        assert nn.load("c").compute({"x": [2]})["x"].tolist() == [6]
    assert NN(models="models", plugins=["whole.py:Pairs"]).load("c").compute({"x": [2]})["x"].tolist() == [6]


def test_a_second_file_that_nobody_named_is_told_with_what_to_do(
    pair: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wants = "pair wants 2 part(s), the names and the numbers; given were 1; "
    advice = wants + 'Format("pair", ..., beside=".numbers") takes the second from beside the first'
    assert call(["nn", "run", "--nn-plugin", "half.py:Pairs", "models/c.names", "in.npy"]) == 1
    assert f"{advice}, c.numbers" in capsys.readouterr().err
    with pytest.raises(NNError) as caught:
        NN(models="models", plugins=["half.py:Pairs"]).load("c")
    assert caught.value.reason == f"{advice}, c.numbers"
    (pair / "models" / "c.numbers").unlink()
    with pytest.raises(NNError) as caught:
        NN(plugins=["half.py:Pairs"]).load("models/c.names")
    assert caught.value.reason == advice.replace('numbers")', 'bin")')
    with pytest.raises(NNError) as caught:
        NN(plugins=["whole.py:Pairs"]).load("models/c.names")
    assert caught.value.reason == f"{wants}c.numbers is not beside it"


def test_a_second_file_that_was_named_as_an_input(pair: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = ["models/c.names", "models/c.numbers", "in.npy"]
    assert call(["nn", "run", "--nn-plugin", "whole.py:Pairs", *files]) == 2
    assert "models/c.numbers is no input: it goes with models/c.names by itself" in capsys.readouterr().err

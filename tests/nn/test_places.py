"""A named model is in files, in a directory of its own, or at an address; none is read to be recognised."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from struct import pack
from tracemalloc import get_traced_memory, start, stop

import pytest

from pywasm_nn.cli import call
from pywasm_nn.limits import Limits
from pywasm_nn.nn import NN, Backend, Code, Format, Graph, GraphConfig, NamedModel, NNError, Tensor
from pywasm_nn.nn.formats import KNOWN
from pywasm_nn.nn.models import is_address, models_in
from pywasm_nn.nn.registry import Registry
from pywasm_nn.wasi import Capture, Wasi

from .backends.onnx_writer import block, number, varint
from .conftest import ADD_MUL, PASSTHROUGH, FakeBackend, FakeGraph, Guest, TextContext, pair
from .test_detect import EXAMPLES

SAVED = EXAMPLES["savedmodel"]


class Far(Backend):
    """Takes addresses and directories, and remembers which."""

    name = "far"
    formats = (Format("far", schemes=("far+http", "far")), "savedmodel")
    asked: list[tuple[str, Sequence[object]]]

    def __init__(self) -> None:
        self.asked = []

    def load_at(self, format: str, addresses: Sequence[str], config: GraphConfig, patience: object) -> Graph:
        self.asked.append((format, addresses))
        return FakeGraph(TextContext, [pair()["a"]], [])

    def load_files(self, format: str, paths: Sequence[Path], config: GraphConfig) -> Graph:
        self.asked.append((format, paths))
        return FakeGraph(TextContext, [pair()["a"]], [])


def saved_model(directory: Path) -> Path:
    (directory / "variables").mkdir(parents=True)
    (directory / "saved_model.pb").write_bytes(SAVED)
    (directory / "variables" / "variables.index").write_bytes(bytes(100))
    return directory


def guest_of(nn: NN, reports: list[str]) -> Guest:
    instance = PASSTHROUGH.instantiate(nn=nn, report=reports.append)
    return Guest(instance.memory, lambda name, *values: instance.exports[name](*values), reports)


def by_name(guest: Guest, name: str) -> int:
    return guest.call("load_by_name", *guest.poke(0x1000, name.encode()), guest.OUT)


def test_a_directory_of_models_lists_directories_that_are_one(tmp_path: Path) -> None:
    saved_model(tmp_path / "pitch.v2")
    (tmp_path / "voice.jit").write_bytes(EXAMPLES["torchscript"])
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "m.onnx").write_bytes(ADD_MUL)
    found = models_in(tmp_path)
    assert {name: model.paths for name, model in found.items()} == {
        "pitch.v2": (tmp_path / "pitch.v2",),
        "voice": (tmp_path / "voice.jit",),
    }
    assert found["pitch.v2"].size == len(SAVED) + 100


def test_a_directory_is_loaded_by_who_reads_it(tmp_path: Path) -> None:
    far, reports = Far(), []
    place = saved_model(tmp_path / "models" / "pitch")
    nn = NN(models=tmp_path / "models", plugins=[far])
    assert by_name(guest_of(nn, reports), "pitch") == 0, reports
    nn.register("too", place)
    assert by_name(guest_of(nn, reports), "too") == 0, reports
    assert far.asked == [("savedmodel", (place,))] * 2
    with pytest.raises(NNError, match="no backend here reads savedmodel"):
        Registry({"m": place}).load_named("m", None, print)


def test_a_directory_that_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(NNError, match="is a directory, and no model") as caught:
        NN().load(tmp_path)
    assert caught.value.code is Code.INVALID_ENCODING


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("oip+http://host:8000/m", True),
        ("https://host", True),
        ("m.onnx", False),
        ("c://models/m.onnx", False),
        ("://", False),
        ("a b://", False),
        ("folder/x://", False),
        (Path("far://host"), False),
    ],
)
def test_addresses(text: object, is_one: bool) -> None:
    assert is_address(text) is is_one


def test_addresses_are_asked_and_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    far, reports = Far(), []
    several = ("far://a/m", "FAR+http://b/m")
    nn = NN(models={"one": "far://a/m", "several": several}, plugins=[far])
    guest = guest_of(nn, reports)
    for name in ("one", "several", "one"):
        assert by_name(guest, name) == 0, reports
    assert far.asked == [("far", ("far://a/m",)), ("far", several)]
    assert nn.load(several).name == "far://a/m"
    assert nn.registry.files("one") == ()


@pytest.mark.parametrize("place", ["ftp://host/m", ["far://a/m", "ftp://host/m"]])
def test_a_scheme_that_nobody_takes(place: str | list[str]) -> None:
    with pytest.raises(NNError, match=r"no backend here takes .*ftp://host/m; schemes.*far\+http, far") as e:
        NN(plugins=[Far()]).load(place)
    assert e.value.code is Code.INVALID_ENCODING


def test_files_and_addresses_are_not_one_model(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"in files or at addresses; given was .*m.onnx, far://a/m"):
        NN(models={"m": [tmp_path / "m.onnx", "far://a/m"]})
    with pytest.raises(ValueError, match="given was nothing"):
        NamedModel()


def test_paths_are_given_as_text_too() -> None:
    model = NamedModel(paths=["m.xml", Path("m.bin")])  # type: ignore[arg-type]
    assert (model.paths, model.title) == ((Path("m.xml"), Path("m.bin")), "m")


def test_an_address_in_a_guests_bytes_is_bytes() -> None:
    far, reports = Far(), []
    guest = guest_of(NN(plugins=[far]), reports)
    for encoding in range(7):
        assert guest.load(b"far+http://127.0.0.1:1/m", encoding=encoding) != 0
    assert by_name(guest, "far://a/m") == Code.NOT_FOUND
    assert far.asked == []


PLUGIN = """
from pathlib import Path
from pywasm_nn.nn import Backend, Context, DType, Format, Graph, TensorSpec

class There(Graph):
    def context(self):
        return Context(self)

class Far(Backend):
    name = "far"
    formats = (Format("far", schemes=("far",)), "savedmodel")

    def load_at(self, format, addresses, config, patience):
        return There(self.name, [TensorSpec("x", DType.F32, (len(addresses),))], [], device=addresses[-1])

    def load_files(self, format, paths, config):
        return There(self.name, [TensorSpec("x", DType.F32, (9,))], [], device=paths[0].name)
"""
LOADS = """(module
  (import "wasi_ephemeral_nn" "load_by_name" (func $load (param i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "m")
  (func (export "main") (result i32) (call $load (i32.const 0) (i32.const 1) (i32.const 16))))"""


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> object:
    monkeypatch.chdir(tmp_path)
    Path("far.py").write_text(PLUGIN)
    Path("guest.wat").write_text(LOADS)
    saved_model(Path("saved"))

    def run(*graph: str) -> tuple[int, str]:
        options = [word for each in graph for word in ("--nn-graph", each)]
        code = call(["run", "--nn-plugin", "far.py:Far", *options, "--invoke", "main", "guest.wat"])
        captured = capsys.readouterr()
        return code, captured.out + captured.err

    return run


@pytest.mark.parametrize(
    "graph", ["m=far://[::1]:80/m", "m=far://a/m,far://b/m", "m=saved", "tensorflow::m", "m=far://a/x=y,z"]
)
def test_nn_graph_names_places(command: object, graph: str) -> None:
    Path("saved").rename("m") if graph.endswith("::m") else None
    assert command(graph) == (0, "0\n")


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        ("m=ftp://a/m", "no backend here takes ftp://a/m"),
        ("=saved", "write NAME=PLACE"),
        ("m=", "write NAME=PLACE"),
        ("m", "write FORMAT::DIR, as in onnx::models/mobilenet, or NAME=PLACE"),
    ],
)
def test_nn_graph_written_wrong(command: object, graph: str, words: str) -> None:
    code, said = command(graph)
    assert code == 2 and words in said


def test_nn_graph_of_a_file_that_is_not_there(command: object) -> None:
    code, said = command("m=gone.onnx")
    assert code == 0 and "there is no file gone.onnx" in said and said.startswith(f"{Code.NOT_FOUND}\n")


def test_nn_inspect_of_places(command: object, capsys: pytest.CaptureFixture[str]) -> None:
    for words, wanted in ((["far://a/m"], "far, far/far://a/m"), (["saved"], "savedmodel, far/saved")):
        assert call(["nn", "inspect", "--nn-plugin", "far.py:Far", *words]) == 0
        assert wanted in capsys.readouterr().out


SIZE = 40 << 30


def sparse(path: Path, head: bytes, tail: bytes = b"") -> Path:
    """A file of 40 GB of which only the ends are on the disk."""
    try:
        with path.open("wb") as file:
            file.write(head)
            file.seek(SIZE)
            file.write(tail or b"\0")
    except OSError as error:
        pytest.skip(f"no sparse files here: {error}")
    return path


def large_archive(path: Path, *names: str) -> Path:
    sparse(path, b"PK\3\4")
    with zipfile.ZipFile(path, "a") as file:
        for name in names:
            file.writestr(name, b"x")
    return path


@pytest.mark.parametrize(
    "name",
    ["onnx", "gguf", "tflite", "safetensors", "savedmodel", "torchscript", "torch-export", "executorch"],
)
def test_a_file_of_40_gb_is_recognised_by_its_ends(name: str, tmp_path: Path) -> None:
    path = tmp_path / "model"
    heads = {
        "onnx": number(1, 8) + b"\x3a" + varint(SIZE - 9),
        "safetensors": pack("<Q", 1 << 20) + b"{",
        "savedmodel": number(1, 1) + b"\x12" + varint(SIZE - 8),
    }
    members = {
        "torchscript": ("m/data.pkl", "m/constants.pkl", "m/code/x.py"),
        "torch-export": ("m/archive_format", "m/models/model.json"),
    }
    if name in members:
        large_archive(path, *members[name])
    elif name in heads:
        head, tail = heads[name], block(8, number(2, 17)) if name == "onnx" else b""
        sparse(path, head, tail)
        with path.open("r+b") as file:  # the large field ends where the next begins
            file.truncate(SIZE + len(tail) if tail else len(head) + SIZE - 8)
    else:
        sparse(path, EXAMPLES[name])
    registry = Registry({"m": path}, plugins=[FakeBackend()])
    start()
    try:
        found = registry.format_of(registry.models["m"])
        taken = get_traced_memory()[1]
    finally:
        stop()
    assert found == name
    assert taken < 16 << 20
    assert KNOWN.named(name).name == name


class Streaming(TextContext):
    """Says each token at once."""

    def compute_single(self) -> None:
        super().compute_single()
        self.write(bytes(self.output_single(0).view()) + b" ")

    def run(self, inputs: Sequence[Tensor]) -> Sequence[Tensor]:
        self.write(bytes(inputs[0].view()))
        return [inputs[0]]


class Speaker(FakeBackend):
    def load(self, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig) -> Graph:
        graph = super().load(format, [b"FAKE text"], config)
        graph.context_type = Streaming
        return graph


def speaking(wasi: Wasi | None, limits: Limits, reports: list[str]) -> Guest:
    """A guest with a prompt of two words."""
    instance = PASSTHROUGH.instantiate(
        wasi=wasi, nn=NN(plugins=[Speaker()]), limits=limits, report=reports.append
    )
    guest = Guest(instance.memory, lambda name, *values: instance.exports[name](*values), reports)
    assert guest.load(b"FAKE text", encoding=5) == 0
    assert guest.call("init_execution_context", guest.u32(), guest.OUT) == 0
    for index, data in ((0, b"two words"), (1, b"{}")):
        assert guest.set_input(0, index, data, dims=[len(data)], type=3) == 0
    return guest


def test_text_streams_to_the_guests_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    out, reports = Capture(), []
    guest = speaking(Wasi(stdout=out), Limits(), reports)
    assert guest.call("compute_single", 0) == 0
    assert out.value == b"two "
    assert guest.call("compute_single", 0) == 0
    assert guest.call("compute", 0) == 0
    assert out.value == b"two words two words"
    assert capfdbinary.readouterr() == (b"", b"")


def test_a_guest_without_standard_output_is_told_nothing(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    guest = speaking(None, Limits(), [])
    assert guest.call("compute_single", 0) == 0
    assert capfdbinary.readouterr() == (b"", b"")


def test_text_that_streams_counts_as_output() -> None:
    out, reports = Capture(), []
    guest = speaking(Wasi(stdout=out), Limits(output=6), reports)
    assert guest.call("compute_single", 0) == 0
    assert guest.call("compute_single", 0) == Code.RUNTIME_ERROR
    assert out.value == b"two "
    assert "6 bytes of output" in reports[-1]

"""Which backend loads what, what is refused, and how models get names."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from zipfile import ZipFile

import onnx
import pytest

from pywasm_nn.nn import Backend, Code, Graph, GraphConfig, NamedModel, NNError, Target
from pywasm_nn.nn.blame import REASON, shortened
from pywasm_nn.nn.child.models import GuestModels
from pywasm_nn.nn.formats import Format, Look
from pywasm_nn.nn.models import models_in
from pywasm_nn.nn.registry import Registry
from pywasm_nn.plugin import entry_points

from .conftest import ADD_MUL, FakeBackend

IR = b'<?xml version="1.0"?><net name="m" version="11"></net>'
TFLITE = b"\x1c\0\0\0TFL3" + bytes(20)


class Stub(Backend):
    """Claims what it is told, loads anything, remembers what."""

    def __init__(
        self, name: str, *formats: str | Format, missing: str | None = None, targets: Sequence[Target] = ()
    ) -> None:
        self.name = name
        self.formats = formats
        self.from_guests = frozenset(formats) & {"onnx", "openvino", "tflite"}
        self.missing = missing
        self.loaded: list[tuple[str, int, Target]] = []
        self._targets = frozenset(targets or [Target.CPU])

    def unavailable(self) -> str | None:
        return self.missing

    def targets(self) -> frozenset[Target]:
        return self._targets

    def load(self, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig) -> Graph:
        self.loaded.append((format, len(parts), config.target))
        return Graph(self.name, (), ())


class Only(Registry):
    """Without the package's own backends and whatever is installed here."""

    @property
    def backends(self) -> tuple[Backend, ...]:
        return self._plugins


def load(registry: Registry, *parts: bytes, encoding: str | None = None, target: Target = Target.CPU) -> str:
    """The name of the backend that loaded it."""
    models = GuestModels(1 << 30)
    return registry.load(parts, encoding, GraphConfig(target), lambda text: None, models).graph.backend


def refusal(code: Code, registry: Registry, *parts: bytes, encoding: str | None = None) -> str:
    with pytest.raises(NNError) as caught:
        load(registry, *parts, encoding=encoding)
    assert caught.value.code is code
    return caught.value.reason


def test_by_looks_and_by_declaration() -> None:
    registry = Only(plugins=[Stub("o", "onnx"), Stub("t", "tflite"), Stub("v", "openvino", "onnx", "tflite")])
    assert load(registry, ADD_MUL) == "o"
    assert load(registry, TFLITE) == "t"
    assert load(registry, IR, b"weights") == "v"
    assert load(registry, ADD_MUL, encoding="onnx") == "o"
    # The backend that claims what was declared can read what the bytes are.
    assert load(registry, ADD_MUL, encoding="openvino") == "v"


def test_what_nobody_reads() -> None:
    registry = Only(plugins=[Stub("o", "onnx"), Stub("t", "tflite", missing="tflite isn't installed")])
    assert refusal(Code.INVALID_ENCODING, registry, b"junk") == (
        "the bytes are of no format that is known here; "
        "--nn-plugin FILE.py:NAME adds a backend that reads them"
    )
    assert (
        refusal(Code.INVALID_ENCODING, registry, TFLITE)
        == "no backend here reads tflite (t: tflite isn't installed)"
    )
    assert refusal(Code.INVALID_ENCODING, registry, TFLITE, encoding="onnx") == (
        "declared onnx, the bytes are tflite, and no backend for onnx reads those"
    )


def test_a_format_whose_bytes_look_like_nothing() -> None:
    table, seen = Format("table", suffixes=(".tbl",)), Format("seen", looks=lambda look: look[:1] == b"#")
    plugin = Stub("own", table, seen)
    plugin.from_guests = frozenset({"table", "seen"})
    told = refusal(Code.INVALID_ENCODING, Only(plugins=[plugin]), b"1 2 3")
    assert 'the Format "table" of own has neither magic nor looks: magic=(0, b' in told
    assert '`looks` of the Format "seen" of own says that it is none' in told
    assert load(Only(plugins=[plugin]), b"# 1 2 3") == "own"
    with pytest.raises(TypeError):
        b"#" in Look.of(b"# 1")  # noqa: B015 - it would be False whatever they are


def test_another_format_than_declared_is_for_the_backend_whose_own_was() -> None:
    """OpenVINO's also reads ONNX: for "openvino" ONNX will do, for "tflite" it won't."""
    registry = Only(plugins=[Stub("v", "openvino", "onnx", "tflite")])
    assert load(registry, ADD_MUL, encoding="openvino") == "v"
    assert load(registry, ADD_MUL, encoding="onnx") == "v"
    for data, kind in ((ADD_MUL, "onnx"), (IR, "openvino")):
        assert refusal(Code.INVALID_ENCODING, registry, data, encoding="tflite") == (
            f"declared tflite, the bytes are {kind}, and no backend for tflite reads those"
        )


def test_the_host_prefers() -> None:
    backends = [Stub("a", "onnx"), Stub("b", "onnx", missing="b isn't there"), Stub("c", "onnx")]
    assert load(Only(plugins=backends), ADD_MUL) == "a"
    assert load(Only(plugins=backends, prefer={"onnx": "c"}), ADD_MUL) == "c"
    assert load(Only(plugins=backends, prefer={"onnx": ["b", "c"]}), ADD_MUL) == "c"
    assert "b isn't there" in refusal(
        Code.INVALID_ENCODING, Only(plugins=backends, prefer={"onnx": "b"}), ADD_MUL
    )
    other = Only(plugins=[*backends, Stub("t", "tflite")], prefer={"onnx": "t"})
    reason = refusal(Code.INVALID_ENCODING, other, ADD_MUL)
    assert reason == "the backend that was chosen doesn't read onnx; a, b, c do"
    with pytest.raises(ValueError, match="there is no backend 'd' for onnx; there are a, b, c"):
        Only(plugins=backends, prefer={"onnx": "d"})


def test_parts() -> None:
    registry = Only(plugins=[Stub("v", "openvino", "onnx")])
    assert "openvino wants 2 part(s), the XML and the weights; given were 1" in refusal(
        Code.INVALID_ARGUMENT, registry, IR
    )
    assert "given were 2" in refusal(Code.INVALID_ARGUMENT, registry, ADD_MUL, b"")


@pytest.mark.parametrize(
    ("parts", "encoding", "why"),
    [
        ((b"weights", IR), "openvino", "wrong order: part 2 has to be the first; wanted are the XML"),
        ((b"weights", IR), None, "wrong order: part 2 has to be the first"),
        ((IR, IR), "openvino", "part 2 is an OpenVINO model, as the first part is"),
        ((b"weights", b"weights"), "openvino", "no openvino model: wanted are the XML and"),
        ((b"", b"weights"), "openvino", "no openvino model: there are none"),
    ],
)
def test_parts_in_each_others_place(parts: tuple[bytes, ...], encoding: str | None, why: str) -> None:
    registry = Only(plugins=[Stub("v", "openvino", "onnx")])
    code = Code.RUNTIME_ERROR if encoding else Code.INVALID_ENCODING
    assert why in refusal(code, registry, *parts, encoding=encoding)


@pytest.mark.parametrize(
    "format", ["torchscript", "torch-export", "pickle", "tensorflow", "savedmodel", "gguf", "ort"]
)
def test_formats_that_guests_may_not_load(format: str) -> None:
    encoding = {"tensorflow": "tensorflow", "savedmodel": "tensorflow", "gguf": "ggml", "ort": "onnx"}.get(
        format, "pytorch"
    )
    backend = Stub("b", format)
    reason = refusal(Code.UNSUPPORTED_OPERATION, Only(plugins=[backend]), b"junk", encoding=encoding)
    assert "a guest's bytes are refused" in reason
    assert backend.loaded == []
    assert load(Only(plugins=[backend], trust_guest_models=True), b"junk", encoding=encoding) == "b"


def test_a_guest_hears_of_plugins_that_do_not_look_at_its_bytes() -> None:
    refused = refusal(Code.INVALID_ENCODING, Only(plugins=[Stub("shy", "vendor")]), b"junk")
    assert refused.endswith(
        "known here; shy may know it, but not from guests: `from_guests` there, or --trust-models"
    )
    served = Format("oip", schemes=("http",))  # reads no bytes
    for others in ([], [Stub("usual", "onnx", "torchscript")], [Stub("remote", served)]):
        refused = refusal(Code.INVALID_ENCODING, Only(plugins=others), b"junk")
        assert refused.endswith("known here; --nn-plugin FILE.py:NAME adds a backend that reads them")
    trusting = Only(plugins=[Stub("shy", "vendor")], trust_guest_models=True)
    assert refusal(Code.INVALID_ENCODING, trusting, b"junk").endswith("that is known here")


def test_what_guests_may_not_load_is_refused_whatever_is_installed() -> None:
    """Nobody installs a framework to be told that afterwards."""
    registry = Only(plugins=[Stub("b", "torchscript", missing="b isn't installed")])
    assert "name the model" in refusal(Code.UNSUPPORTED_OPERATION, registry, b"junk", encoding="pytorch")


class Connecting(Stub):
    """Reads an address and connects, as a plugin for models elsewhere does; says nothing about guests."""

    def __init__(self) -> None:
        super().__init__("remote", "remote", "onnx")
        self.from_guests = Backend.from_guests
        self.seen: list[bytes] = []

    def detect(self, data: Look) -> str | None:
        self.seen.append(bytes(data))
        return "remote" if bytes(data[:5]) == b"oip+h" else None


@pytest.mark.parametrize("data", [b"oip+http://10.0.0.1/v2", ADD_MUL, b"junk"])
@pytest.mark.parametrize("encoding", [None, "remote", "onnx"])
@pytest.mark.parametrize("others", [(), (b"",), (b"oip+http://10.0.0.1/v2",), (b"junk", ADD_MUL)])
def test_a_guests_bytes_reach_no_plugin_that_does_not_say_that_they_may(
    data: bytes, encoding: str | None, others: tuple[bytes, ...]
) -> None:
    backend = Connecting()
    with pytest.raises(NNError) as caught:
        load(Only(plugins=[backend]), data, *others, encoding=encoding)
    assert caught.value.code in (Code.UNSUPPORTED_OPERATION, Code.INVALID_ENCODING, Code.RUNTIME_ERROR)
    assert (backend.loaded, backend.seen) == ([], [])


def test_the_host_names_an_address_or_trusts_its_guests(tmp_path: Path) -> None:
    address = b"oip+http://10.0.0.1/v2"
    (tmp_path / "model").write_bytes(address)
    backend = Connecting()
    Only({"m": tmp_path / "model"}, plugins=[backend]).load_named("m", None, lambda text: None)
    assert load(Only(plugins=[backend], trust_guest_models=True), address) == "remote"
    assert [format for format, *_ in backend.loaded] == ["remote"] * 2


def test_onnx_may_not_open_files() -> None:
    backend = Stub("o", "onnx")
    registry = Only(plugins=[backend])
    model = onnx.load_from_string(ADD_MUL)
    outside = model.graph.initializer.add(name="w", dims=[1], data_type=onnx.TensorProto.FLOAT)
    outside.data_location = onnx.TensorProto.EXTERNAL
    outside.external_data.add(key="location", value="/etc/passwd")
    reason = refusal(Code.UNSUPPORTED_OPERATION, registry, model.SerializeToString())
    assert "keeps data outside, in '/etc/passwd'" in reason
    assert backend.loaded == []


@pytest.mark.parametrize("disguise", [b"\x12\x06xxTFL3", b"\n <net".ljust(34)])
def test_a_disguise_does_not_get_past_the_scan(disguise: bytes) -> None:
    """Bytes that look like TFLite or XML here and are ONNX to a framework (OpenVINO tries all it knows)."""
    backend = Stub("v", "onnx", "tflite", "openvino")
    outside = onnx.TensorProto(name="w", dims=[1], data_type=1, data_location=onnx.TensorProto.EXTERNAL)
    outside.external_data.add(key="location", value="/etc/passwd")
    model = onnx.load_from_string(ADD_MUL)
    model.graph.initializer.append(outside)
    data = disguise + model.SerializeToString()
    assert onnx.load_from_string(data).graph.initializer[0].name == "w"
    for parts in ([data], [data, b""]):
        with pytest.raises(NNError):
            load(Only(plugins=[backend]), *parts)
    assert backend.loaded == []


@pytest.mark.parametrize(
    ("format", "encoding"), [("onnx", "onnx"), ("tflite", "tensorflowlite"), ("openvino", "openvino")]
)
def test_bytes_must_be_what_they_are_loaded_as(format: str, encoding: str) -> None:
    backend = Stub("b", format)
    parts = [b"junk"] * (2 if format == "openvino" else 1)
    reason = refusal(Code.RUNTIME_ERROR, Only(plugins=[backend]), *parts, encoding=encoding)
    assert reason.partition(":")[0] == f"the bytes are no {format} model"
    assert backend.loaded == []


def test_a_path_in_a_guests_bytes_is_never_followed(tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(ADD_MUL)
    backend = Stub("o", "onnx", "gguf")
    for encoding in (None, "onnx", "ggml"):
        path = b"preload:" + str(tmp_path / "m.onnx").encode()
        assert "path of the host" in refusal(
            Code.INVALID_ARGUMENT, Only(plugins=[backend]), path, encoding=encoding
        )
    assert backend.loaded == []


@pytest.mark.parametrize(
    ("wanted", "there", "placed"),
    [
        (Target.AUTO, {Target.CPU}, Target.CPU),
        (Target.AUTO, {Target.CPU, Target.GPU}, Target.GPU),
        (Target.CPU, {Target.CPU, Target.GPU}, Target.CPU),
        (Target.GPU, {Target.CPU, Target.GPU}, Target.GPU),
        (Target.GPU, {Target.CPU, Target.TPU}, Target.CPU),
    ],
)
def test_devices(wanted: Target, there: set[Target], placed: Target) -> None:
    backend, reports = Stub("o", "onnx", targets=list(there)), []
    models = GuestModels(1 << 30)
    Only(plugins=[backend]).load([ADD_MUL], None, GraphConfig(wanted), reports.append, models)
    assert backend.loaded == [("onnx", 1, placed)]
    assert len(reports) == (wanted is Target.GPU and placed is Target.CPU)


def test_strict_devices() -> None:
    registry = Only(plugins=[Stub("o", "onnx")], strict=True)
    assert load(registry, ADD_MUL, target=Target.AUTO) == "o"
    with pytest.raises(NNError, match="o has no gpu here") as caught:
        load(registry, ADD_MUL, target=Target.GPU)
    assert caught.value.code is Code.UNSUPPORTED_OPERATION


def test_a_backend_that_raises_is_blamed() -> None:
    reason = refusal(Code.RUNTIME_ERROR, Only(plugins=[FakeBackend()]), b"FAKE what", encoding="fake")
    assert reason == "fake: ValueError: these bytes are no model"


def test_of_a_long_reason_the_beginning_and_the_end_are_told() -> None:
    """Frameworks say at first where something failed, and at last why."""

    class Wordy(Stub):
        def load(self, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig) -> Graph:
            raise ValueError(
                f"Exception from core.cpp:84: {'Check failed at here.cpp: ' * 100}no such operator"
            )

    reason = refusal(Code.RUNTIME_ERROR, Only(plugins=[Wordy("w", "onnx")]), ADD_MUL)
    assert reason.startswith("w: ValueError: Exception from core.cpp:84: Check failed at here.cpp: ")
    assert " ... " in reason and reason.endswith("at here.cpp: no such operator")
    assert len(reason) <= len("w: ValueError: ") + REASON
    assert set(reason.split()[6:-4]) == {"Check", "failed", "at", "here.cpp:", "..."}


@pytest.mark.parametrize("text", ["x" * 499, "x" * 500, "x" * 501, "x " * 2000, " " + "x" * 4000])
def test_a_shortened_reason(text: str) -> None:
    short = shortened(text)
    assert short == text if len(text) <= REASON else len(short) <= REASON and " ... " in short


class Installed(Backend):
    """As a package would bring it."""

    name = "vendor"
    formats = ("vendor",)
    from_guests = frozenset(formats)

    def detect(self, data: Look) -> str | None:
        return "vendor" if bytes(data[:2]) == b"\x90\x91" else None

    def load(self, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig) -> Graph:
        return Graph(self.name, (), ())


def install(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """A package with two entry points, as pip would leave it."""
    place = folder / "vendor-1.0.dist-info"
    place.mkdir()
    place.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: vendor\nVersion: 1.0\n")
    place.joinpath("entry_points.txt").write_text(
        f"[pywasm_nn.backends]\nvendor = {__name__}:Installed\nbroken = no_such_module_here:Thing\n"
    )
    patch.syspath_prepend(str(folder))


def test_backends_of_installed_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch)
    registry = Registry()
    assert load(registry, b"\x90\x91 only the vendor knows") == "vendor"
    assert registry.broken == [
        "backend broken of no_such_module_here:Thing: No module named 'no_such_module_here'"
    ]


def test_entry_points_are_those_that_python_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of folders, eggs and archives; files that aren't there or can't be read are passed over."""
    for group in ("console_scripts", "pytest11", "pywasm_nn.backends", "no.such.group"):
        assert set(entry_points(group)) == set(metadata.entry_points(group=group))
    (tmp_path / "empty.dist-info").mkdir()
    (tmp_path / "file.egg-info").write_text("[a.group]")
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(tmp_path / "missing"), ""])
    assert not list(entry_points("a.group"))
    text = "[a.group]\nname = module:Thing\n"
    with ZipFile(tmp_path / "archive.zip", "w") as archive:
        archive.writestr("zipped-1.dist-info/entry_points.txt", text)
        archive.writestr("zipped-1.dist-info/METADATA", "Name: zipped\n")
    egg = tmp_path / "old.egg" / "EGG-INFO"
    egg.mkdir(parents=True)
    egg.joinpath("entry_points.txt").write_text(text)
    egg.joinpath("PKG-INFO").write_text("Name: old\n")
    for place in (tmp_path / "archive.zip", tmp_path / "old.egg"):
        monkeypatch.setattr(sys, "path", [str(place)])
        assert [one.value for one in entry_points("a.group")] == ["module:Thing"]


@pytest.mark.parametrize("what", ["listdir", "entry_points"])
def test_a_process_without_descriptors_says_so_and_looks_again(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left(*given: object, **named: object) -> object:
        raise OSError(errno.EMFILE, "Too many open files")

    install(tmp_path, monkeypatch)
    registry = Registry()
    with monkeypatch.context() as lacking:
        lacking.setattr(metadata if what == "entry_points" else os, what, none_left)
        with pytest.raises(NNError, match="can't be looked for: Too many open files"):
            load(registry, b"\x90\x91")
    assert registry.backends


@pytest.mark.parametrize("where", ["formats", "from_guests"])
@pytest.mark.parametrize("wrong", ["vendor", b"vendor", 1, True, None, [1], object()])
def test_a_backend_whose_formats_are_none_is_refused(where: str, wrong: object) -> None:
    """A text would admit the formats that its letters name."""
    backend = type("Wrong", (Installed,), {where: wrong})
    with pytest.raises(TypeError, match=rf"Wrong\.{where} must be "):
        Registry(plugins=[backend()])


def test_a_directory_names_its_models(tmp_path: Path) -> None:
    for name in (
        "a.onnx",
        "b.xml",
        "b.bin",
        "alone.xml",
        "notes.txt",
        "c.tflite",
        "c.onnx",
        "c.xml",
        "c.bin",
    ):
        (tmp_path / name).write_bytes(b"")
    found = models_in(tmp_path, readable=lambda format: format != "onnx")
    names = {name: [path.name for path in model.paths] for name, model in found.items()}
    assert names == {
        "a": ["a.onnx"],
        "b": ["b.xml", "b.bin"],
        "c": ["c.xml", "c.bin"],  # onnx comes first, but nobody reads it here
        "c.onnx": ["c.onnx"],
        "c.tflite": ["c.tflite"],
        "c.xml": ["c.xml", "c.bin"],
    }
    assert {name: model.others for name, model in found.items() if model.others} == {
        "c": ("c.onnx", "c.tflite")
    }
    with pytest.raises(FileNotFoundError):
        Registry(tmp_path / "nowhere")


def test_a_stem_that_several_models_share_is_told(tmp_path: Path) -> None:
    for name in ("m.onnx", "m.xyz", "alone.onnx"):
        (tmp_path / name).write_bytes(ADD_MUL)
    registry = Only(tmp_path, plugins=[Stub("v", "onnx", Format("xyz", suffixes=(".xyz",)))])
    for name in ("m", "alone", "m.xyz"):
        reports: list[str] = []
        registry.load_named(name, None, reports.append)
        assert reports == ['wasi-nn: "m" names m.onnx; "m.xyz" names the other'] * (name == "m")
    registry.register("m", tmp_path / "m.xyz")
    registry.load_named("m", None, reports.append)
    assert not reports, "the user has said which"


def test_a_directory_keeps_its_only_name(tmp_path: Path) -> None:
    (tmp_path / "m" / "variables").mkdir(parents=True)
    for name in ("m.onnx", "m/saved_model.pb"):
        (tmp_path / name).write_bytes(b"")
    found = models_in(tmp_path)
    assert found["m"].paths == (tmp_path / "m",)
    assert found["m"].others == ("m.onnx",)
    without = models_in(tmp_path, readable=lambda format: format == "onnx")
    assert without["m"].paths == (tmp_path / "m.onnx",)


def test_a_directory_names_models_that_a_plugin_knows(tmp_path: Path) -> None:
    class Own(Stub):
        def detect(self, data: Look) -> str | None:
            return "own" if bytes(data[:3]) == b"OWN" else None

    (tmp_path / "mine.xyz").write_bytes(b"OWN model")
    (tmp_path / "notes.txt").write_bytes(b"a note")
    (tmp_path / "empty").write_bytes(b"")
    registry = Only(tmp_path, plugins=[Own("v", "own")])
    assert list(registry.models) == ["mine"]
    registry.load_named("mine", None, print)
    assert not Only(tmp_path, plugins=[Stub("v", "own")]).models


PLUGIN = "--nn-plugin FILE.py:NAME adds a backend that reads it"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("own", f"; own.vnd is there, but of no format that is known here ({PLUGIN})"),
        ("OWN.vnd", f"; own.vnd is there, but of no format that is known here ({PLUGIN})"),
        ("half", "; half.xml is there, but half.bin isn't"),
        ("digit", '; digit.pgm is there, but of no format that is known here; did you mean "digits"?'),
        ("nothing", ""),
        ("../own", ""),
        ("folder", ""),
    ],
)
def test_a_file_that_was_passed_over_is_named(name: str, told: str, tmp_path: Path) -> None:
    models = tmp_path / "models"
    (models / "folder").mkdir(parents=True)
    for file in ("own.vnd", "half.xml", "digit.pgm", "digits.onnx"):
        (models / file).write_bytes(b"something")
    with pytest.raises(NNError) as caught:
        Registry(models).load_named(name, None, print)
    assert caught.value.reason == f'no model is named "{name}"; named are: digits{told}'


def test_names_with_paths(tmp_path: Path) -> None:
    for name, data in {"m.onnx": ADD_MUL, "r.xml": IR, "r.bin": b"w", "lies.tflite": ADD_MUL}.items():
        (tmp_path / name).write_bytes(data)
    backend = Stub("v", "onnx", "openvino", "tflite")
    models = {
        "m": tmp_path / "m.onnx",
        "r": str(tmp_path / "r.xml"),
        "two": (tmp_path / "r.xml", tmp_path / "r.bin"),
        "gpu": NamedModel((tmp_path / "m.onnx",), "onnx", GraphConfig(Target.GPU)),
        "lies": tmp_path / "lies.tflite",
    }
    reports: list[str] = []
    registry = Only(models, plugins=[backend])
    for name in models:
        registry.load_named(name, None, reports.append)
    assert [loaded[:2] for loaded in backend.loaded] == [
        ("onnx", 1),
        ("openvino", 2),
        ("openvino", 2),
        ("onnx", 1),
        ("onnx", 1),
    ]
    assert reports == ["wasi-nn: v has no gpu here, the model runs on the cpu"]

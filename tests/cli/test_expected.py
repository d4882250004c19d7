"""Which framework `run` expects of the guest's own model, by the names of files that the guest may open."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from pywasm_nn.cli import call, expected
from pywasm_nn.cli.expected import backend_of
from pywasm_nn.nn import NN, Backend, NNError
from pywasm_nn.nn.child.process import Child, started_for

LOADS = """(module
  (import "wasi_ephemeral_nn" "load" (func (param i32 i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1) (func (export "_start")))"""
NAMES = LOADS.replace('"load" (func (param i32 i32 i32 i32 i32)', '"load_by_name" (func (param i32 i32 i32)')
ANY_MODEL = ("a.onnx", "a.xml", "a.tflite")


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of backends that processes are told to import before the guest starts."""
    names: list[str] = []
    monkeypatch.setattr(expected, "begin_import", lambda child, backend: names.append(backend.name))
    return names


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Child]:
    """The processes that are started."""
    children: list[Child] = []

    def noted(tensor_bytes: int) -> Child:
        children.append(started_for(tensor_bytes))
        return children[-1]

    monkeypatch.setattr(expected, "started_for", noted)
    return children


def reader(names: Sequence[str]) -> list[str]:
    """The name of the backend that would read models in files of these names, if there is just one."""
    registry, found = NN().registry, set()
    for name in names:
        format = registry.formats.of_file(name)
        assert format is not None
        with suppress(NNError):  # none is installed
            found.add(registry.choose(None, format.name)[0].name)
    return [*found] if len(found) == 1 else []


def run(folder: Path, files: Sequence[str], guest: str = LOADS, *words: str) -> None:
    (folder / "guest.wat").write_text(guest)
    given = folder / "given"
    given.mkdir()
    for name in files:
        (given / name).write_bytes(b"")
    options = [word for word in words if word.startswith("--")]
    rest = [word for word in words if not word.startswith("--")]
    command = ["run", "--dir", f"{given}::/", *options, str(folder / "guest.wat"), *rest]
    assert call(command) == 0


@pytest.mark.parametrize("name", ANY_MODEL)
def test_the_only_model_in_a_directory_of_the_guest(name: str, tmp_path: Path, prepared: list[str]) -> None:
    run(tmp_path, [name, "labels.txt", "cat.jpg"])
    assert prepared == reader([name])


def test_models_of_several_frameworks_say_nothing(tmp_path: Path, prepared: list[str]) -> None:
    run(tmp_path, ANY_MODEL)
    assert prepared == reader(ANY_MODEL), "one backend may be all that is installed"


def test_a_word_says_more_than_a_directory(tmp_path: Path, prepared: list[str]) -> None:
    run(tmp_path, ["a.tflite", "b.xml"], LOADS, "models/mine.onnx")
    assert prepared == reader(["mine.onnx"])
    assert prepared, "ONNX is read without any framework"


@pytest.mark.parametrize(
    ("guest", "words"),
    [
        (NAMES, ()),
        (LOADS, ("--trust-models",)),
        (LOADS.replace("wasi_ephemeral_nn", "mine"), ("--unknown-imports=zero",)),
    ],
)
def test_guests_that_need_no_child(
    guest: str, words: tuple[str, ...], tmp_path: Path, started: list[Child]
) -> None:
    run(tmp_path, ["a.onnx"], guest, *words)
    assert started == []


def test_one_process_is_started_and_has_ended_with_the_guest(tmp_path: Path, started: list[Child]) -> None:
    run(tmp_path, ["a.onnx"])
    assert [child.alive for child in started] == [False]


@pytest.mark.parametrize("why", ["an import that nobody gives", "an option for no model"])
def test_a_guest_that_never_begins_leaves_no_process(why: str, tmp_path: Path, started: list[Child]) -> None:
    guest, words = LOADS, ["--nn-config=absent:threads=1"]
    if why.startswith("an import"):
        guest, words = LOADS.replace("(memory", '(import "mine" "absent" (func)) (memory'), []
    (tmp_path / "guest.wat").write_text(guest)
    assert call(["run", "--dir", str(tmp_path), *words, str(tmp_path / "guest.wat")]) != 0
    assert [child.alive for child in started] == [False]


def test_without_processes_the_guest_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pywasm_nn.nn.child.process.available", lambda: "no processes today")
    run(tmp_path, ["a.onnx"])


def test_a_guest_whose_models_are_named(tmp_path: Path, started: list[Child]) -> None:
    named = tmp_path / "named"
    named.mkdir()
    (named / "m.onnx").write_bytes((Path(__file__).parents[1] / "nn/fixtures/add_mul_dyn.onnx").read_bytes())
    run(tmp_path, ["a.onnx"], LOADS, f"--models={named}")
    assert started == []


def test_files_that_are_no_model_and_directories_that_are_gone(tmp_path: Path, prepared: list[str]) -> None:
    run(tmp_path, ["notes.md", "onnx", ".onnx", "x.jpeg"])
    assert prepared == []


def test_a_format_that_no_guest_may_bring() -> None:
    class Named(Backend):
        name = "named"
        formats = ("executorch",)
        native = True

    assert backend_of(["m.pte"], NN(plugins=[Named()]).registry) is None

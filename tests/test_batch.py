"""Batches: many rows through one program, in one process and several, with bad rows among them."""

from __future__ import annotations

import importlib.util
import json
import multiprocessing
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy
import pytest

from pywasm_nn import (
    NN,
    CodeFolder,
    Component,
    Dir,
    InvalidError,
    Limits,
    MalformedError,
    MemoryDirectory,
    Module,
    cli,
    demo,
    run,
)
from pywasm_nn.batch import BatchRunner
from pywasm_nn.batch.workers import Workers
from pywasm_nn.interpreter.compile import translate
from pywasm_nn.nn.registry import Registry

from .conftest import HANGS
from .digit_reader import GUEST, MODELS, labels, pictures
from .spawned import halved

pytestmark = pytest.mark.usefixtures("no_main_module")

GUESTS = Path(__file__).parent / "guests"
PAGE = (Path(__file__).parents[1] / "docs" / "batch.md").read_text("utf-8")
BAD = b"\xff" * 64
ENDLESS = b"\xfe" * 64
COPY = """(module
  (import "wasi_snapshot_preview1" "path_open"
    (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "in.txtout.txt")
  (data (i32.const 16) "\\00\\01\\00\\00\\40\\00\\00\\00")
  (func $check (param i32) (if (local.get 0) (then unreachable)))
  (func (export "_start")
    (call $check (call $open (i32.const 3) (i32.const 0) (i32.const 0) (i32.const 6) (i32.const 0)
      (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 32)))
    (call $check (call $read (i32.load (i32.const 32)) (i32.const 16) (i32.const 1) (i32.const 20)))
    (call $check (call $open (i32.const 3) (i32.const 0) (i32.const 6) (i32.const 7) (i32.const 1)
      (i64.const 64) (i64.const 0) (i32.const 0) (i32.const 32)))
    (call $check (call $write (i32.load (i32.const 32)) (i32.const 16) (i32.const 1) (i32.const 8)))))"""
"""Copies in.txt to out.txt."""


@pytest.fixture
def folder(tmp_path: Path) -> CodeFolder:
    return CodeFolder(tmp_path / "code")


@pytest.fixture
def digits(folder: CodeFolder) -> BatchRunner:
    return BatchRunner(Module.from_text(GUEST, "digits.wat"), models=MODELS, cache=folder)


def poisoned(count: int) -> list[bytes]:
    rows = pictures(count)
    rows[count // 2] = BAD
    return rows


@pytest.mark.parametrize("count", [200, pytest.param(10_000, marks=pytest.mark.slow)])
def test_two_processes_answer_as_one_does(digits: BatchRunner, count: int) -> None:
    rows = poisoned(count)
    alone = [digits(row) for row in rows]
    assert [row["error"] for row in alone if row["error"]] == ["Trap: unreachable"]
    assert [row["exit_code"] for row in alone] == [134 * (row is rows[count // 2]) for row in rows]
    said = zip(alone[:100], labels(), strict=True)
    assert sum(row["stdout"].decode() == f"{label}\n" for row, label in said) >= 98
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        assert list(pool.map(digits, rows, chunksize=50)) == alone
    assert digits(rows) == alone


# What is in a row


def lines(answer: dict[str, Any]) -> list[str]:
    found: list[str] = answer["stdout"].decode().splitlines()
    return found


@pytest.mark.parametrize(("program", "code"), [("args_env.wasm", 7), ("components/args_env.wasm", 1)])
def test_arguments_and_variables_of_runner_and_row(program: str, code: int, folder: CodeFolder) -> None:
    """A component ends well or badly, without a code."""
    runner = BatchRunner(GUESTS / program, args=["all"], env={"A": "runner", "B": "runner"}, cache=folder)
    answer = runner({"args": ["one", "two"], "env": {"B": "row", "CODE": "7"}, "id": 12})
    assert (answer["id"], answer["exit_code"], answer["error"]) == (12, code, "")
    said = [
        f"argument {number}: {word}" for number, word in enumerate(["args_env.wasm", "all", "one", "two"])
    ]
    assert lines(answer) == [*said, "variable: A=runner", "variable: B=row", "variable: CODE=7"]
    assert lines(runner({})) == [*said[:2], "variable: A=runner", "variable: B=runner"]


@pytest.mark.parametrize(
    "data", [b"\x00\xff\x00", "\u00e4", numpy.arange(5, dtype="u1"), bytearray(b"ab"), memoryview(b"cd"), b""]
)
def test_standard_input(data: Any, folder: CodeFolder) -> None:
    answer = BatchRunner(GUESTS / "cat.wasm", cache=folder).row({"stdin": data})
    expected = data.encode() if isinstance(data, str) else bytes(data)
    assert (answer["stdout"], answer["stderr"]) == (expected, b"%d bytes\n" % len(expected))


def test_files_that_a_guest_makes_are_in_its_answer_and_in_no_other(
    folder: CodeFolder, tmp_path: Path
) -> None:
    runner = BatchRunner(Module.from_text(COPY), cache=folder, dirs=[Dir(tmp_path, "/", readonly=True)])
    given = [{"files": {"in.txt": text, "other": "o"}} for text in (b"first", "second")]
    assert [answer["files"] for answer in runner(given)] == [{"out.txt": b"first"}, {"out.txt": b"second"}]
    (tmp_path / "in.txt").write_bytes(b"host")
    assert runner({"stdin": b""})["exit_code"] == 134  # the runner's directory can't be written to
    assert not (tmp_path / "out.txt").exists()


def test_files_of_a_row_beside_a_directory(folder: CodeFolder, tmp_path: Path) -> None:
    shutil.copy(demo.path() / "models" / "digits.onnx", tmp_path)
    picture = (demo.path() / "models" / "digit.pgm").read_bytes()
    row = {"args": ["digits.onnx", "/row/p.pgm"], "files": {"p.pgm": picture}}
    program = demo.path() / "app.wasm"
    beside = BatchRunner(program, cache=folder, dirs={".": tmp_path}, files_at="/row").row(row)
    assert (beside["exit_code"], beside["stdout"][:2]) == (0, b"5 ")
    hidden = BatchRunner(program, cache=folder, dirs={".": tmp_path}).row(row)
    assert hidden["exit_code"] and '"/" hides that' in hidden["notes"]


def test_arrays_of_the_last_compute(folder: CodeFolder) -> None:
    runner = BatchRunner(Module.from_text(GUEST), models=MODELS, cache=folder, keep_outputs=True)
    picture = pictures(1)[0]
    (found,) = runner(picture)["outputs"]
    shades = numpy.frombuffer(picture, "u1").reshape(1, 1, 8, 8)
    with NN().load(MODELS["digits"]) as model:
        expected = model.compute({"picture": (shades / 16).astype("f4")})["probabilities"]
    numpy.testing.assert_allclose(found, expected, atol=1e-6)
    assert runner(b"too short")["outputs"] == []


@pytest.mark.parametrize(
    ("row", "code", "error"),
    [
        (BAD, 134, "Trap: unreachable"),
        (ENDLESS, 134, "FuelError: "),
        (b"short", 3, ""),
        (None, 1, "TypeError: stdin must be"),
        (5, 1, "TypeError: stdin must be"),
        ({"stdin": [1, 2]}, 1, "TypeError: stdin must be"),
        ({"stdn": b""}, 1, "TypeError: a row must be .* it has stdn"),
        ({"args": "one"}, 1, "TypeError: args must be several"),
        ({"args": ["a\0b"]}, 1, "ValueError: no guest can be given"),
        ({"env": {"A": 1}}, 1, "TypeError: env"),
        ({"files": {"..": b""}}, 1, "ValueError: '..' is taken or no plain path"),
        ({"files": {"a": 3}}, 1, "TypeError: files"),
        ({"stdin": None, "args": float("nan")}, 3, ""),
    ],
)
def test_a_bad_row_is_a_row(row: Any, code: int, error: str, digits: BatchRunner, folder: CodeFolder) -> None:
    runner = BatchRunner(
        Module.from_text(GUEST, "digits.wat"), models=MODELS, cache=folder, limits=Limits(fuel=1_000_000)
    )
    good = pictures(1)[0]
    first, answer, last = runner([good, row, good])
    assert first == last == digits(good)
    assert (answer["exit_code"], bool(re.match(error or "$", answer["error"]))) == (code, True), answer
    assert set(answer) >= set(first)


def test_the_first_guest_of_a_process_has_time_after_what_is_loaded_once(
    folder: CodeFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = Limits(seconds=5)
    load, loaded = Registry.load_place, list[object]()

    def slow(self: Registry, *arguments: Any) -> Any:
        time.sleep(5.1)
        loaded.append(arguments)
        return load(self, *arguments)

    monkeypatch.setattr(Registry, "load_place", slow)
    runner = BatchRunner(Module.from_text(GUEST), models=MODELS, cache=folder, limits=limits)
    assert runner(pictures(1)[0])["stdout"] == b"7\n"
    assert len(loaded) == 1


def test_features_go_with_the_program(folder: CodeFolder) -> None:
    text = '(module (memory 1 1 (pagesize 1)) (func (export "_start")))'
    program = Module.from_text(text, features=["custom-page-sizes"])
    with pytest.raises(MalformedError, match="custom-page-sizes"):
        BatchRunner(program.data, cache=folder)
    for runner in (BatchRunner(program, cache=folder), BatchRunner(program.data, features=program.features)):
        assert pickle.loads(pickle.dumps(runner))(b"")["error"] == ""


def test_why_an_inference_failed_is_in_the_notes(folder: CodeFolder, tmp_path: Path) -> None:
    (tmp_path / "absent.onnx").touch()
    runner = BatchRunner(Module.from_text(GUEST), models={"digits": tmp_path / "absent.onnx"}, cache=folder)
    (tmp_path / "absent.onnx").unlink()
    answer = runner(pictures(1)[0])
    assert answer["exit_code"] and "absent.onnx" in answer["notes"]


def test_what_can_not_run_at_all_is_refused_when_the_runner_is_made(tmp_path: Path) -> None:
    with pytest.raises(MalformedError):
        BatchRunner(b"no module")
    with pytest.raises(InvalidError):
        BatchRunner(b"\0asm\1\0\0\0" + b"\x03\x02\x01\x07" + b"\x0a\x04\x01\x02\x00\x0b")
    with pytest.raises(FileNotFoundError):
        BatchRunner(tmp_path / "absent.wasm")
    mistakes: list[tuple[str, dict[str, Any]]] = [
        ("env", {"env": ["A"]}), ("limits", {"limits": 5}), ("nn", {"nn": "models"}),
        ("dirs", {"dirs": "data"}), ("args", {"args": "one"}), ("cache", {"cache": "folder"}),
        ("files", {"dirs": {"/": MemoryDirectory()}}), ("models", {"models": 3}),
    ]  # fmt: skip
    for name, settings in mistakes:
        with pytest.raises(TypeError, match=name):
            BatchRunner(b"\0asm\1\0\0\0", **settings)


# Tables


def test_columns_of_arrays(digits: BatchRunner) -> None:
    rows = pictures(3)
    plain = digits([*rows, BAD])
    stdin = numpy.empty(4, object)
    stdin[:] = [*rows, BAD]
    answers = digits({"stdin": stdin, "id": numpy.arange(4), "error": numpy.zeros(4)})
    assert list(answers) == ["id", "error", "exit_code", "stdout", "stderr", "notes"]
    assert [answers[name].tolist() for name in plain[0]] == [
        [row[name] for row in plain] for name in plain[0]
    ]
    assert answers["id"].tolist() == [0, 1, 2, 3]
    assert answers["exit_code"].dtype == "i8"
    stacked = numpy.frombuffer(b"".join(rows), "u1").reshape(3, 64)  # as Ray has tensors
    assert digits({"stdin": stacked})["stdout"].tolist() == answers["stdout"].tolist()[:3]
    assert {name: len(column) for name, column in digits({"stdin": stdin[:0]}).items()} == dict.fromkeys(
        plain[0], 0
    )


def test_zeros_at_the_end_of_output_stay(folder: CodeFolder) -> None:
    column = numpy.empty(1, object)
    column[0] = b"ab\0\0"
    assert BatchRunner(GUESTS / "cat.wasm", cache=folder)({"stdin": column})["stdout"].tolist() == [b"ab\0\0"]


def test_a_frame_keeps_its_index(digits: BatchRunner) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"id": [1, 2], "stdin": [pictures(1)[0], None]}, index=["x", "y"])
    answers = digits(frame)
    assert (list(answers.index), list(answers["id"])) == (["x", "y"], [1, 2])
    assert (list(answers["exit_code"]), list(answers["stdout"])) == ([0, 3], [b"7\n", b""])


# What processes keep


def test_a_module_takes_its_folder_of_code_along(folder: CodeFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    module = Module.from_file(GUESTS / "cat.wasm", cache=folder)
    component = Component.from_file(GUESTS / "components" / "cat.wasm", cache=folder)
    for program in (module, component):
        assert BatchRunner(program, cache=folder)("abc")["stdout"] == b"abc"
    copies = pickle.loads(pickle.dumps([module, component]))
    monkeypatch.setattr(translate, "translate", lambda *_: pytest.fail("translated again"))
    for copy in copies:
        assert BatchRunner(copy, cache=folder)("abc")["stdout"] == b"abc"
    assert pickle.loads(pickle.dumps(Module.from_file(GUESTS / "cat.wasm"))).code_cache.folder is None


def test_the_users_folder_is_that_of_who_unpickles(
    folder: CodeFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", folder.folder)
    monkeypatch.setenv("LOCALAPPDATA", folder.folder)
    monkeypatch.setenv("HOME", folder.folder)
    pickled = [pickle.dumps(CodeFolder(most=7)), pickle.dumps(folder)]
    elsewhere = folder.folder + "-2"
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(name, elsewhere)
    own, chosen = map(pickle.loads, pickled)
    assert own.folder.startswith(elsewhere) and own.most == 7
    assert chosen.folder == folder.folder


def test_run_stores_code_if_told(folder: CodeFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(name, folder.folder)
    for program in (GUESTS / "cat.wasm", GUESTS / "components" / "cat.wasm"):
        run(program, cache=False)
        kept = set(Path(folder.folder).rglob("*.code"))
        run(program, cache=True)
        assert set(Path(folder.folder).rglob("*.code")) > kept


def test_models_of_a_pickled_runner_are_where_they_were(
    tmp_path: Path, folder: CodeFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "digits.onnx").write_bytes(MODELS["digits"].read_bytes())
    monkeypatch.chdir(tmp_path)
    nn = NN(models="models", backends={"onnx": "numpy"})
    nn.register("more", "models/digits.onnx")
    runner = BatchRunner(Module.from_text(GUEST), nn=nn, dirs={"/data": "models"}, cache=folder)
    pickled = pickle.dumps((runner, nn))
    monkeypatch.chdir("/")
    again, copy = pickle.loads(pickled)
    assert again(pictures(1)[0])["stdout"] == b"7\n"
    assert (copy.backends, sorted(copy.registry.models)) == ({"onnx": "numpy"}, ["digits", "more"])
    with copy.load(copy.registry.models["more"]) as model:
        assert model.graph.backend == "numpy"


def test_a_process_decodes_and_loads_once(digits: BatchRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    again = [pickle.loads(pickle.dumps(digits)) for _ in range(3)]
    monkeypatch.setattr(Module, "from_bytes", lambda *_, **__: pytest.fail("decoded again"))
    monkeypatch.setattr("pywasm_nn.nn.registry.Registry.__init__", lambda *_, **__: pytest.fail("new models"))
    assert {runner(pictures(1)[0])["stdout"] for runner in again} == {b"7\n"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes are forked here")
def test_a_forked_process_has_models_of_its_own() -> None:
    """Forked from a process of its own: threads of this one, which other tests began, may hold locks."""
    done = subprocess.run(
        [sys.executable, "-c", FORKED],
        check=False, cwd=Path(__file__).parents[1], capture_output=True, text=True, timeout=HANGS,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "7 True\n"), done.stderr


FORKED = """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from pywasm_nn import Module
from pywasm_nn.batch import BatchRunner
from tests.digit_reader import GUEST, MODELS, pictures
digits, [picture] = BatchRunner(Module.from_text(GUEST), models=MODELS), pictures(1)
expected = digits(picture)
with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
    print(expected["stdout"].decode().strip(), pool.submit(digits, picture).result() == expected)
"""


# Processes of our own


def fell(number: int, sentence: str) -> str:
    return f"{number}: {sentence}"


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no process is killed here")
def test_an_input_at_which_a_process_dies_is_answered_and_the_others_go_on() -> None:
    answers = list(Workers(halved, fell, 2).answers(range(20)))
    died = ["13: the process that ran it died of signal 9", "14: the process that ran it ended with 5"]
    assert answers == [*(n // 2 for n in range(13)), *died, *(n // 2 for n in range(15, 20))]
    assert not multiprocessing.active_children()


def test_processes_end_with_their_answers() -> None:
    answers = Workers(halved, fell, 2).answers(iter(range(10)))
    assert next(answers) == 0
    answers.close()
    assert not multiprocessing.active_children()


# The command


class Outcome:
    def __init__(self, code: int, text: str, err: str) -> None:
        self.code, self.text, self.err = code, text, err
        self.rows: list[dict[str, Any]] = [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def batch(capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Runs the command in a folder with digits.wat, models and pictures."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "digits.wat").write_text(GUEST)
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "digits.onnx").write_bytes(MODELS["digits"].read_bytes())
    (tmp_path / "pictures").mkdir()
    for number, picture in enumerate(pictures(20)):
        (tmp_path / "pictures" / f"{number:02}.raw").write_bytes(picture)

    def call(*arguments: object) -> Outcome:
        code = cli.call(["batch", "--cache-dir", str(tmp_path / "code"), *map(str, arguments)])
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return Outcome(code, out, err)

    return call


NAMES = [f"pictures/{number:02}.raw" for number in range(20)]


@pytest.mark.parametrize(
    ("over", "workers"), [(["pictures"], 1), (["pictures/*.raw"], 1), (NAMES, 1), (["pictures"], 2)]
)
def test_the_command_answers_in_order(batch, over: list[str], workers: int) -> None:
    outcome = batch("digits.wat", "--models", "models", "--over", *over, "--workers", workers)
    assert [row.pop("file").replace("\\", "/") for row in outcome.rows] == NAMES
    said = [
        {"exit_code": 0, "stdout": f"{label}\n", "stderr": "", "error": "", "notes": ""} for label in labels()
    ]
    assert (outcome.code, outcome.rows, outcome.err) == (0, said[:20], "")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_file_that_fails_is_a_line_and_an_exit_code(batch, workers: int, tmp_path: Path) -> None:
    (tmp_path / "pictures" / "05.raw").write_bytes(BAD)
    (tmp_path / "pictures" / "06.raw").write_bytes(ENDLESS)
    outcome = batch(
        "--over", *NAMES, "--workers", workers, "--fuel", 1_000_000, "--models", "models", "digits.wat"
    )
    assert [row["exit_code"] for row in outcome.rows] == [134 * (number in (5, 6)) for number in range(20)]
    assert outcome.rows[5]["error"] == "Trap: unreachable" and "_start" in outcome.rows[5]["notes"]
    assert outcome.rows[6]["error"].startswith("FuelError: ")
    assert (outcome.code, outcome.err) == (1, "note: 2 of 20 failed\n")


def test_a_file_may_be_an_argument_and_output_no_text(batch, tmp_path: Path) -> None:
    (tmp_path / "a b.bin").write_bytes(b"\xff\0")
    outcome = batch(GUESTS / "args_env.wasm", "--over", "a b.bin", "--env", "A=1", "--", "-x", "of={}", "end")
    words = ["args_env.wasm", "-x", "of=/a b.bin", "end"]
    said = "".join(f"argument {number}: {word}\n" for number, word in enumerate(words)) + "variable: A=1\n"
    assert (outcome.code, outcome.rows[0]["stdout"]) == (0, said)
    outcome = batch(GUESTS / "cat.wasm", "--over", "a b.bin")
    assert (outcome.rows[0]["stdout_base64"], outcome.rows[0]["stderr"]) == ("/wA=", "2 bytes\n")


def test_a_terminal_shows_how_far_it_is(batch, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "pictures" / "00.raw").write_bytes(BAD)
    words = ["digits.wat", "--models", "models", "--over", "pictures", "--workers", "1"]
    assert "20" not in batch(*words).err.partition("note:")[0]
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda self: self is sys.stderr)
    monkeypatch.setattr("pywasm_nn.cli.batch.UPDATE", 0)
    shown = batch(*words)
    steps = [f"{number} of 20, 1 failed" for number in range(1, 21)]
    assert shown.err.split("\r\x1b[K") == ["", *steps, shown.err.rpartition("\x1b[K")[2]]
    assert len(shown.rows) == 20
    assert batch("--quiet", *words).err.count("of 20") == 1  # the note at the end


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="unreadable files are made by permissions")
def test_a_file_that_can_not_be_read_is_a_line(batch, tmp_path: Path) -> None:
    (tmp_path / "gone").symlink_to(tmp_path / "absent")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "list").mkdir()
    outcome = batch(GUESTS / "cat.wasm", "--over", "pictures/00.raw", "g*", "l*")
    assert [row["exit_code"] for row in outcome.rows] == [0, 1, 1, 1]
    assert outcome.rows[1]["error"] == "FileNotFoundError: No such file or directory"
    assert outcome.rows[2]["error"].startswith("IsADirectoryError")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["digits.wat"], "--over FILES"),
        (["digits.wat", "--over"], "--over"),
        (["digits.wat", "--over", "absent"], "--over absent: there is no such file"),
        (["digits.wat", "--over", "none*"], "there is no such file"),
        (["digits.wat", "--over", "pictures", "--workers", "0"], "--workers"),
        (["digits.wat", "--over", "pictures", "--workers", "two"], "--workers"),
        (["digits.wat", "--over", "pictures", "--models", "absent"], "--models: absent is no directory"),
        (["digits.wat", "--over", "pictures", "--dir", "absent"], "--dir: absent is no directory"),
        (["absent.wasm", "--over", "pictures"], "there is no such file"),
        (["pictures/00.raw", "--over", "pictures"], "pictures/00.raw"),
        (["--over", "pictures"], "MODULE"),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(batch, arguments: list[str], told: str) -> None:
    outcome = batch(*arguments)
    assert (outcome.code in (1, 2), outcome.rows) == (True, [])
    assert told in outcome.err


# Examples of the page


def examples() -> dict[str, str]:
    """The Python programs on the page, by what they import first."""
    found = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    return {re.search(r"(?:from|import) (\w+)", code)[1]: code for code in found}


@pytest.mark.parametrize("name", ["concurrent", "dask", pytest.param("ray", marks=pytest.mark.slow)])
def test_examples_are_short_and_run(name: str, tmp_path: Path) -> None:
    code = examples()[name]
    assert len(code.splitlines()) <= 20
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"{name} isn't installed")
    (tmp_path / "digits.wasm").write_bytes(Module.from_text(GUEST).data)
    (tmp_path / "digits.onnx").write_bytes(MODELS["digits"].read_bytes())
    (tmp_path / "example.py").write_text(f"pictures = {poisoned(100)!r}\n{code}")
    done = subprocess.run(
        [sys.executable, "example.py"], cwd=tmp_path, capture_output=True, text=True, timeout=HANGS,
        check=False,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1]), "XDG_CACHE_HOME": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stdout.splitlines() if re.search(r"\b(0|134) b'", line)]
    expected = [f" 0 b'{label}\\n'" for label in labels()]
    expected[50] = " 134 b'' Trap: unreachable"
    assert len(said) == 100
    if name == "ray":  # whose rows come in any order
        assert sum("134 b'' Trap: unreachable" in line for line in said) == 1
    else:
        wrong = [line for line, told in zip(said, expected, strict=True) if told not in f" {line}"]
        assert wrong == ["0 b'7\\n' "]  # the network takes one 1 for a 7


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("over", [".", "*", "**/*"])
def test_the_command_reads_no_pipe_that_is_not_named(batch, tmp_path: Path, over: str) -> None:
    folder = tmp_path / "inputs"
    folder.mkdir()
    (folder / "file").write_bytes(b"x")
    os.mkfifo(folder / "pipe")
    outcome = batch(GUESTS / "cat.wasm", "--over", str(folder / over))
    assert [Path(row["file"]).name for row in outcome.rows if row["exit_code"] == 0] == ["file"]

"""The command as a whole: help, completion, the cache, JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pywasm_nn import cli, demo
from pywasm_nn.cli.root import COMMANDS, GROUPS

from ..attempts.nursery import Nursery
from ..conftest import HANGS

ROOT = Path(cli.__file__).parents[2]
HELLO = Path(__file__).parents[1] / "guests" / "hello_c.wasm"


def test_help_is_in_groups_with_examples(pywasm) -> None:
    printed = pywasm("--help").out
    assert [name for names in GROUPS.values() for name in names if name not in COMMANDS] == []
    assert all(f"\n{title}:\n" in printed for title in (*GROUPS, "More", "Examples"))
    assert printed.count("  pywasm-nn ") == 2


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(pywasm, shell: str) -> None:
    outcome = pywasm("completion", shell)
    assert outcome.code == 0
    assert "_PYWASM_NN_COMPLETE" in outcome.out and "pywasm-nn" in outcome.out
    assert pywasm("completion", "tcsh").code == 2


def completed(words: str, folder: Path, nursery: Nursery) -> set[str]:
    """What bash would offer for the last of the words."""
    asked = {
        "_PYWASM_NN_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    source = f"""
import os, sys
os.environ.update({asked})
os.chdir({str(folder)!r})
sys.argv = ["pywasm-nn"]
from pywasm_nn.cli import main
main()
"""
    return {line.partition(",")[2] or line for line in nursery.run(source, HANGS).output.split()}


def test_names_that_a_terminal_would_act_on_are_not_offered(tmp_path: Path, nursery: Nursery) -> None:
    names = ["good", "bad\\1b[31m", "a\\0ab", "two words", "\\e2\\80\\aerlo", "x" * 10_000]
    (tmp_path / "k.wat").write_text(
        f"(module {' '.join(f'(func (export {chr(34)}{n}{chr(34)}))' for n in names)})"
    )
    assert completed("pywasm-nn run k.wat --invoke ", tmp_path, nursery) == {"good"}


def test_what_a_terminals_encoding_lacks_is_escaped(tmp_path: Path) -> None:
    (tmp_path / "u.wat").write_text('(module (func (export "\u6f22\u5b57") unreachable))', encoding="utf-8")
    lines = ["inspect", "u.wat"], ["run", "u.wat", "--invoke", "\u6f22\u5b57"], ["print", "u.wat"]
    for encoding, line in zip(("latin-1", "cp1252", "ascii"), lines, strict=True):
        done = subprocess.run(
            [sys.executable, "-m", "pywasm_nn", *line],
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
            cwd=tmp_path, capture_output=True, timeout=120, check=False,
        )  # fmt: skip
        assert b"Traceback" not in done.stderr
        assert b"\\u6f22" in done.stdout + done.stderr, line


def test_what_is_completed(tmp_path: Path, nursery: Nursery) -> None:
    (tmp_path / "add.wat").write_text('(module (func (export "add")) (func (export "subtract")))')
    assert "inspect" in completed("pywasm-nn in", tmp_path, nursery)
    assert completed("pywasm-nn run add.wat --invoke ", tmp_path, nursery) == {"add", "subtract"}
    assert completed("pywasm-nn run --monitor ho", tmp_path, nursery) == {"host", "hotness"}
    assert "onnx=numpy" in completed("pywasm-nn run --nn-backend onnx=", tmp_path, nursery)
    assert "onnx=numpy" in completed("pywasm-nn nn inspect --nn-backend onnx=", tmp_path, nursery)
    for command in (
        "assemble",
        "compile",
        "inspect",
        "nn inspect",
        "nn run",
        "print",
        "run",
        "validate",
        "wast",
    ):
        assert completed(f"pywasm-nn {command} ad", tmp_path, nursery) == {"ad"}  # the shell looks for files
    assert completed("pywasm-nn run --unkn", tmp_path, nursery) == {"--unknown-imports"}
    assert completed("pywasm-nn nn ins", tmp_path, nursery) == {"inspect"}


def test_the_cache(pywasm, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    assert pywasm("run", "--cache-dir", folder, HELLO).code == 0
    about = json.loads(pywasm("cache", "--cache-dir", folder, "--json").out)
    assert (about["programs"], about["folder"]) == (1, str(folder))
    assert about["bytes"] > HELLO.stat().st_size and about["most"] >= 1 << 30
    outcome = pywasm("cache", "--cache-dir", folder)
    assert f"{folder}: 1 programs" in outcome.out
    (folder / "not.ours").write_text("stays")
    assert pywasm("cache", "--cache-dir", folder, "--clear").code == 0
    assert json.loads(pywasm("cache", "--cache-dir", folder, "--json").out)["programs"] == 0
    assert (folder / "not.ours").exists()


def test_inspect_as_json(pywasm) -> None:
    about = json.loads(pywasm("inspect", "--json", demo.path() / "app.wasm").out)
    assert about["wasi-nn"] == "WITX (wasi_ephemeral_nn)"
    assert {"kind": "func", "name": "_start", "type": "[] -> []"} in about["exports"]
    assert any(one["module"] == "wasi_ephemeral_nn" for one in about["imports"])


@pytest.mark.parametrize(
    "words",
    [
        ["--nn-backend", "onnx=nonsense"],
        ["--nn-plugin", "gone.py:Name"],
        ["--nn-config", "gone={}"],
        ["--timeout", "x"],
        ["--monitor", "nonsense"],
        ["--max-memory", "1MB"],
        ["--engine", "x"],
        ["--fuel", "-1"],
    ],
)
def test_bad_values_exit_with_2(pywasm, words: list[str]) -> None:
    outcome = pywasm("run", *words, demo.path() / "app.wasm")
    assert outcome.code == 2
    assert outcome.err.startswith("error: ")


def test_the_trace_begins_on_a_line_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "prompt.wat").write_text(
        """(module (import "wasi_snapshot_preview1" "fd_write" (func $w (param i32 i32 i32 i32) (result i32)))
        (memory (export "memory") 1) (data (i32.const 8) "\\10\\00\\00\\00\\02\\00\\00\\00> ")
        (func (export "_start")
          (drop (call $w (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 0)))))"""
    )
    command = [sys.executable, "-m", "pywasm_nn", "run", "--trace=host", str(tmp_path / "prompt.wat")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    together = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=HANGS, check=False
    ).stdout.decode()
    assert together.startswith("> \n") and "fd_write" in together.splitlines()[1]
    apart = subprocess.run(command, env=environment, capture_output=True, timeout=HANGS, check=False)
    assert apart.stdout == b"> " and not apart.stderr.startswith(b"\n")


def test_hotness_of_a_stripped_module_has_the_names_of_exports(pywasm, tmp_path: Path) -> None:
    (tmp_path / "stripped.wat").write_text(
        '(module (func (export "hot") (result i32) (call 1)) (func (result i32) (i32.const 3)))'
    )
    assert pywasm("assemble", "stripped.wat").code == 0
    outcome = pywasm("run", "--monitor", "hotness", "--invoke", "hot", "stripped.wasm")
    assert [line.split()[-1] for line in outcome.err.splitlines()[2:]] == ["$hot", "func[1]"]


def test_a_models_outputs_as_json(pywasm, tmp_path: Path) -> None:
    models = demo.path() / "models"
    words = ["nn", "run", "--nn-backend", "onnx=numpy", "--json", models / "digits.onnx"]
    outputs = json.loads(pywasm(*words, models / "digit.pgm").out)
    probabilities = outputs["probabilities"]
    assert (probabilities["dtype"], probabilities["shape"]) == ("float32", [1, 10])
    assert max(range(10), key=probabilities["data"][0].__getitem__) == 5
    assert pywasm(*words).code == 2

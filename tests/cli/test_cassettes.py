"""`run --record`, `run --replay` and `diff`: what a person sees, and exit codes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pywasm_nn import demo

GUESTS = Path(__file__).parents[1] / "guests"
APP = demo.path() / "app.wasm"


def test_a_recorded_program_replays_with_its_output_and_exit_code(pywasm) -> None:
    recorded = pywasm("run", "--record", "x", "--env", "CODE=7", GUESTS / "args_env.wasm", "one")
    assert recorded.code == 7
    replayed = pywasm("run", "--replay", "x", "--engine", "interpret", GUESTS / "args_env.wasm")
    assert (replayed.code, replayed.out, replayed.err) == (recorded.code, recorded.out, recorded.err)


def test_another_program_is_told_where_it_goes_another_way(pywasm) -> None:
    pywasm("run", "--record", "x", GUESTS / "hello_c.wasm")
    outcome = pywasm("run", "--replay", "x", GUESTS / "args_env.wasm")
    assert outcome.code == 1
    assert "unknown import" in outcome.err or "call 1" in outcome.err


def test_functions_of_the_person_and_of_emscripten_are_recorded(pywasm, tmp_path: Path) -> None:
    (tmp_path / "host.py").write_text("def twice(number: int) -> int:\n    return 2 * number\n")
    (tmp_path / "m.wat").write_text(
        '(module (import "env" "twice" (func $t (param i32) (result i32)))'
        '(func (export "f") (param i32) (result i32) (call $t (local.get 0))))'
    )
    assert pywasm("run", "--record", "x", "--host", "host.py", "--invoke", "f", "m.wat", 21).out == "42\n"
    (tmp_path / "host.py").unlink()
    assert pywasm("run", "--replay", "x", "--invoke", "f", "m.wat", 21).out == "42\n"
    outcome = pywasm("run", "--replay", "x", "--invoke", "f", "m.wat", 22)
    assert (outcome.code, "call 1, env::twice: number is 22" in outcome.err) == (1, True)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--record", "x", "--replay", "y"], "one of them"),
        (["--record", "x", "--preload", "a=b.wat"], "--preload"),
    ],
)
def test_options_that_do_not_go_together(pywasm, options: list[str], said: str) -> None:
    outcome = pywasm("run", *options, GUESTS / "hello_c.wasm")
    assert (outcome.code, said in outcome.err) == (2, True)


def test_files_that_are_no_cassettes(pywasm, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("not this")
    for arguments in (["run", "--replay", "x", GUESTS / "hello_c.wasm"], ["diff", "x", "x"]):
        outcome = pywasm(*arguments)
        assert (outcome.code, outcome.err.startswith("error: x is no cassette")) == (1, True)
    assert pywasm("run", "--replay", "nowhere", GUESTS / "hello_c.wasm").code == 1
    assert pywasm("run", "--record", "no/where", GUESTS / "hello_c.wasm").code == 1


def test_two_models_beside_each_other(pywasm, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    shutil.copytree(demo.path() / "models", "models")
    for name in ("onnxruntime", "numpy"):
        words = [APP, "models/digits.onnx", "models/digit.pgm"]
        options = ["--record", name, "--dir", "models", "--nn-backend", f"onnx={name}"]
        assert pywasm("run", *options, *words).code == 0
    same = pywasm("diff", "onnxruntime", "onnxruntime")
    assert (same.code, same.out.splitlines()[-1]) == (0, "no difference in 2 tensors and all calls")
    apart = pywasm("diff", "onnxruntime", "numpy", "--html", "page.html")
    assert apart.code == 1
    assert 'get_output "probabilities" f32[1,10]' in apart.out
    assert "probabilities" in (tmp_path / "page.html").read_text()
    found = json.loads(pywasm("diff", "onnxruntime", "numpy", "--json").out)
    (tensor,) = found["tensors"]
    assert (tensor["name"], tensor["elements"], 0 < tensor["largest"] < 1e-6) == ("probabilities", 10, True)
    assert pywasm("diff", "onnxruntime", "numpy", "--tolerance", "1e-6").code == 0
    assert pywasm("diff", "onnxruntime", "numpy", "--tolerance", "-1").code == 2


def test_pictures_that_differ_are_on_the_page(pywasm, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    shutil.copytree(demo.path() / "models", "models")
    words = [APP, "models/digits.onnx", "models/digit.pgm"]
    pywasm("run", "--record", "a", "--dir", "models", *words)
    picture = bytearray(Path("models/digit.pgm").read_bytes())
    picture[-1] ^= 0x0F
    Path("models/digit.pgm").write_bytes(picture)
    pywasm("run", "--record", "b", "--dir", "models", *words)
    outcome = pywasm("diff", "a", "b", "--html", "page.html")
    assert outcome.code == 1
    page = Path("page.html").read_text()
    assert page.count("<img") == 3
    assert 'set_input "picture" f32[1,1,8,8]: 1 of 64 elements differ' in outcome.out

"""What people type who know another tool, or guess: it works, or the answer says how it is said here."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pywasm_nn import demo
from pywasm_nn.cli.foreign import MEANING, translated
from pywasm_nn.cli.root import COMMANDS, OTHER_NAMES
from pywasm_nn.cli.run import command as run
from pywasm_nn.native import problem
from pywasm_nn.unseen import visible

GUESTS = Path(__file__).parents[1] / "guests"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """The demo's guest, which opens models/digits.onnx unless it is told otherwise, with its files."""
    shutil.copy(demo.path() / "app.wasm", tmp_path)
    shutil.copytree(demo.path() / "models", tmp_path / "models")
    return tmp_path / "app.wasm"


# Commands


def test_a_module_runs_without_a_command(pywasm, program: Path) -> None:
    for words in (["app.wasm", "--dir", "models"], ["--dir", "models", "app.wasm"]):
        outcome = pywasm(*words)
        assert (outcome.code, outcome.err) == (0, "")
        assert outcome.out.startswith("5 ")
    assert "nowhere.wat: there is no such file" in pywasm("nowhere.wat").err
    program.rename("app")
    assert pywasm("app", "--dir", "models").code == 0


@pytest.mark.parametrize(
    ("word", "meant"),
    [("rnu", "run"), ("valdate", "validate"), ("wat2wasm", "assemble"), ("backends", "nn backends")],
)
def test_a_command_that_is_nearly_one(pywasm, word: str, meant: str) -> None:
    outcome = pywasm(word, "x")
    assert outcome.code == 2
    assert f"there is no command {word}; did you mean {meant}?" in outcome.err


def test_options_before_a_command(pywasm, program: Path) -> None:
    for words in (["-v", "run", "app.wasm"], ["--models", "models", "run", "app.wasm"]):
        outcome = pywasm(*words)
        assert outcome.code == 2
        assert "run is a command, and its options stand behind it: pywasm-nn run ...\n" in outcome.err
    program.rename("run")
    outcome = pywasm("run", "--dir", "models", "run")
    assert (outcome.code, outcome.out[:2]) == (0, "5 ")


def test_other_names_mean_commands_that_there_are() -> None:
    assert {name.split()[0] for name in OTHER_NAMES.values()} <= {*COMMANDS, "--help", "--version"}


def test_a_command_that_is_none(pywasm) -> None:
    outcome = pywasm("xyzzy")
    assert outcome.code == 2 and "did you mean" not in outcome.err


# Options of others


@pytest.mark.parametrize(
    "words",
    [
        "--dir .:.",
        "--dir models:models",
        "--mapdir models:models",
        "--map-dir=models::models",
        "--volume models:models",
        "--dir models --enable-all",
        "--dir models --wasi nn",
        "--dir models --wasi=nn",
        "--dir models -S nn,cli -W all-proposals=y,fuel=100000000",
        "--dir models --wasm-features all --wasi-modules=experimental-wasi-nn --allow-precompiled",
        "--dir models --gas-limit 100000000 --memory-page-limit 1024",
        "--dir models -O opt-level=2 -C cache=n",
        "--wasi=nn --wasi=nn-graph=onnx::named --dir models",
    ],
)
def test_what_others_write_works(pywasm, program: Path, words: str) -> None:
    (program.parent / "named").mkdir()
    shutil.copy("models/digits.onnx", "named/model.onnx")
    outcome = pywasm("run", *words.split(), "app.wasm")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("5 ")


@pytest.mark.parametrize(
    ("words", "instead"),
    [
        ("--reactor", "--invoke"),
        ("--net", "--tcplisten"),
        ("-S inherit-env", "--env NAME"),
        ("-W max-wasm-stack=1", "--max-stack"),
        ("-W nonsense", "nonsense"),
        ("--stack-size 1000", "--max-stack"),
        ("--forward-host-env", "--env NAME"),
        ("--mapdir models", "--dir HOST::GUEST"),
        ("--dri models", "--dir"),
    ],
)
def test_what_has_another_name_here(pywasm, program: Path, words: str, instead: str) -> None:
    outcome = pywasm("run", *words.split(), "app.wasm")
    assert outcome.code == 2
    assert instead in outcome.err and outcome.out == ""


def test_every_translation_is_an_option_of_run() -> None:
    ours = run.takes()
    for name in MEANING:
        try:
            words = translated([name, "fuel=5" if name in ("-W", "--wasm") else "a:b"], ours)
        except Exception as error:
            assert name in str(error)
        else:
            assert {word for word in words if word.startswith("-")} <= ours.keys()
        assert name not in ours


def test_a_limit_of_another_tool_is_a_limit(pywasm, program: Path) -> None:
    outcome = pywasm("run", "-W", "fuel=1000", "--dir", "models", "app.wasm")
    assert (outcome.code, "all fuel is used up" in outcome.err) == (134, True)


def test_options_of_other_tools_behind_the_module_are_the_guests(pywasm) -> None:
    outcome = pywasm("run", GUESTS / "args_env.wasm", "--net", "--mapdir", "a")
    assert "argument 1: --net\nargument 2: --mapdir\nargument 3: a\n" in outcome.out
    assert outcome.err == ""


# Options that the guest got


def test_an_option_that_is_nearly_ours(pywasm) -> None:
    outcome = pywasm("run", GUESTS / "args_env.wasm", "--dirs", "models")
    assert "argument 1: --dirs\n" in outcome.out
    assert "--dirs is no option of pywasm-nn" in outcome.err and "did you mean --dir?" in outcome.err
    assert pywasm("run", GUESTS / "args_env.wasm", "--", "--dirs", "models").err == ""


def test_an_option_for_a_guest_that_asks_for_none(pywasm) -> None:
    outcome = pywasm("run", GUESTS / "hello_c.wasm", "--nonsense")
    assert outcome.code == 0
    assert outcome.err == (
        "note: --nonsense is no option of pywasm-nn, and hello_c.wasm asks for no arguments\n"
    )


def test_an_option_of_ours_that_the_guest_got(pywasm, program: Path) -> None:
    outcome = pywasm("run", "app.wasm", "models/digit.pgm", "--dir", "models")
    assert outcome.code == 1
    assert 'the guest got --dir, as it stands behind "models/digit.pgm"' in outcome.err


def test_guests_options_are_not_talked_about(pywasm) -> None:
    for word in ("--quiet", "-q", "--help", "-v9", "--direction"):
        assert pywasm("run", GUESTS / "args_env.wasm", word, "--dir", "x").err == ""


# Files that the guest can't see


def test_a_file_that_the_guest_was_told_of(pywasm, program: Path) -> None:
    shutil.copy("models/digit.pgm", "digit.pgm")
    outcome = pywasm("run", "app.wasm", "digit.pgm", "models/digits.onnx")
    assert outcome.code == 1
    said = (
        'help: the guest was told "digit.pgm", which is here, but in no directory that it was given: --dir .'
    )
    assert said in outcome.err.splitlines()
    outcome = pywasm("run", "--dir", ".", "--dir", "models", "app.wasm", "digit.pgm", "models/digits.onnx")
    assert (outcome.code, outcome.err) == (0, "")


def test_files_that_the_program_names(pywasm, program: Path) -> None:
    outcome = pywasm("run", "app.wasm")
    assert outcome.code == 1
    assert (
        'help: the program names "models/digit.pgm" and "models/digits.onnx", which are here, but in no '
        "directory that it was given: --dir models\n"
    ) in outcome.err


USAGE = """(module
  {opens}
  (import "wasi_ephemeral_nn" "load_by_name" (func $load (param i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (data (i32.const 64) "digits")
  (data (i32.const 96) "usage: < models/digit.pgm")
  (func (export "_start")
    (if (i32.const {loads}) (then (drop (call $load (i32.const 64) (i32.const 6) (i32.const 0)))))
    (call $exit (i32.const 3))))"""
"""A guest whose data names a file, which it reads from standard input."""
OPENS = """(import "wasi_snapshot_preview1" "path_open"
  (func (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))"""


@pytest.mark.parametrize("words", [[], ["models/digit.pgm"]])
def test_a_guest_that_opens_no_file_needs_no_directory(
    pywasm, program: Path, tmp_path: Path, words: list[str]
) -> None:
    (tmp_path / "usage.wat").write_text(USAGE.format(opens="", loads=0))
    outcome = pywasm("run", "usage.wat", *words)
    assert (outcome.code, outcome.err) == (3, "")


def test_a_reason_that_was_told_leaves_nothing_to_guess(pywasm, program: Path, tmp_path: Path) -> None:
    (tmp_path / "usage.wat").write_text(USAGE.format(opens=OPENS, loads=0))
    assert 'the program names "models/digit.pgm"' in pywasm("run", "usage.wat").err
    (tmp_path / "usage.wat").write_text(USAGE.format(opens=OPENS, loads=1))
    outcome = pywasm("run", "usage.wat")
    assert outcome.code == 3 and outcome.err.count("\n") == 1
    assert outcome.err.startswith('note: wasi-nn load_by_name("digits") -> not_found')


@pytest.mark.parametrize(
    ("path", "guest", "seen"),
    [
        ("a.txt", ".", True),
        ("a.txt", "/", True),
        ("m/a.txt", "m", True),
        ("./m/a.txt", "m/", True),
        ("m/a.txt", "./m", True),
        ("../a.txt", ".", False),
        ("/m/a.txt", "m", False),
        ("/m/a.txt", "/m", True),
        ("models/a.txt", "m", False),
        ("/a.txt", ".", False),
    ],
)
def test_what_a_guest_can_see(path: str, guest: str, seen: bool) -> None:
    assert visible(path, [guest]) is seen


def test_a_guest_that_ends_well_hears_nothing(pywasm, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("hello\n")
    assert pywasm("run", GUESTS / "args_env.wasm", "text.txt").err == ""


# Found by tests/newcomer.py

OWN = """
from pywasm_nn.nn import Backend, Graph

class Table(Graph):
    def __init__(self, rows): ...

class Own(Backend): ...

class Other(Own): ...
"""


@pytest.mark.parametrize(
    ("words", "code", "remedy"),
    [
        (["--models", "nowhere"], 2, "--models: nowhere is no directory"),
        (["--nn-backend", "onnx=tensorrt"], 2, "there are onnxruntime"),
        (["--nn-plugin", "gone.py:Name"], 2, "--nn-plugin: 'gone.py:Name' names no backend: there is no"),
        (["--nn-plugin", "own.py"], 2, "write file.py:Name; the Backends there: Own, Other\n"),
        (["--nn-plugin", "own.txt"], 2, "'own.txt' names no backend: write file.py:Name\n"),
        (["--nn-plugin", "own.py:Onw"], 2, "own.py:Onw: own.py has no Onw; the Backends there: Own, Other\n"),
        (["--nn-plugin", "own.py:Table"], 2, "own.py:Table is no Backend; the Backends there: Own, Other\n"),
        (["--nn-plugin", "plain.py:Own"], 2, "plain.py has no Own; the Backends there: none\n"),
        (["--monitor", "own.py:Own"], 2, "own.py:Own is no Monitor; the Monitors there: none\n"),
        (["--nn-config", "m=target"], 2, """write NAME=JSON, as in m={"threads": 2}"""),
        (["--gdb"], 2, "pywasm-nn debug MODULE"),
        (["--invoke", "nobody"], 2, "--invoke NAME calls one of: _start"),
    ],
)  # fmt: skip
def test_values_are_read_where_the_guest_asks_for_no_inference(
    pywasm, tmp_path: Path, words: list[str], code: int, remedy: str
) -> None:
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "plain.py").write_text("")
    (tmp_path / "plain.wat").write_text('(module (func (export "_start")))')
    outcome = pywasm("run", *words, "plain.wat")
    assert outcome.code == code
    assert remedy in outcome.err


def test_a_plugins_own_format_has_a_name(pywasm, tmp_path: Path) -> None:
    (tmp_path / "plain.wat").write_text('(module (func (export "_start")))')
    assert pywasm("run", "--nn-preload", "m:own:CPU:m.own", "plain.wat").code == 2
    (tmp_path / "own.py").write_text(
        "from pywasm_nn.nn.backend import Backend\nclass Own(Backend):\n    name, formats = 'own', ('own',)\n"
    )
    plugin = ["--nn-plugin", "own.py:Own"]
    assert pywasm("run", *plugin, "--nn-preload", "m:own:CPU:m.own", "plain.wat").code == 0


def test_a_plugin_whose_formats_are_a_string_is_refused_in_a_line(pywasm, tmp_path: Path) -> None:
    (tmp_path / "plain.wat").write_text('(module (func (export "_start")))')
    (tmp_path / "own.py").write_text(
        "from pywasm_nn.nn.backend import Backend\nclass Own(Backend):\n    name = formats = 'own'\n"
    )
    outcome = pywasm("run", "--nn-plugin", "own.py:Own", "plain.wat")
    assert outcome.code == 2
    assert "--nn-plugin: own.py:Own: Own.formats must be several formats" in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(
    ("name", "text", "language"), [("a.c", "#include <stdio.h>\n", "C"), ("a.rs", "fn main() {}\n", "Rust")]
)
def test_a_source_is_to_be_built_first(pywasm, tmp_path: Path, name: str, text: str, language: str) -> None:
    (tmp_path / name).write_text(text)
    outcome = pywasm("run", name)
    assert outcome.code == 1
    assert language in outcome.err and "pywasm-nn new" in outcome.err


def test_missing_imports_name_what_gives_them(pywasm, tmp_path: Path) -> None:
    (tmp_path / "needs.wat").write_text('(module (import "env" "f" (func)) (func (export "_start")))')
    said = pywasm("run", "needs.wat").err
    assert all(option in said for option in ("--preload", "--host", "--unknown-imports"))


def test_an_input_that_the_model_lacks(pywasm, program: Path) -> None:
    outcome = pywasm("nn", "run", "models/digits.onnx", "photo=models/digit.pgm")
    assert outcome.code == 2
    assert "the model has no input photo; there are picture" in outcome.err


@pytest.mark.parametrize(
    ("which", "meant"),
    [
        ("bset", "; did you mean best?"),
        ("xyzzy*", ""),
        ("99", ""),
        ("pix*", None),
        ("$best", None),
        ("11", None),
    ],
)
def test_a_trace_of_functions_that_are_not_there(
    pywasm, tmp_path: Path, which: str, meant: str | None
) -> None:
    assert pywasm("new", "wat", "guest").code == 0
    outcome = pywasm("run", "--trace=calls", "--trace-only", which, "guest/classify.wat")
    assert (outcome.code == 2) == (meant is not None)
    assert (f"--trace-only {which}: classify.wat has no such function{meant}" in outcome.err) == (
        meant is not None
    )


def test_why_a_body_is_wrong_is_said_once(pywasm, tmp_path: Path) -> None:
    body = b"\x03\x00\xff\x0b"
    code = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x02\x01\0\x07\x0a\x01\x06_start\0\0\x0a\x05\x01" + body
    (tmp_path / "wrong.wasm").write_bytes(code)
    assert pywasm("run", "wrong.wasm").err.count("illegal opcode ff") == 1


def test_a_ring_is_no_help_to_somebody_who_has_one(pywasm, tmp_path: Path) -> None:
    (tmp_path / "trap.wat").write_text('(module (func (export "_start") nop unreachable))')
    hint = "help: the last instructions: `--trace=ring:2000`"
    assert hint in pywasm("run", "trap.wat").err
    assert hint in pywasm("run", "--trace=host", "trap.wat").err
    for trace in ("ring:6", "calls,ring:6", "instr"):
        outcome = pywasm("run", f"--trace={trace}", "trap.wat")
        assert outcome.code == 134 and "trap.wat!_start" in outcome.err
        assert "help:" not in outcome.err


@pytest.mark.parametrize("engine", ["compile", "wasmtime"])
def test_a_ring_is_advised_with_the_engine_that_has_one(pywasm, tmp_path: Path, engine: str) -> None:
    if engine == "wasmtime" and problem():
        pytest.skip(problem())
    (tmp_path / "trap.wat").write_text('(module (func (export "_start") (loop (br 0))))')
    assert pywasm("run", f"--engine={engine}", "--trace=ring:9", "trap.wat").code == 2
    said = pywasm("run", "--fuel", 1000, f"--engine={engine}", "trap.wat").err
    assert (
        f"help: the last instructions: `--trace=ring:2000` with `--engine interpret` in place of {engine}\n"
        in said
    )
    assert (
        "help: the last instructions: `--trace=ring:2000`\n" in pywasm("run", "--fuel", 1000, "trap.wat").err
    )


def test_too_little_memory_is_told_as_people_write_it(pywasm, tmp_path: Path) -> None:
    (tmp_path / "large.wat").write_text('(module (memory 1025) (func (export "_start")))')
    outcome = pywasm("run", "--max-memory", "64MiB", "large.wat")
    assert outcome.code == 1
    assert outcome.err == (
        "error: the module wants 64.0625 MiB of memory to begin with, the limit is 64 MiB\n"
        "help: --max-memory 65MiB lets it begin; growing needs more\n"
    )
    assert pywasm("run", "--max-memory", "65MiB", "large.wat").code == 0
    (tmp_path / "small.wat").write_text('(module (memory 3) (func (export "_start")))')
    assert "help: --max-memory 192KiB lets" in pywasm("run", "--max-memory", "65536", "small.wat").err


# Two directories as the root


def test_a_file_of_a_batch_hides_no_directory(pywasm, program: Path) -> None:
    for given in (".", ".:.", ".::/"):
        outcome = pywasm(
            "batch", "app.wasm", "--dir", given, "--workers", "1", "--over", "models/digit.pgm", "--",
            "models/digits.onnx", "{}",
        )  # fmt: skip
        assert '"stdout": "5 ' in outcome.out, outcome.out


def test_a_directory_that_hides_another_is_named(pywasm, program: Path) -> None:
    outcome = pywasm("run", "--dir", ".", "--dir", "models::/", "app.wasm", "models/digits.onnx")
    assert outcome.code and "did you mean" not in outcome.err
    assert 'its directory "." has it, but "/" hides that' in outcome.err
    assert "--dir HOST::/NAME" in outcome.err


# A file's name with a mistake


def test_a_file_with_almost_that_name_is_there(pywasm, program: Path) -> None:
    outcome = pywasm("run", "--dir", ".", "app.wasm", "models/digit.onnx")
    assert outcome.code and "did you mean models/digits.onnx?" in outcome.err
    assert "did you mean" not in pywasm("run", "--dir", ".", "app.wasm", "models/other.onnx").err


@pytest.mark.parametrize("options", [[], ["--engine", "interpret"], ["--unknown-imports", "trap"]])
def test_a_trap_after_a_file_that_was_not_there(pywasm, tmp_path: Path, options: list[str]) -> None:
    """As Rust's `panic` ends a guest that `unwrap`s what it opened."""
    Path("bird.jpg").touch()
    Path("guest.wat").write_text(
        """(module (import "wasi_snapshot_preview1" "path_open"
             (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
           (memory (export "memory") 1) (data (i32.const 0) "birdd.jpg")
           (func (export "_start")
             (drop (call $open (i32.const 3) (i32.const 0) (i32.const 0) (i32.const 9) (i32.const 0)
               (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 32)))
             unreachable))"""
    )
    outcome = pywasm("run", *options, "--dir", ".", "guest.wat")
    assert outcome.code == 134
    told = 'the last file that the guest did not find is "birdd.jpg"'
    assert f"note: {told}; did you mean bird.jpg?" in outcome.err
    Path("bird.jpg").unlink()
    assert f"note: {told}\n" in pywasm("run", *options, "--dir", ".", "guest.wat").err


# A file where a directory of models is wanted


def test_a_model_in_place_of_a_directory(pywasm, program: Path) -> None:
    outcome = pywasm("run", "--models", "models/digits.onnx", "app.wasm")
    assert (outcome.code, outcome.out) == (2, "")
    option = "--nn-graph digits=models/digits.onnx"
    assert outcome.err.splitlines()[1] == f"help: one model is named by {option}"
    named = pywasm("run", *option.split(), "-v", "--dir", "models", "app.wasm")
    assert named.code == 0 and "named models: digits\n" in named.err


# Numbers, and options behind arguments


def test_a_limit_names_its_option(pywasm, tmp_path: Path) -> None:
    Path("g.wat").write_text(
        '(module (import "env" "abort" (func $f)) (func (export "spin") (loop (br 0)))'
        ' (func (export "call") (call $f)))'
    )
    for words, told in {
        ("--fuel", "1e3", "--invoke", "spin"): "all fuel is used up (--fuel)",
        ("--timeout", "50ms", "--invoke", "spin"): "longer than 0.05 s (--timeout)",
        ("--max-host-calls", "0", "--invoke", "call"): "call the host 0 times (--max-host-calls)",
    }.items():
        outcome = pywasm("run", *words, "g.wat")
        assert outcome.code == 134 and told in outcome.err


@pytest.mark.parametrize(
    ("text", "code"),
    [("1e6", 0), ("1000000", 0), ("1_000", 0), ("0", 134), ("1.5", 2), ("ten", 2), ("-1", 2), ("inf", 2)],
)
def test_numbers_of_instructions(pywasm, tmp_path: Path, text: str, code: int) -> None:
    Path("g.wat").write_text('(module (func (export "f") nop))')
    outcome = pywasm("run", "--fuel", text, "--invoke", "f", "g.wat")
    assert outcome.code == code
    assert ("is no whole number" in outcome.err) == (text in ("1.5", "ten", "inf"))


def test_an_option_behind_the_arguments_of_a_function(pywasm, tmp_path: Path) -> None:
    Path("g.wat").write_text('(module (func (export "total") (param i32)))')
    outcome = pywasm("run", "g.wat", "--invoke", "total", "4", "--fuel", "10")
    assert outcome.code == 2
    assert 'takes 1 argument, 3 are given; options end at the first argument, "4", and --fuel' in outcome.err
    assert "options end" not in pywasm("run", "g.wat", "--invoke", "total", "4", "5").err


def test_the_file_of_a_batch_without_two_dashes(pywasm, program: Path) -> None:
    outcome = pywasm("batch", "app.wasm", "--over", "models", "{}")
    assert outcome.code == 2 and "which follows --: --over FILES -- {}" in outcome.err
    outcome = pywasm("batch", "app.wasm", "{}", "--over", "models")
    assert outcome.code == 2 and "stands before the guest's {}" in outcome.err

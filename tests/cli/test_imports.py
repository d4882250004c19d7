"""What a module imports on the command line beside WASI and inference."""

from __future__ import annotations

from pathlib import Path

import pytest

LIBRARY = """(module (import "env" "scale" (func $scale (param i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "twice") (param i32) (result i32) (call $scale (i32.mul (local.get 0) (i32.const 2)))))"""
USER = """(module (import "lib" "twice" (func $twice (param i32) (result i32)))
  (func (export "four") (param i32) (result i32) (call $twice (call $twice (local.get 0)))))"""
UNKNOWN = """(module (import "a" "b" (func $b (param i32) (result i32 f64 externref)))
  (import "a" "none" (func $none))
  (func (export "use") (result i32) (call $none)
    (call $b (i32.const 1)) (drop) (drop))
  (func (export "spare") (result i32) (i32.const 3)))"""
EMSCRIPTEN = """(module
  (import "env" "emscripten_notify_memory_growth" (func $grown (param i32)))
  (import "env" "emscripten_resize_heap" (func $resize (param i32) (result i32)))
  (import "env" "_emscripten_memcpy_js" (func $copy (param i32 i32 i32)))
  (import "env" "__syscall_openat" (func $open (param i32 i32 i32 i32) (result i32)))
  (import "env" "_abort_js" (func $abort))
  (memory (export "memory") 1 3) (data (i32.const 8) "abcd")
  (func (export "copy") (result i32) (call $grown (i32.const 0))
    (call $copy (i32.const 16) (i32.const 8) (i32.const 4)) (i32.load8_u (i32.const 19)))
  (func (export "resize") (param i32) (result i32 i32) (call $resize (local.get 0)) (memory.size))
  (func (export "open") (result i32)
    (call $open (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0)))
  (func (export "abort") (call $abort)))"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("lib", LIBRARY), ("user", USER), ("unknown", UNKNOWN), ("em", EMSCRIPTEN)):
        (tmp_path / f"{name}.wat").write_text(text)
    (tmp_path / "host.py").write_text(
        "def scale(value: int) -> int:\n    return value + 1\n\ndef _hidden() -> None: pass\n"
    )
    (tmp_path / "named.py").write_text('IMPORTS = {"env": {"scale": lambda value: value * 100}}\n')
    (tmp_path / "broken.py").write_text("1 / 0\n")
    return tmp_path


def test_a_module_imports_from_another_and_from_python(pywasm, folder: Path) -> None:
    outcome = pywasm(
        "run", "--preload", "lib=lib.wat", "--host", "host.py", "user.wat", "--invoke", "four", 5
    )
    assert (outcome.code, outcome.out, outcome.err) == (0, "23\n", "")
    outcome = pywasm("run", "--host=named.py", "--preload=lib=lib.wat", "--invoke", "four", "user.wat", 5)
    assert (outcome.code, outcome.out) == (0, "200000\n")


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--preload", "lib.wat"], 2, "NAME=MODULE"),
        (["--preload", "lib=gone.wat"], 1, "no such file"),
        (["--host", "gone.py"], 1, "error: --host: there is no file gone.py\nhelp: files in .: broken.py, "),
        (["--host", "user.wat"], 2, "user.wat: this is no Python file"),
        (["--host", "broken.py"], 2, "ZeroDivisionError"),
        ([], 1, "missing: func lib::twice"),
        (["--preload", "lib=lib.wat"], 1, "env"),
    ],
)
def test_what_is_wrong_is_said(pywasm, folder: Path, options: list[str], code: int, words: str) -> None:
    outcome = pywasm("run", *options, "--invoke", "four", "user.wat", 5)
    assert outcome.code == code
    assert words in outcome.err and outcome.out == ""


@pytest.mark.parametrize("option", [["--host", "host.py"], ["--host=host.py"], ["--preload", "lib=lib.wat"]])
def test_an_option_behind_the_arguments_is_told(pywasm, folder: Path, option: list[str]) -> None:
    behind = (
        f'the guest got {option[0].partition("=")[0]}, as it stands behind "ok"; options of pywasm-nn stand'
    )
    assert behind in pywasm("run", "user.wat", "ok", *option).err
    assert "as it stands behind" not in pywasm("run", "user.wat", "--", "ok", *option).err
    assert "as it stands behind" not in pywasm("run", *option, "user.wat", "ok").err


def test_of_two_modules_the_wrong_one_is_named(pywasm, folder: Path) -> None:
    for name, text in (
        ("bad", "(module (foo))"),
        ("invalid", '(module (export "twice" (func 5)))'),
        ("typed", '(module (func (export "twice")))'),
    ):
        (folder / f"{name}.wat").write_text(text)

    def said(library: str) -> str:
        outcome = pywasm("run", "--preload", f"lib={library}.wat", "--invoke", "four", "user.wat", 5)
        assert outcome.code == 1
        return outcome.err

    assert said("bad") == "error: bad.wat: 1:10: unknown operator foo\n"
    assert said("invalid").startswith("error: invalid.wat: unknown function 5")
    assert said("lib").startswith("error: can't link lib.wat: unknown import env::scale\n")
    assert "lib::twice" not in said("lib")
    assert (
        said("typed")
        == "error: can't link: incompatible import type for lib::twice: wants [i32] -> [i32], got [] -> []\n"
    )


def test_unknown_imports(pywasm, folder: Path) -> None:
    assert pywasm("run", "--invoke", "spare", "unknown.wat").code == 1
    outcome = pywasm("run", "--unknown-imports", "trap", "--invoke", "spare", "unknown.wat")
    assert (outcome.code, outcome.out) == (0, "3\n")
    outcome = pywasm("run", "--unknown-imports", "trap", "--invoke", "use", "unknown.wat")
    assert outcome.code == 134 and "nobody provides a::none" in outcome.err
    outcome = pywasm("run", "--unknown-imports", "zero", "--invoke", "use", "unknown.wat")
    assert (outcome.code, outcome.out) == (0, "0\n")
    assert pywasm("run", "--trap-unknown-imports", "--invoke", "spare", "unknown.wat").out == "3\n"


def test_harmless_imports_of_emscripten(pywasm, folder: Path) -> None:
    def call(*words: object):
        return pywasm("run", "em.wat", "--invoke", *words)

    assert call("copy").out == f"{ord('d')}\n"
    assert call("resize", 2 * 65536).out == "1\n2\n"
    assert call("resize", 4 * 65536).out == "0\n1\n"
    assert call("open").out == "-52\n"
    outcome = call("abort")
    assert outcome.code == 134 and "the guest called abort" in outcome.err


def test_another_type_is_not_emscriptens(pywasm, folder: Path) -> None:
    (folder / "other.wat").write_text(
        '(module (import "env" "emscripten_notify_memory_growth" (func (param i64))))'
    )
    assert pywasm("run", "other.wat").code == 1


def test_results_are_plain_and_typed_with_verbose(pywasm, folder: Path) -> None:
    arguments = ["--host", "host.py", "lib.wat", "--invoke", "twice", 2]
    assert pywasm("run", *arguments).out == "5\n"
    assert pywasm("run", "-v", *arguments).out == "i32:5\n"


def test_a_host_file_may_import_what_lies_beside_it(pywasm, tmp_path: Path) -> None:
    folder = tmp_path / "host"
    folder.mkdir()
    (folder / "prices.py").write_text("PRICE = 7\n")
    (folder / "json.py").write_text("raise ValueError('this is not the one of Python')\n")
    (folder / "host.py").write_text(
        "import json\nfrom prices import PRICE\ndef price() -> int:\n    return json.loads(str(PRICE))\n"
    )
    (tmp_path / "m.wat").write_text(
        '(module (import "env" "price" (func $price (result i32)))\n'
        '  (func (export "f") (result i32) (call $price)))'
    )
    assert pywasm("run", "--host", "host/host.py", "--invoke", "f", "m.wat").out == "7\n"


def test_host_files_in_two_folders_have_their_own_helpers(pywasm, tmp_path: Path) -> None:
    for number, name in enumerate(("one", "two"), 1):
        (tmp_path / name).mkdir()
        (tmp_path / name / "helper.py").write_text(f"NUMBER = {number}\n")
        (tmp_path / name / "host.py").write_text(
            f"from helper import NUMBER\ndef {name}() -> int:\n    return NUMBER\n"
        )
    (tmp_path / "m.wat").write_text(
        """(module (import "env" "one" (func $one (result i32))) (import "env" "two" (func $two (result i32)))
        (func (export "f") (result i32) (i32.add (i32.mul (call $one) (i32.const 10)) (call $two))))"""
    )
    outcome = pywasm("run", "--host", "one/host.py", "--host", "two/host.py", "--invoke", "f", "m.wat")
    assert outcome.out == "12\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def log(text: str) -> int:\n    return 0\n", "log, parameter 'text': no way to pass str"),
        ("def log(text: 'Foo') -> int:\n    return 0\n", "Foo"),
        ("def log(x: int) -> str:\n    return ''\n", "no way to pass str"),
        ("IMPORTS = {'log': print}\n", "IMPORTS has functions by namespace and name"),
        ("IMPORTS = {'env': {'log': 5}}\n", "env::log must be"),
    ],
)
def test_mistakes_in_a_host_file_are_told_in_a_line(pywasm, text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "host.py").write_text(text)
    (tmp_path / "m.wat").write_text(
        """(module (import "env" "log" (func $log (param i32) (result i32)))
        (func (export "f") (result i32) (call $log (i32.const 1))))"""
    )
    outcome = pywasm("run", "--host", "host.py", "--invoke", "f", "m.wat")
    assert outcome.code == 2
    assert "--host host.py: " in outcome.err and said in outcome.err and "Traceback" not in outcome.err


@pytest.mark.parametrize(
    ("function", "place"),
    [
        ("def f() -> int:\n    return 1 // 0", "host.py:3, in f"),
        ("def f() -> int:\n    return g()\ndef g():\n    return json.loads('{')", "host.py:5, in g"),
        ("async def f() -> int:\n    return 1 // 0", "host.py:3, in f"),
        ("from beside import f", "beside.py:2, in f"),
        ("def f() -> int:\n    return 'text'", "'text' was returned, i32 is wanted (host.py:2)"),
    ],
)
def test_where_a_host_function_failed_is_told(pywasm, function: str, place: str, tmp_path: Path) -> None:
    (tmp_path / "host.py").write_text(f"import json\n{function}\nIMPORTS = {{'env': {{'f': f}}}}\n")
    (tmp_path / "beside.py").write_text("def f() -> int:\n    return 1 // 0\n")
    (tmp_path / "m.wat").write_text(
        '(module (func $f (import "env" "f") (result i32)) (export "f" (func $f)))'
    )
    outcome = pywasm("run", "--host", "host.py", "--invoke", "f", "m.wat")
    assert outcome.code == 1 and "env.f: " in outcome.err
    assert outcome.err.count(".py") == 1
    assert f"{place}\n" in outcome.err


def test_where_a_host_file_failed(pywasm, tmp_path: Path) -> None:
    (tmp_path / "host.py").write_text("def ready():\n    return 1 // 0\nready()\n")
    (tmp_path / "m.wat").write_text("(module)")
    outcome = pywasm("run", "--host", "host.py", "m.wat")
    assert "--host host.py: ZeroDivisionError: " in outcome.err and " (host.py:2)" in outcome.err


def test_a_function_of_another_namespace(pywasm, folder: Path) -> None:
    """What the help says is right: with the line at the end of the file the module runs."""
    (folder / "m.wat").write_text(
        """(module (import "shop" "price" (func $price (result i32)))
             (import "env" "scale" (func $scale (param i32) (result i32)))
             (func (export "f") (result i32) (call $scale (call $price))))"""
    )
    host = folder / "shop.py"
    host.write_text(
        "def price() -> int:\n    return 3\ndef scale(value: int) -> int:\n    return value * 7\n"
    )
    outcome = pywasm("run", "--host", "shop.py", "--invoke", "f", "m.wat")
    line = 'IMPORTS = {"shop": {"price": price}, "env": {"scale": scale}}'
    assert outcome.code == 1 and "missing: func shop::price (env has it)\n" in outcome.err
    told = f"shop.py provides env.price; {line} at its end provides it as shop.price\n"
    assert told in outcome.err and "--host FILE.py provides" not in outcome.err
    host.write_text(host.read_text() + line)
    assert pywasm("run", "--host", "shop.py", "--invoke", "f", "m.wat").out == "21\n"


def test_a_misspelt_function_of_a_file(pywasm, folder: Path) -> None:
    (folder / "m.wat").write_text('(module (import "env" "scael" (func)) (func (export "f")))')
    assert "func env::scael (there is scale)" in pywasm("run", "--host", "host.py", "m.wat").err


FILL = """(module (import "env" "fill" (func $fill (param i32 i32) (result i32)))
  (func (export "f") (result i32) (call $fill (i32.const 4) (i32.const 2))))"""
HELPER = "def fill(a: int, b: int) -> int:\n    return a * 10 + b\n"
CLASS = "class Filler:\n    def fill(self, a, b):\n        return a * 10 + b\n    __call__ = fill\n"


@pytest.mark.parametrize(
    "text",
    [
        "from pywasm_nn import Func\nfill = Func.of(['i32', 'i32'], ['i32'], lambda a, b: a * 10 + b)",
        "from functools import partial\nfill = partial(lambda c, a, b: a * c + b, 10)",
        f"{CLASS}fill = Filler().fill",
        f"{CLASS}fill = Filler()",
        "from functools import cache\n@cache\ndef fill(a: int, b: int) -> int:\n    return a * 10 + b",
        "from functools import partial\nimport helper\nfill = partial(helper.fill)",
    ],
)
@pytest.mark.parametrize("option", [[], ["--record", "tape"]])
def test_a_function_of_any_kind_is_taken(pywasm, folder: Path, text: str, option: list[str]) -> None:
    (folder / "helper.py").write_text(HELPER)
    (folder / "fill.py").write_text(text)
    (folder / "fill.wat").write_text(FILL)
    outcome = pywasm("run", *option, "--host", "fill.py", "--invoke", "f", "fill.wat")
    assert (outcome.err, outcome.out) == ("", "42\n")


@pytest.mark.parametrize(
    ("text", "why", "expression"),
    [
        ("from helper import fill", "fill.py has fill from helper", "fill"),
        ("import helper\nfill = helper.fill", "fill.py has fill from helper", "fill"),
        ("import helper", "fill.py imports helper, which has fill", "helper.fill"),
        ("import helper as h", "fill.py imports h, which has fill", "h.fill"),
        ("from helper import *", "fill.py has fill from helper", "fill"),
        ("from made import fill", "fill.py has fill from made", "fill"),
        ("from made import bound as fill", "fill.py has fill from made", "fill"),
        (f"{HELPER}IMPORTS = {{'env': {{}}}}", "fill.py has fill, which its IMPORTS leaves out", "fill"),
        ("IMPORTS = {'x': {'fill': lambda a, b: 42}}", "fill.py provides x.fill", 'IMPORTS["x"]["fill"]'),
    ],
)
def test_a_function_that_is_not_taken_is_told(
    pywasm, folder: Path, text: str, why: str, expression: str
) -> None:
    """What the help says is right: with the line at the end of the file the module runs."""
    (folder / "helper.py").write_text(HELPER)
    (folder / "made.py").write_text(
        f"{CLASS}from functools import partial\nfill = partial(Filler().fill)\nbound = Filler().fill\n"
    )
    (folder / "fill.py").write_text(text)
    (folder / "fill.wat").write_text(FILL)
    words = ["run", "--host", "fill.py", "--invoke", "f", "fill.wat"]
    outcome = pywasm(*words)
    assert outcome.code == 1 and "missing: func env::fill" in outcome.err
    line = f'IMPORTS = {{"env": {{"fill": {expression}}}}}'
    assert f"{why}; {line} at its end provides it as env.fill\n" in outcome.err
    assert "--host FILE.py provides" not in outcome.err
    (folder / "fill.py").write_text(f"{text}\n{line}\n")
    assert pywasm(*words).out == "42\n"


def test_a_folder_is_known_behind_a_link(pywasm, folder: Path) -> None:
    """What a file imports under another name is known as another file's, whatever leads there."""
    (folder / "real").mkdir()
    (folder / "real" / "made.py").write_text("from functools import partial\nmine = partial(int)\n")
    (folder / "real" / "fill.py").write_text("from made import mine as fill\n")
    (folder / "link").symlink_to("real", target_is_directory=True)
    (folder / "fill.wat").write_text(FILL)
    outcome = pywasm("run", "--host", "link/fill.py", "--invoke", "f", "fill.wat")
    assert outcome.code == 1 and "link/fill.py has fill from made" in outcome.err


@pytest.mark.parametrize("text", ["fill = 5", "class fill:\n    pass", "import os as fill"])
def test_what_could_be_no_import_is_not_told(pywasm, folder: Path, text: str) -> None:
    (folder / "fill.py").write_text(text)
    (folder / "fill.wat").write_text(FILL)
    outcome = pywasm("run", "--host", "fill.py", "--invoke", "f", "fill.wat")
    assert "IMPORTS" not in outcome.err and "--host FILE.py provides" in outcome.err


@pytest.mark.parametrize(
    ("text", "kind", "why"),
    [
        ("def _fill(): pass", "func", "h.py keeps _fill, which begins with _, to itself"),
        ("from pywasm_nn import Memory\n_fill = Memory.of(1)", "memory", "h.py keeps _fill, which begins"),
    ],
)
def test_a_private_name_is_told(pywasm, folder: Path, text: str, kind: str, why: str) -> None:
    field = "(func)" if kind == "func" else "(memory 1)"
    (folder / "h.py").write_text(text)
    (folder / "m.wat").write_text(f'(module (import "env" "_fill" {field}) (func (export "_start")))')
    outcome = pywasm("run", "--host", "h.py", "m.wat")
    assert why in outcome.err
    (folder / "h.py").write_text(f'{text}\nIMPORTS = {{"env": {{"_fill": _fill}}}}')
    assert pywasm("run", "--host", "h.py", "m.wat").code == 0


def test_a_memory_of_a_host_file_is_told(pywasm, folder: Path) -> None:
    (folder / "h.py").write_text("from pywasm_nn import Memory\nmemory = Memory.of(1)")
    (folder / "m.wat").write_text('(module (import "env" "memory" (memory 1)))')
    line = 'h.py has memory, which is no function; IMPORTS = {"env": {"memory": memory}} at its end'
    assert line in pywasm("run", "--host", "h.py", "m.wat").err

"""Components as other languages' tools make them do what they do under wasmtime's package: a program in
Python (CPython by componentize-py), and one in JavaScript (QuickJS by componentize-qjs, SpiderMonkey by
componentize-js).

What is here: arguments, directories, the input, failures and exit codes, of programs in
`tests/guests/components` that are too large to be kept: `python examples/build.py report shout` makes them
where the tools are. The one of SpiderMonkey imports wasi:http without using it, and versions are mixed.
What is not: components of C and Rust (`test_components.py`), and functions in JavaScript
(`tests/component/test_guests.py`).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pywasm_nn import Component, run

from .native_command import under_wasmtime

COMPONENTS = Path(__file__).parents[1] / "guests" / "components"
INPUT = 'name,value\nä,1\nb,"x,y"\n'.encode()
STORIES = [
    ("report", "compile", "one two", 0, "[{"),
    ("report", "compile", "fail", 1, "[{"),
    ("shout_quickjs", "compile", "one", 0, "NAME,VALUE"),
    ("shout_quickjs", "interpret", "fail", 1, "NAME,VALUE"),
    ("shout_quickjs", "compile", "exit", 33, "NAME,VALUE"),
    ("shout_spidermonkey", "compile", "exit", 33, "NAME,VALUE"),
]
pytestmark = pytest.mark.slow


def made(name: str) -> Path:
    path = COMPONENTS / f"{name}.wasm"
    if not path.exists():
        pytest.skip(f"{path.name} is made by `python examples/build.py report shout` where its tools are")
    return path


def tree(folder: Path) -> Path:
    """A directory with files in two levels."""
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_bytes(b"abc" * 1000)
    (folder / "sub" / "ü.bin").write_bytes(bytes(range(256)))
    return folder


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(("name", "engine", "words", "code", "said"), STORIES)
def test_a_program_does_what_it_does_under_wasmtime(
    name: str, engine: str, words: str, code: int, said: str, tmp_path: Path
) -> None:
    path, args = made(name), words.split()
    here, there = tree(tmp_path / "here"), tree(tmp_path / "there")
    ours = run(path, args, dirs={"/data": here}, stdin=INPUT, engine=engine)
    theirs = under_wasmtime(path, tmp_path, args=args, dirs={"/data": there}, stdin=INPUT)
    assert (ours.exit_code, ours.stdout, ours.stderr) == theirs
    assert ours.exit_code == code
    assert said in ours.stdout.decode()
    assert files(here) == files(there)


def test_versions_are_mixed_and_http_is_imported() -> None:
    imported = [name for name in Component.from_file(made("shout_spidermonkey")).imports if "@" in name]
    assert any(name.startswith("wasi:http/outgoing-handler@") for name in imported)
    assert len({name.partition("@")[2] for name in imported}) > 1

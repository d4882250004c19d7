"""Components of WASI 0.2: programs in C and Rust do as components what they do as modules, and what they do
as components under wasmtime's package.

What is here: whole programs, made components by the stock adapter (`tests/guests/components`), and what a
world lacks or has too much of. What is not: single functions with values that no program gives.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pywasm_nn import Err, Result, run
from pywasm_nn.errors import LinkError, Trap
from pywasm_nn.wasi import MemoryDirectory, Wasi

from ..component.components import component
from .native_command import under_wasmtime

GUESTS = Path(__file__).parents[1] / "guests"
COMPONENTS = GUESTS / "components"


def outcome(result: Result) -> tuple[int, bytes, bytes]:
    return result.exit_code, result.stdout, result.stderr


STORIES: dict[str, tuple[str, dict[str, Any]]] = {
    "arguments": ("args_env", {"args": ["one", "", "zwei ü"], "env": {"A": "b=c", "EMPTY": ""}}),
    "a failure": ("args_env", {"env": {"CODE": "1"}}),
    "no input": ("cat", {"stdin": b""}),
    "some input": ("cat", {"stdin": bytes(range(256)) * 300}),
}


@pytest.mark.parametrize("story", STORIES)
def test_a_component_does_what_its_module_does(story: str, engine: str, tmp_path: Path) -> None:
    program, given = STORIES[story]
    told = {"args": [], "env": {}, "stdin": b"", **given}
    ours = outcome(run(COMPONENTS / f"{program}.wasm", engine=engine, **told))
    assert ours == outcome(run(GUESTS / f"{program}.wasm", engine=engine, **told))
    assert ours == under_wasmtime(COMPONENTS / f"{program}.wasm", tmp_path, dirs={}, **told)


@pytest.mark.parametrize("program", ["files", "walk_rust"])
def test_files_are_those_of_the_module(program: str, walking: str, tmp_path: Path) -> None:
    ours, theirs, modules = (tmp_path / name for name in ("ours", "theirs", "modules"))
    for place in (ours, theirs, modules):
        place.mkdir()
    got = outcome(run(COMPONENTS / f"{program}.wasm", ["/work"], dirs={"/work": ours}, cache=True))
    assert got == outcome(run(GUESTS / f"{program}.wasm", ["/work"], dirs={"/work": modules}, cache=True))
    assert got == under_wasmtime(
        COMPONENTS / f"{program}.wasm", tmp_path, args=["/work"], env={}, stdin=b"", dirs={"/work": theirs}
    )
    assert got[0] == 0
    assert got[1].count(b"\n") > 10
    for place in (ours, theirs, modules):
        assert not list(place.iterdir())


@pytest.mark.parametrize("program", ["files", "walk_rust"])
def test_files_in_memory_are_those_on_disk(program: str, engine: str, tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    got, expected = (
        outcome(
            run(COMPONENTS / f"{program}.wasm", ["/work"], dirs={"/work": place}, engine=engine, cache=True)
        )
        for place in (MemoryDirectory(), tmp_path / "disk")
    )
    assert got == expected
    assert got[0] == 0


# What a world lacks, or has too much of.

UNUSED = """
  (import "wasi:http/outgoing-handler@0.2.3" (instance $http
    (type $error (enum "refused" "other"))
    (export "error-code" (type $code (eq $error)))
    (export "handle" (func (param "url" string) (result (result string (error $code)))))))
  (import "wasi:sockets/tcp-create-socket@0.2.0" (instance $sockets
    (type $error (enum "unknown" "access-denied" "other"))
    (export "error-code" (type $code (eq $error)))
    (export "socket" (type $socket (sub resource)))
    (export "create-tcp-socket" (func (result (result (own $socket) (error $code)))))))
  (import "wasi:clocks/monotonic-clock@0.2.1" (instance $clock (export "now" (func (result u64)))))
  (import "wasi:random/random@0.2.9" (instance $random
    (export "get-random-bytes" (func (param "len" u64) (result (list u8))))
    (export "get-random-u64" (func (result u64)))))
  (alias export $http "handle" (func $handle))
  (alias export $sockets "create-tcp-socket" (func $create))
  (alias export $clock "now" (func $now))
  (alias export $random "get-random-bytes" (func $bytes))
  (export "now" (func $now))
  (export "bytes" (func $bytes))
  (export "handle" (func $handle))
  (export "create" (func $create))
"""


def test_versions_of_one_world_mix_and_what_is_not_used_is_not_missed(engine: str) -> None:
    notes: list[str] = []
    with component(UNUSED).instantiate(wasi=Wasi(), engine=engine, report=notes.append) as instance:
        assert instance.exports.now() > 0
        assert len(instance.exports.bytes(5)) == 5
        assert notes == []
        with pytest.raises(Trap, match="nobody provides wasi:http/outgoing-handler handle"):
            instance.exports.handle("x")
    assert "network" in notes[0]


def test_a_guest_is_denied_sockets() -> None:
    with component(UNUSED).instantiate(wasi=Wasi()) as instance:
        with pytest.raises(Err) as caught:
            instance.exports.create()
        assert caught.value.value.value == "access-denied"


@pytest.mark.parametrize(
    ("imports", "told"),
    [
        (
            '(import "wasi:cli/stdout@0.2.0" (instance (export "get-stdout" (func (result u32)))))',
            ["wasi:cli/stdout", "get-stdout", "func() -> u32", "output-stream"],
        ),
        (
            '(import "wasi:random/random@0.2.0" (instance (export "get-random-u64" (func (param "a" u8)))))',
            ["wasi:random/random", "get-random-u64", "(a: u8)", "func() -> u64"],
        ),
        (
            '(import "wasi:random/random@0.2.0" (instance (export "no-such" (func))))',
            ["wasi:random/random", "no-such"],
        ),
        (
            '(import "wasi:random/randoms@0.2.0" (instance (export "get" (func))))',
            ["wasi:random/randoms@0.2.0"],
        ),
        (
            '(import "wasi:random/random@0.3.0" (instance (export "get" (func))))',
            ["wasi:random/random@0.3.0"],
        ),
    ],
)
def test_an_import_that_wasi_has_not_says_what_it_has(imports: str, told: list[str]) -> None:
    with pytest.raises(LinkError) as caught:
        component(imports).instantiate(wasi=Wasi())
    for text in told:
        assert text in str(caught.value)


def test_a_component_that_is_no_command_says_what_it_exports() -> None:
    made = component(UNUSED)
    with made.instantiate(wasi=Wasi()) as instance, pytest.raises(LinkError, match="it exports now, bytes"):
        instance.run()


def test_imports_that_are_given_come_before_those_of_wasi() -> None:
    clock = {"wasi:clocks/monotonic-clock": {"now": lambda: 7}}
    with component(UNUSED).instantiate(clock, wasi=Wasi()) as instance:
        assert instance.exports.now() == 7
        assert len(instance.exports.bytes(2)) == 2

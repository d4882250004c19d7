"""What the tests of WASI share: a guest that calls the face directly, one that calls wasmtime, and a tree to
play in."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn.limits import Limits
from pywasm_nn.wasi import Capture, Wasi
from pywasm_nn.wasi.preview1 import preview1
from pywasm_nn.wasi.provider import WasiHost

from .calls import DEFAULTS, Calls, Guest, passing_module


@pytest.fixture(params=["dir_fd", "portable"])
def walking(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of resolving paths: the test runs once with each."""
    monkeypatch.setenv("PYWASM_NN_PORTABLE", str(int(request.param == "portable")))
    chosen: str = request.param
    return chosen


@pytest.fixture
def make_guest() -> Any:
    """Makes guests from the settings of `Wasi`; output is captured unless something else is said."""
    hosts: list[WasiHost] = []

    def make(limits: Limits = DEFAULTS, **settings: Any) -> Guest:
        notes: list[str] = []
        given = {"stdin": b"", "stdout": Capture(), "stderr": Capture(), **settings}
        hosts.append(Wasi(**given).open(notes.append, limits))
        return Guest(hosts[-1], notes, limits)

    yield make
    for host in hosts:
        host.close()


@pytest.fixture
def start(walking: str, make_guest: Any) -> Any:
    """The same, in both ways of resolving paths."""
    return make_guest


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A directory `inside` to give to a guest, beside a secret: links in and out, files, directories."""
    inside = tmp_path / "inside"
    (inside / "sub" / "deep").mkdir(parents=True)
    (inside / "empty").mkdir()
    (inside / "file").write_bytes(b"0123456789")
    (inside / "sub" / "leaf").write_bytes(b"leaf")
    (tmp_path / "secret").write_bytes(b"secret")
    for name, target in {
        "absolute": tmp_path / "secret",
        "out": "../secret",
        "parent": "..",
        "here": ".",
        "to_file": "file",
        "to_sub": "sub",
        "to_leaf": "sub/leaf",
        "to_sub_slash": "sub/",
        "to_file_slash": "file/",
        "dangling": "nothing",
        "loop": "loop",
        "proc": "/proc/self/root",
        "sub/up": "..",
        "sub/up_up": "../..",
        "sub/round": "../sub/../file",
        "sub/deep/far": "../../../secret",
    }.items():
        os.symlink(target, inside / name)
    return inside


@pytest.fixture
def guest(start: Any, tree: Path) -> Guest:
    """A guest with the tree as its root."""
    made: Guest = start(dirs={"/": tree})
    return made


class WasmtimeGuest(Calls):
    """The same calls served by wasmtime, through a module that passes them on."""

    def __init__(self, wasmtime: Any, linker: Any, module: Any, directory: Path) -> None:
        super().__init__()
        self.store = wasmtime.Store(linker.engine)
        config = wasmtime.WasiConfig()
        config.preopen_dir(str(directory), "/")
        config.argv, config.env = ["program"], [("NAME", "value")]
        self.store.set_wasi(config)
        instance = linker.instantiate(self.store, module)
        self.exports = instance.exports(self.store)
        self.memory = self.exports["memory"]
        self.trap = wasmtime.WasmtimeError, wasmtime.Trap

    def call(self, name: str, *arguments: int) -> Any:
        try:
            return self.exports[name](self.store, *arguments)
        except self.trap:
            return "trap"

    def read(self, address: int, count: int) -> bytes:
        return bytes(self.memory.read(self.store, address, address + count))

    def write(self, address: int, data: bytes) -> None:
        self.memory.write(self.store, data, address)


@pytest.fixture(scope="session")
def wasmtime_guest() -> Callable[..., WasmtimeGuest]:
    """Makes guests of wasmtime with a directory as their root. One that is told which function it calls
    besides path_open, and has no others, is made much faster."""
    wasmtime = pytest.importorskip("wasmtime")
    linker = wasmtime.Linker(wasmtime.Engine())
    linker.define_wasi()

    @cache
    def module(called: str) -> Any:
        names = dict.fromkeys(("path_open", called)) if called else preview1
        return wasmtime.Module(linker.engine, passing_module(names))

    return lambda directory, called="": WasmtimeGuest(wasmtime, linker, module(called), directory)


@pytest.fixture
def begin() -> Any:
    """Begins guests of WASI 0.2 (`p2_guest.py`), and closes them at the end."""
    from .p2_guest import Ours

    made: list[Ours] = []

    def make(wasi: Wasi | None = None, **options: Any) -> Ours:
        made.append(Ours(wasi, **options))
        return made[-1]

    yield make
    for guest in made:
        guest.close()
